//! What a store is to the engine: a set of lanes that write, and a way to read.

use std::pin::Pin;

use surehold_core::kernel::{ColumnType, Corrupt, Row, Table, TenantId, Timestamp, Value};
use uuid::Uuid;

use crate::{Fault, LaneQueue, StoreError, Wakeups};

pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

pub trait Store: Send + Sync + 'static {
    /// How many lanes can work at the same time.
    fn lane_count(&self) -> usize;

    /// Starts to serve the queues, one lane each.
    fn start(&self, queues: Vec<LaneQueue>) -> Result<(), StoreError>;

    /// Tells other nodes when operations were asked for here, and the other way round. Nothing depends on it but speed.
    /// Called within a tokio runtime. A store that only one process writes has nobody to tell.
    fn share_wakeups(&self, _: &Wakeups) {}

    /// The clock that decides expiry.
    fn clock(&self) -> BoxFuture<'_, Result<Timestamp, Fault>>;

    /// Reads outside of any turn, without locks. `sql` is in the subset that all stores speak; parameters are `$1`, `$2`…
    fn query<'a>(
        &'a self,
        scope: Scope,
        sql: &'a str,
        params: Vec<OwnedValue>,
    ) -> BoxFuture<'a, Result<Vec<ReadRow>, Fault>> {
        self.query_each(scope, sql, vec![params])
    }

    /// The same question for one set of parameters after the other, in one round trip: for what would be a join, where no
    /// planner may turn round what is looked up by what.
    fn query_each<'a>(
        &'a self,
        scope: Scope,
        sql: &'a str,
        each: Vec<Vec<OwnedValue>>,
    ) -> BoxFuture<'a, Result<Vec<ReadRow>, Fault>>;
}

/// Whose rows a read is meant to see. A store with row-level security enforces it, whatever the query says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Tenant(TenantId),
    /// One tenant's, for admitting callers: must not wait behind what they ask for.
    Door(TenantId),
    /// Everybody's: for the installation's own work, never for a tenant's request.
    Installation,
}

#[derive(Clone, Debug, PartialEq)]
pub enum OwnedValue {
    Null,
    Int(i64),
    Bool(bool),
    Text(String),
    Bytes(Vec<u8>),
    Uuid(Uuid),
    Time(Timestamp),
}

impl OwnedValue {
    pub fn of(value: Value<'_>) -> OwnedValue {
        match value {
            Value::Null => OwnedValue::Null,
            Value::Int(int) => OwnedValue::Int(int),
            Value::Bool(bool) => OwnedValue::Bool(bool),
            Value::Text(text) => OwnedValue::Text(text.to_owned()),
            Value::Bytes(bytes) => OwnedValue::Bytes(bytes.to_owned()),
            Value::Uuid(uuid) => OwnedValue::Uuid(uuid),
            Value::Time(time) => OwnedValue::Time(time),
        }
    }
}

/// A row that was read for people. Stores differ in what they can tell apart (one keeps instants as integers),
/// so the reader says what it expects.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadRow(pub Vec<OwnedValue>);

impl ReadRow {
    pub fn value(&self, index: usize, kind: ColumnType) -> Result<Value<'_>, Corrupt> {
        let found = self.0.get(index).ok_or_else(|| Corrupt::new(format!("there is no column {index}")))?;
        Ok(match (kind, found) {
            (_, OwnedValue::Null) => Value::Null,
            (ColumnType::Int, OwnedValue::Int(int)) => Value::Int(*int),
            (ColumnType::Bool, OwnedValue::Bool(bool)) => Value::Bool(*bool),
            (ColumnType::Bool, OwnedValue::Int(int)) => Value::Bool(*int != 0),
            (ColumnType::Text | ColumnType::Json, OwnedValue::Text(text)) => Value::Text(text),
            (ColumnType::Bytes, OwnedValue::Bytes(bytes)) => Value::Bytes(bytes),
            (ColumnType::Uuid, OwnedValue::Uuid(uuid)) => Value::Uuid(*uuid),
            (ColumnType::Uuid, OwnedValue::Bytes(bytes)) => {
                Value::Uuid(Uuid::from_slice(bytes).map_err(|e| Corrupt::new(e.to_string()))?)
            }
            (ColumnType::Time, OwnedValue::Time(time)) => Value::Time(*time),
            (ColumnType::Time, OwnedValue::Int(micros)) => Value::Time(Timestamp::from_micros(*micros)),
            (kind, found) => return Err(Corrupt::new(format!("{found:?} where {kind:?} was expected"))),
        })
    }

    pub fn int(&self, index: usize) -> Result<i64, Corrupt> {
        match self.value(index, ColumnType::Int)? {
            Value::Int(int) => Ok(int),
            other => Err(Corrupt::new(format!("{other:?} where an integer was expected"))),
        }
    }

    pub fn time(&self, index: usize) -> Result<Timestamp, Corrupt> {
        match self.value(index, ColumnType::Time)? {
            Value::Time(time) => Ok(time),
            other => Err(Corrupt::new(format!("{other:?} where an instant was expected"))),
        }
    }

    pub fn uuid(&self, index: usize) -> Result<Uuid, Corrupt> {
        match self.value(index, ColumnType::Uuid)? {
            Value::Uuid(uuid) => Ok(uuid),
            other => Err(Corrupt::new(format!("{other:?} where an id was expected"))),
        }
    }

    pub fn text(&self, index: usize) -> Result<&str, Corrupt> {
        match self.value(index, ColumnType::Text)? {
            Value::Text(text) => Ok(text),
            other => Err(Corrupt::new(format!("{other:?} where text was expected"))),
        }
    }

    pub fn bytes(&self, index: usize) -> Result<&[u8], Corrupt> {
        match self.value(index, ColumnType::Bytes)? {
            Value::Bytes(bytes) => Ok(bytes),
            other => Err(Corrupt::new(format!("{other:?} where bytes were expected"))),
        }
    }
}

/// A [`ReadRow`] whose columns are those of a table, then its version.
#[derive(Debug)]
pub(crate) struct RecordRow<'a> {
    pub(crate) row: &'a ReadRow,
    pub(crate) table: &'static Table,
    pub(crate) next: usize,
}

impl Row for RecordRow<'_> {
    fn next_value(&mut self) -> Result<Value<'_>, Corrupt> {
        let kind = self.table.columns.get(self.next).map_or(ColumnType::Int, |column| column.kind);
        self.next += 1;
        self.row.value(self.next - 1, kind)
    }
}
