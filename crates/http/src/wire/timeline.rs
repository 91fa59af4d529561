//! One line of time on the wire.

use serde::Serialize;
use surehold_core::kernel::Timestamp;
use surehold_core::operations::{Correlation, EffectState, OperationKey, OperationState};

use super::event::OperationName;
use super::operation::{Attempt, states};
use super::{EventBody, OperationSummary};
use crate::describe::ToSchema;

/// Everything that has to do with something, in the order of time.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Timeline {
    #[schema(example = "purchaseId=4711")]
    pub correlation: String,
    pub operations: Vec<OperationSummary>,
    pub entries: Vec<TimelineEntry>,
    /// There is more than is shown: the first 200 operations and the first 2,000 entries are.
    pub cut: bool,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TimelineEntry {
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    pub operation: OperationName,
    #[serde(flatten)]
    pub fact: TimelineFact,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(tag = "entry", rename_all = "snake_case")]
pub enum TimelineFact {
    /// The operation was asked for.
    Asked,
    /// A request was frozen; from here on it may have been sent.
    EffectIntended { step: u16, idempotency_key: String },
    /// What became of the request is known.
    EffectSettled {
        step: u16,
        #[schema(value_type = states::EffectState)]
        state: EffectState,
        #[serde(skip_serializing_if = "Option::is_none")]
        provider_ref: Option<String>,
    },
    /// An attempt ended, or somebody did something about the operation.
    Attempt { attempt: Attempt },
    /// The journal's; `cursor` is its place there.
    Event {
        cursor: String,
        #[schema(value_type = super::described::TimelineEvent)]
        event: EventBody,
    },
    /// The operation ended, and the journal no longer has it.
    Finished {
        #[schema(value_type = states::OperationState)]
        state: OperationState,
    },
}

impl Timeline {
    pub(crate) fn new(correlation: &Correlation, timeline: surehold_engine::Timeline) -> Timeline {
        Timeline {
            correlation: correlation.to_string(),
            operations: timeline.operations.into_iter().map(OperationSummary::from).collect(),
            entries: timeline.entries.into_iter().map(TimelineEntry::from).collect(),
            cut: timeline.cut,
        }
    }
}

impl From<surehold_engine::TimelineEntry> for TimelineEntry {
    fn from(entry: surehold_engine::TimelineEntry) -> TimelineEntry {
        use surehold_engine::TimelineFact as F;
        let OperationKey { kind, key } = entry.operation;
        let fact = match entry.fact {
            F::Asked => TimelineFact::Asked,
            F::Intended { step, idempotency_key } => {
                TimelineFact::EffectIntended { step, idempotency_key: idempotency_key.into() }
            }
            F::Settled { step, state, provider_ref } => {
                TimelineFact::EffectSettled { step, state, provider_ref: provider_ref.map(String::from) }
            }
            F::Attempted(attempt) => TimelineFact::Attempt { attempt: (*attempt).into() },
            F::Event { seq, index, event } => {
                TimelineFact::Event { cursor: format!("{seq}-{index}"), event: (*event).into() }
            }
            F::Finished { state } => TimelineFact::Finished { state },
        };
        let operation = OperationName { r#type: kind.to_string(), key: key.to_string() };
        TimelineEntry { at: entry.at, operation, fact }
    }
}
