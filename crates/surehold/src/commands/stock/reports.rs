//! Reports: balances at a date, turnover, shortages; and until when the books are closed.

use clap::Args;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::super::decimal;
use super::super::input::slug;
use super::super::money::{DecimalSign, Money};
use super::super::pages::show_all;
use super::super::view::{fields, table, text};
use super::Desk;
use super::items::{Currencies, ItemsArgs, currencies, items_view, place, value_and_average};
use super::quantity::Scale;
use super::words::{moment, store};
use crate::client::{ClientError, Request};

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
        let at = self.at.unwrap_or_else(Timestamp::now).to_string();
        let request = self.items.get(desk, &["balances"]).query("at", &at);
        let money = currencies(desk, &self.items.tenant).await?;
        let shown = |found: &[Value]| balances_view(found, &money);
        show_all(desk.client, desk.screen, &request, "balances", shown, "nothing was there").await
    }
}

fn balances_view(found: &[Value], currencies: &Currencies) -> String {
    let row = |item: &Value| {
        let money = currencies.of(item);
        let mut row = vec![place(item), text(&item["product"]), Scale::of(item).show(&item["quantity"])];
        row.extend(value_and_average(item, &money));
        row.extend([money.code().to_owned(), provisional(item)]);
        row
    };
    let header = ["STORE", "PRODUCT", "QUANTITY", "VALUE", "AVERAGE", "", ""];
    let balances = table(&header, &[2, 3, 4], found.iter().map(row));
    format!("{balances}{}", sums(found, currencies))
}

/// Said of values that are being worked out anew.
fn provisional(item: &Value) -> String {
    if item["revaluing"] == true { "being revalued".to_owned() } else { String::new() }
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
fn sums(found: &[Value], currencies: &Currencies) -> String {
    let mut sums: Vec<Sum> = Vec::new();
    for item in found {
        let (money, millionths) = (currencies.of(item), millionths(&item["value"]));
        let provisional = item["revaluing"] == true;
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
fn millionths(value: &Value) -> i128 {
    let value = value.as_str().unwrap_or("0");
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
        let request = self.items.get(desk, &["turnover"]);
        let request = request.query("from", &self.from.to_string()).query("until", &self.until.to_string());
        let money = currencies(desk, &self.items.tenant).await?;
        let shown = |found: &[Value]| turnover_view(found, &money);
        show_all(desk.client, desk.screen, &request, "items", shown, "nothing was there").await
    }
}

fn turnover_view(found: &[Value], currencies: &Currencies) -> String {
    let row = |item: &Value| {
        let (scale, money) = (Scale::of(item), currencies.of(item));
        let mut row = vec![place(item), text(&item["product"])];
        for part in ["opening", "incoming", "outgoing", "closing"] {
            let [value, _] = value_and_average(&item[part], &money);
            row.extend([scale.show(&item[part]["quantity"]), value]);
        }
        let revalued = item["revalued"].as_str().filter(|revalued| *revalued != "0");
        row.extend([revalued.map_or(String::new(), |_| money.exact(&item["revalued"])), money.code().to_owned()]);
        row.push(provisional(item));
        row
    };
    let header =
        ["STORE", "PRODUCT", "OPENING", "VALUE", "IN", "VALUE", "OUT", "VALUE", "CLOSING", "VALUE", "REVALUED", "", ""];
    table(&header, &[2, 3, 4, 5, 6, 7, 8, 9, 10], found.iter().map(row))
}

/// List products of which less is available than there should be, also what is promised twice
#[derive(Args)]
pub(super) struct Shortages {
    /// The tenant's slug
    #[arg(value_parser = slug)]
    tenant: String,
    /// Only those of this store
    #[arg(id = "place", long = "in", value_name = "STORE", value_parser = store)]
    store: Option<String>,
    /// Fewer base units than this are available
    #[arg(long, value_name = "UNITS", default_value_t = 1)]
    below: i64,
}

impl Shortages {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let request = Request::get(&["v1", &self.tenant, "stock", "shortages"]).test(desk.test);
        let request = request.query_if("store", self.store.as_deref()).query("below", &self.below.to_string());
        let money = currencies(desk, &self.tenant).await?;
        let shown = |found: &[Value]| items_view(found, &money);
        show_all(desk.client, desk.screen, &request, "items", shown, "nothing is short").await
    }
}

/// Show until when the books are closed
#[derive(Args)]
pub(super) struct ShowBooks {
    /// The tenant's slug
    #[arg(value_parser = slug)]
    tenant: String,
}

impl ShowBooks {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        desk.show(Request::get(&["v1", &self.tenant, "books"]), books_view).await
    }
}

/// Close the books of all stores: nothing takes effect before then any more, for ever
#[derive(Args)]
pub(super) struct CloseBooks {
    /// The tenant's slug
    #[arg(value_parser = slug)]
    tenant: String,
    /// An instant, or a date (its beginning, UTC)
    #[arg(value_name = "UNTIL", value_parser = moment)]
    until: Timestamp,
}

impl CloseBooks {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let body = json!({"closed_until": self.until.to_string()});
        desk.show(Request::put(&["v1", &self.tenant, "books"]).json(body), books_view).await
    }
}

fn books_view(books: &Value) -> String {
    let some =
        |name: &str| books[name].as_i64().filter(|count| *count > 0).map_or(String::new(), |count| count.to_string());
    fields(&[
        ("closed until", books["closed_until"].as_str().unwrap_or("never closed").to_owned()),
        ("documents being posted", some("posting")),
        ("items being revalued", some("revaluing")),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact() {
        let currencies = Currencies::of_stores(&[
            json!({"name": "main", "currency": "EUR"}),
            json!({"name": "van", "currency": "EUR"}),
            json!({"name": "tokyo", "currency": "JPY"}),
        ]);
        let item = |store: &str, value: &str| json!({"store": store, "product": "tea", "value": value});
        let found =
            [item("main", "333.333333"), item("van", "666.666667"), item("main", "0.5"), item("tokyo", "7.000001")];
        assert_eq!(sums(&found, &currencies), "together EUR 10.005\ntogether JPY 7.000001\n");
        let large: Vec<Value> = (0..4).map(|_| item("main", "4000000000000")).collect();
        assert_eq!(sums(&large, &currencies), "together EUR 160000000000.00\n");
        // While costs are worked out anew.
        let marked = json!({"store": "main", "product": "cup", "value": "-1.5", "revaluing": true});
        let provisional = "together EUR -0.005, provisional: some of it is being revalued\n";
        assert_eq!(sums(&[item("main", "1"), marked.clone()], &currencies), provisional);
        assert!(balances_view(&[marked], &currencies).lines().nth(1).unwrap().ends_with("being revalued"));
    }
}
