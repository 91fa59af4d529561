//! Stays: properties, room types and rate plans, what a night costs and under which rules it is sold, and quotes.
//! A room of a type on a night is a unit of a kernel pool; this module never counts units itself.
//! Start reading at `dates.rs`, `records/`, then `rules.rs` and `quote.rs`.
//! Imports: kernel, operations.

pub mod commands;
mod dates;
mod event;
mod invalid;
mod names;
pub mod quote;
mod records;
mod refusal;
mod rules;

pub use dates::{
    LocalTime, Month, NIGHTS_PER_CALENDAR_MAX, NIGHTS_PER_STAY_MAX, NightRange, StayDates, Weekdays, check_in_at,
    earliest_arrival, today,
};
pub use event::StaysEvent;
pub use invalid::StayInvalid;
pub use names::{PaymentAccount, PropertyName, QuoteId, RatePlanCode, RoomTypeCode, pool_of, rooms_of};
pub use records::{
    CancellationPolicy, Penalty, Property, PropertyTerms, Quote, QuoteOption, QuoteOptions, RateMonth, RateMonthKey,
    RateNight, RatePlan, RatePlanKey, RoomType, RoomTypeKey,
};
pub use refusal::StayRefusal;
use rules::price_longer_now;
pub use rules::{
    NotForSale, ROOMS_PER_STAY_MAX, check_and_price, check_and_price_longer, check_not_past, price_now,
    rate_month_keys, stay_lines,
};

mod booking;
pub mod operations;

pub use records::{
    Checkout, CheckoutPage, DisputeState, Guest, GuestDetails, Payment, PaymentAlias, PaymentKey, PaymentState,
    Reservation, ReservationSource, ReservationState, Resolution, STRIPE, Stay, StayRoom, confirmation_code,
};

use crate::kernel::{Record, Table};

/// The tables of this module.
pub const TABLES: &[&Table] = &[
    Property::TABLE,
    RoomType::TABLE,
    RatePlan::TABLE,
    RateMonth::TABLE,
    Quote::TABLE,
    Stay::TABLE,
    Guest::TABLE,
    Reservation::TABLE,
    Payment::TABLE,
    PaymentAlias::TABLE,
];
