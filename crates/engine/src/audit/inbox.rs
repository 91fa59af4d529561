//! Every event that was stored has an operation, which has ended or is still to be done.

use surehold_core::kernel::TenantId;
use surehold_core::operations::InboxKey;

use super::{EXAMPLES_MAX, Finding};
use crate::{Fault, Views};

pub async fn inbox_findings(views: &Views, tenant: TenantId) -> Result<Vec<Finding>, Fault> {
    let orphans = views.inbox_events_without_operation(tenant, EXAMPLES_MAX).await?;
    let finding = |(InboxKey { source, external_id }, operation)| Finding {
        invariant: "inbox-event-has-operation",
        detail: format!("event {external_id} of {source}: operation {operation} is neither open nor ended"),
    };
    Ok(orphans.into_iter().map(finding).collect())
}
