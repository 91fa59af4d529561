//! Stays beside the lanes: what screens read, what must hold, and letting go of quotes.
//! Imports: kernel, operations.

mod audit;
mod quotes;
mod views;

pub use views::{Calendar, ReservationView, ReservationsOn, StayView};

use crate::module::Module;

pub(crate) const MODULE: Module = Module {
    audits: &[audit::AUDIT],
    background: &[quotes::BACKGROUND],
    preparers: &[],
    register: |registry| registry,
};
