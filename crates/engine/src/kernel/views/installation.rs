//! What belongs to the installation: tenants and keys.

use surehold_core::kernel::{ApiKey, Corrupt, Slug, SlugClaim, TenantId, Timestamp};

use crate::views::{Views, corrupt};
use crate::{Fault, OwnedValue, Scope};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TenantRow {
    pub tenant: TenantId,
    pub slug: String,
}

impl Views {
    /// Who has this slug.
    pub async fn tenant_of(&self, slug: &Slug) -> Result<Option<TenantId>, Fault> {
        let claim = self.record::<SlugClaim>(TenantId::DIRECTORY, slug).await?;
        Ok(claim.map(|claim| claim.claimed_by))
    }

    /// Tenants behind `after` in the order of their slugs, without their test twins.
    pub async fn tenants(&self, after: &str, rows_max: u16) -> Result<Vec<TenantRow>, Fault> {
        let sql = "select tenant, slug from tenants where tenant > 0 and slug > $1 order by slug limit $2";
        let params = vec![OwnedValue::Text(after.to_owned()), OwnedValue::Int(i64::from(rows_max))];
        let rows = self.store.query(Scope::Installation, sql, params).await?;
        let read =
            |row: &crate::ReadRow| Ok(TenantRow { tenant: TenantId(row.int(0)?), slug: row.text(1)?.to_owned() });
        rows.iter().map(read).collect::<Result<_, Corrupt>>().map_err(|what| corrupt(&what))
    }

    /// A tenant's keys, newest first.
    pub async fn keys(&self, tenant: TenantId, rows_max: u16) -> Result<Vec<ApiKey>, Fault> {
        let condition = "order by created_at desc, id limit $2";
        self.records(tenant, condition, [OwnedValue::Int(i64::from(rows_max))]).await
    }

    /// Tenants with at least one hold that has lapsed and is not yet expired.
    pub(crate) async fn tenants_with_lapsed_holds(&self) -> Result<Vec<TenantId>, Fault> {
        let now: Timestamp = self.clock().await?;
        let sql = "select tenant from tenants t where exists (select 1 from holds h where h.tenant = t.tenant \
                   and h.state = 'active' and h.expires_at <= $1)";
        let rows = self.store.query(Scope::Installation, sql, vec![OwnedValue::Time(now)]).await?;
        let tenants = rows.iter().map(|row| row.int(0).map(TenantId));
        tenants.collect::<Result<_, Corrupt>>().map_err(|what| corrupt(&what))
    }
}
