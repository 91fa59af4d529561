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
