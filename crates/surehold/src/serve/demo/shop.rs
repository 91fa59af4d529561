//! `corner`: a shop with three products, an opening balance and a morning's sales.

use anyhow::Result;
use serde_json::{Value, json};
use uuid::Uuid;

use super::ask;
use crate::client::{InProcess, Request};

const STORE: &str = "corner";

/// Makes what is missing; what somebody has changed stays.
pub(super) async fn open(api: &InProcess) -> Result<()> {
    make(api, &["stores", STORE], json!({"title": "The corner shop", "currency": "EUR"})).await?;
    let boxes = json!([{"name": "box", "factor": 12}]);
    make(api, &["products", "tea"], json!({"title": "Green tea", "packs": boxes})).await?;
    make(api, &["products", "rice"], json!({"title": "Rice", "unit": "g", "scale": 3})).await?;
    make(api, &["products", "mug"], json!({"title": "Mug"})).await?;
    let there = ask(api, Request::get(&["v1", "demo", "stock"]).query("store", STORE)).await?;
    if there["items"].as_array().is_some_and(|items| !items.is_empty()) {
        return Ok(());
    }
    let opening = json!([
        {"product": "tea", "count": 4, "pack": "box", "amount": 9_960},
        {"product": "rice", "count": 25_000, "price": "180"},
        {"product": "mug", "count": 30, "amount": 10_000},
    ]);
    post(api, "opening", opening).await?;
    post(api, "sale", json!([{"product": "tea", "count": 3}, {"product": "rice", "count": 1_500}])).await?;
    post(api, "sale", json!([{"product": "mug", "count": 2}])).await?;
    post(api, "purchase", json!([{"product": "tea", "count": 1, "pack": "box", "amount": 3_000}])).await
}

async fn make(api: &InProcess, what: &[&str], body: Value) -> Result<()> {
    let path = [&["v1", "demo"], what].concat();
    match api.send(&Request::get(&path)).await {
        Ok(_) => Ok(()),
        Err(error) if error.says_that_it_is_not_there() => ask(api, Request::put(&path).json(body)).await.map(drop),
        Err(error) => Err(error.into()),
    }
}

async fn post(api: &InProcess, kind: &str, lines: Value) -> Result<()> {
    let body = json!({"id": Uuid::now_v7(), "kind": kind, "store": STORE, "lines": lines});
    ask(api, Request::post(&["v1", "demo", "documents"]).json(body)).await.map(drop)
}
