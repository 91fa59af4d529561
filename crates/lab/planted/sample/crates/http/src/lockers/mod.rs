//! Lockers: rent one, and list who has one.
//! Imports: nothing.

#[cfg(feature = "fuzz")]
mod fuzz;
mod rentals;

use surehold_core::lockers::LockersRefusal;

use crate::api::Module;
use crate::problem::refusals;
use crate::routes::{Routes, routes};

refusals!("Lockers": LockersRefusal);

fn public() -> Routes {
    routes! {
        rentals: rentals_list, locker_rent;
    }
    .group("Lockers", "Who has rented one")
}

pub(crate) const MODULE: Module = Module {
    public,
    admin: Routes::new,
    state: |_| {},
    refusals: REFUSALS,
    #[cfg(feature = "fuzz")]
    readers: fuzz::READERS,
};
