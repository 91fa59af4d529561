//! From refusals about operations and webhook endpoints to problems.

use surehold_core::operations::OperationRefusal;
use surehold_engine::Failure;

use super::{Code, Problem};

impl From<Failure<OperationRefusal>> for Problem {
    fn from(failure: Failure<OperationRefusal>) -> Problem {
        match failure {
            Failure::Refused(refusal) => refusal.into(),
            Failure::KeyReused => Problem::new(Code::IdempotencyKeyReused, failure.to_string()),
            Failure::Fault(fault) => fault.into(),
            Failure::Defect => Problem::new(Code::Defect, failure.to_string()),
        }
    }
}

impl From<OperationRefusal> for Problem {
    fn from(refusal: OperationRefusal) -> Problem {
        let detail = refusal.to_string();
        let problem = |code| Problem::new(code, detail);
        match refusal {
            OperationRefusal::Kernel(refusal) => refusal.into(),
            OperationRefusal::EndpointNotFound { .. } => problem(Code::EndpointNotFound),
            OperationRefusal::EndpointExists { .. } => problem(Code::EndpointExists),
            // No route runs a command that is refused like this.
            OperationRefusal::Trouble(_)
            | OperationRefusal::OperationNotFound { .. }
            | OperationRefusal::OperationConflict { .. }
            | OperationRefusal::OperationState { .. }
            | OperationRefusal::LeaseLost { .. }
            | OperationRefusal::EffectInDoubt { .. }
            | OperationRefusal::EffectNotInDoubt { .. }
            | OperationRefusal::CaseNotFound { .. }
            | OperationRefusal::CaseResolved { .. }
            | OperationRefusal::ScheduleNotFound { .. }
            | OperationRefusal::Changed { .. } => problem(Code::Defect),
        }
    }
}
