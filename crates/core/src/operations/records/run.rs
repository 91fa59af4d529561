//! The run state of an operation that has not ended: when it is due, who runs it, what it waits for.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::kernel::{
    Column, ColumnType, ColumnValue, Columnar, Columns, Corrupt, Record, Row, Table, Timestamp, Value, words,
};

use super::{Operation, Outcome};
use crate::operations::{LeaseToken, OperationKey, WorkerId};

words!(
    /// What an operation is to everybody.
    OperationState {
        Pending = "PENDING",
        Running = "RUNNING",
        Succeeded = "SUCCEEDED",
        /// Tried without success; will be tried again.
        Failed = "FAILED",
        DeadLetter = "DEAD_LETTER",
    }
);

/// A worker's right to carry the operation out, until an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    pub token: LeaseToken,
    pub worker: WorkerId,
    pub locked_at: Timestamp,
    pub until: Timestamp,
}

/// A precondition that is not met: whose state must become what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Columnar)]
pub struct WaitingOn {
    pub subject: SmolStr,
    pub state: SmolStr,
}

impl WaitingOn {
    pub fn new(subject: impl Into<SmolStr>, state: impl Into<SmolStr>) -> WaitingOn {
        WaitingOn { subject: subject.into(), state: state.into() }
    }
}

impl std::fmt::Display for WaitingOn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.subject, self.state)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationRun {
    pub key: OperationKey,
    pub priority: i64,
    pub effect: bool,
    pub run_at: Timestamp,
    /// Spent by this generation.
    pub attempts: u32,
    /// Leases that ended because their worker was gone or too slow.
    pub lost: u32,
    /// Newer content came while it was running: it runs once more.
    pub rerun: bool,
    /// The last token granted, this generation or before.
    pub last_token: LeaseToken,
    pub lease: Option<Lease>,
    pub waiting_on: Option<WaitingOn>,
    pub last_error: Option<SmolStr>,
    /// When it could first run: what takes too long is counted from here.
    pub enqueued_at: Timestamp,
    /// Somebody was told that it takes too long.
    pub stuck_told: bool,
    pub version: i64,
}

/// Later than anything: parked until another operation releases it.
pub(crate) const PARKED: Timestamp = Timestamp::from_micros(253_370_764_800_000_000);

impl OperationRun {
    pub fn state(&self) -> OperationState {
        match (self.lease, self.attempts) {
            (Some(_), _) => OperationState::Running,
            (None, 0) => OperationState::Pending,
            (None, _) => OperationState::Failed,
        }
    }

    /// Waits for another operation to end, not for an instant.
    pub fn is_parked(&self) -> bool {
        self.run_at == PARKED
    }
}

impl OperationState {
    pub fn of(operation: &Operation, run: Option<&OperationRun>) -> OperationState {
        match (run, operation.outcome) {
            (Some(run), _) => run.state(),
            (None, Some(Outcome::Succeeded)) => OperationState::Succeeded,
            // Without run and outcome it cannot be; audit says so.
            (None, Some(Outcome::DeadLetter) | None) => OperationState::DeadLetter,
        }
    }
}

/// By hand, because the token of a lease is in the column of the last token, which outlives the lease. No column is fixed: a
/// run may be replaced by that of the next generation within one batch.
impl Record for OperationRun {
    const TABLE: &'static Table = &Table {
        name: "operation_runs",
        columns: &[
            Column::fixed("type", ColumnType::Text),
            Column::fixed("key", ColumnType::Text),
            Column::changing("priority", ColumnType::Int),
            Column::changing("effect", ColumnType::Bool),
            Column::changing("run_at", ColumnType::Time),
            Column::changing("attempts", ColumnType::Int),
            Column::changing("lost", ColumnType::Int),
            Column::changing("rerun", ColumnType::Bool),
            Column::changing("last_token", ColumnType::Int),
            Column::changing("worker", ColumnType::Int),
            Column::changing("locked_at", ColumnType::Time),
            Column::changing("lease_until", ColumnType::Time),
            Column::changing("waiting_on", ColumnType::Text),
            Column::changing("waiting_for", ColumnType::Text),
            Column::changing("last_error", ColumnType::Text),
            Column::changing("enqueued_at", ColumnType::Time),
            Column::changing("stuck_told", ColumnType::Bool),
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
        self.priority.put(out);
        self.effect.put(out);
        self.run_at.put(out);
        self.attempts.put(out);
        self.lost.put(out);
        self.rerun.put(out);
        self.last_token.put(out);
        out.put(self.lease.as_ref().map_or(Value::Null, |lease| lease.worker.value()));
        out.put(self.lease.as_ref().map_or(Value::Null, |lease| lease.locked_at.value()));
        out.put(self.lease.as_ref().map_or(Value::Null, |lease| lease.until.value()));
        self.waiting_on.put(out);
        self.last_error.put(out);
        self.enqueued_at.put(out);
        self.stuck_told.put(out);
    }

    fn read(row: &mut dyn Row) -> Result<OperationRun, Corrupt> {
        let key = Columnar::take(row)?;
        let priority = Columnar::take(row)?;
        let effect = Columnar::take(row)?;
        let run_at = Columnar::take(row)?;
        let attempts = Columnar::take(row)?;
        let lost = Columnar::take(row)?;
        let rerun = Columnar::take(row)?;
        let token = Columnar::take(row)?;
        let lease = match (Columnar::take(row)?, Columnar::take(row)?, Columnar::take(row)?) {
            (Some(worker), Some(locked_at), Some(until)) => Some(Lease { token, worker, locked_at, until }),
            (None, None, None) => None,
            _ => return Err(Corrupt::new("a lease that lacks its worker or a time")),
        };
        Ok(OperationRun {
            key,
            priority,
            effect,
            run_at,
            attempts,
            lost,
            rerun,
            last_token: token,
            lease,
            waiting_on: Columnar::take(row)?,
            last_error: Columnar::take(row)?,
            enqueued_at: Columnar::take(row)?,
            stuck_told: Columnar::take(row)?,
            version: Columnar::take(row)?,
        })
    }

    fn version(&self) -> i64 {
        self.version
    }

    fn set_version(&mut self, version: i64) {
        self.version = version;
    }
}
