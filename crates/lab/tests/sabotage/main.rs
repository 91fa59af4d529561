//! Every bug that can be planted does harm: the same scenario is right without it and wrong with it. So whatever is to
//! find planted bugs has something to find. The scenarios are as small as they can be, on real stores.
#![allow(clippy::unwrap_used, reason = "a test that unwraps what is not there has failed, as it should")]

mod batches;
mod disk;
mod holds;
mod http;
mod log;
mod nodes;
mod operations;
mod shop;
mod stays;
mod stock;

use std::time::Instant;

use surehold_core::sabotage::{Sabotage, plant};
use tokio::sync::Mutex;

/// What went wrong; nothing if all is well.
type Harm = Option<String>;

/// One bug at a time: it is planted in the whole process.
static ALONE: Mutex<()> = Mutex::const_new(());

/// Dug out again, however the test ends.
struct Planted;

impl Planted {
    fn plant(sabotage: Sabotage) -> Planted {
        plant(Some(sabotage));
        Planted
    }
}

impl Drop for Planted {
    fn drop(&mut self) {
        plant(None);
    }
}

async fn prove(sabotage: Sabotage, scenario: impl AsyncFn() -> Harm) {
    let _alone = ALONE.lock().await;
    log::listen();
    assert_eq!(scenario().await, None, "without `{}` all is well", sabotage.name());
    let planted = Planted::plant(sabotage);
    let begun = Instant::now();
    let harm = scenario().await;
    drop(planted);
    let harm = harm.unwrap_or_else(|| panic!("`{}` does no harm", sabotage.name()));
    eprintln!("{} after {} ms: {harm}", sabotage.name(), begun.elapsed().as_millis());
}

macro_rules! each_does_harm {
    ($($place:ident::$test:ident: $sabotage:ident)*) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                prove(Sabotage::$sabotage, $place::$test).await;
            }
        )*

        const PROVEN: &[Sabotage] = &[$(Sabotage::$sabotage),*];
    };
}

each_does_harm! {
    holds::a_removed_guard: GuardRemoved
    holds::an_expiry_that_is_not_half_open: ExpiryNotHalfOpen
    holds::units_that_a_refused_hold_leaves: RefusedLeaks
    holds::a_sweep_that_frees_twice: SweepFreesTwice
    holds::a_partial_convert_that_loses_the_rest: PartialConvertLosesRest
    holds::a_cancelled_hold_that_is_converted: CancelledThenConverted
    holds::lines_behind_the_first: FirstLineOnly
    holds::lapsed_holds_that_block: LapsedHoldsBlock
    batches::a_key_outside_the_transaction: KeyOutsideTransaction
    batches::a_key_for_two_requests: KeyReuseUnnoticed
    batches::neighbours_rolled_back: NeighboursRolledBack
    batches::time_that_goes_back: TimeGoesBack
    nodes::a_reply_before_the_commit: ReplyBeforeCommit
    nodes::an_unknown_commit_called_a_failure: UnknownCommitIsFailure
    nodes::a_turn_that_is_not_taken: TurnNotTaken
    nodes::a_lost_update: LostUpdate
    nodes::a_clock_of_the_node: NodeClockDecides
    operations::a_belief_that_nobody_checks: VersionUnchecked
    operations::a_lease_that_nobody_checks: LeaseTokenUnchecked
    operations::an_early_task: EarlyTaskBurnsId
    operations::a_doubt_sent_again: DoubtSentAgain
    http::a_missed_event: EventMissed
    http::a_foreign_tenant: ForeignTenantServed
    stays::a_late_payment_without_rooms: LatePaymentUnplaced
    stays::a_late_payment_that_is_kept: LatePaymentKept
    stays::a_forgotten_refund: RefundForgotten
    stock::goods_that_somebody_holds: PromisedGoodsSold
    stock::a_document_that_comes_again: DocumentPostedTwice
    stock::a_remainder: RemainderLost
    stock::a_forgotten_revaluation: RevaluationForgotten
    stock::a_count_that_is_old: RecountUnchecked
    stock::goods_that_come_back_twice: ReturnsUncounted
    stock::books_that_another_node_closed: MemoryUnchecked
    disk::a_commit_that_is_not_synced: CommitUnsynced
}

#[test]
fn each_is_proven() {
    for sabotage in Sabotage::ALL {
        let times = PROVEN.iter().filter(|proven| **proven == sabotage).count();
        assert_eq!(times, 1, "`{}`", sabotage.name());
        assert_eq!(Sabotage::named(sabotage.name()), Some(sabotage));
    }
}
