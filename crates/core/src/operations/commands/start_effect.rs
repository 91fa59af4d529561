//! Taking the lease of an effect operation. The claim and the first intent are one transaction.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::intent::{Intended, Intent, confirmed_steps, unsettled_step};
use super::{EffectCall, NotNow, runnable};
use crate::kernel::{Command, Facts, Halt, Reads, Stop, Timestamp};
use crate::operations::ending::{die, effects_of, grant, log_attempt, succeed};
use crate::operations::{
    AttemptOutcome, Effect, EffectHandler, EffectKey, Lease, LeaseToken, Operation, OperationKey, OperationRefusal,
    OperationRun, Step, WorkerId,
};

/// Refused only by its handler: a precondition is not met or the content is wrong.
#[derive(Clone, Debug)]
pub struct StartEffect {
    pub key: OperationKey,
    pub handler: Arc<dyn EffectHandler>,
    pub worker: WorkerId,
    /// When the data was last put back to an earlier state.
    pub raised_at: Option<Timestamp>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Started {
    Call(Box<EffectCall>),
    /// There was nothing left to call.
    Done,
    /// It may have happened, and nobody can find out: a person has to.
    Undecidable,
    NotNow(NotNow),
}

impl Command for StartEffect {
    const NAME: &'static str = "start_effect";
    type Reply = Started;
    type Refusal = OperationRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<OperationRun>(&self.key);
        reads.record::<Operation>(&self.key);
        for step in 0..2 {
            reads.record::<Effect>(&EffectKey { operation: self.key.clone(), step });
        }
    }

    fn decide(&self, facts: &mut Facts) -> Result<Started, Stop<OperationRefusal>> {
        let (run, operation) = match runnable(facts, &self.key)? {
            Ok(runnable) => runnable,
            Err(not_now) => return Ok(Started::NotNow(not_now)),
        };
        let kind = self.handler.kind();
        let effects = effects_of(facts, &self.key)?;
        let confirmed = confirmed_steps(kind, &operation, &effects);
        let step = self.handler.next(&operation, &confirmed, facts)?;
        let now = facts.now();
        let lease = Lease {
            token: LeaseToken(run.last_token.0.strict_add(1)),
            worker: self.worker,
            locked_at: now,
            until: now.plus_secs(i64::from(kind.deadline_secs)),
        };
        grant(facts, &self.key, lease)?;
        let request = match (step, unsettled_step(kind, &operation, &effects)) {
            (Step::Call { request }, _) => request,
            // What may have happened is found out before anything is called done.
            (Step::Done { .. }, Some(unsettled)) => unsettled.request.clone(),
            (Step::Done { result }, None) => {
                log_attempt(facts, &self.key, AttemptOutcome::Succeeded, None, None)?;
                succeed(facts, &self.key, result)?;
                return Ok(Started::Done);
            }
        };
        let intent = Intent {
            kind,
            operation: &operation,
            lease,
            attempt: run.attempts.strict_add(1),
            step: step_after(&confirmed),
            request,
            raised_at: self.raised_at,
        };
        match intent.write(facts)? {
            Intended::Call(call) => Ok(Started::Call(Box::new(call))),
            Intended::Undecidable { step } => {
                undecidable(facts, &self.key, step, "there is no way to ask the provider")?;
                Ok(Started::Undecidable)
            }
        }
    }
}

pub(super) fn step_after(confirmed: &[Effect]) -> u16 {
    u16::try_from(confirmed.len()).expect("a handful of steps")
}

pub(super) fn undecidable(facts: &mut Facts, key: &OperationKey, step: u16, error: &str) -> Result<(), Halt> {
    log_attempt(facts, key, AttemptOutcome::Undecided, Some("effect-unknown"), Some(error))?;
    die(facts, key, "effect-unknown", &format!("step {step} may have happened: {error}"))
}
