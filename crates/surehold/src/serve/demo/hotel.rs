//! `casa-mar`: three room types and two rate plans, sold over the coming months.

use anyhow::{Context, Result};
use jiff::ToSpan;
use jiff::civil::Date;
use serde_json::{from_value, json};
use surehold_api::stays::{self, CalendarChange, PutCalendar};
use surehold_core::kernel::Slug;
use surehold_core::stays::{PropertyName, RatePlanCode, RoomTypeCode};

use super::{ask, make};
use crate::client::InProcess;

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
pub(super) async fn open(api: &InProcess, demo: &Slug, payment_account: Option<&str>) -> Result<()> {
    let hotel = &PropertyName::new("casa-mar")?;
    let property = from_value(json!({"title": "Casa Mar", "time_zone": "America/Sao_Paulo", "currency": "BRL",
        "payment_account": payment_account}))?;
    make(api, stays::property(demo, hotel), stays::put_property(demo, hotel, &property)).await?;
    for Kind { code, title, guests, .. } in &KINDS {
        let (code, room_type) = (&RoomTypeCode::new(code)?, from_value(json!({"title": title, "guests_max": guests}))?);
        let put = stays::put_room_type(demo, hotel, code, &room_type);
        make(api, stays::room_type(demo, hotel, code), put).await?;
    }
    let plans = [
        ("flexible", "Flexible", json!({"free_until_hours": 48, "penalty": {"nights": 1}, "no_show": "all"})),
        ("saver", "Saver, paid for good", json!({"penalty": "all", "no_show": "all"})),
    ];
    for (code, title, cancellation) in plans {
        let code = &RatePlanCode::new(code)?;
        let plan = from_value(json!({"title": title, "cancellation": cancellation}))?;
        make(api, stays::rate_plan(demo, hotel, code), stays::put_rate_plan(demo, hotel, code, &plan)).await?;
    }
    fill_calendar(api, demo, hotel).await
}

/// From the first night that a room type has nothing for.
async fn fill_calendar(api: &InProcess, demo: &Slug, hotel: &PropertyName) -> Result<()> {
    let today = jiff::Zoned::now().date();
    // At the property it may still be yesterday.
    let from = today.yesterday().context("the calendar begins")?;
    let until = today.checked_add(NIGHTS.days()).context("the calendar ends")?;
    let calendar = ask(api, stays::calendar(demo, hotel).query("from", from).query("until", until)).await?;
    let mut changes = Vec::new();
    for kind in &KINDS {
        let row = calendar.room_types.iter().find(|row| row.code.as_str() == kind.code);
        let Some(first) = row.and_then(|row| row.total.iter().position(Option::is_none)) else { continue };
        let first = from.checked_add(i64::try_from(first)?.days()).context("the calendar ends")?;
        changes.extend(changes_of(kind, first, until)?);
    }
    if !changes.is_empty() {
        ask(api, stays::put_calendar(demo, hotel, &PutCalendar { changes })).await?;
    }
    Ok(())
}

/// Weekends cost more, and the cheap plan is not for a single night of them.
fn changes_of(kind: &Kind, from: Date, until: Date) -> Result<[CalendarChange; 2]> {
    let change = |[flexible, saver]: [i64; 2]| {
        json!({"room_types": [kind.code], "from": from, "until": until,
            "rates": [{"rate_plan": "flexible", "price": flexible}, {"rate_plan": "saver", "price": saver}]})
    };
    let (mut every_night, mut weekend) = (change(kind.weekday), change(kind.weekend));
    every_night["inventory"] = json!({"total": kind.rooms});
    weekend["weekdays"] = json!(["fri", "sat"]);
    weekend["rates"][1]["min_stay"] = 2.into();
    Ok([from_value(every_night)?, from_value(weekend)?])
}
