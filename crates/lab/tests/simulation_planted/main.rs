//! Planted bugs, and how many seeds the simulation needs to find each. Its judges are built with the bug too, as they
//! would be with one that nobody planted.

use std::time::Instant;

use surehold_core::sabotage::{Sabotage, plant};
use surehold_lab::simulation::hunt;

/// Each is found within so many.
const SEEDS_MAX: u64 = 400;
/// Without a bug these find nothing. Thousands more are in the test of the simulation itself.
const SEEDS_WITHOUT: u64 = 20;

const FOUND: &[Sabotage] = &[
    Sabotage::GuardRemoved,
    Sabotage::ExpiryNotHalfOpen,
    Sabotage::VersionUnchecked,
    Sabotage::ReplyBeforeCommit,
    Sabotage::RefusedLeaks,
    Sabotage::KeyOutsideTransaction,
    Sabotage::LeaseTokenUnchecked,
    Sabotage::EarlyTaskBurnsId,
    Sabotage::UnknownCommitIsFailure,
    Sabotage::SweepFreesTwice,
    Sabotage::PartialConvertLosesRest,
    Sabotage::NeighboursRolledBack,
    Sabotage::CancelledThenConverted,
    Sabotage::FirstLineOnly,
    Sabotage::DoubtSentAgain,
    Sabotage::KeyReuseUnnoticed,
    Sabotage::LapsedHoldsBlock,
    Sabotage::TimeGoesBack,
];

/// What one process on SQLite in memory does not have.
const OUT_OF_REACH: &[(Sabotage, &str)] = &[
    (Sabotage::TurnNotTaken, "turns are taken on Postgres"),
    (Sabotage::LostUpdate, "two nodes write on Postgres"),
    (Sabotage::NodeClockDecides, "a node has a clock beside the store's on Postgres"),
    (Sabotage::EventMissed, "events are read over HTTP"),
    (Sabotage::ForeignTenantServed, "addresses are served over HTTP"),
    (Sabotage::CommitUnsynced, "memory has no disk that loses its power"),
];

/// Dug out again, and panics are loud again, however it ends.
struct Planted;

impl Planted {
    fn plant(sabotage: Sabotage) -> Planted {
        // Commands with a bug in them panic by the dozen; the engine answers for them.
        std::panic::set_hook(Box::new(|_| {}));
        plant(Some(sabotage));
        Planted
    }
}

impl Drop for Planted {
    fn drop(&mut self) {
        plant(None);
        if !std::thread::panicking() {
            drop(std::panic::take_hook());
        }
    }
}

/// One after the other: a bug is planted in the whole process.
#[test]
fn planted_bugs_are_found() {
    assert_eq!(hunt(0..SEEDS_WITHOUT), None, "without a bug all is well");
    let mut missed = Vec::new();
    for sabotage in FOUND {
        let planted = Planted::plant(*sabotage);
        let begun = Instant::now();
        let found = hunt(0..SEEDS_MAX);
        drop(planted);
        let (name, millis) = (sabotage.name(), begun.elapsed().as_millis());
        let Some((seed, violations)) = found else {
            eprintln!("{name}: not in {SEEDS_MAX} seeds and {millis} ms");
            missed.push(name);
            continue;
        };
        let first: String = violations[0].chars().take(160).collect();
        eprintln!("{name}: seed {seed}, after {} seeds and {millis} ms: {first}", seed + 1);
    }
    assert!(missed.is_empty(), "not found: {missed:?}");
}

#[test]
fn each_is_found_or_out_of_reach() {
    for sabotage in Sabotage::ALL {
        let out_of_reach = OUT_OF_REACH.iter().map(|(sabotage, _)| sabotage);
        let times = FOUND.iter().chain(out_of_reach).filter(|listed| **listed == sabotage).count();
        assert_eq!(times, 1, "`{}`", sabotage.name());
    }
}
