//! `surehold hold`: placing and looking. What happens to a hold afterwards is in `hold_actions.rs`.

use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::hold_actions::{Convert, Extend, GiveBack, Move};
use super::input::{Line, TestMode, hold_id, lines_json, slug};
use super::pages::show_all;
use super::screen::Screen;
use super::view::{hold, holds};
use super::{Act, Common};
use crate::client::{Client, ClientError, Request};

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
    #[arg(value_parser = slug)]
    pub(super) tenant: String,
    /// The hold's id
    #[arg(value_name = "ID", value_parser = hold_id)]
    pub(super) hold: Uuid,
}

impl HoldArgs {
    fn get(&self) -> Request {
        Request::get(&["v1", &self.tenant, "holds", &self.hold.to_string()])
    }

    pub(super) fn post(&self, action: &str) -> Request {
        Request::post(&["v1", &self.tenant, "holds", &self.hold.to_string(), action])
    }
}

/// Place a hold: all lines or none
#[derive(Args)]
struct Place {
    /// The tenant\'s slug
    #[arg(value_parser = slug)]
    tenant: String,
    /// `RESOURCE[@DATE][=QUANTITY]`, as in double@2026-12-24 or t-shirt=2
    #[arg(value_name = "LINE", required = true, value_parser = Line::parse)]
    lines: Vec<Line>,
    /// How long it lives [default: the tenant's policy]
    #[arg(long, value_name = "N")]
    lifetime_secs: Option<i64>,
    /// Who holds; limits are counted per owner
    #[arg(long)]
    owner: Option<String>,
    /// Your own name for it: a cart, an order
    #[arg(long)]
    reference: Option<String>,
    /// An object of yours, up to 16 KiB
    #[arg(long, value_name = "JSON", value_parser = object)]
    metadata: Option<Map<String, Value>>,
    /// Its id, a UUIDv7; the same id finds the same hold [default: a new one]
    #[arg(long, value_name = "UUID", value_parser = hold_id)]
    id: Option<Uuid>,
}

fn object(text: &str) -> Result<Map<String, Value>, String> {
    serde_json::from_str(text).map_err(|error| format!("write a JSON object like {{\"cart\": 7}}: {error}"))
}

/// List holds by reference, or the live ones by expiry
#[derive(Args)]
#[command(group(clap::ArgGroup::new("which").required(true)))]
struct List {
    /// The tenant\'s slug
    #[arg(value_parser = slug)]
    tenant: String,
    /// Those with this reference, oldest first
    #[arg(long, group = "which")]
    reference: Option<String>,
    /// Those that live, the next to expire first
    #[arg(long, group = "which")]
    active: bool,
}

impl Act for HoldCommand {
    fn common(&self) -> &Common {
        &self.common
    }

    async fn act(&self, client: &Client, screen: &Screen) -> Result<(), ClientError> {
        let request = match &self.action {
            Action::List(list) => {
                let request = list.request().test(self.mode.test);
                return show_all(client, *screen, &request, "holds", |found| holds(found), "there are none").await;
            }
            Action::Place(place) => place.request(),
            Action::Show(args) => args.get(),
            Action::Extend(extend) => extend.request(*screen),
            Action::Convert(convert) => convert.request(),
            Action::Cancel(args) => args.post("cancel"),
            Action::Move(exchange) => exchange.request(*screen),
            Action::GiveBack(give_back) => give_back.request(*screen),
        };
        let answer = client.send(&request.test(self.mode.test)).await?;
        screen.show(&answer, hold)
    }
}

impl Place {
    fn request(&self) -> Request {
        let id = self.id.unwrap_or_else(Uuid::now_v7);
        let mut body = json!({"id": id, "lines": lines_json(&self.lines)});
        if let Some(secs) = self.lifetime_secs {
            body["lifetime_secs"] = secs.into();
        }
        for (name, value) in [("owner", &self.owner), ("reference", &self.reference)] {
            if let Some(value) = value {
                body[name] = value.as_str().into();
            }
        }
        if let Some(metadata) = &self.metadata {
            body["metadata"] = metadata.clone().into();
        }
        Request::post(&["v1", &self.tenant, "holds"]).json(body).repeat_with(format!("--id {id}"))
    }
}

impl List {
    fn request(&self) -> Request {
        let request = Request::get(&["v1", &self.tenant, "holds"]);
        let request = request.query_if("reference", self.reference.as_deref());
        request.query_if("state", self.active.then_some("active"))
    }
}
