//! What is wrong with an input before anything is looked up.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{PoolKey, RefusalData, RefusalSpec, Refused, TenantId};

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
    #[error("{code} is not the code of a currency, such as BRL or EUR")]
    CurrencyUnknown { code: String },
    #[error("{what} is {amount}; it must be between {amount_min} and {amount_max}")]
    Amount { what: String, amount: i64, amount_min: i64, amount_max: i64 },
    #[error("{what} is listed twice")]
    ListedTwice { what: String },
    /// What a module above the kernel finds wrong, in its own words.
    #[error("{reason}")]
    Other { reason: String },
    #[error("give either until or by_secs")]
    ExtensionUnclear,
}

impl Refused for Invalid {
    fn spec(&self) -> &'static RefusalSpec {
        &RefusalSpec::INVALID
    }

    fn data(&self) -> RefusalData {
        Vec::new()
    }
}
