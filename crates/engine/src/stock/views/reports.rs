//! What was there at an instant, and what moved between two, by when things took effect.

use surehold_core::kernel::{ColumnType, TenantId, Timestamp, Value};
use surehold_core::stock::ItemKey;
use surehold_core::stock::rules::Balance;

use super::{ItemsFilter, read_item, read_sums, sums};
use crate::views::{Views, corrupt};
use crate::{Fault, OwnedValue, ReadRow, Scope};

/// What there was of an item, and what it had cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemBalance {
    pub item: ItemKey,
    pub balance: Balance,
    /// Its costs are being worked out anew: values are provisional, at whatever instant.
    pub revaluing: bool,
}

/// What moved in a period: `opening + incoming − outgoing + revalued = closing`, where quantities and values of what came
/// in and of what went out are at least zero, and as they were posted; `revalued` is what their costs have changed by since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turnover {
    pub item: ItemKey,
    pub opening: Balance,
    pub incoming: Balance,
    pub outgoing: Balance,
    pub revalued: i64,
    pub closing: Balance,
    /// Its costs are being worked out anew: values are provisional.
    pub revaluing: bool,
}

impl Views {
    /// What there was of items when everything up to `at` had taken effect, `at` itself included; all of one instant of
    /// reading. An item that had not moved yet has nothing.
    pub async fn balances_at(
        &self,
        tenant: TenantId,
        filter: &ItemsFilter,
        at: Timestamp,
        rows_max: u16,
    ) -> Result<Vec<ItemBalance>, Fault> {
        // What there is now less what came after: asked about the end of last month, that is the smaller part.
        let later = sums(&["m.quantity", "m.value"]);
        let rows = self.report(tenant, filter, &later, "m.effective_at > $T", &[at], rows_max).await?;
        rows.iter()
            .map(|row| {
                let (item, now, revaluing) = read_now(row)?;
                let [quantity, value] = read_sums(row, 6)?;
                Ok(ItemBalance { item, balance: minus(now, Balance { quantity, value })?, revaluing })
            })
            .collect()
    }

    /// What moved from `from` on and before `until`.
    pub async fn turnover(
        &self,
        tenant: TenantId,
        filter: &ItemsFilter,
        from: Timestamp,
        until: Timestamp,
        rows_max: u16,
    ) -> Result<Vec<Turnover>, Fault> {
        let inside = |condition: &str, what: &str| {
            format!("case when m.effective_at < $U and {condition} then {what} else 0 end")
        };
        let [in_quantity, in_value] = ["m.quantity", "m.value"].map(|what| inside("m.quantity > 0", what));
        let [out_quantity, out_value] = ["-m.quantity", "-m.value"].map(|what| inside("m.quantity < 0", what));
        let revalued = inside("m.quantity = 0", "m.value");
        let [late_quantity, late_value] =
            ["m.quantity", "m.value"].map(|what| format!("case when m.effective_at >= $U then {what} else 0 end"));
        let expressions = [in_quantity, in_value, out_quantity, out_value, revalued, late_quantity, late_value];
        let sums = sums(&expressions.each_ref().map(String::as_str));
        let rows = self.report(tenant, filter, &sums, "m.effective_at >= $T", &[from, until], rows_max).await?;
        rows.iter().map(read_turnover).collect()
    }

    /// Sums over the rows of each item of a page that meet a condition. `$T` and `$U` stand for the instants. Looked up item
    /// by item: no planner may begin with the ledger of a whole tenant.
    async fn report(
        &self,
        tenant: TenantId,
        filter: &ItemsFilter,
        sums: &str,
        condition: &str,
        instants: &[Timestamp],
        rows_max: u16,
    ) -> Result<Vec<ReadRow>, Fault> {
        let (page, mut params) = filter.page(rows_max);
        let (mut sums, mut condition) = (sums.to_owned(), condition.to_owned());
        for (name, instant) in ["$T", "$U"].into_iter().zip(instants) {
            params.push(OwnedValue::Time(*instant));
            let number = format!("${}", params.len() + 1);
            (sums, condition) = (sums.replace(name, &number), condition.replace(name, &number));
        }
        let sql = format!(
            "select looked_at.store, looked_at.place, looked_at.product, looked_at.quantity, looked_at.value, \
             looked_at.revaluing is not null, (select {sums} from stock_moves m where m.tenant = $1 and m.store = looked_at.store \
             and m.place = looked_at.place and m.product = looked_at.product and {condition}) \
             from (select i.store, i.place, i.product, i.quantity, i.value, i.revaluing from stock_items i \
             where i.tenant = $1 {page}) looked_at order by looked_at.store, looked_at.place, looked_at.product"
        );
        let params = ItemsFilter::with_tenant(tenant, params);
        self.store.query(Scope::Tenant(tenant), &sql, params).await
    }
}

/// The item, what there is of it now, and whether that is provisional.
fn read_now(row: &ReadRow) -> Result<(ItemKey, Balance, bool), Fault> {
    let number = |column: usize| row.int(column).map_err(|what| corrupt(&what));
    let revaluing = row.value(5, ColumnType::Bool).map_err(|what| corrupt(&what))? == Value::Bool(true);
    Ok((read_item(row)?, Balance { quantity: number(3)?, value: number(4)? }, revaluing))
}

fn read_turnover(row: &ReadRow) -> Result<Turnover, Fault> {
    let (item, now, revaluing) = read_now(row)?;
    let [in_quantity, in_value, out_quantity, out_value, revalued, late_quantity, late_value] = read_sums(row, 6)?;
    let incoming = Balance { quantity: in_quantity, value: in_value };
    let outgoing = Balance { quantity: out_quantity, value: out_value };
    let closing = minus(now, Balance { quantity: late_quantity, value: late_value })?;
    let added = plus(minus(closing, incoming)?, outgoing)?;
    let opening = minus(added, Balance { quantity: 0, value: revalued })?;
    Ok(Turnover { item, opening, incoming, outgoing, revalued, closing, revaluing })
}

fn minus(one: Balance, other: Balance) -> Result<Balance, Fault> {
    let (quantity, value) = (one.quantity.checked_sub(other.quantity), one.value.checked_sub(other.value));
    whole(quantity, value)
}

fn plus(one: Balance, other: Balance) -> Result<Balance, Fault> {
    let (quantity, value) = (one.quantity.checked_add(other.quantity), one.value.checked_add(other.value));
    whole(quantity, value)
}

fn whole(quantity: Option<i64>, value: Option<i64>) -> Result<Balance, Fault> {
    let sum = quantity.zip(value).ok_or_else(|| corrupt(&"a ledger with more than can be counted"))?;
    Ok(Balance { quantity: sum.0, value: sum.1 })
}
