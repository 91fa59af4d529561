//! Pools as lists and over ranges of nights.

use surehold_core::kernel::{Pool, PoolKey, ResourceName, Slot, TenantId};

use crate::views::{Views, text};
use crate::{Fault, OwnedValue};

impl Views {
    /// Pools behind `after` in the order of their names, of one resource or of all.
    pub async fn pools(
        &self,
        tenant: TenantId,
        resource: Option<&ResourceName>,
        after: Option<&PoolKey>,
        rows_max: u16,
    ) -> Result<Vec<Pool>, Fault> {
        let (after_resource, after_slot) = after.map_or(("", ""), |key| (key.resource.as_str(), key.slot.as_str()));
        let limit = OwnedValue::Int(i64::from(rows_max));
        match resource {
            None => {
                let condition = "and (resource, slot) > ($2, $3) order by resource, slot limit $4";
                self.records(tenant, condition, [text(after_resource), text(after_slot), limit]).await
            }
            Some(resource) => {
                let condition = "and resource = $2 and (resource, slot) > ($3, $4) order by resource, slot limit $5";
                let params = [text(resource.as_str()), text(after_resource), text(after_slot), limit];
                self.records(tenant, condition, params).await
            }
        }
    }

    /// Pools with a slot in the half-open range, of one resource or of all, in the order of slots.
    pub async fn pools_between(
        &self,
        tenant: TenantId,
        resource: Option<&ResourceName>,
        from: Slot,
        until: Slot,
        rows_max: u16,
    ) -> Result<Vec<Pool>, Fault> {
        let range = [text(from.as_str()), text(until.as_str()), OwnedValue::Int(i64::from(rows_max))];
        match resource {
            None => {
                let condition = "and slot >= $2 and slot < $3 and resource <> '' order by slot, resource limit $4";
                self.records(tenant, condition, range).await
            }
            Some(resource) => {
                let condition = "and slot >= $2 and slot < $3 and resource = $5 order by slot limit $4";
                self.records(tenant, condition, range.into_iter().chain([text(resource.as_str())])).await
            }
        }
    }
}
