//! What must be true of everything that is stored about a tenant, whatever was asked of it.

use std::collections::BTreeMap;

use surehold_core::kernel::{
    ConvertMode, Event, Hold, HoldId, HoldState, Kept, Lines, Owner, OwnerName, Pool, PoolKey,
};
use surehold_core::repairs::{RepairedThing, RepairsEvent};

use super::world::Dump;

pub(crate) fn check(dump: &Dump) {
    check_places(dump);
    check_counters(dump);
    check_owners(dump);
    check_pool_versions(dump);
    check_fates(dump);
}

pub(crate) fn events(dump: &Dump) -> impl Iterator<Item = &Event> {
    dump.journal.iter().flat_map(|row| &row.events)
}

/// Gapless from one on, and time never goes back.
fn check_places(dump: &Dump) {
    for (place, row) in (1..).zip(&dump.journal) {
        assert_eq!(row.seq, place, "the journal has no gaps");
    }
    assert!(dump.journal.is_sorted_by_key(|row| row.at), "time goes back in {:?}", dump.journal);
}

/// A pool's counters are the sum of what holds say, and nothing beyond its capacity is promised unless it is oversold.
fn check_counters(dump: &Dump) {
    for pool in &dump.pools {
        let sum = |lines: fn(&Hold) -> Option<&Lines>| {
            dump.holds.iter().filter_map(lines).map(|lines| lines.quantity_of(&pool.key)).sum::<i64>()
        };
        assert_eq!(pool.held, sum(|hold| (hold.state == HoldState::Active).then_some(&hold.lines)), "{pool:?}");
        assert_eq!(pool.booked, sum(booked_lines), "{pool:?}");
        let promised = pool.held + pool.booked + pool.granted;
        assert_eq!(pool.oversold, (promised - pool.total - pool.overbook).max(0), "{pool:?}");
    }
}

fn booked_lines(hold: &Hold) -> Option<&Lines> {
    match &hold.kept {
        Some(Kept { mode: ConvertMode::Book, lines, .. }) => Some(lines),
        Some(Kept { mode: ConvertMode::Consume, .. }) | None => None,
    }
}

fn check_owners(dump: &Dump) {
    let mut expected: BTreeMap<&OwnerName, (i64, i64)> = BTreeMap::new();
    for hold in dump.holds.iter().filter(|hold| hold.state == HoldState::Active) {
        if let Some(owner) = &hold.owner {
            let (holds, secs) = expected.entry(owner).or_default();
            *holds += 1;
            *secs += hold.expires_at.secs_since(hold.placed_at);
        }
    }
    let found = dump.owners.iter().map(|Owner { name, holds, lifetime_secs, .. }| (name, (*holds, *lifetime_secs)));
    assert_eq!(found.collect::<BTreeMap<_, _>>(), expected);
}

/// The versions of each pool, as the journal tells them: from one to the present, none left out.
fn check_pool_versions(dump: &Dump) {
    let mut told: BTreeMap<&PoolKey, Vec<i64>> = BTreeMap::new();
    for event in events(dump) {
        for (pool, version) in pool_versions(dump, event) {
            told.entry(pool).or_default().push(version);
        }
    }
    for Pool { key, version, .. } in &dump.pools {
        let mut versions = told.remove(key).unwrap_or_default();
        assert!(versions.is_sorted(), "{key} never goes back: {versions:?}");
        // Several holds that expire in one sweep share its version.
        versions.dedup();
        assert!(versions.iter().copied().eq(1..=*version), "{key} at {version}: {versions:?}");
    }
    assert_eq!(told, BTreeMap::new(), "the journal tells of pools that exist");
}

fn pool_versions<'a>(dump: &'a Dump, event: &'a Event) -> Vec<(&'a PoolKey, i64)> {
    match event {
        Event::PoolChanged { pool, version, .. }
        | Event::Repaired(RepairsEvent::Repaired { repaired: RepairedThing::Pool { pool, version, .. }, .. }) => {
            vec![(pool, *version)]
        }
        Event::SlugClaimed { .. }
        | Event::TenantCreated { .. }
        | Event::PolicyChanged { .. }
        | Event::KeyCreated { .. }
        | Event::KeyRotated { .. }
        | Event::KeyRevoked { .. }
        | Event::JournalTrimmed { .. }
        | Event::PoolOversold { .. }
        | Event::HoldExtended { .. }
        | surehold_core::module_event!() => Vec::new(),
        Event::HoldPlaced { hold, versions }
        | Event::HoldCancelled { hold, versions }
        | Event::HoldExpired { hold, versions }
        | Event::HoldConverted { hold, versions, .. } => {
            let hold = dump.hold(*hold).unwrap_or_else(|| panic!("the journal tells of hold {hold}"));
            assert_eq!(hold.lines.len(), versions.len());
            hold.lines.pools().zip(versions.iter().copied()).collect()
        }
        Event::BookedGivenBack { lines, versions, .. } => lines.pools().zip(versions.iter().copied()).collect(),
        Event::BookedMoved { pools, versions, .. } => pools.iter().zip(versions.iter().copied()).collect(),
    }
}

/// Every hold was placed once, and ended once or not at all.
fn check_fates(dump: &Dump) {
    let mut fates: BTreeMap<HoldId, Vec<HoldState>> = BTreeMap::new();
    for event in events(dump) {
        let (hold, state) = match event {
            Event::HoldPlaced { hold, .. } => (hold, HoldState::Active),
            Event::HoldCancelled { hold, .. } => (hold, HoldState::Cancelled),
            Event::HoldExpired { hold, .. } => (hold, HoldState::Expired),
            Event::HoldConverted { hold, .. } => (hold, HoldState::Converted),
            Event::SlugClaimed { .. }
            | Event::TenantCreated { .. }
            | Event::PolicyChanged { .. }
            | Event::KeyCreated { .. }
            | Event::KeyRotated { .. }
            | Event::KeyRevoked { .. }
            | Event::JournalTrimmed { .. }
            | Event::PoolChanged { .. }
            | Event::PoolOversold { .. }
            | Event::HoldExtended { .. }
            | Event::BookedGivenBack { .. }
            | Event::BookedMoved { .. }
            | surehold_core::module_event!() => continue,
        };
        fates.entry(*hold).or_default().push(state);
    }
    for hold in &dump.holds {
        let fate = fates.remove(&hold.id).unwrap_or_default();
        match hold.state {
            HoldState::Active => assert_eq!(fate, [HoldState::Active], "{hold:?}"),
            ended => assert_eq!(fate, [HoldState::Active, ended], "{hold:?}"),
        }
    }
    assert!(fates.is_empty(), "the journal tells of holds that exist: {fates:?}");
}
