//! What there is: items, their cards, balances and turnover in time, and what runs short.

use surehold_core::kernel::{TenantId, Timestamp};
use surehold_core::stock::{ItemKey, Place, ProductCode, StockItem, StoreName};
use surehold_engine::{Fault, ItemView, ItemsFilter};

use super::products::find_product;
use super::scales::with_scales;
use super::seen::{balance_seen, item_seen, turnover_seen};
use super::stores::find_store;
use crate::api::{Answer, Api, Caller, InPath, Query, Read, Reply, malformed, next_page, page_items};
use crate::describe;
use crate::problem::Problem;
use crate::wire::stock::words::CardOrder;
use crate::wire::stock::{BalancePage, CardPage, CardRow, Item, ItemPage, TurnoverPage};

/// A store's name and a place have no blank; a product's code may.
pub(super) fn cursor(item: &ItemKey) -> String {
    format!("{} {} {}", item.store, item.place, item.product)
}

pub(super) fn parse_cursor(text: &str) -> Result<ItemKey, Problem> {
    let parse = || {
        let (store, rest) = text.split_once(' ')?;
        let (place, product) = rest.split_once(' ')?;
        let (store, product) = (StoreName::new(store).ok()?, ProductCode::new(product).ok()?);
        Some(ItemKey { store, place: Place::parse(place)?, product })
    };
    parse().ok_or_else(|| malformed("after is not the `next` of a page of items"))
}

#[describe::query(page)]
pub(crate) struct ListStock {
    store: Option<StoreName>,
    product: Option<ProductCode>,
    place: Option<Place>,
}

/// List what there is
///
/// Every product in every store that ever moved, and what is on its way to stores.
#[describe::path(get, "/v1/{tenant}/stock", tag = "Stock")]
pub(super) async fn stock_list(api: Api, caller: Caller<Read>, Query(query): Query<ListStock>) -> Answer<ItemPage> {
    let limit = page_items(query.limit)?;
    let after = query.after.as_deref().map(parse_cursor).transpose()?;
    let filter = ItemsFilter { store: query.store, product: query.product, place: query.place, after };
    let found = api.views().stock_items(caller.tenant, &filter, limit).await?;
    let next = next_page(&found, limit, |last| cursor(&last.item.key));
    Ok(Reply::found(ItemPage { items: shown_items(&api, caller.tenant, found).await?, next }))
}

async fn shown_items(api: &Api, tenant: TenantId, found: Vec<ItemView>) -> Result<Vec<Item>, Fault> {
    with_scales(api, tenant, found, |view| &view.item.key.product, item_seen).await
}

#[describe::query]
pub(crate) struct AskItem {
    /// `on_hand` unless told.
    place: Option<Place>,
}

/// Look at a product in a store
///
/// One that never moved has a quantity and a `seq` of 0.
#[describe::path(get, "/v1/{tenant}/stock/{store}/{product}", tag = "Stock")]
pub(super) async fn stock_get(
    api: Api,
    caller: Caller<Read>,
    InPath((store, product)): InPath<(StoreName, ProductCode)>,
    Query(query): Query<AskItem>,
) -> Answer<Item> {
    let (key, scale) = find_item(&api, caller.tenant, store, product, query.place).await?;
    let found = api.views().stock_item(caller.tenant, &key).await?;
    let view = found.unwrap_or_else(|| ItemView { item: StockItem::new(key), pool: None });
    Ok(Reply::found(item_seen(view, scale)))
}

/// The key of an item whose store and product exist, and the product's scale.
async fn find_item(
    api: &Api,
    tenant: TenantId,
    store: StoreName,
    product: ProductCode,
    place: Option<Place>,
) -> Result<(ItemKey, u32), Problem> {
    let store = find_store(api, tenant, store).await?.name;
    let product = find_product(api, tenant, product).await?;
    let key = ItemKey { store, place: place.unwrap_or(Place::OnHand), product: product.code };
    Ok((key, product.scale))
}

#[describe::query]
pub(crate) struct AskCard {
    /// `on_hand` unless told.
    place: Option<Place>,
    /// `posting` unless told.
    #[serde(default)]
    #[param(value_type = Option<CardOrder>)]
    order: CardOrder,
    /// The `next` of the page before, in the same order.
    after: Option<String>,
    #[param(minimum = 1, maximum = 1000, default = 100)]
    limit: Option<u16>,
}

pub(super) fn effect_cursor((effective_at, seq): (Timestamp, i64)) -> String {
    format!("{}-{seq}", effective_at.micros())
}

pub(super) fn parse_effect_cursor(text: &str) -> Result<(Timestamp, i64), Problem> {
    let (micros, seq) = text.split_once('-').ok_or_else(not_of_a_card)?;
    let number = |text: &str| text.parse::<i64>().ok().filter(|number| *number >= 0).ok_or_else(not_of_a_card);
    Ok((Timestamp::from_micros(number(micros)?), number(seq)?))
}

pub(super) fn parse_seq(text: &str) -> Result<i64, Problem> {
    text.parse::<i64>().ok().filter(|seq| *seq >= 0).ok_or_else(not_of_a_card)
}

fn not_of_a_card() -> Problem {
    malformed("after is not the `next` of a page of this card")
}

/// Read the card of a product in a store
///
/// In the order of posting: every row of its ledger with the balance after it, revaluations included. In the order of effect:
/// what each row costs by now, and what was there after it.
#[describe::path(get, "/v1/{tenant}/stock/{store}/{product}/card", tag = "Stock")]
pub(super) async fn stock_card(
    api: Api,
    caller: Caller<Read>,
    InPath((store, product)): InPath<(StoreName, ProductCode)>,
    Query(query): Query<AskCard>,
) -> Answer<CardPage> {
    let (limit, order) = (page_items(query.limit)?, query.order);
    let (key, scale) = find_item(&api, caller.tenant, store, product, query.place).await?;
    let (rows, next) = match order {
        CardOrder::Posting => {
            let after = query.after.as_deref().map(parse_seq).transpose()?.unwrap_or(0);
            let found = api.views().moves(caller.tenant, &key, after, limit).await?;
            let next = next_page(&found, limit, |last| last.key.seq.to_string());
            (found.into_iter().map(|row| CardRow::posted(row, scale)).collect(), next)
        }
        CardOrder::Effect => {
            let after = query.after.as_deref().map(parse_effect_cursor).transpose()?;
            let found = api.views().moves_by_effect(caller.tenant, &key, after, limit).await?;
            let next = next_page(&found, limit, |last| effect_cursor((last.row.effective_at, last.row.key.seq)));
            (
                found.into_iter().map(|row| CardRow::in_effect(row.row, row.value_now, row.balance, scale)).collect(),
                next,
            )
        }
    };
    Ok(Reply::found(CardPage { order, scale, rows, next }))
}

#[describe::query(page)]
pub(crate) struct AskBalances {
    /// What took effect up to this instant counts.
    at: Timestamp,
    store: Option<StoreName>,
    product: Option<ProductCode>,
    place: Option<Place>,
}

/// What there was at an instant, and what it was worth
///
/// By the order of effect: as it is known by now, with everything that was posted later and took effect before.
#[describe::path(get, "/v1/{tenant}/stock/balances", tag = "Stock")]
pub(super) async fn stock_balances(
    api: Api,
    caller: Caller<Read>,
    Query(query): Query<AskBalances>,
) -> Answer<BalancePage> {
    let (limit, at) = (page_items(query.limit)?, query.at);
    let after = query.after.as_deref().map(parse_cursor).transpose()?;
    let filter = ItemsFilter { store: query.store, product: query.product, place: query.place, after };
    let found = api.views().balances_at(caller.tenant, &filter, at, limit).await?;
    let next = next_page(&found, limit, |last| cursor(&last.item));
    let balances = with_scales(&api, caller.tenant, found, |balance| &balance.item.product, balance_seen).await?;
    Ok(Reply::found(BalancePage { at, balances, next }))
}

#[describe::query(page)]
pub(crate) struct AskTurnover {
    from: Timestamp,
    /// Not part of it.
    until: Timestamp,
    store: Option<StoreName>,
    product: Option<ProductCode>,
    place: Option<Place>,
}

impl AskTurnover {
    pub(super) fn span(&self) -> Result<(Timestamp, Timestamp), Problem> {
        if self.from < self.until { Ok((self.from, self.until)) } else { Err(malformed("until is after from")) }
    }
}

/// What came and went in a time
///
/// Opening + incoming − outgoing + revalued = closing, for each item.
#[describe::path(get, "/v1/{tenant}/stock/turnover", tag = "Stock")]
pub(super) async fn stock_turnover(
    api: Api,
    caller: Caller<Read>,
    Query(query): Query<AskTurnover>,
) -> Answer<TurnoverPage> {
    let (limit, (from, until)) = (page_items(query.limit)?, query.span()?);
    let after = query.after.as_deref().map(parse_cursor).transpose()?;
    let filter = ItemsFilter { store: query.store, product: query.product, place: query.place, after };
    let found = api.views().turnover(caller.tenant, &filter, from, until, limit).await?;
    let next = next_page(&found, limit, |last| cursor(&last.item));
    let items = with_scales(&api, caller.tenant, found, |turnover| &turnover.item.product, turnover_seen).await?;
    Ok(Reply::found(TurnoverPage { from, until, items, next }))
}

#[describe::query(page)]
pub(crate) struct AskShortages {
    store: Option<StoreName>,
    /// Products of which fewer base units than this are available.
    #[param(minimum = 1, maximum = 1_000_000_000_000_i64, default = 1)]
    below: Option<i64>,
}

const BELOW_MAX: i64 = surehold_core::kernel::UNITS_MAX;

impl AskShortages {
    pub(super) fn below(&self) -> Result<i64, Problem> {
        match self.below.unwrap_or(1) {
            below @ 1..=BELOW_MAX => Ok(below),
            _ => Err(malformed(format!("below is between 1 and {BELOW_MAX}"))),
        }
    }
}

/// List what runs short
///
/// Products on hand of which fewer than `below` are available, oversold ones among them. A page may have fewer than `limit`,
/// or none, and a `next` all the same: up to 10,000 items are looked at for it.
#[describe::path(get, "/v1/{tenant}/stock/shortages", tag = "Stock")]
pub(super) async fn stock_shortages(
    api: Api,
    caller: Caller<Read>,
    Query(query): Query<AskShortages>,
) -> Answer<ItemPage> {
    let (limit, below) = (page_items(query.limit)?, query.below()?);
    let after = query.after.as_deref().map(parse_cursor).transpose()?;
    let found = api.views().shortages(caller.tenant, query.store.as_ref(), below, after, limit).await?;
    let next = found.next.as_ref().map(cursor);
    Ok(Reply::found(ItemPage { items: shown_items(&api, caller.tenant, found.items).await?, next }))
}
