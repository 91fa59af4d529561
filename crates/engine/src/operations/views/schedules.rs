//! Schedules, for people and for whoever fires them.

use surehold_core::kernel::{Corrupt, TenantId, Timestamp};
use surehold_core::operations::{Schedule, ScheduleName};

use crate::views::{Views, corrupt};
use crate::{Fault, OwnedValue, ReadRow, Scope};

/// What one round of firing takes on; the next one goes on from there.
const DUE_LOOKED_AT_MAX: i64 = 10_000;

impl Views {
    /// Schedules behind `after`, in the order of their names.
    pub async fn schedules(
        &self,
        tenant: TenantId,
        after: Option<&ScheduleName>,
        rows_max: u16,
    ) -> Result<Vec<Schedule>, Fault> {
        let after = after.map_or("", ScheduleName::as_str).to_owned();
        let condition = "and name > $2 order by name limit $3";
        self.records(tenant, condition, [OwnedValue::Text(after), OwnedValue::Int(i64::from(rows_max))]).await
    }

    /// Tenants with a schedule that is due, those who wait longest first.
    pub(crate) async fn tenants_with_due_schedules(&self, now: Timestamp) -> Result<Vec<TenantId>, Fault> {
        let sql = "select tenant from (select tenant, next_at from schedules where enabled and next_at <= $1 \
                   order by next_at limit $2) due group by tenant order by min(next_at)";
        let params = vec![OwnedValue::Time(now), OwnedValue::Int(DUE_LOOKED_AT_MAX)];
        let rows = self.store.query(Scope::Installation, sql, params).await?;
        let tenants = rows.iter().map(|row| row.int(0).map(TenantId));
        tenants.collect::<Result<_, Corrupt>>().map_err(|what| corrupt(&what))
    }

    /// The first instant after this one at which any tenant's schedule is due.
    pub(crate) async fn next_schedule_after(&self, now: Timestamp) -> Result<Option<Timestamp>, Fault> {
        let sql = "select next_at from schedules where enabled and next_at > $1 order by next_at limit 1";
        let rows = self.store.query(Scope::Installation, sql, vec![OwnedValue::Time(now)]).await?;
        let next = rows.first().map(|row: &ReadRow| row.time(0)).transpose();
        next.map_err(|what| corrupt(&what))
    }
}
