//! A schedule: what is asked for again and again, when, and when next.

use serde::{Deserialize, Serialize};

use crate::kernel::{JsonList, Record, Timestamp};
use crate::operations::{Correlation, Cron, Payload, ScheduleName, TimeZoneName, TypeName};

/// How many due schedules are looked at together. More than are fired together, so that some of a type that is not
/// known here do not hide the others.
const DUE_RECORDS_MAX: usize = 200;

/// Nothing but the name is fixed: a schedule may be removed and put again in one batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(
    table = "schedules",
    due(column = "next_at", filter = "next_at is not null", records_max = DUE_RECORDS_MAX, at = self.next_at)
)]
pub struct Schedule {
    #[column(key)]
    pub name: ScheduleName,
    pub cron: Cron,
    pub zone: TimeZoneName,
    /// The type of the operations that it asks for.
    #[serde(rename = "type")]
    #[column(name = "type")]
    pub kind: TypeName,
    pub payload: Payload,
    pub correlations: JsonList<Correlation>,
    pub enabled: bool,
    /// `None` while it is disabled, and when the calendar ends before it fires again.
    pub next_at: Option<Timestamp>,
    /// When it was last noticed that it was due.
    pub last_fired_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub version: i64,
}

impl Schedule {
    /// The next instants at which it fires, unless it is changed before.
    pub fn upcoming(&self) -> impl Iterator<Item = Timestamp> {
        std::iter::successors(self.next_at, |at| self.cron.next_after(&self.zone, *at))
    }
}
