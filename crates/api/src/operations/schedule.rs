//! Schedules on the wire.

use serde_json::{Map, Value};
use surehold_core::kernel::Timestamp;
use surehold_core::operations::{self, ScheduleName};

use crate::describe::wire;

/// How many of the next instants are shown.
const UPCOMING_MAX: usize = 5;

/// What is asked for, and when.
#[wire]
#[schema(example = json!({
    "cron": "0 2 * * *", "zone": "America/Sao_Paulo", "type": "ANNOUNCE", "payload": {"topic": "night-audit", "data": {}},
    "correlations": ["propertyId=7"], "enabled": true
}))]
pub struct PutSchedule {
    /// Minute, hour, day of month, month and day of week, or a shortcut such as `@daily`.
    #[schema(max_length = 256)]
    pub cron: String,
    /// The time zone whose clock is meant.
    #[serde(default = "utc")]
    #[schema(required = false, max_length = 64, default = "UTC")]
    pub zone: String,
    /// The type of the operation that is asked for each time.
    #[schema(value_type = crate::described::TypeName)]
    pub r#type: String,
    /// What that type needs, up to 32 KiB. For `ANNOUNCE`: a `topic`, and `data` of your choice.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub payload: Map<String, Value>,
    /// What the operations have to do with, as in `propertyId=7`.
    #[serde(default)]
    #[schema(value_type = Vec<crate::described::Correlation>, max_items = 32)]
    pub correlations: Vec<String>,
    /// Whether it fires.
    #[serde(default = "yes")]
    #[schema(default = true)]
    pub enabled: bool,
}

fn utc() -> String {
    "UTC".to_owned()
}

fn yes() -> bool {
    true
}

#[wire]
pub struct Schedule {
    pub name: ScheduleName,
    #[schema(example = "0 2 * * *")]
    pub cron: String,
    #[schema(example = "America/Sao_Paulo")]
    pub zone: String,
    #[schema(example = "ANNOUNCE")]
    pub r#type: String,
    #[schema(value_type = Object)]
    pub payload: Value,
    pub correlations: Vec<String>,
    pub enabled: bool,
    /// When it fires next; absent when it does not.
    pub next_at: Option<Timestamp>,
    /// The next five instants, the first one being `next_at`.
    pub upcoming: Vec<Timestamp>,
    /// When it last fired.
    pub last_fired_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub version: i64,
}

impl From<operations::Schedule> for Schedule {
    fn from(schedule: operations::Schedule) -> Schedule {
        Schedule {
            upcoming: schedule.upcoming().take(UPCOMING_MAX).collect(),
            name: schedule.name,
            cron: schedule.cron.to_string(),
            zone: schedule.zone.to_string(),
            r#type: schedule.kind.to_string(),
            payload: schedule.payload.read().unwrap_or_default(),
            correlations: schedule.correlations.iter().map(ToString::to_string).collect(),
            enabled: schedule.enabled,
            next_at: schedule.next_at,
            last_fired_at: schedule.last_fired_at,
            created_at: schedule.created_at,
            version: schedule.version,
        }
    }
}

#[wire(page)]
pub struct SchedulePage {
    pub schedules: Vec<Schedule>,
}
