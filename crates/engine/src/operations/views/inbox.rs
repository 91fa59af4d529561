//! What was received, and who is believed.

use surehold_core::kernel::TenantId;
use surehold_core::operations::{Inbox, InboxSecret};

use crate::views::Views;
use crate::{Fault, OwnedValue};

impl Views {
    /// A tenant's inboxes in the order of their names, without their secrets.
    pub async fn inboxes(&self, tenant: TenantId, rows_max: u16) -> Result<Vec<Inbox>, Fault> {
        let condition = "order by name limit $2";
        let inboxes: Vec<InboxSecret> = self.records(tenant, condition, [OwnedValue::Int(i64::from(rows_max))]).await?;
        Ok(inboxes.iter().map(Inbox::from).collect())
    }
}
