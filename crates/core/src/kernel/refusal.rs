//! Why the kernel says no. Each variant carries the data that a caller needs to act on it.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{HoldId, HoldState, Invalid, KeyId, PoolKey, Stop, Timestamp};

/// A line that could not be had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShortLine {
    pub pool: PoolKey,
    pub wanted: i64,
    pub available: i64,
}

/// In the order in which commands look for them: what is wrong with the request, with what it names, with the state.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum Refusal {
    #[error(transparent)]
    Invalid(#[from] Invalid),
    #[error("there is no such tenant")]
    TenantNotFound,
    #[error("the tenant exists with other content")]
    TenantExists,
    /// An id outside this window could be one whose hold was purged: accepting it might sell twice.
    #[error("the id {id} was made outside of {made_after} to {made_before}")]
    IdOutsideWindow { id: HoldId, made_after: Timestamp, made_before: Timestamp },
    #[error("hold {id} exists with other content")]
    HoldIdReused { id: HoldId },
    #[error("there is no hold {id}")]
    HoldNotFound { id: HoldId },
    #[error("the hold is {}", state.as_str())]
    HoldEnded { state: HoldState },
    #[error("the hold expires at {expires_at}, not now")]
    HoldNotDue { expires_at: Timestamp },
    #[error("the lifetime would be {secs} s; at most {secs_max} s are allowed")]
    LifetimeTooLong { secs: i64, secs_max: i64 },
    #[error("no such pool: {}", list(pools))]
    PoolNotFound { pools: Vec<PoolKey> },
    #[error("pool {pool} is at version {version}")]
    PoolVersion { pool: PoolKey, version: i64 },
    #[error("the total of {pool} would be {total}")]
    TotalOutOfRange { pool: PoolKey, total: i64 },
    #[error("closed: {}", list(pools))]
    PoolClosed { pools: Vec<PoolKey> },
    #[error("the hold has nothing booked")]
    NothingBooked,
    #[error("more than the hold has: {}", list(pools))]
    LinesExceedHold { pools: Vec<PoolKey> },
    #[error("only {granted} units of {pool} are granted")]
    GrantExceeded { pool: PoolKey, granted: i64 },
    #[error("the owner has {holds_max} holds, the most allowed at once")]
    OwnerHoldsLimit { holds_max: i64 },
    #[error("the owner's holds would live {secs} s in total; at most {secs_max} s are allowed")]
    OwnerLifetimeLimit { secs: i64, secs_max: i64 },
    #[error("there is no key {id}")]
    KeyNotFound { id: KeyId },
    #[error("key {id} exists with other content")]
    KeyIdReused { id: KeyId },
    #[error("key {id} was revoked, was replaced or has expired")]
    KeyEnded { id: KeyId },
    #[error("the key would have expired already: it is {now}")]
    KeyExpiryPast { now: Timestamp },
    /// Goods that are kept in a store move by documents only.
    #[error("tracked by stock, where totals change by documents only: {}", list(pools))]
    TrackedByStock { pools: Vec<PoolKey> },
    /// Every short line, sorted.
    #[error("sold out: {}", shortages(lines))]
    SoldOut { lines: Vec<ShortLine> },
}

impl From<Refusal> for Stop<Refusal> {
    fn from(refusal: Refusal) -> Stop<Refusal> {
        Stop::Refused(refusal)
    }
}

fn list(pools: &[PoolKey]) -> String {
    pools.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn shortages(lines: &[ShortLine]) -> String {
    let describe = |line: &ShortLine| format!("{} ({} left, {} wanted)", line.pool, line.available, line.wanted);
    lines.iter().map(describe).collect::<Vec<_>>().join(", ")
}
