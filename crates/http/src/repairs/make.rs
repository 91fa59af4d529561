//! Repairs: what an audit found and proposed, done through the write path.

use surehold_core::kernel::{Invalid, TenantId};
use surehold_core::repairs::{OWNER_HOLDS_PER_REPAIR_MAX, Repair, RepairCommand, RepairDone, RepairRefusal};
use surehold_engine::{Done, Failure, Fault};

use crate::api::{Admin, Answer, Api, Json, Reply};
use crate::describe;
use crate::problem::Problem;
use crate::wire::{MakeRepairs, REPAIRS_MAX, RepairOutcome, RepairResult, RepairsMade};

/// Put right what an audit found
///
/// `surehold audit --repair --apply` sends this. Each repair says how often its target had been repaired when the audit
/// looked, so a repeat changes nothing: it is refused.
#[describe::path(post, "/admin/repairs", tag = "Administration")]
pub(super) async fn repairs_make(api: Api, _: Admin, Json(body): Json<MakeRepairs>) -> Answer<RepairsMade> {
    let MakeRepairs { tenant, actor, reason, repairs } = body;
    check_count("repairs", repairs.len(), 1, REPAIRS_MAX)?;
    let commands = repairs.into_iter().map(|repair| repair.into_command(actor.clone(), reason.clone()));
    let commands: Vec<RepairCommand> = commands.collect();
    for command in &commands {
        if let Repair::Owner { holds, .. } = &command.repair {
            check_count("holds", holds.len(), 0, OWNER_HOLDS_PER_REPAIR_MAX)?;
        }
    }
    let targets: Vec<String> = commands.iter().map(|command| command.repair.target().to_string()).collect();
    let outcomes = api.engine().run_all(TenantId(tenant), commands).await;
    let results = targets.into_iter().zip(outcomes).map(|(target, outcome)| result(target, outcome));
    Ok(Reply::found(RepairsMade { results: results.collect() }))
}

fn check_count(what: &str, items: usize, items_min: usize, items_max: usize) -> Result<(), Problem> {
    let sane = (items_min..=items_max).contains(&items);
    if sane { Ok(()) } else { Err(Invalid::ItemCount { what: what.to_owned(), items, items_max }.into()) }
}

/// The others of the request may have been done, so a failure of one is not one of the request.
fn result(target: String, outcome: Result<Done<RepairDone>, Failure<RepairRefusal>>) -> RepairResult {
    let refused = |why: String| (RepairOutcome::Refused, Some(why));
    let (outcome, why) = match outcome {
        Ok(_) => (RepairOutcome::Repaired, None),
        Err(Failure::Refused(refusal)) => refused(refusal.to_string()),
        Err(Failure::Fault(Fault::OutcomeUnknown)) => {
            (RepairOutcome::Unknown, Some("the deadline passed before the outcome was known; audit again".to_owned()))
        }
        Err(Failure::Fault(
            fault @ (Fault::Busy | Fault::NotExecuted | Fault::Unavailable | Fault::Corrupt | Fault::Stopping),
        )) => refused(fault.to_string()),
        Err(Failure::KeyReused) => unreachable!("the command was sent without a key"),
        Err(Failure::Defect) => refused("a defect; the server's log says what happened".to_owned()),
    };
    RepairResult { target, outcome, why }
}

#[cfg(test)]
mod tests {
    use surehold_core::kernel::Timestamp;

    use super::*;

    #[test]
    fn only_what_was_not_done_is_refused() {
        let check = |outcome, expected, why: Option<&str>| {
            let result = result("pool room".to_owned(), outcome);
            assert_eq!((result.outcome, result.why.as_deref()), (expected, why));
        };
        let done = Done { reply: RepairDone { number: 1 }, replayed: false, at: Timestamp::from_micros(0) };
        check(Ok(done), RepairOutcome::Repaired, None);
        let refusal = Failure::Refused(RepairRefusal::TenantNotFound);
        check(Err(refusal), RepairOutcome::Refused, Some("there is no such tenant"));
        let stopping = "the engine is stopping; nothing was changed";
        check(Err(Failure::Fault(Fault::Stopping)), RepairOutcome::Refused, Some(stopping));
        let unknown = "the deadline passed before the outcome was known; audit again";
        check(Err(Failure::Fault(Fault::OutcomeUnknown)), RepairOutcome::Unknown, Some(unknown));
    }
}
