//! Why a command about stays says no. Each command documents the order in which it looks.

use jiff::civil::Date;

use super::{NotForSale, PropertyName, QuoteId, RatePlanCode, ReservationSource, ReservationState, RoomTypeCode};
use crate::kernel::{Currency, HoldId, Timestamp, refusals};

refusals! {
    pub enum StayRefusal: Kernel(Refusal) {
        PropertyNotFound { property: PropertyName }
            = (NotFound, "property-not-found", "There is no such property") "there is no property {property}";
        RoomTypeNotFound { property: PropertyName, room_type: RoomTypeCode }
            = (NotFound, "room-type-not-found", "There is no such room type")
            "there is no room type {room_type} in {property}";
        RatePlanNotFound { property: PropertyName, rate_plan: RatePlanCode }
            = (NotFound, "rate-plan-not-found", "There is no such rate plan")
            "there is no rate plan {rate_plan} in {property}";
        CurrencyFixed {
            property: PropertyName,
            /// The currency in which the property sells.
            currency: Currency,
        } = (Conflict, "currency-fixed", "A property's currency cannot be changed")
            "{property} sells in {currency}; a property's currency cannot be changed";
        PropertyFull {
            property: PropertyName,
            /// What there are so many of.
            what: String,
            max: u32,
        } = (Conflict, "property-full", "The property has as many as it may have")
            "{property} has {max} {what}, the most allowed";
        /// An id outside this window could be one whose quote was purged.
        QuoteIdOutsideWindow { quote: QuoteId, made_after: Timestamp, made_before: Timestamp }
            = (Invalid, "quote-id-outside-window", "The quote's id is too old or from the future")
            "the id {quote} was made outside of {made_after} to {made_before}";
        QuoteIdReused { quote: QuoteId }
            = (Invalid, "quote-id-reused", "The quote's id was used for another request")
            "quote {quote} exists with other content";
        QuoteNotFound { quote: QuoteId }
            = (NotFound, "quote-not-found", "There is no such quote") "there is no quote {quote}";
        QuoteExpired {
            quote: QuoteId,
            /// When the quote ended.
            valid_until: Timestamp,
        } = (Conflict, "quote-expired", "The quote is no longer good") "the quote was good until {valid_until}";
        OptionNotFound { quote: QuoteId, option: u16 }
            = (NotFound, "option-not-found", "The quote has no such option") "quote {quote} has no option {option}";
        NotForSale { room_type: RoomTypeCode, rate_plan: RatePlanCode, why: NotForSale }
            = (Conflict, "not-for-sale", "The nights are not for sale")
            "{rate_plan} of {room_type} cannot be had: {why}";
        /// Rates have changed since the quote.
        PriceChanged {
            room_type: RoomTypeCode,
            rate_plan: RatePlanCode,
            /// Of one room for all nights.
            price_quoted: i64,
            /// Of one room for all nights.
            price_now: i64,
        } = (Conflict, "price-changed", "The price has changed")
            "{rate_plan} of {room_type} costs {price_now} now, not {price_quoted}";
        StayNotFound { hold: HoldId } = (NotFound, "stay-not-found", "There is no such stay") "there is no stay {hold}";
        StayIdReused { hold: HoldId }
            = (Invalid, "stay-id-reused", "The stay's id was used for another request")
            "stay {hold} exists with other content";
        ReservationNotFound { hold: HoldId }
            = (NotFound, "reservation-not-found", "There is no such reservation") "there is no reservation {hold}";
        ReservationExists {
            hold: HoldId,
            /// How the reservation came about.
            source: ReservationSource,
            /// What was paid for the reservation.
            paid: i64,
        } = (Conflict, "reservation-exists", "The stay is booked already")
            "the stay is booked already ({source}, {paid} paid)";
        ReservationEnded {
            /// What the reservation has become.
            reservation_state: ReservationState,
        } = (Conflict, "reservation-ended", "The reservation has ended") "the reservation is {reservation_state}";
        GuestsMayStillCome {
            /// The day of arrival.
            checkin: Date,
            /// The date at the property.
            today: Date,
        } = (Conflict, "guests-may-still-come", "The guests may still come")
            "nobody is expected before {checkin}; it is {today} at the property";
        StayHasBegun {
            /// The day of arrival.
            checkin: Date,
            /// The date at the property.
            today: Date,
        } = (Conflict, "stay-has-begun", "The guests are in the house")
            "the stay began on {checkin}; only nights from {today} on can be added or given up, with the same rooms";
        PaymentsNotSetUp { property: PropertyName }
            = (Conflict, "payments-not-set-up", "The property takes no online payments")
            "{property} has no payment account";
        NothingToPay = (Conflict, "nothing-to-pay", "There is nothing to pay") "there is nothing to pay";
        PaymentOnItsWay = (Conflict, "payment-on-its-way", "The money is on its way") "the money is on its way";
        TooManyPages { max: u32 }
            = (Conflict, "too-many-pages", "The stay has had too many payment pages")
            "the stay has had {max} payment pages, the most allowed: hold the rooms again";
    }
}
