//! How operations are named. The identity of an operation is its type and its dedupe key, for ever.

use std::fmt;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::OperationInvalid;
use crate::kernel::{Columnar, Invalid, check_text, int_column, text};

const TYPE_BYTES_MAX: usize = 64;
const KEY_BYTES_MAX: usize = 400;
const TEXT_BYTES_MAX: usize = 500;
/// The longest that a task of a cloud's scheduler may be called, with its queue.
const EXTERNAL_ID_BYTES_MAX: usize = 640;
const INBOX_BYTES_MAX: usize = 63;
const SOURCE_BYTES_MAX: usize = 160;
const SCHEDULE_NAME_BYTES_MAX: usize = 100;

/// What people write about what they do.
#[cfg(feature = "schema")]
const ACT_TEXT: crate::kernel::schema::TextShape = crate::kernel::schema::TextShape::line(
    TEXT_BYTES_MAX,
    "At most 500 bytes of UTF-8, no control characters, no blank at either end.",
);

fn check_type(text: &str) -> Result<(), Invalid> {
    let legal = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
    let begins = text.bytes().next().is_some_and(|b| b.is_ascii_uppercase());
    let sized = text.len() <= TYPE_BYTES_MAX;
    if begins && sized && text.bytes().all(legal) {
        Ok(())
    } else {
        Err(OperationInvalid::OperationTypeMalformed.into())
    }
}

fn check_key(text: &str) -> Result<(), Invalid> {
    check_text("key", text, KEY_BYTES_MAX)
}

fn check_inbox(text: &str) -> Result<(), Invalid> {
    let legal = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    let inner_hyphens = !text.starts_with('-') && !text.ends_with('-');
    let sized = (1..=INBOX_BYTES_MAX).contains(&text.len());
    if sized && inner_hyphens && text.bytes().all(legal) {
        Ok(())
    } else {
        Err(OperationInvalid::InboxMalformed.into())
    }
}

fn check_schedule_name(text: &str) -> Result<(), Invalid> {
    let legal = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    let begins = text.bytes().next().is_some_and(|b| b.is_ascii_alphanumeric());
    let sized = text.len() <= SCHEDULE_NAME_BYTES_MAX;
    if begins && sized && text.bytes().all(legal) {
        Ok(())
    } else {
        Err(OperationInvalid::ScheduleNameMalformed.into())
    }
}

text!(
    /// What kind of thing is done, such as `ISSUE_TICKETS`.
    TypeName as "OperationType", check_type, TextShape::pattern(64, "^[A-Z][A-Z0-9_]{0,63}$", "Capitals, digits and underscores."),
    "ISSUE_TICKETS"
);
text!(
    /// What it is done to: the parts of the type's key form, in their order. No time and no randomness.
    DedupeKey as "OperationKey", check_key, TextShape::line(KEY_BYTES_MAX, "At most 400 bytes of UTF-8."), "4711"
);
text!(
    /// What operations must not touch at the same time: a purchase, an organizer, an endpoint.
    Aggregate, |text: &str| check_text("aggregate", text, KEY_BYTES_MAX),
    TextShape::line(KEY_BYTES_MAX, "At most 400 bytes of UTF-8.")
);
text!(
    /// Who did something by hand.
    Actor, |text: &str| check_text("actor", text, TEXT_BYTES_MAX), ACT_TEXT, "ana"
);
text!(
    /// Why somebody did it.
    Reason, |text: &str| check_text("reason", text, TEXT_BYTES_MAX), ACT_TEXT
);
text!(
    /// A schedule's name in addresses and in the keys of what it asks for.
    ScheduleName, check_schedule_name, TextShape::pattern(100, "^[A-Za-z0-9][A-Za-z0-9._-]*$", ""), "night-audit"
);

text!(
    /// Where an event came from, such as `standard/orders` or `tasks/expire-hold`.
    SourceName, |text: &str| check_text("source", text, SOURCE_BYTES_MAX)
);
text!(
    /// What the outside calls an event: the same in every delivery of it.
    ExternalId, |text: &str| check_text("the event's id", text, EXTERNAL_ID_BYTES_MAX)
);
text!(
    /// A tenant's name for a place where somebody else's webhooks arrive.
    InboxName, check_inbox, SLUG, "orders"
);

impl TypeName {
    /// The name of a registered type, which the registry has checked.
    pub(crate) fn known(name: &'static str) -> TypeName {
        TypeName(SmolStr::new_static(name))
    }
}

impl DedupeKey {
    /// One spelling per list of parts: what separates them is escaped inside of them.
    pub fn of(parts: &[&str]) -> Result<DedupeKey, Invalid> {
        let mut text = String::new();
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                text.push(':');
            }
            if part.is_empty() {
                return Err(Invalid::NameEmpty { what: "a part of the key".to_owned() });
            }
            for c in part.chars() {
                match c {
                    ':' => text.push_str("%3A"),
                    '%' => text.push_str("%25"),
                    _ => text.push(c),
                }
            }
        }
        DedupeKey::new(&text)
    }
}

/// The identity of an operation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Columnar)]
pub struct OperationKey {
    #[serde(rename = "type")]
    #[column(name = "type")]
    pub kind: TypeName,
    pub key: DedupeKey,
}

impl fmt::Display for OperationKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind, self.key)
    }
}

/// Something that an operation has to do with: a purchase, a payment, a scenario.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Columnar)]
pub struct Correlation {
    pub kind: SmolStr,
    pub value: SmolStr,
}

pub const CORRELATIONS_MAX: usize = 32;

impl Correlation {
    pub fn new(kind: &str, value: &str) -> Result<Correlation, Invalid> {
        check_text("the kind of a correlation", kind, TYPE_BYTES_MAX)?;
        check_text("the value of a correlation", value, KEY_BYTES_MAX)?;
        if kind.contains('=') {
            return Err(Invalid::NameMalformed { what: "the kind of a correlation".to_owned() });
        }
        Ok(Correlation { kind: kind.into(), value: value.into() })
    }

    /// As people write it: `purchaseId=4711`.
    pub fn parse(text: &str) -> Result<Correlation, Invalid> {
        let (kind, value) = text.split_once('=').ok_or(OperationInvalid::CorrelationMalformed)?;
        Correlation::new(kind, value)
    }
}

impl fmt::Display for Correlation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.kind, self.value)
    }
}

/// One start of a worker process; never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WorkerId(pub i64);

int_column!(WorkerId);

impl fmt::Display for WorkerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// Counts the leases of one operation: a later lease has a higher token, so whoever lost a lease can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LeaseToken(pub i64);

int_column!(LeaseToken);

impl fmt::Display for LeaseToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_unambiguous() {
        let key = |parts: &[&str]| DedupeKey::of(parts).unwrap().to_string();
        assert_eq!(key(&["a", "b"]), "a:b");
        assert_eq!(key(&["a:b"]), "a%3Ab");
        assert_eq!(key(&["a%3Ab"]), "a%253Ab");
        for bad in [&[][..], &[""], &["a", ""], &["\n"], &[" a"]] {
            assert!(DedupeKey::of(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn names_that_are_refused() {
        for bad in ["", "lower", "1ST", "WITH-HYPHEN", "_X", &"X".repeat(65)] {
            assert!(TypeName::new(bad).is_err(), "{bad}");
        }
        assert!(TypeName::new("ISSUE_TICKETS_2").is_ok());
        for bad in ["", ".", "..", "-a", "a b", "a/b", "a:b", "é", &"x".repeat(101)] {
            assert!(ScheduleName::new(bad).is_err(), "{bad}");
        }
        assert!(ScheduleName::new("Night-audit_2.b").is_ok());
        for bad in ["", "purchaseId", "=1", "a=", &format!("a={}", "x".repeat(401))] {
            assert!(Correlation::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(Correlation::parse("a=b=c").unwrap().value, "b=c");
    }
}
