//! Every bug that can be planted does harm: the same scenario is right without it and wrong with it. So whatever is to
//! find planted bugs has something to find. The scenarios are as small as they can be, on real stores.
//! `lockers` is no bug, but the sample module, which stands in the same copy.
#![allow(clippy::unwrap_used, reason = "a test that unwraps what is not there has failed, as it should")]

mod batches;
mod disk;
mod holds;
mod http;
mod lockers;
mod log;
mod nodes;
mod operations;
mod shop;
mod stays;
mod stock;

use std::time::Instant;

use surehold_core::planted::{Bug, plant};
use tokio::sync::Mutex;

/// What went wrong; nothing if all is well.
type Harm = Option<String>;

/// One bug at a time: it is planted in the whole process.
static ALONE: Mutex<()> = Mutex::const_new(());

/// Dug out again, however the test ends.
struct Planted;

impl Planted {
    fn plant(bug: Bug) -> Planted {
        plant(Some(bug));
        Planted
    }
}

impl Drop for Planted {
    fn drop(&mut self) {
        plant(None);
    }
}

async fn prove(bug: Bug, scenario: impl AsyncFn() -> Harm) {
    let _alone = ALONE.lock().await;
    log::listen();
    assert_eq!(scenario().await, None, "without `{}` all is well", bug.name());
    let planted = Planted::plant(bug);
    let begun = Instant::now();
    let harm = scenario().await;
    drop(planted);
    let harm = harm.unwrap_or_else(|| panic!("`{}` does no harm", bug.name()));
    eprintln!("{} after {} ms: {harm}", bug.name(), begun.elapsed().as_millis());
}

macro_rules! each_does_harm {
    ($($place:ident::$test:ident: $bug:literal)*) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                prove(Bug::named($bug), $place::$test).await;
            }
        )*

        const PROVEN: &[Bug] = &[$(Bug::named($bug)),*];
    };
}

each_does_harm! {
    holds::a_removed_guard: "guard-removed"
    holds::an_expiry_that_is_not_half_open: "expiry-not-half-open"
    holds::units_that_a_refused_hold_leaves: "refused-leaks"
    holds::a_sweep_that_frees_twice: "sweep-frees-twice"
    holds::a_partial_convert_that_loses_the_rest: "partial-convert-loses-rest"
    holds::a_cancelled_hold_that_is_converted: "cancelled-then-converted"
    holds::lines_behind_the_first: "first-line-only"
    holds::lapsed_holds_that_block: "lapsed-holds-block"
    batches::a_key_outside_the_transaction: "key-outside-transaction"
    batches::a_key_for_two_requests: "key-reuse-unnoticed"
    batches::neighbours_rolled_back: "neighbours-rolled-back"
    batches::time_that_goes_back: "time-goes-back"
    nodes::a_reply_before_the_commit: "reply-before-commit"
    nodes::an_unknown_commit_called_a_failure: "unknown-commit-is-failure"
    nodes::a_turn_that_is_not_taken: "turn-not-taken"
    nodes::a_lost_update: "lost-update"
    nodes::a_clock_of_the_node: "node-clock-decides"
    operations::a_belief_that_nobody_checks: "version-unchecked"
    operations::a_lease_that_nobody_checks: "lease-token-unchecked"
    operations::an_early_task: "early-task-burns-id"
    operations::a_doubt_sent_again: "doubt-sent-again"
    http::a_missed_event: "event-missed"
    http::a_foreign_tenant: "foreign-tenant-served"
    stays::a_late_payment_without_rooms: "late-payment-unplaced"
    stays::a_late_payment_that_is_kept: "late-payment-kept"
    stays::a_forgotten_refund: "refund-forgotten"
    stock::goods_that_somebody_holds: "promised-goods-sold"
    stock::a_document_that_comes_again: "document-posted-twice"
    stock::a_remainder: "remainder-lost"
    stock::a_forgotten_revaluation: "revaluation-forgotten"
    stock::a_count_that_is_old: "recount-unchecked"
    stock::goods_that_come_back_twice: "returns-uncounted"
    stock::books_that_another_node_closed: "memory-unchecked"
    disk::a_commit_that_is_not_synced: "commit-unsynced"
}

#[test]
fn each_is_proven() {
    for bug in Bug::all() {
        let times = PROVEN.iter().filter(|proven| **proven == bug).count();
        assert_eq!(times, 1, "`{}`", bug.name());
    }
}
