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

use clap::Args;
use surehold_core::kernel::Slug;
use surehold_core::stays::PropertyName;

use super::desk::Desk;
use super::input::TestMode;
use super::{Act, Common, actions};
use crate::client::ClientError;

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

actions! {
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
    Show(sell::ShowStay),
    Checkout(sell::AskCheckout),
    Confirm(sell::Confirm),
    Cancel(sell::Cancel),
    WalkIn(reservation::BookWalkIn),
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

    fn test(&self) -> bool {
        self.mode.test
    }

    async fn act(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        self.action.run(desk).await
    }
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
