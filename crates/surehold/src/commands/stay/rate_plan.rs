//! `surehold stay rate-plan`

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::super::view::{fields, list, table, text};
use super::view::{cancellation, penalty};
use super::words::{self, rate_plan};
use super::{Desk, PropertyArgs};
use crate::client::ClientError;

#[derive(Subcommand)]
pub(super) enum RatePlanAction {
    Put(Put),
    /// List the rate plans of a property
    List(PropertyArgs),
}

/// Make a rate plan, or change one; what is left out stays as it is, and so does what was promised
#[derive(Args)]
pub(super) struct Put {
    #[command(flatten)]
    property: PropertyArgs,
    /// As in flexible
    #[arg(value_name = "RATE_PLAN", value_parser = rate_plan)]
    code: String,
    /// Cancelled free of charge until so many hours before check-in [default: never]
    #[arg(long, value_name = "N", conflicts_with = "never_free")]
    free_until_hours: Option<u32>,
    /// Cancelling always costs the penalty
    #[arg(long)]
    never_free: bool,
    /// What is kept after that: none, nights:N, percent:N or all; needed for a new one
    #[arg(long, value_name = "PENALTY", value_parser = words::penalty)]
    penalty: Option<Value>,
    /// What is kept of those who do not come [default: all]
    #[arg(long, value_name = "PENALTY", value_parser = words::penalty)]
    no_show: Option<Value>,
    /// What people call it [default: its code]
    #[arg(long)]
    title: Option<String>,
}

impl RatePlanAction {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        match self {
            RatePlanAction::Put(put) => put.run(desk).await,
            RatePlanAction::List(property) => {
                let answer = desk.ask(property.get(&["rate-plans"])).await?;
                let PropertyArgs { tenant, property } = property;
                if list(&answer.value()?["rate_plans"]).is_empty() {
                    desk.screen.note(&format!(
                        "there are none; `surehold stay rate-plan put {tenant} {property} flexible --penalty nights:1` \
                         makes one"
                    ));
                }
                desk.screen.show(&answer, |found| list_view(list(&found["rate_plans"])))
            }
        }
    }
}

impl Put {
    async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let known = desk.find(self.property.get(&["rate-plans", &self.code])).await?;
        let body = self.body(&known)?;
        desk.show(self.property.put(&["rate-plans", &self.code]).json(body), view).await
    }

    fn body(&self, known: &Value) -> Result<Value, ClientError> {
        let was = &known["cancellation"];
        let penalty = self.penalty.clone().or_else(|| was.get("penalty").cloned()).ok_or_else(|| {
            ClientError::Usage(format!("{} is new: --penalty none, nights:N, percent:N or all is needed", self.code))
        })?;
        let no_show = self.no_show.clone().or_else(|| was.get("no_show").cloned()).unwrap_or_else(|| json!("all"));
        let free = self.free_until_hours.map(Value::from).or_else(|| was.get("free_until_hours").cloned());
        let mut cancellation = json!({"penalty": penalty, "no_show": no_show});
        if let Some(free) = free.filter(|_| !self.never_free) {
            cancellation["free_until_hours"] = free;
        }
        let title = self.title.as_deref().or(known["title"].as_str()).unwrap_or(&self.code);
        Ok(json!({"title": title, "cancellation": cancellation}))
    }
}

fn view(plan: &Value) -> String {
    fields(&[
        ("rate plan", text(&plan["code"])),
        ("property", text(&plan["property"])),
        ("title", text(&plan["title"])),
        ("cancelled", cancellation(&plan["cancellation"])),
        ("no-show", penalty(&plan["cancellation"]["no_show"])),
        ("version", text(&plan["version"])),
    ])
}

fn list_view(found: &[Value]) -> String {
    if found.is_empty() {
        return String::new();
    }
    let row = |plan: &Value| {
        let policy = &plan["cancellation"];
        vec![text(&plan["code"]), text(&plan["title"]), cancellation(policy), penalty(&policy["no_show"])]
    };
    table(&["RATE PLAN", "TITLE", "CANCELLED", "NO-SHOW"], &[], found.iter().map(row))
}
