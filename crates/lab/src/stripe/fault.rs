//! The bad days of the API, their names, and when each of them comes.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::hotel::Dice;

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

/// How far a request would come if nothing happened to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// The key is in use, or belongs to another request.
    Refused,
    /// Something is only looked at, or said again.
    Told,
    Executed,
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

    /// A fault that a request cannot suffer waits for one that can.
    fn strikes(self, stage: Stage) -> bool {
        match self {
            // In front of everything, so whoever knocks.
            StripeFault::ResetBefore | StripeFault::ErrorBefore | StripeFault::Busy { .. } => true,
            // On the way back, so also what is only told.
            StripeFault::DropAfter
            | StripeFault::ResetAfter
            | StripeFault::Late { .. }
            | StripeFault::LateAnswer { .. } => match stage {
                Stage::Told | Stage::Executed => true,
                Stage::Refused => false,
            },
            // They decide what is kept: only where nothing is kept yet.
            StripeFault::ErrorAfter | StripeFault::ErrorInstead | StripeFault::Conflict => match stage {
                Stage::Executed => true,
                Stage::Told | Stage::Refused => false,
            },
        }
    }
}

/// Faults by chance; the same seed and the same requests suffer the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RandomStripeFaults {
    pub seed: usize,
    /// Of requests; 0 is none, 100 and above is all.
    pub percent: usize,
    /// To choose from, each as likely as the others; one that is named twice is twice as likely.
    pub faults: Vec<StripeFault>,
}

impl RandomStripeFaults {
    pub fn of_all(seed: usize, percent: usize) -> RandomStripeFaults {
        RandomStripeFaults { seed, percent, faults: StripeFault::ALL.to_vec() }
    }
}

/// Which fault comes next.
#[derive(Debug, Default)]
pub(super) struct FaultPlan {
    queued: VecDeque<StripeFault>,
    random: Option<(RandomStripeFaults, Dice)>,
}

impl FaultPlan {
    pub(super) fn queue(&mut self, faults: &[StripeFault]) {
        self.queued.extend(faults);
    }

    pub(super) fn queued(&self) -> usize {
        self.queued.len()
    }

    pub(super) fn set_random(&mut self, random: &RandomStripeFaults) {
        self.random = Some((random.clone(), Dice::new(random.seed)));
    }

    pub(super) fn draw(&mut self, stage: Stage) -> Option<StripeFault> {
        if self.queued.is_empty() {
            return self.draw_by_chance().filter(|fault| fault.strikes(stage));
        }
        self.queued.pop_front_if(|fault| fault.strikes(stage))
    }

    fn draw_by_chance(&mut self) -> Option<StripeFault> {
        let (random, dice) = self.random.as_mut()?;
        let struck = dice.roll(100) < random.percent && !random.faults.is_empty();
        struck.then(|| random.faults[dice.roll(random.faults.len())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_repeats_itself() {
        let draws = |seed: usize, percent: usize| {
            let mut plan = FaultPlan::default();
            plan.set_random(&RandomStripeFaults::of_all(seed, percent));
            (0..300).map(|_| plan.draw(Stage::Executed)).collect::<Vec<_>>()
        };
        assert_eq!(draws(1, 40), draws(1, 40));
        assert_ne!(draws(1, 40), draws(2, 40));
        assert!(draws(1, 0).iter().all(Option::is_none));
        let all = draws(1, 100);
        assert!(StripeFault::ALL.iter().all(|fault| all.contains(&Some(*fault))));
    }

    #[test]
    fn a_fault_waits_for_whom_it_can_strike() {
        let mut plan = FaultPlan::default();
        plan.queue(&[StripeFault::ErrorAfter, StripeFault::DropAfter, StripeFault::ErrorBefore]);
        let stages = [Stage::Told, Stage::Executed, Stage::Refused, Stage::Told, Stage::Refused];
        let drawn = stages.map(|stage| plan.draw(stage));
        let expected =
            [None, Some(StripeFault::ErrorAfter), None, Some(StripeFault::DropAfter), Some(StripeFault::ErrorBefore)];
        assert_eq!(drawn, expected);
    }
}
