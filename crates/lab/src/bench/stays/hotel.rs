//! What the hotel is like, and the requests that make it so.

use anyhow::{Context, Result, ensure};
use jiff::civil::Date;
use jiff::{ToSpan, Zoned};
use serde_json::{Value, json};
use surehold_core::kernel::UNITS_MAX;

use crate::bench::http::Target;

/// Every room type is sold in every plan on every night. The first room type is the cheapest.
#[derive(Clone, Debug)]
pub struct BenchHotel {
    pub name: &'static str,
    pub room_types: u32,
    pub rate_plans: u32,
    /// Nights that are for sale.
    pub nights: u32,
    /// Of each type, on each night.
    pub rooms: i64,
    first_night: Date,
}

const ROOMS: i64 = 40;
/// The first night is so far away that it does not become yesterday, wherever the server's clock stands.
const DAYS_AHEAD: i64 = 10;
const PRICE: u32 = 45_000;

impl BenchHotel {
    pub fn new(name: &'static str, room_types: u32, rate_plans: u32, nights: u32) -> BenchHotel {
        let first_night = Zoned::now().date().saturating_add(DAYS_AHEAD.days());
        BenchHotel { name, room_types, rate_plans, nights, rooms: ROOMS, first_night }
    }

    /// Rooms never run out: a refusal would cost less than a hold.
    #[must_use]
    pub fn endless(self) -> BenchHotel {
        BenchHotel { rooms: UNITS_MAX, ..self }
    }

    /// Makes it; what it has after that is what it had before, if it was there.
    pub async fn open(&self, target: &Target) -> Result<()> {
        let path = format!("/v1/{}/properties/{}", target.tenant, self.name);
        let property = json!({"title": self.name, "time_zone": "America/Sao_Paulo", "currency": "BRL"});
        put(target, &path, &property).await?;
        for room_type in 0..self.room_types {
            let body = json!({"title": format!("Room type {room_type}"), "guests_max": 2});
            put(target, &format!("{path}/room-types/{}", room_code(room_type)), &body).await?;
        }
        for plan in 0..self.rate_plans {
            let cancellation = json!({"free_until_hours": 24 * (plan + 1), "penalty": {"nights": 1}, "no_show": "all"});
            let body = json!({"title": format!("Rate plan {plan}"), "cancellation": cancellation});
            put(target, &format!("{path}/rate-plans/{}", plan_code(plan)), &body).await?;
        }
        for room_type in 0..self.room_types {
            let told = put(target, &format!("{path}/calendar"), &self.calendar(room_type)).await?;
            ensure!(told["complete"] == true, "the calendar could not be set: {told}");
        }
        Ok(())
    }

    /// Weekends cost more and have a restriction, which keeps nobody away.
    fn calendar(&self, room_type: u32) -> Value {
        let (from, until) = (self.night(0), self.night(self.nights));
        let price = |plan: u32, more: u32| PRICE + more + 1_000 * room_type + 100 * plan;
        let every = |plan: u32| json!({"rate_plan": plan_code(plan), "price": price(plan, 0)});
        let weekend = |plan: u32| json!({"rate_plan": plan_code(plan), "price": price(plan, 9_000), "min_stay": 1});
        let every: Vec<Value> = (0..self.rate_plans).map(every).collect();
        let weekend: Vec<Value> = (0..self.rate_plans).map(weekend).collect();
        let room_types = [room_code(room_type)];
        json!({"changes": [
            {"room_types": room_types, "from": from, "until": until, "inventory": {"total": self.rooms}, "rates": every},
            {"room_types": room_types, "from": from, "until": until, "weekdays": ["fri", "sat"], "rates": weekend},
        ]})
    }

    /// The date of a night, counted from the first one that is for sale.
    pub fn night(&self, index: u32) -> Date {
        self.first_night.saturating_add(i64::from(index).days())
    }
}

fn room_code(room_type: u32) -> String {
    format!("room-{room_type:02}")
}

fn plan_code(plan: u32) -> String {
    format!("plan-{plan}")
}

async fn put(target: &Target, path: &str, body: &Value) -> Result<Value> {
    let answer = target.ask("PUT", path, &body.to_string()).await.context("cannot make the hotel")?;
    ensure!(answer.status == 200, "cannot make the hotel: {} {}", answer.status, answer.body);
    Ok(serde_json::from_str(&answer.body)?)
}
