//! Operations: a run exactly while there is no outcome, effects that are accounted for, attempts within their bounds,
//! a letter for whatever died, locks only for what runs.
//!
//! That an operation succeeded without any effect is not wrong by itself: its handler may have had nothing to do.

use surehold_core::kernel::Corrupt;
use surehold_core::operations::{Mode, OperationType};

use super::{EXAMPLES_MAX, Finding};
use crate::{Fault, OwnedValue, ReadRow, Registry, Views};

/// A question whose answers are all wrong. Each answer is a tenant, a type and a key.
struct Rule {
    invariant: &'static str,
    /// What is wrong, after the operation's name.
    says: &'static str,
    sql: &'static str,
}

const RULES: &[Rule] = &[
    Rule {
        invariant: "operation-has-run-or-outcome",
        says: "has not ended, and nothing will run it",
        sql: "select o.tenant, o.type, o.key from operations o where o.outcome is null and not exists \
              (select 1 from operation_runs r where r.tenant = o.tenant and r.type = o.type and r.key = o.key)",
    },
    Rule {
        invariant: "operation-has-run-or-outcome",
        says: "has a run, and has ended or never existed",
        sql: "select r.tenant, r.type, r.key from operation_runs r where not exists (select 1 from operations o \
              where o.tenant = r.tenant and o.type = r.type and o.key = r.key and o.outcome is null)",
    },
    Rule {
        invariant: "effect-has-operation",
        says: "has an effect and does not exist",
        sql: "select e.tenant, e.type, e.key from operation_effects e where not exists (select 1 from operations o \
              where o.tenant = e.tenant and o.type = e.type and o.key = e.key)",
    },
    Rule {
        invariant: "effect-steps-without-gap",
        says: "has an effect whose step before is missing",
        sql: "select e.tenant, e.type, e.key from operation_effects e where e.step > 0 and not exists \
              (select 1 from operation_effects b where b.tenant = e.tenant and b.type = e.type and b.key = e.key \
              and b.step = e.step - 1)",
    },
    Rule {
        invariant: "effect-key-unique",
        says: "shares an idempotency key with another effect",
        sql: "select e.tenant, e.type, e.key from operation_effects e where exists (select 1 from operation_effects b \
              where b.tenant = e.tenant and b.idempotency_key = e.idempotency_key \
              and (b.type <> e.type or b.key <> e.key or b.step <> e.step))",
    },
    Rule {
        invariant: "effect-token-was-granted",
        says: "has an effect under a lease that was never granted",
        sql: "select e.tenant, e.type, e.key from operation_effects e \
              join operations o on o.tenant = e.tenant and o.type = e.type and o.key = e.key \
              left join operation_runs r on r.tenant = e.tenant and r.type = e.type and r.key = e.key \
              where e.lease_token > o.lease_token and e.lease_token > coalesce(r.last_token, 0)",
    },
    Rule {
        invariant: "effect-token-was-held",
        says: "has an effect that was confirmed under a lease lost before",
        // What a person settles keeps the token of whoever sent it.
        sql: "select distinct e.tenant, e.type, e.key from operation_effects e \
              join operation_attempts a on a.tenant = e.tenant and a.type = e.type and a.key = e.key \
              and a.number = e.lease_token where a.outcome = 'lost' and e.state = 'CONFIRMED' \
              and e.settled_at > a.ended_at and not exists (select 1 from operation_attempts s \
              where s.tenant = e.tenant and s.type = e.type and s.key = e.key and s.outcome = 'settled' \
              and s.ended_at = e.settled_at)",
    },
    Rule {
        invariant: "dead-letter-iff-dead",
        says: "died, and no letter of that generation says so",
        sql: "select o.tenant, o.type, o.key from operations o where o.outcome = 'DEAD_LETTER' and not exists \
              (select 1 from operation_dead_letters d where d.tenant = o.tenant and d.type = o.type \
              and d.key = o.key and d.generation = o.generation)",
    },
    Rule {
        invariant: "dead-letter-iff-dead",
        says: "has an unresolved dead letter and is not dead",
        sql: "select d.tenant, d.type, d.key from operation_dead_letters d where d.resolved_at is null and not exists \
              (select 1 from operations o where o.tenant = d.tenant and o.type = d.type and o.key = d.key \
              and o.outcome = 'DEAD_LETTER')",
    },
    Rule {
        invariant: "lock-belongs-to-lease",
        says: "locks an aggregate and does not run",
        sql: "select l.tenant, l.type, l.key from aggregate_locks l where not exists (select 1 from operation_runs r \
              where r.tenant = l.tenant and r.type = l.type and r.key = l.key and r.worker is not null \
              and r.last_token = l.token)",
    },
    Rule {
        invariant: "lock-belongs-to-lease",
        says: "runs without the lock of its aggregate",
        sql: "select r.tenant, r.type, r.key from operation_runs r \
              join operations o on o.tenant = r.tenant and o.type = r.type and o.key = r.key \
              where r.worker is not null and o.aggregate is not null and not exists (select 1 from aggregate_locks l \
              where l.tenant = r.tenant and l.aggregate = o.aggregate and l.type = r.type and l.key = r.key)",
    },
];

/// Followed by the types that bring something up to date: of those only the present generation counts.
const UNSETTLED_SQL: &str = "select e.tenant, e.type, e.key from operation_effects e \
     join operations o on o.tenant = e.tenant and o.type = e.type and o.key = e.key \
     where ((o.outcome is not null and e.state = 'INTENT' and e.doubt <> 'none') \
     or (o.outcome = 'SUCCEEDED' and e.state = 'UNKNOWN')) and (e.generation = o.generation or e.type not in";

/// Of one type: spent more attempts than it has, or all of them and goes on.
const ATTEMPTS_SQL: &str = "select o.tenant, o.type, o.key from operations o where o.type = $1 and o.attempts > $2 \
     union select r.tenant, r.type, r.key from operation_runs r where r.type = $1 and r.attempts >= $2";

/// What is wrong with anybody's operations; nothing if all is well.
pub async fn operation_findings(views: &Views, registry: &Registry) -> Result<Vec<Finding>, Fault> {
    let mut findings = Vec::new();
    for Rule { invariant, says, sql } in RULES {
        findings.extend(ask(views, invariant, says, sql, Vec::new()).await?);
    }
    findings.extend(unsettled(views, registry).await?);
    for kind in registry.kinds() {
        let params = vec![OwnedValue::Text(kind.name.to_owned()), OwnedValue::Int(kind.retry.attempts_max.into())];
        let says = "has spent more attempts than its type allows";
        findings.extend(ask(views, "attempts-within-bounds", says, ATTEMPTS_SQL, params).await?);
    }
    Ok(findings)
}

async fn unsettled(views: &Views, registry: &Registry) -> Result<Vec<Finding>, Fault> {
    let is_latest = |kind: &&OperationType| match kind.mode {
        Mode::Once => false,
        Mode::Latest => true,
    };
    // A list must not be empty.
    let names = registry.kinds().filter(is_latest).map(|kind| kind.name).chain([""]);
    let params: Vec<OwnedValue> = names.map(|name| OwnedValue::Text(name.to_owned())).collect();
    let places: Vec<String> = (1..=params.len()).map(|place| format!("${place}")).collect();
    let sql = format!("{UNSETTLED_SQL} ({}))", places.join(", "));
    let says = "has ended, and one of its effects may or may not have happened";
    ask(views, "ended-without-doubt", says, &sql, params).await
}

async fn ask(
    views: &Views,
    invariant: &'static str,
    says: &str,
    sql: &str,
    params: Vec<OwnedValue>,
) -> Result<Vec<Finding>, Fault> {
    let sql = format!("select tenant, type, key from ({sql}) wrong order by tenant, type, key limit {EXAMPLES_MAX}");
    let finding = |row: &ReadRow| {
        let detail = format!("tenant {}: {} {} {says}", row.int(0)?, row.text(1)?, row.text(2)?);
        Ok::<Finding, Corrupt>(Finding { invariant, detail })
    };
    views.ask_installation(&sql, params, finding).await
}
