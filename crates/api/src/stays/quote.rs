//! Quotes on the wire.

use surehold_core::kernel::{Currency, Invalid, Timestamp};
use surehold_core::stays::quote::{self, Offers, QuoteRequest};
use surehold_core::stays::{self, NotForSale, Property, PropertyName, QuoteId, RatePlanCode, RoomTypeCode, StayDates};

use crate::describe::{ToSchema, wire};
use crate::{CancellationPolicy, Day};

/// Who wants to stay where, and when.
#[wire]
#[schema(example = json!({
    "property": "casa-mar", "checkin": "2099-12-24", "checkout": "2099-12-27", "guests": 2, "rooms": 1
}))]
pub struct AskQuote {
    /// A UUIDv7 of your own: a repeat finds the first quote, whatever nights cost by then.
    pub id: Option<QuoteId>,
    pub property: PropertyName,
    pub checkin: Day,
    /// The day of departure, 1 to 90 nights later.
    pub checkout: Day,
    /// In all rooms together.
    #[schema(minimum = 1, maximum = 1000)]
    pub guests: u32,
    /// Rooms of one type.
    #[serde(default = "one")]
    #[schema(minimum = 1, maximum = 100, default = 1)]
    pub rooms: u32,
}

pub(super) fn one() -> u32 {
    1
}

impl AskQuote {
    pub fn request(&self) -> Result<QuoteRequest, Invalid> {
        let dates = StayDates::new(self.checkin.0, self.checkout.0)?;
        QuoteRequest::new(self.property.clone(), dates, self.guests, self.rooms)
    }
}

/// What one room costs on a night.
#[wire(Copy)]
pub struct PricedNight {
    pub night: Day,
    /// In minor units.
    #[schema(example = 45_000)]
    pub price: i64,
}

pub(super) fn priced_nights(dates: StayDates, prices: &[i64]) -> Vec<PricedNight> {
    dates.nights().zip(prices).map(|(night, price)| PricedNight { night: Day(night), price: *price }).collect()
}

/// What can be had. To hold it, name the quote and the option.
#[wire]
pub struct QuoteOption {
    /// From 1, the cheapest first.
    pub number: u16,
    #[schema(example = "double")]
    pub room_type: RoomTypeCode,
    #[schema(example = "flexible")]
    pub rate_plan: RatePlanCode,
    /// Of one room.
    pub nights: Vec<PricedNight>,
    /// Of all nights and all rooms.
    #[schema(example = 135_000)]
    pub total: i64,
    /// Rooms that were free on every night. Not a promise: only a hold is.
    pub available: i64,
    pub cancellation: CancellationPolicy,
}

/// Why something cannot be had, and what it is about. The members besides `reason` are those of the reason.
#[derive(Debug, ToSchema)]
pub struct WhyNotForSale {
    pub reason: NotForSaleReason,
    pub night: Option<crate::described::Day>,
    /// Rooms left on that night.
    pub available: Option<i64>,
    /// The date at the property.
    pub today: Option<crate::described::Day>,
    pub checkin: Option<crate::described::Day>,
    pub checkout: Option<crate::described::Day>,
    pub guests_max: Option<u32>,
    pub nights_min: Option<u16>,
    pub nights_max: Option<u16>,
    pub days_min: Option<u16>,
    pub days_max: Option<u16>,
}

/// How the reasons look in the description; the core's own type decides.
#[wire(Copy)]
#[serde(rename_all = "snake_case")]
pub enum NotForSaleReason {
    InThePast,
    TooFewPlaces,
    NoRooms,
    Closed,
    SoldOut,
    ClosedToArrival,
    ClosedToDeparture,
    StayTooShort,
    StayTooLong,
    TooLate,
    TooEarly,
    StopSell,
    NoPrice,
}

/// What cannot be had.
#[wire]
pub struct NotOffered {
    #[schema(example = "double")]
    pub room_type: RoomTypeCode,
    /// Left out, it is so in every plan.
    #[schema(example = "flexible")]
    pub rate_plan: Option<RatePlanCode>,
    #[schema(value_type = WhyNotForSale)]
    pub why: NotForSale,
    /// The same as a sentence.
    pub detail: String,
}

impl From<quote::NotOffered> for NotOffered {
    fn from(not: quote::NotOffered) -> NotOffered {
        let detail = not.reason.to_string();
        NotOffered { room_type: not.room_type, rate_plan: not.rate_plan, why: not.reason, detail }
    }
}

/// What was offered. Nothing is promised before rooms are held.
#[wire]
pub struct Quote {
    /// Absent if there is nothing to offer: then nothing is kept.
    pub id: Option<QuoteId>,
    pub property: PropertyName,
    pub checkin: Day,
    #[schema(example = "2026-12-27")]
    pub checkout: Day,
    pub guests: u32,
    pub rooms: u32,
    pub currency: Currency,
    pub options: Vec<QuoteOption>,
    /// More expensive ones beyond the first 200.
    pub options_left_out: Option<usize>,
    /// What cannot be had, and why. Not kept: absent when the quote is read or asked for again.
    pub not_for_sale: Option<Vec<NotOffered>>,
    pub created_at: Option<Timestamp>,
    /// The first instant at which it is no longer good.
    pub valid_until: Option<Timestamp>,
}

impl From<stays::Quote> for Quote {
    fn from(quote: stays::Quote) -> Quote {
        let option = |option: &stays::QuoteOption| QuoteOption {
            number: option.number,
            room_type: option.room_type.clone(),
            rate_plan: option.rate_plan.clone(),
            nights: priced_nights(quote.dates, &option.prices),
            total: option.total,
            available: option.available,
            cancellation: option.cancellation.into(),
        };
        Quote {
            id: Some(quote.id),
            options: quote.options.iter().map(option).collect(),
            property: quote.property,
            checkin: Day(quote.dates.checkin()),
            checkout: Day(quote.dates.checkout()),
            guests: quote.guests,
            rooms: quote.rooms,
            currency: quote.currency,
            options_left_out: None,
            not_for_sale: None,
            created_at: Some(quote.created_at),
            valid_until: Some(quote.valid_until),
        }
    }
}

impl Quote {
    /// With what is told only once.
    #[must_use]
    pub fn with_the_rest(self, offers: Offers) -> Quote {
        let options_left_out = Some(offers.options_left_out).filter(|left_out| *left_out > 0);
        let not_for_sale = offers.not_for_sale.into_iter().map(NotOffered::from).collect();
        Quote { options_left_out, not_for_sale: Some(not_for_sale), ..self }
    }

    pub fn nothing_to_offer(property: &Property, request: &QuoteRequest, offers: Offers) -> Quote {
        let nothing = Quote {
            id: None,
            property: property.name.clone(),
            checkin: Day(request.dates().checkin()),
            checkout: Day(request.dates().checkout()),
            guests: request.guests(),
            rooms: request.rooms(),
            currency: property.currency,
            options: Vec::new(),
            options_left_out: None,
            not_for_sale: None,
            created_at: None,
            valid_until: None,
        };
        nothing.with_the_rest(offers)
    }
}
