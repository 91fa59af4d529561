//! `surehold stay quote`

use clap::{Args, Subcommand};
use surehold_api::Day;
use surehold_api::stays::{self, AskQuote};
use surehold_core::kernel::Slug;
use surehold_core::stays::QuoteId;

use super::super::input::new_id;
use super::words::{Nights, quote_id};
use super::{Desk, PropertyArgs, UnlessSubcommand, view};
use crate::client::ClientError;

/// Ask what can be had and for how much, or show what was offered
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(super) struct Quote {
    #[command(subcommand)]
    action: Option<QuoteAction>,
    #[command(flatten)]
    ask: Ask,
}

#[derive(Subcommand)]
enum QuoteAction {
    /// Show a quote
    Show {
        /// The tenant's slug
        tenant: Slug,
        /// The quote's id
        #[arg(value_name = "QUOTE", value_parser = quote_id)]
        quote: QuoteId,
    },
}

#[derive(Args)]
struct Ask {
    #[command(flatten)]
    property: UnlessSubcommand,
    /// As in 2026-12-24..2026-12-27, the date of departure last, or 2026-12-24+3
    #[arg(value_name = "NIGHTS", required = true, value_parser = Nights::parse_stay)]
    nights: Option<Nights>,
    /// Guests in all rooms together
    #[arg(long, value_name = "N", default_value_t = 2)]
    guests: u32,
    /// Rooms of one type
    #[arg(long, value_name = "N", default_value_t = 1)]
    rooms: u32,
    /// Its id, a UUIDv7; the same id finds the same quote [default: a new one]
    #[arg(long, value_name = "UUID", value_parser = quote_id)]
    id: Option<QuoteId>,
}

impl Quote {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        match &self.action {
            Some(QuoteAction::Show { tenant, quote }) => desk.present(stays::quote(tenant, *quote), view::quote).await,
            None => self.ask.run(desk).await,
        }
    }
}

impl Ask {
    async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let PropertyArgs { tenant, property } = &self.property.named()?;
        let nights = self.nights.ok_or_else(|| ClientError::Usage("say which nights".to_owned()))?;
        let id = self.id.unwrap_or_else(new_id);
        let ask = AskQuote {
            id: Some(id),
            property: property.clone(),
            checkin: Day(nights.from),
            checkout: Day(nights.until),
            guests: self.guests,
            rooms: self.rooms,
        };
        let flag = format!("--id {id}");
        let answer = desk.repeat_with(&flag).send(&stays::ask_quote(tenant, &ask)).await?;
        let Some(quote) = desk.for_people(&answer).await? else { return Ok(()) };
        desk.screen.print(&view::quote(&quote))?;
        match quote.options.first() {
            Some(option) => {
                let held = format!("surehold stay hold {tenant} {id} {} --name NAME", option.number);
                desk.screen.note(&format!("`{held}` holds the rooms of option {}", option.number));
            }
            None => desk.screen.note("there is nothing to offer, so nothing was kept"),
        }
        Ok(())
    }
}
