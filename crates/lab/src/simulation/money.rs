//! Operations and their effects: what was asked for is there once, and the provider's books agree.

use std::collections::{BTreeMap, BTreeSet};

use surehold_core::kernel::Event;
use surehold_core::operations::{
    CaseState, Effect, EffectState, Operation, OperationKey, OperationsEvent, Outcome, RECONCILE_STUCK_OPERATION,
};

use super::dump::{Dump, TenantDump};
use super::requests::{Ask, Request, Verdict};
use surehold_simulators::charge::{CHARGE_WITH_FEE, effect_name, note};
use surehold_simulators::provider::ProviderReport;

pub(super) fn audit(dump: &TenantDump, requests: &[Request], report: &ProviderReport) -> Vec<String> {
    let mut wrong = Vec::new();
    let tenant = dump.tenant;
    if !dump.runs.is_empty() || !dump.locks.is_empty() {
        wrong.push(format!("something is left to do: {:?} {:?}", dump.runs, dump.locks));
    }
    wrong.extend(
        dump.cases
            .iter()
            .filter(|case| case.state == CaseState::Open && case.key.kind == "effect-unknown")
            .map(|case| format!("open: {case:?}")),
    );
    for effect in &dump.effects {
        wrong.extend(effect_wrong(dump, effect, report));
    }
    let there: BTreeSet<&OperationKey> = dump.operations.iter().map(|operation| &operation.key).collect();
    wrong.extend(tasks_wrong(&there, requests.iter().filter(|request| request.tenant == tenant)));
    let successes = successes(dump);
    for operation in &dump.operations {
        let times = successes.get(&operation.key.to_string()).copied().unwrap_or(0);
        if times != usize::from(operation.outcome == Some(Outcome::Succeeded)) {
            wrong.push(format!("{} succeeded {times} times, and ended {:?}", operation.key, operation.outcome));
        }
        wrong.extend(charge_wrong(dump, operation));
    }
    wrong
}

/// All charges at the provider belong to somebody.
pub(super) fn audit_books(dumps: &[TenantDump], report: &ProviderReport) -> Vec<String> {
    let confirmed: usize = dumps.iter().flat_map(|dump| &dump.effects).filter(|effect| effect.is_confirmed()).count();
    let mut wrong = Vec::new();
    if report.charges.len() != confirmed {
        wrong.push(format!("{} charges at the provider, {confirmed} confirmed effects", report.charges.len()));
    }
    if report.charges_per_operation_max > 1 {
        wrong.push(format!("somebody was charged twice: {:?}", report.charges_per_operation));
    }
    if report.mismatches > 0 {
        wrong.push(format!("{} keys were used for another content", report.mismatches));
    }
    wrong
}

fn effect_wrong(dump: &TenantDump, effect: &Effect, report: &ProviderReport) -> Option<String> {
    let name = effect_name(dump.tenant, &effect.key.operation, effect.key.step);
    let charges = report.charges.iter().filter(|charge| charge.operation() == Some(&name));
    let charges: Vec<&str> = charges.map(|charge| charge.id.as_str()).collect();
    let right = match effect.state {
        EffectState::Confirmed => charges == effect.provider_ref.as_deref().as_slice(),
        EffectState::Rejected => charges.is_empty(),
        EffectState::Intent | EffectState::Unknown => false,
    };
    (!right).then(|| format!("{name} is {:?} with {charges:?}", effect.state))
}

/// Kept: there. Refused or not carried out each time, whoever asked for it: not there.
fn tasks_wrong<'a>(there: &BTreeSet<&OperationKey>, requests: impl Iterator<Item = &'a Request>) -> Vec<String> {
    let mut asked: BTreeMap<&OperationKey, Vec<&Verdict>> = BTreeMap::new();
    for request in requests {
        let Ask::Task(task) = &request.ask else { continue };
        asked.entry(&task.key).or_default().extend(request.calls.iter().map(|call| &call.verdict));
    }
    let mut wrong = Vec::new();
    for (key, verdicts) in asked {
        let kept = verdicts.iter().any(|verdict| **verdict == Verdict::TaskKept);
        let unknown = verdicts.iter().any(|verdict| **verdict == Verdict::Unknown);
        match (kept, unknown, there.contains(key)) {
            (true, _, false) => wrong.push(format!("{key} was kept and is not there")),
            (false, false, true) => wrong.push(format!("{key} was never kept and is there: {verdicts:?}")),
            (true, _, true) | (false, true, _) | (false, false, false) => {}
        }
    }
    wrong
}

fn charge_wrong(dump: &TenantDump, operation: &Operation) -> Option<String> {
    let kind = operation.key.kind.as_str();
    if !kind.starts_with("CHARGE") {
        return None;
    }
    let effects: Vec<&Effect> = dump.effects.iter().filter(|effect| effect.key.operation == operation.key).collect();
    let steps = if kind == CHARGE_WITH_FEE.name { 2 } else { 1 };
    let complete = effects.len() == steps && effects.iter().all(|effect| effect.is_confirmed());
    let follow_up = note(&operation.key).key;
    let noted = dump.operations.iter().filter(|other| other.key == follow_up).count();
    if noted != usize::from(complete) {
        return Some(format!("{} has {noted} notes", operation.key));
    }
    let rejected = effects.last().is_some_and(|effect| effect.state == EffectState::Rejected);
    (!complete && !rejected).then(|| format!("{} ended {:?} with {effects:?}", operation.key, operation.outcome))
}

/// How often each operation succeeded, as the journal tells it.
fn successes(dump: &TenantDump) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for event in dump.journal.iter().flat_map(|row| &row.events) {
        if let Event::Operations(OperationsEvent::OperationSucceeded { operation, .. }) = event {
            *found.entry(operation.to_string()).or_default() += 1;
        }
    }
    found
}

/// How often somebody looked after a lost lease.
pub(super) fn reconciliations(dump: &Dump) -> u64 {
    let operations = dump.tenants.iter().flat_map(|tenant| &tenant.operations);
    let count = operations.filter(|it| it.key.kind.as_str() == RECONCILE_STUCK_OPERATION.name).count();
    u64::try_from(count).expect("a usize fits")
}

#[cfg(test)]
mod tests {
    use surehold_core::kernel::TenantId;

    use super::*;
    use crate::simulation::requests::Call;
    use surehold_simulators::charge::{CHARGE, charge};

    fn wrong(there: bool, asked: &[&[Verdict]]) -> usize {
        let task = charge(&CHARGE, "p", 100);
        let call = |verdict: &Verdict| Call { from: 0, to: None, verdict: verdict.clone() };
        let request = |verdicts: &&[Verdict]| Request {
            tenant: TenantId(1),
            ask: Ask::Task(Box::new(task.clone())),
            key: None,
            repeatable: true,
            calls: verdicts.iter().map(call).collect(),
        };
        let requests: Vec<Request> = asked.iter().map(request).collect();
        let stored = if there { BTreeSet::from([&task.key]) } else { BTreeSet::new() };
        tasks_wrong(&stored, requests.iter()).len()
    }

    #[test]
    fn what_is_kept_is_there_and_nothing_else() {
        use Verdict::{Nothing, TaskKept, Unknown};
        let check = |asked: &[&[Verdict]], expected: (usize, usize)| {
            assert_eq!((wrong(true, asked), wrong(false, asked)), expected, "{asked:?}");
        };
        check(&[&[TaskKept]], (0, 1));
        check(&[&[Nothing, TaskKept]], (0, 1));
        check(&[&[Nothing]], (1, 0));
        check(&[&[Nothing, Verdict::Defect]], (1, 0));
        check(&[&[Nothing], &[TaskKept]], (0, 1));
        check(&[&[Nothing], &[Unknown]], (0, 0));
    }
}
