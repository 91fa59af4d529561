//! `surehold schedule`

use clap::{Args, Subcommand};
use serde_json::{Map, Value};
use surehold_api::operations::{self, PutSchedule, Schedule};
use surehold_core::kernel::Slug;
use surehold_core::operations::{Cron, ScheduleName, TimeZoneName};

use super::desk::Desk;
use super::hints::Hints;
use super::input::{TestMode, object};
use super::show::{Show, both, details, joined, line, some};
use super::view::instant;
use super::{Act, Common};
use crate::client::ClientError;

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
    Put(Box<Put>),
    /// List schedules, by name
    List {
        /// The tenant's slug
        tenant: Slug,
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
    tenant: Slug,
    /// As in night-audit
    name: ScheduleName,
}

/// Create or replace a schedule
#[derive(Args)]
struct Put {
    #[command(flatten)]
    schedule: ScheduleArgs,
    /// When: minute, hour, day of month, month and day of week, or a shortcut such as @daily
    #[arg(value_parser = Cron::parse)]
    cron: Cron,
    /// The time zone whose clock is meant
    #[arg(long, value_name = "ZONE", default_value = "UTC", value_parser = TimeZoneName::parse)]
    zone: TimeZoneName,
    /// The type of the operation that is asked for each time
    #[arg(long = "type", value_name = "TYPE", default_value = "ANNOUNCE")]
    kind: String,
    /// Announce on this topic; short for a payload with it
    #[arg(long, value_name = "TEXT", conflicts_with = "payload")]
    topic: Option<String>,
    /// What is announced with the topic, a JSON object
    #[arg(long, value_name = "JSON", requires = "topic", value_parser = object)]
    details: Option<Map<String, Value>>,
    /// What the type needs, a JSON object
    #[arg(long, value_name = "JSON", value_parser = object)]
    payload: Option<Map<String, Value>>,
    /// What its operations have to do with, as in propertyId=7; may be repeated
    #[arg(long, value_name = "KIND=VALUE")]
    correlation: Vec<String>,
    /// Do not fire for now
    #[arg(long)]
    disabled: bool,
}

impl Put {
    fn wanted(&self) -> PutSchedule {
        let payload = match (&self.topic, &self.payload) {
            (Some(topic), _) => {
                let data = Value::Object(self.details.clone().unwrap_or_default());
                [("topic".to_owned(), topic.as_str().into()), ("data".to_owned(), data)].into_iter().collect()
            }
            (None, Some(payload)) => payload.clone(),
            (None, None) => Map::new(),
        };
        PutSchedule {
            cron: self.cron.to_string(),
            zone: self.zone.to_string(),
            r#type: self.kind.clone(),
            payload,
            correlations: self.correlation.clone(),
            enabled: !self.disabled,
        }
    }
}

impl Act for ScheduleCommand {
    const HINTS: Hints = Hints {
        by_code: &[(&["schedule-not-found"], "`surehold schedule list {tenant}` shows what there is")],
        names: &[],
    };

    fn common(&self) -> &Common {
        &self.common
    }

    fn test(&self) -> bool {
        self.mode.test
    }

    async fn act(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let one = |schedule: &Schedule| details(SCHEDULE, schedule, &());
        match &self.action {
            Action::Put(put) => {
                let ScheduleArgs { tenant, name } = &put.schedule;
                desk.present(operations::put_schedule(tenant, name, &put.wanted()), one).await
            }
            Action::List { tenant } => {
                let none = format!(
                    "there are none; `surehold schedule put {tenant} NAME '0 2 * * *' --zone ZONE --topic TOPIC` makes one"
                );
                desk.list(operations::schedules(tenant), SCHEDULE, &none).await
            }
            Action::Show { schedule: ScheduleArgs { tenant, name } } => {
                desk.present(operations::schedule(tenant, name), one).await
            }
            Action::Remove { schedule: ScheduleArgs { tenant, name } } => {
                desk.present(operations::remove_schedule(tenant, name), |_| format!("removed {name}\n")).await
            }
        }
    }
}

const SCHEDULE: &[Show<Schedule>] = &[
    both("schedule", |schedule, ()| schedule.name.to_string()),
    both("cron", |schedule, ()| schedule.cron.clone()),
    both("zone", |schedule, ()| schedule.zone.clone()),
    both("type", |schedule, ()| schedule.r#type.clone()),
    line("payload", |schedule, ()| schedule.payload.to_string()),
    line("correlations", |schedule, ()| joined(&schedule.correlations, ", ")),
    both("next", |schedule, ()| match (schedule.enabled, schedule.next_at) {
        (false, _) => "disabled".to_owned(),
        (true, None) => "never".to_owned(),
        (true, Some(at)) => instant(at),
    }),
    line("then", |schedule, ()| joined(schedule.upcoming.iter().skip(1), ", ")),
    line("last_fired", |schedule, ()| some(schedule.last_fired_at)),
    line("version", |schedule, ()| schedule.version.to_string()),
];
