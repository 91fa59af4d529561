//! Asking for an operation by itself: the API, schedules, benchmarks.

use serde::{Deserialize, Serialize};

use crate::kernel::{Command, Facts, Reads, Stop};
use crate::operations::{Enqueued, NewOperation, Operation, OperationRefusal, enqueue};

/// Refuses: the operation exists with other content.
#[derive(Clone, Debug)]
pub struct EnqueueOperation(pub NewOperation);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperationRequested {
    #[serde(flatten)]
    pub enqueued: Enqueued,
}

impl Command for EnqueueOperation {
    const NAME: &'static str = "enqueue_operation";
    type Reply = OperationRequested;
    type Refusal = OperationRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.expect_absent::<Operation>(&self.0.key);
    }

    fn decide(&self, facts: &mut Facts) -> Result<OperationRequested, Stop<OperationRefusal>> {
        let enqueued = enqueue(facts, &self.0)?;
        match enqueued {
            Enqueued::Conflict => {
                let operation = self.0.key.clone();
                return Err(OperationRefusal::OperationConflict { operation }.into());
            }
            Enqueued::Enqueued => {}
            Enqueued::Joined | Enqueued::AlreadyDone { .. } | Enqueued::Dead { .. } => facts.mark_replayed(),
        }
        Ok(OperationRequested { enqueued })
    }
}
