//! One call to the outside made by an operation, and what is known about it.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::kernel::{Columnar, Record, Timestamp, words};
use crate::operations::{LeaseToken, OperationKey, Payload};

words!(
    EffectState {
        /// Written before anything is sent, so that whoever comes next knows that it may have been.
        Intent = "INTENT",
        Confirmed = "CONFIRMED",
        Rejected = "REJECTED",
        /// Nobody can tell whether it happened. A person must.
        Unknown = "UNKNOWN",
    }
);

words!(
    /// What is unsettled about a request that was sent.
    Doubt {
        /// Nothing was sent, or the provider said that nothing happened.
        None = "none",
        /// No answer came: it may have happened, or may still happen under the same key.
        Unanswered = "unanswered",
        /// An error was answered that the provider keeps under the key: it may have happened, and asking again under the
        /// same key only repeats the error.
        ErrorKept = "error_kept",
    }
);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Columnar)]
pub struct EffectKey {
    #[serde(flatten)]
    pub operation: OperationKey,
    pub step: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Record)]
#[record(table = "operation_effects")]
pub struct Effect {
    #[column(key)]
    pub key: EffectKey,
    /// The generation of the operation that last sent it.
    pub generation: u32,
    pub state: EffectState,
    pub doubt: Doubt,
    /// How many different keys were used: each stands for another request to the provider.
    pub sends: u32,
    pub idempotency_key: SmolStr,
    /// Frozen: a repeat sends the same bytes.
    pub request: Payload,
    /// When the request under the present key could first have been sent.
    pub intent_at: Timestamp,
    pub provider_ref: Option<SmolStr>,
    pub response: Option<Payload>,
    /// The lease under which it was last written.
    pub lease_token: LeaseToken,
    pub settled_at: Option<Timestamp>,
    pub version: i64,
}

impl Effect {
    pub fn is_confirmed(&self) -> bool {
        self.state == EffectState::Confirmed
    }
}
