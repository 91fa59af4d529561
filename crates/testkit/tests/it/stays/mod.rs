//! Stays on every store: what is set is what is quoted, and what was quoted is found again.

mod at_stripe;
mod audit;
mod bookings;
mod hold_nights;
mod page;
mod payments;
mod quotes;
mod races;
mod tables;

use surehold_testkit::on_each_store;

on_each_store! {
    quotes {
        a_calendar_is_quoted_and_the_quote_kept
        rooms_that_are_held_are_not_offered
        a_calendar_is_read_as_it_was_set
        a_year_of_many_room_types
        spent_quotes_are_let_go
    }
    audit {
        what_was_planted_is_found
    }
    bookings {
        reservations_are_listed_by_their_dates
        a_stay_is_seen_with_all_that_is_its
    }
    hold_nights {
        the_view_says_what_the_hold_claims
    }
    payments {
        a_stay_is_paid_and_cancelled
        money_that_comes_too_late
        guests_walk_in_and_stay_longer
        guests_are_forgotten
    }
    races {
        the_last_rooms_go_to_as_many_guests
        payments_meet_the_end_of_their_holds
    }
    tables {
        the_tables_refuse_what_no_command_does
        what_was_dealt_with_is_never_forgotten
    }
    at_stripe {
        every_payment_ends_with_a_room_or_with_the_money_back
        a_page_needs_an_account_of_the_tenants_own
    }
}
