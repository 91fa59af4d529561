//! What can be done to properties, to what their nights cost, and to quotes. Each file states the order in which it
//! refuses.

mod calendar;
mod properties;
mod quotes;

pub use calendar::{
    CALENDAR_REQUEST_NIGHTS_MAX, CalendarRequest, CalendarSet, InventoryChange, OversoldNight, RateChange, RowsPart,
    Set, SetCalendar, chunks, put_together,
};
pub use properties::{PutProperty, PutRatePlan, PutRoomType, RATE_PLANS_MAX, ROOM_TYPES_MAX};
pub use quotes::{PurgeQuotes, QUOTES_PER_PURGE_MAX, SaveQuote};

use super::{Property, PropertyName, StayRefusal};
use crate::kernel::{Facts, Refusal, Stop, Tenant};

type Decision<T> = Result<T, Stop<StayRefusal>>;

/// Refuses, in this order: no such tenant; no such property.
fn known_property(facts: &mut Facts, name: &PropertyName) -> Decision<Property> {
    require_tenant(facts)?;
    let property = facts.get::<Property>(name)?.cloned();
    Ok(property.ok_or_else(|| StayRefusal::PropertyNotFound { property: name.clone() })?)
}

fn require_tenant(facts: &mut Facts) -> Decision<()> {
    facts.get::<Tenant>(&())?.ok_or(Refusal::TenantNotFound)?;
    Ok(())
}

mod checkout;
mod create_stay;
mod end_stay;
mod guests;
mod reservations;
mod rooms;
#[cfg(test)]
mod tests;
mod walk_in;

pub use checkout::{CheckoutReply, PAGES_MAX, RequestCheckout};
pub use create_stay::{CreateStay, StayItem, StayReply};
pub use end_stay::{CancelStay, ConfirmStay};
pub use guests::{EraseGuest, GuestErased};
pub use reservations::{CancelReservation, ChangeReservation, NoShow, ReservationReply};
pub use rooms::WantedRooms;
pub use walk_in::WalkIn;

use crate::kernel::{AMOUNT_MAX, Invalid};

fn paid_amount(amount: i64) -> Result<i64, Invalid> {
    let (what, amount_min, amount_max) = ("what was paid".to_owned(), 0, AMOUNT_MAX);
    let sane = (amount_min..=amount_max).contains(&amount);
    if sane { Ok(amount) } else { Err(Invalid::Amount { what, amount, amount_min, amount_max }) }
}
