//! Why a command about stays says no. Each command documents the order in which it looks.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{NotForSale, PropertyName, QuoteId, RatePlanCode, ReservationSource, ReservationState, RoomTypeCode};
use crate::kernel::{Currency, HoldId, Invalid, Refusal, Stop, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum StayRefusal {
    #[error(transparent)]
    Kernel(#[from] Refusal),
    #[error("there is no property {property}")]
    PropertyNotFound { property: PropertyName },
    #[error("there is no room type {room_type} in {property}")]
    RoomTypeNotFound { property: PropertyName, room_type: RoomTypeCode },
    #[error("there is no rate plan {rate_plan} in {property}")]
    RatePlanNotFound { property: PropertyName, rate_plan: RatePlanCode },
    #[error("{property} sells in {currency}; a property's currency cannot be changed")]
    CurrencyFixed { property: PropertyName, currency: Currency },
    #[error("{property} has {count} {what}, the most allowed")]
    PropertyFull { property: PropertyName, what: String, count: u32 },
    /// An id outside this window could be one whose quote was purged.
    #[error("the id {id} was made outside of {made_after} to {made_before}")]
    QuoteIdOutsideWindow { id: QuoteId, made_after: Timestamp, made_before: Timestamp },
    #[error("quote {id} exists with other content")]
    QuoteIdReused { id: QuoteId },
    #[error("there is no quote {id}")]
    QuoteNotFound { id: QuoteId },
    #[error("the quote was good until {valid_until}")]
    QuoteExpired { id: QuoteId, valid_until: Timestamp },
    #[error("quote {id} has no option {option}")]
    OptionNotFound { id: QuoteId, option: u16 },
    #[error("{rate_plan} of {room_type} cannot be had: {why}")]
    NotForSale { room_type: RoomTypeCode, rate_plan: RatePlanCode, why: NotForSale },
    /// Rates have changed since the quote: of one room, all nights.
    #[error("{rate_plan} of {room_type} costs {price_now} now, not {price_quoted}")]
    PriceChanged { room_type: RoomTypeCode, rate_plan: RatePlanCode, price_quoted: i64, price_now: i64 },
    #[error("there is no stay {hold}")]
    StayNotFound { hold: HoldId },
    #[error("stay {hold} exists with other content")]
    StayIdReused { hold: HoldId },
    #[error("there is no reservation {hold}")]
    ReservationNotFound { hold: HoldId },
    #[error("the stay is booked already ({made_by}, {paid} paid)")]
    ReservationExists { hold: HoldId, made_by: ReservationSource, paid: i64 },
    #[error("the reservation is {state}")]
    ReservationEnded { state: ReservationState },
    #[error("nobody is expected before {checkin}; it is {today} at the property")]
    GuestsMayStillCome { checkin: Date, today: Date },
    #[error("the stay began on {checkin}; only nights from {today} on can be added or given up, with the same rooms")]
    StayHasBegun { checkin: Date, today: Date },
    #[error("{property} has no payment account")]
    PaymentsNotSetUp { property: PropertyName },
    #[error("there is nothing to pay")]
    NothingToPay,
    #[error("the money is on its way")]
    PaymentOnItsWay,
    #[error("the stay has had {pages_max} payment pages, the most allowed: hold the rooms again")]
    TooManyPages { pages_max: u32 },
}

impl From<Invalid> for StayRefusal {
    fn from(invalid: Invalid) -> StayRefusal {
        StayRefusal::Kernel(invalid.into())
    }
}

impl From<StayRefusal> for Stop<StayRefusal> {
    fn from(refusal: StayRefusal) -> Stop<StayRefusal> {
        Stop::Refused(refusal)
    }
}

impl From<Refusal> for Stop<StayRefusal> {
    fn from(refusal: Refusal) -> Stop<StayRefusal> {
        Stop::Refused(refusal.into())
    }
}

/// A command of the kernel was part of one of ours.
impl From<Stop<Refusal>> for Stop<StayRefusal> {
    fn from(stop: Stop<Refusal>) -> Stop<StayRefusal> {
        match stop {
            Stop::Refused(refusal) => Stop::Refused(refusal.into()),
            Stop::Halted(halt) => Stop::Halted(halt),
        }
    }
}
