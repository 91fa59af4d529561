//! Hotels: properties and what their nights cost, quotes, stays and reservations.
//! Start at `stay.rs`.
//! Imports: kernel.

mod calendar;
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
    Routes::new()
        .routes(routes!(properties::properties_list))
        .routes(routes!(properties::property_get, properties::property_put))
        .routes(routes!(properties::room_types_list))
        .routes(routes!(properties::room_type_get, properties::room_type_put))
        .routes(routes!(properties::rate_plans_list))
        .routes(routes!(properties::rate_plan_get, properties::rate_plan_put))
        .routes(routes!(calendar::calendar_get, calendar::calendar_put))
        .routes(routes!(quotes::quote_ask))
        .routes(routes!(quotes::quote_get))
        .routes(routes!(stay::stays_list, stay::stay_create))
        .routes(routes!(stay::stay_get))
        .routes(routes!(stay::stay_cancel))
        .routes(routes!(stay::stay_confirm))
        .routes(routes!(stay::stay_checkout))
        .routes(routes!(stay::guest_erase))
        .routes(routes!(reservations::reservations_list, reservations::reservation_walk_in))
        .routes(routes!(reservations::reservation_get))
        .routes(routes!(reservations::reservation_cancel))
        .routes(routes!(reservations::reservation_no_show))
        .routes(routes!(reservations::reservation_change))
}

pub(crate) const MODULE: Module = Module {
    public,
    admin: Routes::new,
    state: |_| {},
    refusals: REFUSALS,
    #[cfg(feature = "fuzz")]
    readers: fuzz::READERS,
};
