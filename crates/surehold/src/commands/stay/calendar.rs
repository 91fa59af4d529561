//! `surehold stay calendar`: what is free and what it costs, night by night.

use clap::{Args, Subcommand};
use jiff::ToSpan;
use surehold_api::stays;
use surehold_core::stays::RoomTypeCode;

use super::calendar_set::Set;
use super::calendar_view::{Detail, view};
use super::words::Nights;
use super::{Desk, PropertyArgs, UnlessSubcommand};
use crate::client::ClientError;

/// Unless told, the next two weeks.
const NIGHTS_SHOWN: i64 = 14;

/// Show what is free and what it costs, or set it
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(super) struct Calendar {
    #[command(subcommand)]
    action: Option<CalendarAction>,
    #[command(flatten)]
    show: Show,
}

#[derive(Subcommand)]
enum CalendarAction {
    Set(Box<Set>),
}

#[derive(Args)]
struct Show {
    #[command(flatten)]
    property: UnlessSubcommand,
    /// As in 2026-12-01..2027-01-01 or 2026-12-01+31, up to 400 [default: from today, two weeks]
    #[arg(value_name = "NIGHTS", value_parser = Nights::parse)]
    nights: Option<Nights>,
    /// Only this room type
    #[arg(long)]
    room_type: Option<RoomTypeCode>,
    /// Every rate plan, instead of the cheapest
    #[arg(long)]
    plans: bool,
}

impl Calendar {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        match &self.action {
            Some(CalendarAction::Set(set)) => set.run(desk).await,
            None => self.show.run(desk).await,
        }
    }
}

impl Show {
    async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let nights = self.nights.unwrap_or_else(|| {
            let from = jiff::Zoned::now().date();
            Nights { from, until: from.saturating_add(NIGHTS_SHOWN.days()) }
        });
        let PropertyArgs { tenant, property } = &self.property.named()?;
        let call = stays::calendar(tenant, property).query("from", nights.from).query("until", nights.until);
        let detail = if self.plans { Detail::EveryPlan } else { Detail::Cheapest };
        desk.present(call.query_if("room_type", self.room_type.as_ref()), |calendar| view(calendar, detail)).await
    }
}
