//! Operations: a run exactly while there is no outcome, effects that are accounted for, attempts within their bounds,
//! a letter for whatever died, locks only for what runs.
//!
//! That an operation succeeded without any effect is not wrong by itself: its handler may have had nothing to do.

pub(crate) mod inbox;

pub use inbox::inbox_findings;

use surehold_core::kernel::{ColumnType, TenantId};
use surehold_core::operations::{Aggregate, DedupeKey, LeaseToken, Mode, OperationKey, OperationType, TypeName};
use surehold_core::repairs::Repair;

use crate::audit::findings::KEPT_MAX;
use crate::audit::rules::Rule;
use crate::audit::{Audit, Auditing, Finding, Invariant, Proposal, Remedy};
use crate::{Fault, OwnedValue, Registry, SnapshotError, Views};

pub(crate) const AUDIT: Audit = Audit {
    invariants: &[
        Invariant { name: HAS_OPERATION, says: "whatever is kept about an operation, the operation is there" },
        Invariant { name: RUN_OR_OUTCOME, says: "an operation has a run exactly while it has no outcome" },
        Invariant { name: "effect-has-operation", says: "every effect belongs to an operation" },
        Invariant { name: "effect-steps-without-gap", says: "the effects of an operation are its steps from 0 on" },
        Invariant { name: "effect-key-unique", says: "no two effects share an idempotency key" },
        Invariant { name: "effect-token-was-granted", says: "every effect happened under a lease that was granted" },
        Invariant { name: "effect-token-was-held", says: "no effect was confirmed under a lease lost before" },
        Invariant { name: UNSETTLED, says: "what has ended leaves no effect in doubt" },
        Invariant { name: ATTEMPTS, says: "no operation is tried more often than its type allows" },
        Invariant { name: "dead-letter-iff-dead", says: "an operation has an open dead letter exactly if it is dead" },
        Invariant { name: LOCK, says: "an aggregate is locked exactly by the operation that runs on it" },
    ],
    check,
};

const HAS_OPERATION: &str = "operation-rows-have-operation";
const RUN_OR_OUTCOME: &str = "operation-has-run-or-outcome";
const UNSETTLED: &str = "ended-without-doubt";
const ATTEMPTS: &str = "attempts-within-bounds";
const LOCK: &str = "lock-belongs-to-lease";

/// Each answer is a tenant, a type and a key.
const RULES: &[Rule] = &[
    Rule::new(
        "operation-has-run-or-outcome",
        "has not ended, and nothing will run it",
        "find out whether it was done; if not, ask for it again under another key",
        "select o.tenant, o.type, o.key from operations o where o.outcome is null and not exists \
              (select 1 from operation_runs r where r.tenant = o.tenant and r.type = o.type and r.key = o.key)",
    ),
    Rule::new(
        "operation-has-run-or-outcome",
        "has a run, and has ended or never existed",
        "find out whether it was done; if not, ask for it again under another key",
        "select r.tenant, r.type, r.key from operation_runs r where not exists (select 1 from operations o \
              where o.tenant = r.tenant and o.type = r.type and o.key = r.key and o.outcome is null)",
    ),
    Rule::new(
        "effect-has-operation",
        "has an effect and does not exist",
        "the provider may have been called for it: compare with what the provider knows",
        "select e.tenant, e.type, e.key from operation_effects e where not exists (select 1 from operations o \
              where o.tenant = e.tenant and o.type = e.type and o.key = e.key)",
    ),
    Rule::new(
        "effect-steps-without-gap",
        "has an effect whose step before is missing",
        "the provider may have been called for it: compare with what the provider knows",
        "select e.tenant, e.type, e.key from operation_effects e where e.step > 0 and not exists \
              (select 1 from operation_effects b where b.tenant = e.tenant and b.type = e.type and b.key = e.key \
              and b.step = e.step - 1)",
    ),
    Rule::new(
        "effect-key-unique",
        "shares an idempotency key with another effect",
        "the provider may have taken one for a repeat of the other: compare with what it knows",
        // Grouped, because no index is by that key: to look for each would take the square of their number.
        "select e.tenant, e.type, e.key from (select tenant, idempotency_key from operation_effects \
              group by tenant, idempotency_key having count(*) > 1) d join operation_effects e \
              on e.tenant = d.tenant and e.idempotency_key = d.idempotency_key",
    ),
    Rule::new(
        "effect-token-was-granted",
        "has an effect under a lease that was never granted",
        "two workers may have called: compare with what the provider knows",
        "select e.tenant, e.type, e.key from operation_effects e \
              join operations o on o.tenant = e.tenant and o.type = e.type and o.key = e.key \
              left join operation_runs r on r.tenant = e.tenant and r.type = e.type and r.key = e.key \
              where e.lease_token > o.lease_token and e.lease_token > coalesce(r.last_token, 0)",
    ),
    Rule::new(
        "effect-token-was-held",
        "has an effect that was confirmed under a lease lost before",
        "compare the effect with the provider's books; `surehold op show` has both attempts",
        // What a person settles keeps the token of whoever sent it.
        "select distinct e.tenant, e.type, e.key from operation_effects e \
              join operation_attempts a on a.tenant = e.tenant and a.type = e.type and a.key = e.key \
              and a.number = e.lease_token where a.outcome = 'lost' and e.state = 'CONFIRMED' \
              and e.settled_at > a.ended_at and not exists (select 1 from operation_attempts s \
              where s.tenant = e.tenant and s.type = e.type and s.key = e.key and s.outcome = 'settled' \
              and s.ended_at = e.settled_at)",
    ),
    Rule::new(
        "dead-letter-iff-dead",
        "died, and no letter of that generation says so",
        "look at it with `surehold op show`, then redrive or cancel it",
        "select o.tenant, o.type, o.key from operations o where o.outcome = 'DEAD_LETTER' and not exists \
              (select 1 from operation_dead_letters d where d.tenant = o.tenant and d.type = o.type \
              and d.key = o.key and d.generation = o.generation)",
    ),
    Rule::new(
        "dead-letter-iff-dead",
        "has an unresolved dead letter and is not dead",
        "look at it with `surehold op show`, then redrive or cancel it",
        "select d.tenant, d.type, d.key from operation_dead_letters d where d.resolved_at is null and not exists \
              (select 1 from operations o where o.tenant = d.tenant and o.type = d.type and o.key = d.key \
              and o.outcome = 'DEAD_LETTER')",
    ),
    Rule::new(
        "lock-belongs-to-lease",
        "runs without the lock of its aggregate",
        "another operation may run beside it; when its lease ends it is taken over by itself",
        "select r.tenant, r.type, r.key from operation_runs r \
              join operations o on o.tenant = r.tenant and o.type = r.type and o.key = r.key \
              where r.worker is not null and o.aggregate is not null and not exists (select 1 from aggregate_locks l \
              where l.tenant = r.tenant and l.aggregate = o.aggregate and l.type = r.type and l.key = r.key)",
    ),
    Rule::new(
        HAS_OPERATION,
        "is told of in operation_attempts and does not exist",
        "the operation was not removed by Surehold: find out what it was",
        "select distinct d.tenant, d.type, d.key from operation_attempts d where not exists (select 1 from operations o \
              where o.tenant = d.tenant and o.type = d.type and o.key = d.key)",
    ),
    Rule::new(
        HAS_OPERATION,
        "is told of in operation_correlations and does not exist",
        "the operation was not removed by Surehold: find out what it was",
        "select distinct d.tenant, d.type, d.key from operation_correlations d where not exists (select 1 from operations o \
              where o.tenant = d.tenant and o.type = d.type and o.key = d.key)",
    ),
    Rule::new(
        HAS_OPERATION,
        "is told of in operation_dead_letters and does not exist",
        "the operation was not removed by Surehold: find out what it was",
        "select distinct d.tenant, d.type, d.key from operation_dead_letters d where not exists (select 1 from operations o \
              where o.tenant = d.tenant and o.type = d.type and o.key = d.key)",
    ),
];

/// Locks of operations that do not run under their token, and whether they run under another.
const STRAY_LOCKS: &str = "select l.tenant, l.type, l.key, l.aggregate, l.token, \
              (select count(*) from operation_runs r where r.tenant = l.tenant and r.type = l.type and r.key = l.key \
              and r.worker is not null) from aggregate_locks l where not exists (select 1 from operation_runs r \
              where r.tenant = l.tenant and r.type = l.type and r.key = l.key and r.worker is not null \
              and r.last_token = l.token)";

/// Followed by the types that bring something up to date: of those only the present generation counts.
const UNSETTLED_SQL: &str = "select e.tenant, e.type, e.key from operation_effects e \
     join operations o on o.tenant = e.tenant and o.type = e.type and o.key = e.key \
     where ((o.outcome is not null and e.state = 'INTENT' and e.doubt <> 'none') \
     or (o.outcome = 'SUCCEEDED' and e.state = 'UNKNOWN')) and (e.generation = o.generation or e.type not in";

/// Of one type: spent more attempts than it has, or all of them and goes on.
const ATTEMPTS_SQL: &str = "select o.tenant, o.type, o.key from operations o where o.type = $1 and o.attempts > $2 \
     union select r.tenant, r.type, r.key from operation_runs r where r.type = $1 and r.attempts >= $2";

/// All but the stray locks, which are looked at more closely.
fn more_rules(kinds: impl Iterator<Item = &'static OperationType> + Clone) -> Vec<Rule> {
    let mut rules = vec![unsettled(kinds.clone())];
    for kind in kinds {
        let params = vec![OwnedValue::Text(kind.name.to_owned()), OwnedValue::Int(kind.retry.attempts_max.into())];
        let says = "has spent more attempts than its type allows";
        let remedy = "look at its history with `surehold op show`";
        rules.push(Rule { params, ..Rule::new(ATTEMPTS, says, remedy, ATTEMPTS_SQL) });
    }
    rules
}

fn unsettled(kinds: impl Iterator<Item = &'static OperationType>) -> Rule {
    let is_latest = |kind: &&OperationType| match kind.mode {
        Mode::Once => false,
        Mode::Latest => true,
    };
    // A list must not be empty.
    let names = kinds.filter(is_latest).map(|kind| kind.name).chain([""]);
    let params: Vec<OwnedValue> = names.map(|name| OwnedValue::Text(name.to_owned())).collect();
    let places: Vec<String> = (1..=params.len()).map(|place| format!("${place}")).collect();
    let says = "has ended, and one of its effects may or may not have happened";
    let remedy = "ask the provider, then say so with `surehold op settle`";
    let sql = format!("{UNSETTLED_SQL} ({}))", places.join(", ")).into();
    Rule { sql, params, ..Rule::new(UNSETTLED, says, remedy, "") }
}

fn check(audit: &mut Auditing<'_>) -> Result<(), SnapshotError> {
    let more = more_rules(audit.config.kinds.clone().into_iter());
    for rule in RULES.iter().chain(&more) {
        rule.check(audit)?;
    }
    stray_locks(audit)
}

struct StrayLock {
    tenant: TenantId,
    operation: [String; 2],
    aggregate: String,
    token: LeaseToken,
    /// The operation has a lease, though of another token.
    is_leased: bool,
}

const LEASED: &str = "its operation runs under another lease, and nobody knows what that relies on: audit again when it has \
                      ended, the lock may have gone with it";

fn stray_locks(audit: &mut Auditing<'_>) -> Result<(), SnapshotError> {
    use ColumnType::{Int, Text};
    let (mut strays, mut more) = (Vec::new(), 0);
    audit.each(STRAY_LOCKS, &[], &[Int, Text, Text, Text, Int, Int], |_, row| {
        if strays.len() == KEPT_MAX {
            more += 1;
            return;
        }
        let mut read = || {
            let tenant = TenantId(row.int()?);
            let operation = [row.text()?.to_owned(), row.text()?.to_owned()];
            let (aggregate, token) = (row.text()?.to_owned(), LeaseToken(row.int()?));
            let is_leased = row.int()? > 0;
            Ok::<_, surehold_core::kernel::Corrupt>(StrayLock { tenant, operation, aggregate, token, is_leased })
        };
        strays.extend(read().ok());
    })?;
    for stray in strays {
        let StrayLock { tenant, operation: [kind, key], aggregate, token, is_leased } = stray;
        let name = format!("{kind} {key}");
        let detail = format!(
            "locks the aggregate {aggregate} and does not run{}",
            if is_leased { " under that lease" } else { "" }
        );
        let remedy = match lock_repair(&kind, &key, &aggregate, token) {
            Some(_) if is_leased => Remedy::Person(LEASED),
            Some(repair) => {
                let number = audit.repair_number(tenant, &repair.target())?;
                Remedy::Repair(Proposal { repair, number })
            }
            None => Remedy::Person("its names are none that Surehold gives: find out who wrote it"),
        };
        audit.findings.add(LOCK, tenant, || (name, detail, remedy));
    }
    audit.findings.add_uncounted(LOCK, more);
    Ok(())
}

fn lock_repair(kind: &str, key: &str, aggregate: &str, token: LeaseToken) -> Option<Repair> {
    let operation = OperationKey { kind: TypeName::new(kind).ok()?, key: DedupeKey::new(key).ok()? };
    Some(Repair::Lock { aggregate: Aggregate::new(aggregate).ok()?, operation, token })
}

/// What is wrong with anybody's operations; nothing if all is well.
pub async fn operation_findings(views: &Views, registry: &Registry) -> Result<Vec<Finding>, Fault> {
    let stray = Rule::new(LOCK, "locks an aggregate and does not run", "audit", STRAY_LOCKS);
    let kinds: Vec<&OperationType> = registry.kinds().collect();
    let more = more_rules(kinds.into_iter());
    let mut findings = Vec::new();
    for rule in RULES.iter().chain([&stray]).chain(&more) {
        findings.extend(rule.ask(views).await?);
    }
    Ok(findings)
}
