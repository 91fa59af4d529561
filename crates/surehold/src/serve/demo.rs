//! Sample data for those who try it out: a hotel and its shop, over the coming weeks.

use anyhow::{Context, Result};
use jiff::ToSpan;
use serde_json::{Value, json};
use surehold_http::Api;

use crate::client::{InProcess, Request};

pub(super) const FOLDER: &str = "surehold-demo";
const NIGHTS: i32 = 60;

/// Fills what is missing and makes a key; the key of the last start is revoked. Returns the new key.
pub(super) async fn prepare(api: &Api) -> Result<String> {
    let api = &InProcess::new(api);
    ask(api, Request::post(&["admin", "tenants"]).json(json!({"slug": "demo"}))).await?;
    let tonight = jiff::Zoned::now().date();
    let mut pools = vec![json!({"resource": "t-shirt", "total": 100}), json!({"resource": "front-row", "total": 20})];
    for night in 0..NIGHTS {
        let slot = tonight.checked_add(night.days()).context("the calendar ends")?.to_string();
        pools.push(json!({"resource": "double", "slot": slot, "total": 5}));
        pools.push(json!({"resource": "suite", "slot": slot, "total": 2}));
    }
    let there = ask(api, Request::get(&["v1", "demo", "pools"]).query("limit", "1000")).await?;
    let there = there["pools"].as_array().cloned().unwrap_or_default();
    let slot = |pool: &Value| pool["slot"].as_str().unwrap_or_default().to_owned();
    pools.retain(|new| !there.iter().any(|old| old["resource"] == new["resource"] && slot(old) == slot(new)));
    if !pools.is_empty() {
        ask(api, Request::put(&["v1", "demo", "pools"]).json(json!({"pools": pools}))).await?;
    }
    let keys = ask(api, Request::get(&["admin", "keys"]).query("tenant", "demo")).await?;
    for key in keys["keys"].as_array().into_iter().flatten() {
        if key["name"] == "demo" && key["revoked_at"].is_null() {
            let id = key["id"].as_str().unwrap_or_default();
            ask(api, Request::post(&["admin", "keys", id, "revoke"])).await?;
        }
    }
    let wanted = json!({"tenant": "demo", "name": "demo", "scopes": ["read", "sell", "manage"]});
    let key = ask(api, Request::post(&["admin", "keys"]).json(wanted)).await?;
    Ok(key["key"].as_str().context("the key is missing")?.to_owned())
}

async fn ask(api: &InProcess, request: Request) -> Result<Value> {
    let answer = api.send(&request).await.with_context(|| format!("{} {}", request.method, request.target))?;
    Ok(answer.value()?)
}

pub(super) fn welcome(address: &str, key: &str) -> String {
    format!(
        "
This is a demo: tenant `demo`, room types `double` and `suite` for {NIGHTS} nights, `t-shirt` and `front-row`,
all in the folder {FOLDER}. Look around at {address}/docs, or in another terminal:

  export SUREHOLD_KEY={key}
  curl -s {address}/v1/demo/pools/t-shirt -H \"Authorization: Bearer $SUREHOLD_KEY\"
"
    )
}
