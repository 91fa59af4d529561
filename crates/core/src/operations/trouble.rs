//! What can go wrong with an operation, and why a command about one is refused.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use thiserror::Error;

use crate::kernel::{Invalid, Refusal, Stop, Timestamp};

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

/// In the order in which commands look for them.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum OperationRefusal {
    #[error(transparent)]
    Kernel(#[from] Refusal),
    /// The attempt failed; nothing of it stands.
    #[error(transparent)]
    Trouble(#[from] Trouble),
    #[error("there is no operation {operation}")]
    OperationNotFound { operation: OperationKey },
    /// Another content under the same key.
    #[error("operation {operation} exists with other content")]
    OperationConflict { operation: OperationKey },
    #[error("operation {operation} is {state}")]
    OperationState { operation: OperationKey, state: OperationState },
    /// Whoever reports this result no longer has the lease; somebody else may have gone on.
    #[error("the lease of {operation} was lost")]
    LeaseLost { operation: OperationKey },
    #[error("step {step} of {operation} may have happened; settle it first")]
    EffectInDoubt { operation: OperationKey, step: u16 },
    #[error("{operation} has no effect in doubt at step {step}")]
    EffectNotInDoubt { operation: OperationKey, step: u16 },
    #[error("there is no case {} {}", case.kind, case.key)]
    CaseNotFound { case: CaseKey },
    #[error("the case {} {} is resolved", case.kind, case.key)]
    CaseResolved { case: CaseKey },
    #[error("there is no schedule {name}")]
    ScheduleNotFound { name: SmolStr },
    #[error("there is no webhook endpoint {id}")]
    EndpointNotFound { id: SmolStr },
    #[error("webhook endpoint {id} exists with other content")]
    EndpointExists { id: SmolStr },
    /// Somebody else was faster.
    #[error("{what} has changed meanwhile")]
    Changed { what: SmolStr },
}

impl From<Invalid> for OperationRefusal {
    fn from(invalid: Invalid) -> OperationRefusal {
        OperationRefusal::Kernel(Refusal::Invalid(invalid))
    }
}

impl From<OperationRefusal> for Stop<OperationRefusal> {
    fn from(refusal: OperationRefusal) -> Stop<OperationRefusal> {
        Stop::Refused(refusal)
    }
}

/// The trouble of a handler, as a refusal of the command that ran it.
pub(crate) fn refused(stop: Stop<Trouble>) -> Stop<OperationRefusal> {
    match stop {
        Stop::Refused(trouble) => Stop::Refused(trouble.into()),
        Stop::Halted(halt) => Stop::Halted(halt),
    }
}
