//! Planted bugs, and how many seeds the simulation needs to find each. Its judges are built with the bug too, as they
//! would be with one that nobody planted.

use std::ops::ControlFlow;
use std::time::Instant;

use surehold_core::sabotage::{Sabotage, plant};
use surehold_lab::simulation::{hunt, run_seeds};

/// Each is found within so many.
const SEEDS_MAX: u64 = 400;
/// Without a bug these find nothing. Thousands more are in the test of the simulation itself.
const SEEDS_WITHOUT: u64 = 20;
const OTHERS_MAX: usize = 10;
/// Says nothing about the bug.
const BROKE: &str = "the simulation itself broke";

/// What has to be said of each: something about the bug, not only that something is wrong.
const FOUND: &[(Sabotage, &[&str])] = &[
    (Sabotage::GuardRemoved, &["was sold beyond its capacity", "a defect"]),
    (Sabotage::ExpiryNotHalfOpen, &[", when it was "]),
    (
        Sabotage::VersionUnchecked,
        &[
            "succeeded ",
            "confirmed effects",
            "charged twice",
            " notes",
            "goes from version",
            "stored is ",
            "no request explains",
            "never so",
        ],
    ),
    (Sabotage::ReplyBeforeCommit, &["never so", "was kept and is not there"]),
    (Sabotage::RefusedLeaks, &["counts ", "pools are ", "owners are counted", "stored is ", "goes from version"]),
    (Sabotage::KeyOutsideTransaction, &["is not kept", "never so", "no request explains"]),
    (Sabotage::LeaseTokenUnchecked, &["succeeded ", "confirmed effects", "charged twice", " notes", "effect-token"]),
    (Sabotage::EarlyTaskBurnsId, &["is called expired, and is "]),
    (Sabotage::UnknownCommitIsFailure, &["no request explains", "never so"]),
    (Sabotage::SweepFreesTwice, &["and became Expired", "counts ", "pools are ", "a defect"]),
    (Sabotage::PartialConvertLosesRest, &["counts ", "pools are ", "a defect"]),
    (Sabotage::NeighboursRolledBack, &["never so", "was kept and is not there"]),
    (Sabotage::CancelledThenConverted, &["was converted at "]),
    (Sabotage::FirstLineOnly, &["counts ", "pools are ", "a defect"]),
    (Sabotage::DoubtSentAgain, &["charged twice", "charges at the provider"]),
    (Sabotage::KeyReuseUnnoticed, &["never so"]),
    (Sabotage::LapsedHoldsBlock, &["never so"]),
    (Sabotage::TimeGoesBack, &["goes back in time"]),
];

/// What one process on SQLite in memory does not have.
const OUT_OF_REACH: &[(Sabotage, &str)] = &[
    (Sabotage::TurnNotTaken, "turns are taken on Postgres"),
    (Sabotage::LostUpdate, "two nodes write on Postgres"),
    (Sabotage::MemoryUnchecked, "nobody else writes but on Postgres"),
    (Sabotage::NodeClockDecides, "a node has a clock beside the store's on Postgres"),
    (Sabotage::EventMissed, "events are read over HTTP"),
    (Sabotage::ForeignTenantServed, "addresses are served over HTTP"),
    (Sabotage::LatePaymentUnplaced, "nobody pays for stays in it"),
    (Sabotage::LatePaymentKept, "nobody pays for stays in it"),
    (Sabotage::RefundForgotten, "nobody pays for stays in it"),
    (Sabotage::PromisedGoodsSold, "nobody moves goods in it"),
    (Sabotage::DocumentPostedTwice, "nobody moves goods in it"),
    (Sabotage::RemainderLost, "nobody moves goods in it"),
    (Sabotage::RevaluationForgotten, "nobody moves goods in it"),
    (Sabotage::RecountUnchecked, "nobody moves goods in it"),
    (Sabotage::ReturnsUncounted, "nobody moves goods in it"),
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

/// The first seed that says one of the words, and what it says; otherwise the first of what else was said.
fn hunt_for(words: &[&str]) -> Result<(u64, String), Vec<String>> {
    let (mut found, mut others) = (None, Vec::new());
    run_seeds(0..SEEDS_MAX, |outcome| {
        let said = outcome.violations.into_iter().find(|said| {
            let is_it = !said.starts_with(BROKE) && words.iter().any(|word| said.contains(word));
            if !is_it && others.len() < OTHERS_MAX {
                others.push(said.chars().take(160).collect());
            }
            is_it
        });
        found = said.map(|said| (outcome.seed, said));
        if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    found.ok_or(others)
}

/// One after the other: a bug is planted in the whole process.
#[test]
fn planted_bugs_are_found() {
    assert_eq!(hunt(0..SEEDS_WITHOUT), None, "without a bug all is well");
    let mut missed = Vec::new();
    for (sabotage, words) in FOUND {
        let planted = Planted::plant(*sabotage);
        let begun = Instant::now();
        let found = hunt_for(words);
        drop(planted);
        let (name, millis) = (sabotage.name(), begun.elapsed().as_millis());
        match found {
            Ok((seed, said)) => {
                let said: String = said.chars().take(160).collect();
                eprintln!("{name}: seed {seed}, after {} seeds and {millis} ms: {said}", seed + 1);
            }
            Err(others) => {
                eprintln!("{name}: not in {SEEDS_MAX} seeds and {millis} ms; said was {others:#?}");
                missed.push(name);
            }
        }
    }
    assert!(missed.is_empty(), "not found: {missed:?}");
}

#[test]
fn each_is_found_or_out_of_reach() {
    for sabotage in Sabotage::ALL {
        let out_of_reach = OUT_OF_REACH.iter().map(|(sabotage, _)| sabotage);
        let times = FOUND
            .iter()
            .map(|(sabotage, _)| sabotage)
            .chain(out_of_reach)
            .filter(|listed| **listed == sabotage)
            .count();
        assert_eq!(times, 1, "`{}`", sabotage.name());
    }
}
