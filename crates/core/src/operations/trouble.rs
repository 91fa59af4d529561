//! What can go wrong with an operation, and why a command about one is refused.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use thiserror::Error;

use crate::kernel::{RefusalData, RefusalSpec, Refused, Stop, Timestamp, refusals};

use super::{CaseKey, OperationKey, OperationState, WaitingOn};

/// Why an attempt did not succeed. The kind of trouble decides what follows; its text never does.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum Trouble {
    /// May work later.
    #[error("{code}: {error}")]
    Retry { code: SmolStr, error: SmolStr, retry_after_secs: Option<u32> },
    /// Will never work.
    #[error("{code}: {error}")]
    Permanent { code: SmolStr, error: SmolStr },
    /// A precondition is not met. Costs no attempt.
    #[error("waiting on: {on}")]
    Wait { on: WaitingOn, until: Option<Timestamp> },
}

impl Trouble {
    pub fn retry(code: &'static str, error: impl Into<SmolStr>) -> Trouble {
        Trouble::Retry { code: SmolStr::new_static(code), error: error.into(), retry_after_secs: None }
    }

    pub fn permanent(code: &'static str, error: impl Into<SmolStr>) -> Trouble {
        Trouble::Permanent { code: SmolStr::new_static(code), error: error.into() }
    }

    pub fn wait(on: WaitingOn) -> Trouble {
        Trouble::Wait { on, until: None }
    }
}

impl From<Trouble> for Stop<Trouble> {
    fn from(trouble: Trouble) -> Stop<Trouble> {
        Stop::Refused(trouble)
    }
}

/// What is between us and our workers: no request can be answered with it.
impl Refused for Trouble {
    fn spec(&self) -> &'static RefusalSpec {
        &RefusalSpec::DEFECT
    }

    fn data(&self) -> RefusalData {
        Vec::new()
    }
}

refusals! {
    /// In the order in which commands look for them.
    pub enum OperationRefusal: Kernel(Refusal), Trouble(Trouble) {
        OperationNotFound { operation: OperationKey }
            = (NotFound, "operation-not-found", "There is no such operation") "there is no operation {operation}";
        /// Another content under the same key.
        OperationConflict { operation: OperationKey }
            = (Invalid, "operation-conflict", "The operation exists with other content")
            "operation {operation} exists with other content";
        OperationState {
            operation: OperationKey,
            /// What the operation is.
            operation_state: OperationState,
        } = (Conflict, "operation-state", "The operation's state does not allow it")
            "operation {operation} is {operation_state}";
        /// Whoever reports this result no longer has the lease; somebody else may have gone on.
        LeaseLost { operation: OperationKey } = (DEFECT) "the lease of {operation} was lost";
        EffectInDoubt { operation: OperationKey, step: u16 }
            = (Conflict, "effect-in-doubt", "An effect of the operation may have happened")
            "step {step} of {operation} may have happened; settle it first";
        EffectNotInDoubt { operation: OperationKey, step: u16 }
            = (Conflict, "effect-not-in-doubt", "The effect is not in doubt")
            "{operation} has no effect in doubt at step {step}";
        CaseNotFound { case: CaseKey }
            = (NotFound, "case-not-found", "There is no such case") "there is no case {} {}", case.kind, case.key;
        CaseResolved { case: CaseKey }
            = (Conflict, "case-resolved", "The case is resolved") "the case {} {} is resolved", case.kind, case.key;
        ScheduleNotFound { schedule: SmolStr }
            = (NotFound, "schedule-not-found", "There is no such schedule") "there is no schedule {schedule}";
        EndpointNotFound { endpoint: SmolStr }
            = (NotFound, "endpoint-not-found", "There is no such webhook endpoint")
            "there is no webhook endpoint {endpoint}";
        EndpointExists { endpoint: SmolStr }
            = (Conflict, "endpoint-exists", "The webhook endpoint exists with other content")
            "webhook endpoint {endpoint} exists with other content";
        Changed {
            /// What has changed.
            what: SmolStr,
        } = (Conflict, "changed", "Somebody else was faster") "{what} has changed meanwhile";
    }
}
