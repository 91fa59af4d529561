//! What must be true after every command, whichever it was. Rebuilds the pools from the journal with arithmetic of its
//! own, so that an error of the domain does not repeat itself here.

use std::collections::BTreeMap;

use surehold_core::kernel::{ConvertMode, Event, Hold, HoldState, Kept, Line, OwnerName, Pool, PoolKey};

use crate::state::State;

/// A command changed something: the events must say all of it.
pub(crate) fn check_step(before: &State, events: &[Event], after: &State) {
    let mut ledger = Ledger { before, after, pools: before.pools.clone() };
    for event in events {
        ledger.post(event);
    }
    for pool in ledger.pools.values_mut() {
        pool.oversold = oversold(pool);
    }
    assert_eq!(ledger.pools, after.pools, "the events explain the pools");
    check_hold_versions(before, events, after);
    check_oversold_events(before, events, after);
    check_invariants(after);
}

fn promised(pool: &Pool) -> i64 {
    pool.held + pool.booked + pool.granted
}

fn capacity(pool: &Pool) -> i64 {
    pool.total + pool.overbook
}

fn oversold(pool: &Pool) -> i64 {
    (promised(pool) - capacity(pool)).max(0)
}

struct Ledger<'a> {
    before: &'a State,
    after: &'a State,
    pools: BTreeMap<PoolKey, Pool>,
}

impl Ledger<'_> {
    fn post(&mut self, event: &Event) {
        match event {
            Event::SlugClaimed { .. }
            | Event::TenantCreated { .. }
            | Event::PolicyChanged { .. }
            | Event::KeyCreated { .. }
            | Event::KeyRotated { .. }
            | Event::KeyRevoked { .. }
            | Event::JournalTrimmed { .. }
            | surehold_core::module_event!()
            | Event::PoolOversold { .. }
            | Event::HoldExtended { .. } => {}
            Event::PoolChanged { pool, version, total, overbook, granted, closed } => {
                self.pools.entry(pool.clone()).or_insert_with(|| Pool::new(pool.clone()));
                let pool = self.step(pool, *version);
                (pool.total, pool.overbook, pool.granted, pool.closed) = (*total, *overbook, *granted, *closed);
            }
            Event::HoldPlaced { hold, versions } => {
                self.post_lines(&self.after.holds[hold].lines, versions, |pool, line| pool.held += line.quantity);
            }
            Event::HoldCancelled { hold, versions } | Event::HoldExpired { hold, versions } => {
                self.post_lines(&self.after.holds[hold].lines, versions, |pool, line| pool.held -= line.quantity);
            }
            Event::HoldConverted { hold, mode, kept, versions } => {
                self.post_lines(&self.after.holds[hold].lines, versions, |pool, line| {
                    pool.held -= line.quantity;
                    match mode {
                        ConvertMode::Book => pool.booked += kept.quantity_of(&line.pool),
                        ConvertMode::Consume => pool.total -= kept.quantity_of(&line.pool),
                    }
                });
            }
            Event::BookedGivenBack { hold: _, lines, versions } => {
                self.post_lines(lines, versions, |pool, line| pool.booked -= line.quantity);
            }
            Event::BookedMoved { hold: _, from, to, pools, versions } => {
                for (key, version) in zip_exact(pools, versions) {
                    self.step(key, *version);
                }
                from.iter().for_each(|line| self.pools.get_mut(&line.pool).unwrap().booked -= line.quantity);
                to.iter().for_each(|line| self.pools.get_mut(&line.pool).unwrap().booked += line.quantity);
            }
        }
    }

    fn post_lines(&mut self, lines: &[Line], versions: &[i64], change: impl Fn(&mut Pool, &Line)) {
        for (line, version) in zip_exact(lines, versions) {
            change(self.step(&line.pool, *version), line);
        }
    }

    /// One command moves the version of a pool by one, however many of its events name the pool.
    fn step(&mut self, key: &PoolKey, version: i64) -> &mut Pool {
        let version_before = self.before.pools.get(key).map_or(0, |pool| pool.version);
        assert_eq!(version, version_before + 1, "the next version of {key}");
        let pool = self.pools.get_mut(key).expect("events name pools that exist");
        pool.version = version;
        pool
    }
}

fn zip_exact<'a, A, B>(left: &'a [A], right: &'a [B]) -> impl Iterator<Item = (&'a A, &'a B)> {
    assert_eq!(left.len(), right.len(), "a version for each line");
    left.iter().zip(right)
}

fn check_hold_versions(before: &State, events: &[Event], after: &State) {
    for (id, hold) in &after.holds {
        let named = events.iter().filter_map(hold_of).filter(|named| *named == id).count();
        let version_before = before.holds.get(id).map_or(0, |hold| hold.version);
        assert!(named <= 1, "one event per hold and command");
        assert_eq!(hold.version, version_before + i64::try_from(named).unwrap(), "the version of {id}");
    }
}

fn hold_of(event: &Event) -> Option<&surehold_core::kernel::HoldId> {
    match event {
        Event::SlugClaimed { .. }
        | Event::TenantCreated { .. }
        | Event::PolicyChanged { .. }
        | Event::KeyCreated { .. }
        | Event::KeyRotated { .. }
        | Event::KeyRevoked { .. }
        | Event::JournalTrimmed { .. }
        | surehold_core::module_event!()
        | Event::PoolChanged { .. }
        | Event::PoolOversold { .. } => None,
        Event::HoldPlaced { hold, .. }
        | Event::HoldExtended { hold, .. }
        | Event::HoldCancelled { hold, .. }
        | Event::HoldExpired { hold, .. }
        | Event::HoldConverted { hold, .. }
        | Event::BookedGivenBack { hold, .. }
        | Event::BookedMoved { hold, .. } => Some(hold),
    }
}

/// Only a lowered capacity oversells, and it says so.
fn check_oversold_events(before: &State, events: &[Event], after: &State) {
    for (key, pool) in &after.pools {
        let earlier = before.pools.get(key).cloned().unwrap_or_else(|| Pool::new(key.clone()));
        let expected = (pool.oversold > earlier.oversold)
            .then(|| Event::PoolOversold { pool: key.clone(), oversold: pool.oversold });
        let said = events.iter().find(|event| matches!(event, Event::PoolOversold { pool, .. } if pool == key));
        assert_eq!(said, expected.as_ref(), "{key} tells what it lacks");
        if expected.is_some() {
            assert!(capacity(pool) < capacity(&earlier), "claims never oversell {key}");
            assert_eq!(promised(pool), promised(&earlier), "{key} was not claimed while it was lowered");
        }
    }
}

fn check_invariants(state: &State) {
    for (key, pool) in &state.pools {
        for units in [pool.total, pool.overbook, pool.held, pool.booked, pool.granted, pool.oversold] {
            assert!(units >= 0, "{pool:?}");
        }
        assert!(promised(pool) <= capacity(pool) + pool.oversold, "{pool:?}");
        assert_eq!(pool.available(), (capacity(pool) - promised(pool)).max(0), "{pool:?}");
        assert_eq!(pool.held, state.holds.values().map(|hold| held_units(hold, key)).sum::<i64>(), "held of {key}");
        assert_eq!(
            pool.booked,
            state.holds.values().map(|hold| booked_units(hold, key)).sum::<i64>(),
            "booked of {key}"
        );
    }
    for hold in state.holds.values() {
        assert_eq!(hold.ended_at.is_some(), hold.state != HoldState::Active, "{hold:?}");
        assert_eq!(hold.kept.is_some(), hold.state == HoldState::Converted, "{hold:?}");
        assert!(hold.placed_at < hold.expires_at, "{hold:?}");
        let ended_by_expiry = hold.ended_at.is_some_and(|ended_at| hold.expires_at <= ended_at);
        assert_eq!(ended_by_expiry, hold.state == HoldState::Expired, "{hold:?}");
    }
    let counted = state.owners.iter().map(|(name, owner)| (name.clone(), (owner.holds, owner.lifetime_secs)));
    assert_eq!(counted.collect::<BTreeMap<_, _>>(), owners(state), "what owners hold");
}

fn held_units(hold: &Hold, key: &PoolKey) -> i64 {
    if hold.state == HoldState::Active { hold.lines.quantity_of(key) } else { 0 }
}

fn booked_units(hold: &Hold, key: &PoolKey) -> i64 {
    match &hold.kept {
        Some(Kept { mode: ConvertMode::Book, lines, .. }) => lines.quantity_of(key),
        Some(Kept { mode: ConvertMode::Consume, .. }) | None => 0,
    }
}

/// Active holds and their lifetimes in started seconds, counted afresh.
fn owners(state: &State) -> BTreeMap<OwnerName, (i64, i64)> {
    let mut owners = BTreeMap::new();
    for hold in state.holds.values().filter(|hold| hold.state == HoldState::Active) {
        if let Some(name) = &hold.owner {
            let (holds, secs) = owners.entry(name.clone()).or_insert((0, 0));
            let micros = hold.expires_at.micros() - hold.placed_at.micros();
            *holds += 1;
            *secs += (micros + 999_999) / 1_000_000;
        }
    }
    owners
}
