//! What must be true of everything that is stored about operations, whatever was asked and whoever died: the eleventh
//! invariant, in full. The same, in SQL, is `surehold audit`.

use std::collections::BTreeSet;

use surehold_core::operations::{
    AggregateLock, Attempt, Case, CaseState, DeadLetter, Doubt, Effect, EffectKey, EffectState, Mode, Operation,
    OperationKey, OperationRun, OperationType, Outcome, RECONCILE_STUCK_OPERATION,
};

use super::kinds::kind_named;
use super::store::Store;

fn kind_of(key: &OperationKey) -> &'static OperationType {
    if key.kind.as_str() == RECONCILE_STUCK_OPERATION.name {
        &RECONCILE_STUCK_OPERATION
    } else {
        super::kinds::kind_of(key)
    }
}

pub(crate) fn check(store: &Store) {
    for operation in store.all::<Operation>() {
        check_operation(store, &operation);
    }
    for run in store.all::<OperationRun>() {
        assert!(store.get::<Operation>(&run.key).is_some(), "{} has a run and does not exist", run.key);
    }
    check_effects(store);
    for lock in store.all::<AggregateLock>() {
        let lease = store.get::<OperationRun>(&lock.operation).and_then(|run| run.lease);
        assert_eq!(lease.map(|lease| lease.token), Some(lock.token), "{} is locked by nobody", lock.aggregate);
        let operation = store.get::<Operation>(&lock.operation).unwrap();
        assert_eq!(operation.aggregate.as_ref(), Some(&lock.aggregate));
    }
    for attempt in store.all::<Attempt>() {
        let last = last_token(store, &attempt.key.operation);
        assert!(i64::from(attempt.key.number) <= last, "{attempt:?} is ahead of {last}");
        assert!(attempt.started_at <= attempt.ended_at);
    }
    for case in store.all::<Case>() {
        assert_eq!(case.state == CaseState::Resolved, case.resolved_at.is_some(), "{case:?}");
        assert_eq!(case.resolved_at.is_some(), case.resolution.is_some(), "{case:?}");
    }
}

fn last_token(store: &Store, key: &OperationKey) -> i64 {
    let operation = store.get::<Operation>(key).unwrap();
    let run = store.get::<OperationRun>(key);
    run.map_or(0, |run| run.last_token.0).max(operation.lease_token.0)
}

fn check_operation(store: &Store, operation: &Operation) {
    let (key, kind) = (&operation.key, kind_of(&operation.key));
    let run = store.get::<OperationRun>(key);
    assert_eq!(run.is_some(), operation.outcome.is_none(), "{key} has a run exactly while it has no outcome");
    assert_eq!(operation.outcome.is_some(), operation.finished_at.is_some(), "{key}");
    let attempts_max = u32::from(kind.retry.attempts_max);
    assert!(operation.attempts <= attempts_max, "{key} took {} attempts", operation.attempts);
    if let Some(run) = &run {
        assert!(run.attempts < attempts_max, "{key} has spent {} attempts and goes on", run.attempts);
        assert!(run.lease.is_none() || run.effect, "only effects are leased: {key}");
        assert!(run.lease.is_none() || !run.is_parked(), "{key} is parked and runs");
        let locks = store.all::<AggregateLock>().iter().any(|lock| lock.operation == *key);
        assert_eq!(locks, run.lease.is_some() && operation.aggregate.is_some(), "{key} and its lock");
    }
    let letter = store.get::<DeadLetter>(key);
    match operation.outcome {
        Some(Outcome::DeadLetter) => {
            assert_eq!(letter.map(|letter| letter.generation), Some(operation.generation), "{key} died unsaid");
        }
        Some(Outcome::Succeeded) | None => {
            assert!(letter.is_none_or(|letter| letter.resolved_at.is_some()), "{key} is not dead");
        }
    }
}

fn counts(kind: &OperationType, operation: &Operation, effect: &Effect) -> bool {
    match kind.mode {
        Mode::Once => true,
        Mode::Latest => effect.generation == operation.generation,
    }
}

fn check_effects(store: &Store) {
    let mut keys = BTreeSet::new();
    for effect in store.all::<Effect>() {
        let EffectKey { operation: key, step } = &effect.key;
        assert!(keys.insert(effect.idempotency_key.clone()), "two effects share the key of {key} step {step}");
        let operation = store.get::<Operation>(key).unwrap_or_else(|| panic!("{key} has an effect and does not exist"));
        let kind = kind_named(key.kind.as_str());
        assert!(kind.nature.is_effect());
        assert!(effect.lease_token.0 <= last_token(store, key), "{key} step {step} is ahead of its operation");
        assert!(effect.generation <= operation.generation, "{key} step {step} is of a generation to come");
        let unsettled = matches!(effect.state, EffectState::Intent | EffectState::Unknown);
        assert!(unsettled || effect.doubt == Doubt::None, "{key} step {step} is settled and in doubt");
        assert_eq!(unsettled, effect.settled_at.is_none(), "{key} step {step}");
        if *step > 0 {
            let before = EffectKey { operation: key.clone(), step: step - 1 };
            let before = store.get::<Effect>(&before).unwrap_or_else(|| panic!("{key} left a step before {step} out"));
            assert!(
                before.is_confirmed() || !counts(kind, &operation, &effect),
                "{key} went on from step {}",
                step - 1
            );
        }
        if operation.outcome.is_some() && counts(kind, &operation, &effect) {
            let doubtful = effect.state == EffectState::Intent && effect.doubt != Doubt::None;
            assert!(!doubtful, "{key} has ended, and nobody was told that step {step} may have happened");
        }
        if operation.outcome == Some(Outcome::Succeeded) && counts(kind, &operation, &effect) {
            assert_ne!(effect.state, EffectState::Unknown, "{key} succeeded with an unknown step {step}");
        }
    }
}
