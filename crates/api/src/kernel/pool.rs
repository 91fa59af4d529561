//! Pools on the wire.

use surehold_core::kernel::commands;
use surehold_core::kernel::{self, Invalid, PoolKey, ResourceName, Slot};

use crate::describe::wire;

/// Names a pool.
#[wire]
pub struct PoolName {
    pub resource: ResourceName,
    /// A date, or empty for things without one.
    pub slot: Slot,
}

/// What to set. What is left out stays as it is.
#[wire]
#[schema(example = json!({"total": 5, "overbook": 1, "closed": false}))]
pub struct PutPool {
    /// Units there are. Needed for a pool that does not exist yet.
    #[schema(minimum = 0, maximum = 1_000_000_000_000_i64)]
    pub total: Option<i64>,
    /// Units that may be promised beyond the total, on purpose.
    #[schema(minimum = 0, maximum = 1_000_000_000_000_i64)]
    pub overbook: Option<i64>,
    /// A closed pool takes no new claims.
    pub closed: Option<bool>,
    /// Changes the pool only if it has this version; 0 says that it must not exist yet.
    #[schema(minimum = 0)]
    pub expected_version: Option<i64>,
}

impl PutPool {
    pub fn into_command(self, pool: PoolKey) -> Result<commands::PutPool, Invalid> {
        let mut put = match self.total {
            Some(total) => commands::PutPool::new(pool, total)?,
            None => commands::PutPool::leaving_total(pool),
        };
        if let Some(overbook) = self.overbook {
            put = put.overbook(overbook)?;
        }
        if let Some(closed) = self.closed {
            put = put.closed(closed);
        }
        Ok(match self.expected_version {
            Some(version) => put.expected_version(version),
            None => put,
        })
    }
}

/// A pool to put, with its name.
#[wire]
pub struct PoolPut {
    pub resource: ResourceName,
    #[serde(default = "no_slot")]
    pub slot: Slot,
    #[schema(minimum = 0, maximum = 1_000_000_000_000_i64)]
    pub total: Option<i64>,
    #[schema(minimum = 0, maximum = 1_000_000_000_000_i64)]
    pub overbook: Option<i64>,
    pub closed: Option<bool>,
    #[schema(minimum = 0)]
    pub expected_version: Option<i64>,
}

pub(super) fn no_slot() -> Slot {
    Slot::NONE
}

/// 1 to 1,000 pools, put all together or not at all.
#[wire]
#[schema(example = json!({"pools": [
    {"resource": "double", "slot": "2026-12-24", "total": 5, "overbook": 1, "closed": false},
    {"resource": "double", "slot": "2026-12-25", "total": 5},
    {"resource": "t-shirt", "total": 100}
]}))]
pub struct PutPools {
    #[schema(min_items = 1, max_items = 1000)]
    pub pools: Vec<PoolPut>,
}

impl PutPools {
    pub fn into_command(self) -> Result<commands::PutPools, Invalid> {
        let put = |item: PoolPut| {
            let PoolPut { resource, slot, total, overbook, closed, expected_version } = item;
            PutPool { total, overbook, closed, expected_version }.into_command(PoolKey { resource, slot })
        };
        commands::PutPools::new(self.pools.into_iter().map(put).collect::<Result<_, _>>()?)
    }
}

#[wire]
#[schema(example = json!({"total_delta": -1}))]
pub struct AdjustPool {
    /// What the total changes by: deliveries, breakages, rooms out of order.
    #[schema(minimum = -1_000_000_000_000_i64, maximum = 1_000_000_000_000_i64)]
    pub total_delta: i64,
}

/// A pool, and who has how much of it.
#[wire]
pub struct Pool {
    pub resource: ResourceName,
    pub slot: Slot,
    /// What can be claimed now: total + overbook − held − booked − granted, never below zero.
    pub available: i64,
    pub total: i64,
    pub overbook: i64,
    pub held: i64,
    pub booked: i64,
    /// Units lent to a hot path that alone may sell them.
    pub granted: i64,
    /// Units promised that no longer exist, because the total was lowered.
    pub oversold: i64,
    pub closed: bool,
    /// The total is the quantity of goods in a store, and changes by documents only.
    pub tracked: bool,
    /// Goes up by one with every change.
    pub version: i64,
}

impl From<kernel::Pool> for Pool {
    fn from(pool: kernel::Pool) -> Pool {
        Pool {
            available: pool.available(),
            resource: pool.key.resource,
            slot: pool.key.slot,
            total: pool.total,
            overbook: pool.overbook,
            held: pool.held,
            booked: pool.booked,
            granted: pool.granted,
            oversold: pool.oversold,
            closed: pool.closed,
            tracked: pool.tracked,
            version: pool.version,
        }
    }
}

#[wire(page)]
pub struct PoolPage {
    pub pools: Vec<Pool>,
}

/// What is free over a range of nights. Holds that lapsed less than a moment ago may still count as held; placing a
/// hold looks again.
#[wire]
pub struct Availability {
    pub from: Slot,
    /// Not part of the range.
    pub until: Slot,
    pub resources: Vec<ResourceAvailability>,
}

#[wire]
pub struct ResourceAvailability {
    pub resource: ResourceName,
    /// What can be claimed on every night of the range; zero if a night is closed or has no pool.
    pub available_throughout: i64,
    pub slots: Vec<SlotAvailability>,
}

#[wire]
pub struct SlotAvailability {
    pub slot: Slot,
    /// Zero when the pool is closed.
    pub available: i64,
    pub closed: bool,
    pub version: i64,
}

impl Availability {
    /// Pools of the range, in any order; `nights` is how many a resource needs to be there throughout.
    pub fn new(from: Slot, until: Slot, nights: usize, mut pools: Vec<kernel::Pool>) -> Availability {
        pools.sort_by(|a, b| a.key.cmp(&b.key));
        let resources = pools.chunk_by(|a, b| a.key.resource == b.key.resource).map(|pools| {
            let slots: Vec<SlotAvailability> = pools.iter().map(slot_availability).collect();
            let least = slots.iter().map(|slot| slot.available).min().unwrap_or(0);
            let available_throughout = if slots.len() == nights { least } else { 0 };
            ResourceAvailability { resource: pools[0].key.resource.clone(), available_throughout, slots }
        });
        Availability { from, until, resources: resources.collect() }
    }
}

fn slot_availability(pool: &kernel::Pool) -> SlotAvailability {
    let available = if pool.closed { 0 } else { pool.available() };
    SlotAvailability { slot: pool.key.slot, available, closed: pool.closed, version: pool.version }
}
