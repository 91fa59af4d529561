//! An operation that will not be tried again by itself. Stays until somebody has dealt with it, and after.

use smol_str::SmolStr;

use crate::kernel::{Column, ColumnType, Columns, Corrupt, Record, Row, Table, Timestamp, Value};

use super::{number, versioned};
use crate::operations::{Actor, OperationKey, Reason};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadLetter {
    pub key: OperationKey,
    /// The generation that died.
    pub generation: u32,
    pub dead_at: Timestamp,
    /// A word that can be counted, such as `attempts-exhausted`.
    pub code: SmolStr,
    pub error: SmolStr,
    pub resolved_at: Option<Timestamp>,
    pub resolved_by: Option<Actor>,
    pub resolution: Option<Reason>,
    pub version: i64,
}

impl Record for DeadLetter {
    const TABLE: &'static Table = &Table {
        name: "operation_dead_letters",
        columns: &[
            Column::fixed("type", ColumnType::Text),
            Column::fixed("key", ColumnType::Text),
            Column::changing("generation", ColumnType::Int),
            Column::changing("dead_at", ColumnType::Time),
            Column::changing("code", ColumnType::Text),
            Column::changing("error", ColumnType::Text),
            Column::changing("resolved_at", ColumnType::Time),
            Column::changing("resolved_by", ColumnType::Text),
            Column::changing("resolution", ColumnType::Text),
        ],
        key_columns: 2,
        due: None,
    };

    type Key = OperationKey;

    fn key(&self) -> OperationKey {
        self.key.clone()
    }

    fn write_key<'a>(key: &'a OperationKey, out: &mut dyn Columns<'a>) {
        key.put(out);
    }

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        self.key.put(out);
        out.put(Value::Int(i64::from(self.generation)));
        out.put(Value::Time(self.dead_at));
        out.put(Value::Text(&self.code));
        out.put(Value::Text(&self.error));
        out.put_time(self.resolved_at);
        out.put_text(self.resolved_by.as_ref().map(Actor::as_str));
        out.put_text(self.resolution.as_ref().map(Reason::as_str));
    }

    fn read(row: &mut dyn Row) -> Result<DeadLetter, Corrupt> {
        Ok(DeadLetter {
            key: OperationKey::take(row)?,
            generation: number(row.int()?)?,
            dead_at: row.time()?,
            code: row.text()?.into(),
            error: row.text()?.into(),
            resolved_at: row.time_or_null()?,
            resolved_by: row.text_or_null()?.map(Actor::stored),
            resolution: row.text_or_null()?.map(Reason::stored),
            version: row.int()?,
        })
    }

    versioned!();
}
