//! What is there: items with what is held and available, stock cards, and sheets to count with.

use std::collections::{BTreeMap, HashMap};

use clap::{Args, ValueEnum};
use serde_json::json;
use surehold_api::stock::{self, CardRow, Item, ItemName, Product, StockBalance, Store};
use surehold_api::{Call, Page};
use surehold_core::kernel::Slug;
use surehold_core::stock::{Basis, Place, ProductCode, StoreName, Tracking};

use super::super::money::Money;
use super::super::show::{Show, column, number, rows, some};
use super::Desk;
use super::document_view::kind;
use super::place::StoreArgs;
use super::quantity::Scale;
use super::words::product;
use crate::client::ClientError;

/// Which items are asked for.
#[derive(Args, Clone, Debug)]
pub(super) struct ItemsArgs {
    /// The tenant's slug
    pub(super) tenant: Slug,
    /// Only those of this store
    #[arg(id = "place", long = "in", value_name = "STORE")]
    store: Option<StoreName>,
    /// Only those of this product
    #[arg(long, value_parser = product)]
    product: Option<ProductCode>,
    /// Only what is on its way
    #[arg(long, conflicts_with = "on_hand")]
    in_transit: bool,
    /// Only what is there
    #[arg(long)]
    on_hand: bool,
}

impl ItemsArgs {
    pub(super) fn on<P: Page>(&self, call: Call<P>) -> Call<P> {
        let place = match (self.on_hand, self.in_transit) {
            (true, _) => Some(Place::OnHand),
            (false, true) => Some(Place::InTransit),
            (false, false) => None,
        };
        let call = call.query_if("store", self.store.as_ref()).query_if("product", self.product.as_ref());
        call.query_if("place", place)
    }
}

/// The currencies of all stores.
pub(super) struct Currencies(BTreeMap<StoreName, Money>);

impl Currencies {
    /// Machines get what they asked for and nothing else.
    pub(super) async fn find(desk: Desk<'_>, tenant: &Slug) -> Result<Currencies, ClientError> {
        let stores = if desk.screen.json { Vec::new() } else { desk.all(stock::stores(tenant)).await? };
        Ok(Currencies::of_stores(stores))
    }

    pub(super) fn of_stores(stores: impl IntoIterator<Item = Store>) -> Currencies {
        Currencies(stores.into_iter().map(|store| (store.name, Money::of(store.currency))).collect())
    }

    pub(super) fn of(&self, item: &ItemName) -> Money {
        self.0.get(&item.store).copied().unwrap_or(Money::UNKNOWN)
    }
}

/// `main`, `main (in transit)`
pub(super) fn place(item: &ItemName) -> String {
    match item.place {
        Place::OnHand => item.store.to_string(),
        Place::InTransit => format!("{} (in transit)", item.store),
    }
}

/// The average, if there is one.
pub(super) fn average(balance: &StockBalance, money: Money) -> String {
    some(balance.average.as_ref().map(|average| money.exact(average)))
}

pub(super) async fn show(items: &ItemsArgs, desk: Desk<'_>) -> Result<(), ClientError> {
    let money = Currencies::find(desk, &items.tenant).await?;
    let call = items.on(stock::items(&items.tenant));
    desk.present_all(call, |found| rows(ITEMS, found, &money), "nothing has moved there").await
}

pub(super) const ITEMS: &[Show<Item, Currencies>] = &[
    column("store", |item, _| place(&item.item)),
    column("product", |item, _| item.item.product.to_string()),
    number(column("on hand", |item, _| Scale::of(item.scale).plain(item.balance.quantity))),
    number(column("held", |item, _| Scale::of(item.scale).show(item.held))),
    number(column("booked", |item, _| Scale::of(item.scale).show(item.booked))),
    number(column("available", |item, _| Scale::of(item.scale).show(item.available))),
    number(column("value", |item, money| money.of(&item.item).plain(item.balance.value_rounded))),
    number(column("average", |item, money| average(&item.balance, money.of(&item.item)))),
    column("", |item, money| money.of(&item.item).code().to_owned()),
    number(column("row", |item, _| item.seq.to_string())),
    column("", |item, _| remarks(item)),
];

fn remarks(item: &Item) -> String {
    let scale = Scale::of(item.scale);
    let mut remarks = Vec::new();
    for (what, units) in [("granted", item.granted), ("oversold", item.oversold)] {
        remarks.extend(units.filter(|units| *units > 0).map(|units| format!("{} {what}", scale.plain(units))));
    }
    remarks.extend((item.closed == Some(true)).then(|| "closed".to_owned()));
    remarks.extend(item.revaluing.then(|| "being revalued".to_owned()));
    for lot in &item.lots {
        let until = some(lot.expires.map(|day| format!(" until {day}")));
        remarks.push(format!("{} of lot {}{until}", scale.plain(lot.quantity), lot.lot));
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
    product: ProductCode,
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
        let call = stock::card(tenant, store, &self.product).query("order", order);
        let call = call.query_if("place", self.in_transit.then_some(Place::InTransit));
        let (mut scale, mut money) = (Scale::WHOLE, Money::UNKNOWN);
        if !desk.screen.json {
            money = self.place.money(desk).await?;
            scale = Scale::of(desk.ask(stock::product(tenant, &self.product)).await?.scale);
        }
        desk.present_all(call, |found| rows(CARD, found, &(scale, money)), "nothing has moved").await
    }
}

const CARD: &[Show<CardRow, (Scale, Money)>] = &[
    number(column("row", |row, _| row.seq.to_string())),
    column("date", |row, _| row.effective_at.to_string()),
    column("document", |row, _| match row.basis {
        Basis::Revaluation => format!("revaluation of {}", some(row.source)),
        Basis::Given | Basis::Average | Basis::Source | Basis::Undo => kind(row.kind),
    }),
    number(column("in", |row, (scale, _)| scale.show(Some(row.quantity).filter(|units| *units > 0)))),
    number(column("out", |row, (scale, _)| scale.show(row.quantity.checked_neg().filter(|units| *units > 0)))),
    number(column("cost", |row, (_, money)| money.plain(row.value_rounded))),
    number(column("balance", |row, (scale, _)| scale.plain(row.balance.quantity))),
    number(column("value", |row, (_, money)| money.plain(row.balance.value_rounded))),
    number(column("average", |row, (_, money)| average(&row.balance, *money))),
    // What a revaluation is about is a row, not a line of the document that brought it about.
    column("id", |row, _| match row.line {
        0 => row.document.to_string(),
        line => format!("{} line {line}", row.document),
    }),
];

pub(super) async fn count_sheet(StoreArgs { tenant, store }: &StoreArgs, desk: Desk<'_>) -> Result<(), ClientError> {
    let items = stock::items(tenant).query("store", store).query("place", Place::OnHand);
    let items = desk.all(items).await?;
    let products = desk.all(stock::products(tenant)).await?;
    let products: HashMap<_, _> = products.into_iter().map(|product| (product.code.clone(), product)).collect();
    let of_item = |item: &Item| products.get(&item.item.product).map(|product| sheet_rows(item, product));
    let rows: Vec<SheetRow> = items.iter().filter_map(of_item).flatten().collect();
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

/// Product, title, lot, what should be there, what is counted, and the row of the card that it is counted against.
type SheetRow = [String; 6];

/// A row for each lot, where lots are told apart. Pieces that are told apart are not counted.
fn sheet_rows(item: &Item, product: &Product) -> Vec<SheetRow> {
    let scale = Scale::of(item.scale);
    let row = |lot: String, units: i64| {
        let (product, title, seq) = (product.code.to_string(), product.title.to_string(), item.seq.to_string());
        [product, title, lot, scale.plain(units), String::new(), seq]
    };
    match product.tracking {
        Tracking::Serials => Vec::new(),
        Tracking::Lots => item.lots.iter().map(|lot| row(lot.lot.to_string(), lot.quantity)).collect(),
        Tracking::Nothing => vec![row(String::new(), item.balance.quantity)],
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
    use serde_json::{Value, from_value};
    use surehold_core::kernel::Currency;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn cards() {
        let id = Uuid::now_v7();
        let row = |seq: i64, kind: &str, basis: &str, quantity: i64, line: u32, rounded: i64, left: i64| {
            let balance = json!({"quantity": left, "value": "0", "value_rounded": 667, "average": "333.3333"});
            let at = "2026-12-24T12:00:00Z";
            from_value(
                json!({"seq": seq, "effective_at": at, "posted_at": at, "kind": kind, "basis": basis, "source": 2,
                "quantity": quantity, "line": line, "value": "0", "value_rounded": rounded, "balance": balance,
                "document": id}),
            )
            .unwrap()
        };
        let card = [
            row(1, "purchase", "given", 3_250, 2, 1_000, 3_250),
            row(2, "write_off", "average", -1_250, 1, -333, 2_000),
            row(3, "purchase", "revaluation", 0, 0, -5, 2_000),
        ];
        let expected = "\
ROW  DATE                  DOCUMENT             IN    OUT   COST  BALANCE  VALUE   AVERAGE  ID
  1  2026-12-24T12:00:00Z  purchase          3.250         10.00    3.250   6.67  3.333333  D line 2
  2  2026-12-24T12:00:00Z  write off                1.250  -3.33    2.000   6.67  3.333333  D line 1
  3  2026-12-24T12:00:00Z  revaluation of 2                -0.05    2.000   6.67  3.333333  D
";
        let shown = rows(CARD, &card, &(Scale::of(3), Money::of(Currency::parse("EUR").unwrap())));
        assert_eq!(shown.replace(&id.to_string(), "D"), expected);
    }

    #[test]
    fn sheets() {
        let item = |product: &str, scale: u32, quantity: i64, seq: i64, lots: &Value| {
            from_value::<Item>(json!({"store": "main", "product": product, "place": "on_hand", "scale": scale,
                "quantity": quantity, "value": "0", "value_rounded": 0, "seq": seq, "lots": lots}))
            .unwrap()
        };
        let lots = json!([{"lot": "L1", "quantity": 1500}, {"lot": "L2", "quantity": 500}]);
        let by = |code: &str, title: &str, tracking: &str| {
            from_value::<Product>(json!({"code": code, "title": title, "unit": "pcs", "scale": 0, "packs": [],
                "tracking": tracking, "version": 1}))
            .unwrap()
        };
        let none = json!([]);
        let rows: Vec<_> = [
            (item("tea, green", 0, 5, 7, &none), by("tea, green", "Green", "none")),
            (item("milk", 3, 2_000, 9, &lots), by("milk", "Milk", "lots")),
            // What could not be imported is not counted: no lot is left, and pieces are told apart.
            (item("oat", 3, 0, 4, &none), by("oat", "Oat", "lots")),
            (item("phone", 0, 2, 3, &none), by("phone", "Phone", "serials")),
        ]
        .iter()
        .flat_map(|(item, product)| sheet_rows(item, product))
        .collect();
        let expected = "product,title,lot,on_hand,count,against\n\"tea, green\",Green,,5,,7\n\
                        milk,Milk,L1,1.500,,9\nmilk,Milk,L2,0.500,,9\n";
        assert_eq!(sheet(&rows), expected);
    }
}
