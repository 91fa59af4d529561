//! `surehold op`: what became of operations, and what people do about them.

use clap::{ArgGroup, Args, Subcommand};
use serde_json::json;
use surehold_core::operations::{Correlation, OperationState, TypeName};

use super::input::{Acting, TestMode, operation_key, slug};
use super::op_view::{acted, operation, operations, settled};
use super::pages::show_all;
use super::screen::Screen;
use super::timeline_view::timeline;
use super::{Act, Common};
use crate::client::{Client, ClientError, Request};

/// List and look at operations; run, cancel, redrive and settle them
#[derive(Args)]
pub(crate) struct OpCommand {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    mode: TestMode,
    #[command(flatten)]
    common: Common,
}

#[derive(Subcommand)]
enum Action {
    List(List),
    /// Show an operation with its calls to the outside and its history
    Show(OpArgs),
    /// Run a waiting operation at once
    Retry(OpAct),
    /// Give an operation up: it is not done, and nobody need look at it again
    Cancel(OpAct),
    /// Do a dead operation anew; what is confirmed stays
    Redrive(OpAct),
    Settle(Settle),
    /// Show everything about something as one line of time
    Timeline {
        /// The tenant's slug
        #[arg(value_parser = slug)]
        tenant: String,
        /// What it is about, as in purchaseId=4711
        #[arg(value_name = "KIND=VALUE", value_parser = correlation)]
        correlation: String,
    },
}

fn correlation(text: &str) -> Result<String, String> {
    Correlation::parse(text).map(|correlation| correlation.to_string()).map_err(|invalid| invalid.to_string())
}

fn type_name(text: &str) -> Result<String, String> {
    TypeName::new(text).map(|name| name.to_string()).map_err(|invalid| invalid.to_string())
}

/// Spelled as people do: any case, `-` for `_`.
fn state(text: &str) -> Result<&'static str, String> {
    let state = OperationState::parse(&text.to_ascii_uppercase().replace('-', "_"));
    let known = OperationState::ALL.iter().map(|state| state.as_str()).collect::<Vec<_>>().join(", ");
    state.map(OperationState::as_str).ok_or_else(|| format!("the states are {known}"))
}

/// List operations by state, or those that have to do with something
#[derive(Args)]
#[command(group(ArgGroup::new("which").required(true)))]
struct List {
    /// The tenant's slug
    #[arg(value_parser = slug)]
    tenant: String,
    /// pending, running, failed, dead-letter, or succeeded with a --type
    #[arg(long, group = "which", value_parser = state)]
    state: Option<&'static str>,
    /// Those that have to do with this, as in purchaseId=4711
    #[arg(long, value_name = "KIND=VALUE", group = "which", value_parser = correlation)]
    correlation: Option<String>,
    /// Only those of this type
    #[arg(long, value_name = "TYPE", value_parser = type_name, requires = "state")]
    r#type: Option<String>,
    /// Dead ones also if somebody has dealt with them
    #[arg(long, requires = "state")]
    include_resolved: bool,
}

impl List {
    fn request(&self) -> Request {
        let request = Request::get(&["v1", &self.tenant, "operations"]);
        let request = request.query_if("state", self.state).query_if("type", self.r#type.as_deref());
        let request = request.query_if("correlation", self.correlation.as_deref());
        request.query_if("include_resolved", self.include_resolved.then_some("true"))
    }
}

/// Names an operation.
#[derive(Args)]
struct OpArgs {
    /// The tenant's slug
    #[arg(value_parser = slug)]
    tenant: String,
    /// Its type, as lists show it
    #[arg(value_name = "TYPE", value_parser = type_name)]
    kind: String,
    /// Its key, as lists show it
    #[arg(id = "operation_key", value_name = "KEY", value_parser = operation_key)]
    key: String,
}

impl OpArgs {
    fn get(&self) -> Request {
        Request::get(&["v1", &self.tenant, "operations", &self.kind, &self.key])
    }

    fn post(&self, action: &str) -> Request {
        Request::post(&["v1", &self.tenant, "operations", &self.kind, &self.key, action])
    }
}

#[derive(Args)]
struct OpAct {
    #[command(flatten)]
    operation: OpArgs,
    #[command(flatten)]
    acting: Acting,
}

impl OpAct {
    fn request(&self, action: &str) -> Result<Request, ClientError> {
        Ok(self.operation.post(action).json(self.acting.json()?))
    }
}

/// Say what became of a call to the outside that is in doubt
#[derive(Args)]
#[command(group(ArgGroup::new("verdict").required(true)))]
struct Settle {
    #[command(flatten)]
    operation: OpArgs,
    /// Which of its calls, counted from 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    step: u16,
    /// It happened; the provider calls it this
    #[arg(long, value_name = "REF", group = "verdict")]
    happened: Option<String>,
    /// It did not happen, and will not
    #[arg(long, group = "verdict")]
    did_not_happen: bool,
    #[command(flatten)]
    acting: Acting,
}

impl Settle {
    fn request(&self) -> Result<Request, ClientError> {
        let mut body = self.acting.json()?;
        body["step"] = self.step.into();
        match &self.happened {
            Some(provider_ref) => {
                body["verdict"] = json!("happened");
                body["provider_ref"] = json!(provider_ref);
            }
            None => body["verdict"] = json!("did_not_happen"),
        }
        Ok(self.operation.post("settle").json(body))
    }
}

impl Act for OpCommand {
    fn common(&self) -> &Common {
        &self.common
    }

    async fn act(&self, client: &Client, screen: &Screen) -> Result<(), ClientError> {
        let (request, view): (Request, fn(&serde_json::Value) -> String) = match &self.action {
            Action::List(list) => {
                let request = list.request().test(self.mode.test);
                return show_all(client, *screen, &request, "operations", operations, "there are none").await;
            }
            Action::Timeline { tenant, correlation } => {
                let request = Request::get(&["v1", tenant, "timeline"]).query("correlation", correlation);
                let answer = client.send(&request.test(self.mode.test)).await?;
                if !screen.json {
                    let value = answer.value()?;
                    if value["entries"].as_array().is_none_or(Vec::is_empty) {
                        screen.note("nothing is known of it");
                    } else if value["cut"] == true {
                        screen.note("there is more than is shown");
                    }
                }
                return screen.show(&answer, timeline);
            }
            Action::Show(args) => (args.get(), operation),
            Action::Retry(act) => (act.request("retry")?, acted),
            Action::Cancel(act) => (act.request("cancel")?, acted),
            Action::Redrive(act) => (act.request("redrive")?, acted),
            Action::Settle(settle) => (settle.request()?, settled),
        };
        let answer = client.send(&request.test(self.mode.test)).await?;
        screen.show(&answer, view)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_as_people_write_them() {
        for (text, expected) in [("FAILED", "FAILED"), ("dead-letter", "DEAD_LETTER"), ("Dead_Letter", "DEAD_LETTER")] {
            assert_eq!(state(text), Ok(expected));
        }
        assert!(state("dead").unwrap_err().contains("PENDING, RUNNING"));
    }
}
