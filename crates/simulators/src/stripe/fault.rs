//! The bad days of the API, their names, and when each of them comes.

use serde::{Deserialize, Serialize};

use crate::{Fault, Stage};

/// What happens to one API request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StripeFault {
    /// Done and kept; the connection closes without a word.
    DropAfter,
    /// Done and kept; the connection is reset.
    ResetAfter,
    /// Nothing is done; the connection is reset.
    ResetBefore,
    /// Done; a 500 is answered, and kept under the key.
    ErrorAfter,
    /// A 500; nothing is done or kept.
    ErrorBefore,
    /// A 500 that is kept under the key, though nothing was done.
    ErrorInstead,
    /// In flight for so long, done only then, whoever still waits. Meanwhile the key is in use.
    Late { delay_millis: u64 },
    /// Done at once; answered so much later.
    LateAnswer { delay_millis: u64 },
    /// A 429 with `Retry-After`; nothing is done or kept.
    Busy { retry_after_secs: u32 },
    /// A 409 as if the key were in use; nothing is done or kept.
    Conflict,
}

impl StripeFault {
    /// One of each, with usual parameters.
    pub const ALL: [StripeFault; 10] = [
        StripeFault::DropAfter,
        StripeFault::ResetAfter,
        StripeFault::ResetBefore,
        StripeFault::ErrorAfter,
        StripeFault::ErrorBefore,
        StripeFault::ErrorInstead,
        StripeFault::Late { delay_millis: 500 },
        StripeFault::LateAnswer { delay_millis: 500 },
        StripeFault::Busy { retry_after_secs: 1 },
        StripeFault::Conflict,
    ];

    /// Without its parameter.
    pub fn name(self) -> &'static str {
        match self {
            StripeFault::DropAfter => "drop_after",
            StripeFault::ResetAfter => "reset_after",
            StripeFault::ResetBefore => "reset_before",
            StripeFault::ErrorAfter => "error_after",
            StripeFault::ErrorBefore => "error_before",
            StripeFault::ErrorInstead => "error_instead",
            StripeFault::Late { .. } => "late",
            StripeFault::LateAnswer { .. } => "late_answer",
            StripeFault::Busy { .. } => "busy",
            StripeFault::Conflict => "conflict",
        }
    }
}

pub type RandomStripeFaults = crate::RandomFaults<StripeFault>;

impl Fault for StripeFault {
    fn all() -> Vec<StripeFault> {
        StripeFault::ALL.to_vec()
    }

    fn strikes(self, stage: Stage) -> bool {
        match self {
            // Before anything is read, so every request.
            StripeFault::ResetBefore | StripeFault::ErrorBefore | StripeFault::Busy { .. } => true,
            // On the way back, so also what changes nothing.
            StripeFault::DropAfter
            | StripeFault::ResetAfter
            | StripeFault::Late { .. }
            | StripeFault::LateAnswer { .. } => match stage {
                Stage::Answered | Stage::Executed => true,
                Stage::Refused => false,
            },
            // They decide what is kept: only where nothing is kept yet.
            StripeFault::ErrorAfter | StripeFault::ErrorInstead | StripeFault::Conflict => match stage {
                Stage::Executed => true,
                Stage::Answered | Stage::Refused => false,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_strikes_from_a_stage_on() {
        let check = |fault: StripeFault, expected: [bool; 3]| {
            let struck = [Stage::Refused, Stage::Answered, Stage::Executed].map(|stage| fault.strikes(stage));
            assert_eq!(struck, expected, "{fault:?}");
        };
        check(StripeFault::ErrorBefore, [true, true, true]);
        check(StripeFault::DropAfter, [false, true, true]);
        check(StripeFault::ErrorAfter, [false, false, true]);
    }
}
