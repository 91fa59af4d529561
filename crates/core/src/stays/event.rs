//! What happened to what is sold by the night. Variants are only ever appended: their order is the stored format. No
//! event has anything about a guest: the journal cannot be erased.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::{DisputeState, PaymentState, PropertyName, QuoteId, RatePlanCode, ReservationSource, RoomTypeCode};
use crate::kernel::{Currency, HoldId, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StaysEvent {
    PropertyChanged {
        property: PropertyName,
        version: i64,
    },
    RoomTypeChanged {
        property: PropertyName,
        room_type: RoomTypeCode,
        version: i64,
    },
    RatePlanChanged {
        property: PropertyName,
        rate_plan: RatePlanCode,
        version: i64,
    },
    /// Some rates of nights in the half-open range changed, in these plans. What happened to pools is told by their own
    /// events.
    RatesChanged {
        property: PropertyName,
        room_type: RoomTypeCode,
        from: Date,
        until: Date,
        rate_plans: Vec<RatePlanCode>,
    },
    QuoteSaved {
        quote: QuoteId,
        property: PropertyName,
    },
    StayCreated {
        hold: HoldId,
        property: PropertyName,
        total: i64,
        currency: Currency,
    },
    /// The stay can be paid there, until then.
    CheckoutOpened {
        hold: HoldId,
        session: SmolStr,
        expires_at: Timestamp,
    },
    /// Where the payment stands now.
    PaymentChanged {
        hold: HoldId,
        session: SmolStr,
        state: PaymentState,
        received: i64,
        /// What the payer has back.
        refunded: i64,
        dispute: Option<DisputeState>,
    },
    ReservationMade {
        hold: HoldId,
        booked_by: HoldId,
        source: ReservationSource,
        total: i64,
        paid: i64,
    },
    /// `refund` is asked for, not yet given back.
    ReservationCancelled {
        hold: HoldId,
        penalty: i64,
        refund: i64,
    },
    GuestsDidNotCome {
        hold: HoldId,
        penalty: i64,
        refund: i64,
    },
    ReservationChanged {
        hold: HoldId,
        total: i64,
        refund: i64,
    },
    GuestErased {
        hold: HoldId,
    },
    /// So many quotes went that nobody may come back to.
    QuotesPurged {
        quotes: u32,
    },
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
