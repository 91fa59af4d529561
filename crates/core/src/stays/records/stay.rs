//! What a hold is about: which rooms of which property, for which nights, at which price.
//! Whether it is still held is not said here but by the hold, and whether it was booked by the reservation.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::kernel::{Currency, HoldId, Invalid, Json, JsonList, Lines, Record, Reference, Timestamp};
use crate::operations::OperationKey;
use crate::stays::operations::checkout_key;
use crate::stays::{PropertyName, QuoteId, RatePlanCode, RoomTypeCode, StayDates, stay_lines};

use super::CancellationPolicy;

/// Rooms of one type at one price.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StayRoom {
    pub room_type: RoomTypeCode,
    pub rate_plan: RatePlanCode,
    pub rooms: u32,
    /// Of one room, per night.
    pub prices: Vec<i64>,
    /// As it was promised.
    pub cancellation: CancellationPolicy,
}

impl StayRoom {
    /// Of all its rooms, per night.
    pub(crate) fn night_totals(&self) -> Vec<i64> {
        self.prices.iter().map(|price| price.strict_mul(i64::from(self.rooms))).collect()
    }

    pub(crate) fn total(&self) -> i64 {
        self.night_totals().iter().sum()
    }
}

pub(crate) fn total_of(rooms: &[StayRoom]) -> i64 {
    rooms.iter().map(StayRoom::total).sum()
}

/// What is claimed from the pools: each type of room on each night once, whatever its rate plans.
pub(crate) fn lines_of(property: &PropertyName, dates: StayDates, rooms: &[StayRoom]) -> Result<Lines, Invalid> {
    let rooms: Vec<_> = rooms.iter().map(|room| (room.room_type.clone(), room.rooms)).collect();
    stay_lines(property, &rooms, dates)
}

/// The latest page on which the stay can be paid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkout {
    /// Counts the pages that were asked for.
    pub number: u32,
    /// Where the page is, once it is there.
    pub page: Option<CheckoutPage>,
    pub expires_at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckoutPage {
    pub session: SmolStr,
    pub url: SmolStr,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(table = "stays")]
pub struct Stay {
    #[column(key)]
    pub hold: HoldId,
    #[column(fixed)]
    pub property: PropertyName,
    #[column(fixed)]
    pub quote: Option<QuoteId>,
    /// Where it was agreed on.
    #[column(fixed)]
    pub conversation: Option<Reference>,
    #[serde(flatten)]
    #[column(fixed)]
    pub dates: StayDates,
    #[column(fixed)]
    pub rooms: JsonList<StayRoom>,
    #[column(fixed)]
    pub total: i64,
    #[column(fixed)]
    pub currency: Currency,
    // As its column: `checkout` is the day of departure, and replies are kept as JSON.
    #[serde(rename = "checkout_session")]
    #[column(name = "checkout_session")]
    pub checkout: Option<Json<Checkout>>,
    /// The payer is done, and the money is on its way.
    pub awaiting_payment: bool,
    #[column(fixed)]
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub version: i64,
}

impl Stay {
    pub(crate) fn lines(&self) -> Result<Lines, Invalid> {
        lines_of(&self.property, self.dates, &self.rooms)
    }

    pub fn page(&self) -> Option<&CheckoutPage> {
        self.checkout.as_ref().and_then(|checkout| checkout.page.as_ref())
    }

    /// The operation that makes the latest page, or has made it.
    pub fn checkout_operation(&self) -> Option<OperationKey> {
        self.checkout.as_ref().map(|checkout| checkout_key(self.hold, checkout.number))
    }
}
