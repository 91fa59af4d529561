//! The identity of an operation: that it was asked for, with what, and how it ended.

use crate::kernel::{Column, ColumnType, Columns, Corrupt, JsonList, Record, Row, Table, Timestamp, Value, words};

use super::{hash_of, number, versioned};
use crate::operations::{Aggregate, Correlation, LeaseToken, OperationKey, Payload};

words!(
    /// How an operation ended.
    Outcome {
        Succeeded = "SUCCEEDED",
        DeadLetter = "DEAD_LETTER",
    }
);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    pub key: OperationKey,
    /// Goes up when it is done anew: by a redrive, or because newer content came.
    pub generation: u32,
    pub payload_hash: [u8; 32],
    pub payload: Payload,
    pub aggregate: Option<Aggregate>,
    pub correlations: JsonList<Correlation>,
    /// Operations that wait until this one has ended.
    pub releases: JsonList<OperationKey>,
    /// `None` while there is a run.
    pub outcome: Option<Outcome>,
    pub result: Option<Payload>,
    /// Spent by the last generation that ended.
    pub attempts: u32,
    /// The last lease ever granted; later ones go on from here.
    pub lease_token: LeaseToken,
    pub created_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    pub version: i64,
}

impl Record for Operation {
    const TABLE: &'static Table = &Table {
        name: "operations",
        columns: &[
            Column::fixed("type", ColumnType::Text),
            Column::fixed("key", ColumnType::Text),
            Column::changing("generation", ColumnType::Int),
            Column::changing("payload_hash", ColumnType::Bytes),
            Column::changing("payload", ColumnType::Json),
            Column::fixed("aggregate", ColumnType::Text),
            Column::fixed("correlations", ColumnType::Json),
            Column::changing("releases", ColumnType::Json),
            Column::changing("outcome", ColumnType::Text),
            Column::changing("result", ColumnType::Json),
            Column::changing("attempts", ColumnType::Int),
            Column::changing("lease_token", ColumnType::Int),
            Column::fixed("created_at", ColumnType::Time),
            Column::changing("finished_at", ColumnType::Time),
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
        out.put(Value::Bytes(&self.payload_hash));
        out.put(Value::Text(self.payload.as_str()));
        out.put_text(self.aggregate.as_ref().map(Aggregate::as_str));
        out.put_text(self.correlations.as_json());
        out.put_text(self.releases.as_json());
        out.put_text(self.outcome.map(Outcome::as_str));
        out.put_text(self.result.as_ref().map(Payload::as_str));
        out.put(Value::Int(i64::from(self.attempts)));
        out.put(Value::Int(self.lease_token.0));
        out.put(Value::Time(self.created_at));
        out.put_time(self.finished_at);
    }

    fn read(row: &mut dyn Row) -> Result<Operation, Corrupt> {
        Ok(Operation {
            key: OperationKey::take(row)?,
            generation: number(row.int()?)?,
            payload_hash: hash_of(row.bytes()?)?,
            payload: Payload::stored(row.text()?),
            aggregate: row.text_or_null()?.map(Aggregate::stored),
            correlations: JsonList::stored(row.text_or_null()?)?,
            releases: JsonList::stored(row.text_or_null()?)?,
            outcome: row.text_or_null()?.map(Outcome::stored).transpose()?,
            result: row.text_or_null()?.map(Payload::stored),
            attempts: number(row.int()?)?,
            lease_token: LeaseToken(row.int()?),
            created_at: row.time()?,
            finished_at: row.time_or_null()?,
            version: row.int()?,
        })
    }

    versioned!();
}
