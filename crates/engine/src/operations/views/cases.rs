//! Cases as lists, and whether the installation's data was put back.

use surehold_core::kernel::{TenantId, Timestamp};
use surehold_core::operations::{Case, CaseKey, CaseState, Epoch};

use crate::views::Views;
use crate::views::text;
use crate::{Fault, OwnedValue};

impl Views {
    /// Cases in a state, the longest open first.
    pub async fn cases(
        &self,
        tenant: TenantId,
        state: CaseState,
        after: Option<&(Timestamp, CaseKey)>,
        rows_max: u16,
    ) -> Result<Vec<Case>, Fault> {
        // The state is spelt out: each has an index of its own.
        let condition = format!(
            "and state = '{state}' and (opened_at, kind, key) > ($2, $3, $4) order by opened_at, kind, key limit $5"
        );
        let (opened_at, kind, key) = match after {
            Some((opened_at, case)) => (*opened_at, case.kind.as_str(), case.key.as_str()),
            None => (Timestamp::from_micros(0), "", ""),
        };
        let place = [OwnedValue::Time(opened_at), text(kind), text(key), OwnedValue::Int(i64::from(rows_max))];
        self.records(tenant, &condition, place).await
    }

    /// When the data was last put back to an earlier state; `None` if it never was.
    pub async fn latest_epoch(&self) -> Result<Option<Epoch>, Fault> {
        let epochs = self.records(TenantId::DIRECTORY, "order by number desc limit $2", [OwnedValue::Int(1)]).await?;
        Ok(epochs.into_iter().next())
    }
}
