//! `surehold stay calendar set`: rooms, prices and restrictions over a range of nights.

use clap::Args;
use surehold_api::stays::{self, PutCalendar};
use surehold_api::{
    CalendarChange, CalendarOutcome, CalendarPart, CalendarSet, Change, Day, InventoryChange, RateChange, Weekday,
};
use surehold_core::stays::{RatePlanCode, RoomTypeCode};

use super::super::money::{DecimalSign, Money};
use super::super::view::counted;
use super::words::{self, Nights, limit, weekday, yes_no};
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
    #[arg(long, value_name = "N", group = "what", value_parser = limit)]
    min_stay: Option<Change<u16>>,
    /// Who arrives stays at most so many nights, or none
    #[arg(long, value_name = "N", group = "what", value_parser = limit)]
    max_stay: Option<Change<u16>>,
    /// Nobody may arrive on these days
    #[arg(long, value_name = "YES|NO", group = "what", value_parser = yes_no)]
    closed_to_arrival: Option<bool>,
    /// Nobody may leave on these days
    #[arg(long, value_name = "YES|NO", group = "what", value_parser = yes_no)]
    closed_to_departure: Option<bool>,
    /// Not sold
    #[arg(long, value_name = "YES|NO", group = "what", value_parser = yes_no)]
    stop_sell: Option<bool>,
    /// Sold only so many days before arrival and earlier, or none
    #[arg(long, value_name = "N", group = "what", value_parser = limit)]
    min_advance_days: Option<Change<u16>>,
    /// Not sold earlier than so many days before arrival, or none
    #[arg(long, value_name = "N", group = "what", value_parser = limit)]
    max_advance_days: Option<Change<u16>>,
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
        Ok(CalendarChange {
            room_types: self.room_types.clone(),
            from: Day(self.nights.from),
            until: Day(self.nights.until),
            weekdays: Some(self.weekdays.clone()).filter(|days| !days.is_empty()),
            inventory: Some(inventory).filter(|inventory| *inventory != InventoryChange::default()),
            rates: self.rate_changes(money)?,
        })
    }

    /// Restrictions, the same for every plan that is named.
    fn restricted(&self, rate_plan: &RatePlanCode) -> RateChange {
        RateChange {
            rate_plan: rate_plan.clone(),
            price: Change::default(),
            min_stay: self.min_stay.unwrap_or_default(),
            max_stay: self.max_stay.unwrap_or_default(),
            closed_to_arrival: self.closed_to_arrival,
            closed_to_departure: self.closed_to_departure,
            stop_sell: self.stop_sell,
            min_advance_days: self.min_advance_days.unwrap_or_default(),
            max_advance_days: self.max_advance_days.unwrap_or_default(),
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
            let price = words::price(price, money, DecimalSign::Point);
            let price = price.map_err(|why| ClientError::Usage(format!("--rate: {why}")))?;
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
