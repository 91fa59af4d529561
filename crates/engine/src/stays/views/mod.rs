//! Properties with their calendars, stays and reservations.

mod bookings;
mod calendar;

pub use bookings::{ReservationView, ReservationsOn, StayView};
pub use calendar::Calendar;
