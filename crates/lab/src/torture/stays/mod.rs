//! Guests of a small hotel, who ask for rooms and pay, and who judges what they were told.

mod auditor;
mod book;
mod collect;
mod guests;

pub use auditor::{PaymentSeen, StaySeen, StaysChecked, StaysState, judge_stays};
pub use book::{GuestAnswer, GuestAsk, GuestEntry, Nights, PaidBy, ReservationSeen};
pub use collect::collect_stays;
pub use guests::{GuestsPlan, open_hotel, run_guests};
