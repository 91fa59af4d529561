//! What every store must do, seen through the engine and its views only. Each case runs on each store.
//!
//! Most cases are tables in the language of `surehold-scenario`; every row of a table has a tenant of its own, and after it
//! everything stored about that tenant is audited.

mod api_keys;
mod audit;
mod batches;
mod beliefs;
mod defects;
mod expiry;
mod full_audit;
mod holds;
mod inbox;
mod journal;
mod keys;
mod odd_commands;
mod operations_audit;
mod operations_views;
mod outbox;
mod pools;
mod preparation;
mod queue;
mod replays;
mod scenario;
mod schedules;
mod tenants;
mod views;
mod world;

use surehold_core::kernel::TenantId;
use surehold_engine::Engine;
use surehold_testkit::fixture::Fixture;
use surehold_testkit::on_each_store;

pub(crate) use audit::{check as check_audit, events};
pub(crate) use full_audit::{plant, put_back, save, told as audit_findings};
pub(crate) use odd_commands::{Gate, Odd, OddWay, Pending, together};
pub(crate) use scenario::{parse_lines, pool};
pub(crate) use world::{Dump, World, journal, new_id};

on_each_store! {
    tenants {
        creating_twice_finds_the_first
        racing_for_a_slug_gives_it_to_one
        a_creation_cut_in_half_is_finished_by_asking_again
        policies
        tenants_share_names_and_nothing_else
        a_hold_of_another_tenant_is_no_hold
        tenants_work_in_parallel
    }
    pools {
        totals
        compare_and_set
        closed
        overbooked_and_oversold
        granted
    }
    holds {
        placing
        owners
        extending
        cancelling_and_expiring
        converting
        giving_back
        moving
        what_is_stored_survives_a_restart
    }
    replays {
        the_same_id_and_content_finds_the_hold
        whatever_would_refuse_it_now
        other_content_is_refused
        endings_are_repeatable
        capacity_that_is_there_already
        after_a_restart
    }
    keys {
        the_same_request_gets_the_same_bytes
        whatever_would_refuse_it_now
        another_request_is_refused
        a_refusal_is_not_kept
        an_unreadable_reply_is_a_fault
        scoped_by_tenant_and_operation
        kept_over_a_restart
        many_at_once_have_one_effect
        in_one_batch_have_one_effect
    }
    api_keys {
        given_out_replaced_and_taken_back
        belong_to_one_tenant
        replaced_once_by_many
        a_thousand_pools_at_once_or_none
        commands_of_every_kind_in_one_request
    }
    views {
        pages_of_pools
        ranges_of_nights
        holds_by_reference
        active_holds_by_expiry
        keys_and_tenants
        trimming_the_journal
    }
    operations_views {
        one_operation_in_every_state
        runs_in_pages
        dead_letters_open_and_all
        operations_of_a_correlation
        cases_and_epochs
        depths
        a_timeline
        a_timeline_without_a_journal
        a_timeline_is_cut
    }
    batches {
        nothing_asked_nothing_done
        an_id_twice_in_one_request
        a_request_keeps_its_order
        an_id_in_many_requests_at_once
        the_last_units_in_many_requests_at_once
        each_command_is_answered_by_itself
        eight_thousand_in_one_batch
        ten_thousand_and_one_in_two
        neighbours_in_a_batch_see_each_other
    }
    expiry {
        a_lapsed_hold_is_dead_for_everybody
        shortage_expires_what_has_lapsed
        owner_limits_count_only_the_living
        thousands_of_lapsed_holds_are_expired_over_several_batches
        a_refusal_keeps_what_it_expired
        the_sweeper_expires_and_says_so
        sweeping_is_bounded
    }
    journal {
        tells_in_the_order_of_commits
        time_never_goes_back
        pages_make_the_whole
        a_follower_misses_nothing
        what_changes_nothing_is_not_told
    }
    schedules {
        put_replaced_and_removed
        one_operation_per_instant
        the_scheduler_fires_and_says_so
        an_outage_is_not_made_up_for
        many_at_once_and_keys_that_are_taken
    }
    outbox {
        one_delivery_per_event_and_endpoint
        deliveries_about_one_thing_follow_each_other
        a_row_with_more_events_than_a_command_takes
        nothing_to_tell_writes_nothing
        disabled_enabled_and_removed
        events_let_go_of_are_a_case
        tenants_are_told_their_own
        the_engine_tells_by_itself
    }
    queue {
        full_is_busy
        a_request_ends_with_its_first_piece_that_is_not_taken
        a_large_request_may_overshoot
        a_deadline_in_the_queue
        a_deadline_after_the_start
        an_abandoned_request_is_carried_out
        stopping_serves_what_was_accepted
        reopening_finds_everything
    }
    preparation {
        prepared_once_and_repeats_not_at_all
        what_has_changed_is_prepared_again
        prepared_three_times_then_not_executed
        neighbours_go_on
        a_deadline_while_it_is_prepared
        preparing_may_take_longer_than_a_command
        one_of_several_must_not_ask
    }
    beliefs {
        what_has_ended_is_not_done_again
        what_has_changed_is_looked_at_again
        a_refusal_does_not_rest_on_a_belief
    }
    inbox {
        delivered_again_and_again
        delivered_by_many_at_once
        an_early_task_is_not_burnt
        inboxes_and_their_secrets
        the_audit_finds_an_event_without_operation
    }
    defects {
        a_panic_while_deciding
        a_panic_while_naming
        changes_before_a_refusal_or_a_panic_leave_no_trace
        what_the_database_rejects
        questions_without_end
    }
    full_audit {
        a_busy_world_is_in_order
        nothing_is_found_while_others_write
        what_was_planted_is_found_and_not_repaired
        what_was_planted_is_found_and_repaired
        a_repair_is_made_once
        a_repair_allows_for_what_happens_meanwhile
        a_hand_is_noticed
        a_remedy_reads_what_is_there
        what_is_not_swept_is_found
        what_may_be_sold_is_not_given_away
        a_lock_of_what_runs_is_left
    }
    operations_audit {
        whatever_commands_did_is_in_order
        whatever_was_tampered_with_is_found
    }
}

/// Rows of scenario and expected answer, each in a tenant of its own.
pub(crate) struct Rows<'f> {
    fixture: &'f Fixture,
    engine: Engine,
    tenants: i64,
}

impl Rows<'_> {
    pub(crate) async fn on(fixture: &Fixture) -> Rows<'_> {
        Rows { fixture, engine: fixture.engine().await.unwrap(), tenants: 0 }
    }

    pub(crate) async fn check(&mut self, scenario: &str, expected: &str) {
        self.tenants += 1;
        let mut world = World::enter(self.fixture, self.engine.clone(), TenantId(self.tenants)).await;
        assert_eq!(world.play(scenario).await, expected, "{scenario}");
        world.audit().await;
    }
}
