//! From refusals and faults to problems. Handlers translate; nothing is decided here.

use surehold_core::kernel::{Invalid, Refused};
use surehold_engine::{Failure, Fault};

use super::{Code, Problem};

/// Says, in a module, what it refuses with: the titles under which the index of problems has it, and the types. They become
/// problems.
macro_rules! refusals {
    ($($title:literal: $refusal:ident),+) => {
        const REFUSALS: &[$crate::problem::Refusals] = &[$($crate::problem::Refusals {
            specs: $refusal::SPECS,
            #[cfg(test)]
            title: $title,
            #[cfg(test)]
            parts: $refusal::PARTS,
        }),+];

        $(impl From<$refusal> for $crate::problem::Problem {
            fn from(refusal: $refusal) -> $crate::problem::Problem {
                $crate::problem::Problem::refused(&refusal)
            }
        })+
    };
}

pub(crate) use refusals;

impl From<Invalid> for Problem {
    fn from(invalid: Invalid) -> Problem {
        Problem::refused(&invalid)
    }
}

impl From<getrandom::Error> for Problem {
    fn from(_: getrandom::Error) -> Problem {
        Problem::new(Code::Defect, "the operating system gives no randomness")
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
