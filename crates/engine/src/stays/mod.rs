//! Stays beside the lanes: what screens read, what must hold, letting go of quotes, and setting many rows.
//! Imports: kernel, operations.

mod audit;
mod quotes;
mod rows;
mod views;

pub use rows::RowsSet;
pub use views::{Calendar, ReservationView, ReservationsOn, StayView};

use crate::module::Module;

pub(crate) const MODULE: Module = Module {
    audits: &[audit::AUDIT],
    background: &[quotes::BACKGROUND],
    preparers: &[],
    register: |registry| registry,
};
