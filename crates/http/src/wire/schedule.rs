//! Schedules on the wire.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use surehold_core::kernel::{Invalid, Timestamp};
use surehold_core::operations::{
    self, Correlation, Cron, OperationInvalid, Payload, ScheduleName, TimeZoneName, TypeName,
};
use surehold_engine::Registry;

use crate::describe::ToSchema;

/// How many of the next instants are shown.
const UPCOMING_MAX: usize = 5;

/// What is asked for, and when.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct PutSchedule {
    /// Minute, hour, day of month, month and day of week, or a shortcut such as `@daily`.
    #[schema(max_length = 256, example = "0 2 * * *")]
    cron: String,
    /// The time zone whose clock is meant.
    #[serde(default = "utc")]
    #[schema(required = false, max_length = 64, default = "UTC", example = "America/Sao_Paulo")]
    zone: String,
    /// The type of the operation that is asked for each time.
    #[schema(value_type = super::described::OperationType, example = "ANNOUNCE")]
    r#type: String,
    /// What that type needs, up to 32 KiB. For `ANNOUNCE`: a `topic`, and `data` of your choice.
    #[serde(default)]
    #[schema(value_type = Object, required = false, example = json!({"topic": "night-audit", "data": {}}))]
    payload: Map<String, Value>,
    /// What the operations have to do with, as in `propertyId=7`.
    #[serde(default)]
    #[schema(value_type = Vec<super::described::Correlation>, required = false, max_items = 32)]
    correlations: Vec<String>,
    /// Whether it fires.
    #[serde(default = "yes")]
    #[schema(required = false, default = true)]
    enabled: bool,
}

fn utc() -> String {
    "UTC".to_owned()
}

fn yes() -> bool {
    true
}

impl PutSchedule {
    pub(crate) fn into_command(
        self,
        name: ScheduleName,
        registry: &Registry,
    ) -> Result<operations::PutSchedule, Invalid> {
        let kind = TypeName::new(&self.r#type)?;
        let registered = registry.schedulable(&kind).ok_or_else(|| {
            let schedulable = registry.schedulable_kinds().map(|kind| kind.name).collect::<Vec<_>>().join(", ");
            OperationInvalid::NotSchedulable { kind: kind.to_string(), schedulable }
        })?;
        let (cron, zone) = (Cron::parse(&self.cron)?, TimeZoneName::parse(&self.zone)?);
        let payload = Payload::new(&Value::Object(self.payload))?;
        registered.check(&payload)?;
        let correlations = self.correlations.iter().map(|text| Correlation::parse(text)).collect::<Result<_, _>>()?;
        let put = operations::PutSchedule::new(name, cron, zone, registered.kind(), payload)?;
        Ok(put.correlations(correlations)?.enabled(self.enabled))
    }
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Schedule {
    #[schema(value_type = super::described::ScheduleName)]
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
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub next_at: Option<Timestamp>,
    /// The next five instants, the first one being `next_at`.
    #[schema(value_type = Vec<String>)]
    pub upcoming: Vec<Timestamp>,
    /// When it last fired.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub last_fired_at: Option<Timestamp>,
    #[schema(value_type = String, format = DateTime)]
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

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SchedulePage {
    pub schedules: Vec<Schedule>,
    /// Give it as `after` to get what follows; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}
