//! What people do about operations. Each of these needs somebody and a reason, and stays in the operation's history.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::kernel::{Command, Facts, Reads, Stop};
use crate::operations::cases::close_case;
use crate::operations::ending::{CASE_EFFECT_UNKNOWN, bury, effects_of, log_act, storable};
use crate::operations::enqueue::{begin_generation, fresh_run};
use crate::operations::{
    Actor, AttemptOutcome, CaseKey, DeadLetter, Doubt, Effect, EffectKey, EffectState, Operation, OperationKey,
    OperationRefusal, OperationRun, OperationState, OperationType, OperationsEvent, Outcome, Reason,
};

type Decision<T> = Result<T, Stop<OperationRefusal>>;

fn known(facts: &mut Facts, key: &OperationKey) -> Decision<(Operation, Option<OperationRun>)> {
    let run = facts.get::<OperationRun>(key)?.cloned();
    let operation = facts.get::<Operation>(key)?;
    let operation = operation.ok_or_else(|| OperationRefusal::OperationNotFound { operation: key.clone() })?;
    Ok((operation.clone(), run))
}

fn wrong_state(key: &OperationKey, state: OperationState) -> Stop<OperationRefusal> {
    OperationRefusal::OperationState { operation: key.clone(), operation_state: state }.into()
}

fn read_operation(key: &OperationKey, reads: &mut Reads<'_>) {
    reads.record::<OperationRun>(key);
    reads.record::<Operation>(key);
}

/// What waits is due at once. Refuses, in this order: no such operation; it is not waiting.
#[derive(Clone, Debug)]
pub struct HastenOperation {
    pub key: OperationKey,
    pub actor: Actor,
    pub reason: Reason,
}

impl Command for HastenOperation {
    const NAME: &'static str = "hasten_operation";
    type Reply = OperationState;
    type Refusal = OperationRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        read_operation(&self.key, reads);
    }

    fn decide(&self, facts: &mut Facts) -> Decision<OperationState> {
        let (operation, run) = known(facts, &self.key)?;
        let state = OperationState::of(&operation, run.as_ref());
        let waits = run.as_ref().is_some_and(|run| run.lease.is_none() && !run.is_parked());
        if !waits {
            return Err(wrong_state(&self.key, state));
        }
        log_act(facts, &self.key, AttemptOutcome::Hastened, &self.actor, &self.reason)?;
        let now = facts.now();
        let run = facts.get_mut::<OperationRun>(&self.key)?.expect("just read");
        run.run_at = run.run_at.min(now);
        run.waiting_on = None;
        facts.wake_worker(now);
        Ok(state)
    }
}

/// It is not done, and nobody need look at it again. A repeat finds it cancelled and says so.
///
/// Refuses, in this order: no such operation; it runs or has succeeded; one of its effects may have happened.
#[derive(Clone, Debug)]
pub struct CancelOperation {
    pub key: OperationKey,
    pub actor: Actor,
    pub reason: Reason,
}

impl Command for CancelOperation {
    const NAME: &'static str = "cancel_operation";
    type Reply = OperationState;
    type Refusal = OperationRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        read_operation(&self.key, reads);
    }

    fn decide(&self, facts: &mut Facts) -> Decision<OperationState> {
        let (operation, run) = known(facts, &self.key)?;
        let state = OperationState::of(&operation, run.as_ref());
        match state {
            OperationState::Pending | OperationState::Failed | OperationState::DeadLetter => {}
            OperationState::Running | OperationState::Succeeded => return Err(wrong_state(&self.key, state)),
        }
        if let Some(step) = step_in_doubt(facts, &self.key)? {
            return Err(OperationRefusal::EffectInDoubt { operation: self.key.clone(), step }.into());
        }
        let resolved = facts.get::<DeadLetter>(&self.key)?.is_some_and(|letter| letter.resolved_at.is_some());
        if state == OperationState::DeadLetter && resolved {
            facts.mark_replayed();
            return Ok(state);
        }
        log_act(facts, &self.key, AttemptOutcome::Cancelled, &self.actor, &self.reason)?;
        if run.is_some() {
            bury(facts, &self.key, "cancelled", self.reason.as_str())?;
        }
        resolve_letter(facts, &self.key, &self.actor, &self.reason)?;
        Ok(OperationState::DeadLetter)
    }
}

fn resolve_letter(facts: &mut Facts, key: &OperationKey, actor: &Actor, reason: &Reason) -> Decision<()> {
    let now = facts.now();
    let letter = facts.get_mut::<DeadLetter>(key)?.expect("a dead operation has a dead letter");
    letter.resolved_at = Some(now);
    letter.resolved_by = Some(actor.clone());
    letter.resolution = Some(reason.clone());
    Ok(())
}

fn step_in_doubt(facts: &mut Facts, key: &OperationKey) -> Decision<Option<u16>> {
    let effects = effects_of(facts, key)?;
    Ok(effects.iter().find(|effect| is_in_doubt(effect)).map(|effect| effect.key.step))
}

fn is_in_doubt(effect: &Effect) -> bool {
    match effect.state {
        EffectState::Unknown => true,
        EffectState::Intent => effect.doubt != Doubt::None,
        EffectState::Confirmed | EffectState::Rejected => false,
    }
}

/// What died is done anew. Effects that are confirmed stay; those in doubt are asked about before anything is sent.
///
/// Refuses, in this order: no such operation; it has not died.
#[derive(Clone, Debug)]
pub struct RedriveOperation {
    pub key: OperationKey,
    pub kind: &'static OperationType,
    pub actor: Actor,
    pub reason: Reason,
}

impl Command for RedriveOperation {
    const NAME: &'static str = "redrive_operation";
    type Reply = OperationState;
    type Refusal = OperationRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        read_operation(&self.key, reads);
        reads.record::<DeadLetter>(&self.key);
    }

    fn decide(&self, facts: &mut Facts) -> Decision<OperationState> {
        let (operation, run) = known(facts, &self.key)?;
        let state = OperationState::of(&operation, run.as_ref());
        match operation.outcome {
            Some(Outcome::DeadLetter) => {}
            Some(Outcome::Succeeded) | None => return Err(wrong_state(&self.key, state)),
        }
        log_act(facts, &self.key, AttemptOutcome::Redriven, &self.actor, &self.reason)?;
        resolve_letter(facts, &self.key, &self.actor, &self.reason)?;
        let last_token = begin_generation(facts, &self.key)?;
        let now = facts.now();
        let generation = facts.get::<Operation>(&self.key)?.expect("just read").generation;
        facts.insert(fresh_run(self.kind, &self.key, last_token, now));
        facts.wake_worker(now);
        facts.emit(&OperationsEvent::OperationRedriven { operation: (&self.key).into(), generation }.into());
        Ok(OperationState::Pending)
    }
}

/// What somebody found out about an effect in doubt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    Happened { provider_ref: SmolStr },
    DidNotHappen,
}

/// A person says what became of an effect. The operation goes on when it is redriven.
///
/// Refuses, in this order: no such operation; it runs; the step is not in doubt.
#[derive(Clone, Debug)]
pub struct SettleEffect {
    pub key: OperationKey,
    pub step: u16,
    pub verdict: Verdict,
    pub actor: Actor,
    pub reason: Reason,
}

impl Command for SettleEffect {
    const NAME: &'static str = "settle_effect";
    type Reply = EffectState;
    type Refusal = OperationRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        read_operation(&self.key, reads);
        reads.record::<Effect>(&EffectKey { operation: self.key.clone(), step: self.step });
    }

    fn decide(&self, facts: &mut Facts) -> Decision<EffectState> {
        let (operation, run) = known(facts, &self.key)?;
        let state = OperationState::of(&operation, run.as_ref());
        if state == OperationState::Running {
            return Err(wrong_state(&self.key, state));
        }
        let effect_key = EffectKey { operation: self.key.clone(), step: self.step };
        let in_doubt = facts.get::<Effect>(&effect_key)?.is_some_and(is_in_doubt);
        if !in_doubt {
            let (operation, step) = (self.key.clone(), self.step);
            return Err(OperationRefusal::EffectNotInDoubt { operation, step }.into());
        }
        log_act(facts, &self.key, AttemptOutcome::Settled, &self.actor, &self.reason)?;
        let now = facts.now();
        let effect = facts.get_mut::<Effect>(&effect_key)?.expect("just read");
        effect.doubt = Doubt::None;
        effect.settled_at = Some(now);
        match &self.verdict {
            Verdict::Happened { provider_ref } => {
                effect.state = EffectState::Confirmed;
                effect.provider_ref = Some(storable(provider_ref));
            }
            // Sent again, it is a new request.
            Verdict::DidNotHappen => effect.state = EffectState::Rejected,
        }
        let settled = effect.state;
        let (operation, confirmed) = ((&self.key).into(), settled == EffectState::Confirmed);
        facts.emit(&OperationsEvent::EffectSettled { operation, step: self.step, confirmed }.into());
        let case = CaseKey { kind: CASE_EFFECT_UNKNOWN.into(), key: self.key.to_string().into() };
        close_case(facts, &case, Some(&self.actor), &self.reason)?;
        Ok(settled)
    }
}
