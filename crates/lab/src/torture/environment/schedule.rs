//! Which fault comes when: the same seed and the same list give the same sequence, whatever becomes of it.

use std::time::Duration;

use super::fault::{FaultKind, FaultList};
use surehold_simulators::Dice;

/// One fault to come. What the rolls mean is the fault's own matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub kind: FaultKind,
    /// Before it begins.
    pub pause: Duration,
    /// Picks one of those whom it can hit: the remainder by their number.
    pub target: usize,
    /// 0 to 999: how long, how far, how often.
    pub strength: u32,
    /// The next fault does not wait for its end.
    pub alongside: bool,
}

const PAUSE_MILLIS_MIN: usize = 20;
const PAUSE_MILLIS_SPAN: usize = 980;
/// One in so many.
const ALONGSIDE: usize = 5;
const TARGETS: usize = 1_000;
const STRENGTHS: usize = 1_000;

/// Deals from a shuffled deck, and shuffles again when it is empty: so rare faults come too, and counts are met early.
#[derive(Clone, Debug)]
pub struct Schedule {
    dice: Dice,
    cards: Vec<FaultKind>,
    left: Vec<FaultKind>,
}

impl Schedule {
    /// `faults` are those that are possible.
    pub fn new(seed: u64, faults: &FaultList) -> Schedule {
        let counted = faults.0.values().any(|least| *least > 0);
        let copies = |kind: FaultKind, least: u32| if counted { least.max(1) } else { kind.weight() };
        let cards = faults.0.iter().flat_map(|(kind, least)| (0..copies(*kind, *least)).map(|_| *kind));
        // A 32-bit machine may take another course; this one repeats itself.
        let seed = usize::try_from(seed).unwrap_or(usize::MAX);
        Schedule { dice: Dice::new(seed), cards: cards.collect(), left: Vec::new() }
    }
}

impl Iterator for Schedule {
    type Item = Step;

    /// Never ends, unless there is nothing to deal.
    fn next(&mut self) -> Option<Step> {
        if self.cards.is_empty() {
            return None;
        }
        if self.left.is_empty() {
            self.left.clone_from(&self.cards);
            for last in (1..self.left.len()).rev() {
                self.left.swap(last, self.dice.roll(last + 1));
            }
        }
        let kind = self.left.pop()?;
        let pause = PAUSE_MILLIS_MIN + self.dice.roll(PAUSE_MILLIS_SPAN);
        Some(Step {
            kind,
            pause: Duration::from_millis(u64::try_from(pause).expect("a usize fits")),
            target: self.dice.roll(TARGETS),
            strength: u32::try_from(self.dice.roll(STRENGTHS)).expect("below a thousand"),
            alongside: self.dice.roll(ALONGSIDE) == 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn steps(seed: u64, faults: &str, count: usize) -> Vec<Step> {
        Schedule::new(seed, &faults.parse().unwrap()).take(count).collect()
    }

    #[test]
    fn a_seed_repeats_itself() {
        let list = "kill=9,freeze=2,stop,latency";
        assert_eq!(steps(7, list, 200), steps(7, list, 200));
        assert_ne!(steps(7, list, 200), steps(8, list, 200));
    }

    #[test]
    fn each_deck_holds_what_was_asked_for() {
        for seed in 0..20 {
            let mut dealt = BTreeMap::new();
            for step in steps(seed, "kill=9,freeze=2,stop", 12) {
                *dealt.entry(step.kind.name()).or_insert(0) += 1;
            }
            assert_eq!(dealt, BTreeMap::from([("kill", 9), ("freeze", 2), ("stop", 1)]));
        }
    }

    #[test]
    fn without_faults_nothing_is_dealt() {
        assert_eq!(steps(1, "none", 5), []);
    }

    #[test]
    fn some_come_alongside_others() {
        let alongside = steps(1, "kill", 1_000).iter().filter(|step| step.alongside).count();
        assert!((100..300).contains(&alongside), "{alongside}");
    }
}
