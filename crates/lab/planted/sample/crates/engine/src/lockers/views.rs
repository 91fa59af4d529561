//! Rentals as a list.

use surehold_core::kernel::{OwnerName, TenantId};
use surehold_core::lockers::Rental;

use crate::views::{Views, text};
use crate::{Fault, OwnedValue};

impl Views {
    /// Rentals behind `after`, in the order of their renters.
    pub async fn locker_rentals(
        &self,
        tenant: TenantId,
        after: Option<&OwnerName>,
        rows_max: u16,
    ) -> Result<Vec<Rental>, Fault> {
        let after = text(after.map_or("", OwnerName::as_str));
        let limit = OwnedValue::Int(i64::from(rows_max));
        self.records(tenant, "and renter > $2 order by renter limit $3", [after, limit]).await
    }
}
