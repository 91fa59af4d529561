//! The small records around operations: what they have to do with, what they lock, who runs them.

use smol_str::SmolStr;

use crate::kernel::{Record, Timestamp};
use crate::operations::{Actor, Aggregate, Correlation, LeaseToken, OperationKey, Reason, WorkerId};

/// Finds the operations that have to do with something.
#[derive(Clone, Debug, PartialEq, Eq, Record)]
#[record(table = "operation_correlations")]
pub struct CorrelatedOperation {
    #[column(key, name = "correlation_kind", name = "correlation_value")]
    pub correlation: Correlation,
    #[column(key)]
    pub operation: OperationKey,
    pub version: i64,
}

/// The running operation that has the aggregate to itself.
#[derive(Clone, Debug, PartialEq, Eq, Record)]
#[record(table = "aggregate_locks")]
pub struct AggregateLock {
    #[column(key)]
    pub aggregate: Aggregate,
    pub operation: OperationKey,
    pub token: LeaseToken,
    pub version: i64,
}

/// A worker says that it is alive. Belongs to the installation. One that was given up and is heard of again begins anew,
/// perhaps within one batch, so no column but the id is fixed.
#[derive(Clone, Debug, PartialEq, Eq, Record)]
#[record(table = "workers")]
pub struct WorkerBeat {
    #[column(key)]
    pub id: WorkerId,
    pub host: SmolStr,
    pub started_at: Timestamp,
    pub beat_at: Timestamp,
    pub version: i64,
}

/// The data was put back to an earlier state at this instant: what was sent since then is not in it.
#[derive(Clone, Debug, PartialEq, Eq, Record)]
#[record(table = "epochs", fixed)]
pub struct Epoch {
    #[column(key)]
    pub number: i64,
    pub raised_at: Timestamp,
    pub raised_by: Actor,
    pub reason: Reason,
    pub version: i64,
}
