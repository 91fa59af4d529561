//! Which events are offered to endpoints, what they are called, and which of them must arrive in their order.

use std::fmt::Write;

use sha2::{Digest, Sha256};
use smol_str::{SmolStr, format_smolstr};

use crate::kernel::Event;
use crate::operations::OperationsEvent;
use crate::stays::StaysEvent;
use crate::stock::StockEvent;

use super::DELIVER_WEBHOOK;

/// An event that an endpoint may be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offered {
    /// As in the event feed.
    pub name: &'static str,
    /// What it is about: messages about one thing arrive in the order of the events.
    pub ordering: SmolStr,
}

/// The names of all events that are offered.
pub const OFFERED_EVENTS: &[&str] = &[
    "slug_claimed",
    "tenant_created",
    "policy_changed",
    "pool_changed",
    "pool_oversold",
    "hold_placed",
    "hold_extended",
    "hold_cancelled",
    "hold_expired",
    "hold_converted",
    "booked_given_back",
    "booked_moved",
    "key_created",
    "key_rotated",
    "key_revoked",
    "journal_trimmed",
    "operation_died",
    "case_opened",
    "case_resolved",
    "inbox_received",
    "schedule_fired",
    "announced",
    "property_changed",
    "room_type_changed",
    "rate_plan_changed",
    "rates_changed",
    "stay_created",
    "checkout_opened",
    "payment_changed",
    "reservation_made",
    "reservation_cancelled",
    "guests_did_not_come",
    "reservation_changed",
    "guest_erased",
    "store_changed",
    "product_changed",
    "barcode_changed",
    "books_closed",
    "document_posted",
    "document_reversed",
    "item_revalued",
];

/// Longer ones are hashed: they are part of a key.
const ORDERING_BYTES_MAX: usize = 300;

/// What the outbox itself does is not offered: a delivery that tells of a delivery would never end.
pub fn offered(event: &Event) -> Option<Offered> {
    let (name, ordering) = match event {
        Event::SlugClaimed { slug, .. } => ("slug_claimed", format_smolstr!("slug:{slug}")),
        Event::TenantCreated { .. } => ("tenant_created", "tenant".into()),
        Event::PolicyChanged { .. } => ("policy_changed", "tenant".into()),
        Event::PoolChanged { pool, .. } => ("pool_changed", format_smolstr!("pool:{pool}")),
        Event::PoolOversold { pool, .. } => ("pool_oversold", format_smolstr!("pool:{pool}")),
        Event::HoldPlaced { hold, .. } => ("hold_placed", format_smolstr!("hold:{hold}")),
        Event::HoldExtended { hold, .. } => ("hold_extended", format_smolstr!("hold:{hold}")),
        Event::HoldCancelled { hold, .. } => ("hold_cancelled", format_smolstr!("hold:{hold}")),
        Event::HoldExpired { hold, .. } => ("hold_expired", format_smolstr!("hold:{hold}")),
        Event::HoldConverted { hold, .. } => ("hold_converted", format_smolstr!("hold:{hold}")),
        Event::BookedGivenBack { hold, .. } => ("booked_given_back", format_smolstr!("hold:{hold}")),
        Event::BookedMoved { hold, .. } => ("booked_moved", format_smolstr!("hold:{hold}")),
        Event::KeyCreated { key } => ("key_created", format_smolstr!("key:{key}")),
        Event::KeyRotated { key, .. } => ("key_rotated", format_smolstr!("key:{key}")),
        Event::KeyRevoked { key } => ("key_revoked", format_smolstr!("key:{key}")),
        Event::JournalTrimmed { .. } => ("journal_trimmed", "journal".into()),
        Event::Operations(event) => offered_of_operations(event)?,
        // Between those who run the installation; the counters that it corrects were never right for anybody.
        Event::Repaired(_) => return None,
        Event::Stays(event) => offered_of_stays(event)?,
        Event::Stock(event) => offered_of_stock(event)?,
    };
    Some(Offered { name, ordering: bounded(ordering) })
}

fn offered_of_operations(event: &OperationsEvent) -> Option<(&'static str, SmolStr)> {
    match event {
        OperationsEvent::OperationDied { kind, .. } if kind == DELIVER_WEBHOOK.name => None,
        OperationsEvent::OperationDied { kind, key, .. } => {
            Some(("operation_died", format_smolstr!("operation:{kind} {key}")))
        }
        // Cases about an operation bear its name.
        OperationsEvent::CaseOpened { key, .. } | OperationsEvent::CaseResolved { key, .. } if is_delivery(key) => None,
        OperationsEvent::CaseOpened { kind, key } => Some(("case_opened", format_smolstr!("case:{kind} {key}"))),
        OperationsEvent::CaseResolved { kind, key } => Some(("case_resolved", format_smolstr!("case:{kind} {key}"))),
        OperationsEvent::InboxReceived { source, external_id, .. } => {
            Some(("inbox_received", format_smolstr!("inbox:{source} {external_id}")))
        }
        OperationsEvent::ScheduleFired { name, .. } => Some(("schedule_fired", format_smolstr!("schedule:{name}"))),
        OperationsEvent::Announced { topic, .. } => Some(("announced", format_smolstr!("topic:{topic}"))),
        OperationsEvent::OperationSucceeded { .. }
        | OperationsEvent::OperationRedriven { .. }
        | OperationsEvent::EffectSettled { .. }
        | OperationsEvent::CaseAssigned { .. }
        | OperationsEvent::EpochRaised { .. }
        | OperationsEvent::ScheduleChanged { .. }
        | OperationsEvent::ScheduleRemoved { .. }
        | OperationsEvent::EndpointChanged { .. }
        | OperationsEvent::EndpointDisabled { .. }
        | OperationsEvent::EndpointRemoved { .. } => None,
    }
}

fn offered_of_stays(event: &StaysEvent) -> Option<(&'static str, SmolStr)> {
    match event {
        StaysEvent::PropertyChanged { property, .. } => {
            Some(("property_changed", format_smolstr!("property:{property}")))
        }
        StaysEvent::RoomTypeChanged { property, .. } => {
            Some(("room_type_changed", format_smolstr!("property:{property}")))
        }
        StaysEvent::RatePlanChanged { property, .. } => {
            Some(("rate_plan_changed", format_smolstr!("property:{property}")))
        }
        StaysEvent::RatesChanged { property, .. } => Some(("rates_changed", format_smolstr!("property:{property}"))),
        // Somebody looked, and did not come back.
        StaysEvent::QuoteSaved { .. } | StaysEvent::QuotesPurged { .. } => None,
        // All that happens to one stay, in its order.
        StaysEvent::StayCreated { hold, .. } => Some(("stay_created", format_smolstr!("hold:{hold}"))),
        StaysEvent::CheckoutOpened { hold, .. } => Some(("checkout_opened", format_smolstr!("hold:{hold}"))),
        StaysEvent::PaymentChanged { hold, .. } => Some(("payment_changed", format_smolstr!("hold:{hold}"))),
        StaysEvent::ReservationMade { hold, .. } => Some(("reservation_made", format_smolstr!("hold:{hold}"))),
        StaysEvent::ReservationCancelled { hold, .. } => {
            Some(("reservation_cancelled", format_smolstr!("hold:{hold}")))
        }
        StaysEvent::GuestsDidNotCome { hold, .. } => Some(("guests_did_not_come", format_smolstr!("hold:{hold}"))),
        StaysEvent::ReservationChanged { hold, .. } => Some(("reservation_changed", format_smolstr!("hold:{hold}"))),
        StaysEvent::GuestErased { hold } => Some(("guest_erased", format_smolstr!("hold:{hold}"))),
    }
}

fn offered_of_stock(event: &StockEvent) -> Option<(&'static str, SmolStr)> {
    match event {
        StockEvent::StoreChanged { store, .. } => Some(("store_changed", format_smolstr!("store:{store}"))),
        StockEvent::ProductChanged { product, .. } => Some(("product_changed", format_smolstr!("product:{product}"))),
        StockEvent::BarcodeChanged { product, .. } => Some(("barcode_changed", format_smolstr!("product:{product}"))),
        StockEvent::BooksClosed { .. } => Some(("books_closed", "books".into())),
        // Nothing has moved yet, or not all of it.
        StockEvent::DocumentSaved { .. } | StockEvent::PostingBegan { .. } | StockEvent::PartPosted { .. } => None,
        StockEvent::DocumentPosted { document, .. } => {
            Some(("document_posted", format_smolstr!("document:{document}")))
        }
        StockEvent::DocumentReversed { document, .. } => {
            Some(("document_reversed", format_smolstr!("document:{document}")))
        }
        StockEvent::ItemRevalued { store, product, .. } => {
            Some(("item_revalued", format_smolstr!("item:{store}/{product}")))
        }
    }
}

fn is_delivery(case_key: &str) -> bool {
    case_key.strip_prefix(DELIVER_WEBHOOK.name).is_some_and(|rest| rest.starts_with(' '))
}

fn bounded(ordering: SmolStr) -> SmolStr {
    if ordering.len() <= ORDERING_BYTES_MAX {
        return ordering;
    }
    let mut text = String::from("long:");
    for byte in Sha256::digest(ordering.as_bytes()) {
        let _ = write!(text, "{byte:02x}");
    }
    text.into()
}
