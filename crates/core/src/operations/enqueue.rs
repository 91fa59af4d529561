//! Asking for an operation, as part of any command. Asked for twice, it is still one.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::kernel::{Facts, Halt, Timestamp};

use super::records::PARKED;
use super::{
    Aggregate, CorrelatedOperation, Correlation, DeadLetter, Effect, EffectKey, LeaseToken, Mode, Operation,
    OperationKey, OperationRun, OperationType, Outcome, Payload, Reason, WaitingOn,
};

#[derive(Clone, Debug)]
pub struct NewOperation {
    pub kind: &'static OperationType,
    pub key: OperationKey,
    pub payload: Payload,
    pub aggregate: Option<Aggregate>,
    pub correlations: Vec<Correlation>,
    /// Not before this instant.
    pub run_at: Option<Timestamp>,
    /// Not before this operation has ended.
    pub after: Option<OperationKey>,
}

impl NewOperation {
    pub fn new(kind: &'static OperationType, key: OperationKey, payload: Payload) -> NewOperation {
        debug_assert_eq!(kind.name, key.kind.as_str(), "a key of the type");
        NewOperation { kind, key, payload, aggregate: None, correlations: Vec::new(), run_at: None, after: None }
    }
}

/// What became of the request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Enqueued {
    Enqueued,
    /// It is waiting or running already.
    Joined,
    AlreadyDone {
        result: Payload,
    },
    /// It died, and is not tried again unless somebody says so.
    Dead {
        code: SmolStr,
        error: SmolStr,
    },
    /// The key was used for something else.
    Conflict,
}

/// Part of the command that calls it: nothing is asked for unless the command succeeds.
pub fn enqueue(facts: &mut Facts, new: &NewOperation) -> Result<Enqueued, Halt> {
    let payload_hash = new.payload.hash();
    let Some(known) = facts.expect_absent::<Operation>(&new.key)?.cloned() else {
        insert(facts, new, payload_hash)?;
        return Ok(Enqueued::Enqueued);
    };
    match new.kind.mode {
        Mode::Once if known.payload_hash != payload_hash => Ok(Enqueued::Conflict),
        Mode::Once => join_once(facts, new, &known),
        Mode::Latest => join_latest(facts, new, payload_hash, &known),
    }
}

fn insert(facts: &mut Facts, new: &NewOperation, payload_hash: [u8; 32]) -> Result<(), Halt> {
    let now = facts.now();
    let mut correlations: Vec<Correlation> = Vec::new();
    for correlation in &new.correlations {
        if !correlations.contains(correlation) {
            correlations.push(correlation.clone());
            let (correlation, operation) = (correlation.clone(), new.key.clone());
            facts.insert(CorrelatedOperation { correlation, operation, version: 0 });
        }
    }
    facts.insert(Operation {
        key: new.key.clone(),
        generation: 1,
        payload_hash,
        payload: new.payload.clone(),
        aggregate: new.aggregate.clone(),
        correlations: correlations.into(),
        releases: Vec::new().into(),
        outcome: None,
        result: None,
        attempts: 0,
        lease_token: LeaseToken(0),
        created_at: now,
        finished_at: None,
        version: 0,
    });
    arm(facts, new, LeaseToken(0))
}

/// Makes a run, which must not exist.
fn arm(facts: &mut Facts, new: &NewOperation, last_token: LeaseToken) -> Result<(), Halt> {
    let now = facts.now();
    let awaited = match &new.after {
        // Nothing waits for its own end.
        Some(after) if *after != new.key => park_behind(facts, &new.key, after)?,
        Some(_) | None => None,
    };
    let first_at = new.run_at.unwrap_or(now).max(now);
    let run_at = if awaited.is_some() { PARKED } else { first_at };
    let run = fresh_run(new.kind, &new.key, last_token, first_at);
    let parked = awaited.is_some();
    facts.insert(OperationRun { waiting_on: awaited, run_at, ..run });
    if !parked {
        facts.wake_worker(run_at);
    }
    Ok(())
}

pub(super) fn fresh_run(
    kind: &OperationType,
    key: &OperationKey,
    last_token: LeaseToken,
    now: Timestamp,
) -> OperationRun {
    OperationRun {
        key: key.clone(),
        priority: kind.priority.number(),
        effect: kind.nature.is_effect(),
        run_at: now,
        attempts: 0,
        lost: 0,
        rerun: false,
        last_token,
        lease: None,
        waiting_on: None,
        last_error: None,
        enqueued_at: now,
        stuck_told: false,
        version: 0,
    }
}

/// What the operation now waits for, unless that has ended already.
fn park_behind(facts: &mut Facts, key: &OperationKey, after: &OperationKey) -> Result<Option<WaitingOn>, Halt> {
    match facts.get::<Operation>(after)? {
        Some(operation) if operation.outcome.is_none() => {}
        Some(_) | None => return Ok(None),
    }
    let awaited = facts.get_mut::<Operation>(after)?.expect("just read");
    let mut releases = awaited.releases.to_vec();
    releases.push(key.clone());
    awaited.releases = releases.into();
    Ok(Some(WaitingOn::new(after.to_string(), "ended")))
}

fn join_once(facts: &mut Facts, new: &NewOperation, known: &Operation) -> Result<Enqueued, Halt> {
    match known.outcome {
        None => {
            pull_earlier(facts, new)?;
            Ok(Enqueued::Joined)
        }
        Some(Outcome::Succeeded) => {
            let result = known.result.clone().unwrap_or_else(Payload::null);
            Ok(Enqueued::AlreadyDone { result })
        }
        Some(Outcome::DeadLetter) => {
            let dead = facts.get::<DeadLetter>(&new.key)?.expect("a dead operation has a dead letter");
            Ok(Enqueued::Dead { code: dead.code.clone(), error: dead.error.clone() })
        }
    }
}

/// Whoever asks again may know that a precondition is met. A pause after a failure stays as it is.
fn pull_earlier(facts: &mut Facts, new: &NewOperation) -> Result<(), Halt> {
    let wanted = new.run_at.unwrap_or(facts.now()).max(facts.now());
    let run = facts.get::<OperationRun>(&new.key)?.expect("an operation without outcome has a run");
    if run.lease.is_some() || run.attempts > 0 || run.is_parked() || run.run_at <= wanted {
        return Ok(());
    }
    facts.get_mut::<OperationRun>(&new.key)?.expect("just read").run_at = wanted;
    facts.wake_worker(wanted);
    Ok(())
}

fn join_latest(
    facts: &mut Facts,
    new: &NewOperation,
    payload_hash: [u8; 32],
    known: &Operation,
) -> Result<Enqueued, Halt> {
    let operation = facts.get_mut::<Operation>(&new.key)?.expect("just read");
    operation.payload = new.payload.clone();
    operation.payload_hash = payload_hash;
    match known.outcome {
        None => {
            // What was begun is finished with the content it began with.
            if is_begun(facts, known)? {
                facts.get_mut::<OperationRun>(&new.key)?.expect("just read").rerun = true;
            }
            pull_earlier(facts, new)?;
            Ok(Enqueued::Joined)
        }
        Some(Outcome::Succeeded) => rearm(facts, new),
        Some(Outcome::DeadLetter) => {
            let now = facts.now();
            let dead = facts.get_mut::<DeadLetter>(&new.key)?.expect("a dead operation has a dead letter");
            dead.resolved_at.get_or_insert(now);
            dead.resolution.get_or_insert_with(|| Reason::stored("newer content came"));
            rearm(facts, new)
        }
    }
}

/// Whether something of the present content may have gone out. Attempts that failed before that, and people who hurried
/// it along, are no reason to do it twice.
fn is_begun(facts: &mut Facts, known: &Operation) -> Result<bool, Halt> {
    let run = facts.get::<OperationRun>(&known.key)?.expect("an operation without outcome has a run");
    if !run.effect || run.last_token <= known.lease_token {
        return Ok(false);
    }
    let first = facts.get::<Effect>(&EffectKey { operation: known.key.clone(), step: 0 })?;
    Ok(first.is_some_and(|effect| effect.generation == known.generation))
}

fn rearm(facts: &mut Facts, new: &NewOperation) -> Result<Enqueued, Halt> {
    let last_token = begin_generation(facts, &new.key)?;
    arm(facts, new, last_token)?;
    Ok(Enqueued::Enqueued)
}

/// The operation is to be done anew. Tokens count on even if none was granted: what is noticed about this generation is
/// not what was noticed about the one before.
pub(super) fn begin_generation(facts: &mut Facts, key: &OperationKey) -> Result<LeaseToken, Halt> {
    let operation = facts.get_mut::<Operation>(key)?.expect("read before");
    operation.generation = operation.generation.strict_add(1);
    operation.lease_token = LeaseToken(operation.lease_token.0.strict_add(1));
    operation.outcome = None;
    operation.finished_at = None;
    Ok(operation.lease_token)
}
