//! Where and how each bug is looked for, and by which rules it has to be found: those that say what is wrong, not any
//! that happen to notice that something is.

use surehold_core::sabotage::Sabotage;

pub(crate) struct Trial {
    /// None: nothing may be found.
    pub(crate) bug: Option<Sabotage>,
    pub(crate) store: &'static str,
    pub(crate) minutes: &'static str,
    pub(crate) faults: &'static str,
    /// One of them.
    pub(crate) rules: &'static [&'static str],
}

const fn on_sqlite(bug: Sabotage, faults: &'static str, rules: &'static [&'static str]) -> Trial {
    Trial { bug: Some(bug), store: "sqlite", minutes: SHORT, faults, rules }
}

const fn on_postgres(bug: Sabotage, faults: &'static str, rules: &'static [&'static str]) -> Trial {
    Trial { bug: Some(bug), store: "postgres", minutes: SHORT, faults, rules }
}

const fn control(store: &'static str, faults: &'static str) -> Trial {
    Trial { bug: None, store, minutes: SHORT, faults, rules: &[] }
}

/// Six seconds, and what counted faults take.
const SHORT: &str = "0.1";
/// For what only shows if two meet within a few milliseconds, or in the right order.
const LONGER: &str = "0.25";
const NO_FAULTS: &str = "none";
const TURNED_CLOCKS: &str = "clock-jump=4";
const KILLS: &str = "kill=4";
const AUDIT: &str = "`surehold audit` finds nothing";

/// The slow ones first, so that nobody waits for the last.
pub(crate) const ALL: [Trial; 33] = [
    on_postgres(Sabotage::LostUpdate, NO_FAULTS, &["oversold", "replay", "feed"]),
    on_postgres(Sabotage::LeaseTokenUnchecked, "freeze-worker=4", &["leases", AUDIT]),
    on_postgres(Sabotage::NodeClockDecides, TURNED_CLOCKS, &["clock"]),
    on_postgres(Sabotage::UnknownCommitIsFailure, "cut-after-commit=5", &["fail-nowhere"]),
    on_postgres(Sabotage::TurnNotTaken, NO_FAULTS, &["no defects in the log"]),
    on_postgres(Sabotage::MemoryUnchecked, NO_FAULTS, &["no defects in the log"]),
    on_postgres(Sabotage::VersionUnchecked, NO_FAULTS, &["done-twice"]),
    on_sqlite(Sabotage::TimeGoesBack, TURNED_CLOCKS, &["feed"]),
    on_sqlite(Sabotage::ReplyBeforeCommit, KILLS, &["ok-exists"]),
    on_sqlite(Sabotage::KeyOutsideTransaction, KILLS, &["done-twice", "replies-repeat"]),
    on_sqlite(Sabotage::GuardRemoved, NO_FAULTS, &["oversold"]),
    Trial { minutes: LONGER, ..on_sqlite(Sabotage::ExpiryNotHalfOpen, NO_FAULTS, &["expiry"]) },
    on_sqlite(Sabotage::RefusedLeaks, NO_FAULTS, &["replay", "all-or-nothing"]),
    on_sqlite(Sabotage::EarlyTaskBurnsId, NO_FAULTS, &["early-task-burnt"]),
    on_sqlite(Sabotage::SweepFreesTwice, NO_FAULTS, &["replay", "all-or-nothing"]),
    on_sqlite(Sabotage::PartialConvertLosesRest, NO_FAULTS, &["replay", "all-or-nothing"]),
    on_sqlite(Sabotage::NeighboursRolledBack, NO_FAULTS, &["ok-exists"]),
    on_sqlite(Sabotage::CancelledThenConverted, NO_FAULTS, &["replay"]),
    on_sqlite(Sabotage::EventMissed, NO_FAULTS, &["feed"]),
    on_sqlite(Sabotage::FirstLineOnly, NO_FAULTS, &["all-or-nothing"]),
    on_sqlite(Sabotage::DoubtSentAgain, NO_FAULTS, &["charged-twice"]),
    on_sqlite(Sabotage::KeyReuseUnnoticed, NO_FAULTS, &["replies-repeat"]),
    on_sqlite(Sabotage::LapsedHoldsBlock, NO_FAULTS, &["refusals"]),
    on_sqlite(Sabotage::ForeignTenantServed, NO_FAULTS, &["strangers"]),
    on_sqlite(Sabotage::LatePaymentUnplaced, NO_FAULTS, &["rooms"]),
    // Somebody else must have taken the room before the money came.
    Trial { minutes: LONGER, ..on_sqlite(Sabotage::LatePaymentKept, NO_FAULTS, &["guest-charged"]) },
    on_sqlite(Sabotage::RefundForgotten, NO_FAULTS, &["guest-charged"]),
    on_sqlite(Sabotage::PromisedGoodsSold, NO_FAULTS, &["promised-goods-sold"]),
    on_sqlite(Sabotage::DocumentPostedTwice, NO_FAULTS, &["posted-once"]),
    on_sqlite(Sabotage::RemainderLost, NO_FAULTS, &["stock-adds-up", AUDIT]),
    on_sqlite(Sabotage::RevaluationForgotten, NO_FAULTS, &["stock-cost", AUDIT]),
    on_sqlite(Sabotage::RecountUnchecked, NO_FAULTS, &["posted-as-asked"]),
    on_sqlite(Sabotage::ReturnsUncounted, NO_FAULTS, &["returned-twice", AUDIT]),
];

/// The same without a bug.
pub(crate) const CONTROLS: [Trial; 5] = [
    control("sqlite", NO_FAULTS),
    control("sqlite", KILLS),
    control("sqlite", TURNED_CLOCKS),
    control("postgres", NO_FAULTS),
    control("postgres", "freeze-worker=2,clock-jump=3,cut-after-commit=3,kill=2"),
];

pub(crate) const ELSEWHERE: [(Sabotage, &str); 1] =
    [(Sabotage::CommitUnsynced, "only a machine that loses its power shows it; see the lab's tests of the disk")];
