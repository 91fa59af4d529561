//! Which fault a request suffers: the next one of a queue, or one by chance. Knows no fault by name.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::Dice;

/// How far a request would come without a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The key is in use or belongs to another request, or the request is wrong in itself.
    Refused,
    /// Nothing changes: something is read, or an answer is repeated.
    Answered,
    Executed,
}

pub trait Fault: Copy {
    /// One of each, with usual parameters.
    fn all() -> Vec<Self>;

    /// Whether a request of this stage can suffer it.
    fn strikes(self, stage: Stage) -> bool;
}

/// Faults by chance. The same seed and the same requests give the same faults.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "F: Fault + Deserialize<'de>"))]
pub struct RandomFaults<F> {
    pub seed: usize,
    /// Of requests; 0 is none, 100 and above is all.
    pub percent: usize,
    /// To choose from, each as likely as the others; one that is named twice is twice as likely.
    #[serde(default = "F::all")]
    pub faults: Vec<F>,
}

impl<F: Fault> RandomFaults<F> {
    pub fn of_all(seed: usize, percent: usize) -> RandomFaults<F> {
        RandomFaults { seed, percent, faults: F::all() }
    }
}

#[derive(Debug)]
pub(crate) struct FaultPlan<F> {
    queued: VecDeque<F>,
    random: Option<(RandomFaults<F>, Dice)>,
}

impl<F> Default for FaultPlan<F> {
    fn default() -> FaultPlan<F> {
        FaultPlan { queued: VecDeque::new(), random: None }
    }
}

impl<F: Fault> FaultPlan<F> {
    pub(crate) fn queue(&mut self, faults: &[F]) {
        self.queued.extend(faults.iter().copied());
    }

    pub(crate) fn queued(&self) -> usize {
        self.queued.len()
    }

    pub(crate) fn set_random(&mut self, random: &RandomFaults<F>) {
        self.random = Some((random.clone(), Dice::new(random.seed)));
    }

    /// A queued fault that the request cannot suffer waits for one that can.
    pub(crate) fn draw(&mut self, stage: Stage) -> Option<F> {
        if self.queued.is_empty() {
            return self.draw_by_chance().filter(|fault| fault.strikes(stage));
        }
        self.queued.pop_front_if(|fault| fault.strikes(stage))
    }

    fn draw_by_chance(&mut self) -> Option<F> {
        let (random, dice) = self.random.as_mut()?;
        let struck = dice.roll(100) < random.percent && !random.faults.is_empty();
        struck.then(|| random.faults[dice.roll(random.faults.len())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum TestFault {
        Anytime,
        WhenAnswered,
        WhenExecuted,
    }

    impl Fault for TestFault {
        fn all() -> Vec<TestFault> {
            vec![TestFault::Anytime, TestFault::WhenAnswered, TestFault::WhenExecuted]
        }

        fn strikes(self, stage: Stage) -> bool {
            match self {
                TestFault::Anytime => true,
                TestFault::WhenAnswered => stage != Stage::Refused,
                TestFault::WhenExecuted => stage == Stage::Executed,
            }
        }
    }

    #[test]
    fn a_fault_waits_for_a_request_that_can_suffer_it() {
        let mut plan = FaultPlan::default();
        plan.queue(&[TestFault::WhenExecuted, TestFault::WhenAnswered, TestFault::Anytime]);
        assert_eq!(plan.queued(), 3);
        let stages = [Stage::Answered, Stage::Executed, Stage::Refused, Stage::Answered, Stage::Refused];
        let drawn = stages.map(|stage| plan.draw(stage));
        let expected =
            [None, Some(TestFault::WhenExecuted), None, Some(TestFault::WhenAnswered), Some(TestFault::Anytime)];
        assert_eq!(drawn, expected);
        assert_eq!(plan.draw(Stage::Executed), None);
    }

    #[test]
    fn chance_repeats_itself() {
        let draws = |seed: usize, percent: usize| {
            let mut plan = FaultPlan::<TestFault>::default();
            plan.set_random(&RandomFaults::of_all(seed, percent));
            (0..300).map(|_| plan.draw(Stage::Executed)).collect::<Vec<_>>()
        };
        assert_eq!(draws(1, 40), draws(1, 40));
        assert_ne!(draws(1, 40), draws(2, 40));
        assert!(draws(1, 0).iter().all(Option::is_none));
        let all = draws(1, 100);
        assert!(all.iter().all(Option::is_some));
        assert!(TestFault::all().iter().all(|fault| all.contains(&Some(*fault))));
        let struck = draws(1, 40).iter().flatten().count();
        assert!((60..180).contains(&struck), "{struck} of 300");
    }
}
