//! What was received, and who is believed.

use surehold_core::kernel::{Corrupt, TenantId};
use surehold_core::operations::{
    DedupeKey, ExternalId, Inbox, InboxKey, InboxSecret, OperationKey, SourceName, TypeName,
};

use super::{Views, corrupt};
use crate::{Fault, OwnedValue, ReadRow, Scope};

impl Views {
    /// A tenant's inboxes in the order of their names, without their secrets.
    pub async fn inboxes(&self, tenant: TenantId, rows_max: u16) -> Result<Vec<Inbox>, Fault> {
        let condition = "order by name limit $2";
        let inboxes: Vec<InboxSecret> = self.records(tenant, condition, [OwnedValue::Int(i64::from(rows_max))]).await?;
        Ok(inboxes.iter().map(Inbox::from).collect())
    }

    /// Events whose operation is missing, or has neither an outcome nor a run.
    pub(crate) async fn inbox_events_without_operation(
        &self,
        tenant: TenantId,
        rows_max: u16,
    ) -> Result<Vec<(InboxKey, OperationKey)>, Fault> {
        let sql = "select source, external_id, type, key from inbox_events e where tenant = $1 and not exists \
                   (select 1 from operations o where o.tenant = e.tenant and o.type = e.type and o.key = e.key \
                   and (o.outcome is not null or exists (select 1 from operation_runs r where r.tenant = o.tenant \
                   and r.type = o.type and r.key = o.key))) order by source, external_id limit $2";
        let params = vec![OwnedValue::Int(tenant.0), OwnedValue::Int(i64::from(rows_max))];
        let rows = self.store.query(Scope::Tenant(tenant), sql, params).await?;
        rows.iter().map(orphan).collect::<Result<_, Corrupt>>().map_err(|what| corrupt(&what))
    }
}

fn orphan(row: &ReadRow) -> Result<(InboxKey, OperationKey), Corrupt> {
    let invalid = |invalid: surehold_core::kernel::Invalid| Corrupt::new(invalid.to_string());
    let source = SourceName::new(row.text(0)?).map_err(invalid)?;
    let external_id = ExternalId::new(row.text(1)?).map_err(invalid)?;
    let kind = TypeName::new(row.text(2)?).map_err(invalid)?;
    let key = DedupeKey::new(row.text(3)?).map_err(invalid)?;
    Ok((InboxKey { source, external_id }, OperationKey { kind, key }))
}
