//! A schedule: what is asked for again and again, when, and when next.

use serde::{Deserialize, Serialize};

use crate::kernel::{Column, ColumnType, Columns, Corrupt, Due, JsonList, Record, Row, Table, Timestamp, Value};

use super::versioned;
use crate::operations::{Correlation, Cron, Payload, ScheduleName, TimeZoneName, TypeName};

/// How many due schedules are looked at together. More than are fired together, so that some of a type that is not
/// known here do not hide the others.
const DUE_RECORDS_MAX: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    pub name: ScheduleName,
    pub cron: Cron,
    pub zone: TimeZoneName,
    /// The type of the operations that it asks for.
    #[serde(rename = "type")]
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

impl Record for Schedule {
    // Nothing but the name is fixed: a schedule may be removed and put again in one batch.
    const TABLE: &'static Table = &Table {
        name: "schedules",
        columns: &[
            Column::fixed("name", ColumnType::Text),
            Column::changing("cron", ColumnType::Text),
            Column::changing("zone", ColumnType::Text),
            Column::changing("type", ColumnType::Text),
            Column::changing("payload", ColumnType::Json),
            Column::changing("correlations", ColumnType::Json),
            Column::changing("enabled", ColumnType::Bool),
            Column::changing("next_at", ColumnType::Time),
            Column::changing("last_fired_at", ColumnType::Time),
            Column::changing("created_at", ColumnType::Time),
        ],
        key_columns: 1,
        due: Some(Due { column: "next_at", filter: "next_at is not null", records_max: DUE_RECORDS_MAX }),
    };

    type Key = ScheduleName;

    fn key(&self) -> ScheduleName {
        self.name.clone()
    }

    fn write_key<'a>(name: &'a ScheduleName, out: &mut dyn Columns<'a>) {
        out.put(Value::Text(name.as_str()));
    }

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        out.put(Value::Text(self.name.as_str()));
        out.put(Value::Text(self.cron.as_str()));
        out.put(Value::Text(self.zone.as_str()));
        out.put(Value::Text(self.kind.as_str()));
        out.put(Value::Text(self.payload.as_str()));
        out.put_text(self.correlations.as_json());
        out.put(Value::Bool(self.enabled));
        out.put_time(self.next_at);
        out.put_time(self.last_fired_at);
        out.put(Value::Time(self.created_at));
    }

    fn read(row: &mut dyn Row) -> Result<Schedule, Corrupt> {
        Ok(Schedule {
            name: ScheduleName::stored(row.text()?),
            cron: Cron::parse(row.text()?).map_err(|error| Corrupt::new(error.to_string()))?,
            zone: TimeZoneName::parse(row.text()?).map_err(|invalid| Corrupt::new(invalid.to_string()))?,
            kind: TypeName::stored(row.text()?),
            payload: Payload::stored(row.text()?),
            correlations: JsonList::stored(row.text_or_null()?)?,
            enabled: row.bool()?,
            next_at: row.time_or_null()?,
            last_fired_at: row.time_or_null()?,
            created_at: row.time()?,
            version: row.int()?,
        })
    }

    fn due_at(&self) -> Option<Timestamp> {
        self.next_at
    }

    versioned!();
}
