//! `surehold stay`: hotels. Properties and what they sell, quotes, held rooms, reservations; and the import of rates
//! from a file. Amounts are read and shown as people write them; the API has minor units.

mod calendar;
mod calendar_set;
mod calendar_view;
mod cases;
mod guest;
mod import;
mod property;
mod quote;
mod rate_plan;
mod reservation;
mod room_type;
mod sell;
mod view;
mod words;

use clap::{Args, Subcommand};

use super::desk::Desk;
use super::input::{TestMode, slug};
use super::screen::Screen;
use super::{Act, Common};
use crate::client::{Client, ClientError, Request};

/// Hotels: properties, rates, quotes, held rooms, reservations
#[derive(Args)]
pub(crate) struct StayCommand {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    mode: TestMode,
    #[command(flatten)]
    common: Common,
}

#[derive(Subcommand)]
enum Action {
    /// Put, show and list properties
    #[command(subcommand)]
    Property(property::PropertyAction),
    /// Put and list the room types of a property
    #[command(subcommand)]
    RoomType(room_type::RoomTypeAction),
    /// Put and list the rate plans of a property
    #[command(subcommand)]
    RatePlan(rate_plan::RatePlanAction),
    Calendar(calendar::Calendar),
    Import(import::Import),
    Quote(quote::Quote),
    Hold(sell::Hold),
    List(sell::List),
    Show(sell::Show),
    Checkout(sell::Checkout),
    Confirm(sell::Confirm),
    Cancel(sell::Cancel),
    WalkIn(reservation::WalkIn),
    Arrivals(reservation::Arrivals),
    Departures(reservation::Departures),
    InHouse(reservation::InHouse),
    /// Show, change, cancel a reservation, or say that nobody came
    #[command(subcommand)]
    Reservation(reservation::ReservationAction),
    EraseGuest(sell::EraseGuest),
}

impl Act for StayCommand {
    fn common(&self) -> &Common {
        &self.common
    }

    async fn act(&self, client: &Client, screen: &Screen) -> Result<(), ClientError> {
        let desk = Desk { client, screen: *screen, test: self.mode.test };
        match &self.action {
            Action::Property(action) => action.run(desk).await,
            Action::RoomType(action) => action.run(desk).await,
            Action::RatePlan(action) => action.run(desk).await,
            Action::Calendar(calendar) => calendar.run(desk).await,
            Action::Import(import) => import.run(desk).await,
            Action::Quote(quote) => quote.run(desk).await,
            Action::Hold(hold) => hold.run(desk).await,
            Action::List(list) => list.run(desk).await,
            Action::Show(show) => show.run(desk).await,
            Action::Checkout(checkout) => checkout.run(desk).await,
            Action::Confirm(confirm) => confirm.run(desk).await,
            Action::Cancel(cancel) => cancel.run(desk).await,
            Action::WalkIn(walk_in) => walk_in.run(desk).await,
            Action::Arrivals(arrivals) => arrivals.run(desk).await,
            Action::Departures(departures) => departures.run(desk).await,
            Action::InHouse(in_house) => in_house.run(desk).await,
            Action::Reservation(action) => action.run(desk).await,
            Action::EraseGuest(erase) => erase.run(desk).await,
        }
    }
}

/// Names a property.
#[derive(Args, Clone, Debug)]
struct PropertyArgs {
    /// The tenant's slug
    #[arg(value_parser = slug)]
    tenant: String,
    /// The property's name: lower-case letters, digits and dashes
    #[arg(value_parser = words::property)]
    property: String,
}

/// The same for a command that has subcommands, which name what they need themselves.
#[derive(Args, Clone, Debug)]
struct UnlessSubcommand {
    /// The tenant's slug
    #[arg(required = true, value_parser = slug)]
    tenant: Option<String>,
    /// The property's name
    #[arg(required = true, value_parser = words::property)]
    property: Option<String>,
}

impl UnlessSubcommand {
    fn named(&self) -> Result<PropertyArgs, ClientError> {
        let UnlessSubcommand { tenant, property } = self.clone();
        let named = tenant.zip(property).map(|(tenant, property)| PropertyArgs { tenant, property });
        named.ok_or_else(|| ClientError::Usage("name a tenant and a property".to_owned()))
    }
}

impl PropertyArgs {
    fn path<'a>(&'a self, more: &[&'a str]) -> Vec<&'a str> {
        [&["v1", &self.tenant, "properties", &self.property], more].concat()
    }

    fn get(&self, more: &[&str]) -> Request {
        Request::get(&self.path(more))
    }

    fn put(&self, more: &[&str]) -> Request {
        Request::put(&self.path(more))
    }
}
