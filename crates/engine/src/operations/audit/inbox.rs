//! Every event that was stored has an operation, which has ended or is still to be done.

use crate::audit::rules::Rule;
use crate::audit::{Audit, Auditing, Finding, Invariant};
use crate::{Fault, SnapshotError, Views};

pub(crate) const AUDIT: Audit = Audit {
    invariants: &[Invariant {
        name: HAS_OPERATION,
        says: "every event that was received has an operation that has ended or is still to be done",
    }],
    check,
};

const HAS_OPERATION: &str = "inbox-event-has-operation";

fn rule() -> Rule {
    let sql = "select e.tenant, e.external_id, e.source from inbox_events e where not exists \
               (select 1 from operations o where o.tenant = e.tenant and o.type = e.type and o.key = e.key \
               and (o.outcome is not null or exists (select 1 from operation_runs r where r.tenant = o.tenant \
               and r.type = o.type and r.key = o.key)))";
    let says = "its operation is neither open nor ended";
    let remedy = "what the event asked for may or may not have been done: look, and have its sender send it again";
    Rule {
        key: |external_id, source| format!("event {external_id} of {source}"),
        ..Rule::new(HAS_OPERATION, says, remedy, sql)
    }
}

fn check(audit: &mut Auditing<'_>) -> Result<(), SnapshotError> {
    rule().check(audit)
}

/// What is wrong with anybody's inbox; nothing if all is well.
pub async fn inbox_findings(views: &Views) -> Result<Vec<Finding>, Fault> {
    rule().ask(views).await
}
