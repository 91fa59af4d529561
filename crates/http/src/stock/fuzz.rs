//! What the fuzzer may reach of this module: its bodies, its cursors and its query strings.

use surehold_core::stock::{
    Barcode, BarcodeText, DocumentId, DocumentKind, ProductCode, RowsKnown, StoreName, parts, read_rows,
};

use super::documents::{AskPart, ListDocuments};
use super::items;
use super::items::{AskBalances, AskCard, AskItem, AskShortages, AskTurnover, ListStock};
use super::products::ListProducts;
use super::stores::ListStores;
use crate::readers::{Readers, canonical, plain, some_hold, taken, understood};
use crate::wire;

pub(super) const READERS: Readers = Readers {
    bodies: &[
        ("PutStore", |body| understood(body, |put: wire::stock::PutStore| plain(put.into_command(some_store())))),
        ("PutProduct", |body| understood(body, |put: wire::stock::PutProduct| put.into_command(some_product()))),
        ("PutBarcodes", |body| understood(body, |put: wire::stock::PutBarcodes| put.into_command(some_product()))),
        ("CloseBooks", |body| understood(body, plain::<wire::stock::CloseBooks>)),
        ("NewDocument", |body| canonical(body, |new: wire::stock::NewDocument| new.into_content(&some_barcodes()))),
        ("SaveLines", |body| {
            understood(body, |lines: wire::stock::SaveLines| {
                lines.into_command((some_document(), DocumentKind::Recount, 1), &some_barcodes())
            })
        }),
        ("ReverseDocument", |body| {
            canonical(body, |reverse: wire::stock::ReverseDocument| {
                reverse.into_command(some_document(), some_document(), some_store())
            })
        }),
        ("SellHold", |body| canonical(body, |sell: wire::stock::SellHold| sell.into_content(&some_barcodes()))),
        ("ImportDocument", |body| {
            understood(body, |import: wire::stock::ImportDocument| {
                let (lines, _) = read_rows(import.header.kind, &import.rows, &RowsKnown::default());
                parts(import.header.kind, &lines).ok_or(())
            })
        }),
    ],
    cursors: &[
        ("items", |text| Some(items::cursor(&items::parse_cursor(text).ok()?))),
        ("card", |text| Some(items::parse_seq(text).ok()?.to_string())),
        ("card by effect", |text| Some(items::effect_cursor(items::parse_effect_cursor(text).ok()?))),
    ],
    queries: &[
        ("stores", |uri| taken::<ListStores>(uri, |_| true)),
        ("products", |uri| taken::<ListProducts>(uri, |_| true)),
        ("documents", |uri| taken::<ListDocuments>(uri, |_| true)),
        ("part", |uri| taken::<AskPart>(uri, |_| true)),
        ("stock", |uri| taken::<ListStock>(uri, |_| true)),
        ("item", |uri| taken::<AskItem>(uri, |_| true)),
        ("card", |uri| taken::<AskCard>(uri, |_| true)),
        ("balances", |uri| taken::<AskBalances>(uri, |_| true)),
        ("turnover", |uri| taken::<AskTurnover>(uri, |query| query.span().is_ok())),
        ("shortages", |uri| taken::<AskShortages>(uri, |query| query.below().is_ok())),
    ],
};

fn some_store() -> StoreName {
    StoreName::new("main").expect("a good name")
}

fn some_product() -> ProductCode {
    ProductCode::new("tea").expect("a good code")
}

fn some_document() -> DocumentId {
    DocumentId::new(some_hold().uuid()).expect("a UUIDv7")
}

fn some_barcodes() -> wire::stock::Barcodes {
    let known = |code: &str| {
        let code = BarcodeText::new(code).expect("a good code");
        (code.clone(), Barcode { code, product: some_product(), pack: None, version: 1 })
    };
    ["4001", "4006381333931"].into_iter().map(known).collect()
}
