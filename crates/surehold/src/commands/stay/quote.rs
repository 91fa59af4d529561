//! `surehold stay quote`

use clap::{Args, Subcommand};
use serde_json::json;
use uuid::Uuid;

use super::super::input::slug;
use super::words::{Nights, quote_id};
use super::{Desk, PropertyArgs, UnlessSubcommand, view};
use crate::client::{ClientError, Request};

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
        #[arg(value_parser = slug)]
        tenant: String,
        /// The quote's id
        #[arg(value_name = "QUOTE", value_parser = quote_id)]
        quote: Uuid,
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
    id: Option<Uuid>,
}

impl Quote {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        match &self.action {
            Some(QuoteAction::Show { tenant, quote }) => {
                let request = Request::get(&["v1", tenant, "quotes", &quote.to_string()]);
                desk.show(request, view::quote).await
            }
            None => self.ask.run(desk).await,
        }
    }
}

impl Ask {
    async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let PropertyArgs { tenant, property } = &self.property.named()?;
        let nights = self.nights.ok_or_else(|| ClientError::Usage("say which nights".to_owned()))?;
        let id = self.id.unwrap_or_else(Uuid::now_v7);
        let body = json!({
            "id": id, "property": property, "guests": self.guests, "rooms": self.rooms,
            "checkin": nights.from.to_string(), "checkout": nights.until.to_string(),
        });
        let request = Request::post(&["v1", tenant, "quotes"]).json(body).repeat_with(format!("--id {id}"));
        let answer = desk.ask(request).await?;
        desk.screen.show(&answer, view::quote)?;
        let quote = answer.value()?;
        match quote["options"][0]["number"].as_i64() {
            Some(option) => {
                let held = format!("surehold stay hold {tenant} {id} {option} --name NAME");
                desk.screen.note(&format!("`{held}` holds the rooms of option {option}"));
            }
            None => desk.screen.note("there is nothing to offer, so nothing was kept"),
        }
        Ok(())
    }
}
