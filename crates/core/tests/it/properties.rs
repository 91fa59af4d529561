//! Random sequences. `World` audits every step; what remains to be asked here is asked of the whole.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use surehold_core::kernel::{Event, PoolKey};

use crate::codec;
use crate::workload::{Outcome, Workload, actions};
use crate::world::World;

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(768))]

    /// Never oversold by a claim, never anything lost or done twice, every change in the journal: see `audit`.
    #[test]
    fn any_sequence_keeps_the_promises(actions in actions()) {
        let mut workload = Workload::new();
        for action in &actions {
            workload.act(action);
        }
        check_journal(&workload.world);
        codec::check_records(workload.world.state());
    }
}

proptest! {
    #![proptest_config(config(64))]

    /// The same commands at the same instants decide the same: nothing hangs on memory layout or hash order.
    #[test]
    fn any_sequence_is_repeatable(actions in actions()) {
        let (mut one, mut two) = (Workload::new(), Workload::new());
        for action in &actions {
            let (first, second) = (one.act(action), two.act(action));
            prop_assert_eq!(format!("{first:?}"), format!("{second:?}"));
        }
        prop_assert_eq!(one.world.journal(), two.world.journal());
        prop_assert_eq!(one.world.dump(), two.world.dump());
    }
}

/// The versions of each pool, as the journal tells them: from one to the present, none left out.
fn check_journal(world: &World) {
    let mut versions: BTreeMap<&PoolKey, Vec<i64>> = BTreeMap::new();
    for event in world.journal() {
        for (pool, version) in pool_versions(world, event) {
            versions.entry(pool).or_default().push(version);
        }
    }
    for (key, pool) in &world.state().pools {
        let mut told = versions.remove(key).unwrap();
        assert!(told.is_sorted(), "{key} never goes back: {told:?}");
        // Several holds that expire in one sweep share its version.
        told.dedup();
        assert_eq!(told, (1..=pool.version).collect::<Vec<_>>(), "{key}");
    }
    assert_eq!(versions, BTreeMap::new(), "the journal tells of pools that exist");
}

fn pool_versions<'a>(world: &'a World, event: &'a Event) -> Vec<(&'a PoolKey, i64)> {
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
        | Event::HoldExtended { .. } => Vec::new(),
        Event::PoolChanged { pool, version, .. } => vec![(pool, *version)],
        Event::HoldPlaced { hold, versions }
        | Event::HoldCancelled { hold, versions }
        | Event::HoldExpired { hold, versions }
        | Event::HoldConverted { hold, versions, .. } => {
            world.state().holds[hold].lines.pools().zip(versions.iter().copied()).collect()
        }
        Event::BookedGivenBack { lines, versions, .. } => lines.pools().zip(versions.iter().copied()).collect(),
        Event::BookedMoved { pools, versions, .. } => pools.iter().zip(versions.iter().copied()).collect(),
    }
}

/// A workload that only ever gets refused proves nothing.
#[test]
fn the_workload_reaches_every_outcome() {
    let mut runner = TestRunner::deterministic();
    let mut reached = BTreeSet::new();
    for _ in 0..400 {
        let mut workload = Workload::new();
        for action in actions().new_tree(&mut runner).unwrap().current() {
            let outcome = workload.act(&action);
            reached.insert(format!("{} {}", variant(&action), outcome_word(&outcome)));
        }
    }
    let missing: Vec<&str> = OUTCOMES.lines().map(str::trim).filter(|line| !reached.contains(*line)).collect();
    assert_eq!(missing, [""; 0], "reached: {reached:#?}");
}

const OUTCOMES: &str = "Put Done
    Put Replayed
    Put PoolVersion
    Adjust Done
    Adjust PoolNotFound
    Adjust TotalOutOfRange
    Grant Done
    Grant PoolNotFound
    Grant GrantExceeded
    Grant PoolClosed
    Grant SoldOut
    SetPolicy Done
    Place Done
    Place LifetimeTooLong
    Place PoolNotFound
    Place PoolClosed
    Place OwnerHoldsLimit
    Place OwnerLifetimeLimit
    Place SoldOut
    PlaceAgain Replayed
    Extend Done
    Extend Replayed
    Extend HoldEnded
    Extend LifetimeTooLong
    Extend OwnerLifetimeLimit
    Cancel Done
    Cancel Replayed
    Cancel HoldEnded
    Expire Done
    Expire Replayed
    Expire HoldEnded
    Expire HoldNotDue
    Sweep Done
    Convert Done
    Convert Replayed
    Convert HoldEnded
    Convert LinesExceedHold
    Convert TotalOutOfRange
    GiveBack Done
    GiveBack NothingBooked
    GiveBack LinesExceedHold
    Move Done
    Move NothingBooked
    Move LinesExceedHold
    Move PoolNotFound
    Move PoolClosed
    Move SoldOut";

fn outcome_word(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Refused(refusal) => variant(refusal),
        Outcome::Done | Outcome::Replayed | Outcome::Idle => variant(outcome),
    }
}

fn variant(value: &impl Debug) -> String {
    format!("{value:?}").split(' ').next().unwrap().to_owned()
}
