//! `surehold schedule`

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::input::{TestMode, cron, schedule_name, slug, zone};
use super::pages::show_all;
use super::screen::Screen;
use super::view::{fields, instant, list, table, text};
use super::{Act, Common};
use crate::client::{Client, ClientError, Request};

/// Put, list, look at and remove schedules
#[derive(Args)]
pub(crate) struct ScheduleCommand {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    mode: TestMode,
    #[command(flatten)]
    common: Common,
}

#[derive(Subcommand)]
enum Action {
    Put(Put),
    /// List schedules, by name
    List {
        /// The tenant's slug
        #[arg(value_parser = slug)]
        tenant: String,
    },
    /// Show a schedule and its next instants
    Show {
        #[command(flatten)]
        schedule: ScheduleArgs,
    },
    /// Remove a schedule; what it has asked for already is carried out
    Remove {
        #[command(flatten)]
        schedule: ScheduleArgs,
    },
}

/// Names a schedule.
#[derive(Args)]
struct ScheduleArgs {
    /// The tenant's slug
    #[arg(value_parser = slug)]
    tenant: String,
    /// As in night-audit
    #[arg(value_parser = schedule_name)]
    name: String,
}

impl ScheduleArgs {
    fn segments(&self) -> [&str; 4] {
        ["v1", &self.tenant, "schedules", &self.name]
    }
}

/// Create or replace a schedule
#[derive(Args)]
struct Put {
    #[command(flatten)]
    schedule: ScheduleArgs,
    /// When: minute, hour, day of month, month and day of week, or a shortcut such as @daily
    #[arg(value_parser = cron)]
    cron: String,
    /// The time zone whose clock is meant
    #[arg(long, value_name = "ZONE", default_value = "UTC", value_parser = zone)]
    zone: String,
    /// The type of the operation that is asked for each time
    #[arg(long = "type", value_name = "TYPE", default_value = "ANNOUNCE")]
    kind: String,
    /// Announce on this topic; short for a payload with it
    #[arg(long, value_name = "TEXT", conflicts_with = "payload")]
    topic: Option<String>,
    /// What is announced with the topic, a JSON object
    #[arg(long, value_name = "JSON", requires = "topic", value_parser = object)]
    details: Option<Value>,
    /// What the type needs, a JSON object
    #[arg(long, value_name = "JSON", value_parser = object)]
    payload: Option<Value>,
    /// What its operations have to do with, as in propertyId=7; may be repeated
    #[arg(long, value_name = "KIND=VALUE")]
    correlation: Vec<String>,
    /// Do not fire for now
    #[arg(long)]
    disabled: bool,
}

fn object(text: &str) -> Result<Value, String> {
    let value = serde_json::from_str(text).ok().filter(Value::is_object);
    value.ok_or_else(|| "write a JSON object like {\"a\":1}".to_owned())
}

impl Put {
    fn body(&self) -> Value {
        let payload = match (&self.topic, &self.payload) {
            (Some(topic), _) => json!({"topic": topic, "data": self.details.clone().unwrap_or_else(|| json!({}))}),
            (None, Some(payload)) => payload.clone(),
            (None, None) => json!({}),
        };
        json!({
            "cron": self.cron,
            "zone": self.zone,
            "type": self.kind,
            "payload": payload,
            "correlations": self.correlation,
            "enabled": !self.disabled,
        })
    }
}

impl Act for ScheduleCommand {
    fn common(&self) -> &Common {
        &self.common
    }

    async fn act(&self, client: &Client, screen: &Screen) -> Result<(), ClientError> {
        let test = self.mode.test;
        match &self.action {
            Action::Put(put) => {
                let request = Request::put(&put.schedule.segments()).test(test).json(put.body());
                screen.show(&client.send(&request).await?, schedule)
            }
            Action::List { tenant } => {
                let request = Request::get(&["v1", tenant, "schedules"]).test(test);
                let none = format!(
                    "there are none; `surehold schedule put {tenant} NAME '0 2 * * *' --zone ZONE --topic TOPIC` makes one"
                );
                show_all(client, *screen, &request, "schedules", schedules, &none).await
            }
            Action::Show { schedule: named } => {
                let answer = client.send(&Request::get(&named.segments()).test(test)).await?;
                screen.show(&answer, schedule)
            }
            Action::Remove { schedule: named } => {
                let answer = client.send(&Request::delete(&named.segments()).test(test)).await?;
                screen.show(&answer, |_| format!("removed {}\n", named.name))
            }
        }
    }
}

fn next(schedule: &Value) -> String {
    match (&schedule["enabled"], &schedule["next_at"]) {
        (Value::Bool(false), _) => "disabled".to_owned(),
        (_, Value::Null) => "never".to_owned(),
        (_, at) => instant(at),
    }
}

fn joined(values: &Value) -> String {
    list(values).iter().map(text).collect::<Vec<_>>().join(", ")
}

fn schedule(schedule: &Value) -> String {
    let later: Vec<String> = list(&schedule["upcoming"]).iter().skip(1).map(text).collect();
    fields(&[
        ("schedule", text(&schedule["name"])),
        ("cron", text(&schedule["cron"])),
        ("zone", text(&schedule["zone"])),
        ("type", text(&schedule["type"])),
        ("payload", text(&schedule["payload"])),
        ("correlations", joined(&schedule["correlations"])),
        ("next", next(schedule)),
        ("then", later.join(", ")),
        ("last_fired", text(&schedule["last_fired_at"])),
        ("version", text(&schedule["version"])),
    ])
}

fn schedules(schedules: &[Value]) -> String {
    let row = |schedule: &Value| {
        let named = ["name", "cron", "zone", "type"].map(|name| text(&schedule[name]));
        named.into_iter().chain([next(schedule)]).collect()
    };
    table(&["SCHEDULE", "CRON", "ZONE", "TYPE", "NEXT"], &[], schedules.iter().map(row))
}
