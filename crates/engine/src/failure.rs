//! The ways in which a command does not succeed.

use surehold_core::kernel::Timestamp;
use thiserror::Error;

/// A command that was carried out, now or by an earlier request that this one repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done<T> {
    pub reply: T,
    /// The effect was already there; nothing was changed.
    pub replayed: bool,
    /// The instant of the decision, by the store's clock.
    pub at: Timestamp,
}

#[derive(Debug, Error, PartialEq, Eq)]
pub enum Failure<R> {
    /// The domain says no; nothing was changed.
    #[error("refused")]
    Refused(R),
    #[error("the idempotency key was used for another request; use a new key")]
    KeyReused,
    #[error(transparent)]
    Fault(#[from] Fault),
    /// We were wrong. Nothing was changed; the log says what happened.
    #[error("the command failed because of a defect; nothing was changed")]
    Defect,
}

/// The world failed. Each variant says whether the command may have had its effect.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum Fault {
    #[error("too much is waiting; nothing was changed, try again later")]
    Busy,
    #[error("the deadline passed before the command was begun; nothing was changed")]
    NotExecuted,
    #[error("the deadline passed before the outcome was known; ask again with the same id")]
    OutcomeUnknown,
    #[error("the store cannot be reached; nothing was changed")]
    Unavailable,
    #[error("the store holds something unreadable; this request changed nothing")]
    Corrupt,
    #[error("the engine is stopping; nothing was changed")]
    Stopping,
}
