//! Hotels: properties and what their nights cost, quotes, stays and reservations.
//! Start at `stay.rs`.
//! Imports: kernel.

mod calendar;
mod calendar_rows;
#[cfg(feature = "fuzz")]
mod fuzz;
mod properties;
mod quotes;
mod reservations;
mod seen;
mod stay;

use surehold_core::stays::StayRefusal;

use crate::api::Module;
use crate::problem::refusals;
use crate::routes::{Routes, routes};

refusals!("Stays": StayRefusal);

fn public() -> Routes {
    routes! {
        properties: properties_list, property_get, property_put, room_types_list, room_type_get, room_type_put,
            rate_plans_list, rate_plan_get, rate_plan_put;
        calendar: calendar_get, calendar_put;
        calendar_rows: calendar_rows_put;
        quotes: quote_ask, quote_get;
        stay: stays_list, stay_create, stay_get, stay_cancel, stay_confirm, stay_checkout, guest_erase;
        reservations: reservations_list, reservation_walk_in, reservation_get, reservation_cancel,
            reservation_no_show, reservation_change;
    }
    .group("Properties", "Hotels: room types, rate plans, and what their nights cost")
    .group("Stays", "From the quote to the reservation: rooms that are held, paid for, changed, cancelled")
}

pub(crate) const MODULE: Module = Module {
    public,
    admin: Routes::new,
    state: |_| {},
    refusals: REFUSALS,
    #[cfg(feature = "fuzz")]
    readers: fuzz::READERS,
};
