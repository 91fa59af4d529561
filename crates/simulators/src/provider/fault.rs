//! The bad days of a provider, their names on the wire, and when each of them comes.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Fault, Stage};

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

pub type RandomFaults = crate::RandomFaults<ProviderFault>;

impl Fault for ProviderFault {
    fn all() -> Vec<ProviderFault> {
        ProviderFault::ALL.to_vec()
    }

    fn strikes(self, stage: Stage) -> bool {
        match self {
            // Before anything is read, so every request.
            ProviderFault::DropBefore | ProviderFault::Busy { .. } | ProviderFault::Unavailable => true,
            // On the way back, so also an answer that is repeated.
            ProviderFault::AcceptThenDrop
            | ProviderFault::Late { .. }
            | ProviderFault::Twice
            | ProviderFault::Garbage => match stage {
                Stage::Answered | Stage::Executed => true,
                Stage::Refused => false,
            },
            // They decide what is stored: only where nothing is stored yet.
            ProviderFault::AcceptThen500 | ProviderFault::Reject { .. } => match stage {
                Stage::Executed => true,
                Stage::Answered | Stage::Refused => false,
            },
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
    fn each_strikes_from_a_stage_on() {
        let check = |fault: ProviderFault, expected: [bool; 3]| {
            let struck = [Stage::Refused, Stage::Answered, Stage::Executed].map(|stage| fault.strikes(stage));
            assert_eq!(struck, expected, "{fault}");
        };
        check(ProviderFault::BUSY, [true, true, true]);
        check(ProviderFault::Twice, [false, true, true]);
        check(ProviderFault::REJECT, [false, false, true]);
    }
}
