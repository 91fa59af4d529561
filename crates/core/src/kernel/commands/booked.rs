//! What can still happen to booked units: they are given back, or moved to other pools.
//! Neither is recognisable as a repeat by itself: send them under an idempotency key.

use super::super::{
    Command, ConvertMode, Event, Facts, Hold, HoldId, Kept, Lines, Pool, PoolKey, Reads, Refusal, Stop,
};
use super::{
    Decision, HoldReply, change_pool, change_pools, hold, require_available, require_open_pools, require_pools,
    update_hold,
};

fn booked_lines(hold: &Hold) -> Decision<Lines> {
    match &hold.kept {
        Some(Kept { mode: ConvertMode::Book, lines, .. }) if !lines.is_empty() => Ok(lines.clone()),
        Some(_) | None => Err(Refusal::NothingBooked.into()),
    }
}

fn require_within(booked: &Lines, lines: &Lines) -> Decision<()> {
    let exceeding = booked.exceeded_by(lines);
    if exceeding.is_empty() { Ok(()) } else { Err(Refusal::LinesExceedHold { pools: exceeding }.into()) }
}

fn set_booked(facts: &mut Facts, id: HoldId, lines: Lines) -> Decision<Hold> {
    update_hold(facts, id, |hold| {
        if let Some(kept) = &mut hold.kept {
            kept.lines = lines;
        }
    })
}

/// Gives booked units back: all of them, or a part.
///
/// Refuses, in this order: no such hold; nothing booked; more than is booked.
#[derive(Clone, Debug)]
pub struct GiveBack {
    pub id: HoldId,
    pub part: Option<Lines>,
}

impl Command for GiveBack {
    const NAME: &'static str = "give_back";
    type Reply = HoldReply;
    type Refusal = Refusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Hold>(&self.id);
        for pool in self.part.iter().flat_map(Lines::pools) {
            reads.record::<Pool>(pool);
        }
    }

    fn decide(&self, facts: &mut Facts) -> Result<HoldReply, Stop<Refusal>> {
        let booked = booked_lines(&hold(facts, self.id)?)?;
        let lines = self.part.clone().unwrap_or_else(|| booked.clone());
        require_within(&booked, &lines)?;
        require_pools(facts, &lines)?;
        let versions = change_pools(facts, &lines, |pool, units| pool.change_booked(units.strict_neg()))?;
        let hold = set_booked(facts, self.id, booked.changed_by(Some(&lines), None))?;
        facts.emit(&Event::BookedGivenBack { hold: self.id, lines, versions: versions.clone() });
        Ok(HoldReply { hold, pool_versions: versions })
    }
}

/// Moves booked units: new minus old, atomically, so that a pool on both sides only needs the difference.
///
/// Refuses, in this order: no such hold; nothing booked; more than is booked; a result beyond what a hold may have;
/// target pools that do not exist; pools that would gain and are closed; every pool that is short of the difference.
#[derive(Clone, Debug)]
pub struct MoveBooked {
    pub id: HoldId,
    pub from: Lines,
    pub to: Lines,
}

impl Command for MoveBooked {
    const NAME: &'static str = "move_booked";
    type Reply = HoldReply;
    type Refusal = Refusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Hold>(&self.id);
        for pool in self.from.pools().chain(self.to.pools()) {
            reads.record::<Pool>(pool);
        }
    }

    fn decide(&self, facts: &mut Facts) -> Result<HoldReply, Stop<Refusal>> {
        let before = hold(facts, self.id)?;
        let booked = booked_lines(&before)?;
        require_within(&booked, &self.from)?;
        let moved = booked.changed_by(Some(&self.from), Some(&self.to));
        let moved = Lines::new(moved.to_vec()).map_err(Refusal::from)?;
        require_pools(facts, &self.from)?;
        let differences = self.differences();
        let gains = |pool: &PoolKey| self.to.quantity_of(pool) > self.from.quantity_of(pool);
        require_open_pools(facts, &self.to, gains)?;
        if differences.is_empty() {
            facts.mark_replayed();
            return Ok(HoldReply { hold: before, pool_versions: Vec::new() });
        }
        let claims = differences.iter().filter(|(_, units)| *units > 0);
        require_available(facts, claims.map(|(pool, units)| (pool, *units)))?;

        let mut versions = Vec::with_capacity(differences.len());
        for (key, units) in &differences {
            versions.push(change_pool(facts, key, |pool| pool.change_booked(*units))?);
        }
        let hold = set_booked(facts, self.id, moved)?;
        let pools = differences.into_iter().map(|(pool, _)| pool).collect();
        let (from, to) = (self.from.clone(), self.to.clone());
        facts.emit(&Event::BookedMoved { hold: self.id, from, to, pools, versions: versions.clone() });
        Ok(HoldReply { hold, pool_versions: versions })
    }
}

impl MoveBooked {
    /// Per pool, what changes; sorted, without those where nothing does.
    fn differences(&self) -> Vec<(PoolKey, i64)> {
        let mut pools: Vec<&PoolKey> = self.from.pools().chain(self.to.pools()).collect();
        pools.sort();
        pools.dedup();
        let difference = |pool: &PoolKey| self.to.quantity_of(pool).strict_sub(self.from.quantity_of(pool));
        let differences = pools.into_iter().map(|pool| (pool.clone(), difference(pool)));
        differences.filter(|(_, units)| *units != 0).collect()
    }
}
