//! How documents look to people: quantities with the decimals of their products, costs in the store's currency.

use serde_json::Value;

use super::super::money::Money;
use super::super::view::{fields, list, table, text};
use super::Desk;
use super::catalog::Catalog;
use super::quantity::Scale;
use crate::client::ClientError;

/// The products of a document's lines.
pub(super) async fn catalog(desk: Desk<'_>, tenant: &str, document: &Value) -> Result<Catalog, ClientError> {
    let lines = list(&document["lines"]).iter();
    let codes = lines.filter_map(|line| line["product"].as_str()).map(str::to_owned).collect();
    Catalog::of_codes(desk, tenant, codes).await
}

/// `customer_return` as people say it.
pub(super) fn kind(kind: &Value) -> String {
    text(kind).replace('_', " ")
}

pub(super) fn document(document: &Value, catalog: &Catalog) -> String {
    let money = Money::of(document);
    let head = fields(&[
        ("document", text(&document["id"])),
        ("kind", kind(&document["kind"])),
        ("state", state(document)),
        ("store", stores(document)),
        ("about", text(&document["about"])),
        ("sold hold", text(&document["hold"])),
        ("reference", text(&document["reference"])),
        ("note", text(&document["note"])),
        ("took effect", text(&document["effective_at"])),
        ("posted", text(&document["posted_at"])),
        ("reversed by", text(&document["reversed_by"])),
        ("extra costs", extra(document, &money)),
        ("cost", money.show(&document["cost_rounded"])),
    ]);
    let lines = list(&document["lines"]);
    if lines.is_empty() { head } else { format!("{head}\n{}", lines_view(lines, &money, catalog)) }
}

fn state(document: &Value) -> String {
    let state = text(&document["state"]);
    match document["skipped_count"].as_i64() {
        Some(skipped @ 1..) => {
            let of = text(&document["line_count"]);
            format!("{state}, {skipped} of {of} lines left out")
        }
        Some(_) | None => state,
    }
}

/// `main to depot, in transit`
fn stores(document: &Value) -> String {
    let store = text(&document["store"]);
    let transit = if document["in_transit"] == true { ", in transit" } else { "" };
    match document["to_store"].as_str() {
        Some(to) => format!("{store} to {to}{transit}"),
        None => store,
    }
}

fn extra(document: &Value, money: &Money) -> String {
    let extra = &document["extra"];
    if extra.is_null() { String::new() } else { format!("{} by {}", money.show(&extra["amount"]), text(&extra["by"])) }
}

fn lines_view(lines: &[Value], money: &Money, catalog: &Catalog) -> String {
    let row = |line: &Value| {
        let (code, outcome) = (text(&line["product"]), &line["outcome"]);
        let scale = catalog.scale(&code);
        let left = &outcome["left"]["quantity"];
        vec![
            text(&line["line"]),
            code,
            count(line, scale),
            scale.show(&outcome["quantity"]),
            amount(&outcome["value_rounded"], money),
            money.exact(&outcome["variance"]),
            scale.show(left),
            remarks(line),
        ]
    };
    let header = ["LINE", "PRODUCT", "COUNT", "MOVED", "COST", "VARIANCE", "LEFT", ""];
    table(&header, &[0, 2, 3, 4, 5, 6], lines.iter().map(row))
}

/// `3 box`, `3.250`
fn count(line: &Value, scale: Scale) -> String {
    match line["pack"].as_str() {
        Some(pack) => format!("{} {pack}", text(&line["count"])),
        None => scale.show(&line["count"]),
    }
}

/// Nothing for what is not known yet.
fn amount(minor: &Value, money: &Money) -> String {
    minor.as_i64().map_or(String::new(), |minor| money.plain(minor))
}

fn remarks(line: &Value) -> String {
    let outcome = &line["outcome"];
    if let Some(why) = outcome["skipped"].as_str() {
        return format!("left out: {why}");
    }
    let mut remarks = Vec::new();
    if let Some(of) = line["of_line"].as_i64() {
        remarks.push(format!("of line {of}"));
    }
    let lots = list(&outcome["lots"]).iter().map(|lot| text(&lot["lot"]));
    let lots: Vec<String> = if outcome["lots"].is_null() {
        line["lot"].as_str().map(str::to_owned).into_iter().collect()
    } else {
        lots.collect()
    };
    if !lots.is_empty() {
        remarks.push(format!("lot {}", lots.join(", ")));
    }
    let serials: Vec<String> = list(&line["serials"]).iter().map(text).collect();
    remarks.extend(Some(serials.join(", ")).filter(|serials| !serials.is_empty()));
    remarks.join("; ")
}

pub(super) fn documents(found: &[Value]) -> String {
    let row = |document: &Value| {
        let cost = amount(&document["cost_rounded"], &Money::of(document));
        vec![
            text(&document["id"]),
            kind(&document["kind"]),
            state(document),
            stores(document),
            text(&document["effective_at"]),
            text(&document["line_count"]),
            cost,
            text(&document["currency"]),
            text(&document["reference"]),
        ]
    };
    let header = ["DOCUMENT", "KIND", "STATE", "STORE", "TOOK EFFECT", "LINES", "COST", "", "REFERENCE"];
    table(&header, &[5, 6], found.iter().map(row))
}

/// What a document would come to.
pub(super) fn preview(preview: &Value, catalog: &Catalog) -> String {
    let money = Money::of(&preview["document"]);
    let shown = document(&preview["document"], catalog);
    if preview["items"].is_null() {
        return format!("{shown}\nwhat there is before and after it is shown to keys with the scope read\n");
    }
    let items = list(&preview["items"]);
    let row = |item: &Value| {
        let scale = Scale::of(item);
        let (before, after) = (&item["before"], &item["after"]);
        let place = if item["place"] == "in_transit" { " (in transit)" } else { "" };
        let provisional = if item["exact"] == false { "and more" } else { "" };
        vec![
            format!("{}/{}{place}", text(&item["store"]), text(&item["product"])),
            scale.show(&before["quantity"]),
            amount(&before["value_rounded"], &money),
            money.exact(&before["average"]),
            scale.show(&after["quantity"]),
            amount(&after["value_rounded"], &money),
            money.exact(&after["average"]),
            text(&item["revalued_rows"]),
            money.exact(&item["revalued_by"]),
            provisional.to_owned(),
        ]
    };
    let header = ["ITEM", "BEFORE", "VALUE", "AVERAGE", "AFTER", "VALUE", "AVERAGE", "REVALUED", "BY", ""];
    let items = table(&header, &[1, 2, 3, 4, 5, 6, 7, 8], items.iter().map(row));
    format!("{shown}\n{items}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn looks() {
        let products = [json!({"code": "rice", "scale": 3}), json!({"code": "tea", "scale": 0})];
        let catalog = Catalog::of_answers(&products, &[]);
        let seen = document(
            &json!({"id": "X", "kind": "customer_return", "state": "posted", "store": "main", "currency": "EUR",
                "cost_rounded": 1947, "line_count": 2, "skipped_count": 1, "extra": {"amount": 100, "by": "value"},
                "lines": [
                    {"line": 1, "product": "rice", "count": 3250, "outcome": {"quantity": 3250, "value": "1946.75",
                        "value_rounded": 1947, "left": {"quantity": 1000}, "variance": "-50"}},
                    {"line": 2, "product": "tea", "count": 2, "pack": "box", "of_line": 1, "serials": ["A", "B"],
                        "outcome": {"quantity": -24, "lots": [{"lot": "L1"}, {"lot": "L2"}]}},
                    {"line": 3, "product": "tea", "count": 2, "outcome": {"quantity": 0, "skipped": "it moved"}}]}),
            &catalog,
        );
        for part in [
            "kind         customer return\n",
            "posted, 1 of 2 lines left out\n",
            "extra costs  EUR 1.00 by value\n",
            "cost         EUR 19.47\n",
            "   1  rice     3.250  3.250  19.47     -0.50  1.000\n",
            "2 box    -24",
            "of line 1; lot L1, L2; A, B\n",
            "left out: it moved\n",
        ] {
            assert!(seen.contains(part), "{part:?} is missing:\n{seen}");
        }
        let stores_seen = stores(&json!({"store": "main", "to_store": "depot", "in_transit": true}));
        assert_eq!(stores_seen, "main to depot, in transit");
    }
}
