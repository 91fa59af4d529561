//! The outside as an effect operation sees it.

use smol_str::SmolStr;
use surehold_core::operations::Payload;
use surehold_core::operations::commands::EffectCall;

use crate::BoxFuture;

/// What the provider told, as far as it can be relied on. Which of these an answer is, the provider's adapter decides by
/// status and code, never by prose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProviderAnswer {
    /// It happened.
    Done { provider_ref: Option<SmolStr>, response: Payload },
    /// No, for good, and nothing happened.
    Rejected { code: SmolStr, error: SmolStr, response: Payload },
    /// Nothing happened this time: not sent, or turned away at the door. May work later.
    NotDone { code: SmolStr, error: SmolStr, retry_after_secs: Option<u32> },
    /// It may have happened, or may yet: no answer, or one that cannot be understood.
    Unanswered { code: SmolStr, error: SmolStr },
    /// It may have happened, and the provider repeats this error for the same key.
    ErrorKept { code: SmolStr, error: SmolStr },
    /// Asked: there is no such thing. Only an answer to a question.
    Absent,
    /// Asked: it cannot be told. Only an answer to a question.
    Undecidable { error: SmolStr },
}

/// Makes the calls of one or more types. Must not retry by itself: the operation does, with everything written down.
pub trait Provider: Send + Sync + 'static {
    /// Whose account is called: trouble with one account opens the breaker of that account only.
    fn account(&self, call: &EffectCall) -> SmolStr;

    /// Sends the frozen request with its idempotency key.
    fn call<'a>(&'a self, call: &'a EffectCall) -> BoxFuture<'a, ProviderAnswer>;

    /// Asks what became of the request. Only called for types with a probe.
    fn probe<'a>(&'a self, call: &'a EffectCall) -> BoxFuture<'a, ProviderAnswer>;
}
