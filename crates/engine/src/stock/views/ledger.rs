//! The card of an item, in the order of posting and in the order in which things took effect.

use surehold_core::kernel::{Record, TenantId, Timestamp};
use surehold_core::stock::history::MoveNow;
use surehold_core::stock::rules::Balance;
use surehold_core::stock::{ItemKey, Move, StockItem};

use super::{OF_ITEM, limit, of_item, read_sums, sums};
use crate::views::{Views, aliased_list, corrupt, part};
use crate::{Fault, OwnedValue, ReadRow, Scope};

/// A row with what it costs by now, and what was there when it had taken effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EffectRow {
    /// Never a revaluation.
    pub row: Move,
    /// Revaluations included.
    pub value_now: i64,
    /// In the order of effect.
    pub balance: Balance,
}

/// Where a row stands in the order of effect. A revaluation stands where its row does.
pub(super) type Point = (Timestamp, i64);

/// The number of the row that a row is, or is about the cost of.
const ABOUT: &str = "case when basis = 'revaluation' then source else seq end";

impl Views {
    /// Rows behind `after_seq`, in the order of posting.
    pub async fn moves(
        &self,
        tenant: TenantId,
        item: &ItemKey,
        after_seq: i64,
        rows_max: u16,
    ) -> Result<Vec<Move>, Fault> {
        let condition = "and store = $2 and place = $3 and product = $4 and seq > $5 order by seq limit $6";
        let [_, store, place, product] = of_item(tenant, item);
        let params = [store, place, product, OwnedValue::Int(after_seq), limit(rows_max)];
        self.records(tenant, condition, params).await
    }

    /// Rows behind a point, in the order of effect, without revaluations: these are part of what a row is worth.
    pub async fn moves_by_effect(
        &self,
        tenant: TenantId,
        item: &ItemKey,
        after: Option<(Timestamp, i64)>,
        rows_max: u16,
    ) -> Result<Vec<EffectRow>, Fault> {
        let Some(item) = self.record::<StockItem>(tenant, item).await? else { return Ok(Vec::new()) };
        let mut balance = match after {
            Some(after) => self.balance_at_point(tenant, &item, after).await?,
            None => Balance::NOTHING,
        };
        let rows = self.moves_behind(tenant, &item, after.unwrap_or(BEGINNING), rows_max).await?;
        Ok(rows
            .into_iter()
            .map(|MoveNow { row, value_now }| {
                balance.quantity = balance.quantity.saturating_add(row.quantity);
                balance.value = balance.value.saturating_add(value_now);
                EffectRow { row, value_now, balance }
            })
            .collect())
    }

    /// What was there when everything up to and with a row had taken effect.
    async fn balance_at_point(&self, tenant: TenantId, item: &StockItem, point: Point) -> Result<Balance, Fault> {
        let up_to = format!("effective_at <= $5 and (effective_at < $5 or {ABOUT} <= $6)");
        self.sum_of(tenant, item, &up_to, point).await
    }

    /// What the rows behind a point come to, together with what has changed their costs.
    pub(super) async fn sum_behind(&self, tenant: TenantId, item: &StockItem, point: Point) -> Result<Balance, Fault> {
        let behind = format!("effective_at >= $5 and (effective_at > $5 or {ABOUT} > $6)");
        self.sum_of(tenant, item, &behind, point).await
    }

    /// Rows are never changed or taken away, so those up to the item's last one are what it is made of, whenever they are
    /// read.
    async fn sum_of(
        &self,
        tenant: TenantId,
        item: &StockItem,
        condition: &str,
        (at, seq): Point,
    ) -> Result<Balance, Fault> {
        let sums = sums(&["quantity", "value"]);
        let sql = format!("select {sums} from stock_moves where {OF_ITEM} and {condition} and seq <= $7");
        let params = of_item(tenant, &item.key).into_iter();
        let params = params.chain([OwnedValue::Time(at), OwnedValue::Int(seq), OwnedValue::Int(item.seq)]).collect();
        let rows = self.store.query(Scope::Tenant(tenant), &sql, params).await?;
        let row = rows.first().ok_or_else(|| corrupt(&"a sum without a row"))?;
        let [quantity, value] = read_sums(row, 0)?;
        Ok(Balance { quantity, value })
    }

    /// Rows behind a point, in the order of effect, as they were when the ledger had got to the item's last row.
    pub(super) async fn moves_behind(
        &self,
        tenant: TenantId,
        item: &StockItem,
        (at, seq): Point,
        rows_max: u16,
    ) -> Result<Vec<MoveNow>, Fault> {
        let sql = format!(
            "select {}, cast(m.value + coalesce((select sum(r.value) from stock_moves r where r.tenant = $1 \
             and r.store = $2 and r.place = $3 and r.product = $4 and r.source = m.seq and r.basis = 'revaluation' \
             and r.seq <= $7), 0) as bigint) from stock_moves m where m.tenant = $1 and m.store = $2 \
             and m.place = $3 and m.product = $4 and m.effective_at >= $5 and (m.effective_at, m.seq) > ($5, $6) \
             and m.basis <> 'revaluation' and m.seq <= $7 order by m.effective_at, m.seq limit $8",
            aliased_list("m", Move::TABLE)
        );
        let behind = [OwnedValue::Time(at), OwnedValue::Int(seq), OwnedValue::Int(item.seq), limit(rows_max)];
        let params = of_item(tenant, &item.key).into_iter().chain(behind).collect();
        let rows = self.store.query(Scope::Tenant(tenant), &sql, params).await?;
        rows.iter().map(read_now).collect()
    }
}

/// Before everything: nothing takes effect before 1970.
pub(super) const BEGINNING: Point = (Timestamp::from_micros(-1), 0);

fn read_now(row: &ReadRow) -> Result<MoveNow, Fault> {
    let (moved, next) = part::<Move>(row, 0)?;
    let value_now = row.int(next).map_err(|what| corrupt(&what))?;
    Ok(MoveNow { row: moved, value_now })
}
