//! How a run ends or goes on: success, another try, death. Every way out of a run is here.

use smol_str::SmolStr;

use crate::kernel::{Facts, Halt, Timestamp};

use super::cases::{NewCase, open_case};
use super::enqueue::begin_generation;
use super::{
    Actor, AggregateLock, Attempt, AttemptKey, AttemptOutcome, DeadLetter, Doubt, Effect, EffectKey, EffectState,
    Lease, LeaseToken, Operation, OperationKey, OperationRun, OperationType, OperationsEvent, Outcome, Payload, Reason,
    Trouble, WaitingOn,
};

/// Errors are kept short: they are for people, and for the log.
const ERROR_CHARS_MAX: usize = 500;

pub(super) fn shortened(error: &str) -> SmolStr {
    storable(error).chars().take(ERROR_CHARS_MAX).collect()
}

/// Text that came from outside. No database keeps U+0000 in a text, and an answer that cannot be written down is lost.
pub(super) fn storable(text: &str) -> SmolStr {
    if text.contains('\0') { text.replace('\0', "\u{fffd}").into() } else { text.into() }
}

pub(super) fn run_of(facts: &mut Facts, key: &OperationKey) -> Result<OperationRun, Halt> {
    Ok(facts.get::<OperationRun>(key)?.expect("an operation without outcome has a run").clone())
}

pub(super) fn operation_of(facts: &mut Facts, key: &OperationKey) -> Result<Operation, Halt> {
    Ok(facts.get::<Operation>(key)?.expect("a run belongs to an operation").clone())
}

fn change_run(facts: &mut Facts, key: &OperationKey, change: impl FnOnce(&mut OperationRun)) -> Result<(), Halt> {
    change(facts.get_mut::<OperationRun>(key)?.expect("read before"));
    Ok(())
}

/// The effects of the operation, from the first step on.
pub(super) fn effects_of(facts: &mut Facts, key: &OperationKey) -> Result<Vec<Effect>, Halt> {
    let mut effects = Vec::new();
    for step in 0..=u16::MAX {
        match facts.get::<Effect>(&EffectKey { operation: key.clone(), step })? {
            Some(effect) => effects.push(effect.clone()),
            None => break,
        }
    }
    Ok(effects)
}

/// It is done, or it is dead: the run goes, and whoever waited for it may go on.
fn end(facts: &mut Facts, key: &OperationKey, outcome: Outcome, result: Option<Payload>) -> Result<(), Halt> {
    let now = facts.now();
    let run = facts.get::<OperationRun>(key)?.expect("an operation without outcome has a run");
    let (attempts, last_token) = (run.attempts, run.last_token);
    unlock(facts, key)?;
    let operation = facts.get_mut::<Operation>(key)?.expect("a run belongs to an operation");
    let released = std::mem::take(&mut operation.releases);
    operation.outcome = Some(outcome);
    operation.result = result;
    operation.attempts = attempts;
    operation.lease_token = last_token;
    operation.finished_at = Some(now);
    facts.remove::<OperationRun>(key);
    for key in released.iter() {
        release(facts, key)?;
    }
    Ok(())
}

fn release(facts: &mut Facts, key: &OperationKey) -> Result<(), Halt> {
    let now = facts.now();
    // It may have been cancelled, and begun anew, since it was parked.
    let parked = facts.get::<OperationRun>(key)?.is_some_and(OperationRun::is_parked);
    if !parked {
        return Ok(());
    }
    let run = facts.get_mut::<OperationRun>(key)?.expect("just read");
    run.run_at = now;
    // What takes too long is counted from here.
    run.enqueued_at = now;
    run.waiting_on = None;
    facts.wake_worker(now);
    Ok(())
}

pub(super) fn unlock(facts: &mut Facts, key: &OperationKey) -> Result<(), Halt> {
    let operation = facts.get::<Operation>(key)?.expect("a run belongs to an operation");
    let Some(aggregate) = operation.aggregate.clone() else { return Ok(()) };
    let own = facts.get::<AggregateLock>(&aggregate)?.is_some_and(|lock| lock.operation == *key);
    if own {
        facts.remove::<AggregateLock>(&aggregate);
        // Somebody may be waiting for it.
        facts.wake_worker(facts.now());
    }
    Ok(())
}

pub(super) fn succeed(facts: &mut Facts, key: &OperationKey, result: Payload) -> Result<(), Halt> {
    let run = facts.get::<OperationRun>(key)?.expect("an operation without outcome has a run");
    let (rerun, last_token) = (run.rerun, run.last_token);
    let generation = facts.get::<Operation>(key)?.expect("a run belongs to an operation").generation;
    let events = facts.events_of_command();
    facts.emit(&OperationsEvent::OperationSucceeded { operation: key.into(), generation, events }.into());
    if !rerun {
        return end(facts, key, Outcome::Succeeded, Some(result));
    }
    // Newer content came meanwhile.
    unlock(facts, key)?;
    let now = facts.now();
    facts.get_mut::<Operation>(key)?.expect("just read").lease_token = last_token;
    let last_token = begin_generation(facts, key)?;
    facts.get_mut::<Operation>(key)?.expect("just read").result = Some(result);
    change_run(facts, key, |run| {
        run.rerun = false;
        run.attempts = 0;
        run.lost = 0;
        run.last_token = last_token;
        // What takes too long is counted from here.
        run.enqueued_at = now;
        run.stuck_told = false;
        run.lease = None;
        run.waiting_on = None;
        run.last_error = None;
        run.run_at = now;
    })?;
    facts.wake_worker(now);
    Ok(())
}

/// No further try. Whatever may have happened outside is told to somebody.
pub(super) fn die(facts: &mut Facts, key: &OperationKey, code: &str, error: &str) -> Result<(), Halt> {
    doubt_becomes_unknown(facts, key)?;
    bury(facts, key, code, error)
}

pub(super) fn bury(facts: &mut Facts, key: &OperationKey, code: &str, error: &str) -> Result<(), Halt> {
    let now = facts.now();
    let generation = operation_of(facts, key)?.generation;
    let letter = DeadLetter {
        key: key.clone(),
        generation,
        dead_at: now,
        code: shortened(code),
        error: shortened(error),
        resolved_at: None,
        resolved_by: None,
        resolution: None,
        version: 0,
    };
    match facts.get_mut::<DeadLetter>(key)? {
        Some(known) => *known = DeadLetter { version: known.version, ..letter },
        None => drop(facts.insert(letter)),
    }
    facts.emit(&OperationsEvent::OperationDied { operation: key.into(), generation, code: shortened(code) }.into());
    end(facts, key, Outcome::DeadLetter, None)
}

/// Whether it arrived does not matter: sent again, it would be told from the first.
fn forget_doubt(facts: &mut Facts, key: &OperationKey) -> Result<(), Halt> {
    for effect in effects_of(facts, key)?.iter().filter(|effect| effect.state == EffectState::Intent) {
        facts.get_mut::<Effect>(&effect.key)?.expect("just read").doubt = Doubt::None;
    }
    Ok(())
}

/// An effect that may have happened must not be forgotten with the operation that asked for it, each time that it dies.
fn doubt_becomes_unknown(facts: &mut Facts, key: &OperationKey) -> Result<(), Halt> {
    for effect in effects_of(facts, key)? {
        let doubtful = match effect.state {
            EffectState::Intent => effect.doubt != Doubt::None,
            EffectState::Unknown => true,
            EffectState::Confirmed | EffectState::Rejected => false,
        };
        if doubtful {
            facts.get_mut::<Effect>(&effect.key)?.expect("just read").state = EffectState::Unknown;
            report_unknown(facts, key)?;
        }
    }
    Ok(())
}

pub(super) const CASE_EFFECT_UNKNOWN: &str = "effect-unknown";

fn report_unknown(facts: &mut Facts, key: &OperationKey) -> Result<(), Halt> {
    let correlations = operation_of(facts, key)?.correlations;
    let summary = format!(
        "Nobody can tell whether {key} reached its provider. Look there, say what you found with `surehold op settle`, \
         then redrive it"
    );
    open_case(facts, NewCase { kind: CASE_EFFECT_UNKNOWN, key: key.to_string(), summary, correlations })
}

/// What an attempt left behind. `number` is the lease's, or the next one for attempts without a lease.
pub(super) fn log_attempt(
    facts: &mut Facts,
    key: &OperationKey,
    outcome: AttemptOutcome,
    code: Option<&str>,
    error: Option<&str>,
) -> Result<(), Halt> {
    log(facts, key, outcome, LogEntry { code, error, actor: None })
}

/// What somebody did about it.
pub(super) fn log_act(
    facts: &mut Facts,
    key: &OperationKey,
    outcome: AttemptOutcome,
    actor: &Actor,
    reason: &Reason,
) -> Result<(), Halt> {
    log(facts, key, outcome, LogEntry { code: None, error: Some(reason.as_str()), actor: Some(actor) })
}

struct LogEntry<'a> {
    code: Option<&'a str>,
    error: Option<&'a str>,
    actor: Option<&'a Actor>,
}

fn log(
    facts: &mut Facts,
    key: &OperationKey,
    outcome: AttemptOutcome,
    LogEntry { code, error, actor }: LogEntry<'_>,
) -> Result<(), Halt> {
    let now = facts.now();
    let operation = operation_of(facts, key)?;
    let lease = facts.get::<OperationRun>(key)?.and_then(|run| run.lease);
    let number = match lease {
        Some(lease) => lease.token,
        None => next_token(facts, key)?,
    };
    facts.insert(Attempt {
        key: AttemptKey { operation: key.clone(), number: u32::try_from(number.0).unwrap_or(u32::MAX) },
        generation: operation.generation,
        started_at: lease.map_or(now, |lease| lease.locked_at),
        ended_at: now,
        worker: lease.map(|lease| lease.worker),
        lease_token: lease.map(|lease| lease.token),
        outcome,
        error_code: code.map(shortened),
        error: error.map(shortened),
        actor: actor.cloned(),
        version: 0,
    });
    Ok(())
}

/// Counts on, wherever the operation stands.
fn next_token(facts: &mut Facts, key: &OperationKey) -> Result<LeaseToken, Halt> {
    if facts.get::<OperationRun>(key)?.is_some() {
        let run = facts.get_mut::<OperationRun>(key)?.expect("just read");
        run.last_token = LeaseToken(run.last_token.0.strict_add(1));
        return Ok(run.last_token);
    }
    let operation = facts.get_mut::<Operation>(key)?.expect("read before");
    operation.lease_token = LeaseToken(operation.lease_token.0.strict_add(1));
    Ok(operation.lease_token)
}

/// The attempt did not succeed: later again, later without having spent anything, or never again.
pub(super) fn settle_trouble(
    facts: &mut Facts,
    kind: &OperationType,
    key: &OperationKey,
    trouble: &Trouble,
    dice: u64,
) -> Result<(), Halt> {
    match trouble {
        Trouble::Retry { code, error, retry_after_secs } => {
            let attempt = run_of(facts, key)?.attempts.strict_add(1);
            let pause =
                kind.retry.pause(u16::try_from(attempt).unwrap_or(u16::MAX), dice, retry_after_secs.map(u64::from));
            change_run(facts, key, |run| run.attempts = attempt)?;
            let Some(pause) = pause else {
                log_attempt(facts, key, AttemptOutcome::Refused, Some(code), Some(error))?;
                let error = format!("{error} (after {attempt} attempts)");
                if kind.repeats_do_no_harm() {
                    forget_doubt(facts, key)?;
                }
                return die(facts, key, "attempts-exhausted", &error);
            };
            log_attempt(facts, key, AttemptOutcome::Failed, Some(code), Some(error))?;
            postpone(facts, key, pause.until(facts.now()), None, Some(error))
        }
        Trouble::Permanent { code, error } => {
            change_run(facts, key, |run| run.attempts = run.attempts.strict_add(1))?;
            log_attempt(facts, key, AttemptOutcome::Refused, Some(code), Some(error))?;
            die(facts, key, code, error)
        }
        Trouble::Wait { on, until } => {
            let recheck_at = facts.now().plus_secs(i64::from(kind.recheck_secs));
            if let Some(until) = until {
                // Nothing is late before the instant that it waits for.
                change_run(facts, key, |run| run.enqueued_at = run.enqueued_at.max(*until))?;
            }
            postpone(facts, key, until.unwrap_or(recheck_at), Some(on), None)
        }
    }
}

/// Gives the lease back, if there is one.
pub(super) fn postpone(
    facts: &mut Facts,
    key: &OperationKey,
    run_at: Timestamp,
    waiting_on: Option<&WaitingOn>,
    error: Option<&str>,
) -> Result<(), Halt> {
    unlock(facts, key)?;
    change_run(facts, key, |run| {
        run.lease = None;
        run.run_at = run_at;
        run.waiting_on = waiting_on.cloned();
        if let Some(error) = error {
            run.last_error = Some(shortened(error));
        }
    })?;
    facts.wake_worker(run_at);
    Ok(())
}

pub(super) fn grant(facts: &mut Facts, key: &OperationKey, lease: Lease) -> Result<(), Halt> {
    if let Some(aggregate) = operation_of(facts, key)?.aggregate {
        let (operation, token) = (key.clone(), lease.token);
        facts.insert(AggregateLock { aggregate, operation, token, version: 0 });
    }
    change_run(facts, key, |run| {
        run.last_token = lease.token;
        run.lease = Some(lease);
        run.waiting_on = None;
    })
}
