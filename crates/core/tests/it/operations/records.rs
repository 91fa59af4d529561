//! Every record of operations comes back as it was written, whatever its texts say.

use surehold_core::kernel::{Record, Timestamp};
use surehold_core::operations::commands::{Beat, LeaveWork, RaiseEpoch};
use surehold_core::operations::{
    Actor, Aggregate, AggregateLock, Attempt, AttemptKey, AttemptOutcome, Case, CaseKey, CaseState,
    CorrelatedOperation, Correlation, DeadLetter, Doubt, Effect, EffectKey, EffectState, Epoch, Lease, LeaseToken,
    Operation, OperationKey, OperationRefusal, OperationRun, OperationState, Outcome, Payload, Reason, WaitingOn,
    WorkerBeat, WorkerId,
};

use super::desk::Desk;
use super::kinds::PAY;
use super::store::Store;
use crate::codec::check_record;
use crate::world::START;

/// Everything that a text may be. U+0000 is not: see `ending.rs` of the domain.
const ODD: [&str; 8] =
    ["x", "it's \"quoted\"", "\\ %s $1 ?", "🙂 ẞ 漢", "a\u{301}", "{\"a\":[]}", "null", "\u{fffd}\u{10ffff}"];

fn operation_key(text: &str) -> OperationKey {
    PAY.key(&[text]).unwrap()
}

fn at(secs: i64) -> Timestamp {
    START.plus_secs(secs)
}

#[test]
fn identity_and_runs() {
    for text in ODD {
        let key = operation_key(text);
        for outcome in Outcome::ALL.iter().copied().map(Some).chain([None]) {
            let payload = Payload::of(&serde_json::json!({ text: [text, "\u{0}"] }));
            check_record(&Operation {
                key: key.clone(),
                generation: u32::MAX,
                payload_hash: payload.hash(),
                payload: payload.clone(),
                aggregate: outcome.map(|_| Aggregate::new(text).unwrap()),
                correlations: outcome.map(|_| vec![Correlation::new("kind", text).unwrap()]).unwrap_or_default().into(),
                releases: outcome.map(|_| vec![key.clone()]).unwrap_or_default().into(),
                outcome,
                result: outcome.map(|_| payload),
                attempts: u32::MAX,
                lease_token: LeaseToken(i64::MAX),
                created_at: at(-1),
                finished_at: outcome.map(|_| at(1)),
                version: 3,
            });
        }
        for some in [true, false] {
            let (token, worker) = (LeaseToken(7), WorkerId(i64::MIN));
            check_record(&OperationRun {
                key: key.clone(),
                priority: 2,
                effect: some,
                run_at: at(5),
                attempts: 1,
                lost: 2,
                rerun: !some,
                last_token: token,
                lease: some.then_some(Lease { token, worker, locked_at: at(1), until: at(2) }),
                waiting_on: some.then(|| WaitingOn::new(text, text)),
                last_error: some.then(|| text.into()),
                enqueued_at: at(0),
                stuck_told: some,
                version: i64::MAX,
            });
        }
    }
}

#[test]
fn effects_and_attempts() {
    for (text, some) in ODD.into_iter().zip([true, false].into_iter().cycle()) {
        for (state, doubt) in
            EffectState::ALL.iter().flat_map(|state| Doubt::ALL.iter().map(move |doubt| (*state, *doubt)))
        {
            check_record(&Effect {
                key: EffectKey { operation: operation_key(text), step: u16::MAX },
                generation: 1,
                state,
                doubt,
                sends: u32::MAX,
                idempotency_key: text.into(),
                request: Payload::of(&text),
                intent_at: at(0),
                provider_ref: some.then(|| text.into()),
                response: some.then(|| Payload::of(&text)),
                lease_token: LeaseToken(9),
                settled_at: some.then_some(at(9)),
                version: 1,
            });
        }
        for outcome in AttemptOutcome::ALL {
            check_record(&Attempt {
                key: AttemptKey { operation: operation_key(text), number: u32::MAX },
                generation: 2,
                started_at: at(0),
                ended_at: at(1),
                worker: some.then_some(WorkerId(-1)),
                lease_token: some.then_some(LeaseToken(1)),
                outcome: *outcome,
                error_code: some.then(|| text.into()),
                error: some.then(|| text.into()),
                actor: some.then(|| Actor::new(text).unwrap()),
                version: 1,
            });
        }
    }
}

#[test]
fn what_people_see() {
    for (text, some) in ODD.into_iter().zip([true, false].into_iter().cycle()) {
        let (actor, reason) = (Actor::new(text).unwrap(), Reason::new(text).unwrap());
        check_record(&DeadLetter {
            key: operation_key(text),
            generation: 1,
            dead_at: at(0),
            code: text.into(),
            error: text.into(),
            resolved_at: some.then_some(at(1)),
            resolved_by: some.then(|| actor.clone()),
            resolution: some.then(|| reason.clone()),
            version: 1,
        });
        let correlations = if some { vec![Correlation::new("k", text).unwrap()] } else { Vec::new() };
        for state in CaseState::ALL {
            check_record(&Case {
                key: CaseKey { kind: text.into(), key: text.into() },
                state: *state,
                summary: text.into(),
                correlations: correlations.clone().into(),
                reports: 4,
                opened_at: at(0),
                reported_at: at(1),
                assigned_to: some.then(|| actor.clone()),
                resolved_at: some.then_some(at(2)),
                resolved_by: some.then(|| actor.clone()),
                resolution: some.then(|| reason.clone()),
                version: 1,
            });
        }
        let (raised_by, reason) = (actor, reason);
        check_record(&Epoch { number: 1, raised_at: at(0), raised_by, reason, version: 1 });
    }
}

#[test]
fn the_small_ones() {
    for text in ODD {
        let operation = operation_key(text);
        let correlation = Correlation::new("kind", text).unwrap();
        check_record(&CorrelatedOperation { correlation, operation: operation.clone(), version: 1 });
        let (aggregate, token) = (Aggregate::new(text).unwrap(), LeaseToken(3));
        check_record(&AggregateLock { aggregate, operation, token, version: 1 });
        let (id, host) = (WorkerId(i64::MAX), text.into());
        check_record(&WorkerBeat { id, host, started_at: at(0), beat_at: at(1), version: 1 });
    }
}

/// A word of one list is told from all others, and one that is in none is not taken for any.
#[test]
fn words() {
    fn check<T: Copy + PartialEq + std::fmt::Debug + std::fmt::Display>(all: &[T], parse: fn(&str) -> Option<T>) {
        for word in all {
            assert_eq!(parse(&word.to_string()), Some(*word));
        }
        for wrong in ["", "x", " INTENT", "Open"] {
            assert_eq!(parse(wrong), None);
        }
    }
    check(Outcome::ALL, Outcome::parse);
    check(OperationState::ALL, OperationState::parse);
    check(EffectState::ALL, EffectState::parse);
    check(Doubt::ALL, Doubt::parse);
    check(AttemptOutcome::ALL, AttemptOutcome::parse);
    check(CaseState::ALL, CaseState::parse);
}

/// What a provider says is kept even if it says U+0000, and cut where it goes on for ever.
#[test]
fn what_a_provider_says() {
    let mut desk = Desk::new();
    desk.play("ask pay:a; start pay:a; tell pay:a confirmed");
    assert_eq!(desk.effects(&operation_key("a"))[0].provider_ref.as_deref(), Some("ref\u{fffd}"));
    desk.play("ask pay:b; start pay:b; tell pay:b unanswered");
    let error = desk.store.all::<OperationRun>()[0].last_error.clone();
    assert_eq!(error.as_deref(), Some("it \"failed\" \u{fffd} so"));
}

/// A worker that was given up and comes back, in one batch too.
#[test]
fn workers_and_epochs() {
    let mut store = Store::default();
    let beat = Beat { worker: WorkerId(1), host: "one".into() };
    let leave = LeaveWork { worker: WorkerId(1) };
    store.run(at(0), &leave).unwrap();
    store.run(at(0), &beat).unwrap();
    store.run(at(9), &beat).unwrap();
    let beats = store.all::<WorkerBeat>();
    assert_eq!((beats.len(), beats[0].started_at, beats[0].beat_at), (1, at(0), at(9)));
    store.run_batch(at(10), &leave, &beat).unwrap();
    assert_eq!(store.get::<WorkerBeat>(&WorkerId(1)).unwrap().started_at, at(10));
    store.run(at(11), &leave).unwrap();
    assert_eq!(store.all::<WorkerBeat>(), []);

    let raise = |number| RaiseEpoch { number, actor: Actor::new("ann").unwrap(), reason: Reason::new("disk").unwrap() };
    store.run(at(12), &raise(1)).unwrap();
    let changed = OperationRefusal::Changed { what: "the epoch".into() };
    assert_eq!(store.run(at(13), &raise(1)).unwrap_err(), changed);
    store.run(at(13), &raise(2)).unwrap();
    assert_eq!(store.all::<Epoch>().last().unwrap().key(), 2);
}
