//! What became of an attempt that did not simply succeed, of every attempt that reached outside, and what people did
//! about it. Never changed.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::kernel::{Columnar, Record, Timestamp, words};
use crate::operations::{Actor, LeaseToken, OperationKey, WorkerId};

words!(
    AttemptOutcome {
        Succeeded = "succeeded",
        /// Will be tried again.
        Failed = "failed",
        /// Will not be tried again.
        Refused = "refused",
        /// The worker was gone or too slow.
        Lost = "lost",
        /// Whether the effect happened cannot be found out.
        Undecided = "undecided",
        /// Somebody asked for it at once.
        Hastened = "hastened",
        Cancelled = "cancelled",
        /// Somebody had it done anew after it had died.
        Redriven = "redriven",
        /// Somebody said what became of an effect.
        Settled = "settled",
    }
);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Columnar)]
pub struct AttemptKey {
    #[serde(flatten)]
    pub operation: OperationKey,
    /// Counts on through generations, with the leases.
    pub number: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Record)]
#[record(table = "operation_attempts", fixed)]
pub struct Attempt {
    #[column(key)]
    pub key: AttemptKey,
    pub generation: u32,
    pub started_at: Timestamp,
    pub ended_at: Timestamp,
    pub worker: Option<WorkerId>,
    pub lease_token: Option<LeaseToken>,
    pub outcome: AttemptOutcome,
    /// A word that can be counted, such as `timeout`.
    pub error_code: Option<SmolStr>,
    /// The error, or the reason that the person gave.
    pub error: Option<SmolStr>,
    pub actor: Option<Actor>,
    pub version: i64,
}
