//! What came of a call: the result, the follow-ups and the completion, or the next intent, in one transaction.
//! Whoever no longer has the lease is refused.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::EffectCall;
use super::intent::{Intended, Intent, confirmed_steps, resend};
use super::start_effect::{step_after, undecidable};
use crate::kernel::{Command, Facts, Halt, Reads, Stop, Timestamp};
use crate::operations::cases::close_case;
use crate::operations::ending::{
    CASE_EFFECT_UNKNOWN, bury, effects_of, log_attempt, operation_of, postpone, run_of, settle_trouble, storable,
    succeed,
};
use crate::operations::{
    AfterRejection, AttemptOutcome, CaseKey, Doubt, Effect, EffectHandler, EffectKey, EffectState, Operation,
    OperationRefusal, OperationRun, Payload, Reason, Step, Trouble, WaitingOn,
};

/// What a call or a question to the provider told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EffectOutcome {
    /// It happened.
    Confirmed { provider_ref: Option<SmolStr>, response: Payload },
    /// The provider said no, for good, and nothing happened.
    Rejected { code: SmolStr, error: SmolStr, response: Payload },
    /// This time nothing was sent, or nothing came of it; may work later.
    NotDone { code: SmolStr, error: SmolStr, retry_after_secs: Option<u32> },
    /// No answer: it may have happened, or may yet.
    Unanswered { code: SmolStr, error: SmolStr },
    /// An error that the provider keeps under the key: it may have happened.
    ErrorKept { code: SmolStr, error: SmolStr },
    /// Asked, the provider does not know of the request: it may be sent.
    Absent,
    /// Asking did not work; the doubt stays.
    NotAsked { code: SmolStr, error: SmolStr, retry_after_secs: Option<u32> },
    /// Asked, the provider cannot tell.
    Undecidable { error: SmolStr },
    /// Nothing was sent: the worker stops, or the provider's breaker is open. Costs no attempt.
    Released { until: Timestamp, waiting_on: Option<WaitingOn> },
}

/// Refuses, in this order: the lease was lost; the handler's trouble with going on, which [`FinishEffect::then`] settles
/// in a second try.
#[derive(Clone, Debug)]
pub struct FinishEffect {
    pub call: EffectCall,
    pub handler: Arc<dyn EffectHandler>,
    pub outcome: EffectOutcome,
    /// The outcome stands, but going on from it failed like this.
    pub then: Option<Trouble>,
    /// Anything at random, for the length of a pause.
    pub dice: u64,
    pub raised_at: Option<Timestamp>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Finished {
    /// Go on with this, under the same lease.
    Call(Box<EffectCall>),
    Done,
    /// Later again.
    Postponed,
    Dead,
}

impl Command for FinishEffect {
    const NAME: &'static str = "finish_effect";
    type Reply = Finished;
    type Refusal = OperationRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        let operation = &self.call.operation;
        reads.record::<OperationRun>(operation);
        reads.record::<Operation>(operation);
        for step in 0..self.call.step.strict_add(2) {
            reads.record::<Effect>(&EffectKey { operation: operation.clone(), step });
        }
    }

    fn decide(&self, facts: &mut Facts) -> Result<Finished, Stop<OperationRefusal>> {
        let key = &self.call.operation;
        let is_ours = |run: &OperationRun| run.lease.is_some_and(|lease| lease.token == self.call.token);
        if !facts.get::<OperationRun>(key)?.is_some_and(is_ours) {
            return Err(OperationRefusal::LeaseLost { operation: key.clone() }.into());
        }
        match &self.outcome {
            EffectOutcome::Confirmed { provider_ref, response } => {
                self.confirm(facts, provider_ref.as_ref(), response)?;
                self.go_on(facts)
            }
            EffectOutcome::Rejected { code, error, response } => self.reject(facts, code, error, response),
            EffectOutcome::NotDone { code, error, retry_after_secs } => {
                self.set_doubt(facts, self.call.doubt_before)?;
                self.retry(facts, code, error, *retry_after_secs)
            }
            EffectOutcome::Unanswered { code, error } => {
                self.set_doubt(facts, Doubt::Unanswered)?;
                self.retry(facts, code, error, None)
            }
            EffectOutcome::ErrorKept { code, error } => {
                self.set_doubt(facts, Doubt::ErrorKept)?;
                self.retry(facts, code, error, None)
            }
            EffectOutcome::NotAsked { code, error, retry_after_secs } => {
                self.retry(facts, code, error, *retry_after_secs)
            }
            EffectOutcome::Absent => {
                let call = resend(facts, self.handler.kind(), &self.call)?;
                Ok(Finished::Call(Box::new(call)))
            }
            EffectOutcome::Undecidable { error } => {
                undecidable(facts, key, self.call.step, error)?;
                Ok(Finished::Dead)
            }
            EffectOutcome::Released { until, waiting_on } => {
                self.set_doubt(facts, self.call.doubt_before)?;
                postpone(facts, key, *until, waiting_on.as_ref(), None)?;
                Ok(Finished::Postponed)
            }
        }
    }
}

impl FinishEffect {
    fn effect_key(&self) -> EffectKey {
        EffectKey { operation: self.call.operation.clone(), step: self.call.step }
    }

    fn change_effect(&self, facts: &mut Facts, change: impl FnOnce(&mut Effect)) -> Result<(), Halt> {
        change(facts.get_mut::<Effect>(&self.effect_key())?.expect("a call has an effect"));
        Ok(())
    }

    fn set_doubt(&self, facts: &mut Facts, doubt: Doubt) -> Result<(), Halt> {
        self.change_effect(facts, |effect| effect.doubt = doubt)
    }

    fn confirm(&self, facts: &mut Facts, provider_ref: Option<&SmolStr>, response: &Payload) -> Result<(), Halt> {
        let now = facts.now();
        self.change_effect(facts, |effect| {
            effect.state = EffectState::Confirmed;
            effect.doubt = Doubt::None;
            effect.provider_ref = provider_ref.map(|text| storable(text));
            effect.response = Some(response.clone());
            effect.lease_token = self.call.token;
            effect.settled_at = Some(now);
        })?;
        self.close_unknown(facts, "the provider was asked and knows it")?;
        Ok(())
    }

    /// It may have been reported as unknown before it was settled.
    fn close_unknown(&self, facts: &mut Facts, how: &str) -> Result<(), Halt> {
        let known_as_unknown = self.call.generation > 1 || self.call.probe_first;
        if known_as_unknown {
            let case = CaseKey { kind: CASE_EFFECT_UNKNOWN.into(), key: self.call.operation.to_string().into() };
            close_case(facts, &case, None, &Reason::stored(how))?;
        }
        Ok(())
    }

    /// What comes after a confirmed step.
    fn go_on(&self, facts: &mut Facts) -> Result<Finished, Stop<OperationRefusal>> {
        let key = &self.call.operation;
        let kind = self.handler.kind();
        if let Some(trouble) = &self.then {
            return self.settle(facts, trouble);
        }
        let operation = operation_of(facts, key)?;
        let effects = effects_of(facts, key)?;
        let confirmed = confirmed_steps(kind, &operation, &effects);
        let request = match self.handler.next(&operation, &confirmed, facts)? {
            Step::Call { request } => request,
            Step::Done { result } => {
                log_attempt(facts, key, AttemptOutcome::Succeeded, None, None)?;
                succeed(facts, key, result)?;
                return Ok(Finished::Done);
            }
        };
        let lease = run_of(facts, key)?.lease.expect("checked above");
        let intent = Intent {
            kind,
            operation: &operation,
            lease,
            attempt: self.call.attempt,
            step: step_after(&confirmed),
            request,
            raised_at: self.raised_at,
        };
        match intent.write(facts)? {
            Intended::Call(call) => Ok(Finished::Call(Box::new(call))),
            Intended::Undecidable { step } => {
                undecidable(facts, key, step, "there is no way to ask the provider")?;
                Ok(Finished::Dead)
            }
        }
    }

    fn reject(
        &self,
        facts: &mut Facts,
        code: &SmolStr,
        error: &SmolStr,
        response: &Payload,
    ) -> Result<Finished, Stop<OperationRefusal>> {
        let key = &self.call.operation;
        let now = facts.now();
        self.change_effect(facts, |effect| {
            effect.state = EffectState::Rejected;
            effect.doubt = Doubt::None;
            effect.response = Some(response.clone());
            effect.settled_at = Some(now);
        })?;
        self.close_unknown(facts, "the provider said no, and nothing happened")?;
        if let Some(trouble) = &self.then {
            return self.settle(facts, trouble);
        }
        let operation = operation_of(facts, key)?;
        let effect = facts.get::<Effect>(&self.effect_key())?.expect("just changed").clone();
        log_attempt(facts, key, AttemptOutcome::Refused, Some(code), Some(error))?;
        match self.handler.rejected(&operation, &effect, facts)? {
            AfterRejection::Die => {
                bury(facts, key, code, error)?;
                Ok(Finished::Dead)
            }
            AfterRejection::Done { result } => {
                succeed(facts, key, result)?;
                Ok(Finished::Done)
            }
        }
    }

    fn retry(
        &self,
        facts: &mut Facts,
        code: &SmolStr,
        error: &SmolStr,
        retry_after_secs: Option<u32>,
    ) -> Result<Finished, Stop<OperationRefusal>> {
        let trouble = Trouble::Retry { code: code.clone(), error: error.clone(), retry_after_secs };
        self.settle(facts, &trouble)
    }

    fn settle(&self, facts: &mut Facts, trouble: &Trouble) -> Result<Finished, Stop<OperationRefusal>> {
        let key = &self.call.operation;
        // Its worker has lived to tell: leases lost before were not lost in a row with any to come.
        facts.get_mut::<OperationRun>(key)?.expect("a lease belongs to a run").lost = 0;
        settle_trouble(facts, self.handler.kind(), key, trouble, self.dice)?;
        let alive = facts.get::<OperationRun>(key)?.is_some();
        Ok(if alive { Finished::Postponed } else { Finished::Dead })
    }
}
