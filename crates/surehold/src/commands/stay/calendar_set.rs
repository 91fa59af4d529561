//! `surehold stay calendar set`: rooms, prices and restrictions over a range of nights.

use clap::{Args, ValueEnum};
use surehold_api::stays::{self, PutCalendar};
use surehold_api::{
    CalendarChange, CalendarOutcome, CalendarPart, CalendarSet, Change, Day, InventoryChange, RateChange, Weekday,
};
use surehold_core::stays::{RatePlanCode, RoomTypeCode};

use super::super::money::{DecimalSign, Money};
use super::super::view::counted;
use super::words::{Nights, weekday};
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
    #[arg(value_name = "ROOM_TYPES", required = true, value_delimiter = ',', num_args = 1)]
    room_types: Vec<RoomTypeCode>,
    /// As in 2026-12-01..2027-12-01 or 2026-12-01+365
    #[arg(value_name = "NIGHTS", value_parser = Nights::parse)]
    nights: Nights,
    /// Only nights that begin on these days, as in fri,sat
    #[arg(long, value_name = "DAYS", value_delimiter = ',', value_parser = weekday)]
    weekdays: Vec<Weekday>,
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
    #[arg(long = "plan", value_name = "PLAN")]
    plans: Vec<RatePlanCode>,
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
    plan: RatePlanCode,
    price: String,
}

impl Rate {
    fn parse(text: &str) -> Result<Rate, String> {
        let (plan, price) = text.split_once('=').ok_or("write a rate like flexible=450.00")?;
        let plan = RatePlanCode::new(plan).map_err(|invalid| invalid.to_string())?;
        Ok(Rate { plan, price: price.to_owned() })
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

    fn change(limit: Option<Limit>) -> Change<u16> {
        match limit {
            None => Change::default(),
            Some(Limit(None)) => Change::clear(),
            Some(Limit(Some(number))) => Change::to(number),
        }
    }
}

impl Set {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let PropertyArgs { tenant, property } = &self.property;
        let money = Money::of(desk.ask(stays::property(tenant, property)).await?.currency);
        let put = stays::put_calendar(tenant, property, &PutCalendar { changes: vec![self.change(money)?] });
        let answer = desk.send(&put).await?;
        if desk.screen.json {
            desk.screen.raw(&answer.body)?;
        }
        let CalendarSet { parts, .. } = desk.read(&answer).await?;
        if !desk.screen.json {
            let lines = parts.iter().flat_map(part_lines).map(|line| format!("{line}\n"));
            desk.screen.print(&lines.collect::<String>())?;
        }
        let failed = parts.iter().filter(|part| part.outcome != CalendarOutcome::Done).count();
        if failed == 0 { Ok(()) } else { Err(ClientError::Partly { failed, of: parts.len() }) }
    }

    fn change(&self, money: Money) -> Result<CalendarChange, ClientError> {
        let inventory = InventoryChange {
            total: self.rooms,
            overbook: self.overbook,
            closed: (self.close || self.open).then_some(self.close),
        };
        let says_something = inventory.total.is_some() || inventory.overbook.is_some() || inventory.closed.is_some();
        Ok(CalendarChange {
            room_types: self.room_types.clone(),
            from: Day(self.nights.from),
            until: Day(self.nights.until),
            weekdays: Some(self.weekdays.clone()).filter(|days| !days.is_empty()),
            inventory: Some(inventory).filter(|_| says_something),
            rates: self.rate_changes(money)?,
        })
    }

    /// Restrictions, the same for every plan that is named.
    fn restricted(&self, rate_plan: &RatePlanCode) -> RateChange {
        let flag = |flag: Option<YesNo>| flag.map(|flag| matches!(flag, YesNo::Yes));
        RateChange {
            rate_plan: rate_plan.clone(),
            price: Change::default(),
            min_stay: Limit::change(self.min_stay),
            max_stay: Limit::change(self.max_stay),
            closed_to_arrival: flag(self.closed_to_arrival),
            closed_to_departure: flag(self.closed_to_departure),
            stop_sell: flag(self.stop_sell),
            min_advance_days: Limit::change(self.min_advance_days),
            max_advance_days: Limit::change(self.max_advance_days),
        }
    }

    fn restricts(&self) -> bool {
        let limits = [self.min_stay, self.max_stay, self.min_advance_days, self.max_advance_days];
        let flags = [self.closed_to_arrival, self.closed_to_departure, self.stop_sell];
        limits.iter().any(Option::is_some) || flags.iter().any(Option::is_some)
    }

    fn rate_changes(&self, money: Money) -> Result<Vec<RateChange>, ClientError> {
        if self.restricts() && self.rates.is_empty() && self.plans.is_empty() {
            let what = "restrictions belong to a rate plan: name it with --plan, or with --rate PLAN=PRICE";
            return Err(ClientError::Usage(what.to_owned()));
        }
        let mut changes = Vec::new();
        for Rate { plan, price } in &self.rates {
            let price = match price.as_str() {
                "none" => Change::clear(),
                price => {
                    let minor = money.parse(price, DecimalSign::Point);
                    Change::to(minor.map_err(|why| ClientError::Usage(format!("--rate: {why}")))?)
                }
            };
            changes.push(RateChange { price, ..self.restricted(plan) });
        }
        let without_rate = self.plans.iter().filter(|plan| !self.rates.iter().any(|rate| rate.plan == **plan));
        for plan in without_rate {
            if !self.restricts() {
                return Err(ClientError::Usage(format!("--plan {plan}: say what is to be different in it")));
            }
            changes.push(self.restricted(plan));
        }
        Ok(changes)
    }
}

/// A line for each room type and range.
fn part_lines(part: &CalendarPart) -> Vec<String> {
    let what = match (part.outcome, &part.problem) {
        (CalendarOutcome::Done, _) if part.nights_changed == 0 => "it was so already".to_owned(),
        (CalendarOutcome::Done, _) => format!("{} changed", counted(part.nights_changed, "night", "nights")),
        (CalendarOutcome::Refused, Some(problem)) => format!("refused: {}", problem.detail),
        (CalendarOutcome::Refused, None) => "refused".to_owned(),
        (CalendarOutcome::Skipped, _) => "not tried".to_owned(),
    };
    let first = format!("{} {}..{}: {what}", part.room_type, part.from, part.until);
    let oversold = part.oversold.iter().map(|night| {
        let rooms = counted(night.rooms, "room", "rooms");
        format!("  oversold: {rooms} more promised on {} than there are", night.night)
    });
    std::iter::once(first).chain(oversold).collect()
}
