//! Events on the wire: the journal's, with names that do not change.

use serde::Serialize;
use surehold_core::kernel::{self, ConvertMode, HoldId, HoldPolicy, KeyId, PoolKey, Timestamp};
use surehold_core::operations::OperationsEvent;
use surehold_core::repairs::{self, Repaired};
use surehold_core::stays::StaysEvent;
use surehold_core::stock::StockEvent;

use super::described;
use crate::describe::ToSchema;

use super::stock::decimal;
use super::{Line, LinesOut, PoolName};

/// Something that happened, at its place in the tenant's journal.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Event {
    /// The event's place: give it as `after` or `Last-Event-ID` to get what follows.
    #[schema(example = "12-0")]
    pub cursor: String,
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    #[serde(flatten)]
    pub body: EventBody,
}

/// `versions` are those of the pools after the event.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum EventBody {
    SlugClaimed {
        slug: String,
        claimed_by: i64,
    },
    TenantCreated {
        #[schema(value_type = super::Policy)]
        policy: HoldPolicy,
    },
    PolicyChanged {
        #[schema(value_type = super::Policy)]
        policy: HoldPolicy,
    },
    PoolChanged {
        #[schema(value_type = PoolName)]
        pool: PoolKey,
        version: i64,
        total: i64,
        overbook: i64,
        granted: i64,
        closed: bool,
    },
    PoolOversold {
        #[schema(value_type = PoolName)]
        pool: PoolKey,
        oversold: i64,
    },
    HoldPlaced {
        #[schema(value_type = described::HoldId)]
        hold: HoldId,
        versions: Vec<i64>,
    },
    HoldExtended {
        #[schema(value_type = described::HoldId)]
        hold: HoldId,
        #[schema(value_type = String, format = DateTime)]
        expires_at: Timestamp,
    },
    HoldCancelled {
        #[schema(value_type = described::HoldId)]
        hold: HoldId,
        versions: Vec<i64>,
    },
    HoldExpired {
        #[schema(value_type = described::HoldId)]
        hold: HoldId,
        versions: Vec<i64>,
    },
    HoldConverted {
        #[schema(value_type = described::HoldId)]
        hold: HoldId,
        #[schema(value_type = super::ConvertMode)]
        mode: ConvertMode,
        #[schema(value_type = Vec<Line>)]
        kept: LinesOut,
        versions: Vec<i64>,
    },
    BookedGivenBack {
        #[schema(value_type = described::HoldId)]
        hold: HoldId,
        #[schema(value_type = Vec<Line>)]
        lines: LinesOut,
        versions: Vec<i64>,
    },
    BookedMoved {
        #[schema(value_type = described::HoldId)]
        hold: HoldId,
        #[schema(value_type = Vec<Line>)]
        from: LinesOut,
        #[schema(value_type = Vec<Line>)]
        to: LinesOut,
        #[schema(value_type = Vec<PoolName>)]
        pools: Vec<PoolKey>,
        versions: Vec<i64>,
    },
    KeyCreated {
        #[schema(value_type = String)]
        key: KeyId,
    },
    KeyRotated {
        #[schema(value_type = String)]
        key: KeyId,
        #[schema(value_type = String)]
        replaced_by: KeyId,
        #[schema(value_type = String, format = DateTime)]
        ends_at: Timestamp,
    },
    KeyRevoked {
        #[schema(value_type = String)]
        key: KeyId,
    },
    JournalTrimmed {
        /// Events of rows before this one are gone.
        before_seq: i64,
    },
    OperationSucceeded {
        operation: OperationName,
        generation: u32,
    },
    OperationDied {
        operation: OperationName,
        generation: u32,
        /// Why, in a word.
        code: String,
    },
    OperationRedriven {
        operation: OperationName,
        generation: u32,
    },
    EffectSettled {
        operation: OperationName,
        step: u16,
        confirmed: bool,
    },
    CaseOpened {
        case: CaseName,
    },
    CaseAssigned {
        case: CaseName,
    },
    CaseResolved {
        case: CaseName,
    },
    EpochRaised {
        number: i64,
    },
    InboxReceived {
        source: String,
        external_id: String,
        operation: OperationName,
    },
    ScheduleChanged {
        name: String,
    },
    ScheduleRemoved {
        name: String,
    },
    ScheduleFired {
        name: String,
        /// The instant that the schedule names.
        #[schema(value_type = String, format = DateTime)]
        planned_for: Timestamp,
        /// Instants before that one which were missed and are not made up for; 1440 stands for as many or more.
        skipped: u32,
    },
    EndpointChanged {
        endpoint: String,
    },
    EndpointDisabled {
        endpoint: String,
    },
    EndpointRemoved {
        endpoint: String,
    },
    Announced {
        topic: String,
        #[schema(value_type = Object)]
        data: serde_json::Value,
    },
    /// Something that an audit found was put right by hand.
    Repaired {
        repaired: RepairedThing,
        actor: String,
        reason: String,
    },
    PropertyChanged {
        property: String,
        version: i64,
    },
    RoomTypeChanged {
        property: String,
        room_type: String,
        version: i64,
    },
    RatePlanChanged {
        property: String,
        rate_plan: String,
        version: i64,
    },
    /// Some rates of nights in the range changed, in these plans.
    RatesChanged {
        property: String,
        room_type: String,
        #[schema(format = Date)]
        from: String,
        /// Not in the range.
        #[schema(format = Date)]
        until: String,
        rate_plans: Vec<String>,
    },
    QuoteSaved {
        #[schema(format = Uuid)]
        quote: String,
        property: String,
    },
    /// Quotes that nobody may come back to were let go.
    QuotesPurged {
        quotes: u32,
    },
    StayCreated {
        #[schema(value_type = described::HoldId)]
        hold: HoldId,
        property: String,
        /// In minor units.
        total: i64,
        currency: String,
    },
    /// The stay can be paid on a page of the provider.
    CheckoutOpened {
        #[schema(value_type = described::HoldId)]
        hold: HoldId,
        session: String,
        #[schema(value_type = String, format = DateTime)]
        expires_at: Timestamp,
    },
    PaymentChanged {
        #[schema(value_type = described::HoldId)]
        hold: HoldId,
        session: String,
        state: String,
        received: i64,
        refunded: i64,
        dispute: Option<String>,
    },
    ReservationMade {
        #[schema(value_type = described::HoldId)]
        hold: HoldId,
        /// The hold that has the booked rooms.
        #[schema(value_type = described::HoldId)]
        booked_by: HoldId,
        source: String,
        total: i64,
        paid: i64,
    },
    ReservationCancelled {
        #[schema(value_type = described::HoldId)]
        hold: HoldId,
        penalty: i64,
        /// Asked for, not yet given back.
        refund: i64,
    },
    GuestsDidNotCome {
        #[schema(value_type = described::HoldId)]
        hold: HoldId,
        penalty: i64,
        refund: i64,
    },
    ReservationChanged {
        #[schema(value_type = described::HoldId)]
        hold: HoldId,
        total: i64,
        refund: i64,
    },
    GuestErased {
        #[schema(value_type = described::HoldId)]
        hold: HoldId,
    },
    StoreChanged {
        store: String,
        version: i64,
    },
    ProductChanged {
        product: String,
        version: i64,
    },
    BarcodeChanged {
        code: String,
        product: String,
        version: i64,
    },
    /// Nothing takes effect before that instant any more, in any store.
    BooksClosed {
        #[schema(value_type = String, format = DateTime)]
        until: Timestamp,
    },
    /// A draft: nothing has moved.
    DocumentSaved {
        #[schema(format = Uuid)]
        document: String,
        version: i64,
    },
    /// A long document is posted part by part from now on.
    PostingBegan {
        #[schema(format = Uuid)]
        document: String,
        parts: u32,
    },
    PartPosted {
        #[schema(format = Uuid)]
        document: String,
        part: u32,
        lines: u32,
        /// Lines that could not be posted.
        skipped: u32,
    },
    DocumentPosted {
        #[schema(format = Uuid)]
        document: String,
        kind: String,
        store: String,
        #[schema(value_type = String, format = DateTime)]
        effective_at: Timestamp,
        /// Of all lines, as posted.
        #[schema(value_type = described::Money)]
        cost: String,
    },
    DocumentReversed {
        #[schema(format = Uuid)]
        document: String,
        #[schema(format = Uuid)]
        by: String,
    },
    /// Costs of earlier rows are others now, because something took effect before them.
    ItemRevalued {
        store: String,
        place: String,
        product: String,
        rows: u32,
        /// By how much the value changed.
        #[schema(value_type = described::Money)]
        value: String,
        /// Nothing is left to be worked out.
        done: bool,
    },
}

/// What was put right.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RepairedThing {
    /// Counters of a pool; `version` is its after the event.
    Pool {
        #[schema(value_type = PoolName)]
        pool: PoolKey,
        version: i64,
        held_delta: i64,
        booked_delta: i64,
    },
    /// What an owner holds, as counted now.
    Owner { owner: String, holds: i64, lifetime_secs: i64 },
    /// A lock that was removed.
    Lock { aggregate: String, operation: OperationName },
}

/// The identity of an operation.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct OperationName {
    #[schema(example = "DELIVER_WEBHOOK")]
    pub r#type: String,
    pub key: String,
}

/// The identity of a case.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct CaseName {
    #[schema(example = "effect-unknown")]
    pub kind: String,
    pub key: String,
}

/// The event as it is told, in the feed and to webhook endpoints.
pub fn render_event(event: &kernel::Event) -> serde_json::Value {
    serde_json::to_value(EventBody::from(event.clone())).expect("events are plain data")
}

impl From<kernel::Event> for EventBody {
    fn from(event: kernel::Event) -> EventBody {
        use kernel::Event as E;
        match event {
            E::SlugClaimed { slug, claimed_by } => {
                EventBody::SlugClaimed { slug: slug.to_string(), claimed_by: claimed_by.0 }
            }
            E::TenantCreated { policy } => EventBody::TenantCreated { policy },
            E::PolicyChanged { policy } => EventBody::PolicyChanged { policy },
            E::PoolChanged { pool, version, total, overbook, granted, closed } => {
                EventBody::PoolChanged { pool, version, total, overbook, granted, closed }
            }
            E::PoolOversold { pool, oversold } => EventBody::PoolOversold { pool, oversold },
            E::HoldPlaced { hold, versions } => EventBody::HoldPlaced { hold, versions },
            E::HoldExtended { hold, expires_at } => EventBody::HoldExtended { hold, expires_at },
            E::HoldCancelled { hold, versions } => EventBody::HoldCancelled { hold, versions },
            E::HoldExpired { hold, versions } => EventBody::HoldExpired { hold, versions },
            E::HoldConverted { hold, mode, kept, versions } => {
                EventBody::HoldConverted { hold, mode, kept: LinesOut(kept), versions }
            }
            E::BookedGivenBack { hold, lines, versions } => {
                EventBody::BookedGivenBack { hold, lines: LinesOut(lines), versions }
            }
            E::BookedMoved { hold, from, to, pools, versions } => {
                EventBody::BookedMoved { hold, from: LinesOut(from), to: LinesOut(to), pools, versions }
            }
            E::KeyCreated { key } => EventBody::KeyCreated { key },
            E::KeyRotated { key, replaced_by, ends_at } => EventBody::KeyRotated { key, replaced_by, ends_at },
            E::KeyRevoked { key } => EventBody::KeyRevoked { key },
            E::JournalTrimmed { before_seq } => EventBody::JournalTrimmed { before_seq },
            E::Operations(event) => event.into(),
            E::Repaired(Repaired { thing, actor, reason }) => {
                let (actor, reason) = (actor.to_string(), reason.to_string());
                EventBody::Repaired { repaired: thing.into(), actor, reason }
            }
            E::Stays(event) => event.into(),
            E::Stock(event) => event.into(),
        }
    }
}

impl From<StaysEvent> for EventBody {
    fn from(event: StaysEvent) -> EventBody {
        use StaysEvent as E;
        match event {
            E::PropertyChanged { property, version } => {
                EventBody::PropertyChanged { property: property.to_string(), version }
            }
            E::RoomTypeChanged { property, room_type, version } => {
                let (property, room_type) = (property.to_string(), room_type.to_string());
                EventBody::RoomTypeChanged { property, room_type, version }
            }
            E::RatePlanChanged { property, rate_plan, version } => {
                let (property, rate_plan) = (property.to_string(), rate_plan.to_string());
                EventBody::RatePlanChanged { property, rate_plan, version }
            }
            E::RatesChanged { property, room_type, from, until, rate_plans } => EventBody::RatesChanged {
                property: property.to_string(),
                room_type: room_type.to_string(),
                from: from.to_string(),
                until: until.to_string(),
                rate_plans: rate_plans.iter().map(ToString::to_string).collect(),
            },
            E::QuoteSaved { quote, property } => {
                EventBody::QuoteSaved { quote: quote.to_string(), property: property.to_string() }
            }
            E::QuotesPurged { quotes } => EventBody::QuotesPurged { quotes },
            E::StayCreated { hold, property, total, currency } => {
                let (property, currency) = (property.to_string(), currency.to_string());
                EventBody::StayCreated { hold, property, total, currency }
            }
            E::CheckoutOpened { hold, session, expires_at } => {
                EventBody::CheckoutOpened { hold, session: session.into(), expires_at }
            }
            E::PaymentChanged { hold, session, state, received, refunded, dispute } => EventBody::PaymentChanged {
                hold,
                session: session.into(),
                state: state.to_string(),
                received,
                refunded,
                dispute: dispute.map(|dispute| dispute.to_string()),
            },
            E::ReservationMade { hold, booked_by, source, total, paid } => {
                EventBody::ReservationMade { hold, booked_by, source: source.to_string(), total, paid }
            }
            E::ReservationCancelled { hold, penalty, refund } => {
                EventBody::ReservationCancelled { hold, penalty, refund }
            }
            E::GuestsDidNotCome { hold, penalty, refund } => EventBody::GuestsDidNotCome { hold, penalty, refund },
            E::ReservationChanged { hold, total, refund } => EventBody::ReservationChanged { hold, total, refund },
            E::GuestErased { hold } => EventBody::GuestErased { hold },
        }
    }
}

impl From<StockEvent> for EventBody {
    fn from(event: StockEvent) -> EventBody {
        use StockEvent as E;
        match event {
            E::StoreChanged { store, version } => EventBody::StoreChanged { store: store.to_string(), version },
            E::ProductChanged { product, version } => {
                EventBody::ProductChanged { product: product.to_string(), version }
            }
            E::BarcodeChanged { code, product, version } => {
                EventBody::BarcodeChanged { code: code.to_string(), product: product.to_string(), version }
            }
            E::BooksClosed { until } => EventBody::BooksClosed { until },
            E::DocumentSaved { document, version } => {
                EventBody::DocumentSaved { document: document.to_string(), version }
            }
            E::PostingBegan { document, parts } => EventBody::PostingBegan { document: document.to_string(), parts },
            E::PartPosted { document, part, lines, skipped } => {
                EventBody::PartPosted { document: document.to_string(), part, lines, skipped }
            }
            E::DocumentPosted { document, kind, store, effective_at, cost } => {
                let (document, kind, store) = (document.to_string(), kind.to_string(), store.to_string());
                EventBody::DocumentPosted { document, kind, store, effective_at, cost: decimal(cost) }
            }
            E::DocumentReversed { document, by } => {
                EventBody::DocumentReversed { document: document.to_string(), by: by.to_string() }
            }
            E::ItemRevalued { store, place, product, rows, value, done } => {
                let (store, place, product) = (store.to_string(), place.to_string(), product.to_string());
                EventBody::ItemRevalued { store, place, product, rows, value: decimal(value), done }
            }
        }
    }
}

impl From<OperationsEvent> for EventBody {
    fn from(event: OperationsEvent) -> EventBody {
        use OperationsEvent as E;
        match event {
            E::OperationSucceeded { kind, key, generation, events: _ } => {
                EventBody::OperationSucceeded { operation: operation(&kind, &key), generation }
            }
            E::OperationDied { kind, key, generation, code } => {
                EventBody::OperationDied { operation: operation(&kind, &key), generation, code: code.into() }
            }
            E::OperationRedriven { kind, key, generation } => {
                EventBody::OperationRedriven { operation: operation(&kind, &key), generation }
            }
            E::EffectSettled { kind, key, step, confirmed } => {
                EventBody::EffectSettled { operation: operation(&kind, &key), step, confirmed }
            }
            E::CaseOpened { kind, key } => EventBody::CaseOpened { case: case(&kind, &key) },
            E::CaseAssigned { kind, key } => EventBody::CaseAssigned { case: case(&kind, &key) },
            E::CaseResolved { kind, key } => EventBody::CaseResolved { case: case(&kind, &key) },
            E::EpochRaised { number } => EventBody::EpochRaised { number },
            E::InboxReceived { source, external_id, kind, key } => {
                let operation = operation(&kind, &key);
                EventBody::InboxReceived { source: source.into(), external_id: external_id.into(), operation }
            }
            E::ScheduleChanged { name } => EventBody::ScheduleChanged { name: name.into() },
            E::ScheduleRemoved { name } => EventBody::ScheduleRemoved { name: name.into() },
            E::ScheduleFired { name, planned_for, skipped } => {
                EventBody::ScheduleFired { name: name.into(), planned_for, skipped }
            }
            E::EndpointChanged { endpoint } => EventBody::EndpointChanged { endpoint: endpoint.into() },
            E::EndpointDisabled { endpoint } => EventBody::EndpointDisabled { endpoint: endpoint.into() },
            E::EndpointRemoved { endpoint } => EventBody::EndpointRemoved { endpoint: endpoint.into() },
            E::Announced { topic, data } => {
                let data = serde_json::from_str(&data).unwrap_or_default();
                EventBody::Announced { topic: topic.into(), data }
            }
        }
    }
}

impl From<repairs::RepairedThing> for RepairedThing {
    fn from(thing: repairs::RepairedThing) -> RepairedThing {
        use repairs::RepairedThing as T;
        match thing {
            T::Pool { pool, version, held_delta, booked_delta } => {
                RepairedThing::Pool { pool, version, held_delta, booked_delta }
            }
            T::Owner { owner, holds, lifetime_secs } => {
                RepairedThing::Owner { owner: owner.to_string(), holds, lifetime_secs }
            }
            T::Lock { aggregate, kind, key } => {
                RepairedThing::Lock { aggregate: aggregate.into(), operation: operation(&kind, &key) }
            }
        }
    }
}

fn operation(kind: &str, key: &str) -> OperationName {
    OperationName { r#type: kind.to_owned(), key: key.to_owned() }
}

fn case(kind: &str, key: &str) -> CaseName {
    CaseName { kind: kind.to_owned(), key: key.to_owned() }
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct EventPage {
    pub events: Vec<Event>,
    /// The place behind the last event here: give it as `after` to get what follows, now or later.
    pub next: String,
    /// Whether more is there already.
    pub more: bool,
}
