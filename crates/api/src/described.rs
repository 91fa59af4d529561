//! What descriptions mention beside the types that travel: the core's types, which describe themselves, and texts for which
//! there is no type.

#[cfg(feature = "schema")]
use surehold_core::kernel::{Sent, Shape};
#[cfg(feature = "schema")]
use surehold_core::operations::outbox::offered_events;
#[cfg(feature = "schema")]
use utoipa::openapi::RefOr;
#[cfg(feature = "schema")]
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};

pub use surehold_core::kernel::{
    Currency, HoldId, HoldState, OwnerName, Reference, ResourceName, Slot, Slug, Timestamp,
};
pub use surehold_core::operations::outbox::EndpointId;
pub use surehold_core::operations::{CaseState, DedupeKey, InboxName, OperationState, ScheduleName, TypeName};
pub use surehold_core::stays::{PropertyName, QuoteId, RatePlanCode, ReservationState, RoomTypeCode};
pub use surehold_core::stock::{BarcodeText, DocumentId, DocumentNote, Place, ProductCode, StoreName};

use crate::describe::ToSchema;
pub use crate::{Day, KeyRef};
use crate::{OperationName, PoolName};

/// Who somebody is or how they can be reached: at most 200 bytes of UTF-8, no control characters, no blank at either end.
#[derive(Debug, ToSchema)]
#[schema(
    min_length = 1,
    max_length = 200,
    pattern = r"^[^\s\x00-\x1f\x7f-\x9f]([^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f])?$"
)]
pub struct GuestText(pub String);

/// The place of an event, as the event feed gives it.
#[derive(Debug, ToSchema)]
#[schema(example = "12-0", pattern = "^[0-9]{1,18}-[0-9]{1,9}$")]
pub struct Cursor(pub String);

#[cfg(feature = "schema")]
impl Sent for Cursor {
    type Value = String;
    const SHAPE: &'static Shape = &Shape::Component("Cursor");
}

/// Names a request, so that it can be repeated: printable ASCII without a blank at either end. A UUID is a good one.
#[derive(Debug, ToSchema)]
#[schema(min_length = 1, max_length = 200, pattern = "^[!-~]([ -~]*[!-~])?$")]
pub struct IdempotencyKey(pub String);

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
    pub owner: OwnerName,
    pub holds: i64,
    pub lifetime_secs: i64,
}

/// A lock that was removed, and the operation that had it.
#[derive(Debug, ToSchema)]
pub struct RepairedLock {
    pub aggregate: String,
    pub operation: OperationName,
}

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
