//! The latest repair of something.

use smol_str::SmolStr;

use crate::kernel::{Column, ColumnType, Columns, Corrupt, Record, Row, Table, Timestamp, Value};
use crate::operations::{Actor, Reason};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepairRecord {
    /// What was repaired, as in `pool room@2027-01-01`.
    pub target: SmolStr,
    /// How often it was repaired.
    pub number: i64,
    pub at: Timestamp,
    pub actor: Actor,
    pub reason: Reason,
    pub version: i64,
}

impl Record for RepairRecord {
    const TABLE: &'static Table = &Table {
        name: "repairs",
        columns: &[
            Column::fixed("target", ColumnType::Text),
            Column::changing("number", ColumnType::Int),
            Column::changing("at", ColumnType::Time),
            Column::changing("actor", ColumnType::Text),
            Column::changing("reason", ColumnType::Text),
        ],
        key_columns: 1,
        due: None,
    };

    type Key = SmolStr;

    fn key(&self) -> SmolStr {
        self.target.clone()
    }

    fn write_key<'a>(target: &'a SmolStr, out: &mut dyn Columns<'a>) {
        out.put(Value::Text(target));
    }

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        out.put(Value::Text(&self.target));
        out.put(Value::Int(self.number));
        out.put(Value::Time(self.at));
        out.put(Value::Text(self.actor.as_str()));
        out.put(Value::Text(self.reason.as_str()));
    }

    fn read(row: &mut dyn Row) -> Result<RepairRecord, Corrupt> {
        Ok(RepairRecord {
            target: row.text()?.into(),
            number: row.int()?,
            at: row.time()?,
            actor: Actor::stored(row.text()?),
            reason: Reason::stored(row.text()?),
            version: row.int()?,
        })
    }

    fn version(&self) -> i64 {
        self.version
    }

    fn set_version(&mut self, version: i64) {
        self.version = version;
    }
}
