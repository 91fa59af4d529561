//! What is there: items with what is held and available, stock cards, and sheets to count with.

use std::collections::{BTreeMap, HashMap};

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::super::input::slug;
use super::super::money::Money;
use super::super::pages::show_all;
use super::super::view::{list, table, text};
use super::Desk;
use super::document_view::kind;
use super::place::StoreArgs;
use super::quantity::Scale;
use super::words::{product, store};
use crate::client::{ClientError, Request};

/// Which items are asked for.
#[derive(Args, Clone, Debug)]
pub(super) struct ItemsArgs {
    /// The tenant's slug
    #[arg(value_parser = slug)]
    pub(super) tenant: String,
    /// Only those of this store
    #[arg(id = "place", long = "in", value_name = "STORE", value_parser = store)]
    pub(super) store: Option<String>,
    /// Only those of this product
    #[arg(long, value_parser = product)]
    product: Option<String>,
    /// Only what is on its way
    #[arg(long, conflicts_with = "on_hand")]
    in_transit: bool,
    /// Only what is there
    #[arg(long)]
    on_hand: bool,
}

impl ItemsArgs {
    pub(super) fn get(&self, desk: Desk<'_>, more: &[&str]) -> Request {
        let request = Request::get(&[&["v1", &self.tenant, "stock"], more].concat()).test(desk.test);
        let request = request.query_if("store", self.store.as_deref()).query_if("product", self.product.as_deref());
        let place = match (self.on_hand, self.in_transit) {
            (true, _) => Some("on_hand"),
            (false, true) => Some("in_transit"),
            (false, false) => None,
        };
        request.query_if("place", place)
    }
}

/// The currencies of all stores. Machines get what they asked for and nothing else.
pub(super) async fn currencies(desk: Desk<'_>, tenant: &str) -> Result<Currencies, ClientError> {
    if desk.screen.json {
        return Ok(Currencies(BTreeMap::new()));
    }
    let stores = desk.all(&Request::get(&["v1", tenant, "stores"]), "stores").await?;
    Ok(Currencies::of_stores(&stores))
}

pub(super) struct Currencies(BTreeMap<String, Money>);

impl Currencies {
    pub(super) fn of_stores(stores: &[Value]) -> Currencies {
        Currencies(stores.iter().map(|store| (text(&store["name"]), Money::of(store))).collect())
    }

    /// Of the store that an item names.
    pub(super) fn of(&self, item: &Value) -> Money {
        self.0.get(&text(&item["store"])).cloned().unwrap_or_else(|| Money::of(&Value::Null))
    }
}

/// `main`, `main (in transit)`
pub(super) fn place(item: &Value) -> String {
    let store = text(&item["store"]);
    if item["place"] == "in_transit" { format!("{store} (in transit)") } else { store }
}

/// What it cost, rounded for people, and the average.
pub(super) fn value_and_average(balance: &Value, money: &Money) -> [String; 2] {
    let value = balance["value_rounded"].as_i64().map_or(String::new(), |minor| money.plain(minor));
    [value, money.exact(&balance["average"])]
}

/// Show what is there, held, available, and what it cost
#[derive(Args)]
pub(super) struct Show {
    #[command(flatten)]
    items: ItemsArgs,
}

impl Show {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let request = self.items.get(desk, &[]);
        let money = currencies(desk, &self.items.tenant).await?;
        let shown = |found: &[Value]| items_view(found, &money);
        show_all(desk.client, desk.screen, &request, "items", shown, "nothing has moved there").await
    }
}

pub(super) fn items_view(found: &[Value], currencies: &Currencies) -> String {
    let row = |item: &Value| {
        let (scale, money) = (Scale::of(item), currencies.of(item));
        let mut row = vec![place(item), text(&item["product"])];
        row.extend(["quantity", "held", "booked", "available"].map(|name| scale.show(&item[name])));
        row.extend(value_and_average(item, &money));
        row.extend([money.code().to_owned(), text(&item["seq"]), remarks(item, scale)]);
        row
    };
    let header = ["STORE", "PRODUCT", "ON HAND", "HELD", "BOOKED", "AVAILABLE", "VALUE", "AVERAGE", "", "ROW", ""];
    table(&header, &[2, 3, 4, 5, 6, 7, 9], found.iter().map(row))
}

fn remarks(item: &Value, scale: Scale) -> String {
    let mut remarks = Vec::new();
    for what in ["granted", "oversold"] {
        if let Some(units @ 1..) = item[what].as_i64() {
            remarks.push(format!("{} {what}", scale.plain(units)));
        }
    }
    if item["closed"] == true {
        remarks.push("closed".to_owned());
    }
    if item["revaluing"] == true {
        remarks.push("being revalued".to_owned());
    }
    for lot in list(&item["lots"]) {
        let until = lot["expires"].as_str().map_or(String::new(), |day| format!(" until {day}"));
        remarks.push(format!("{} of lot {}{until}", scale.show(&lot["quantity"]), text(&lot["lot"])));
    }
    remarks.join(", ")
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Order {
    Posting,
    Effect,
}

/// Show the stock card of a product: what came, what went, what was there after it
///
/// By posting, every row has the balance that it left, and later changes of cost are rows of their own. By effect, rows
/// stand in the order in which things happened, with the cost that they have by now.
#[derive(Args)]
pub(super) struct Card {
    #[command(flatten)]
    place: StoreArgs,
    /// The product's code
    #[arg(value_parser = product)]
    product: String,
    /// In which order
    #[arg(long, default_value = "posting")]
    order: Order,
    /// What is on its way to the store
    #[arg(long)]
    in_transit: bool,
}

impl Card {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let StoreArgs { tenant, store } = &self.place;
        let order = match self.order {
            Order::Posting => "posting",
            Order::Effect => "effect",
        };
        let request = Request::get(&["v1", tenant, "stock", store, &self.product, "card"]).query("order", order);
        let request = request.query_if("place", self.in_transit.then_some("in_transit")).test(desk.test);
        let (mut scale, mut money) = (Scale::WHOLE, Money::of(&Value::Null));
        if !desk.screen.json {
            money = self.place.money(desk).await?;
            scale = Scale::of(&desk.value(Request::get(&["v1", tenant, "products", &self.product])).await?);
        }
        let shown = |rows: &[Value]| card_view(rows, scale, &money);
        show_all(desk.client, desk.screen, &request, "rows", shown, "nothing has moved").await
    }
}

/// What a revaluation is about is a row, not a line of the document that brought it about.
fn document_line(row: &Value) -> String {
    match row["line"].as_i64() {
        Some(line @ 1..) => format!("{} line {line}", text(&row["document"])),
        Some(_) | None => text(&row["document"]),
    }
}

fn card_view(rows: &[Value], scale: Scale, money: &Money) -> String {
    let row = |row: &Value| {
        let quantity = row["quantity"].as_i64().unwrap_or(0);
        let side = |moved: i64| if moved > 0 { scale.plain(moved) } else { String::new() };
        let what = if row["basis"] == "revaluation" {
            format!("revaluation of {}", text(&row["source"]))
        } else {
            kind(&row["kind"])
        };
        let [value, average] = value_and_average(&row["balance"], money);
        vec![
            text(&row["seq"]),
            text(&row["effective_at"]),
            what,
            side(quantity),
            side(quantity.checked_neg().unwrap_or(0)),
            row["value_rounded"].as_i64().map_or(String::new(), |minor| money.plain(minor)),
            scale.show(&row["balance"]["quantity"]),
            value,
            average,
            document_line(row),
        ]
    };
    let header = ["ROW", "DATE", "DOCUMENT", "IN", "OUT", "COST", "BALANCE", "VALUE", "AVERAGE", "ID"];
    table(&header, &[0, 3, 4, 5, 6, 7, 8], rows.iter().map(row))
}

/// Print a CSV file to count with: fill in `count`, then `stock import recount`
#[derive(Args)]
pub(super) struct CountSheet {
    #[command(flatten)]
    place: StoreArgs,
}

impl CountSheet {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let StoreArgs { tenant, store } = &self.place;
        let request = Request::get(&["v1", tenant, "stock"]).query("store", store).query("place", "on_hand");
        let items = desk.all(&request, "items").await?;
        let products = desk.all(&Request::get(&["v1", tenant, "products"]), "products").await?;
        let products: HashMap<String, Value> =
            products.into_iter().map(|product| (text(&product["code"]), product)).collect();
        let of_item = |item: &Value| sheet_rows(item, products.get(&text(&item["product"])).unwrap_or(&Value::Null));
        let rows: Vec<SheetRow> = items.iter().flat_map(of_item).collect();
        if desk.screen.json {
            let sheet = |[product, title, lot, on_hand, _, against]: &SheetRow| json!({"product": product, "title": title, "lot": lot, "on_hand": on_hand, "against": against});
            return desk.screen.print(&json!({"rows": rows.iter().map(sheet).collect::<Vec<_>>()}).to_string());
        }
        desk.screen.print(&sheet(&rows))?;
        desk.screen.note(&format!(
            "fill in count, take out what was not counted, then `surehold stock import {tenant} {store} recount FILE`"
        ));
        Ok(())
    }
}

/// Product, title, lot, what should be there, what is counted, and the row of the card that it is counted against.
type SheetRow = [String; 6];

/// A row for each lot, where lots are told apart. Pieces that are told apart are not counted.
fn sheet_rows(item: &Value, product: &Value) -> Vec<SheetRow> {
    let (scale, seq, title) = (Scale::of(item), text(&item["seq"]), text(&product["title"]));
    let row = |lot: String, units: &Value| {
        [text(&item["product"]), title.clone(), lot, scale.show(units), String::new(), seq.clone()]
    };
    match product["tracking"].as_str() {
        Some("serials") => Vec::new(),
        Some("lots") => list(&item["lots"]).iter().map(|lot| row(text(&lot["lot"]), &lot["quantity"])).collect(),
        Some(_) | None => vec![row(String::new(), &item["quantity"])],
    }
}

fn sheet(rows: &[SheetRow]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let header: SheetRow = ["product", "title", "lot", "on_hand", "count", "against"].map(str::to_owned);
    let written = [&header].into_iter().chain(rows).try_for_each(|row| writer.write_record(row));
    let bytes = written.ok().and_then(|()| writer.into_inner().ok()).unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards() {
        let money = Money::of(&json!({"currency": "EUR"}));
        let balance = |quantity: i64| json!({"quantity": quantity, "value_rounded": 667, "average": "333.3333"});
        let rows = [
            json!({"seq": 1, "effective_at": "T1", "kind": "purchase", "basis": "given", "quantity": 3250, "line": 2,
                "value_rounded": 1000, "balance": balance(3_250), "document": "D1"}),
            json!({"seq": 2, "effective_at": "T2", "kind": "write_off", "basis": "average", "quantity": -1250, "line": 1,
                "value_rounded": -333, "balance": balance(2_000), "document": "D2"}),
            json!({"seq": 3, "effective_at": "T2", "kind": "purchase", "basis": "revaluation", "source": 2, "line": 0,
                "quantity": 0, "value_rounded": -5, "balance": balance(2_000), "document": "D3"}),
        ];
        let expected = "\
ROW  DATE  DOCUMENT             IN    OUT   COST  BALANCE  VALUE   AVERAGE  ID
  1  T1    purchase          3.250         10.00    3.250   6.67  3.333333  D1 line 2
  2  T2    write off                1.250  -3.33    2.000   6.67  3.333333  D2 line 1
  3  T2    revaluation of 2                -0.05    2.000   6.67  3.333333  D3
";
        assert_eq!(card_view(&rows, Scale::of(&json!({"scale": 3})), &money), expected);
    }

    #[test]
    fn sheets() {
        let plain = json!({"product": "tea, green", "scale": 0, "quantity": 5, "seq": 7});
        let lots = [json!({"lot": "L1", "quantity": 1500}), json!({"lot": "L2", "quantity": 500})];
        let milk = json!({"product": "milk", "scale": 3, "quantity": 2000, "seq": 9, "lots": lots});
        let drunk = json!({"product": "oat", "scale": 3, "quantity": 0, "seq": 4});
        let phone = json!({"product": "phone", "scale": 0, "quantity": 2, "seq": 3});
        let by = |title: &str, tracking: &str| json!({"title": title, "tracking": tracking});
        let rows: Vec<_> = [
            (plain, by("Green", "none")),
            (milk, by("Milk", "lots")),
            // What could not be imported is not counted: no lot is left, and pieces are told apart.
            (drunk, by("Oat", "lots")),
            (phone, by("Phone", "serials")),
        ]
        .iter()
        .flat_map(|(item, product)| sheet_rows(item, product))
        .collect();
        let expected = "product,title,lot,on_hand,count,against\n\"tea, green\",Green,,5,,7\n\
                        milk,Milk,L1,1.500,,9\nmilk,Milk,L2,0.500,,9\n";
        assert_eq!(sheet(&rows), expected);
    }
}
