//! `surehold hold`: placing and looking. What happens to a hold afterwards is in `hold_actions.rs`.

use clap::{Args, Subcommand};
use serde_json::{Map, Value};
use surehold_api::kernel::{self, Hold, Line, PlaceHold};
use surehold_core::kernel::{ConvertMode, HoldId, HoldState, Metadata, OwnerName, Reference, Slug};

use super::desk::Desk;
use super::hints::{Hints, ID_OUTSIDE_WINDOW, SAYS_ENOUGH};
use super::hold_actions::{Convert, Extend, GiveBack, Move};
use super::input::{TestMode, hold_id, line as hold_line, new_id, object};
use super::show::{Show, both, column, line, some};
use super::view::{instant, lines};
use super::{Act, Common};
use crate::client::ClientError;

/// Place, look at, extend, convert, move and cancel holds
#[derive(Args)]
pub(crate) struct HoldCommand {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    mode: TestMode,
    #[command(flatten)]
    common: Common,
}

#[derive(Subcommand)]
enum Action {
    Place(Place),
    /// Show a hold
    Show(HoldArgs),
    List(List),
    Extend(Extend),
    Convert(Convert),
    /// Cancel a live hold
    Cancel(HoldArgs),
    Move(Move),
    GiveBack(GiveBack),
}

/// Names a hold.
#[derive(Args)]
pub(super) struct HoldArgs {
    /// The tenant\'s slug
    pub(super) tenant: Slug,
    /// The hold's id
    #[arg(value_name = "ID", value_parser = hold_id)]
    pub(super) hold: HoldId,
}

/// Place a hold: all lines or none
#[derive(Args)]
struct Place {
    /// The tenant\'s slug
    tenant: Slug,
    /// `RESOURCE[@DATE][=QUANTITY]`, as in double@2026-12-24 or t-shirt=2
    #[arg(value_name = "LINE", required = true, value_parser = hold_line)]
    lines: Vec<Line>,
    /// How long it lives [default: the tenant's policy]
    #[arg(long, value_name = "N")]
    lifetime_secs: Option<i64>,
    /// Who holds; limits are counted per owner
    #[arg(long)]
    owner: Option<OwnerName>,
    /// Your own name for it: a cart, an order
    #[arg(long)]
    reference: Option<Reference>,
    /// An object of yours, up to 16 KiB
    #[arg(long, value_name = "JSON", value_parser = object)]
    metadata: Option<Map<String, Value>>,
    /// Its id, a UUIDv7; the same id finds the same hold [default: a new one]
    #[arg(long, value_name = "UUID", value_parser = hold_id)]
    id: Option<HoldId>,
}

/// List holds by reference, or the live ones by expiry
#[derive(Args)]
#[command(group(clap::ArgGroup::new("which").required(true)))]
struct List {
    /// The tenant\'s slug
    tenant: Slug,
    /// Those with this reference, oldest first
    #[arg(long, group = "which")]
    reference: Option<Reference>,
    /// Those that live, the next to expire first
    #[arg(long, group = "which")]
    active: bool,
}

const HOLD: &[Show<Hold>] = &[
    both("hold", |hold, ()| hold.id.to_string()),
    both("state", |hold, ()| hold.state.to_string()),
    line("lines", |hold, ()| lines(&hold.lines.0)),
    line("kept", |hold, ()| match &hold.kept {
        None => String::new(),
        Some(kept) if kept.lines.0.is_empty() => "nothing".to_owned(),
        Some(kept) => {
            let how = match kept.mode {
                ConvertMode::Book => "booked",
                ConvertMode::Consume => "consumed",
            };
            format!("{} ({how})", lines(&kept.lines.0))
        }
    }),
    line("expires", |hold, ()| match hold.state {
        HoldState::Active => instant(hold.expires_at),
        HoldState::Converted | HoldState::Cancelled | HoldState::Expired => hold.expires_at.to_string(),
    }),
    column("expires", |hold, ()| some((hold.state == HoldState::Active).then(|| instant(hold.expires_at)))),
    both("owner", |hold, ()| some(hold.owner.as_ref())),
    both("reference", |hold, ()| some(hold.reference.as_ref())),
    column("lines", |hold, ()| lines(&hold.lines.0)),
    line("metadata", |hold, ()| some(hold.metadata.as_ref().map(Metadata::as_str))),
    line("placed", |hold, ()| hold.placed_at.to_string()),
    line("ended", |hold, ()| some(hold.ended_at)),
    line("version", |hold, ()| hold.version.to_string()),
];

impl Act for HoldCommand {
    const HINTS: Hints = Hints {
        by_code: &[
            (&["hold-not-found"], "`surehold hold list {tenant} --active` shows the live ones"),
            (&["hold-ended"], "place a new hold; an ended one does not come back"),
            (&["hold-id-reused"], "leave --id out to place another hold"),
            (&["hold-id-outside-window"], ID_OUTSIDE_WINDOW),
            (&["nothing-booked"], "only what was converted with --book can be moved or given back"),
            (&["lines-exceed-hold", "hold-not-due"], SAYS_ENOUGH),
        ],
        names: &[],
    };

    fn common(&self) -> &Common {
        &self.common
    }

    fn test(&self) -> bool {
        self.mode.test
    }

    async fn act(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let call = match &self.action {
            Action::List(list) => return list.run(desk).await,
            Action::Place(place) => return place.run(desk).await,
            Action::Show(HoldArgs { tenant, hold }) => kernel::hold(tenant, *hold),
            Action::Extend(extend) => extend.call(desk.screen),
            Action::Convert(convert) => convert.call(),
            Action::Cancel(HoldArgs { tenant, hold }) => kernel::cancel_hold(tenant, *hold),
            Action::Move(exchange) => exchange.call(desk.screen),
            Action::GiveBack(give_back) => give_back.call(desk.screen),
        };
        desk.detail(call, HOLD).await
    }
}

impl Place {
    async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let id = self.id.unwrap_or_else(new_id);
        let place = PlaceHold {
            id: Some(id),
            lines: self.lines.clone(),
            lifetime_secs: self.lifetime_secs,
            owner: self.owner.clone(),
            reference: self.reference.clone(),
            metadata: self.metadata.clone(),
        };
        let call = kernel::place_hold(&self.tenant, &place);
        desk.repeat_with(&format!("--id {id}")).detail(call, HOLD).await
    }
}

impl List {
    async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let call = kernel::holds(&self.tenant).query_if("reference", self.reference.as_ref());
        let call = call.query_if("state", self.active.then_some(HoldState::Active));
        desk.list(call, HOLD, "there are none").await
    }
}
