//! Reports: balances at a date, turnover, shortages; and until when the books are closed.

use clap::Args;
use surehold_api::stock::{self, Books, ItemBalance, ItemTurnover};
use surehold_core::kernel::{Slug, Timestamp};
use surehold_core::stock::StoreName;

use super::super::decimal;
use super::super::input::{TenantArgs, core_instant};
use super::super::money::{DecimalSign, Money};
use super::super::show::{Show, column, line, number, rows, some};
use super::Desk;
use super::items::{Currencies, ITEMS, ItemsArgs, average, place};
use super::quantity::Scale;
use super::words::moment;
use crate::client::ClientError;

/// Show what was there at a date, and what it was worth
#[derive(Args)]
pub(super) struct Balances {
    #[command(flatten)]
    items: ItemsArgs,
    /// When: an instant, or a date (its beginning, UTC) [default: now]
    #[arg(long, value_name = "WHEN", value_parser = moment)]
    at: Option<Timestamp>,
}

impl Balances {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let at = self.at.unwrap_or_else(|| core_instant(jiff::Timestamp::now()));
        let money = Currencies::find(desk, &self.items.tenant).await?;
        let call = self.items.on(stock::balances(&self.items.tenant).query("at", at));
        desk.present_all(call, |found| balances_view(found, &money), "nothing was there").await
    }
}

const BALANCES: &[Show<ItemBalance, Currencies>] = &[
    column("store", |item, _| place(&item.item)),
    column("product", |item, _| item.item.product.to_string()),
    number(column("quantity", |item, _| Scale::of(item.scale).plain(item.balance.quantity))),
    number(column("value", |item, money| money.of(&item.item).plain(item.balance.value_rounded))),
    number(column("average", |item, money| average(&item.balance, money.of(&item.item)))),
    column("", |item, money| money.of(&item.item).code().to_owned()),
    column("", |item, _| provisional(item.revaluing)),
];

fn balances_view(found: &[ItemBalance], currencies: &Currencies) -> String {
    format!("{}{}", rows(BALANCES, found, currencies), sums(found, currencies))
}

/// Said of values that are being worked out anew.
fn provisional(revaluing: bool) -> String {
    if revaluing { "being revalued".to_owned() } else { String::new() }
}

/// What is together in one currency.
struct Sum {
    money: Money,
    millionths: i128,
    provisional: bool,
}

impl Sum {
    fn line(&self) -> String {
        let (sign, size) = (if self.millionths < 0 { "-" } else { "" }, self.millionths.unsigned_abs());
        let minor = format!("{sign}{}.{:06}", size / 1_000_000, size % 1_000_000);
        let remark = if self.provisional { ", provisional: some of it is being revalued" } else { "" };
        format!("together {} {}{remark}\n", self.money.code(), self.money.exact_short(&minor))
    }
}

/// What all of it is worth, by currency: exactly, nothing is rounded.
fn sums(found: &[ItemBalance], currencies: &Currencies) -> String {
    let mut sums: Vec<Sum> = Vec::new();
    for item in found {
        let (money, millionths) = (currencies.of(&item.item), millionths(&item.balance.value));
        let provisional = item.revaluing;
        match sums.iter_mut().find(|sum| sum.money == money) {
            Some(sum) => {
                sum.millionths += millionths;
                sum.provisional |= provisional;
            }
            None => sums.push(Sum { money, millionths, provisional }),
        }
    }
    sums.iter().map(Sum::line).collect()
}

/// Of a value in minor units. It may be below zero while costs are worked out anew.
fn millionths(value: &str) -> i128 {
    let (sign, size) = value.strip_prefix('-').map_or((1, value), |size| (-1, size));
    sign * decimal::parse(size, 6, DecimalSign::Point).map_or(0, i128::from)
}

/// Show what came and went in a period, with what was there before and after it
#[derive(Args)]
pub(super) struct Turnover {
    #[command(flatten)]
    items: ItemsArgs,
    /// Its beginning: an instant, or a date (its beginning, UTC)
    #[arg(long, value_name = "WHEN", value_parser = moment)]
    from: Timestamp,
    /// Its end, which is not in it
    #[arg(long, value_name = "WHEN", value_parser = moment)]
    until: Timestamp,
}

impl Turnover {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let money = Currencies::find(desk, &self.items.tenant).await?;
        let call = stock::turnover(&self.items.tenant).query("from", self.from).query("until", self.until);
        desk.present_all(self.items.on(call), |found| rows(TURNOVER, found, &money), "nothing was there").await
    }
}

const TURNOVER: &[Show<ItemTurnover, Currencies>] = &[
    column("store", |item, _| place(&item.item)),
    column("product", |item, _| item.item.product.to_string()),
    number(column("opening", |item, _| Scale::of(item.scale).plain(item.opening.quantity))),
    number(column("value", |item, money| money.of(&item.item).plain(item.opening.value_rounded))),
    number(column("in", |item, _| Scale::of(item.scale).plain(item.incoming.quantity))),
    number(column("value", |item, money| money.of(&item.item).plain(item.incoming.value_rounded))),
    number(column("out", |item, _| Scale::of(item.scale).plain(item.outgoing.quantity))),
    number(column("value", |item, money| money.of(&item.item).plain(item.outgoing.value_rounded))),
    number(column("closing", |item, _| Scale::of(item.scale).plain(item.closing.quantity))),
    number(column("value", |item, money| money.of(&item.item).plain(item.closing.value_rounded))),
    number(column("revalued", |item, money| {
        some(Some(&item.revalued).filter(|by| *by != "0").map(|by| money.of(&item.item).exact(by)))
    })),
    column("", |item, money| money.of(&item.item).code().to_owned()),
    column("", |item, _| provisional(item.revaluing)),
];

/// List products of which less is available than there should be, also what is promised twice
#[derive(Args)]
pub(super) struct Shortages {
    /// The tenant's slug
    tenant: Slug,
    /// Only those of this store
    #[arg(id = "place", long = "in", value_name = "STORE")]
    store: Option<StoreName>,
    /// Fewer base units than this are available
    #[arg(long, value_name = "UNITS", default_value_t = 1)]
    below: i64,
}

impl Shortages {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let money = Currencies::find(desk, &self.tenant).await?;
        let call = stock::shortages(&self.tenant).query_if("store", self.store.as_ref()).query("below", self.below);
        desk.present_all(call, |found| rows(ITEMS, found, &money), "nothing is short").await
    }
}

pub(super) async fn books(TenantArgs { tenant }: &TenantArgs, desk: Desk<'_>) -> Result<(), ClientError> {
    desk.detail(stock::books(tenant), BOOKS).await
}

/// Close the books of all stores: nothing takes effect before then any more, for ever
#[derive(Args)]
pub(super) struct CloseBooks {
    /// The tenant's slug
    tenant: Slug,
    /// An instant, or a date (its beginning, UTC)
    #[arg(value_name = "UNTIL", value_parser = moment)]
    until: Timestamp,
}

impl CloseBooks {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let close = stock::close_books(&self.tenant, &stock::CloseBooks { closed_until: self.until });
        desk.detail(close, BOOKS).await
    }
}

const BOOKS: &[Show<Books>] = &[
    line("closed until", |books, ()| {
        books.closed_until.map_or_else(|| "never closed".to_owned(), |until| until.to_string())
    }),
    line("documents being posted", |books, ()| some(Some(books.posting).filter(|count| *count > 0))),
    line("items being revalued", |books, ()| some(Some(books.revaluing).filter(|count| *count > 0))),
];

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json};

    use super::*;

    #[test]
    fn sums_are_exact() {
        let store = |name: &str, currency: &str| {
            from_value(json!({"name": name, "title": name, "currency": currency, "version": 1})).unwrap()
        };
        let currencies = Currencies::of_stores([store("main", "EUR"), store("van", "EUR"), store("tokyo", "JPY")]);
        let marked = |store: &str, value: &str, revaluing: bool| {
            from_value::<ItemBalance>(json!({"store": store, "product": "tea", "place": "on_hand", "scale": 0,
                "quantity": 1, "value": value, "value_rounded": 0, "revaluing": revaluing}))
            .unwrap()
        };
        let item = |store: &str, value: &str| marked(store, value, false);
        let found =
            [item("main", "333.333333"), item("van", "666.666667"), item("main", "0.5"), item("tokyo", "7.000001")];
        assert_eq!(sums(&found, &currencies), "together EUR 10.005\ntogether JPY 7.000001\n");
        let large: Vec<ItemBalance> = (0..4).map(|_| item("main", "4000000000000")).collect();
        assert_eq!(sums(&large, &currencies), "together EUR 160000000000.00\n");
        // While costs are worked out anew.
        let provisional = "together EUR -0.005, provisional: some of it is being revalued\n";
        assert_eq!(sums(&[item("main", "1"), marked("main", "-1.5", true)], &currencies), provisional);
        let shown = balances_view(&[marked("main", "-1.5", true)], &currencies);
        assert!(shown.lines().nth(1).unwrap().ends_with("being revalued"));
    }
}
