//! The bad days of a provider, their names on the wire, and when each of them comes.

use std::collections::VecDeque;
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::hotel::Dice;

/// What happens to one charge request. Written `late` or, where it takes a parameter, `late:500`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum ProviderFault {
    /// The charge is made and its answer stored; the connection closes without a word.
    AcceptThenDrop,
    /// The charge is made; a 500 is answered and stored.
    AcceptThen500,
    /// `late:MILLIS`: the request is in flight for so long, and has its effect only then. The connection stays open,
    /// and a client that leaves changes nothing.
    Late { delay_millis: u64 },
    /// The connection closes; nothing is done.
    DropBefore,
    /// The charge is made; the bytes of the answer are sent twice, and the connection stays open.
    Twice,
    /// `reject:CODE`: a 402 is answered and stored; no charge is made.
    Reject { decline: DeclineCode },
    /// `busy:SECS`: a 429 with `Retry-After`; nothing is done or stored.
    Busy { retry_after_secs: u32 },
    /// The charge is made and its true answer stored; what is sent is a 200 that is not JSON.
    Garbage,
    /// A 503; nothing is done or stored.
    Unavailable,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeclineCode {
    GenericDecline,
    InsufficientFunds,
    ExpiredCard,
    StolenCard,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a fault; a fault is {faults}", faults = ProviderFault::ALL.map(String::from).join(", "))]
pub struct UnknownFault(String);

/// How far a charge request would come if nothing happened to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// The key is in use, belongs to another body, or the request is wrong in itself.
    Refused,
    Replayed,
    Executed,
}

impl ProviderFault {
    /// Longer than a patient test.
    pub const LATE: ProviderFault = ProviderFault::Late { delay_millis: 2_000 };
    pub const REJECT: ProviderFault = ProviderFault::Reject { decline: DeclineCode::InsufficientFunds };
    pub const BUSY: ProviderFault = ProviderFault::Busy { retry_after_secs: 1 };

    /// One of each, with the parameters they have when none is written.
    pub const ALL: [ProviderFault; 9] = [
        ProviderFault::AcceptThenDrop,
        ProviderFault::AcceptThen500,
        ProviderFault::LATE,
        ProviderFault::DropBefore,
        ProviderFault::Twice,
        ProviderFault::REJECT,
        ProviderFault::BUSY,
        ProviderFault::Garbage,
        ProviderFault::Unavailable,
    ];

    /// Without its parameter.
    pub fn name(self) -> &'static str {
        match self {
            ProviderFault::AcceptThenDrop => "accept_then_drop",
            ProviderFault::AcceptThen500 => "accept_then_500",
            ProviderFault::Late { .. } => "late",
            ProviderFault::DropBefore => "drop_before",
            ProviderFault::Twice => "twice",
            ProviderFault::Reject { .. } => "reject",
            ProviderFault::Busy { .. } => "busy",
            ProviderFault::Garbage => "garbage",
            ProviderFault::Unavailable => "unavailable",
        }
    }

    /// A fault that a request cannot suffer waits for one that can.
    pub(super) fn strikes(self, stage: Stage) -> bool {
        match self {
            // In front of everything, so whoever knocks.
            ProviderFault::DropBefore | ProviderFault::Busy { .. } | ProviderFault::Unavailable => true,
            // On the way back, so also what is replayed.
            ProviderFault::AcceptThenDrop
            | ProviderFault::Late { .. }
            | ProviderFault::Twice
            | ProviderFault::Garbage => match stage {
                Stage::Replayed | Stage::Executed => true,
                Stage::Refused => false,
            },
            // They decide what is stored: only where nothing is stored yet.
            ProviderFault::AcceptThen500 | ProviderFault::Reject { .. } => match stage {
                Stage::Executed => true,
                Stage::Replayed | Stage::Refused => false,
            },
        }
    }

    fn with_parameter(self, parameter: &str) -> Option<ProviderFault> {
        match self {
            ProviderFault::Late { .. } => {
                parameter.parse().ok().map(|delay_millis| ProviderFault::Late { delay_millis })
            }
            ProviderFault::Reject { .. } => DeclineCode::ALL
                .into_iter()
                .find(|decline| decline.word() == parameter)
                .map(|decline| ProviderFault::Reject { decline }),
            ProviderFault::Busy { .. } => {
                parameter.parse().ok().map(|retry_after_secs| ProviderFault::Busy { retry_after_secs })
            }
            ProviderFault::AcceptThenDrop
            | ProviderFault::AcceptThen500
            | ProviderFault::DropBefore
            | ProviderFault::Twice
            | ProviderFault::Garbage
            | ProviderFault::Unavailable => None,
        }
    }
}

impl Display for ProviderFault {
    fn fmt(&self, text: &mut Formatter<'_>) -> fmt::Result {
        let name = self.name();
        match self {
            ProviderFault::Late { delay_millis } => write!(text, "{name}:{delay_millis}"),
            ProviderFault::Reject { decline } => write!(text, "{name}:{}", decline.word()),
            ProviderFault::Busy { retry_after_secs } => write!(text, "{name}:{retry_after_secs}"),
            ProviderFault::AcceptThenDrop
            | ProviderFault::AcceptThen500
            | ProviderFault::DropBefore
            | ProviderFault::Twice
            | ProviderFault::Garbage
            | ProviderFault::Unavailable => text.write_str(name),
        }
    }
}

impl FromStr for ProviderFault {
    type Err = UnknownFault;

    fn from_str(text: &str) -> Result<ProviderFault, UnknownFault> {
        let named = |name: &str| ProviderFault::ALL.into_iter().find(|fault| fault.name() == name);
        let fault = match text.split_once(':') {
            None => named(text),
            Some((name, parameter)) => named(name).and_then(|fault| fault.with_parameter(parameter)),
        };
        fault.ok_or_else(|| UnknownFault(text.to_owned()))
    }
}

impl From<ProviderFault> for String {
    fn from(fault: ProviderFault) -> String {
        fault.to_string()
    }
}

impl TryFrom<String> for ProviderFault {
    type Error = UnknownFault;

    fn try_from(text: String) -> Result<ProviderFault, UnknownFault> {
        text.parse()
    }
}

impl DeclineCode {
    pub const ALL: [DeclineCode; 4] = [
        DeclineCode::GenericDecline,
        DeclineCode::InsufficientFunds,
        DeclineCode::ExpiredCard,
        DeclineCode::StolenCard,
    ];

    pub fn word(self) -> &'static str {
        match self {
            DeclineCode::GenericDecline => "generic_decline",
            DeclineCode::InsufficientFunds => "insufficient_funds",
            DeclineCode::ExpiredCard => "expired_card",
            DeclineCode::StolenCard => "stolen_card",
        }
    }
}

/// Faults by chance; the same seed and the same requests suffer the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RandomFaults {
    pub seed: usize,
    /// Of charge requests; 0 is none, 100 and above is all.
    pub percent: usize,
    /// To choose from, each as likely as the others; one that is named twice is twice as likely.
    #[serde(default = "RandomFaults::all")]
    pub faults: Vec<ProviderFault>,
}

impl RandomFaults {
    pub fn of_all(seed: usize, percent: usize) -> RandomFaults {
        RandomFaults { seed, percent, faults: RandomFaults::all() }
    }

    fn all() -> Vec<ProviderFault> {
        ProviderFault::ALL.to_vec()
    }
}

/// Which fault comes next.
#[derive(Debug, Default)]
pub(super) struct FaultPlan {
    queued: VecDeque<ProviderFault>,
    random: Option<(RandomFaults, Dice)>,
}

impl FaultPlan {
    pub(super) fn queue(&mut self, faults: &[ProviderFault]) {
        self.queued.extend(faults);
    }

    pub(super) fn queued(&self) -> usize {
        self.queued.len()
    }

    pub(super) fn set_random(&mut self, random: &RandomFaults) {
        self.random = Some((random.clone(), Dice::new(random.seed)));
    }

    pub(super) fn draw(&mut self, stage: Stage) -> Option<ProviderFault> {
        if self.queued.is_empty() {
            return self.draw_by_chance().filter(|fault| fault.strikes(stage));
        }
        self.queued.pop_front_if(|fault| fault.strikes(stage))
    }

    fn draw_by_chance(&mut self) -> Option<ProviderFault> {
        let (random, dice) = self.random.as_mut()?;
        let struck = dice.roll(100) < random.percent && !random.faults.is_empty();
        struck.then(|| random.faults[dice.roll(random.faults.len())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let check = |text: &str, expected: Option<&str>| {
            let fault = text.parse::<ProviderFault>();
            assert_eq!(fault.as_ref().ok().map(ToString::to_string).as_deref(), expected, "{text}");
            if let Ok(fault) = fault {
                assert_eq!(fault.to_string().parse(), Ok(fault), "{text}");
            }
        };
        check("accept_then_drop", Some("accept_then_drop"));
        check("accept_then_500", Some("accept_then_500"));
        check("drop_before", Some("drop_before"));
        check("twice", Some("twice"));
        check("garbage", Some("garbage"));
        check("unavailable", Some("unavailable"));
        check("late", Some("late:2000"));
        check("late:5", Some("late:5"));
        check("late:soon", None);
        check("busy", Some("busy:1"));
        check("busy:7", Some("busy:7"));
        check("busy:-7", None);
        check("reject", Some("reject:insufficient_funds"));
        check("reject:stolen_card", Some("reject:stolen_card"));
        check("reject:mood", None);
        check("twice:2", None);
        check("thrice", None);
        check("", None);
    }

    #[test]
    fn a_fault_waits_for_whom_it_can_strike() {
        let mut plan = FaultPlan::default();
        plan.queue(&[ProviderFault::REJECT, ProviderFault::Twice, ProviderFault::BUSY]);
        let stages = [Stage::Replayed, Stage::Executed, Stage::Refused, Stage::Replayed, Stage::Refused];
        let drawn = stages.map(|stage| plan.draw(stage));
        let expected = [None, Some(ProviderFault::REJECT), None, Some(ProviderFault::Twice), Some(ProviderFault::BUSY)];
        assert_eq!(drawn, expected);
        assert_eq!(plan.draw(Stage::Executed), None);
    }

    #[test]
    fn chance_repeats_itself() {
        let draws = |seed: usize, percent: usize| {
            let mut plan = FaultPlan::default();
            plan.set_random(&RandomFaults::of_all(seed, percent));
            (0..300).map(|_| plan.draw(Stage::Executed)).collect::<Vec<_>>()
        };
        assert_eq!(draws(1, 40), draws(1, 40));
        assert_ne!(draws(1, 40), draws(2, 40));
        assert!(draws(1, 0).iter().all(Option::is_none));
        let all = draws(1, 100);
        assert!(all.iter().all(Option::is_some));
        assert!(ProviderFault::ALL.iter().all(|fault| all.contains(&Some(*fault))));
        let struck = draws(1, 40).iter().flatten().count();
        assert!((60..180).contains(&struck), "{struck} of 300");
    }
}
