//! One tenant behind an engine, and everything that the store says about it.

use surehold_core::kernel::{Hold, HoldId, HoldPolicy, KeptReply, Owner, Pool, Slug, SlugClaim, Tenant, TenantId};
use surehold_engine::{Engine, EngineConfig, JournalRow};
use surehold_scenario::{Backend, Context};
use surehold_testkit::fixture::Fixture;
use uuid::{Builder, Uuid};

use super::scenario::pool;
use super::{audit, full_audit};

/// Pages small enough that every reader has to turn some.
const JOURNAL_PAGE_ROWS: u16 = 7;
const MILLIS_PER_SEC: i64 = 1_000;

pub(crate) struct World<'f> {
    pub(crate) fixture: &'f Fixture,
    pub(crate) engine: Engine,
    pub(crate) tenant: TenantId,
    pub(crate) names: Context,
}

impl<'f> World<'f> {
    /// A fresh tenant of an engine that sweeps nothing by itself.
    pub(crate) async fn open(fixture: &'f Fixture) -> World<'f> {
        World::enter(fixture, fixture.engine().await.unwrap(), TenantId(1)).await
    }

    pub(crate) async fn open_with(fixture: &'f Fixture, config: EngineConfig) -> World<'f> {
        World::enter(fixture, fixture.engine_with(config).await.unwrap(), TenantId(1)).await
    }

    /// Finds or makes the tenant.
    pub(crate) async fn enter(fixture: &'f Fixture, engine: Engine, tenant: TenantId) -> World<'f> {
        let slug = Slug::new(&format!("t{tenant}")).unwrap();
        assert_eq!(engine.create_tenant(slug, HoldPolicy::default(), tenant).await, Ok(tenant));
        World { fixture, engine, tenant, names: Context::default() }
    }

    /// Another tenant of the same engine.
    pub(crate) async fn neighbour(&self, tenant: i64) -> World<'f> {
        World::enter(self.fixture, self.engine.clone(), TenantId(tenant)).await
    }

    /// Stops the engine and starts another one on the same store.
    pub(crate) async fn restart(&mut self) {
        self.engine.clone().stop().await;
        self.engine = self.fixture.engine().await.unwrap();
    }

    pub(crate) async fn pool(&self, name: &str) -> Pool {
        Backend::pool(self, &pool(name).unwrap()).await
    }

    pub(crate) async fn hold(&self, id: HoldId) -> Option<Hold> {
        self.engine.views().record::<Hold>(self.tenant, &id).await.unwrap()
    }

    pub(crate) async fn dump(&self) -> Dump {
        Dump::of(&self.engine, self.tenant).await
    }

    /// What is stored agrees with itself and with the journal.
    pub(crate) async fn audit(&self) -> Dump {
        let dump = self.dump().await;
        audit::check(&dump);
        assert_eq!(full_audit::told(self.fixture).await, [""; 0]);
        dump
    }
}

pub(crate) fn new_id() -> HoldId {
    HoldId::new(Uuid::now_v7()).unwrap()
}

/// An id that says it was made so many seconds from now.
pub(crate) fn id_made_in(secs: i64) -> HoldId {
    let now = i64::try_from(Uuid::now_v7().as_u128() >> 80).unwrap();
    let millis = u64::try_from(now + secs * MILLIS_PER_SEC).unwrap();
    let random = Uuid::now_v7().into_bytes();
    HoldId::new(Builder::from_unix_timestamp_millis(millis, random[6..].try_into().unwrap()).into_uuid()).unwrap()
}

/// All rows of all tables that concern a tenant, and the directory.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Dump {
    pub(crate) tenant: Vec<Tenant>,
    pub(crate) slugs: Vec<SlugClaim>,
    pub(crate) pools: Vec<Pool>,
    pub(crate) holds: Vec<Hold>,
    pub(crate) owners: Vec<Owner>,
    pub(crate) replies: Vec<KeptReply>,
    pub(crate) journal: Vec<JournalRow>,
}

impl Dump {
    pub(crate) async fn of(engine: &Engine, tenant: TenantId) -> Dump {
        let views = engine.views();
        Dump {
            tenant: views.all_records(tenant).await.unwrap(),
            slugs: views.all_records(TenantId::DIRECTORY).await.unwrap(),
            pools: views.all_records(tenant).await.unwrap(),
            holds: views.all_records(tenant).await.unwrap(),
            owners: views.all_records(tenant).await.unwrap(),
            replies: views.all_records(tenant).await.unwrap(),
            journal: journal(engine, tenant, JOURNAL_PAGE_ROWS).await,
        }
    }

    pub(crate) fn hold(&self, id: HoldId) -> Option<&Hold> {
        self.holds.binary_search_by_key(&id, |hold| hold.id).ok().map(|index| &self.holds[index])
    }
}

/// The whole journal, page by page.
pub(crate) async fn journal(engine: &Engine, tenant: TenantId, page_rows: u16) -> Vec<JournalRow> {
    let mut rows: Vec<JournalRow> = Vec::new();
    loop {
        let after_seq = rows.last().map_or(0, |row| row.seq);
        let page = engine.views().journal(tenant, after_seq, page_rows).await.unwrap();
        assert!(page.len() <= usize::from(page_rows) && page.iter().all(|row| row.seq > after_seq), "{page:?}");
        if page.is_empty() {
            return rows;
        }
        rows.extend(page);
    }
}
