//! State operations: the turn of the tenant is their lease. Decided, changed and completed in one transaction, so a
//! second worker that comes with the same operation finds it ended.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{NotNow, runnable};
use crate::kernel::{Command, Facts, Reads, Stop};
use crate::operations::ending::{settle_trouble, succeed};
use crate::operations::{
    Operation, OperationKey, OperationRefusal, OperationRun, OperationType, StateHandler, Trouble,
};

/// Refused only by its handler: the attempt failed, and [`FailOperation`] says what follows.
#[derive(Clone, Debug)]
pub struct RunStateOperation {
    pub key: OperationKey,
    pub handler: Arc<dyn StateHandler>,
    /// The run as the command's maker has read it. It need not be loaded again: if it has changed meanwhile, the
    /// completion does not fit it.
    pub found: Option<OperationRun>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StateRun {
    Done,
    NotNow(NotNow),
}

impl Command for RunStateOperation {
    const NAME: &'static str = "run_state_operation";
    type Reply = StateRun;
    type Refusal = OperationRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        if self.found.is_none() {
            reads.record::<OperationRun>(&self.key);
        }
        reads.record::<Operation>(&self.key);
    }

    fn decide(&self, facts: &mut Facts) -> Result<StateRun, Stop<OperationRefusal>> {
        if let Some(run) = &self.found {
            facts.believe(run);
        }
        let operation = match runnable(facts, &self.key)? {
            Ok((_, operation)) => operation,
            Err(not_now) => return Ok(StateRun::NotNow(not_now)),
        };
        let result = self.handler.run(&operation, facts)?;
        succeed(facts, &self.key, result)?;
        Ok(StateRun::Done)
    }
}

/// An attempt without a lease failed: that of a state operation, or one that did not get as far as a call. If the
/// operation has gone on meanwhile, it changes nothing.
#[derive(Clone, Debug)]
pub struct FailOperation {
    pub key: OperationKey,
    pub kind: &'static OperationType,
    pub trouble: Trouble,
    /// Anything at random, for the length of the pause.
    pub dice: u64,
}

impl Command for FailOperation {
    const NAME: &'static str = "fail_operation";
    type Reply = StateRun;
    type Refusal = OperationRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<OperationRun>(&self.key);
        reads.record::<Operation>(&self.key);
    }

    fn decide(&self, facts: &mut Facts) -> Result<StateRun, Stop<OperationRefusal>> {
        // Two workers may have met the same trouble: only the first of them spends an attempt.
        if let Err(not_now) = runnable(facts, &self.key)? {
            return Ok(StateRun::NotNow(not_now));
        }
        settle_trouble(facts, self.kind, &self.key, &self.trouble, self.dice)?;
        Ok(StateRun::Done)
    }
}
