//! What workers ask: what is due, what will be, who has lost a lease, what takes too long.

use surehold_core::kernel::{Corrupt, TenantId, Timestamp};
use surehold_core::operations::{
    DedupeKey, LeaseToken, OperationKey, OperationRun, OperationType, Priority, StuckReason, TypeName, WorkerId,
};

use crate::views::{Views, corrupt, text};
use crate::{Fault, OwnedValue, ReadRow, Scope};

/// A place in the queue of one tenant, one nature and one priority: what comes behind it is next.
#[derive(Clone, Debug)]
pub struct QueuePlace {
    pub run_at: Timestamp,
    pub key: Option<OperationKey>,
}

impl QueuePlace {
    pub const START: QueuePlace = QueuePlace { run_at: EVER, key: None };

    /// Before everything that is due then or later.
    pub fn at(run_at: Timestamp) -> QueuePlace {
        QueuePlace { run_at, key: None }
    }

    /// Behind the last of these.
    pub fn behind(page: &[OperationRun]) -> Option<QueuePlace> {
        page.last().map(|run| QueuePlace { run_at: run.run_at, key: Some(run.key.clone()) })
    }
}

/// Before anything was due.
pub(crate) const EVER: Timestamp = Timestamp::from_micros(0);

/// An operation somebody should look after.
#[derive(Clone, Debug)]
pub struct StuckOperation {
    pub tenant: TenantId,
    pub key: OperationKey,
    pub last_token: LeaseToken,
    pub reason: StuckReason,
}

const STUCK_PER_LOOK_MAX: i64 = 1_000;
/// Nothing else is put off for a century.
const PARKED_SECS_AHEAD: i64 = 100 * 365 * 86_400;
/// Every priority as a row, so that each is looked up by itself in the index.
const PRIORITIES: &str = "(select cast(0 as bigint) as priority union all select 1 union all select 2)";

fn key_at(row: &ReadRow, index: usize) -> Result<OperationKey, Corrupt> {
    let malformed = |what: surehold_core::kernel::Invalid| Corrupt::new(what.to_string());
    let kind = TypeName::new(row.text(index)?).map_err(malformed)?;
    let key = DedupeKey::new(row.text(index + 1)?).map_err(malformed)?;
    Ok(OperationKey { kind, key })
}

impl Views {
    async fn ask<T>(
        &self,
        sql: &str,
        params: Vec<OwnedValue>,
        read: impl Fn(&ReadRow) -> Result<T, Corrupt>,
    ) -> Result<Vec<T>, Fault> {
        let rows = self.store.query(Scope::Installation, sql, params).await?;
        rows.iter().map(read).collect::<Result<_, _>>().map_err(|what| corrupt(&what))
    }

    /// Operations that are due and that nobody runs, in their order behind a place.
    pub async fn due_operations(
        &self,
        tenant: TenantId,
        effect: bool,
        priority: Priority,
        now: Timestamp,
        after: &QueuePlace,
        rows_max: u16,
    ) -> Result<Vec<OperationRun>, Fault> {
        let condition = "and effect = $2 and priority = $3 and worker is null and run_at <= $4 and run_at >= $5 \
                         and (run_at, type, key) > ($5, $6, $7) order by run_at, type, key limit $8";
        let (kind, key) = after.key.as_ref().map_or(("", ""), |key| (key.kind.as_str(), key.key.as_str()));
        let params = [
            OwnedValue::Bool(effect),
            OwnedValue::Int(priority.number()),
            OwnedValue::Time(now),
            OwnedValue::Time(after.run_at),
            text(kind),
            text(key),
            OwnedValue::Int(i64::from(rows_max)),
        ];
        self.records(tenant, condition, params).await
    }

    /// When the tenant's next operation is due, after now.
    pub async fn next_operation_at(
        &self,
        tenant: TenantId,
        effect: bool,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, Fault> {
        let sql = format!(
            "select min(next.run_at) from (select (select min(r.run_at) from operation_runs r where r.tenant = $1 \
             and r.effect = $2 and r.priority = p.priority and r.worker is null and r.run_at > $3) as run_at \
             from {PRIORITIES} p) next where next.run_at is not null"
        );
        let params = vec![OwnedValue::Int(tenant.0), OwnedValue::Bool(effect), OwnedValue::Time(now)];
        let found = self.ask(&sql, params, |row| match row.0.first() {
            None | Some(OwnedValue::Null) => Ok(None),
            Some(_) => row.time(0).map(Some),
        });
        Ok(found.await?.into_iter().next().flatten())
    }

    /// The priorities at which the tenant has something due that nobody runs.
    pub async fn due_priorities(&self, tenant: TenantId, effect: bool, now: Timestamp) -> Result<Vec<Priority>, Fault> {
        let sql = format!(
            "select p.priority from {PRIORITIES} p where exists (select 1 from operation_runs r where r.tenant = $1 \
             and r.effect = $2 and r.priority = p.priority and r.worker is null and r.run_at <= $3) order by p.priority"
        );
        let params = vec![OwnedValue::Int(tenant.0), OwnedValue::Bool(effect), OwnedValue::Time(now)];
        let numbers = self.ask(&sql, params, |row| row.int(0)).await?;
        Ok(Priority::ALL.into_iter().filter(|priority| numbers.contains(&priority.number())).collect())
    }

    /// Tenants with operations that nobody runs, due or not, behind `after`: from index entry to index entry, so that it
    /// does not matter how many operations each of them has.
    pub async fn tenants_with_operations(&self, after: TenantId, tenants_max: u16) -> Result<Vec<TenantId>, Fault> {
        let sql = "with recursive found(tenant, count) as (\
                   select (select min(tenant) from operation_runs where worker is null and tenant > $1), cast(1 as bigint) \
                   union all select (select min(tenant) from operation_runs where worker is null \
                   and tenant > found.tenant), found.count + 1 \
                   from found where found.tenant is not null and found.count < $2) \
                   select tenant from found where tenant is not null";
        let params = vec![OwnedValue::Int(after.0), OwnedValue::Int(i64::from(tenants_max))];
        self.ask(sql, params, |row| row.int(0).map(TenantId)).await
    }

    /// Leases that have run out, or whose worker is silent.
    pub async fn lost_leases(&self, now: Timestamp, silent_since: Timestamp) -> Result<Vec<StuckOperation>, Fault> {
        let sql = "select r.tenant, r.type, r.key, r.last_token, r.lease_until from operation_runs r \
                   where r.worker is not null and (r.lease_until <= $1 or not exists (select 1 from workers w \
                   where w.tenant = 0 and w.id = r.worker and w.beat_at > $2)) limit $3";
        let params = vec![OwnedValue::Time(now), OwnedValue::Time(silent_since), OwnedValue::Int(STUCK_PER_LOOK_MAX)];
        let read = |row: &ReadRow| {
            let reason = if row.time(4)? <= now { StuckReason::LeaseExpired } else { StuckReason::WorkerSilent };
            let last_token = LeaseToken(row.int(3)?);
            Ok(StuckOperation { tenant: TenantId(row.int(0)?), key: key_at(row, 1)?, last_token, reason })
        };
        self.ask(sql, params, read).await
    }

    /// Operations of the type that are unfinished for longer than it allows, and of which nobody was told.
    pub async fn overdue_operations(&self, kind: &OperationType, now: Timestamp) -> Result<Vec<StuckOperation>, Fault> {
        let sql = "select tenant, type, key, last_token from operation_runs \
                   where type = $1 and enqueued_at <= $2 and not stuck_told and run_at <= $3 limit $4";
        let before = now.plus_secs(-i64::from(kind.stuck_after_secs));
        // What waits for another operation to end is not late; the other one may be.
        let not_parked = now.plus_secs(PARKED_SECS_AHEAD);
        let params = vec![
            text(kind.name),
            OwnedValue::Time(before),
            OwnedValue::Time(not_parked),
            OwnedValue::Int(STUCK_PER_LOOK_MAX),
        ];
        let read = |row: &ReadRow| {
            let (tenant, last_token) = (TenantId(row.int(0)?), LeaseToken(row.int(3)?));
            Ok(StuckOperation { tenant, key: key_at(row, 1)?, last_token, reason: StuckReason::Overdue })
        };
        self.ask(sql, params, read).await
    }

    /// Workers that have said nothing since then.
    pub async fn silent_workers(&self, since: Timestamp) -> Result<Vec<WorkerId>, Fault> {
        let sql = "select id from workers where tenant = 0 and beat_at <= $1 limit 100";
        self.ask(sql, vec![OwnedValue::Time(since)], |row| row.int(0).map(WorkerId)).await
    }
}
