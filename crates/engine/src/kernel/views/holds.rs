//! Holds as lists. States are as stored: whoever shows them applies `Hold::as_of`.

use surehold_core::kernel::{Hold, HoldId, PoolKey, Reference, TenantId, Timestamp};
use uuid::Uuid;

use crate::views::Views;
use crate::{Fault, OwnedValue};

const HOLDS_LOOKED_AT_MAX: i64 = 20_000;
/// The year 3000: no hold expires later.
const FAR_FUTURE: Timestamp = Timestamp::from_micros(32_503_680_000_000_000);

impl Views {
    /// Holds with this reference, oldest id first.
    pub async fn holds_by_reference(
        &self,
        tenant: TenantId,
        reference: &Reference,
        after: Option<HoldId>,
        rows_max: u16,
    ) -> Result<Vec<Hold>, Fault> {
        // Said as a range: asked for `reference = $2 order by id`, SQLite without statistics walks through all holds of
        // the tenant in the order of their ids rather than look the reference up.
        let condition = "and reference >= $2 and reference <= $2 and (reference, id) > ($2, $3) \
                         order by reference, id limit $4";
        let after = OwnedValue::Uuid(after.map_or(Uuid::nil(), HoldId::uuid));
        let reference = OwnedValue::Text(reference.as_str().to_owned());
        self.records(tenant, condition, [reference, after, OwnedValue::Int(i64::from(rows_max))]).await
    }

    /// Holds that were active when last touched, the next to expire first.
    pub async fn active_holds(
        &self,
        tenant: TenantId,
        after: (Timestamp, Uuid),
        rows_max: u16,
    ) -> Result<Vec<Hold>, Fault> {
        let (expires_at, id) = after;
        let condition = "and state = 'active' and (expires_at > $2 or (expires_at = $2 and id > $3)) \
                         and expires_at >= $2 order by expires_at, id limit $4";
        let params = [OwnedValue::Time(expires_at), OwnedValue::Uuid(id), OwnedValue::Int(i64::from(rows_max))];
        self.records(tenant, condition, params).await
    }

    /// Active holds with a line on this pool, the next to expire first. Looks at a bounded number of holds, so that
    /// it cannot take long: those that expire last may be missing.
    pub async fn active_holds_on(&self, tenant: TenantId, pool: &PoolKey, rows_max: u16) -> Result<Vec<Hold>, Fault> {
        // The lines are stored as `[["double","2026-12-24",1],…]`; a match is looked at again before it counts.
        let start = serde_json::json!([pool.resource, pool.slot]).to_string();
        let start = start.trim_end_matches(']').replace('!', "!!").replace('%', "!%").replace('_', "!_");
        let condition = "and state = 'active' and expires_at <= coalesce((select expires_at from holds \
                         where tenant = $1 and state = 'active' order by expires_at limit 1 offset $4), $5) \
                         and cast(lines as text) like $2 escape '!' order by expires_at, id limit $3";
        let params = [
            OwnedValue::Text(format!("%{start},%")),
            OwnedValue::Int(i64::from(rows_max)),
            OwnedValue::Int(HOLDS_LOOKED_AT_MAX),
            OwnedValue::Time(FAR_FUTURE),
        ];
        let holds: Vec<Hold> = self.records(tenant, condition, params).await?;
        Ok(holds.into_iter().filter(|hold| hold.lines.quantity_of(pool) > 0).collect())
    }
}
