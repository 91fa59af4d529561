//! What is known about a type of operation before any of them exists.

use crate::kernel::{Invalid, Timestamp};

use super::{DedupeKey, OperationInvalid, OperationKey, RetryPolicy, TypeName};

/// A type of operation. Declared once, registered once; the lint in `lint.rs` looks at all of them.
#[derive(Debug)]
pub struct OperationType {
    pub name: &'static str,
    /// The parts of the dedupe key, in their order. There is no second spelling and no fallback.
    pub key: &'static [&'static str],
    pub mode: Mode,
    pub priority: Priority,
    pub retry: RetryPolicy,
    /// How long one attempt may take: its lease. Whoever is not done by then has lost it.
    pub deadline_secs: u32,
    /// How long an operation may stay unfinished before somebody is told.
    pub stuck_after_secs: u32,
    /// How long to wait before a precondition is looked at again, if nothing says so earlier.
    pub recheck_secs: u32,
    /// How many may run at once in one worker.
    pub running_max: usize,
    pub nature: Nature,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Happens once, for ever: a refund, a ticket.
    Once,
    /// Brings something up to date: asked for again after it was done, it is done again, with the newest payload.
    Latest,
}

/// Lower runs first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    Urgent,
    Normal,
    Bulk,
}

impl Priority {
    pub const ALL: [Priority; 3] = [Priority::Urgent, Priority::Normal, Priority::Bulk];

    pub fn number(self) -> i64 {
        match self {
            Priority::Urgent => 0,
            Priority::Normal => 1,
            Priority::Bulk => 2,
        }
    }
}

/// The window of those who tell repeats by their ids without end.
pub const FOR_EVER: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// Nothing but a change of our own records: decided and completed in one transaction.
    State,
    /// Reaches outside.
    Effect {
        /// Whom it calls: limits and circuit breakers are counted per provider.
        provider: &'static str,
        /// How long the provider remembers an idempotency key; `None` if it knows none, [`FOR_EVER`] if a repeat never
        /// does any harm.
        window_secs: Option<u32>,
        /// Whether the provider can be asked what became of a request.
        probe: bool,
        /// How many calls to the provider may run at once in one worker.
        calls_max: usize,
    },
}

impl Nature {
    pub fn is_effect(self) -> bool {
        match self {
            Nature::State => false,
            Nature::Effect { .. } => true,
        }
    }
}

impl OperationType {
    pub fn type_name(&self) -> TypeName {
        TypeName::known(self.name)
    }

    /// The operation of this type with these parts in its key.
    pub fn key(&self, parts: &[&str]) -> Result<OperationKey, Invalid> {
        if parts.len() != self.key.len() {
            return Err(OperationInvalid::KeyParts { kind: self.name.to_owned(), parts: self.key.join(", ") }.into());
        }
        Ok(OperationKey { kind: self.type_name(), key: DedupeKey::of(parts)? })
    }

    /// Whether the other side tells repeats by itself, however late they come.
    pub(crate) fn repeats_do_no_harm(&self) -> bool {
        match self.nature {
            Nature::State => false,
            Nature::Effect { window_secs, .. } => window_secs == Some(FOR_EVER),
        }
    }

    /// Whether a key sent at `sent_at` is still remembered at `now`, with an hour to spare.
    pub(crate) fn key_is_remembered(&self, sent_at: Timestamp, now: Timestamp) -> bool {
        const SPARE_SECS: i64 = 3_600;
        if self.repeats_do_no_harm() {
            return true;
        }
        match self.nature {
            Nature::State | Nature::Effect { window_secs: None, .. } => false,
            Nature::Effect { window_secs: Some(secs), .. } => {
                now < sent_at.plus_secs(i64::from(secs).saturating_sub(SPARE_SECS))
            }
        }
    }

    pub(crate) fn has_probe(&self) -> bool {
        match self.nature {
            Nature::State => false,
            Nature::Effect { probe, .. } => probe,
        }
    }
}
