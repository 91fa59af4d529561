//! From refusals about operations to problems.

use surehold_core::operations::{OperationRefusal, Trouble};
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
        let code = match refusal {
            OperationRefusal::Kernel(refusal) => return refusal.into(),
            OperationRefusal::ScheduleNotFound { .. } => Code::ScheduleNotFound,
            OperationRefusal::OperationNotFound { .. }
            | OperationRefusal::CaseNotFound { .. }
            | OperationRefusal::EndpointNotFound { .. } => Code::NotFound,
            OperationRefusal::Trouble(Trouble::Permanent { .. })
            | OperationRefusal::OperationConflict { .. }
            | OperationRefusal::OperationState { .. }
            | OperationRefusal::LeaseLost { .. }
            | OperationRefusal::EffectInDoubt { .. }
            | OperationRefusal::EffectNotInDoubt { .. }
            | OperationRefusal::CaseResolved { .. }
            | OperationRefusal::EndpointExists { .. }
            | OperationRefusal::Changed { .. } => Code::Invalid,
            OperationRefusal::Trouble(Trouble::Retry { .. } | Trouble::Wait { .. }) => Code::Busy,
        };
        Problem::new(code, detail)
    }
}
