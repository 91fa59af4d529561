//! What is kept of properties, of what their nights cost, and of quotes.

mod cancellation;
mod property;
mod quote;
mod quote_options;
mod rate_month;
mod rate_plan;
mod room_type;

pub use cancellation::{CancellationPolicy, Penalty};
pub use property::{Property, PropertyTerms};
pub use quote::{Quote, QuoteOption};
pub use quote_options::QuoteOptions;
pub use rate_month::{RateMonth, RateMonthKey, RateNight};
pub use rate_plan::{RatePlan, RatePlanKey};
pub use room_type::{RoomType, RoomTypeKey};

mod guest;
mod payment;
mod reservation;
mod stay;

pub use guest::{Guest, GuestDetails};
pub use payment::{DisputeState, Payment, PaymentAlias, PaymentKey, PaymentState, Resolution, STRIPE};
pub use reservation::{Reservation, ReservationSource, ReservationState, confirmation_code};
pub use stay::{Checkout, CheckoutPage, Stay, StayRoom};
pub(super) use stay::{lines_of, total_of};

use jiff::civil::Date;

use super::StayDates;
use crate::kernel::{Corrupt, Invalid};

/// For names and the like that a store gave back.
pub(super) fn stored<T>(read: Result<T, Invalid>) -> Result<T, Corrupt> {
    read.map_err(|invalid| Corrupt::new(invalid.to_string()))
}

/// Dates are stored as their ISO text.
pub(super) fn stored_date(text: &str) -> Result<Date, Corrupt> {
    text.parse().map_err(|_| Corrupt::new(format!("the date {text:?}")))
}

pub(super) fn stored_dates(checkin: Date, checkout: Date) -> Result<StayDates, Corrupt> {
    stored(StayDates::new(checkin, checkout))
}
