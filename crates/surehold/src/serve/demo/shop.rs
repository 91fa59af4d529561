//! `corner`: a shop with three products, an opening balance and a morning's sales.

use anyhow::Result;
use serde_json::{Value, from_value, json};
use surehold_api::stock;
use surehold_core::kernel::Slug;
use surehold_core::stock::{ProductCode, StoreName};
use uuid::Uuid;

use super::{ask, make};
use crate::client::InProcess;

/// Makes what is missing; what somebody has changed stays.
pub(super) async fn open(api: &InProcess, demo: &Slug) -> Result<()> {
    let store = &StoreName::new("corner")?;
    let corner = from_value(json!({"title": "The corner shop", "currency": "EUR"}))?;
    make(api, stock::store(demo, store), stock::put_store(demo, store, &corner)).await?;
    let products = [
        ("tea", json!({"title": "Green tea", "packs": [{"name": "box", "factor": 12}]})),
        ("rice", json!({"title": "Rice", "unit": "g", "scale": 3})),
        ("mug", json!({"title": "Mug"})),
    ];
    for (code, product) in products {
        let code = &ProductCode::new(code)?;
        make(api, stock::product(demo, code), stock::put_product(demo, code, &from_value(product)?)).await?;
    }
    if !ask(api, stock::items(demo).query("store", store)).await?.items.is_empty() {
        return Ok(());
    }
    let opening = json!([
        {"product": "tea", "count": 4, "pack": "box", "amount": 9_960},
        {"product": "rice", "count": 25_000, "price": "180"},
        {"product": "mug", "count": 30, "amount": 10_000},
    ]);
    let documents = [
        ("opening", opening),
        ("sale", json!([{"product": "tea", "count": 3}, {"product": "rice", "count": 1_500}])),
        ("sale", json!([{"product": "mug", "count": 2}])),
        ("purchase", json!([{"product": "tea", "count": 1, "pack": "box", "amount": 3_000}])),
    ];
    for (kind, lines) in documents {
        let document: Value = json!({"id": Uuid::now_v7(), "kind": kind, "store": store, "lines": lines});
        ask(api, stock::create_document(demo, &from_value(document)?)).await?;
    }
    Ok(())
}
