//! `surehold case`: what a person must look at.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::input::{Acting, TestMode, slug, this_user};
use super::pages::show_all;
use super::screen::Screen;
use super::view::{ago, fields, instant, list, table, text};
use super::{Act, Common};
use crate::client::{Client, ClientError, Request};

/// List, look at, assign and resolve cases: what a person must look at
#[derive(Args)]
pub(crate) struct CaseCommand {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    mode: TestMode,
    #[command(flatten)]
    common: Common,
}

#[derive(Subcommand)]
enum Action {
    /// List the open cases, the longest open first
    List {
        /// The tenant's slug
        #[arg(value_parser = slug)]
        tenant: String,
        /// The resolved ones instead
        #[arg(long)]
        resolved: bool,
    },
    /// Show a case
    Show(CaseArgs),
    /// Give a case to somebody
    Assign {
        #[command(flatten)]
        case: CaseArgs,
        /// To whom [default: $USER]
        #[arg(long, value_name = "NAME")]
        to: Option<String>,
    },
    /// Resolve a case
    Resolve {
        #[command(flatten)]
        case: CaseArgs,
        #[command(flatten)]
        acting: Acting,
    },
}

/// Names a case.
#[derive(Args)]
struct CaseArgs {
    /// The tenant's slug
    #[arg(value_parser = slug)]
    tenant: String,
    /// Its kind, as in effect-unknown
    kind: String,
    /// Its key, as lists show it
    #[arg(id = "case_key", value_name = "KEY", required = true, num_args = 1..)]
    key: Vec<String>,
}

impl CaseArgs {
    /// A key of several words need not be quoted.
    fn key(&self) -> String {
        self.key.join(" ")
    }

    fn get(&self) -> Request {
        Request::get(&["v1", &self.tenant, "cases", &self.kind, &self.key()])
    }

    fn post(&self, action: &str) -> Request {
        Request::post(&["v1", &self.tenant, "cases", &self.kind, &self.key(), action])
    }
}

impl Act for CaseCommand {
    fn common(&self) -> &Common {
        &self.common
    }

    async fn act(&self, client: &Client, screen: &Screen) -> Result<(), ClientError> {
        let request = match &self.action {
            Action::List { tenant, resolved } => {
                let state = if *resolved { "resolved" } else { "open" };
                let request = Request::get(&["v1", tenant, "cases"]).query("state", state).test(self.mode.test);
                return show_all(client, *screen, &request, "cases", cases, "there are none").await;
            }
            Action::Show(case) => case.get(),
            Action::Assign { case, to } => {
                let to = to.clone().map_or_else(this_user, Ok)?;
                case.post("assign").json(json!({"to": to}))
            }
            Action::Resolve { case, acting } => case.post("resolve").json(acting.json()?),
        };
        let answer = client.send(&request.test(self.mode.test)).await?;
        screen.show(&answer, view)
    }
}

fn cases(found: &[Value]) -> String {
    let row = |case: &Value| {
        let names = ["kind", "key", "reports", "assigned_to"];
        let mut row: Vec<String> = names.iter().map(|name| text(&case[*name])).collect();
        row.insert(2, ago(&case["opened_at"]));
        row
    };
    table(&["KIND", "KEY", "OPENED", "REPORTS", "ASSIGNED"], &[3], found.iter().map(row))
}

fn view(case: &Value) -> String {
    let correlations: Vec<String> = list(&case["correlations"]).iter().map(text).collect();
    fields(&[
        ("case", format!("{} {}", text(&case["kind"]), text(&case["key"]))),
        ("state", text(&case["state"])),
        ("summary", text(&case["summary"])),
        ("about", correlations.join(" ")),
        ("opened", instant(&case["opened_at"])),
        ("reports", text(&case["reports"])),
        ("last report", instant(&case["reported_at"])),
        ("assigned", text(&case["assigned_to"])),
        ("resolved", instant(&case["resolved_at"])),
        ("resolved by", text(&case["resolved_by"])),
        ("resolution", text(&case["resolution"])),
    ])
}
