//! `RECONCILE_STUCK_OPERATION`: an operation beyond its deadline is requeued or dies, with a reason that stays.

use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::kernel::{Facts, Invalid, Stop};

use super::cases::{NewCase, open_case};
use super::ending::{die, log_attempt, operation_of, postpone};
use super::{
    AttemptOutcome, LeaseToken, Mode, Nature, NewOperation, Operation, OperationKey, OperationRun, OperationType,
    Payload, Priority, RetryPolicy, StateHandler, Trouble,
};

pub static RECONCILE_STUCK_OPERATION: OperationType = OperationType {
    name: "RECONCILE_STUCK_OPERATION",
    key: &["operationId", "retryNo"],
    mode: Mode::Once,
    priority: Priority::Urgent,
    retry: RetryPolicy::exponential(10, 1_000, 2, 60_000),
    deadline_secs: 30,
    stuck_after_secs: 3_600,
    recheck_secs: 30,
    running_max: 1_000,
    nature: Nature::State,
};

/// An operation whose workers keep vanishing is taken out before it takes more of them down.
pub const LOST_LEASES_MAX: u32 = 3;

/// Whoever was running when a worker died is suspected with the one that took it down. Spread over time they do not meet
/// again, and only the guilty one loses its next lease.
const AFTER_LOSS: RetryPolicy = RetryPolicy::exponential(u16::MAX, 2_000, 2, 8_000);

/// What somebody noticed about an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StuckReason {
    /// It runs for longer than its type allows.
    LeaseExpired,
    /// Its worker has said nothing for too long.
    WorkerSilent,
    /// It waits for longer than its type allows.
    Overdue,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Stuck {
    operation: OperationKey,
    /// The lease that was seen; whatever happened to it since, a newer one is not touched.
    token: Option<LeaseToken>,
    reason: StuckReason,
}

/// The operation that looks after a stuck one. Whoever notices the same thing asks for the same operation.
pub fn reconciliation(
    operation: &OperationKey,
    last_token: LeaseToken,
    reason: StuckReason,
) -> Result<NewOperation, Invalid> {
    let leased = match reason {
        StuckReason::LeaseExpired | StuckReason::WorkerSilent => Some(last_token),
        StuckReason::Overdue => None,
    };
    let retry_no = leased.map_or_else(|| format!("overdue-{last_token}"), |token| token.to_string());
    // A long name does not fit into a key with anything beside it; its hash does.
    let key = RECONCILE_STUCK_OPERATION.key(&[&operation.to_string(), &retry_no]).or_else(|_| {
        let hash = Payload::of(&operation.key).hash().map(|byte| format!("{byte:02x}")).concat();
        RECONCILE_STUCK_OPERATION.key(&[&format!("{} #{hash}", operation.kind), &retry_no])
    })?;
    let payload = Payload::of(&Stuck { operation: operation.clone(), token: leased, reason });
    Ok(NewOperation::new(&RECONCILE_STUCK_OPERATION, key, payload))
}

#[derive(Debug)]
pub struct ReconcileStuckOperation;

impl StateHandler for ReconcileStuckOperation {
    fn kind(&self) -> &'static OperationType {
        &RECONCILE_STUCK_OPERATION
    }

    fn run(&self, operation: &Operation, facts: &mut Facts) -> Result<Payload, Stop<Trouble>> {
        let stuck: Stuck = operation.payload.read().map_err(|e| Trouble::permanent("malformed", e.to_string()))?;
        let Some(run) = facts.get::<OperationRun>(&stuck.operation)?.cloned() else {
            return Ok(Payload::of(&json!({ "action": "none", "why": "it has ended" })));
        };
        match stuck.token {
            Some(token) if run.lease.is_some_and(|lease| lease.token == token) => recover(facts, &stuck, &run),
            Some(_) => Ok(Payload::of(&json!({ "action": "none", "why": "it has gone on" }))),
            None if run.stuck_told => Ok(Payload::of(&json!({ "action": "none", "why": "somebody was told" }))),
            None => tell(facts, &stuck),
        }
    }
}

/// The lease is taken away: whoever had it can complete nothing any more.
fn recover(facts: &mut Facts, stuck: &Stuck, run: &OperationRun) -> Result<Payload, Stop<Trouble>> {
    let key = &stuck.operation;
    let lost = run.lost.strict_add(1);
    let code = match stuck.reason {
        StuckReason::LeaseExpired => "lease-expired",
        StuckReason::WorkerSilent | StuckReason::Overdue => "worker-silent",
    };
    facts.get_mut::<OperationRun>(key)?.expect("just read").lost = lost;
    let error = format!("lease {} of worker {} was lost ({code})", run.last_token, lease_worker(run));
    log_attempt(facts, key, AttemptOutcome::Lost, Some(code), Some(&error))?;
    if lost >= LOST_LEASES_MAX {
        die(facts, key, "quarantined", &format!("{lost} leases in a row were lost; the last one: {error}"))?;
        return Ok(Payload::of(&json!({ "action": "dead-lettered", "why": error })));
    }
    let pause = AFTER_LOSS.pause(u16::try_from(lost).unwrap_or(u16::MAX), dice(key, run.last_token), None);
    let run_at = pause.map_or(facts.now(), |pause| pause.until(facts.now()));
    postpone(facts, key, run_at, None, Some(&error))?;
    Ok(Payload::of(&json!({ "action": "requeued", "why": error })))
}

/// Decisions know no chance; what differs from lease to lease is as good here.
fn dice(key: &OperationKey, token: LeaseToken) -> u64 {
    let hash = Sha256::digest(format!("{key} {token}"));
    hash.iter().take(8).fold(0, |dice, byte| (dice << 8) | u64::from(*byte))
}

fn lease_worker(run: &OperationRun) -> String {
    run.lease.map_or_else(|| "?".to_owned(), |lease| lease.worker.to_string())
}

const CASE_OPERATION_STUCK: &str = "operation-stuck";

/// It has waited for too long: it goes on waiting, but not in silence.
fn tell(facts: &mut Facts, stuck: &Stuck) -> Result<Payload, Stop<Trouble>> {
    let key = &stuck.operation;
    let correlations = operation_of(facts, key)?.correlations;
    let run = facts.get_mut::<OperationRun>(key)?.expect("just read");
    run.stuck_told = true;
    let waiting = run.waiting_on.as_ref().map(|on| format!(", waiting on: {on}")).unwrap_or_default();
    let failed = run.last_error.as_ref().map(|error| format!(", last error: {error}")).unwrap_or_default();
    let summary = format!("{key} is unfinished since {}{waiting}{failed}", run.enqueued_at);
    open_case(facts, NewCase { kind: CASE_OPERATION_STUCK, key: key.to_string(), summary, correlations })?;
    Ok(Payload::of(&json!({ "action": "case-opened" })))
}

#[cfg(test)]
mod tests {
    use super::super::{DedupeKey, TypeName};
    use super::*;

    fn stuck(key: &str) -> NewOperation {
        let operation = OperationKey { kind: TypeName::new("CHARGE").unwrap(), key: DedupeKey::new(key).unwrap() };
        reconciliation(&operation, LeaseToken(7), StuckReason::LeaseExpired).unwrap()
    }

    #[test]
    fn an_operation_with_any_name_can_be_looked_after() {
        assert_eq!(stuck("a").key.key.as_str(), "CHARGE a:7");
        let (long, other) = ("x".repeat(400), format!("{}y", "x".repeat(399)));
        assert_eq!(stuck(&long).key, stuck(&long).key);
        assert_ne!(stuck(&long).key, stuck(&other).key);
        assert_ne!(stuck(&"%:".repeat(200)).key, stuck(&long).key);
    }
}
