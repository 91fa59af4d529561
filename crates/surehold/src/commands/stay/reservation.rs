//! Reservations: who arrives, leaves and sleeps here; show, change, cancel, no-show; guests at the desk.

use clap::{Args, Subcommand, ValueEnum};
use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::{Value, json};
use uuid::Uuid;

use super::super::input::{date, this_user};
use super::super::pages::show_all;
use super::super::view::{list, text};
use super::cases::OpenCases;
use super::guest::GuestArgs;
use super::sell::{StayArgs, amount, for_people};
use super::words::{Nights, Rooms, stay_id};
use super::{Desk, PropertyArgs, view};
use crate::client::{ClientError, Request};

/// Which reservations, on which day.
#[derive(Args)]
struct Day {
    #[command(flatten)]
    property: PropertyArgs,
    /// As in 2026-12-24 [default: today at the property]
    #[arg(value_parser = date)]
    date: Option<Date>,
    /// Those that are, or were
    #[arg(long, value_enum, default_value_t = State::Confirmed)]
    state: State,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum State {
    Confirmed,
    Cancelled,
    NoShow,
}

impl Day {
    async fn run(&self, desk: Desk<'_>, how: &str, none: &str) -> Result<(), ClientError> {
        let PropertyArgs { tenant, property } = &self.property;
        let date = match self.date {
            Some(date) => date,
            None => today(desk, &self.property).await?,
        };
        let state = match self.state {
            State::Confirmed => "confirmed",
            State::Cancelled => "cancelled",
            State::NoShow => "no_show",
        };
        let cases = for_people(desk, tenant).await?;
        let request = Request::get(&["v1", tenant, "reservations"]).query("property", property);
        let request = request.query(how, &date.to_string()).query("state", state).test(desk.test);
        let shown = |found: &[Value]| view::reservations(found, &cases);
        show_all(desk.client, desk.screen, &request, "reservations", shown, &format!("{none} on {date}")).await
    }
}

/// The property's date: at night it may differ from ours.
async fn today(desk: Desk<'_>, property: &PropertyArgs) -> Result<Date, ClientError> {
    let zone = desk.value(property.get(&[])).await?["time_zone"].take();
    let now = Timestamp::now();
    // A newer server may know zones that this program does not.
    let there = zone.as_str().and_then(|zone| now.in_tz(zone).ok());
    Ok(there.unwrap_or_else(|| now.to_zoned(jiff::tz::TimeZone::system())).date())
}

/// List who arrives on a day
#[derive(Args)]
pub(super) struct Arrivals {
    #[command(flatten)]
    day: Day,
}

impl Arrivals {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        self.day.run(desk, "arriving", "nobody arrives").await
    }
}

/// List who leaves on a day
#[derive(Args)]
pub(super) struct Departures {
    #[command(flatten)]
    day: Day,
}

impl Departures {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        self.day.run(desk, "departing", "nobody leaves").await
    }
}

/// List who sleeps there on a night
#[derive(Args)]
pub(super) struct InHouse {
    #[command(flatten)]
    day: Day,
}

impl InHouse {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        self.day.run(desk, "staying", "nobody stays").await
    }
}

/// Book rooms for a guest at the desk, without an online payment
#[derive(Args)]
pub(super) struct WalkIn {
    #[command(flatten)]
    property: PropertyArgs,
    /// As in 2026-12-24..2026-12-27 or 2026-12-24+3
    #[arg(value_name = "NIGHTS", value_parser = Nights::parse_stay)]
    nights: Nights,
    /// `ROOM_TYPE:RATE_PLAN[=ROOMS]`, as in double:flexible
    #[arg(value_name = "ROOMS", required = true, value_parser = Rooms::parse)]
    rooms: Vec<Rooms>,
    #[command(flatten)]
    guest: GuestArgs,
    /// So much was paid at the desk, as in 450.00
    #[arg(long, value_name = "AMOUNT", default_value = "0")]
    paid: String,
    /// Its id, a UUIDv7; the same id finds the same reservation [default: a new one]
    #[arg(long, value_name = "UUID", value_parser = stay_id)]
    id: Option<Uuid>,
}

impl WalkIn {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let property = desk.value(self.property.get(&[])).await?;
        let id = self.id.unwrap_or_else(Uuid::now_v7);
        let body = json!({
            "id": id, "property": self.property.property, "guest": self.guest.json(),
            "checkin": self.nights.from.to_string(), "checkout": self.nights.until.to_string(),
            "rooms": self.rooms.iter().map(Rooms::json).collect::<Vec<_>>(),
            "paid": amount(&self.paid, "--paid", &property)?,
        });
        let request = Request::post(&["v1", &self.property.tenant, "reservations"]).json(body);
        let request = request.repeat_with(format!("--id {id}"));
        desk.show(request, |reservation| view::reservation(reservation, &OpenCases::default())).await
    }
}

#[derive(Subcommand)]
pub(super) enum ReservationAction {
    /// Show a reservation, with its payment and its guest
    Show(StayArgs),
    Change(Change),
    /// Cancel a reservation; what it costs is what its conditions say
    Cancel(End),
    /// Say that nobody came; the nights that are not over are free again
    NoShow(End),
}

/// Change the nights, the rooms or the plan, all or nothing, at the present price
#[derive(Args)]
#[command(group(clap::ArgGroup::new("what").required(true).multiple(true)))]
pub(super) struct Change {
    #[command(flatten)]
    stay: StayArgs,
    /// The nights as they are to be [default: as they are]
    #[arg(long, value_name = "NIGHTS", value_parser = Nights::parse_stay, group = "what")]
    nights: Option<Nights>,
    /// The rooms as they are to be, as in double:flexible=2; may be repeated [default: as they are]
    #[arg(long = "room", value_name = "ROOMS", value_parser = Rooms::parse, group = "what")]
    rooms: Vec<Rooms>,
    /// What was paid online beyond the new price goes back
    #[arg(long)]
    refund_excess: bool,
}

#[derive(Args)]
pub(super) struct End {
    #[command(flatten)]
    stay: StayArgs,
    /// Let the guest go without the penalty; who does so is kept
    #[arg(long)]
    waive: bool,
    /// Who waives it [default: $USER]
    #[arg(long, value_name = "NAME", requires = "waive")]
    actor: Option<String>,
}

impl ReservationAction {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        match self {
            ReservationAction::Show(stay) => {
                let answer = desk.ask(stay.reservation()).await?;
                let cases = for_people(desk, &stay.tenant).await?;
                desk.screen.show(&answer, |reservation| view::reservation(reservation, &cases))
            }
            ReservationAction::Change(change) => change.run(desk).await,
            ReservationAction::Cancel(end) => end.run(desk, "cancel").await,
            ReservationAction::NoShow(end) => end.run(desk, "no-show").await,
        }
    }
}

impl Change {
    /// What is not named stays as it is, so it is read first.
    async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let known = desk.value(self.stay.reservation()).await?;
        let (checkin, checkout) = match self.nights {
            Some(nights) => (nights.from.to_string(), nights.until.to_string()),
            None => (text(&known["checkin"]), text(&known["checkout"])),
        };
        let rooms: Vec<Value> = match self.rooms.as_slice() {
            [] => {
                let same = |room: &Value| json!({"room_type": room["room_type"], "rate_plan": room["rate_plan"], "rooms": room["rooms"]});
                list(&known["rooms"]).iter().map(same).collect()
            }
            rooms => rooms.iter().map(Rooms::json).collect(),
        };
        let refund_excess = self.refund_excess;
        let body = json!({"checkin": checkin, "checkout": checkout, "rooms": rooms, "refund_excess": refund_excess});
        let request = self.stay.change_reservation("change").json(body);
        desk.show(request, |reservation| view::reservation(reservation, &OpenCases::default())).await
    }
}

impl End {
    async fn run(&self, desk: Desk<'_>, how: &str) -> Result<(), ClientError> {
        let mut body = json!({});
        if self.waive {
            body["waived_by"] = self.actor.clone().map_or_else(this_user, Ok)?.into();
        }
        let request = self.stay.change_reservation(how).json(body);
        desk.show(request, |reservation| view::reservation(reservation, &OpenCases::default())).await
    }
}
