//! What became of an attempt that did not simply succeed, of every attempt that reached outside, and what people did
//! about it. Never changed.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::kernel::{Column, ColumnType, Columns, Corrupt, Record, Row, Table, Timestamp, Value, words};

use super::{number, versioned};
use crate::operations::{Actor, LeaseToken, OperationKey, WorkerId};

words!(
    AttemptOutcome {
        Succeeded = "succeeded",
        /// Will be tried again.
        Failed = "failed",
        /// Will not be tried again.
        Refused = "refused",
        /// The worker was gone or too slow.
        Lost = "lost",
        /// Whether the effect happened cannot be found out.
        Undecided = "undecided",
        /// Somebody asked for it at once.
        Hastened = "hastened",
        Cancelled = "cancelled",
        /// Somebody had it done anew after it had died.
        Redriven = "redriven",
        /// Somebody said what became of an effect.
        Settled = "settled",
    }
);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AttemptKey {
    #[serde(flatten)]
    pub operation: OperationKey,
    /// Counts on through generations, with the leases.
    pub number: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    pub key: AttemptKey,
    pub generation: u32,
    pub started_at: Timestamp,
    pub ended_at: Timestamp,
    pub worker: Option<WorkerId>,
    pub lease_token: Option<LeaseToken>,
    pub outcome: AttemptOutcome,
    /// A word that can be counted, such as `timeout`.
    pub error_code: Option<SmolStr>,
    /// The error, or the reason that the person gave.
    pub error: Option<SmolStr>,
    pub actor: Option<Actor>,
    pub version: i64,
}

impl Record for Attempt {
    const TABLE: &'static Table = &Table {
        name: "operation_attempts",
        columns: &[
            Column::fixed("type", ColumnType::Text),
            Column::fixed("key", ColumnType::Text),
            Column::fixed("number", ColumnType::Int),
            Column::fixed("generation", ColumnType::Int),
            Column::fixed("started_at", ColumnType::Time),
            Column::fixed("ended_at", ColumnType::Time),
            Column::fixed("worker", ColumnType::Int),
            Column::fixed("lease_token", ColumnType::Int),
            Column::fixed("outcome", ColumnType::Text),
            Column::fixed("error_code", ColumnType::Text),
            Column::fixed("error", ColumnType::Text),
            Column::fixed("actor", ColumnType::Text),
        ],
        key_columns: 3,
        due: None,
    };

    type Key = AttemptKey;

    fn key(&self) -> AttemptKey {
        self.key.clone()
    }

    fn write_key<'a>(key: &'a AttemptKey, out: &mut dyn Columns<'a>) {
        key.operation.put(out);
        out.put(Value::Int(i64::from(key.number)));
    }

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        Attempt::write_key(&self.key, out);
        out.put(Value::Int(i64::from(self.generation)));
        out.put(Value::Time(self.started_at));
        out.put(Value::Time(self.ended_at));
        out.put_int(self.worker.map(|worker| worker.0));
        out.put_int(self.lease_token.map(|token| token.0));
        out.put(Value::Text(self.outcome.as_str()));
        out.put_text(self.error_code.as_deref());
        out.put_text(self.error.as_deref());
        out.put_text(self.actor.as_ref().map(Actor::as_str));
    }

    fn read(row: &mut dyn Row) -> Result<Attempt, Corrupt> {
        Ok(Attempt {
            key: AttemptKey { operation: OperationKey::take(row)?, number: number(row.int()?)? },
            generation: number(row.int()?)?,
            started_at: row.time()?,
            ended_at: row.time()?,
            worker: row.int_or_null()?.map(WorkerId),
            lease_token: row.int_or_null()?.map(LeaseToken),
            outcome: AttemptOutcome::stored(row.text()?)?,
            error_code: row.text_or_null()?.map(SmolStr::new),
            error: row.text_or_null()?.map(SmolStr::new),
            actor: row.text_or_null()?.map(Actor::stored),
            version: row.int()?,
        })
    }

    versioned!();
}
