//! Stock: stores, products, documents, items with their pools, ledgers in both orders, and reports. All lists come in
//! bounded pages, in the order of keys.

mod catalog;
mod documents;
mod history;
mod items;
mod ledger;
mod reports;

pub use documents::DocumentsFilter;
pub(crate) use history::Step;
pub use items::{ItemView, ItemsFilter, Shortages};
pub use ledger::EffectRow;
pub use reports::{ItemBalance, Turnover};

use surehold_core::kernel::{Corrupt, TenantId};
use surehold_core::stock::{ItemKey, Place, ProductCode, StoreName};

use crate::views::{corrupt, text};
use crate::{Fault, OwnedValue, ReadRow};

/// The first parameters of every question about one item: see [`of_item`].
const OF_ITEM: &str = "tenant = $1 and store = $2 and place = $3 and product = $4";

fn of_item(tenant: TenantId, item: &ItemKey) -> [OwnedValue; 4] {
    [OwnedValue::Int(tenant.0), text(&item.store), text(&item.place), text(&item.product)]
}

fn limit(rows_max: u16) -> OwnedValue {
    OwnedValue::Int(i64::from(rows_max))
}

/// The key of an item in the first columns of a row.
fn read_item(row: &ReadRow) -> Result<ItemKey, Fault> {
    let read = || {
        let bad = |what: &dyn std::fmt::Display| Corrupt::new(what.to_string());
        let place = row.text(1)?;
        Ok(ItemKey {
            store: StoreName::new(row.text(0)?).map_err(|invalid| bad(&invalid))?,
            place: Place::parse(place).ok_or_else(|| bad(&format!("the place {place:?}")))?,
            product: ProductCode::new(row.text(2)?).map_err(|invalid| bad(&invalid))?,
        })
    };
    read().map_err(|what: Corrupt| corrupt(&what))
}

/// A subquery gives one column only, so sums that are made in one pass come as a text, separated by commas.
fn read_sums<const N: usize>(row: &ReadRow, column: usize) -> Result<[i64; N], Fault> {
    let sums = row.text(column).and_then(|text| {
        let bad = || Corrupt::new(format!("the sums {text:?}"));
        let sums: Option<Vec<i64>> = text.split(',').map(|sum| sum.parse().ok()).collect();
        <[i64; N]>::try_from(sums.ok_or_else(bad)?).map_err(|_| bad())
    });
    sums.map_err(|what| corrupt(&what))
}

/// The SQL of what [`read_sums`] reads. Each is the sum of an expression.
fn sums(expressions: &[&str]) -> String {
    let sum = |expression: &&str| format!("cast(coalesce(sum({expression}), 0) as text)");
    expressions.iter().map(sum).collect::<Vec<_>>().join(" || ',' || ")
}
