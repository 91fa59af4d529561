//! Reservations: who arrives, leaves and sleeps here; show, change, cancel, no-show; guests at the desk.

use clap::{Args, Subcommand, ValueEnum};
use jiff::civil::Date;
use surehold_api::stays::{self, ChangeReservation, EndReservation, Reservation, WalkIn};
use surehold_api::{Call, Day, WantedRooms};
use surehold_core::kernel::{HoldId, Slug};
use surehold_core::operations::Actor;
use surehold_core::stays::{ReservationState, today};

use super::super::input::{core_instant, date, new_id, this_user};
use super::cases::OpenCases;
use super::guest::GuestArgs;
use super::sell::{StayArgs, amount};
use super::words::{Nights, rooms, stay_id};
use super::{Desk, PropertyArgs, view};
use crate::client::ClientError;

/// Which reservations, on which day.
#[derive(Args)]
pub(super) struct OnDay {
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

/// Those that arrive, leave or stay on the day, which is `how`.
pub(super) async fn list(on: &OnDay, desk: Desk<'_>, how: &str, none: &str) -> Result<(), ClientError> {
    let PropertyArgs { tenant, property } = &on.property;
    let date = if let Some(date) = on.date {
        date
    } else {
        // At night the property's date may differ from ours.
        let zone = desk.ask(stays::property(tenant, property)).await?.time_zone;
        today(&zone, core_instant(jiff::Timestamp::now()))
    };
    let state = match on.state {
        State::Confirmed => ReservationState::Confirmed,
        State::Cancelled => ReservationState::Cancelled,
        State::NoShow => ReservationState::NoShow,
    };
    let cases = OpenCases::for_people(desk, tenant).await?;
    let call = stays::reservations(tenant).query("property", property).query(how, date).query("state", state);
    desk.present_all(call, |found| view::reservations(found, &cases), &format!("{none} on {date}")).await
}

/// Book rooms for a guest at the desk, without an online payment
#[derive(Args)]
pub(super) struct BookWalkIn {
    #[command(flatten)]
    property: PropertyArgs,
    /// As in 2026-12-24..2026-12-27 or 2026-12-24+3
    #[arg(value_name = "NIGHTS", value_parser = Nights::parse_stay)]
    nights: Nights,
    /// `ROOM_TYPE:RATE_PLAN[=ROOMS]`, as in double:flexible
    #[arg(value_name = "ROOMS", required = true, value_parser = rooms)]
    rooms: Vec<WantedRooms>,
    #[command(flatten)]
    guest: GuestArgs,
    /// So much was paid at the desk, as in 450.00
    #[arg(long, value_name = "AMOUNT", default_value = "0")]
    paid: String,
    /// Its id, a UUIDv7; the same id finds the same reservation [default: a new one]
    #[arg(long, value_name = "UUID", value_parser = stay_id)]
    id: Option<HoldId>,
}

impl BookWalkIn {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let PropertyArgs { tenant, property } = &self.property;
        let currency = desk.ask(stays::property(tenant, property)).await?.currency;
        let id = self.id.unwrap_or_else(new_id);
        let walk_in = WalkIn {
            id: Some(id),
            property: property.clone(),
            checkin: Day(self.nights.from),
            checkout: Day(self.nights.until),
            rooms: self.rooms.clone(),
            guest: self.guest.guest(),
            paid: amount(&self.paid, "--paid", currency)?,
        };
        desk.repeat_with(&format!("--id {id}")).present(stays::walk_in(tenant, &walk_in), shown).await
    }
}

fn shown(reservation: &Reservation) -> String {
    view::reservation(reservation, &OpenCases::default())
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
    #[arg(long = "room", value_name = "ROOMS", value_parser = rooms, group = "what")]
    rooms: Vec<WantedRooms>,
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
    actor: Option<Actor>,
}

impl ReservationAction {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        match self {
            ReservationAction::Show(StayArgs { tenant, stay }) => {
                let answer = desk.send(&stays::reservation(tenant, *stay)).await?;
                let Some(reservation) = desk.for_people(&answer).await? else { return Ok(()) };
                let cases = OpenCases::for_people(desk, tenant).await?;
                desk.screen.print(&view::reservation(&reservation, &cases))
            }
            ReservationAction::Change(change) => change.run(desk).await,
            ReservationAction::Cancel(end) => end.run(desk, stays::cancel_reservation).await,
            ReservationAction::NoShow(end) => end.run(desk, stays::no_show).await,
        }
    }
}

impl Change {
    /// What is not named stays as it is, so it is read first.
    async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let StayArgs { tenant, stay } = &self.stay;
        let known = desk.ask(stays::reservation(tenant, *stay)).await?;
        let (checkin, checkout) = match self.nights {
            Some(nights) => (Day(nights.from), Day(nights.until)),
            None => (known.checkin, known.checkout),
        };
        let same = |room: stays::BookedRooms| WantedRooms {
            room_type: room.room_type,
            rate_plan: room.rate_plan,
            rooms: room.rooms,
        };
        let rooms =
            if self.rooms.is_empty() { known.rooms.into_iter().map(same).collect() } else { self.rooms.clone() };
        let change = ChangeReservation { checkin, checkout, rooms, refund_excess: self.refund_excess };
        desk.present(stays::change_reservation(tenant, *stay, &change), shown).await
    }
}

impl End {
    async fn run(
        &self,
        desk: Desk<'_>,
        call: fn(&Slug, HoldId, &EndReservation) -> Call<Reservation>,
    ) -> Result<(), ClientError> {
        let StayArgs { tenant, stay } = &self.stay;
        let waived_by = match (&self.actor, self.waive) {
            (_, false) => None,
            (Some(actor), true) => Some(actor.clone()),
            (None, true) => Some(this_user()?),
        };
        desk.present(call(tenant, *stay, &EndReservation { waived_by }), shown).await
    }
}
