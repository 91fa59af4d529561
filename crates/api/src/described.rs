//! How texts look in the description of the API. The kernel's own types decide; these only tell it to callers, in words
//! that a generator of clients or of tests understands.

#[cfg(feature = "schema")]
use surehold_core::operations::outbox::offered_events;
#[cfg(feature = "schema")]
use utoipa::openapi::RefOr;
#[cfg(feature = "schema")]
use utoipa::openapi::schema::{AnyOfBuilder, KnownFormat, ObjectBuilder, Schema, SchemaFormat, Type};

use super::{OperationName, PoolName};
use crate::describe::ToSchema;

/// A name of the caller's choice: at most 200 bytes of UTF-8, no control characters, no blank at either end.
#[derive(Debug, ToSchema)]
#[schema(
    min_length = 1,
    max_length = 200,
    example = "double",
    pattern = r"^[^\s\x00-\x1f\x7f-\x9f]([^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f])?$"
)]
pub struct Name(pub String);

/// A tenant's name in addresses.
#[derive(Debug, ToSchema)]
#[schema(example = "casa-azul", min_length = 1, max_length = 63, pattern = "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$")]
pub struct Slug(pub String);

/// The id of a hold: a UUID of version 7.
#[derive(Debug, ToSchema)]
#[schema(format = Uuid, example = "019a8d1e-6f00-7000-8000-000000000001",
    pattern = "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$")]
pub struct HoldId(pub String);

/// The reference of a key: the key without `sh_` and the secret.
#[derive(Debug, ToSchema)]
#[schema(example = "live_1_00ff00ff00ff00ff", pattern = "^(live_[0-9]{1,18}|test_[1-9][0-9]{0,17})_[0-9a-f]{16}$")]
pub struct KeyId(pub String);

/// A schedule's name.
#[derive(Debug, ToSchema)]
#[schema(example = "night-audit", min_length = 1, max_length = 100, pattern = "^[A-Za-z0-9][A-Za-z0-9._-]*$")]
pub struct ScheduleName(pub String);
/// A webhook endpoint's name.
#[derive(Debug, ToSchema)]
#[schema(example = "orders", min_length = 1, max_length = 63, pattern = "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$")]
pub struct EndpointId(pub String);

/// The place of an event, as the event feed gives it.
#[derive(Debug, ToSchema)]
#[schema(example = "12-0", pattern = "^[0-9]{1,18}-[0-9]{1,9}$")]
pub struct Cursor(pub String);

/// Names a request, so that it can be repeated: printable ASCII without a blank at either end. A UUID is a good one.
#[derive(Debug, ToSchema)]
#[schema(min_length = 1, max_length = 200, pattern = "^[!-~]([ -~]*[!-~])?$")]
pub struct IdempotencyKey(pub String);

/// The date of a night; empty for things without one.
#[derive(Debug)]
pub struct Slot;

#[cfg(feature = "schema")]
impl utoipa::PartialSchema for Slot {
    fn schema() -> RefOr<Schema> {
        let text = || ObjectBuilder::new().schema_type(Type::String);
        let night = text().format(Some(SchemaFormat::KnownFormat(KnownFormat::Date)));
        let none = text().max_length(Some(0));
        let either = AnyOfBuilder::new().item(night).item(none).examples(["2026-12-24"]);
        either.description(Some("The date of a night; empty for things without one.")).into()
    }
}

#[cfg(feature = "schema")]
impl ToSchema for Slot {}

/// What kind of thing an operation does: capitals, digits and underscores.
#[derive(Debug, ToSchema)]
#[schema(min_length = 1, max_length = 64, example = "ISSUE_TICKETS", pattern = "^[A-Z][A-Z0-9_]{0,63}$")]
pub struct OperationType(pub String);

/// What an operation is done to: the parts of its type's key, joined by colons; at most 400 bytes of UTF-8.
#[derive(Debug, ToSchema)]
#[schema(
    min_length = 1,
    max_length = 400,
    example = "4711",
    pattern = r"^[^\s\x00-\x1f\x7f-\x9f]([^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f])?$"
)]
pub struct OperationKey(pub String);

/// Something that operations have to do with.
#[derive(Debug, ToSchema)]
#[schema(
    min_length = 3,
    max_length = 465,
    example = "purchaseId=4711",
    pattern = r"^[^=\s\x00-\x1f\x7f-\x9f]{1,64}=[^\s\x00-\x1f\x7f-\x9f]([^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f])?$"
)]
pub struct Correlation(pub String);

/// The kind of a case: a word that can be counted.
#[derive(Debug, ToSchema)]
#[schema(
    min_length = 1,
    max_length = 64,
    example = "effect-unknown",
    pattern = r"^[^\s\x00-\x1f\x7f-\x9f]([^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f])?$"
)]
pub struct CaseKind(pub String);

/// What a case is about; at most 500 bytes of UTF-8.
#[derive(Debug, ToSchema)]
#[schema(
    min_length = 1,
    max_length = 500,
    example = "SEND_EMAIL_RECEIPT 4711:ana@example.org",
    pattern = r"^[^\s\x00-\x1f\x7f-\x9f]([^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f])?$"
)]
pub struct CaseKey(pub String);

/// An event as the feed has it, without `cursor` and `at`.
#[derive(Debug, ToSchema)]
pub struct TimelineEvent {
    #[schema(example = "hold_placed")]
    pub r#type: String,
}

/// What a repair has put right.
#[derive(Debug, ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum RepairedThing {
    Pool(RepairedPool),
    Owner(RepairedOwner),
    Lock(RepairedLock),
}

/// Counters of a pool; `version` is its after the event.
#[derive(Debug, ToSchema)]
pub struct RepairedPool {
    pub pool: PoolName,
    pub version: i64,
    pub held_delta: i64,
    pub booked_delta: i64,
}

/// What an owner holds, as counted now.
#[derive(Debug, ToSchema)]
pub struct RepairedOwner {
    pub owner: Name,
    pub holds: i64,
    pub lifetime_secs: i64,
}

/// A lock that was removed, and the operation that had it.
#[derive(Debug, ToSchema)]
pub struct RepairedLock {
    pub aggregate: String,
    pub operation: OperationName,
}

/// Who did something or why: at most 500 bytes of UTF-8, no control characters, no blank at either end.
#[derive(Debug, ToSchema)]
#[schema(
    min_length = 1,
    max_length = 500,
    pattern = r"^[^\s\x00-\x1f\x7f-\x9f]([^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f])?$"
)]
pub struct ActText(pub String);

/// A property's name or the code of a room type or rate plan: lower-case letters, digits and dashes.
#[derive(Debug, ToSchema)]
#[schema(example = "casa-mar", min_length = 1, max_length = 63, pattern = "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$")]
pub struct ShortName(pub String);

/// The id of a quote: a UUID of version 7.
#[derive(Debug, ToSchema)]
#[schema(format = Uuid, example = "019a8d1e-6f00-7000-8000-000000000002",
    pattern = "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$")]
pub struct QuoteId(pub String);

/// A currency of ISO 4217. Amounts are in its minor unit: cents, where it has them.
#[derive(Debug, ToSchema)]
#[schema(example = "BRL", pattern = "^[A-Z]{3}$")]
pub struct Currency(pub String);

/// A time of the day at the property, to the minute.
#[derive(Debug, ToSchema)]
#[schema(example = "15:00", pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$")]
pub struct LocalTime(pub String);

/// A date.
#[derive(Debug, ToSchema)]
#[schema(format = Date, example = "2026-12-24")]
pub struct Day(pub String);

/// A store's name: lower-case letters, digits and dashes.
#[derive(Debug, ToSchema)]
#[schema(example = "main", min_length = 1, max_length = 63, pattern = "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$")]
pub struct StoreName(pub String);

/// Your own code for a product: at most 100 bytes of UTF-8, no control characters, no blank at either end.
#[derive(Debug, ToSchema)]
#[schema(
    min_length = 1,
    max_length = 100,
    example = "tea",
    pattern = r"^[^\s\x00-\x1f\x7f-\x9f]([^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f])?$"
)]
pub struct ProductCode(pub String);

/// What a scanner reads: at most 100 bytes of UTF-8, no control characters, no blank at either end.
#[derive(Debug, ToSchema)]
#[schema(
    min_length = 1,
    max_length = 100,
    example = "4006381333931",
    pattern = r"^[^\s\x00-\x1f\x7f-\x9f]([^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f])?$"
)]
pub struct BarcodeText(pub String);

/// A unit, a pack, a lot or a serial number: at most 100 bytes of UTF-8, no control characters, no blank at either end.
#[derive(Debug, ToSchema)]
#[schema(
    min_length = 1,
    max_length = 100,
    pattern = r"^[^\s\x00-\x1f\x7f-\x9f]([^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f])?$"
)]
pub struct StockCode(pub String);

/// The id of a document: a UUID of version 7.
#[derive(Debug, ToSchema)]
#[schema(format = Uuid, example = "019a8d1e-6f00-7000-8000-000000000003",
    pattern = "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$")]
pub struct DocumentId(pub String);

/// A price in minor units, with up to six decimals.
#[derive(Debug, ToSchema)]
#[schema(example = "2490", pattern = r"^[0-9]{1,12}(\.[0-9]{1,6})?$")]
pub struct Price(pub String);

/// Money in minor units, with up to six decimals.
#[derive(Debug, ToSchema)]
#[schema(example = "333.333333", pattern = r"^-?[0-9]{1,15}(\.[0-9]{1,6})?$")]
pub struct Money(pub String);

/// Where a payer's browser is sent: at most 2,000 bytes of UTF-8.
#[derive(Debug, ToSchema)]
#[schema(max_length = 2000, pattern = r"^https?://[^\s\x00-\x1f\x7f-\x9f]+$")]
pub struct PageUrl(pub String);

/// What a sender of webhooks signs with: `whsec_` and base64 of 24 to 64 bytes.
#[derive(Debug, ToSchema)]
#[schema(
    example = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    pattern = "^whsec_(([A-Za-z0-9+/]{4}){8,21}([A-Za-z0-9+/][AQgw]==)?|([A-Za-z0-9+/]{4}){8,20}[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)$"
)]
pub struct SigningSecret(pub String);

/// So many nights of a stay.
#[derive(Debug, ToSchema)]
#[schema(minimum = 1, maximum = 90, example = 1)]
pub struct NightCount(pub u32);

/// So much of a hundred.
#[derive(Debug, ToSchema)]
#[schema(minimum = 1, maximum = 100, example = 50)]
pub struct Percent(pub u32);

/// An event that webhook endpoints can be told.
#[derive(Debug)]
pub struct OfferedEvent;

#[cfg(feature = "schema")]
impl utoipa::PartialSchema for OfferedEvent {
    fn schema() -> RefOr<Schema> {
        let name = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(offered_events()));
        name.description(Some("An event that webhook endpoints can be told.")).into()
    }
}

#[cfg(feature = "schema")]
impl ToSchema for OfferedEvent {}
