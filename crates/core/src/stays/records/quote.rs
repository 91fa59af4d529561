//! What was offered to somebody, at which price and until when. Knows nobody: a quote has no guest.

use serde::{Deserialize, Serialize};

use crate::kernel::commands::{ID_AGE_SECS_MAX, ID_AHEAD_SECS_MAX};
use crate::kernel::{Currency, Json, Record, Timestamp};
use crate::stays::{PropertyName, QuoteId, RatePlanCode, RoomTypeCode, StayDates};

use super::{CancellationPolicy, QuoteOptions};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(table = "quotes")]
pub struct Quote {
    #[column(key)]
    pub id: QuoteId,
    #[column(fixed)]
    pub property: PropertyName,
    #[serde(flatten)]
    #[column(fixed)]
    pub dates: StayDates,
    /// In all rooms together.
    #[column(fixed)]
    pub guests: u32,
    #[column(fixed)]
    pub rooms: u32,
    #[column(fixed)]
    pub currency: Currency,
    #[column(fixed)]
    pub options: Json<QuoteOptions>,
    #[column(fixed)]
    pub created_at: Timestamp,
    /// The first instant at which it is no longer good.
    pub valid_until: Timestamp,
    pub version: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuoteOption {
    /// From 1, in the order of the quote.
    pub number: u16,
    pub room_type: RoomTypeCode,
    pub rate_plan: RatePlanCode,
    /// Of one room, per night.
    pub prices: Vec<i64>,
    /// Of all nights and all rooms.
    pub total: i64,
    /// Rooms that were free on every night when the quote was made. Not a promise: only a hold is.
    pub available: i64,
    pub cancellation: CancellationPolicy,
}

impl Quote {
    pub fn option(&self, number: u16) -> Option<&QuoteOption> {
        self.options.iter().find(|option| option.number == number)
    }

    pub fn is_good(&self, now: Timestamp) -> bool {
        now < self.valid_until
    }

    /// Whether nobody may come back to it: it is long no longer good, and neither its id nor that of a stay that was made
    /// from it would be taken again.
    pub fn is_spent(&self, now: Timestamp) -> bool {
        self.valid_until <= Quote::spent_before(now)
    }

    /// What was no longer good then is spent now. Whose id is younger than [`ID_AGE_SECS_MAX`] is not among it: an id is
    /// at most [`ID_AHEAD_SECS_MAX`] ahead of its quote.
    pub fn spent_before(now: Timestamp) -> Timestamp {
        now.plus_secs(ID_AGE_SECS_MAX.strict_add(ID_AHEAD_SECS_MAX).strict_neg())
    }
}
