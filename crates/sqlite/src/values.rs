//! Values in and out of SQLite, which knows integers, texts and blobs.

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Row as SqliteRow, Statement, ToSql};
use surehold_core::kernel::{Column, ColumnType, Columns, Corrupt, Row, Timestamp, Value};
use uuid::Uuid;

/// A value as a parameter.
pub(crate) struct Param<'a>(pub(crate) Value<'a>);

impl ToSql for Param<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match &self.0 {
            Value::Null => ValueRef::Null,
            Value::Int(int) => ValueRef::Integer(*int),
            Value::Bool(bool) => ValueRef::Integer(i64::from(*bool)),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Bytes(bytes) => ValueRef::Blob(bytes),
            Value::Uuid(uuid) => ValueRef::Blob(uuid.as_bytes()),
            Value::Time(time) => ValueRef::Integer(time.micros()),
        }))
    }
}

/// Binds one value after the other. The first error is kept, so that the caller checks once.
pub(crate) struct Binder<'s, 'c> {
    statement: &'s mut Statement<'c>,
    next: usize,
    result: rusqlite::Result<()>,
}

impl<'s, 'c> Binder<'s, 'c> {
    pub(crate) fn new(statement: &'s mut Statement<'c>) -> Binder<'s, 'c> {
        Binder { statement, next: 1, result: Ok(()) }
    }

    pub(crate) fn bind(&mut self, value: Value<'_>) {
        if self.result.is_ok() {
            self.result = self.statement.raw_bind_parameter(self.next, Param(value));
            self.next += 1;
        }
    }

    pub(crate) fn execute(self) -> rusqlite::Result<usize> {
        self.result?;
        self.statement.raw_execute()
    }

    pub(crate) fn query(self) -> rusqlite::Result<rusqlite::Rows<'s>> {
        self.result?;
        Ok(self.statement.raw_query())
    }
}

impl<'a> Columns<'a> for Binder<'_, '_> {
    fn put(&mut self, value: Value<'a>) {
        self.bind(value);
    }
}

/// A loaded row, read in the descriptor's order; the version, an integer, comes last.
pub(crate) struct LoadedRow<'r, 's> {
    pub(crate) row: &'r SqliteRow<'s>,
    pub(crate) columns: &'static [Column],
    pub(crate) next: usize,
}

impl Row for LoadedRow<'_, '_> {
    fn next_value(&mut self) -> Result<Value<'_>, Corrupt> {
        let kind = self.columns.get(self.next).map_or(ColumnType::Int, |column| column.kind);
        let found = self.row.get_ref(self.next).map_err(|error| Corrupt::new(error.to_string()))?;
        self.next += 1;
        read(kind, found)
    }
}

pub(crate) fn read(kind: ColumnType, found: ValueRef<'_>) -> Result<Value<'_>, Corrupt> {
    Ok(match (kind, found) {
        (_, ValueRef::Null) => Value::Null,
        (ColumnType::Int, ValueRef::Integer(int)) => Value::Int(int),
        (ColumnType::Bool, ValueRef::Integer(int)) => Value::Bool(int != 0),
        (ColumnType::Time, ValueRef::Integer(micros)) => Value::Time(Timestamp::from_micros(micros)),
        (ColumnType::Text | ColumnType::Json, ValueRef::Text(bytes)) => {
            Value::Text(std::str::from_utf8(bytes).map_err(|error| Corrupt::new(error.to_string()))?)
        }
        (ColumnType::Bytes, ValueRef::Blob(bytes)) => Value::Bytes(bytes),
        (ColumnType::Uuid, ValueRef::Blob(bytes)) => {
            Value::Uuid(Uuid::from_slice(bytes).map_err(|error| Corrupt::new(error.to_string()))?)
        }
        (kind, found) => return Err(Corrupt::new(format!("{found:?} where {kind:?} was expected"))),
    })
}
