//! Capacity. A total lowered below what is promised is the truth of the outside world: accepted, and shown as oversold.

use super::super::{Command, Event, Facts, Invalid, Pool, PoolKey, Reads, Refusal, ShortLine, Stop, Tenant, UNITS_MAX};
use super::{Decision, policy};

fn check_units(what: &str, units: i64, units_min: i64) -> Result<(), Invalid> {
    let sane = (units_min..=UNITS_MAX).contains(&units);
    if sane { Ok(()) } else { Err(Invalid::Units { what: what.to_owned(), units, units_min, units_max: UNITS_MAX }) }
}

fn emit_changed(facts: &mut Facts, pool: &Pool, oversold_before: i64) {
    let &Pool { version, total, overbook, granted, closed, .. } = pool;
    facts.emit(&Event::PoolChanged { pool: pool.key.clone(), version, total, overbook, granted, closed });
    if pool.oversold > oversold_before {
        facts.emit(&Event::PoolOversold { pool: pool.key.clone(), oversold: pool.oversold });
    }
}

/// Sets what is given, leaves what is not; creates the pool if it does not exist.
///
/// Refuses, in this order: no such tenant; another version than expected (an absent pool has version 0); no such pool,
/// where no total is given; another total of a pool that is tracked by stock.
#[derive(Clone, Debug)]
pub struct PutPool {
    pool: PoolKey,
    total: Option<i64>,
    overbook: Option<i64>,
    closed: Option<bool>,
    expected_version: Option<i64>,
}

impl PutPool {
    /// Sets the total, whatever it was: the last writer wins.
    pub fn new(pool: PoolKey, total: i64) -> Result<PutPool, Invalid> {
        check_units("total", total, 0)?;
        Ok(PutPool { total: Some(total), ..PutPool::leaving_total(pool) })
    }

    /// Leaves the total of an existing pool alone, so that closing it cannot undo what others delivered meanwhile.
    pub fn leaving_total(pool: PoolKey) -> PutPool {
        PutPool { pool, total: None, overbook: None, closed: None, expected_version: None }
    }

    pub fn overbook(mut self, overbook: i64) -> Result<PutPool, Invalid> {
        check_units("overbook", overbook, 0)?;
        self.overbook = Some(overbook);
        Ok(self)
    }

    #[must_use]
    pub fn closed(mut self, closed: bool) -> PutPool {
        self.closed = Some(closed);
        self
    }

    /// Compare-and-set; zero says that the pool must not exist yet.
    #[must_use]
    pub fn expected_version(mut self, version: i64) -> PutPool {
        self.expected_version = Some(version);
        self
    }
}

impl Command for PutPool {
    const NAME: &'static str = "put_pool";
    type Reply = Pool;
    type Refusal = Refusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Tenant>(&());
        // It is the remedy for a pool that is wrong in the store, and must not find it right already.
        reads.uncached::<Pool>(&self.pool);
    }

    fn decide(&self, facts: &mut Facts) -> Result<Pool, Stop<Refusal>> {
        let put = self.apply(facts)?;
        Ok(put.told(facts))
    }
}

impl PutPool {
    /// As part of another command, which alone knows whether it is a repeat. Tells whether anything changed.
    pub(crate) fn put(&self, facts: &mut Facts) -> Decision<(Pool, bool)> {
        let Put { pool, changed } = self.apply(facts)?;
        Ok((pool, changed))
    }

    fn apply(&self, facts: &mut Facts) -> Decision<Put> {
        policy(facts)?;
        let existing = facts.get::<Pool>(&self.pool)?.cloned();
        let version = existing.as_ref().map_or(0, |pool| pool.version);
        if self.expected_version.is_some_and(|expected| expected != version) {
            return Err(Refusal::PoolVersion { pools: [self.pool.clone()], version }.into());
        }
        if existing.is_none() && self.total.is_none() {
            return Err(Refusal::PoolNotFound { pools: vec![self.pool.clone()] }.into());
        }
        let before = existing.unwrap_or_else(|| Pool::new(self.pool.clone()));
        require_own_total(&before, self.total.unwrap_or(before.total))?;
        let mut after = before.clone();
        after.set_capacity(self.total.unwrap_or(before.total), self.overbook.unwrap_or(before.overbook));
        after.closed = self.closed.unwrap_or(before.closed);
        put_back(facts, &before, after)
    }
}

/// No request puts more pools at once.
pub const POOLS_PER_PUT_MAX: usize = 1_000;

/// Puts many pools, all or none of them.
///
/// Refuses as [`PutPool`] does, for the first pool that is refused.
#[derive(Clone, Debug)]
pub struct PutPools {
    puts: Vec<PutPool>,
}

impl PutPools {
    /// 1 to 1,000 pools, each once.
    pub fn new(puts: Vec<PutPool>) -> Result<PutPools, Invalid> {
        if !(1..=POOLS_PER_PUT_MAX).contains(&puts.len()) {
            let what = "pools".to_owned();
            return Err(Invalid::ItemCount { what, items: puts.len(), items_max: POOLS_PER_PUT_MAX });
        }
        let mut pools: Vec<&PoolKey> = puts.iter().map(|put| &put.pool).collect();
        pools.sort();
        if let Some(twice) = pools.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Invalid::PoolTwice { pool: twice[0].clone() });
        }
        Ok(PutPools { puts })
    }
}

impl Command for PutPools {
    const NAME: &'static str = "put_pools";
    type Reply = Vec<Pool>;
    type Refusal = Refusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        for put in &self.puts {
            put.reads(reads);
        }
    }

    fn decide(&self, facts: &mut Facts) -> Result<Vec<Pool>, Stop<Refusal>> {
        facts.require::<Pool>(self.puts.iter().map(|put| &put.pool))?;
        let puts: Vec<Put> = self.puts.iter().map(|put| put.apply(facts)).collect::<Decision<_>>()?;
        if puts.iter().all(|put| !put.changed) {
            facts.mark_replayed();
        }
        Ok(puts.into_iter().map(|put| put.pool).collect())
    }
}

/// A pool as it is now, and whether the command made it so.
struct Put {
    pool: Pool,
    changed: bool,
}

impl Put {
    /// What is as it was is a repeat.
    fn told(self, facts: &mut Facts) -> Pool {
        if !self.changed {
            facts.mark_replayed();
        }
        self.pool
    }
}

/// Writes the pool, new or changed.
fn put_back(facts: &mut Facts, before: &Pool, after: Pool) -> Decision<Put> {
    let exists = before.version > 0;
    if exists && *before == after {
        return Ok(Put { pool: after, changed: false });
    }
    let after = if exists {
        let pool = facts.get_mut::<Pool>(&after.key)?.expect("read before");
        *pool = Pool { version: pool.version, ..after };
        pool.clone()
    } else {
        facts.insert(after).clone()
    };
    emit_changed(facts, &after, before.oversold);
    Ok(Put { pool: after, changed: true })
}

/// Changes the total by a difference: deliveries, breakages, rooms out of order.
///
/// Refuses, in this order: no such tenant; no such pool; tracked by stock; a total below zero or beyond the largest.
#[derive(Clone, Debug)]
pub struct AdjustPool {
    pool: PoolKey,
    total_delta: i64,
}

impl AdjustPool {
    pub fn new(pool: PoolKey, total_delta: i64) -> Result<AdjustPool, Invalid> {
        check_units("total_delta", total_delta, UNITS_MAX.strict_neg())?;
        Ok(AdjustPool { pool, total_delta })
    }
}

impl Command for AdjustPool {
    const NAME: &'static str = "adjust_pool";
    type Reply = Pool;
    type Refusal = Refusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Tenant>(&());
        reads.record::<Pool>(&self.pool);
    }

    fn decide(&self, facts: &mut Facts) -> Result<Pool, Stop<Refusal>> {
        policy(facts)?;
        let before = known_pool(facts, &self.pool)?;
        let total = before.total.strict_add(self.total_delta);
        require_own_total(&before, total)?;
        if !(0..=UNITS_MAX).contains(&total) {
            return Err(Refusal::TotalOutOfRange { pools: [self.pool.clone()], total }.into());
        }
        let mut after = before.clone();
        after.set_capacity(total, before.overbook);
        Ok(put_back(facts, &before, after)?.told(facts))
    }
}

/// The total of a tracked pool is what a ledger says.
fn require_own_total(pool: &Pool, total: i64) -> Decision<()> {
    if pool.tracked && total != pool.total {
        return Err(Refusal::TrackedByStock { pools: vec![pool.key.clone()] }.into());
    }
    Ok(())
}

/// The one way in which the total of a tracked pool changes, and in which a pool becomes one. What is promised beyond it
/// is the truth of the outside world, as with any pool.
pub(crate) fn set_tracked_total(facts: &mut Facts, key: &PoolKey, total: i64) -> Decision<Pool> {
    let known = facts.get::<Pool>(key)?.cloned();
    let before = known.unwrap_or_else(|| Pool::new(key.clone()));
    let mut after = Pool { tracked: true, ..before.clone() };
    after.set_capacity(total, before.overbook);
    Ok(put_back(facts, &before, after)?.pool)
}

fn known_pool(facts: &mut Facts, key: &PoolKey) -> Decision<Pool> {
    let pool = facts.get::<Pool>(key)?.cloned();
    Ok(pool.ok_or_else(|| Refusal::PoolNotFound { pools: vec![key.clone()] })?)
}

/// Lends units to a hot path, or takes them back.
///
/// Refuses, in this order: no such tenant; no such pool; more taken back than granted; closed; fewer available.
#[derive(Clone, Debug)]
pub struct GrantUnits {
    pool: PoolKey,
    units_delta: i64,
}

impl GrantUnits {
    pub fn new(pool: PoolKey, units_delta: i64) -> Result<GrantUnits, Invalid> {
        check_units("units_delta", units_delta, UNITS_MAX.strict_neg())?;
        Ok(GrantUnits { pool, units_delta })
    }
}

impl Command for GrantUnits {
    const NAME: &'static str = "grant_units";
    type Reply = Pool;
    type Refusal = Refusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Tenant>(&());
        reads.record::<Pool>(&self.pool);
    }

    fn decide(&self, facts: &mut Facts) -> Result<Pool, Stop<Refusal>> {
        policy(facts)?;
        let before = known_pool(facts, &self.pool)?;
        if before.granted.strict_add(self.units_delta) < 0 {
            return Err(Refusal::GrantExceeded { pools: [before.key], max: before.granted }.into());
        }
        if self.units_delta > 0 && before.closed {
            return Err(Refusal::PoolClosed { pools: vec![before.key] }.into());
        }
        let (wanted, available) = (self.units_delta, before.available());
        if wanted > available {
            facts.require_no_lapsed_holds()?;
            return Err(Refusal::SoldOut { lines: vec![ShortLine::new(before.key, wanted, available)] }.into());
        }
        let mut after = before.clone();
        after.change_granted(self.units_delta);
        Ok(put_back(facts, &before, after)?.told(facts))
    }
}
