//! Sample data for those who try it out: pools as such, a hotel, a shop, and a Stripe to pay at that moves no money.

mod hotel;
mod shop;
mod simulator;

use std::path::Path;

use anyhow::{Context, Result};
use jiff::ToSpan;
use serde_json::{Value, json};
use surehold_http::Api;

use crate::client::{InProcess, Request};
use simulator::ACCOUNT;
pub(super) use simulator::Simulator;

pub(super) const FOLDER: &str = "surehold-demo";
const NIGHTS: i32 = 60;
const DATED: [(&str, i64); 2] = [("double", 5), ("suite", 2)];
const UNDATED: [(&str, i64); 2] = [("t-shirt", 100), ("front-row", 20)];

/// Fills what is missing and makes a key; the key of the last start is revoked. Returns the new key.
pub(super) async fn prepare(api: &Api, simulator: Option<&Simulator>) -> Result<String> {
    let payment_account = simulator.map(|_| ACCOUNT);
    let api = &InProcess::new(api);
    ask(api, Request::post(&["admin", "tenants"]).json(json!({"slug": "demo"}))).await?;
    pools(api).await?;
    hotel::open(api, payment_account).await?;
    shop::open(api).await?;
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

/// Pools as such: rooms by the night, shirts and seats.
async fn pools(api: &InProcess) -> Result<()> {
    let tonight = jiff::Zoned::now().date();
    let mut pools: Vec<Value> = Vec::new();
    for (resource, total) in UNDATED {
        pools.push(json!({"resource": resource, "slot": "", "total": total}));
    }
    for night in 0..NIGHTS {
        let slot = tonight.checked_add(night.days()).context("the calendar ends")?.to_string();
        pools.extend(DATED.map(|(resource, total)| json!({"resource": resource, "slot": slot, "total": total})));
    }
    for (resource, _) in DATED.into_iter().chain(UNDATED) {
        let request = Request::get(&["v1", "demo", "pools"]).query("resource", resource).query("limit", "1000");
        let there = ask(api, request).await?;
        let there = there["pools"].as_array().cloned().unwrap_or_default();
        pools.retain(|new| !there.iter().any(|old| old["resource"] == new["resource"] && old["slot"] == new["slot"]));
    }
    if !pools.is_empty() {
        ask(api, Request::put(&["v1", "demo", "pools"]).json(json!({"pools": pools}))).await?;
    }
    Ok(())
}

async fn ask(api: &InProcess, request: Request) -> Result<Value> {
    let answer = api.send(&request).await.with_context(|| format!("{} {}", request.method, request.target))?;
    Ok(answer.value()?)
}

/// What can be done now, as lines to copy.
pub(super) fn welcome(address: &str, key: &str, folder: &Path, simulator: Option<&Simulator>) -> String {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let checkin = jiff::Zoned::now().date().saturating_add(30.days());
    let pay = simulator.map_or(String::new(), |simulator| simulator.welcome(address));
    format!(
        "
This is a demo: tenant `demo`, all of it in {}. Look around at {address}/docs,
or in another terminal:

{}  export SUREHOLD_STORE_DATA_DIR={}
  export SUREHOLD_KEY={key}
  curl -s {address}/v1/demo/pools/t-shirt -H \"Authorization: Bearer $SUREHOLD_KEY\"
  surehold pool list demo --resource double

The shop `corner`, its shelves and its books:

  surehold stock show demo
  surehold stock sale demo corner tea=2 rice=0.750
  surehold stock card demo corner tea

The hotel `casa-mar`, from a question to a reservation:

  surehold stay calendar demo casa-mar
  surehold stay quote demo casa-mar {checkin}+3
  surehold stay hold demo QUOTE 1 --name 'Ann Example'
{pay}",
        folder.display(),
        alias(),
        quoted(&folder.to_string_lossy()),
    )
}

/// Those who built it have it on no path.
fn alias() -> String {
    let is_on_path = std::env::args().next().is_some_and(|name| name == "surehold");
    match std::env::current_exe() {
        Ok(path) if !is_on_path => format!("  alias surehold={}\n", quoted(&path.to_string_lossy())),
        Ok(_) | Err(_) => String::new(),
    }
}

/// A word to paste.
fn quoted(text: &str) -> String {
    let plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_./".contains(&b));
    if plain { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}
