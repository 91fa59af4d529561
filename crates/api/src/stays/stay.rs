//! Stays on the wire: rooms that are held for somebody. Who it is goes in and out, and is part of nothing that is kept
//! elsewhere: not of the canonical form of a request, not of a reply that is stored.

use smol_str::SmolStr;
use surehold_core::kernel::{self, Currency, HoldId, Invalid, Reference, Timestamp};
use surehold_core::stays::commands::{self, CheckoutReply, StayReply};
use surehold_core::stays::{
    self, GuestDetails, PropertyName, QuoteId, RatePlanCode, RoomTypeCode, StayDates, StayRoom,
};

use super::quote::{one, priced_nights};
use crate::describe::wire;
use crate::{CancellationPolicy, Day, OperationName, Payment, PricedNight, Reservation};

/// Who stays. Everything may be missing; nothing of it is in events or quotes.
#[wire(Default, PartialEq, Eq)]
pub struct Guest {
    #[schema(value_type = Option<crate::described::GuestText>, example = "Ann Example")]
    pub name: Option<SmolStr>,
    #[schema(value_type = Option<crate::described::GuestText>, example = "ann@example.org")]
    pub email: Option<SmolStr>,
    #[schema(value_type = Option<crate::described::GuestText>, example = "+55 11 5555 0100")]
    pub phone: Option<SmolStr>,
}

impl From<Guest> for GuestDetails {
    fn from(Guest { name, email, phone }: Guest) -> GuestDetails {
        GuestDetails { name, email, phone }
    }
}

/// The canonical form of a request is kept as a hash, and that must say nothing of a person.
pub(super) fn is_personal(_: &Guest) -> bool {
    true
}

/// A guest, unless erased.
pub(super) fn guest_out(guest: Option<stays::Guest>) -> (Option<Guest>, Option<Timestamp>) {
    let Some(stays::Guest { details: GuestDetails { name, email, phone }, erased_at, .. }) = guest else {
        return (None, None);
    };
    let known = erased_at.is_none().then_some(Guest { name, email, phone });
    (known, erased_at)
}

/// So many rooms of an option of the quote.
#[wire(Copy)]
pub struct StayItem {
    #[schema(minimum = 1, maximum = 200)]
    pub option: u16,
    #[serde(default = "one")]
    #[schema(minimum = 1, maximum = 100, default = 1)]
    pub rooms: u32,
}

/// Rooms that were quoted, to be held at that price.
#[wire]
#[schema(example = json!({
    "quote": "019a8d1e-6f00-7000-8000-000000000002", "items": [{"option": 1, "rooms": 1}],
    "guest": {"name": "Ann Example", "email": "ann@example.org", "phone": "+55 11 5555 0100"},
    "conversation": "chat-1", "lifetime_secs": 900
}))]
pub struct CreateStay {
    /// A UUIDv7 of your own: the identity of the request, so that a repeat finds the first stay. Without it an
    /// `Idempotency-Key` is needed.
    pub id: Option<HoldId>,
    pub quote: QuoteId,
    /// Together as many rooms as were quoted.
    #[schema(min_items = 1, max_items = 20)]
    pub items: Vec<StayItem>,
    #[serde(default, skip_serializing_if = "is_personal")]
    pub guest: Guest,
    /// Where it was agreed on: also the hold's `reference`.
    pub conversation: Option<Reference>,
    /// Seconds until the hold expires; the property's terms have the default, the tenant's policy the most.
    #[schema(minimum = 1, maximum = 31_622_400)]
    pub lifetime_secs: Option<i64>,
}

impl CreateStay {
    pub fn into_command(self, id: HoldId) -> Result<commands::CreateStay, Invalid> {
        let item = |StayItem { option, rooms }| commands::StayItem { option, rooms };
        let items = self.items.into_iter().map(item).collect();
        let mut create = commands::CreateStay::new(id, self.quote, items)?.guest(self.guest.into())?;
        if let Some(conversation) = self.conversation {
            create = create.conversation(conversation);
        }
        Ok(match self.lifetime_secs {
            Some(secs) => create.lifetime_secs(secs),
            None => create,
        })
    }
}

/// Booked without an online payment.
#[wire(Copy)]
#[schema(example = json!({"paid": 135_000}))]
pub struct ConfirmStay {
    /// So much was paid at the desk, in minor units.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1_000_000_000_000_i64, default = 0)]
    pub paid: i64,
}

/// Where the payer is sent afterwards.
#[wire]
#[schema(example = json!({"success_url": "https://example.org/thanks", "cancel_url": "https://example.org/back"}))]
pub struct RequestCheckout {
    #[schema(value_type = crate::described::PageUrl)]
    pub success_url: String,
    #[schema(value_type = crate::described::PageUrl)]
    pub cancel_url: String,
}

impl RequestCheckout {
    pub fn into_command(self, hold: HoldId) -> Result<commands::RequestCheckout, Invalid> {
        commands::RequestCheckout::new(hold, &self.success_url, &self.cancel_url)
    }
}

/// Rooms of one type at one price.
#[wire]
pub struct BookedRooms {
    #[schema(example = "double")]
    pub room_type: RoomTypeCode,
    #[schema(example = "flexible")]
    pub rate_plan: RatePlanCode,
    pub rooms: u32,
    /// Of one room.
    pub nights: Vec<PricedNight>,
    /// As it was promised.
    pub cancellation: CancellationPolicy,
}

pub(super) fn booked_rooms(dates: StayDates, rooms: &[StayRoom]) -> Vec<BookedRooms> {
    let booked = |room: &StayRoom| BookedRooms {
        room_type: room.room_type.clone(),
        rate_plan: room.rate_plan.clone(),
        rooms: room.rooms,
        nights: priced_nights(dates, &room.prices),
        cancellation: room.cancellation.into(),
    };
    rooms.iter().map(booked).collect()
}

/// The latest page on which the stay can be paid.
#[wire]
pub struct PaymentPage {
    /// Absent while the page is being made.
    pub url: Option<String>,
    /// The provider's name for it.
    #[schema(example = "cs_test_a1")]
    pub session: Option<String>,
    pub expires_at: Timestamp,
}

/// What a hold is about.
#[wire]
pub struct Stay {
    /// The id of the hold, of the stay and of the reservation that it may become.
    pub hold: HoldId,
    /// Of the hold.
    pub state: kernel::HoldState,
    /// From this instant on the rooms are not held any more.
    pub expires_at: Timestamp,
    /// Until then, of a live hold; where it is looked at.
    pub seconds_left: Option<i64>,
    pub property: PropertyName,
    pub quote: Option<QuoteId>,
    pub conversation: Option<Reference>,
    pub checkin: Day,
    #[schema(example = "2026-12-27")]
    pub checkout: Day,
    pub rooms: Vec<BookedRooms>,
    pub total: i64,
    pub currency: Currency,
    pub payment_page: Option<PaymentPage>,
    /// The payer is done, and the money is on its way.
    pub awaiting_payment: bool,
    /// One for each page that there was; where a single stay is looked at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub payments: Vec<Payment>,
    pub reservation: Option<Reservation>,
    /// Where the stay is looked at. Absent when erased.
    pub guest: Option<Guest>,
    pub guest_erased_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub version: i64,
}

impl From<StayReply> for Stay {
    fn from(StayReply { stay, hold, reservation }: StayReply) -> Stay {
        let payment_page = stay.checkout.as_ref().map(|checkout| PaymentPage {
            url: checkout.page.as_ref().map(|page| page.url.to_string()),
            session: checkout.page.as_ref().map(|page| page.session.to_string()),
            expires_at: checkout.expires_at,
        });
        Stay {
            hold: stay.hold,
            state: hold.state,
            expires_at: hold.expires_at,
            seconds_left: None,
            rooms: booked_rooms(stay.dates, &stay.rooms),
            property: stay.property,
            quote: stay.quote,
            conversation: stay.conversation,
            checkin: Day(stay.dates.checkin()),
            checkout: Day(stay.dates.checkout()),
            total: stay.total,
            currency: stay.currency,
            payment_page,
            awaiting_payment: stay.awaiting_payment,
            payments: Vec::new(),
            reservation: reservation.map(Reservation::from),
            guest: None,
            guest_erased_at: None,
            created_at: stay.created_at,
            updated_at: stay.updated_at,
            version: stay.version,
        }
    }
}

impl Stay {
    /// Where it is looked at.
    pub fn seen(StayReply { stay, hold, reservation }: StayReply, guest: Option<stays::Guest>, now: Timestamp) -> Stay {
        let hold = hold.as_of(now);
        let seconds_left = hold.is_live(now).then(|| hold.expires_at.secs_since(now).max(0));
        let (guest, guest_erased_at) = guest_out(guest);
        let stay = Stay::from(StayReply { stay, hold, reservation });
        Stay { seconds_left, guest, guest_erased_at, ..stay }
    }

    #[must_use]
    pub fn with_payments(self, payments: Vec<stays::Payment>) -> Stay {
        Stay { payments: payments.into_iter().map(Payment::from).collect(), ..self }
    }
}

#[wire(page)]
pub struct StayPage {
    pub stays: Vec<Stay>,
}

/// The page that was asked for, or the operation that makes it.
#[wire]
pub struct Checkout {
    pub page: PaymentPage,
    /// Makes the page, or has made it.
    pub operation: OperationName,
    /// The hold outlives the page.
    pub hold_expires_at: Timestamp,
}

impl From<CheckoutReply> for Checkout {
    fn from(reply: CheckoutReply) -> Checkout {
        let (url, session) = reply.page.map(|page| (page.url.to_string(), page.session.to_string())).unzip();
        let operation =
            OperationName { r#type: reply.operation.kind.to_string(), key: reply.operation.key.to_string() };
        let page = PaymentPage { url, session, expires_at: reply.expires_at };
        Checkout { page, operation, hold_expires_at: reply.hold_expires_at }
    }
}

#[wire(Copy)]
pub struct GuestErased {
    pub hold: HoldId,
    pub erased_at: Timestamp,
}

impl From<commands::GuestErased> for GuestErased {
    fn from(commands::GuestErased { hold, erased_at }: commands::GuestErased) -> GuestErased {
        GuestErased { hold, erased_at }
    }
}
