//! One tenant that sells a few things, on a store of its own, with a clock that stands still until it is told to move.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use surehold_core::kernel::commands::{CancelHold, ConvertHold, HoldReply, PlaceHold, PutPool};
use surehold_core::kernel::{
    ConvertMode, Hold, HoldId, HoldPolicy, Line, Lines, Pool, PoolKey, Refusal, ResourceName, Slot, Slug, TenantId,
    Timestamp,
};
use surehold_engine::{Done, Engine, EngineConfig, Failure, Registry, builtin, new_hold_id};
use surehold_sqlite::SqliteStore;
use tempfile::TempDir;

pub(crate) const TENANT: TenantId = TenantId(1);
pub(crate) const HOUR_SECS: i64 = 3_600;

pub(crate) type HoldOutcome = Result<Done<HoldReply>, Failure<Refusal>>;

pub(crate) struct Shop {
    pub(crate) engine: Engine,
    clock_micros: Arc<AtomicI64>,
    /// Goes with the shop.
    _folder: TempDir,
}

impl Shop {
    /// Nothing happens here by itself.
    pub(crate) async fn open(pools: &[(&str, i64)]) -> Shop {
        Shop::open_with(pools, builtin(Registry::default())).await
    }

    pub(crate) async fn open_with(pools: &[(&str, i64)], registry: Registry) -> Shop {
        let folder = tempfile::tempdir().unwrap();
        // Ids say when they were made, so the clock begins at about the same time.
        let clock_micros = Arc::new(AtomicI64::new(new_hold_id().made_at().micros()));
        let clock = Arc::clone(&clock_micros);
        let clock = Arc::new(move || Timestamp::from_micros(clock.load(Ordering::Relaxed)));
        let store = SqliteStore::open_with_clock(&folder.path().join("shop.db"), clock).unwrap();
        let config =
            EngineConfig { sweep_pause: None, schedule_pause: None, outbox_pause: None, ..EngineConfig::default() };
        let engine = Engine::start_with(Arc::new(store), config, registry).unwrap();
        fill(&engine, pools).await;
        Shop { engine, clock_micros, _folder: folder }
    }

    /// Also back.
    pub(crate) fn advance_secs(&self, secs: i64) {
        self.clock_micros.fetch_add(secs * 1_000_000, Ordering::Relaxed);
    }

    pub(crate) async fn place(&self, units: &[(&str, i64)], lifetime_secs: i64) -> HoldOutcome {
        self.engine.run(TENANT, place(units).lifetime_secs(lifetime_secs).unwrap()).await
    }

    /// A hold that is there for sure.
    pub(crate) async fn hold(&self, units: &[(&str, i64)], lifetime_secs: i64) -> HoldId {
        self.place(units, lifetime_secs).await.unwrap().reply.hold.id
    }

    pub(crate) async fn cancel(&self, id: HoldId) -> HoldOutcome {
        self.engine.run(TENANT, CancelHold { id }).await
    }

    pub(crate) async fn book(&self, id: HoldId, part: Option<Lines>) -> HoldOutcome {
        self.engine.run(TENANT, ConvertHold { id, mode: ConvertMode::Book, part }).await
    }

    pub(crate) async fn pool(&self, name: &str) -> Pool {
        self.engine.views().record(TENANT, &pool(name)).await.unwrap().unwrap()
    }

    pub(crate) async fn find(&self, id: HoldId) -> Option<Hold> {
        self.engine.views().record(TENANT, &id).await.unwrap()
    }

    pub(crate) async fn close(self) {
        self.engine.stop().await;
    }
}

/// Makes the tenant and its pools.
pub(crate) async fn fill(engine: &Engine, pools: &[(&str, i64)]) {
    engine.create_tenant(Slug::new("shop").unwrap(), HoldPolicy::default(), TENANT).await.unwrap();
    for (name, total) in pools {
        engine.run(TENANT, PutPool::new(pool(name), *total).unwrap()).await.unwrap();
    }
}

pub(crate) fn pool(name: &str) -> PoolKey {
    PoolKey { resource: ResourceName::new(name).unwrap(), slot: Slot::NONE }
}

pub(crate) fn lines(units: &[(&str, i64)]) -> Lines {
    let line = |(name, quantity): &(&str, i64)| Line { pool: pool(name), quantity: *quantity };
    Lines::new(units.iter().map(line).collect()).unwrap()
}

pub(crate) fn place(units: &[(&str, i64)]) -> PlaceHold {
    PlaceHold::new(new_hold_id(), lines(units))
}
