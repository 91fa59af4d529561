//! Sample data for those who try it out: a hotel and its shop, over the coming weeks.

use anyhow::{Context, Result};
use axum::body::Body;
use axum::http::{Request, header};
use http_body_util::BodyExt;
use jiff::ToSpan;
use serde_json::{Value, json};
use surehold_http::Api;
use surehold_http::server::Peer;
use tower::ServiceExt;

pub(super) const FOLDER: &str = "surehold-demo";
const NIGHTS: i32 = 60;

/// Fills what is missing and makes a key; the key of the last start is revoked. Returns the new key.
pub(super) async fn prepare(api: &Api) -> Result<String> {
    let api = DemoApi(api.router());
    api.send("POST", "/admin/tenants", &json!({"slug": "demo"})).await?;
    let tonight = jiff::Zoned::now().date();
    let mut pools = vec![json!({"resource": "t-shirt", "total": 100}), json!({"resource": "front-row", "total": 20})];
    for night in 0..NIGHTS {
        let slot = tonight.checked_add(night.days()).context("the calendar ends")?.to_string();
        pools.push(json!({"resource": "double", "slot": slot, "total": 5}));
        pools.push(json!({"resource": "suite", "slot": slot, "total": 2}));
    }
    let there = api.send("GET", "/v1/demo/pools?limit=1000", &Value::Null).await?;
    let there = there["pools"].as_array().cloned().unwrap_or_default();
    let slot = |pool: &Value| pool["slot"].as_str().unwrap_or_default().to_owned();
    pools.retain(|new| !there.iter().any(|old| old["resource"] == new["resource"] && slot(old) == slot(new)));
    if !pools.is_empty() {
        api.send("PUT", "/v1/demo/pools", &json!({"pools": pools})).await?;
    }
    let keys = api.send("GET", "/admin/keys?tenant=demo", &Value::Null).await?;
    for key in keys["keys"].as_array().into_iter().flatten() {
        if key["name"] == "demo" && key["revoked_at"].is_null() {
            let id = key["id"].as_str().unwrap_or_default();
            api.send("POST", &format!("/admin/keys/{id}/revoke"), &Value::Null).await?;
        }
    }
    let wanted = json!({"tenant": "demo", "name": "demo", "scopes": ["read", "sell", "manage"]});
    let key = api.send("POST", "/admin/keys", &wanted).await?;
    Ok(key["key"].as_str().context("the key is missing")?.to_owned())
}

/// The API, asked from inside.
struct DemoApi(axum::Router);

impl DemoApi {
    async fn send(&self, method: &str, path: &str, body: &Value) -> Result<Value> {
        let request = Request::builder().method(method).uri(path).header(header::CONTENT_TYPE, "application/json");
        let mut request = request.body(Body::from(body.to_string()))?;
        request.extensions_mut().insert(Peer::Local);
        let response = self.0.clone().oneshot(request).await?;
        let status = response.status();
        let answer = response.into_body().collect().await?.to_bytes();
        let answer: Value = serde_json::from_slice(&answer)?;
        anyhow::ensure!(status.is_success(), "{method} {path} was answered {status}: {answer}");
        Ok(answer)
    }
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
