//! Sample data for those who try it out: pools as such, a hotel, a shop, and a Stripe to pay at that moves no money.

mod hotel;
mod shop;
mod simulator;

use std::path::Path;

use anyhow::{Context, Result};
use jiff::ToSpan;
use serde::de::DeserializeOwned;
use surehold_api::Call;
use surehold_api::kernel::{self, CreateKey, CreateTenant, KeyMode, KeyScope, Policy, PoolPut, PutPools};
use surehold_core::kernel::{KeyName, ResourceName, Slot, Slug};
use surehold_http::Api;

use crate::client::InProcess;
use simulator::ACCOUNT;
pub(super) use simulator::Simulator;

pub(super) const FOLDER: &str = "surehold-demo";
const NIGHTS: i32 = 60;
const DATED: [(&str, i64); 2] = [("double", 5), ("suite", 2)];
const UNDATED: [(&str, i64); 2] = [("t-shirt", 100), ("front-row", 20)];

/// Fills what is missing and makes a key; the key of the last start is revoked. Returns the new key.
pub(super) async fn prepare(api: &Api, simulator: Option<&Simulator>) -> Result<String> {
    let payment_account = simulator.map(|_| ACCOUNT);
    let (api, demo, name) = (&InProcess::new(api), &Slug::new("demo")?, KeyName::new("demo")?);
    ask(api, kernel::create_tenant(&CreateTenant { slug: demo.clone(), policy: Policy::default() })).await?;
    pools(api, demo).await?;
    hotel::open(api, demo, payment_account).await?;
    shop::open(api, demo).await?;
    for key in ask(api, kernel::keys().query("tenant", demo)).await?.keys {
        if key.name == name && key.revoked_at.is_none() {
            ask(api, kernel::revoke_key(key.id)).await?;
        }
    }
    let wanted = CreateKey {
        tenant: Some(demo.clone()),
        name,
        scopes: vec![KeyScope::Read, KeyScope::Sell, KeyScope::Manage],
        mode: KeyMode::Live,
        expires_at: None,
        requests_per_s: None,
    };
    Ok(ask(api, kernel::create_key(&wanted)).await?.key)
}

/// Pools as such: rooms by the night, shirts and seats.
async fn pools(api: &InProcess, demo: &Slug) -> Result<()> {
    let tonight = jiff::Zoned::now().date();
    let put = |resource: &str, slot: Slot, total: i64| -> Result<PoolPut> {
        let (resource, total) = (ResourceName::new(resource)?, Some(total));
        Ok(PoolPut { resource, slot, total, overbook: None, closed: None, expected_version: None })
    };
    let mut pools = Vec::new();
    for (resource, total) in UNDATED {
        pools.push(put(resource, Slot::NONE, total)?);
    }
    for night in 0..NIGHTS {
        let slot = Slot::night(tonight.checked_add(night.days()).context("the calendar ends")?)?;
        for (resource, total) in DATED {
            pools.push(put(resource, slot, total)?);
        }
    }
    for (resource, _) in DATED.into_iter().chain(UNDATED) {
        let there = ask(api, kernel::pools(demo).page(None).query("resource", resource)).await?.pools;
        pools.retain(|new| !there.iter().any(|old| old.resource == new.resource && old.slot == new.slot));
    }
    if !pools.is_empty() {
        ask(api, kernel::put_pools(demo, &PutPools { pools })).await?;
    }
    Ok(())
}

async fn ask<T: DeserializeOwned>(api: &InProcess, call: Call<T>) -> Result<T> {
    let request = call.request();
    let answer = api.send(&call).await.with_context(|| format!("{} {}", request.method, request.target))?;
    Ok(answer.read()?)
}

/// Makes what is not there; what somebody has changed stays.
async fn make<T: DeserializeOwned>(api: &InProcess, look: Call<T>, put: Call<T>) -> Result<()> {
    match api.send(&look).await {
        Ok(_) => Ok(()),
        Err(error) if error.says_that_it_is_not_there() => ask(api, put).await.map(drop),
        Err(error) => Err(error.into()),
    }
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
