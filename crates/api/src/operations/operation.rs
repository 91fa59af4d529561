//! Operations on the wire.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;
use surehold_core::kernel::{Invalid, Timestamp};
use surehold_core::operations::{
    self, Actor, Aggregate, AttemptOutcome, DedupeKey, Doubt, EffectState, OperationInvalid, OperationKey,
    OperationState, Payload, Reason, TypeName, commands,
};

use crate::describe::wire;

#[wire]
pub struct OperationSummary {
    pub r#type: TypeName,
    pub key: DedupeKey,
    pub state: OperationState,
    /// Goes up when it is done anew.
    pub generation: Option<u32>,
    pub attempts: Option<u32>,
    pub created_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
    /// Of an operation that has not ended.
    pub run: Option<Run>,
    /// Why it is dead.
    pub dead_letter: Option<DeadLetter>,
}

/// When it is due, who runs it, what it waits for.
#[wire]
pub struct Run {
    pub enqueued_at: Timestamp,
    /// When it is due; absent while it runs and while it waits for another operation.
    pub run_at: Option<Timestamp>,
    /// Since when it runs.
    pub locked_at: Option<Timestamp>,
    /// Until when its worker may take.
    pub lease_until: Option<Timestamp>,
    #[schema(example = "00000000000000ff")]
    pub worker: Option<String>,
    /// The precondition that is not met.
    #[schema(example = "payment pi_1 succeeded")]
    pub waiting_on: Option<String>,
    pub last_error: Option<String>,
    /// Leases in a row whose worker was gone or too slow.
    pub leases_lost: u32,
    /// Newer content came while it was running: it runs once more.
    pub rerun: bool,
}

impl From<operations::OperationRun> for Run {
    fn from(run: operations::OperationRun) -> Run {
        let run_at = (run.lease.is_none() && !run.is_parked()).then_some(run.run_at);
        Run {
            enqueued_at: run.enqueued_at,
            run_at,
            locked_at: run.lease.map(|lease| lease.locked_at),
            lease_until: run.lease.map(|lease| lease.until),
            worker: run.lease.map(|lease| lease.worker.to_string()),
            waiting_on: run.waiting_on.map(|on| on.to_string()),
            last_error: run.last_error.map(String::from),
            leases_lost: run.lost,
            rerun: run.rerun,
        }
    }
}

#[wire]
pub struct DeadLetter {
    /// The generation that died.
    pub generation: u32,
    pub dead_at: Timestamp,
    /// Why, in a word.
    #[schema(example = "attempts-exhausted")]
    pub code: String,
    pub error: String,
    pub resolved_at: Option<Timestamp>,
    pub resolved_by: Option<Actor>,
    pub resolution: Option<Reason>,
}

impl From<operations::DeadLetter> for DeadLetter {
    fn from(letter: operations::DeadLetter) -> DeadLetter {
        DeadLetter {
            generation: letter.generation,
            dead_at: letter.dead_at,
            code: letter.code.into(),
            error: letter.error.into(),
            resolved_at: letter.resolved_at,
            resolved_by: letter.resolved_by,
            resolution: letter.resolution,
        }
    }
}

#[wire(page)]
pub struct OperationPage {
    pub operations: Vec<OperationSummary>,
}

/// JSON that is kept as text, written as what it is.
#[derive(Clone, Debug)]
pub struct Json(pub Payload);

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(self.0.as_str()).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

/// For people: text as it is, nothing for null.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.read() {
            Ok(Value::String(text)) => f.write_str(&text),
            Ok(Value::Null) => Ok(()),
            Ok(_) | Err(_) => f.write_str(self.0.as_str()),
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
        // Not raw: members of a flattened struct have been taken apart.
        Ok(Json(Payload::of(&Value::deserialize(deserializer)?)))
    }
}

/// An operation with everything that is known of it.
#[wire]
pub struct Operation {
    #[serde(flatten)]
    pub summary: OperationSummary,
    /// Operations of the same aggregate run one after the other.
    pub aggregate: Option<Aggregate>,
    /// What it has to do with.
    #[schema(example = json!(["purchaseId=4711"]))]
    pub correlations: Vec<String>,
    /// What it was given.
    #[schema(value_type = Value)]
    pub payload: Json,
    /// What it gave back.
    #[schema(value_type = Option<Value>)]
    pub result: Option<Json>,
    /// Its calls to the outside, step by step.
    pub effects: Vec<Effect>,
    /// What was tried and what people did, oldest first; the last 1,000.
    pub history: Vec<Attempt>,
}

/// One call to the outside, and what is known about it.
#[wire]
pub struct Effect {
    pub step: u16,
    pub state: EffectState,
    pub doubt: Doubt,
    pub generation: u32,
    /// How many different keys were used: each stands for another request to the provider.
    pub sends: u32,
    /// What the provider was given to tell repeats by.
    pub idempotency_key: String,
    /// When the request under the present key could first have been sent.
    pub intent_at: Timestamp,
    pub settled_at: Option<Timestamp>,
    /// The provider's own name for it.
    pub provider_ref: Option<String>,
    #[schema(value_type = Value)]
    pub request: Json,
    #[schema(value_type = Option<Value>)]
    pub response: Option<Json>,
}

impl From<operations::Effect> for Effect {
    fn from(effect: operations::Effect) -> Effect {
        Effect {
            step: effect.key.step,
            state: effect.state,
            doubt: effect.doubt,
            generation: effect.generation,
            sends: effect.sends,
            idempotency_key: effect.idempotency_key.into(),
            intent_at: effect.intent_at,
            settled_at: effect.settled_at,
            provider_ref: effect.provider_ref.map(String::from),
            request: Json(effect.request),
            response: effect.response.map(Json),
        }
    }
}

/// An attempt, or what somebody did about the operation.
#[wire]
pub struct Attempt {
    pub number: u32,
    pub generation: u32,
    pub outcome: AttemptOutcome,
    pub started_at: Timestamp,
    pub ended_at: Timestamp,
    /// A word that can be counted, such as `timeout`.
    pub code: Option<String>,
    /// The error, or the reason that the person gave.
    pub error: Option<String>,
    /// Who did it by hand.
    pub actor: Option<Actor>,
    pub worker: Option<String>,
}

impl From<operations::Attempt> for Attempt {
    fn from(attempt: operations::Attempt) -> Attempt {
        Attempt {
            number: attempt.key.number,
            generation: attempt.generation,
            outcome: attempt.outcome,
            started_at: attempt.started_at,
            ended_at: attempt.ended_at,
            code: attempt.error_code.map(String::from),
            error: attempt.error.map(String::from),
            actor: attempt.actor,
            worker: attempt.worker.map(|worker| worker.to_string()),
        }
    }
}

/// Somebody does something by hand. Both are kept in the history.
#[wire]
#[schema(example = json!({"actor": "ana", "reason": "the bank was down; it is back"}))]
pub struct Act {
    pub actor: Actor,
    pub reason: Reason,
}

/// What somebody found out about an effect in doubt.
#[wire]
#[schema(example = json!({
    "step": 0, "verdict": "happened", "provider_ref": "tr_1042",
    "actor": "ana", "reason": "seen in the provider's dashboard"
}))]
pub struct SettleEffect {
    #[serde(default)]
    #[schema(maximum = 65_535, default = 0)]
    pub step: u16,
    pub verdict: Verdict,
    /// The provider's own name for what happened. Needed with `happened`, and only there.
    #[schema(value_type = Option<Reason>)]
    pub provider_ref: Option<String>,
    pub actor: Actor,
    pub reason: Reason,
}

#[wire(Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Happened,
    DidNotHappen,
}

impl SettleEffect {
    pub fn into_command(self, key: OperationKey) -> Result<commands::SettleEffect, Invalid> {
        let verdict = match (self.verdict, self.provider_ref) {
            (Verdict::Happened, Some(provider_ref)) => {
                // The same rule as for everything that people write.
                let provider_ref = Reason::new(&provider_ref)?;
                commands::Verdict::Happened { provider_ref: provider_ref.into() }
            }
            (Verdict::DidNotHappen, None) => commands::Verdict::DidNotHappen,
            (Verdict::Happened, None) | (Verdict::DidNotHappen, Some(_)) => {
                return Err(OperationInvalid::ProviderRef.into());
            }
        };
        let SettleEffect { step, actor, reason, .. } = self;
        Ok(commands::SettleEffect { key, step, verdict, actor, reason })
    }
}

/// What became of the operation.
#[wire]
pub struct OperationActed {
    pub r#type: TypeName,
    pub key: DedupeKey,
    pub state: OperationState,
}

/// What became of the effect.
#[wire]
pub struct EffectSettled {
    pub r#type: TypeName,
    pub key: DedupeKey,
    pub step: u16,
    pub effect: EffectState,
}
