//! Clients that place holds as fast as they are answered.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use surehold_core::kernel::commands::{PlaceHold, PutPool};
use surehold_core::kernel::{HoldId, HoldPolicy, Line, Lines, PoolKey, ResourceName, Slot, Slug, TenantId, UNITS_MAX};
use surehold_engine::Engine;
use uuid::Uuid;

use super::Measured;

#[derive(Clone, Debug)]
pub struct HoldsLoad {
    pub clients: usize,
    pub tenants: usize,
    /// Room types per tenant; one is the hot case.
    pub room_types: usize,
    pub nights: usize,
    /// Holds per request.
    pub batch: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefill {
    pub holds: u64,
}

/// The first tenant of benchmarks, far from others in the same database.
const TENANT_BASE: i64 = 9_000_000;
const PREFILL_BATCH: u64 = 8_000;

/// A small generator of its own: the same run asks for the same rooms. (`xorshift64*`)
#[derive(Debug)]
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let sides = u64::try_from(sides).expect("a usize fits");
        usize::try_from((self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % sides).expect("below a usize")
    }
}

impl HoldsLoad {
    fn tenant(&self, index: usize) -> TenantId {
        TenantId(TENANT_BASE + i64::try_from(index % self.tenants).expect("few tenants"))
    }

    fn pool(room_type: usize, night: usize) -> PoolKey {
        let date = jiff_date(night);
        PoolKey { resource: ResourceName::new(&format!("room-{room_type}")).expect("a legal name"), slot: date }
    }

    fn command(&self, dice: &mut Dice) -> PlaceHold {
        let room_type = dice.roll(self.room_types);
        let line = |night| Line { pool: HoldsLoad::pool(room_type, night), quantity: 1 };
        let lines = Lines::new((0..self.nights).map(line).collect()).expect("a few different nights");
        PlaceHold::new(HoldId::new(Uuid::now_v7()).expect("version 7"), lines)
    }
}

fn jiff_date(night: usize) -> Slot {
    Slot::parse(&format!("2027-{:02}-{:02}", 1 + night / 28, 1 + night % 28)).expect("a date")
}

/// Makes tenants and pools, and places holds beforehand.
pub async fn prepare(engine: &Engine, load: &HoldsLoad, prefill: Prefill) -> Result<()> {
    for index in 0..load.tenants {
        let tenant = load.tenant(index);
        let slug = Slug::new(&format!("bench-{}", tenant.0))?;
        engine.create_tenant(slug, HoldPolicy::default(), tenant).await.context("cannot make a tenant")?;
        let pools = (0..load.room_types).flat_map(|room| (0..load.nights).map(move |night| (room, night)));
        let puts: Vec<PutPool> = pools
            .map(|(room, night)| PutPool::new(HoldsLoad::pool(room, night), UNITS_MAX))
            .collect::<Result<_, _>>()?;
        for chunk in puts.chunks(1_000) {
            for outcome in engine.run_all(tenant, chunk.to_vec()).await {
                outcome.context("cannot make a pool")?;
            }
        }
    }
    let mut dice = Dice(77);
    let mut placed = 0;
    while placed < prefill.holds {
        let count = (prefill.holds - placed).min(PREFILL_BATCH);
        let commands = (0..count).map(|_| load.command(&mut dice)).collect();
        let tenant = load.tenant(usize::try_from(placed / PREFILL_BATCH)?);
        for outcome in engine.run_all(tenant, commands).await {
            outcome.context("cannot place a hold beforehand")?;
        }
        placed += count;
    }
    Ok(())
}

/// Runs all clients for the duration.
pub async fn run(engine: &Engine, load: &HoldsLoad, duration: Duration) -> Measured {
    let started = Instant::now();
    let until = started + duration;
    let clients: Vec<_> =
        (0..load.clients).map(|index| tokio::spawn(client(engine.clone(), load.clone(), index, until))).collect();
    let mut measured = Measured::default();
    for client in clients {
        measured.add(&client.await.expect("a client does not panic"));
    }
    measured.elapsed = started.elapsed();
    measured
}

async fn client(engine: Engine, load: HoldsLoad, index: usize, until: Instant) -> Measured {
    let tenant = load.tenant(index);
    let mut dice = Dice(u64::try_from(index).expect("few clients") * 7_919 + 1);
    let mut measured = Measured::default();
    while Instant::now() < until {
        let mut commands: Vec<PlaceHold> = (0..load.batch).map(|_| load.command(&mut dice)).collect();
        let asked = Instant::now();
        let placed = match (commands.len(), commands.pop()) {
            (1, Some(command)) => usize::from(engine.run(tenant, command).await.is_ok()),
            (_, last) => {
                commands.extend(last);
                let outcomes = engine.run_all(tenant, commands).await;
                outcomes.iter().filter(|outcome| outcome.is_ok()).count()
            }
        };
        let holds = u64::try_from(placed).expect("a usize fits");
        measured.latencies.record(asked.elapsed(), holds);
        measured.holds += holds;
        measured.errors += u64::try_from(load.batch - placed).expect("a usize fits");
    }
    measured
}
