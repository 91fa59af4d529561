//! One line of time on the wire.

use surehold_core::kernel::Timestamp;
use surehold_core::operations::{EffectState, OperationState};

use super::operation::Attempt;
use crate::describe::wire;
use crate::{EventBody, OperationName, OperationSummary};

/// Everything that has to do with something, in the order of time.
#[wire]
pub struct Timeline {
    #[schema(example = "purchaseId=4711")]
    pub correlation: String,
    pub operations: Vec<OperationSummary>,
    pub entries: Vec<TimelineEntry>,
    /// There is more than is shown: the first 200 operations and the first 2,000 entries are.
    pub cut: bool,
}

#[wire]
pub struct TimelineEntry {
    pub at: Timestamp,
    pub operation: OperationName,
    #[serde(flatten)]
    pub fact: TimelineFact,
}

#[wire]
#[serde(tag = "entry", rename_all = "snake_case")]
pub enum TimelineFact {
    /// The operation was asked for.
    Asked,
    /// A request was frozen; from here on it may have been sent.
    EffectIntended { step: u16, idempotency_key: String },
    /// What became of the request is known.
    EffectSettled { step: u16, state: EffectState, provider_ref: Option<String> },
    /// An attempt ended, or somebody did something about the operation.
    Attempt { attempt: Attempt },
    /// The journal's; `cursor` is its place there.
    Event {
        cursor: String,
        #[schema(value_type = crate::described::TimelineEvent)]
        event: EventBody,
    },
    /// The operation ended, and the journal no longer has it.
    Finished { state: OperationState },
}
