//! A door for the fuzzer: the readers of outside input, and what they understood. Nothing is decided or kept here, and
//! no build that is meant for use has it.

use std::fmt::Debug;
use std::sync::LazyLock;

use axum::extract::Query;
use axum::http::{HeaderMap, HeaderValue, Uri};
use secrecy::ExposeSecret;
use serde::Serialize;
use serde::de::DeserializeOwned;
use surehold_connect::webhooks::Secret;
use surehold_core::kernel::commands as kernel_commands;
use surehold_core::kernel::{HoldId, KeyId, KeyScopes, PoolKey, ResourceName, Slot};
use surehold_core::operations::outbox::EventCursor;
use surehold_core::operations::{self, DedupeKey, InboxName, OperationKey, ScheduleName, SigningSecret, TypeName};
use surehold_core::stays::{self, PropertyName, RatePlanCode, RatePlanKey, RoomTypeCode, RoomTypeKey};
use surehold_core::stock::{Barcode, BarcodeText, DocumentId, DocumentKind, ProductCode, StoreName};
use surehold_engine::{Registry, builtin};

use super::availability::Range;
use super::body::Idempotency;
use super::calendar::AskCalendar;
use super::cases::ListCases;
use super::documents::{AskPart, ListDocuments};
use super::endpoints::ListDeliveries;
use super::events::{Cursor, ListEvents};
use super::holds::ListHolds;
use super::keys::ListKeys;
use super::operations::{AskTimeline, Asked, ListOperations};
use super::params::page_items;
use super::pools::ListPools;
use super::products::ListProducts;
use super::properties::ListProperties;
use super::reservations::ListReservations;
use super::schedules::ListSchedules;
use super::stays::{AwaitCheckout, ListStays};
use super::stock::{AskBalances, AskCard, AskItem, AskShortages, AskTurnover, ListStock};
use super::stores::ListStores;
use super::tenants::ListTenants;
use super::webhooks::WebhookQuery;
use super::{batch, caller, cases, holds, operations as operation_lists, parse, pools, reservations, stock, tasks};
use crate::inbox::EXPIRE_HOLD_TASK;
use crate::keys::{KeyRef, parse_key};
use crate::problem::Problem;
use crate::wire;

/// A body that was taken.
#[derive(Debug, PartialEq, Eq)]
pub struct Understood {
    /// The body and the command that came of it, or why none did.
    pub meaning: String,
    /// Its canonical form, under which a repeat is recognised, if it has one.
    pub canonical: Option<Vec<u8>>,
}

pub type ReadBody = fn(&[u8]) -> Option<Understood>;
pub type ReadText = fn(&str) -> Option<String>;

/// Every body that is taken, by the word for it.
pub const BODIES: &[(&str, ReadBody)] = &[
    ("place", |body| canonical(body, |place: wire::PlaceHold| place.into_command(some_hold()))),
    ("extend", |body| canonical(body, |extend: wire::ExtendHold| extend.into_command(some_hold()))),
    ("convert", |body| canonical(body, |convert: wire::ConvertHold| convert.into_command(some_hold()))),
    ("move", |body| canonical(body, |moved: wire::MoveBooked| moved.into_command(some_hold()))),
    ("give back", |body| canonical(body, |back: wire::GiveBack| back.into_command(some_hold()))),
    ("pool", |body| canonical(body, |put: wire::PutPool| put.into_command(some_pool()))),
    ("pools", |body| canonical(body, wire::PutPools::into_command)),
    ("adjust", |body| {
        canonical(body, |adjust: wire::AdjustPool| kernel_commands::AdjustPool::new(some_pool(), adjust.total_delta))
    }),
    ("policy", |body| canonical(body, |policy: wire::Policy| plain(surehold_core::kernel::HoldPolicy::from(policy)))),
    ("tenant", |body| canonical(body, plain::<wire::CreateTenant>)),
    ("act", |body| canonical(body, plain::<wire::Act>)),
    ("assign", |body| canonical(body, plain::<wire::AssignCase>)),
    ("settle", |body| canonical(body, |settle: wire::SettleEffect| settle.into_command(some_operation()))),
    ("key", |body| {
        understood(body, |key: wire::CreateKey| {
            let scopes: Vec<_> = key.scopes.into_iter().map(Into::into).collect();
            KeyScopes::new(&scopes)
        })
    }),
    ("rotate", |body| {
        understood(body, |rotate: wire::RotateKey| {
            let (old, new) = (KeyId::new(1), KeyId::new(2));
            kernel_commands::RotateKey::new(old, new, [7; 32], rotate.overlap_secs)
        })
    }),
    ("inbox", |body| understood(body, |put: wire::PutInbox| inbox(&put))),
    ("schedule", |body| {
        let name = ScheduleName::new("nightly").expect("a good name");
        understood(body, |put: wire::PutSchedule| wire::schedule_command(put, name, &REGISTRY))
    }),
    ("endpoint", |body| understood(body, plain::<wire::PutWebhookEndpoint>)),
    ("webhook secret", |body| understood(body, plain::<wire::RotateWebhookSecret>)),
    ("enable", |body| understood(body, plain::<wire::EnableWebhookEndpoint>)),
    ("replay", |body| {
        let cursors = |replay: wire::ReplayEvents| (EventCursor::parse(&replay.from), EventCursor::parse(&replay.to));
        understood(body, |replay| plain(cursors(replay)))
    }),
    ("task", |body| {
        let operation = (EXPIRE_HOLD_TASK.read)(body).ok()?;
        Some(Understood { meaning: format!("{operation:?}"), canonical: None })
    }),
    ("property", |body| understood(body, |put: wire::PutProperty| put.into_command(some_property()))),
    ("room type", |body| {
        let key = RoomTypeKey { property: some_property(), code: RoomTypeCode::new("double").expect("a good code") };
        understood(body, |put: wire::PutRoomType| put.into_command(key))
    }),
    ("rate plan", |body| {
        let key = RatePlanKey { property: some_property(), code: RatePlanCode::new("flexible").expect("a good code") };
        understood(body, |put: wire::PutRatePlan| put.into_command(key))
    }),
    ("calendar", |body| understood(body, |put: wire::PutCalendar| put.into_commands(&some_property()))),
    ("quote", |body| understood(body, |ask: wire::AskQuote| ask.wish())),
    // The guest is not part of their canonical form, so that cannot be read back.
    ("stay", |body| understood(body, |create: wire::CreateStay| create.into_command(some_hold()))),
    ("walk-in", |body| understood(body, |walk_in: wire::WalkIn| walk_in.into_command(some_hold()))),
    ("confirm", |body| {
        canonical(body, |confirm: wire::ConfirmStay| stays::commands::ConfirmStay::new(some_hold(), confirm.paid))
    }),
    ("checkout", |body| canonical(body, |ask: wire::RequestCheckout| ask.into_command(some_hold()))),
    ("end", |body| canonical(body, plain::<wire::EndReservation>)),
    ("change", |body| canonical(body, |change: wire::ChangeReservation| change.into_command(some_hold()))),
    ("store", |body| understood(body, |put: wire::stock::PutStore| plain(put.into_command(some_store())))),
    ("product", |body| understood(body, |put: wire::stock::PutProduct| put.into_command(some_product()))),
    ("barcodes", |body| understood(body, |put: wire::stock::PutBarcodes| put.into_command(some_product()))),
    ("books", |body| understood(body, plain::<wire::stock::CloseBooks>)),
    ("document", |body| canonical(body, |new: wire::stock::NewDocument| new.into_content(&some_barcodes()))),
    ("lines", |body| {
        understood(body, |lines: wire::stock::SaveLines| {
            lines.into_command((some_document(), DocumentKind::Purchase, 1), &some_barcodes())
        })
    }),
    ("reverse", |body| {
        canonical(body, |reverse: wire::stock::ReverseDocument| {
            reverse.into_command(some_document(), some_document(), some_store())
        })
    }),
    ("sell", |body| canonical(body, |sell: wire::stock::SellHold| sell.into_content(&some_barcodes()))),
];

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| builtin(Registry::default()));

fn some_hold() -> HoldId {
    HoldId::parse("01980000-0000-7000-8000-000000000001").expect("a UUIDv7")
}

fn some_property() -> PropertyName {
    PropertyName::new("sea").expect("a good name")
}

fn some_store() -> StoreName {
    StoreName::new("main").expect("a good name")
}

fn some_product() -> ProductCode {
    ProductCode::new("tea").expect("a good code")
}

fn some_document() -> DocumentId {
    DocumentId::new(some_hold().uuid()).expect("a UUIDv7")
}

fn some_barcodes() -> wire::stock::Barcodes {
    let code = BarcodeText::new("4001").expect("a good code");
    let barcode = Barcode { code: code.clone(), product: some_product(), pack: None, version: 1 };
    std::iter::once((code, barcode)).collect()
}

fn some_pool() -> PoolKey {
    PoolKey { resource: ResourceName::new("double").expect("a good name"), slot: Slot::NONE }
}

fn some_operation() -> OperationKey {
    let (kind, key) = (TypeName::new("CHARGE").expect("a good name"), DedupeKey::new("1").expect("a good key"));
    OperationKey { kind, key }
}

/// For bodies whose handlers only copy them.
#[expect(clippy::unnecessary_wraps, reason = "stands where others may refuse")]
fn plain<T>(body: T) -> Result<T, Problem> {
    Ok(body)
}

fn inbox(body: &wire::PutInbox) -> Result<(String, operations::PutInbox), Problem> {
    let text = body.secret.as_deref().unwrap_or("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    let secret = Secret::parse(text).map_err(|error| super::params::malformed(error.to_string()))?;
    let name = InboxName::new("orders").expect("a good name");
    let put = operations::PutInbox::new(name, SigningSecret::new(secret.key())?, body.overlap_secs)?;
    Ok((secret.reveal().expose_secret().to_owned(), put))
}

fn understood<T: DeserializeOwned + Clone + Debug, C: Debug, E: Debug>(
    body: &[u8],
    command: impl FnOnce(T) -> Result<C, E>,
) -> Option<Understood> {
    let body: T = parse(body).ok()?;
    let meaning = format!("{body:?}: {:?}", command(body.clone()));
    Some(Understood { meaning, canonical: None })
}

fn canonical<T: DeserializeOwned + Serialize + Clone + Debug, C: Debug, E: Debug>(
    bytes: &[u8],
    command: impl FnOnce(T) -> Result<C, E>,
) -> Option<Understood> {
    let body: T = parse(bytes).ok()?;
    let canonical = serde_json::to_vec(&body).expect("requests are plain data");
    let meaning = format!("{body:?}: {:?}", command(body.clone()));
    Some(Understood { meaning, canonical: Some(canonical) })
}

/// A batch: its commands, and how many of them were refused by themselves.
pub fn batch(body: &[u8]) -> Option<(String, usize)> {
    let (items, commands) = batch::understand(body).ok()?;
    let refused = items.iter().filter(|item| item.problem.is_some()).count();
    assert_eq!(items.len(), commands.len() + refused, "every command is understood or refused");
    Some((format!("{commands:?}"), refused))
}

/// Every cursor, by where it comes from; written as the server writes it.
pub const CURSORS: &[(&str, ReadText)] = &[
    ("events", |text| Some(Cursor::parse(text).ok()?.to_string())),
    ("replay", |text| Some(EventCursor::parse(text)?.to_string())),
    ("holds", |text| Some(holds::parse_id(text).ok()?.to_string())),
    ("expiry", |text| {
        let (expires_at, id) = holds::parse_expiry(text).ok()?;
        Some(format!("{}-{id}", expires_at.micros()))
    }),
    ("operations", |text| {
        let OperationKey { kind, key } = operation_lists::parse_key(text).ok()?;
        Some(format!("{kind} {key}"))
    }),
    ("dead letters", |text| {
        let (dead_at, OperationKey { kind, key }) = operation_lists::parse_dead(text).ok()?;
        Some(format!("{} {kind} {key}", dead_at.micros()))
    }),
    ("pools", |text| Some(pools::cursor(&pools::parse_cursor(text).ok()?))),
    ("cases", |text| {
        let (opened_at, key) = cases::parse_cursor(text).ok()?;
        Some(format!("{} {} {}", opened_at.micros(), key.kind, key.key))
    }),
    ("reservations", |text| Some(reservations::cursor(reservations::parse_cursor(text).ok()?))),
    ("items", |text| Some(stock::cursor(&stock::parse_cursor(text).ok()?))),
    ("card", |text| Some(stock::parse_seq(text).ok()?.to_string())),
    ("card by effect", |text| Some(stock::effect_cursor(stock::parse_effect_cursor(text).ok()?))),
];

pub type ReadQuery = fn(&Uri) -> bool;

/// Every query string, by the word for it: whether it is taken.
pub const QUERIES: &[(&str, ReadQuery)] = &[
    ("events", |uri| taken::<ListEvents>(uri, |_| true)),
    ("holds", |uri| taken::<ListHolds>(uri, |_| true)),
    ("pools", |uri| taken::<ListPools>(uri, |_| true)),
    ("cases", |uri| taken::<ListCases>(uri, |_| true)),
    ("operations", |uri| taken::<ListOperations>(uri, |query| Asked::of(query).is_ok())),
    ("timeline", |uri| taken::<AskTimeline>(uri, |_| true)),
    ("schedules", |uri| taken::<ListSchedules>(uri, |_| true)),
    ("keys", |uri| taken::<ListKeys>(uri, |_| true)),
    ("tenants", |uri| taken::<ListTenants>(uri, |_| true)),
    ("deliveries", |uri| taken::<ListDeliveries>(uri, |_| true)),
    ("webhook", |uri| taken::<WebhookQuery>(uri, |_| true)),
    ("availability", |uri| taken::<Range>(uri, |range| range.nights().is_ok())),
    ("properties", |uri| taken::<ListProperties>(uri, |_| true)),
    ("calendar", |uri| taken::<AskCalendar>(uri, |query| query.range().is_ok())),
    ("stays", |uri| taken::<ListStays>(uri, |_| true)),
    ("checkout", |uri| taken::<AwaitCheckout>(uri, |query| query.wait().is_ok())),
    ("reservations", |uri| taken::<ListReservations>(uri, |query| query.on().is_ok())),
    ("stores", |uri| taken::<ListStores>(uri, |_| true)),
    ("products", |uri| taken::<ListProducts>(uri, |_| true)),
    ("documents", |uri| taken::<ListDocuments>(uri, |_| true)),
    ("part", |uri| taken::<AskPart>(uri, |_| true)),
    ("stock", |uri| taken::<ListStock>(uri, |_| true)),
    ("item", |uri| taken::<AskItem>(uri, |_| true)),
    ("card", |uri| taken::<AskCard>(uri, |_| true)),
    ("balances", |uri| taken::<AskBalances>(uri, |_| true)),
    ("turnover", |uri| taken::<AskTurnover>(uri, |query| query.span().is_ok())),
    ("shortages", |uri| taken::<AskShortages>(uri, |query| query.below().is_ok())),
];

fn taken<T: DeserializeOwned>(uri: &Uri, then: impl FnOnce(T) -> bool) -> bool {
    Query::<T>::try_from_uri(uri).is_ok_and(|query| then(query.0))
}

/// How many items a page has, if that many are allowed.
pub fn page(limit: Option<u16>) -> Option<u16> {
    page_items(limit).ok()
}

/// The key of an `Authorization` header, written as it was shown to its owner.
pub fn authorization(header: &HeaderValue) -> Option<String> {
    let (key, secret) = parse_key(caller::bearer(header.to_str().ok()?)?)?;
    Some(secret.key_text(key))
}

/// A key's public name, written as it is shown.
pub fn key_reference(text: &str) -> Option<String> {
    KeyRef::parse(text).ok().map(|key| key.to_string())
}

/// Whether an `Idempotency-Key` is taken.
pub fn idempotency_key(header: HeaderValue) -> bool {
    Idempotency(Some(header)).key(&()).is_ok()
}

/// The id of a task, from the headers of its scheduler.
pub fn task_id(headers: &HeaderMap) -> Option<String> {
    tasks::task_id(headers).ok().map(|id| id.to_string())
}
