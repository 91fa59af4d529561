//! `surehold stay`: hotels. Properties and what they sell, quotes, held rooms, reservations; and the import of rates
//! from a file. Amounts are read and shown as people write them; the API has minor units.

mod calendar;
mod calendar_set;
mod calendar_view;
mod cases;
mod guest;
mod hints;
mod import;
mod property;
mod quote;
mod rate_plan;
mod reservation;
mod room_type;
mod sell;
mod view;
mod words;

use clap::Args;
use surehold_core::kernel::Slug;
use surehold_core::stays::PropertyName;

use super::actions;
use super::desk::Desk;
use crate::client::ClientError;

actions! {
    /// Hotels: properties, rates, quotes, held rooms, reservations
    StayCommand:
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
    /// List the stays whose rooms are held, the next to expire first
    List(PropertyArgs) => sell::list,
    /// Show a stay, with its payment page, its guest and its reservation
    Show(sell::StayArgs) => sell::show,
    Checkout(sell::AskCheckout),
    Confirm(sell::Confirm),
    /// Give held rooms up
    Cancel(sell::StayArgs) => sell::cancel,
    WalkIn(reservation::BookWalkIn),
    /// List who arrives on a day
    Arrivals(reservation::OnDay) => reservation::list("arriving", "nobody arrives"),
    /// List who leaves on a day
    Departures(reservation::OnDay) => reservation::list("departing", "nobody leaves"),
    /// List who sleeps there on a night
    InHouse(reservation::OnDay) => reservation::list("staying", "nobody stays"),
    /// Show, change, cancel a reservation, or say that nobody came
    #[command(subcommand)]
    Reservation(reservation::ReservationAction),
    /// Erase a guest's name, email and phone for good
    EraseGuest(sell::StayArgs) => sell::erase_guest,
}

/// Names a property.
#[derive(Args, Clone, Debug)]
struct PropertyArgs {
    /// The tenant's slug
    tenant: Slug,
    /// The property's name: lower-case letters, digits and dashes
    property: PropertyName,
}

/// The same for a command that has subcommands, which name what they need themselves.
#[derive(Args, Clone, Debug)]
struct UnlessSubcommand {
    /// The tenant's slug
    #[arg(required = true)]
    tenant: Option<Slug>,
    /// The property's name
    #[arg(required = true)]
    property: Option<PropertyName>,
}

impl UnlessSubcommand {
    fn named(&self) -> Result<PropertyArgs, ClientError> {
        let UnlessSubcommand { tenant, property } = self.clone();
        let named = tenant.zip(property).map(|(tenant, property)| PropertyArgs { tenant, property });
        named.ok_or_else(|| ClientError::Usage("name a tenant and a property".to_owned()))
    }
}
