//! Names and ids of what is sold by the night.

use std::fmt;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use uuid::{Uuid, Variant};

use crate::kernel::{Invalid, PoolKey, ResourceName, Slot, Timestamp, check_name, check_slug, name, uuid_v7};

name!(
    /// A hotel, a hostel, a house: everything that has one address, one time zone and one currency.
    PropertyName, "property", check_slug, SLUG, "casa-mar"
);
name!(
    /// Rooms that are sold as equals.
    RoomTypeCode, "room type", check_slug, SLUG, "double"
);
name!(
    /// Under which conditions a room is sold: flexible, non-refundable, with breakfast.
    RatePlanCode, "rate plan", check_slug, SLUG, "flexible"
);
name!(
    /// The property's account at the payment provider.
    PaymentAccount, "payment account", check_name, NAME
);
uuid_v7!(
    /// Identity of a quote and of the request that made it.
    QuoteId, "019a8d1e-6f00-7000-8000-000000000002"
);

/// What the pools of a room type are named by, on all nights.
pub fn rooms_of(property: &PropertyName, room_type: &RoomTypeCode) -> ResourceName {
    ResourceName::new(&format!("{property}/{room_type}")).expect("two slugs are a short, legal name")
}

/// The pool that the rooms of a type are sold from on a night. Neither name has a slash, so no two share a pool. The date
/// is one of a [`StayDates`](super::StayDates) or a [`NightRange`](super::NightRange).
pub fn pool_of(property: &PropertyName, room_type: &RoomTypeCode, night: Date) -> PoolKey {
    PoolKey {
        resource: rooms_of(property, room_type),
        slot: Slot::night(night).expect("nights have years of four digits"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pools() {
        let longest = "x".repeat(63);
        for (property, room_type) in [("sea-view", "double"), (&longest, &longest)] {
            let (name, code) = (PropertyName::new(property).unwrap(), RoomTypeCode::new(room_type).unwrap());
            let pool = pool_of(&name, &code, jiff::civil::date(2026, 12, 24));
            assert_eq!(pool.to_string(), format!("{property}/{room_type} on 2026-12-24"));
        }
        assert!(PropertyName::new("a/b").is_err());
    }
}
