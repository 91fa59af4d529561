//! `casa-mar`: three room types and two rate plans, sold over the coming months.

use anyhow::{Context, Result};
use jiff::ToSpan;
use jiff::civil::Date;
use serde_json::{Value, json};

use super::ask;
use crate::client::{InProcess, Request};

const NIGHTS: i32 = 180;

/// Prices in cents: flexible and saver on weekdays, then on Fridays and Saturdays.
struct Kind {
    code: &'static str,
    title: &'static str,
    guests: u32,
    rooms: i64,
    weekday: [i64; 2],
    weekend: [i64; 2],
}

const KINDS: [Kind; 3] = [
    Kind { code: "single", title: "Single", guests: 1, rooms: 4, weekday: [28_000, 24_000], weekend: [32_000, 27_500] },
    Kind { code: "double", title: "Double", guests: 2, rooms: 8, weekday: [45_000, 39_000], weekend: [52_000, 45_000] },
    Kind {
        code: "suite",
        title: "Suite with a view",
        guests: 4,
        rooms: 2,
        weekday: [90_000, 79_000],
        weekend: [110_000, 96_000],
    },
];

/// Makes what is missing; what somebody has changed stays.
pub(super) async fn open(api: &InProcess, payment_account: Option<&str>) -> Result<()> {
    make_property(api, payment_account).await?;
    for Kind { code, title, guests, .. } in &KINDS {
        make(api, &["room-types", code], json!({"title": title, "guests_max": guests})).await?;
    }
    let flexible = json!({"free_until_hours": 48, "penalty": {"nights": 1}, "no_show": "all"});
    let saver = json!({"penalty": "all", "no_show": "all"});
    make(api, &["rate-plans", "flexible"], json!({"title": "Flexible", "cancellation": flexible})).await?;
    make(api, &["rate-plans", "saver"], json!({"title": "Saver, paid for good", "cancellation": saver})).await?;
    fill_calendar(api).await
}

fn path<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["v1", "demo", "properties", "casa-mar"], more].concat()
}

async fn is_there(api: &InProcess, more: &[&str]) -> Result<bool> {
    match api.send(&Request::get(&path(more))).await {
        Ok(_) => Ok(true),
        Err(error) if error.says_that_it_is_not_there() => Ok(false),
        Err(error) => Err(error.into()),
    }
}

async fn make(api: &InProcess, more: &[&str], body: Value) -> Result<()> {
    if !is_there(api, more).await? {
        ask(api, Request::put(&path(more)).json(body)).await?;
    }
    Ok(())
}

async fn make_property(api: &InProcess, payment_account: Option<&str>) -> Result<()> {
    let mut property = json!({"title": "Casa Mar", "time_zone": "America/Sao_Paulo", "currency": "BRL"});
    if let Some(account) = payment_account {
        property["payment_account"] = account.into();
    }
    make(api, &[], property).await
}

/// From the first night that a room type has nothing for.
async fn fill_calendar(api: &InProcess) -> Result<()> {
    let today = jiff::Zoned::now().date();
    // At the property it may still be yesterday.
    let from = today.yesterday().context("the calendar begins")?;
    let until = today.checked_add(NIGHTS.days()).context("the calendar ends")?;
    let request = Request::get(&path(&["calendar"])).query("from", &from.to_string());
    let calendar = ask(api, request.query("until", &until.to_string())).await?;
    let mut changes = Vec::new();
    for kind in &KINDS {
        let row = calendar["room_types"].as_array().into_iter().flatten().find(|row| row["code"] == kind.code);
        let totals = row.and_then(|row| row["total"].as_array()).cloned().unwrap_or_default();
        let Some(first) = totals.iter().position(Value::is_null) else { continue };
        let first = from.checked_add(i64::try_from(first)?.days()).context("the calendar ends")?;
        changes.extend(changes_of(kind, first, until));
    }
    if !changes.is_empty() {
        ask(api, Request::put(&path(&["calendar"])).json(json!({"changes": changes}))).await?;
    }
    Ok(())
}

/// Weekends cost more, and the cheap plan is not for a single night of them.
fn changes_of(kind: &Kind, from: Date, until: Date) -> [Value; 2] {
    let (from, until) = (from.to_string(), until.to_string());
    let change = |[flexible, saver]: [i64; 2]| {
        json!({"room_types": [kind.code], "from": from, "until": until,
            "rates": [{"rate_plan": "flexible", "price": flexible}, {"rate_plan": "saver", "price": saver}]})
    };
    let (mut every_night, mut weekend) = (change(kind.weekday), change(kind.weekend));
    every_night["inventory"] = json!({"total": kind.rooms});
    weekend["weekdays"] = json!(["fri", "sat"]);
    weekend["rates"][1]["min_stay"] = 2.into();
    [every_night, weekend]
}
