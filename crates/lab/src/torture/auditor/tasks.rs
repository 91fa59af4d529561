//! Tasks that were taken are operations that are done once; what they reach outside is done as often as they say.

use std::collections::{HashMap, HashSet};

use super::feed::{Event, Operation, What};
use super::findings::{Verdict, count_of};
use super::model::HoldState;
use super::replay::{Replay, place};
use super::requests::{Fate, Request};
use super::state::{AttemptSeen, ChargeSeen, FinalState, OperationSeen};
use crate::torture::history::{Answer, Ask};

const EXPIRE_HOLD: &str = "EXPIRE_HOLD";
/// With how many charges each is done.
const CHARGES: [(&str, usize); 2] = [("CHARGE", 1), ("CHARGE_WITH_FEE", 2)];
const NOTE_CHARGE: &str = "NOTE_CHARGE";
/// The provider said no, and no charge was made.
const DECLINED: &str = "card_declined";
/// The workers that tried it died one after the other.
const QUARANTINED: &str = "quarantined";

pub(super) fn is_charge(kind: &str) -> bool {
    CHARGES.iter().any(|(name, _)| *name == kind)
}

pub(super) fn kinds() -> impl Iterator<Item = &'static str> {
    CHARGES.iter().map(|(name, _)| *name).chain([EXPIRE_HOLD, NOTE_CHARGE])
}

/// Whether it may still be unfinished: it waits for an instant that has not come.
pub(super) fn may_wait(operation: &OperationSeen, now: i64) -> bool {
    operation.kind == EXPIRE_HOLD && operation.run_at.is_some_and(|run_at| run_at > now)
}

pub(super) fn check(requests: &[Request<'_>], last: &FinalState, replay: &Replay, verdict: &mut Verdict) {
    let mut operations: HashMap<(&str, &str), &OperationSeen> = HashMap::new();
    for operation in &last.operations {
        if operations.insert((&operation.kind, &operation.key), operation).is_some() {
            verdict.add("tasks", || format!("{} {} is there twice", operation.kind, operation.key));
        }
        if !operation.has_ended() && !may_wait(operation, last.read_at) {
            verdict.add("converged", || format!("{operation:?} has not ended"));
        }
    }
    verdict.checked.operations = count_of(operations.len());
    let taken = check_received(requests, &operations, replay, verdict);
    check_ended(&operations, replay, verdict);
    check_burnt(replay, verdict);
    check_leased(&operations, verdict);
    check_dead(&operations, verdict);
    check_notes(&operations, verdict);
    if let Some(charges) = &last.charges {
        check_charges(charges, requests, &operations, &taken, verdict);
    }
}

/// A task as it was delivered, perhaps often: what it is, and what it is called.
type Name<'a> = (&'static str, &'a str);

fn name_of(ask: &Ask) -> Option<Name<'_>> {
    match ask {
        Ask::ExpireTask { task, .. } => Some(("expire-hold", task)),
        Ask::ChargeTask { task, .. } => Some(("charge", task)),
        _ => None,
    }
}

fn name_in_feed<'a>(external_id: &'a str, operation: &Operation) -> Option<Name<'a>> {
    match operation.kind.as_str() {
        EXPIRE_HOLD => Some(("expire-hold", external_id)),
        kind if is_charge(kind) => Some(("charge", external_id)),
        _ => None,
    }
}

fn asks_for(ask: &Ask, operation: &Operation) -> bool {
    match ask {
        Ask::ExpireTask { hold, .. } => operation.kind == EXPIRE_HOLD && operation.key == hold.to_string(),
        Ask::ChargeTask { purchase, .. } => is_charge(&operation.kind) && operation.key == escaped(purchase),
        _ => false,
    }
}

/// As keys of operations are spelled: what separates their parts is escaped inside of them.
fn escaped(part: &str) -> String {
    part.replace('%', "%25").replace(':', "%3A")
}

/// Every task that was taken is in the feed once, and has its operation. Returns the operations that were asked for.
fn check_received<'a>(
    requests: &[Request<'a>],
    operations: &HashMap<(&str, &str), &OperationSeen>,
    replay: &'a Replay,
    verdict: &mut Verdict,
) -> HashSet<(&'a str, &'a str)> {
    let mut asked: HashMap<Name<'a>, Vec<&Request<'a>>> = HashMap::new();
    for request in requests {
        if let Some(name) = name_of(request.ask()) {
            asked.entry(name).or_default().push(request);
        }
    }
    verdict.checked.tasks = count_of(asked.len());
    let mut received: HashMap<Name<'_>, &Operation> = HashMap::new();
    let mut taken = HashSet::new();
    for event in &replay.events {
        let What::Received { external_id, operation } = &event.what else { continue };
        let Some(name) = name_in_feed(external_id, operation) else { continue };
        taken.insert((operation.kind.as_str(), operation.key.as_str()));
        if received.insert(name, operation).is_some() {
            verdict.add("done-twice", || format!("{}: the task {name:?} was taken a second time", place(event)));
        }
        let explains = |request: &&&Request<'_>| request.fate != Fate::Fail && asks_for(request.ask(), operation);
        if asked.get(&name).into_iter().flatten().find(explains).is_none() {
            verdict.add("fail-nowhere", || format!("{}: nobody delivered the task {name:?}", place(event)));
        }
        if !operations.contains_key(&(operation.kind.as_str(), operation.key.as_str())) {
            verdict.add("tasks", || format!("{}: its operation is not there: {operation:?}", place(event)));
        }
    }
    for (name, requests) in &asked {
        let oks = requests.iter().filter(|request| request.fate == Fate::Ok);
        if oks.clone().next().is_some() && !received.contains_key(name) {
            verdict.add("ok-exists", || format!("the task {name:?} was taken and is not in the feed"));
        }
        let news = oks.filter(|request| matches!(request.answer(), Some(Answer::Task { replayed: false }))).count();
        if news > 1 {
            verdict.add("done-twice", || format!("the task {name:?} was new {news} times"));
        }
    }
    taken
}

/// An operation that ended is told to have ended, once.
fn check_ended(operations: &HashMap<(&str, &str), &OperationSeen>, replay: &Replay, verdict: &mut Verdict) {
    let redriven = replay.events.iter().any(|event| event.what == What::Redriven);
    let mut ended: HashMap<(&str, &str), (u64, u64)> = HashMap::new();
    for event in &replay.events {
        match &event.what {
            What::Succeeded { operation } => ended.entry((&operation.kind, &operation.key)).or_default().0 += 1,
            What::Died { operation } => ended.entry((&operation.kind, &operation.key)).or_default().1 += 1,
            _ => {}
        }
    }
    for ((kind, key), (succeeded, died)) in &ended {
        if succeeded + died > 1 && !redriven {
            verdict.add("done-twice", || format!("{kind} {key} ended {} times", succeeded + died));
        }
    }
    for ((kind, key), operation) in operations {
        let (succeeded, died) = ended.get(&(*kind, *key)).copied().unwrap_or_default();
        let told = match operation.state.as_str() {
            "SUCCEEDED" => succeeded > 0,
            "DEAD_LETTER" => died > 0,
            _ => redriven || succeeded + died == 0,
        };
        if !told {
            let state = &operation.state;
            verdict.add("tasks", || format!("{kind} {key} is {state}, and the feed tells otherwise"));
        }
    }
}

/// An operation that expires a hold has only succeeded when the hold had ended.
fn check_burnt(replay: &Replay, verdict: &mut Verdict) {
    for event in &replay.events {
        let What::Succeeded { operation } = &event.what else { continue };
        if operation.kind != EXPIRE_HOLD {
            continue;
        }
        let life = operation.key.parse().ok().and_then(|hold: uuid::Uuid| replay.holds.get(&hold));
        let end = life.and_then(|life| life.stages.iter().find(|stage| stage.state != HoldState::Active));
        let ended_by_then = |end: &Event| end.seq <= event.seq;
        if !end.is_some_and(|end| ended_by_then(&replay.events[end.event])) {
            let key = &operation.key;
            verdict.add("early-task-burnt", || format!("{}: hold {key} had not ended", place(event)));
        }
    }
}

/// What came of a call counts only from the worker who has the lease: an attempt that failed or was refused without one
/// was told by somebody who had lost it.
fn check_leased(operations: &HashMap<(&str, &str), &OperationSeen>, verdict: &mut Verdict) {
    for ((kind, key), operation) in operations.iter().filter(|((kind, _), _)| is_charge(kind)) {
        let told = |attempt: &&AttemptSeen| matches!(attempt.outcome.as_str(), "failed" | "refused");
        for attempt in operation.attempts.iter().filter(told).filter(|attempt| attempt.worker.is_none()) {
            verdict.add("leases", || format!("{kind} {key}: {attempt:?} was told by nobody who had the lease"));
        }
    }
}

/// Nothing dies but a charge, and that for a reason that was given to it: patience outlasts every fault.
fn check_dead(operations: &HashMap<(&str, &str), &OperationSeen>, verdict: &mut Verdict) {
    for ((kind, key), operation) in operations.iter().filter(|(_, operation)| operation.state == "DEAD_LETTER") {
        let lost = || operation.attempts.iter().any(|attempt| attempt.outcome == "lost");
        let with_reason = is_charge(kind)
            && match operation.dead_code.as_deref() {
                Some(DECLINED) => operation.effects.last().is_some_and(|state| state == "REJECTED"),
                Some(QUARANTINED) => lost(),
                Some(_) | None => false,
            };
        if !with_reason {
            let code = &operation.dead_code;
            verdict.add("tasks", || format!("{kind} {key} is dead without a reason: {code:?}"));
        }
    }
    let done = operations.iter().filter(|((kind, _), charge)| is_charge(kind) && is_paid(charge));
    verdict.checked.charges_done = count_of(done.count());
}

fn is_paid(charge: &OperationSeen) -> bool {
    charge.state == "SUCCEEDED" && !is_declined(charge)
}

fn is_declined(operation: &OperationSeen) -> bool {
    operation.result.as_ref().is_some_and(|result| result["declined"] == true)
}

/// What follows a charge is there for each that was made, and for no other.
fn check_notes(operations: &HashMap<(&str, &str), &OperationSeen>, verdict: &mut Verdict) {
    let mut expected: HashSet<String> = HashSet::new();
    for ((kind, key), charge) in operations.iter().filter(|((kind, _), _)| is_charge(kind)) {
        if !is_paid(charge) {
            continue;
        }
        let note = format!("{}:{}", escaped(kind), escaped(key));
        if operations.get(&(NOTE_CHARGE, note.as_str())).is_none_or(|note| note.state != "SUCCEEDED") {
            verdict.add("tasks", || format!("{kind} {key} is done, and what follows it is not"));
        }
        expected.insert(note);
    }
    for (_, key) in operations.keys().filter(|(kind, key)| *kind == NOTE_CHARGE && !expected.contains(*key)) {
        verdict.add("tasks", || format!("{NOTE_CHARGE} {key} follows no charge that was made"));
    }
}

/// `tenant.TYPE.key.step`.
fn parts(name: &str) -> Option<(&str, &str, usize)> {
    let (_, rest) = name.split_once('.')?;
    let (kind, rest) = rest.split_once('.')?;
    let (key, step) = rest.rsplit_once('.')?;
    Some((kind, key, step.parse().ok()?))
}

fn check_charges(
    charges: &[ChargeSeen],
    requests: &[Request<'_>],
    operations: &HashMap<(&str, &str), &OperationSeen>,
    taken: &HashSet<(&str, &str)>,
    verdict: &mut Verdict,
) {
    let mut amounts: HashMap<String, HashSet<i64>> = HashMap::new();
    for request in requests.iter().filter(|request| request.fate != Fate::Fail) {
        if let Ask::ChargeTask { purchase, amount, .. } = request.ask() {
            amounts.entry(escaped(purchase)).or_default().insert(*amount);
        }
    }
    let mut made: HashSet<(&str, &str, usize)> = HashSet::new();
    for charge in charges {
        verdict.checked.charges += 1;
        let name = parts(&charge.operation);
        let again = name.is_some_and(|name| !made.insert(name));
        if charge.times > 1 || again {
            verdict.add("charged-twice", || format!("{charge:?}"));
        }
        let explained = name.is_some_and(|(kind, key, _)| {
            taken.contains(&(kind, key)) && amounts.get(key).is_some_and(|amounts| amounts.contains(&charge.amount))
        });
        if !explained {
            verdict.add("tasks", || format!("no task explains {charge:?}"));
        }
    }
    for ((kind, key), operation) in operations.iter().filter(|((kind, _), _)| is_charge(kind)) {
        check_steps(kind, key, operation, |step| made.contains(&(*kind, *key, step)), verdict);
    }
}

/// What the operation says of each of its calls is what the provider did.
fn check_steps(
    kind: &str,
    key: &str,
    operation: &OperationSeen,
    is_made: impl Fn(usize) -> bool,
    verdict: &mut Verdict,
) {
    let steps = CHARGES.iter().find(|(name, _)| *name == kind).map_or(0, |(_, steps)| *steps);
    let is_done = is_paid(operation);
    for step in 0..steps.max(operation.effects.len()) {
        let state = operation.effects.get(step).map(String::as_str);
        let as_told = match state {
            Some("CONFIRMED") => is_made(step),
            Some("REJECTED") | None => !is_made(step) && !is_done,
            // Nobody can tell, and nobody says otherwise.
            Some(_) => !is_done,
        };
        if !as_told {
            let (made, state) = (is_made(step), state.unwrap_or("not begun"));
            verdict.add("tasks", || {
                format!("{kind} {key} is {}: step {step} is {state}, and charged is {made}", operation.state)
            });
        }
    }
}
