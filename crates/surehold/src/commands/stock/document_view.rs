//! How documents look to people: quantities with the decimals of their products, costs in the store's currency.

use surehold_api::stock::{Document, DocumentPreview, ItemPreview, StockLine};
use surehold_core::kernel::Slug;
use surehold_core::stock::{DocumentKind, Place};

use super::super::money::Money;
use super::super::show::{Show, both, column, details, joined, line, number, rows, some};
use super::Desk;
use super::catalog::Catalog;
use super::quantity::Scale;
use crate::client::ClientError;

/// The products of a document's lines.
pub(super) async fn catalog(desk: Desk<'_>, tenant: &Slug, document: &Document) -> Result<Catalog, ClientError> {
    let codes = document.lines.iter().flatten().filter_map(|line| line.product.clone()).collect();
    Catalog::of_codes(desk, tenant, codes).await
}

/// `customer return`
pub(super) fn kind(kind: DocumentKind) -> String {
    kind.as_str().replace('_', " ")
}

pub(super) const DOCUMENT: &[Show<Document>] = &[
    both("document", |document, ()| document.id.to_string()),
    both("kind", |document, ()| kind(document.kind)),
    both("state", |Document { state, skipped_count, line_count, .. }, ()| match skipped_count {
        0 => state.to_string(),
        skipped => format!("{state}, {skipped} of {line_count} lines left out"),
    }),
    both("store", |document, ()| stores(document)),
    line("about", |document, ()| some(document.about)),
    line("sold hold", |document, ()| some(document.hold)),
    line("reference", |document, ()| some(document.reference.as_ref())),
    line("note", |document, ()| some(document.note.as_ref())),
    both("took effect", |document, ()| some(document.effective_at)),
    line("posted", |document, ()| some(document.posted_at)),
    line("reversed by", |document, ()| some(document.reversed_by)),
    line("extra costs", |document, ()| {
        some(document.extra.map(|extra| format!("{} by {}", money(document).show(extra.amount), extra.by)))
    }),
    line("cost", |document, ()| some(document.cost_rounded.map(|cost| money(document).show(cost)))),
    number(column("lines", |document, ()| document.line_count.to_string())),
    number(column("cost", |document, ()| amount(document.cost_rounded, money(document)))),
    column("", |document, ()| document.currency.to_string()),
    column("reference", |document, ()| some(document.reference.as_ref())),
];

fn money(document: &Document) -> Money {
    Money::of(document.currency)
}

/// `main to depot, in transit`
fn stores(document: &Document) -> String {
    let Document { store, to_store, in_transit, .. } = document;
    let transit = if *in_transit == Some(true) { ", in transit" } else { "" };
    match to_store {
        Some(to) => format!("{store} to {to}{transit}"),
        None => store.to_string(),
    }
}

/// Nothing for what is not known yet.
fn amount(minor: Option<i64>, money: Money) -> String {
    some(minor.map(|minor| money.plain(minor)))
}

const LINES: &[Show<StockLine, (Money, Catalog)>] = &[
    number(both("line", |line, _| line.line.to_string())),
    both("product", |line, _| some(line.product.as_ref())),
    number(both("count", |line, (_, catalog)| match &line.pack {
        Some(pack) => format!("{} {pack}", line.count),
        None => scale(line, catalog).plain(line.count),
    })),
    number(both("moved", |line, (_, catalog)| {
        scale(line, catalog).show(line.outcome.as_ref().map(|outcome| outcome.quantity))
    })),
    number(both("cost", |line, (money, _)| amount(line.outcome.as_ref().map(|outcome| outcome.value_rounded), *money))),
    number(both("variance", |line, (money, _)| {
        some(line.outcome.as_ref().and_then(|outcome| outcome.variance.as_ref()).map(|variance| money.exact(variance)))
    })),
    number(both("left", |line, (_, catalog)| {
        let left = line.outcome.as_ref().and_then(|outcome| outcome.left.as_ref());
        scale(line, catalog).show(left.map(|left| left.quantity))
    })),
    both("", |line, _| remarks(line)),
];

fn scale(line: &StockLine, catalog: &Catalog) -> Scale {
    line.product.as_ref().map_or(Scale::WHOLE, |product| catalog.scale(product))
}

fn remarks(line: &StockLine) -> String {
    let outcome = line.outcome.as_ref();
    if let Some(why) = outcome.and_then(|outcome| outcome.skipped.as_ref()) {
        return format!("left out: {why}");
    }
    let mut remarks = Vec::new();
    remarks.extend(line.of_line.map(|of| format!("of line {of}")));
    let moved = outcome.map(|outcome| outcome.lots.as_slice()).unwrap_or_default();
    let lots = match (moved, &line.lot) {
        ([], lot) => some(lot.as_ref()),
        (moved, _) => joined(moved.iter().map(|lot| &lot.lot), ", "),
    };
    remarks.extend(Some(format!("lot {lots}")).filter(|_| !lots.is_empty()));
    remarks.extend(Some(joined(&line.serials, ", ")).filter(|serials| !serials.is_empty()));
    remarks.join("; ")
}

pub(super) fn document(document: &Document, catalog: Catalog) -> String {
    let head = details(DOCUMENT, document, &());
    match document.lines.as_deref() {
        None | Some([]) => head,
        Some(lines) => format!("{head}\n{}", rows(LINES, lines, &(money(document), catalog))),
    }
}

const ITEMS: &[Show<ItemPreview, Money>] = &[
    both("item", |ItemPreview { item, .. }, _| {
        let place = if item.place == Place::InTransit { " (in transit)" } else { "" };
        format!("{}/{}{place}", item.store, item.product)
    }),
    number(both("before", |item, _| Scale::of(item.scale).plain(item.before.quantity))),
    number(both("value", |item, money| money.plain(item.before.value_rounded))),
    number(both("average", |item, money| some(item.before.average.as_ref().map(|average| money.exact(average))))),
    number(both("after", |item, _| Scale::of(item.scale).plain(item.after.quantity))),
    number(both("value", |item, money| money.plain(item.after.value_rounded))),
    number(both("average", |item, money| some(item.after.average.as_ref().map(|average| money.exact(average))))),
    number(both("revalued", |item, _| item.revalued_rows.to_string())),
    number(both("by", |item, money| money.exact(&item.revalued_by))),
    both("", |item, _| if item.exact { String::new() } else { "and more".to_owned() }),
];

/// What a document would come to.
pub(super) fn preview(preview: &DocumentPreview, catalog: Catalog) -> String {
    let shown = document(&preview.document, catalog);
    match &preview.items {
        Some(items) => format!("{shown}\n{}", rows(ITEMS, items, &money(&preview.document))),
        None => format!("{shown}\nwhat there is before and after it is shown to keys with the scope read\n"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, from_value, json};
    use surehold_api::stock::Product;
    use uuid::Uuid;

    use super::*;

    fn document_of(more: Value) -> Document {
        let mut document = json!({"id": Uuid::now_v7(), "kind": "customer_return", "state": "posted", "store": "main",
            "currency": "EUR", "created_at": "2026-12-24T12:00:00Z", "part_count": 1, "line_count": 2,
            "skipped_count": 1, "version": 1});
        let Value::Object(more) = more else { panic!("an object") };
        document.as_object_mut().unwrap().extend(more);
        from_value(document).unwrap()
    }

    fn product(code: &str, scale: u32) -> Product {
        from_value(json!({"code": code, "title": code, "unit": "pcs", "scale": scale, "packs": [], "tracking": "none",
            "version": 1}))
        .unwrap()
    }

    #[test]
    fn looks() {
        let outcome = |quantity: i64, rounded: i64, more: Value| {
            let mut outcome = json!({"quantity": quantity, "value": "0", "value_rounded": rounded, "seq": 1});
            let Value::Object(more) = more else { panic!("an object") };
            outcome.as_object_mut().unwrap().extend(more);
            outcome
        };
        let left = json!({"left": {"quantity": 1000, "value": "0"}, "variance": "-50"});
        let lots = json!({"lots": [{"lot": "L1", "quantity": 1}, {"lot": "L2", "quantity": 1}]});
        let skipped = json!({"skipped": "it moved"});
        let returned = document_of(json!({"cost_rounded": 1947, "extra": {"amount": 100, "by": "value"}, "lines": [
            {"line": 1, "product": "rice", "count": 3250, "outcome": outcome(3250, 1947, left)},
            {"line": 2, "product": "tea", "count": 2, "pack": "box", "of_line": 1, "serials": ["A", "B"],
                "outcome": outcome(-24, 0, lots)},
            {"line": 3, "product": "tea", "count": 2, "outcome": outcome(0, 0, skipped)}]}));
        let seen = document(&returned, Catalog::new([product("rice", 3), product("tea", 0)]));
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
        let sent = document_of(json!({"to_store": "depot", "in_transit": true}));
        assert_eq!(stores(&sent), "main to depot, in transit");
    }
}
