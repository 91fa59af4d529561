//! What happened to what is sold by the night. No event has anything about a guest: the journal cannot be erased.

use jiff::civil::Date;
use smol_str::SmolStr;

use super::{
    DisputeState, NotForSale, PaymentState, PropertyName, QuoteId, RatePlanCode, ReservationSource, ReservationState,
    RoomTypeCode,
};
use crate::kernel::{Currency, HoldId, Shape, Timestamp, events, sent};

events! {
    /// All that happens to one stay is about its hold, in its order. Amounts are in minor units.
    pub enum StaysEvent {
        PropertyChanged = "property_changed" { property: PropertyName, version: i64 }, offered about "property:{property}";
        RoomTypeChanged = "room_type_changed" {
            property: PropertyName,
            room_type: RoomTypeCode,
            version: i64,
        }, offered about "property:{property}";
        RatePlanChanged = "rate_plan_changed" {
            property: PropertyName,
            rate_plan: RatePlanCode,
            version: i64,
        }, offered about "property:{property}";
        /// Some rates of nights in the range changed, in these plans. What happened to pools is told by their own events.
        RatesChanged = "rates_changed" {
            property: PropertyName,
            room_type: RoomTypeCode,
            from: Date,
            /// Not in the range.
            until: Date,
            rate_plans: Vec<RatePlanCode>,
        }, offered about "property:{property}";
        // Not offered: somebody looked, and did not come back.
        QuoteSaved = "quote_saved" { quote: QuoteId, property: PropertyName };
        StayCreated = "stay_created" {
            hold: HoldId,
            property: PropertyName,
            total: i64,
            currency: Currency,
        }, offered about "hold:{hold}";
        /// The stay can be paid on a page of the provider, until then.
        CheckoutOpened = "checkout_opened" {
            hold: HoldId,
            session: SmolStr,
            expires_at: Timestamp,
        }, offered about "hold:{hold}";
        /// Where the payment stands now.
        PaymentChanged = "payment_changed" {
            hold: HoldId,
            session: SmolStr,
            state: PaymentState,
            received: i64,
            /// What the payer has back.
            refunded: i64,
            dispute: Option<DisputeState>,
        }, offered about "hold:{hold}";
        ReservationMade = "reservation_made" {
            hold: HoldId,
            /// The hold that has the booked rooms.
            booked_by: HoldId,
            source: ReservationSource,
            total: i64,
            paid: i64,
        }, offered about "hold:{hold}";
        ReservationCancelled = "reservation_cancelled" {
            hold: HoldId,
            penalty: i64,
            /// Asked for, not yet given back.
            refund: i64,
        }, offered about "hold:{hold}";
        ReservationNoShow = "reservation_no_show" {
            hold: HoldId,
            penalty: i64,
            /// Asked for, not yet given back.
            refund: i64,
        }, offered about "hold:{hold}";
        ReservationChanged = "reservation_changed" {
            hold: HoldId,
            total: i64,
            /// Asked for, not yet given back.
            refund: i64,
        }, offered about "hold:{hold}";
        GuestErased = "guest_erased" { hold: HoldId }, offered about "hold:{hold}";
        /// So many quotes were let go that nobody may come back to.
        QuotesPurged = "quotes_purged" { quotes: u32 };
    }
}

sent! {
    Shape::Text => DisputeState, PaymentState;
    Shape::Word("ReservationSource") => ReservationSource;
    Shape::Component("ReservationState") => ReservationState;
    Shape::Component("WhyNotForSale") => NotForSale;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Event;

    /// The stored format: a change here makes old journals unreadable.
    #[test]
    fn the_stored_format_is_fixed() {
        let property = PropertyName::new("sea").unwrap();
        let packed = |event: StaysEvent| postcard::to_stdvec(&Event::Stays(event)).unwrap();
        assert_eq!(
            packed(StaysEvent::PropertyChanged { property: property.clone(), version: 1 }),
            b"\x12\x00\x03sea\x02"
        );
        let event = StaysEvent::RatesChanged {
            property,
            room_type: RoomTypeCode::new("d").unwrap(),
            from: jiff::civil::date(2026, 12, 24),
            until: jiff::civil::date(2027, 1, 1),
            rate_plans: vec![RatePlanCode::new("p").unwrap()],
        };
        assert_eq!(packed(event), b"\x12\x03\x03sea\x01d\x0a2026-12-24\x0a2027-01-01\x01\x01p");
    }
}
