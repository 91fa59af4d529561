//! What is wrong with an input before anything is looked up.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{PoolKey, TenantId};

fn line_of(line: u32) -> String {
    if line == 0 { String::new() } else { format!("line {line}: ") }
}

/// Bad input. Found while the command is built, so a command that exists is well-formed.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum Invalid {
    #[error("{what} must not be empty")]
    NameEmpty { what: String },
    #[error("{what} has {bytes} bytes; at most {bytes_max} are allowed")]
    NameTooLong { what: String, bytes: usize, bytes_max: usize },
    #[error("{what} contains a control character or starts or ends with a space")]
    NameMalformed { what: String },
    #[error("a slug has 1 to 63 characters: a to z, 0 to 9 and inner hyphens")]
    SlugMalformed,
    #[error("a slot is empty or a date such as 2026-12-24")]
    SlotMalformed,
    #[error("the id is not a UUIDv7")]
    IdNotUuidV7,
    #[error("a hold has 1 to {lines_max} lines, not {lines}")]
    LineCount { lines: usize, lines_max: usize },
    #[error("the quantity of {pool} is {quantity}; it must be between 1 and {quantity_max}")]
    Quantity { pool: PoolKey, quantity: i64, quantity_max: i64 },
    #[error("{pool} is listed twice; add the quantities up")]
    LineTwice { pool: PoolKey },
    #[error("{pool} is listed twice; list each pool once")]
    PoolTwice { pool: PoolKey },
    #[error("{what} is {units} units; it must be between {units_min} and {units_max}")]
    Units { what: String, units: i64, units_min: i64, units_max: i64 },
    #[error("a lifetime of {secs} s is not between 1 s and {secs_max} s")]
    Lifetime { secs: i64, secs_max: i64 },
    #[error("the default lifetime must not be above the longest one")]
    PolicyContradictory,
    #[error("metadata must be a JSON object")]
    MetadataNotObject,
    #[error("metadata nests too deeply")]
    MetadataTooDeep,
    #[error("the id of a key has 16 digits, 0 to 9 and a to f")]
    KeyIdMalformed,
    #[error(
        "a tenant's key has one or more of read, sell, manage and tasks; the installation's has admin and nothing else"
    )]
    KeyScopes,
    #[error("{what} has {items} items; 1 to {items_max} are allowed")]
    ItemCount { what: String, items: usize, items_max: usize },
    #[error("tenant {tenant} is reserved")]
    TenantReserved { tenant: TenantId },
    #[error("metadata has {bytes} bytes; at most {bytes_max} are allowed")]
    MetadataTooLong { bytes: usize, bytes_max: usize },
    #[error("{reason}")]
    Schedule { reason: String },
    #[error("{name} is not the name of a time zone, such as America/Sao_Paulo or UTC")]
    TimeZoneUnknown { name: String },
    #[error("a type of operation is named like ISSUE_TICKETS: capitals, digits and underscores")]
    OperationTypeMalformed,
    #[error("a correlation looks like purchaseId=4711")]
    CorrelationMalformed,
    #[error("the key of {kind} has the parts {parts}")]
    KeyParts { kind: String, parts: String },
    #[error("an inbox is named with 1 to 63 characters: a to z, 0 to 9 and inner hyphens")]
    InboxMalformed,
    #[error("the body has {bytes} bytes; at most {bytes_max} are allowed")]
    BodyTooLong { bytes: usize, bytes_max: usize },
    #[error("a signing secret has {bytes_min} to {bytes_max} bytes, not {bytes}")]
    SecretLength { bytes: usize, bytes_min: usize, bytes_max: usize },
    #[error(
        "a schedule is named with 1 to 100 letters, digits, dots, hyphens and underscores, a letter or digit first"
    )]
    ScheduleNameMalformed,
    #[error("{kind} cannot be asked for by a schedule; these can: {schedulable}")]
    NotSchedulable { kind: String, schedulable: String },
    #[error("the payload is not one of {kind}: {reason}")]
    Payload { kind: String, reason: String },
    #[error("a webhook endpoint is named with 1 to 63 characters: a to z, 0 to 9 and inner hyphens")]
    EndpointIdMalformed,
    #[error("a signing secret has 24 to 64 bytes")]
    EndpointSecretLength,
    #[error("{name} is not an event that webhook endpoints are told")]
    EventNotOffered { name: String },
    #[error("messages are in the order of their events, and within what is fanned out")]
    OutboxRange,
    #[error("{code} is not the code of a currency, such as BRL or EUR")]
    CurrencyUnknown { code: String },
    #[error("{what} is {amount}; it must be between {amount_min} and {amount_max}")]
    Amount { what: String, amount: i64, amount_min: i64, amount_max: i64 },
    #[error("a stay has 1 to {nights_max} nights; {checkin} to {checkout} is none of them")]
    StayDates { checkin: String, checkout: String, nights_max: i64 },
    #[error("a range has 1 to {nights_max} nights; {from} to {until} is none of them")]
    NightRange { from: String, until: String, nights_max: i64 },
    #[error("a month is written as in 2026-12")]
    MonthMalformed,
    #[error("a local time is written as in 15:00")]
    LocalTimeMalformed,
    #[error("{room_types} room types over {nights} nights are {lines} lines; a hold has at most {lines_max}")]
    StayTooLarge { room_types: usize, nights: usize, lines: usize, lines_max: usize },
    #[error("{what} is listed twice")]
    ListedTwice { what: String },
    /// Lines count from 1; 0 is the document itself.
    #[error("{}{reason}", line_of(*line))]
    Document { line: u32, reason: String },
}
