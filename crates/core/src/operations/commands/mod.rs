//! What can be done to operations. Each file states the order in which it refuses.

mod finish_effect;
mod intent;
mod operators;
mod request;
mod run_state;
mod start_effect;
mod workers;

pub use finish_effect::{EffectOutcome, FinishEffect, Finished};
pub use intent::EffectCall;
pub use operators::{CancelOperation, HastenOperation, RedriveOperation, SettleEffect, Verdict};
pub use request::{EnqueueOperation, OperationRequested};
pub use run_state::{FailOperation, RunStateOperation, StateRun};
pub use start_effect::{StartEffect, Started};
pub use workers::{Beat, LeaveWork, RaiseEpoch};

use super::{AggregateLock, Operation, OperationKey, OperationRun};
use crate::kernel::{Facts, Halt, Timestamp};

/// Why an operation is not run now.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum NotNow {
    /// It has ended; whoever asked was late.
    Ended,
    Running,
    NotDue {
        run_at: Timestamp,
    },
    /// Another operation has the aggregate to itself.
    Locked {
        by: OperationKey,
    },
}

/// The run and its operation, if it can be run now.
fn runnable(facts: &mut Facts, key: &OperationKey) -> Result<Result<(OperationRun, Operation), NotNow>, Halt> {
    let now = facts.now();
    let Some(run) = facts.get::<OperationRun>(key)?.cloned() else { return Ok(Err(NotNow::Ended)) };
    if run.lease.is_some() {
        return Ok(Err(NotNow::Running));
    }
    if run.run_at > now {
        return Ok(Err(NotNow::NotDue { run_at: run.run_at }));
    }
    let operation = super::ending::operation_of(facts, key)?;
    if let Some(aggregate) = &operation.aggregate
        && let Some(lock) = facts.get::<AggregateLock>(aggregate)?
    {
        return Ok(Err(NotNow::Locked { by: lock.operation.clone() }));
    }
    Ok(Ok((run, operation)))
}
