//! Items with the pools that have their quantities.

use surehold_core::kernel::{Pool, Record, Slot, TenantId};
use surehold_core::stock::{ItemKey, Place, ProductCode, StockItem, StoreName};

use super::limit;
use crate::views::text;
use crate::views::{Views, aliased_list, corrupt, part, read_record};
use crate::{Fault, OwnedValue, ReadRow, Scope};

/// Which items. They come in the order of their keys as stores keep it: by store, place (`in_transit` before `on_hand`) and
/// product.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ItemsFilter {
    pub store: Option<StoreName>,
    pub product: Option<ProductCode>,
    pub place: Option<Place>,
    pub after: Option<ItemKey>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemView {
    pub item: StockItem,
    /// What is promised of it; what is in transit has none.
    pub pool: Option<Pool>,
}

impl ItemView {
    /// What nobody has a claim on; less than zero where more is promised than there is.
    pub fn available(&self) -> i64 {
        match &self.pool {
            Some(pool) if self.item.key.place == Place::OnHand => pool.total.saturating_sub(pool.promised()),
            Some(_) | None => self.item.quantity,
        }
    }
}

/// Items that are looked at in one go for those of them that are short.
const LOOKED_AT_ONCE: u16 = 1_000;
/// How often, for one page of what is short: few may be.
const LOOKS_MAX: usize = 10;

/// Some of what is short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortages {
    pub items: Vec<ItemView>,
    /// There may be more behind this item, which need not be short itself. `None`: everything was looked at.
    pub next: Option<ItemKey>,
}

impl ItemsFilter {
    /// What follows `where i.tenant = $1`, and its parameters, the first of which is `$2`. Each wish has its own statement,
    /// which says in the order of which index it goes.
    pub(super) fn page(&self, rows_max: u16) -> (String, Vec<OwnedValue>) {
        let (mut sql, mut params) = (Vec::new(), Vec::new());
        let put = |params: &mut Vec<OwnedValue>, value: OwnedValue| {
            params.push(value);
            format!("${}", params.len() + 1)
        };
        if let Some(product) = &self.product {
            let product = put(&mut params, text(product));
            // None is empty; who looks items up by their keys does not say so, and is kept from this index.
            sql.push(format!("and i.product >= {product} and i.product <= {product} and i.product <> '' "));
        }
        if let Some(store) = &self.store {
            let store = put(&mut params, text(store));
            sql.push(format!("and i.store = {store} "));
        }
        // Said outright: what is in transit has an index of its own.
        if let Some(place) = self.place {
            sql.push(format!("and i.place = '{place}' "));
        }
        let order = match (&self.product, self.place) {
            (Some(_), _) => ["product", "store", "place"],
            (None, Some(Place::InTransit)) => ["store", "product", "place"],
            (None, Some(Place::OnHand) | None) => ["store", "place", "product"],
        };
        let columns = order.map(|column| format!("i.{column}")).join(", ");
        if let Some(after) = &self.after {
            let values = order.map(|column| match column {
                "store" => text(&after.store),
                "place" => text(&after.place),
                _ => text(&after.product),
            });
            let values = values.map(|value| put(&mut params, value)).join(", ");
            sql.push(format!("and ({columns}) > ({values}) "));
        }
        let limit = put(&mut params, limit(rows_max));
        sql.push(format!("order by {columns} limit {limit}"));
        (sql.concat(), params)
    }

    pub(super) fn with_tenant(tenant: TenantId, params: Vec<OwnedValue>) -> Vec<OwnedValue> {
        std::iter::once(OwnedValue::Int(tenant.0)).chain(params).collect()
    }
}

impl Views {
    /// Items behind `filter.after`, each with its pool, of one instant.
    pub async fn stock_items(
        &self,
        tenant: TenantId,
        filter: &ItemsFilter,
        rows_max: u16,
    ) -> Result<Vec<ItemView>, Fault> {
        let (page, params) = filter.page(rows_max);
        // Pools are looked up item by item: no planner may begin with all of them. Their names are put together apart, in a
        // bounded question: see `rooms_between`.
        let sql = format!(
            "select {}, looked_at.resource, (select {} from pools p where p.tenant = $1 \
             and p.resource = looked_at.resource and p.slot = '') from (select i.*, \
             case when i.place = 'on_hand' then i.store || '/' || i.product end as resource \
             from stock_items i where i.tenant = $1 {page}) looked_at \
             order by looked_at.store, looked_at.place, looked_at.product",
            aliased_list("looked_at", StockItem::TABLE),
            pool_as_text()
        );
        let params = ItemsFilter::with_tenant(tenant, params);
        let rows = self.store.query(Scope::Tenant(tenant), &sql, params).await?;
        rows.iter().map(read_view).collect()
    }

    /// One item with its pool.
    pub async fn stock_item(&self, tenant: TenantId, item: &ItemKey) -> Result<Option<ItemView>, Fault> {
        let ItemKey { store, place, product } = item.clone();
        let filter = ItemsFilter { store: Some(store), product: Some(product), place: Some(place), after: None };
        Ok(self.stock_items(tenant, &filter, 1).await?.pop())
    }

    /// Items on hand of which less than `below` can be had, those included of which more is promised than there is. Looks at
    /// a bounded number of items, so there may be fewer than `rows_max`, and more behind them all the same.
    pub async fn shortages(
        &self,
        tenant: TenantId,
        store: Option<&StoreName>,
        below: i64,
        after: Option<ItemKey>,
        rows_max: u16,
    ) -> Result<Shortages, Fault> {
        let place = Some(Place::OnHand);
        let mut filter = ItemsFilter { store: store.cloned(), product: None, place, after };
        let mut items = Vec::new();
        for _ in 0..LOOKS_MAX {
            let looked_at = self.stock_items(tenant, &filter, LOOKED_AT_ONCE).await?;
            let is_last = looked_at.len() < usize::from(LOOKED_AT_ONCE);
            filter.after = looked_at.last().map(|view| view.item.key.clone());
            items.extend(looked_at.into_iter().filter(|view| view.available() < below));
            if items.len() >= usize::from(rows_max) {
                items.truncate(usize::from(rows_max));
                let next = items.last().map(|view| view.item.key.clone());
                return Ok(Shortages { items, next });
            }
            if is_last {
                return Ok(Shortages { items, next: None });
            }
        }
        Ok(Shortages { items, next: filter.after })
    }
}

/// A subquery gives one column only.
fn pool_as_text() -> String {
    let (_, columns) = Pool::TABLE.columns.split_at(Pool::TABLE.key_columns);
    let columns = columns.iter().map(|column| column.name).chain(["version"]);
    columns.map(|column| format!("cast(p.{column} as text)")).collect::<Vec<_>>().join(" || ',' || ")
}

fn read_view(row: &ReadRow) -> Result<ItemView, Fault> {
    let (item, next) = part::<StockItem>(row, 0)?;
    let pool = match (row.0.get(next), row.0.get(next + 1)) {
        (Some(resource @ OwnedValue::Text(_)), Some(OwnedValue::Text(text))) => Some(read_pool(resource, text)?),
        (_, _) => None,
    };
    Ok(ItemView { item, pool })
}

fn read_pool(resource: &OwnedValue, text: &str) -> Result<Pool, Fault> {
    let mut columns = vec![resource.clone(), OwnedValue::Text(Slot::NONE.as_str().to_owned())];
    for value in text.split(',') {
        columns.push(match value {
            "true" => OwnedValue::Bool(true),
            "false" => OwnedValue::Bool(false),
            number => OwnedValue::Int(number.parse().map_err(|_| corrupt(&format!("the pool {text:?}")))?),
        });
    }
    read_record(&ReadRow(columns))
}
