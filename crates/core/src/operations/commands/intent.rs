//! The intent of a call: written, with the frozen request and its idempotency key, before anything is sent.

use std::fmt::Write;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use smol_str::SmolStr;

use crate::kernel::{Facts, Halt, JsonList, TenantId, Timestamp};
use crate::operations::{
    Correlation, Doubt, Effect, EffectKey, EffectState, Lease, LeaseToken, Mode, Operation, OperationKey,
    OperationType, Payload,
};

/// What a worker is to do now, under its lease.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EffectCall {
    pub tenant: TenantId,
    pub operation: OperationKey,
    pub generation: u32,
    pub step: u16,
    pub token: LeaseToken,
    pub lease_until: Timestamp,
    pub idempotency_key: SmolStr,
    pub request: Payload,
    /// Ask the provider what became of it before sending anything.
    pub probe_first: bool,
    /// What was unsettled before this lease. It stays so if nothing comes of the call.
    pub doubt_before: Doubt,
    pub attempt: u32,
    pub correlations: JsonList<Correlation>,
}

/// For this long after data was put back, a first request is preceded by a question: what was done before may be
/// missing from the data, and asked for again.
const WARY_SECS_AFTER_RAISE: i64 = 30 * 86_400;

pub(super) enum Intended {
    Call(EffectCall),
    /// It may have happened, and there is no way to find out.
    Undecidable {
        step: u16,
    },
}

/// Every part with its length, so that no two lists of parts give the same bytes.
fn idempotency_key(tenant: TenantId, key: &OperationKey, generation: u32, step: u16, sends: u32) -> SmolStr {
    let mut hash = Sha256::new();
    for part in [key.kind.as_str(), key.key.as_str()] {
        hash.update(part.len().to_string());
        hash.update(":");
        hash.update(part);
    }
    hash.update(format!("{tenant}/{generation}/{step}/{sends}"));
    let mut text = String::from("sh_");
    for byte in hash.finalize().iter().take(20) {
        let _ = write!(text, "{byte:02x}");
    }
    text.into()
}

/// Confirmed steps that count for the present generation: what a redrive finds done stays done, while newer content
/// has everything done anew.
pub(super) fn confirmed_steps(kind: &OperationType, operation: &Operation, effects: &[Effect]) -> Vec<Effect> {
    let counts = |effect: &&Effect| {
        effect.is_confirmed()
            && match kind.mode {
                Mode::Once => true,
                Mode::Latest => effect.generation == operation.generation,
            }
    };
    effects.iter().take_while(counts).cloned().collect()
}

/// The step of the present generation that may have happened.
pub(super) fn unsettled_step<'a>(
    kind: &OperationType,
    operation: &Operation,
    effects: &'a [Effect],
) -> Option<&'a Effect> {
    let current = |effect: &Effect| match kind.mode {
        Mode::Once => true,
        Mode::Latest => effect.generation == operation.generation,
    };
    effects.iter().find(|effect| {
        current(effect)
            && match effect.state {
                EffectState::Intent => effect.doubt != Doubt::None,
                EffectState::Unknown => true,
                EffectState::Confirmed | EffectState::Rejected => false,
            }
    })
}

pub(super) struct Intent<'a> {
    pub(super) kind: &'a OperationType,
    pub(super) operation: &'a Operation,
    pub(super) lease: Lease,
    pub(super) attempt: u32,
    pub(super) step: u16,
    pub(super) request: Payload,
    /// When the data was last put back to an earlier state.
    pub(super) raised_at: Option<Timestamp>,
}

impl Intent<'_> {
    pub(super) fn write(self, facts: &mut Facts) -> Result<Intended, Halt> {
        let key = EffectKey { operation: self.operation.key.clone(), step: self.step };
        let known = facts.get::<Effect>(&key)?.cloned();
        match known {
            Some(effect) if self.is_unsettled(&effect) => self.repeat(facts, &effect),
            known if self.may_be_missing(known.as_ref()) => {
                // Sent at any time since it was asked for: too long ago for any window.
                self.note(facts, &key, known.as_ref(), self.operation.created_at)?;
                Ok(Intended::Undecidable { step: self.step })
            }
            known => {
                let call = self.begin(facts, &key, known.as_ref())?;
                Ok(Intended::Call(call))
            }
        }
    }

    fn is_unsettled(&self, effect: &Effect) -> bool {
        let current = match self.kind.mode {
            Mode::Once => true,
            Mode::Latest => effect.generation == self.operation.generation,
        };
        match effect.state {
            EffectState::Intent | EffectState::Unknown => current,
            EffectState::Confirmed | EffectState::Rejected => false,
        }
    }

    /// The data was put back, there is nobody to ask, and nobody has said since what became of this step.
    fn may_be_missing(&self, known: Option<&Effect>) -> bool {
        let Some(raised_at) = self.raised_at else { return false };
        let said = known.and_then(|effect| effect.settled_at).is_some_and(|at| raised_at <= at);
        let once = match self.kind.mode {
            Mode::Once => true,
            Mode::Latest => false,
        };
        once && !self.kind.has_probe()
            && !self.kind.repeats_do_no_harm()
            && self.operation.created_at <= raised_at
            && !said
    }

    /// A request that was never sent, or one that replaces a rejected one.
    fn begin(&self, facts: &mut Facts, key: &EffectKey, known: Option<&Effect>) -> Result<EffectCall, Halt> {
        let now = facts.now();
        let effect = self.note(facts, key, known, now)?;
        let wary = self.raised_at.is_some_and(|at| self.operation.created_at < at.plus_secs(WARY_SECS_AFTER_RAISE));
        let probe_first = wary && self.kind.has_probe();
        // Put off before anybody asked, it still has to be asked about.
        let doubt_before = if probe_first { Doubt::Unanswered } else { Doubt::None };
        Ok(self.call(facts.tenant(), &effect, doubt_before, probe_first))
    }

    /// Writes down that the request may be sent.
    fn note(
        &self,
        facts: &mut Facts,
        key: &EffectKey,
        known: Option<&Effect>,
        intent_at: Timestamp,
    ) -> Result<Effect, Halt> {
        let sends = known.map_or(0, |effect| effect.sends).strict_add(1);
        let generation = self.operation.generation;
        let effect = Effect {
            idempotency_key: idempotency_key(facts.tenant(), &self.operation.key, generation, self.step, sends),
            key: key.clone(),
            generation,
            state: EffectState::Intent,
            // From here on it may have been sent, whoever dies.
            doubt: Doubt::Unanswered,
            sends,
            request: self.request.clone(),
            intent_at,
            provider_ref: None,
            response: None,
            lease_token: self.lease.token,
            settled_at: None,
            version: known.map_or(0, |effect| effect.version),
        };
        match facts.get_mut::<Effect>(key)? {
            Some(known) => *known = Effect { version: known.version, ..effect.clone() },
            None => drop(facts.insert(effect.clone())),
        }
        Ok(effect)
    }

    /// A request that may have been sent: same key, same bytes, and only after asking if there is any doubt.
    fn repeat(&self, facts: &mut Facts, effect: &Effect) -> Result<Intended, Halt> {
        let now = facts.now();
        let restored = !self.kind.repeats_do_no_harm() && self.raised_at.is_some_and(|at| effect.intent_at <= at);
        let remembered = self.kind.key_is_remembered(effect.intent_at, now) && !restored;
        let doubtful = effect.state == EffectState::Unknown || effect.doubt != Doubt::None || restored;
        let repeatable = match effect.doubt {
            Doubt::None => !restored,
            Doubt::Unanswered => remembered,
            Doubt::ErrorKept => false,
        };
        if doubtful && !self.kind.has_probe() && !repeatable {
            let current = facts.get_mut::<Effect>(&effect.key)?.expect("just read");
            // What was not sent when the data was saved may have been since: a person has to be able to say.
            if current.doubt == Doubt::None {
                current.doubt = Doubt::Unanswered;
            }
            return Ok(Intended::Undecidable { step: self.step });
        }
        let (token, current) = (self.lease.token, facts.get_mut::<Effect>(&effect.key)?.expect("just read"));
        current.lease_token = token;
        current.state = EffectState::Intent;
        if current.doubt == Doubt::None {
            current.doubt = Doubt::Unanswered;
        }
        Ok(Intended::Call(self.call(facts.tenant(), effect, effect.doubt, doubtful && self.kind.has_probe())))
    }

    fn call(&self, tenant: TenantId, effect: &Effect, doubt_before: Doubt, probe_first: bool) -> EffectCall {
        EffectCall {
            tenant,
            operation: self.operation.key.clone(),
            generation: self.operation.generation,
            step: self.step,
            token: self.lease.token,
            lease_until: self.lease.until,
            idempotency_key: effect.idempotency_key.clone(),
            request: effect.request.clone(),
            probe_first,
            doubt_before,
            attempt: self.attempt,
            correlations: self.operation.correlations.clone(),
        }
    }
}

/// The provider knows nothing of the request: it may be sent. Under a new key where the old one stands for an error that
/// was kept; else under the same, even if it may be forgotten, so that a request still on its way cannot come in addition.
pub(super) fn resend(facts: &mut Facts, kind: &OperationType, call: &EffectCall) -> Result<EffectCall, Halt> {
    let now = facts.now();
    let tenant = facts.tenant();
    let key = EffectKey { operation: call.operation.clone(), step: call.step };
    let effect = facts.get_mut::<Effect>(&key)?.expect("a call has an effect");
    match effect.doubt {
        Doubt::None | Doubt::Unanswered => {
            // Nothing came of it so far: if the key was forgotten, it is remembered from now on.
            if !kind.key_is_remembered(effect.intent_at, now) {
                effect.intent_at = now;
            }
        }
        Doubt::ErrorKept => {
            effect.sends = effect.sends.strict_add(1);
            effect.generation = call.generation;
            effect.idempotency_key = idempotency_key(tenant, &call.operation, call.generation, call.step, effect.sends);
            effect.intent_at = now;
        }
    }
    effect.doubt = Doubt::Unanswered;
    Ok(EffectCall {
        idempotency_key: effect.idempotency_key.clone(),
        probe_first: false,
        // An earlier request may still be on its way, so that the next worker asks again.
        doubt_before: Doubt::Unanswered,
        ..call.clone()
    })
}
