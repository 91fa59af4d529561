//! From refusals and faults to problems. Handlers translate; nothing is decided here.

use surehold_core::kernel::{Invalid, Refusal};
use surehold_core::operations::InboxRefusal;
use surehold_core::operations::OperationRefusal;
use surehold_engine::{Failure, Fault};

use super::{Code, Problem};
use crate::wire::ShortLine;

impl From<Invalid> for Problem {
    fn from(invalid: Invalid) -> Problem {
        Problem::new(Code::Invalid, invalid.to_string())
    }
}

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Problem {
        let code = match fault {
            Fault::Busy => Code::Busy,
            Fault::NotExecuted => Code::NotExecuted,
            Fault::OutcomeUnknown => Code::OutcomeUnknown,
            Fault::Unavailable => Code::Unavailable,
            Fault::Corrupt => Code::Corrupt,
            Fault::Stopping => Code::Stopping,
        };
        let retry_after_secs = (code != Code::Corrupt).then_some(1);
        Problem::new(code, fault.to_string()).with(|data| data.retry_after_secs = retry_after_secs)
    }
}

impl<R: Into<Problem>> From<Failure<R>> for Problem {
    fn from(failure: Failure<R>) -> Problem {
        match failure {
            Failure::Refused(refusal) => refusal.into(),
            Failure::KeyReused => Problem::new(Code::IdempotencyKeyReused, failure.to_string()),
            Failure::Fault(fault) => fault.into(),
            Failure::Defect => Problem::new(Code::Defect, failure.to_string()),
        }
    }
}

impl From<Failure<InboxRefusal>> for Problem {
    fn from(failure: Failure<InboxRefusal>) -> Problem {
        match failure {
            Failure::Refused(refusal @ InboxRefusal::OperationConflict { .. }) => {
                Problem::new(Code::OperationConflict, refusal.to_string())
            }
            Failure::KeyReused => Problem::new(Code::IdempotencyKeyReused, failure.to_string()),
            Failure::Fault(fault) => fault.into(),
            Failure::Defect => Problem::new(Code::Defect, failure.to_string()),
        }
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Problem {
        let detail = refusal.to_string();
        let problem = |code| Problem::new(code, detail);
        match refusal {
            Refusal::Invalid(invalid) => invalid.into(),
            Refusal::TenantNotFound => problem(Code::NotFound),
            Refusal::TenantExists => problem(Code::TenantExists),
            Refusal::IdOutsideWindow { id, .. } => problem(Code::HoldIdOutsideWindow).with(|data| data.hold = Some(id)),
            Refusal::HoldIdReused { id } => problem(Code::HoldIdReused).with(|data| data.hold = Some(id)),
            Refusal::HoldNotFound { id } => problem(Code::HoldNotFound).with(|data| data.hold = Some(id)),
            Refusal::HoldEnded { state } => problem(Code::HoldEnded).with(|data| data.state = Some(state)),
            Refusal::HoldNotDue { expires_at } => {
                problem(Code::HoldNotDue).with(|data| data.expires_at = Some(expires_at))
            }
            Refusal::LifetimeTooLong { secs_max, .. } => {
                problem(Code::LifetimeTooLong).with(|data| data.max = Some(secs_max))
            }
            Refusal::PoolNotFound { pools } => problem(Code::PoolNotFound).with(|data| data.pools = pools),
            Refusal::PoolVersion { pool, version } => problem(Code::PoolVersion).with(|data| {
                data.pools = vec![pool];
                data.version = Some(version);
            }),
            Refusal::TotalOutOfRange { pool, .. } => {
                problem(Code::TotalOutOfRange).with(|data| data.pools = vec![pool])
            }
            Refusal::PoolClosed { pools } => problem(Code::PoolClosed).with(|data| data.pools = pools),
            Refusal::NothingBooked => problem(Code::NothingBooked),
            Refusal::LinesExceedHold { pools } => problem(Code::LinesExceedHold).with(|data| data.pools = pools),
            Refusal::GrantExceeded { pool, granted } => problem(Code::GrantExceeded).with(|data| {
                data.pools = vec![pool];
                data.max = Some(granted);
            }),
            Refusal::OwnerHoldsLimit { holds_max } => {
                problem(Code::OwnerHoldsLimit).with(|data| data.max = Some(holds_max))
            }
            Refusal::OwnerLifetimeLimit { secs_max, .. } => {
                problem(Code::OwnerLifetimeLimit).with(|data| data.max = Some(secs_max))
            }
            Refusal::KeyNotFound { .. } => problem(Code::KeyNotFound),
            Refusal::KeyIdReused { .. } => problem(Code::KeyIdReused),
            Refusal::KeyEnded { .. } => problem(Code::KeyEnded),
            Refusal::KeyExpiryPast { .. } => problem(Code::KeyExpiryPast),
            Refusal::SoldOut { lines } => {
                problem(Code::SoldOut).with(|data| data.lines = lines.into_iter().map(ShortLine::from).collect())
            }
        }
    }
}

impl From<OperationRefusal> for Problem {
    fn from(refusal: OperationRefusal) -> Problem {
        let detail = refusal.to_string();
        let problem = |code| Problem::new(code, detail);
        match refusal {
            OperationRefusal::Kernel(refusal) => refusal.into(),
            // Between us and our workers: no request can be answered with it.
            OperationRefusal::Trouble(_) | OperationRefusal::LeaseLost { .. } => problem(Code::Defect),
            OperationRefusal::OperationNotFound { operation } => {
                problem(Code::OperationNotFound).with(|data| data.operation = Some(operation))
            }
            OperationRefusal::OperationConflict { operation } => {
                problem(Code::OperationConflict).with(|data| data.operation = Some(operation))
            }
            OperationRefusal::OperationState { operation, state } => problem(Code::OperationState).with(|data| {
                data.operation = Some(operation);
                data.operation_state = Some(state);
            }),
            OperationRefusal::EffectInDoubt { operation, step } => problem(Code::EffectInDoubt).with(|data| {
                data.operation = Some(operation);
                data.step = Some(step);
            }),
            OperationRefusal::EffectNotInDoubt { operation, step } => problem(Code::EffectNotInDoubt).with(|data| {
                data.operation = Some(operation);
                data.step = Some(step);
            }),
            OperationRefusal::CaseNotFound { case } => problem(Code::CaseNotFound).with(|data| data.case = Some(case)),
            OperationRefusal::CaseResolved { case } => problem(Code::CaseResolved).with(|data| data.case = Some(case)),
            OperationRefusal::ScheduleNotFound { .. } => problem(Code::ScheduleNotFound),
            OperationRefusal::EndpointNotFound { .. } => problem(Code::EndpointNotFound),
            OperationRefusal::EndpointExists { .. } => problem(Code::EndpointExists),
            OperationRefusal::Changed { .. } => problem(Code::Changed),
        }
    }
}
