//! The small records around operations: what they have to do with, what they lock, who runs them.

use smol_str::SmolStr;

use crate::kernel::{Column, ColumnType, Columns, Corrupt, Record, Row, Table, Timestamp, Value};

use super::versioned;
use crate::operations::{Actor, Aggregate, Correlation, LeaseToken, OperationKey, Reason, WorkerId};

/// Finds the operations that have to do with something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorrelatedOperation {
    pub correlation: Correlation,
    pub operation: OperationKey,
    pub version: i64,
}

impl Record for CorrelatedOperation {
    const TABLE: &'static Table = &Table {
        name: "operation_correlations",
        columns: &[
            Column::fixed("correlation_kind", ColumnType::Text),
            Column::fixed("correlation_value", ColumnType::Text),
            Column::fixed("type", ColumnType::Text),
            Column::fixed("key", ColumnType::Text),
        ],
        key_columns: 4,
        due: None,
    };

    type Key = (Correlation, OperationKey);

    fn key(&self) -> (Correlation, OperationKey) {
        (self.correlation.clone(), self.operation.clone())
    }

    fn write_key<'a>((correlation, operation): &'a (Correlation, OperationKey), out: &mut dyn Columns<'a>) {
        out.put(Value::Text(&correlation.kind));
        out.put(Value::Text(&correlation.value));
        operation.put(out);
    }

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        out.put(Value::Text(&self.correlation.kind));
        out.put(Value::Text(&self.correlation.value));
        self.operation.put(out);
    }

    fn read(row: &mut dyn Row) -> Result<CorrelatedOperation, Corrupt> {
        let kind = row.text()?.into();
        let value = row.text()?.into();
        let operation = OperationKey::take(row)?;
        Ok(CorrelatedOperation { correlation: Correlation { kind, value }, operation, version: row.int()? })
    }

    versioned!();
}

/// The running operation that has the aggregate to itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AggregateLock {
    pub aggregate: Aggregate,
    pub operation: OperationKey,
    pub token: LeaseToken,
    pub version: i64,
}

impl Record for AggregateLock {
    const TABLE: &'static Table = &Table {
        name: "aggregate_locks",
        columns: &[
            Column::fixed("aggregate", ColumnType::Text),
            Column::changing("type", ColumnType::Text),
            Column::changing("key", ColumnType::Text),
            Column::changing("token", ColumnType::Int),
        ],
        key_columns: 1,
        due: None,
    };

    type Key = Aggregate;

    fn key(&self) -> Aggregate {
        self.aggregate.clone()
    }

    fn write_key<'a>(aggregate: &'a Aggregate, out: &mut dyn Columns<'a>) {
        out.put(Value::Text(aggregate.as_str()));
    }

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        out.put(Value::Text(self.aggregate.as_str()));
        self.operation.put(out);
        out.put(Value::Int(self.token.0));
    }

    fn read(row: &mut dyn Row) -> Result<AggregateLock, Corrupt> {
        let aggregate = Aggregate::stored(row.text()?);
        let operation = OperationKey::take(row)?;
        Ok(AggregateLock { aggregate, operation, token: LeaseToken(row.int()?), version: row.int()? })
    }

    versioned!();
}

/// A worker says that it is alive. Belongs to the installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerBeat {
    pub id: WorkerId,
    pub host: SmolStr,
    pub started_at: Timestamp,
    pub beat_at: Timestamp,
    pub version: i64,
}

impl Record for WorkerBeat {
    const TABLE: &'static Table = &Table {
        name: "workers",
        columns: &[
            Column::fixed("id", ColumnType::Int),
            // A worker that was given up and is heard of again begins anew, perhaps within one batch.
            Column::changing("host", ColumnType::Text),
            Column::changing("started_at", ColumnType::Time),
            Column::changing("beat_at", ColumnType::Time),
        ],
        key_columns: 1,
        due: None,
    };

    type Key = WorkerId;

    fn key(&self) -> WorkerId {
        self.id
    }

    fn write_key<'a>(id: &'a WorkerId, out: &mut dyn Columns<'a>) {
        out.put(Value::Int(id.0));
    }

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        out.put(Value::Int(self.id.0));
        out.put(Value::Text(&self.host));
        out.put(Value::Time(self.started_at));
        out.put(Value::Time(self.beat_at));
    }

    fn read(row: &mut dyn Row) -> Result<WorkerBeat, Corrupt> {
        Ok(WorkerBeat {
            id: WorkerId(row.int()?),
            host: row.text()?.into(),
            started_at: row.time()?,
            beat_at: row.time()?,
            version: row.int()?,
        })
    }

    versioned!();
}

/// The data was put back to an earlier state at this instant: what was sent since then is not in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Epoch {
    pub number: i64,
    pub raised_at: Timestamp,
    pub raised_by: Actor,
    pub reason: Reason,
    pub version: i64,
}

impl Record for Epoch {
    const TABLE: &'static Table = &Table {
        name: "epochs",
        columns: &[
            Column::fixed("number", ColumnType::Int),
            Column::fixed("raised_at", ColumnType::Time),
            Column::fixed("raised_by", ColumnType::Text),
            Column::fixed("reason", ColumnType::Text),
        ],
        key_columns: 1,
        due: None,
    };

    type Key = i64;

    fn key(&self) -> i64 {
        self.number
    }

    fn write_key<'a>(number: &'a i64, out: &mut dyn Columns<'a>) {
        out.put(Value::Int(*number));
    }

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        out.put(Value::Int(self.number));
        out.put(Value::Time(self.raised_at));
        out.put(Value::Text(self.raised_by.as_str()));
        out.put(Value::Text(self.reason.as_str()));
    }

    fn read(row: &mut dyn Row) -> Result<Epoch, Corrupt> {
        Ok(Epoch {
            number: row.int()?,
            raised_at: row.time()?,
            raised_by: Actor::stored(row.text()?),
            reason: Reason::stored(row.text()?),
            version: row.int()?,
        })
    }

    versioned!();
}
