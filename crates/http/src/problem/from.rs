//! From refusals and faults to problems. Handlers translate; nothing is decided here.

use surehold_core::kernel::{Invalid, Refusal, RefusalSpec, Refused};
use surehold_core::operations::{InboxRefusal, OperationRefusal};
use surehold_core::stays::StayRefusal;
use surehold_core::stock::StockRefusal;
use surehold_engine::{Failure, Fault};

use super::{Code, Problem};

/// The list of what modules refuse with: a new module adds its own here.
macro_rules! refusals_of_modules {
    ($($refusal:ident),+) => {
        pub(super) const REFUSALS: &[&[RefusalSpec]] = &[$($refusal::SPECS),+];

        /// Structs in fields of refusals.
        #[cfg(test)]
        pub(crate) const PARTS: &[&[surehold_core::kernel::PartSpec]] = &[$($refusal::PARTS),+];

        $(impl From<$refusal> for Problem {
            fn from(refusal: $refusal) -> Problem {
                Problem::refused(&refusal)
            }
        })+
    };
}

refusals_of_modules!(Refusal, OperationRefusal, InboxRefusal, StayRefusal, StockRefusal);

impl From<Invalid> for Problem {
    fn from(invalid: Invalid) -> Problem {
        Problem::refused(&invalid)
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
        let problem = Problem::new(code, fault.to_string());
        if code == Code::Corrupt { problem } else { problem.retry_after(1) }
    }
}

impl<R: Refused> From<Failure<R>> for Problem {
    fn from(failure: Failure<R>) -> Problem {
        match failure {
            Failure::Refused(refusal) => Problem::refused(&refusal),
            Failure::KeyReused => Problem::new(Code::IdempotencyKeyReused, failure.to_string()),
            Failure::Fault(fault) => fault.into(),
            Failure::Defect => Problem::new(Code::Defect, failure.to_string()),
        }
    }
}
