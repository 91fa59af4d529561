//! Stays beside the lanes: what screens read, and what must hold.

pub(crate) mod audit;
mod views;

pub use views::{Calendar, ReservationView, ReservationsOn, StayView};
