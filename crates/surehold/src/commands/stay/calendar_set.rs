//! `surehold stay calendar set`: rooms, prices and restrictions over a range of nights.

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::super::money::{DecimalSign, Money};
use super::super::view::{counted, list, text};
use super::words::{Nights, rate_plan, room_type, weekday};
use super::{Desk, PropertyArgs};
use crate::client::ClientError;

/// Set rooms, prices and restrictions over a range of nights; what is left out stays as it is
#[derive(Args)]
#[command(
    group(clap::ArgGroup::new("what").required(true).multiple(true)),
    override_usage = "surehold stay calendar set <TENANT> <PROPERTY> <ROOM_TYPES> <NIGHTS> [OPTIONS]"
)]
pub(super) struct Set {
    #[command(flatten)]
    property: PropertyArgs,
    /// One or several, as in double,suite
    #[arg(value_name = "ROOM_TYPES", required = true, value_delimiter = ',', num_args = 1, value_parser = room_type)]
    room_types: Vec<String>,
    /// As in 2026-12-01..2027-12-01 or 2026-12-01+365
    #[arg(value_name = "NIGHTS", value_parser = Nights::parse)]
    nights: Nights,
    /// Only nights that begin on these days, as in fri,sat
    #[arg(long, value_name = "DAYS", value_delimiter = ',', value_parser = weekday)]
    weekdays: Vec<String>,
    /// Rooms there are; needed for nights that have none yet
    #[arg(long, value_name = "N", group = "what")]
    rooms: Option<i64>,
    /// Rooms that may be promised beyond that
    #[arg(long, value_name = "N", group = "what")]
    overbook: Option<i64>,
    /// Take no new guests, whatever the plan
    #[arg(long, group = "what", conflicts_with = "open")]
    close: bool,
    /// Take guests again
    #[arg(long, group = "what")]
    open: bool,
    /// What a room costs a night in a plan, as in flexible=450.00, or flexible=none; may be repeated
    #[arg(long = "rate", value_name = "PLAN=PRICE", group = "what", value_parser = Rate::parse)]
    rates: Vec<Rate>,
    /// A plan whose restrictions are set, besides those with a --rate; may be repeated
    #[arg(long = "plan", value_name = "PLAN", value_parser = rate_plan)]
    plans: Vec<String>,
    /// Who arrives stays at least so many nights, or none
    #[arg(long, value_name = "N", group = "what", value_parser = Limit::parse)]
    min_stay: Option<Limit>,
    /// Who arrives stays at most so many nights, or none
    #[arg(long, value_name = "N", group = "what", value_parser = Limit::parse)]
    max_stay: Option<Limit>,
    /// Nobody may arrive on these days
    #[arg(long, value_name = "YES|NO", group = "what")]
    closed_to_arrival: Option<YesNo>,
    /// Nobody may leave on these days
    #[arg(long, value_name = "YES|NO", group = "what")]
    closed_to_departure: Option<YesNo>,
    /// Not sold
    #[arg(long, value_name = "YES|NO", group = "what")]
    stop_sell: Option<YesNo>,
    /// Sold only so many days before arrival and earlier, or none
    #[arg(long, value_name = "N", group = "what", value_parser = Limit::parse)]
    min_advance_days: Option<Limit>,
    /// Not sold earlier than so many days before arrival, or none
    #[arg(long, value_name = "N", group = "what", value_parser = Limit::parse)]
    max_advance_days: Option<Limit>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum YesNo {
    Yes,
    No,
}

/// A price as it was typed: what it is worth depends on the property's currency.
#[derive(Clone, Debug)]
struct Rate {
    plan: String,
    price: String,
}

impl Rate {
    fn parse(text: &str) -> Result<Rate, String> {
        let (plan, price) = text.split_once('=').ok_or("write a rate like flexible=450.00")?;
        Ok(Rate { plan: rate_plan(plan)?, price: price.to_owned() })
    }
}

/// A number, or the word that takes it away.
#[derive(Clone, Copy, Debug)]
struct Limit(Option<u16>);

impl Limit {
    fn parse(text: &str) -> Result<Limit, String> {
        if text == "none" {
            return Ok(Limit(None));
        }
        text.parse().map(|number| Limit(Some(number))).map_err(|_| "write a number, or none".to_owned())
    }
}

impl Set {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let property = desk.value(self.property.get(&[])).await?;
        let body = json!({"changes": [self.change(&Money::of(&property))?]});
        let answer = desk.ask(self.property.put(&["calendar"]).json(body)).await?;
        desk.screen.show(&answer, view)?;
        let told = answer.value()?;
        let parts = list(&told["parts"]);
        let failed = parts.iter().filter(|part| part["outcome"] != "done").count();
        if failed == 0 { Ok(()) } else { Err(ClientError::Partly { failed, of: parts.len() }) }
    }

    fn change(&self, money: &Money) -> Result<Value, ClientError> {
        let (from, until) = (self.nights.from.to_string(), self.nights.until.to_string());
        let mut change = json!({"room_types": self.room_types, "from": from, "until": until});
        if !self.weekdays.is_empty() {
            change["weekdays"] = json!(self.weekdays);
        }
        let inventory = self.inventory();
        if inventory != json!({}) {
            change["inventory"] = inventory;
        }
        let rates = self.rate_changes(money)?;
        if !rates.is_empty() {
            change["rates"] = rates.into();
        }
        Ok(change)
    }

    fn inventory(&self) -> Value {
        let mut inventory = json!({});
        for (name, value) in [("total", self.rooms), ("overbook", self.overbook)] {
            if let Some(value) = value {
                inventory[name] = value.into();
            }
        }
        if self.close || self.open {
            inventory["closed"] = self.close.into();
        }
        inventory
    }

    /// Restrictions, the same for every plan that is named.
    fn restrictions(&self) -> Value {
        let mut restrictions = json!({});
        let limits = [
            ("min_stay", self.min_stay),
            ("max_stay", self.max_stay),
            ("min_advance_days", self.min_advance_days),
            ("max_advance_days", self.max_advance_days),
        ];
        for (name, limit) in limits {
            if let Some(Limit(limit)) = limit {
                restrictions[name] = limit.into();
            }
        }
        let flags = [
            ("closed_to_arrival", self.closed_to_arrival),
            ("closed_to_departure", self.closed_to_departure),
            ("stop_sell", self.stop_sell),
        ];
        for (name, flag) in flags {
            if let Some(flag) = flag {
                restrictions[name] = matches!(flag, YesNo::Yes).into();
            }
        }
        restrictions
    }

    fn rate_changes(&self, money: &Money) -> Result<Vec<Value>, ClientError> {
        let restrictions = self.restrictions();
        if restrictions != json!({}) && self.rates.is_empty() && self.plans.is_empty() {
            let what = "restrictions belong to a rate plan: name it with --plan, or with --rate PLAN=PRICE";
            return Err(ClientError::Usage(what.to_owned()));
        }
        let mut changes = Vec::new();
        for Rate { plan, price } in &self.rates {
            let mut change = restrictions.clone();
            change["price"] = match price.as_str() {
                "none" => Value::Null,
                price => {
                    let minor = money.parse(price, DecimalSign::Point);
                    minor.map_err(|why| ClientError::Usage(format!("--rate: {why}")))?.into()
                }
            };
            change["rate_plan"] = plan.as_str().into();
            changes.push(change);
        }
        let without_rate = self.plans.iter().filter(|plan| !self.rates.iter().any(|rate| rate.plan == **plan));
        for plan in without_rate {
            if restrictions == json!({}) {
                return Err(ClientError::Usage(format!("--plan {plan}: say what is to be different in it")));
            }
            let mut change = restrictions.clone();
            change["rate_plan"] = plan.as_str().into();
            changes.push(change);
        }
        Ok(changes)
    }
}

/// A line for each room type and range.
fn view(set: &Value) -> String {
    list(&set["parts"]).iter().flat_map(part_lines).map(|line| format!("{line}\n")).collect()
}

fn part_lines(part: &Value) -> Vec<String> {
    let what = match part["outcome"].as_str() {
        Some("done") => match part["nights_changed"].as_i64() {
            None | Some(0) => "it was so already".to_owned(),
            Some(nights) => format!("{} changed", counted(nights, "night", "nights")),
        },
        Some("refused") => format!("refused: {}", text(&part["problem"]["detail"])),
        _ => "not tried".to_owned(),
    };
    let (room_type, from, until) = (text(&part["room_type"]), text(&part["from"]), text(&part["until"]));
    let oversold = |night: &Value| {
        let rooms = counted(night["rooms"].as_i64().unwrap_or(0), "room", "rooms");
        format!("  oversold: {rooms} more promised on {} than there are", text(&night["night"]))
    };
    let first = format!("{room_type} {from}..{until}: {what}");
    std::iter::once(first).chain(list(&part["oversold"]).iter().map(oversold)).collect()
}
