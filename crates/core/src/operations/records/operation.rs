//! The identity of an operation: that it was asked for, with what, and how it ended.

use crate::kernel::{JsonList, Record, Timestamp, words};
use crate::operations::{Aggregate, Correlation, LeaseToken, OperationKey, Payload};

words!(
    /// How an operation ended.
    Outcome {
        Succeeded = "SUCCEEDED",
        DeadLetter = "DEAD_LETTER",
    }
);

#[derive(Clone, Debug, PartialEq, Eq, Record)]
#[record(table = "operations")]
pub struct Operation {
    #[column(key)]
    pub key: OperationKey,
    /// Goes up when it is done anew: by a redrive, or because newer content came.
    pub generation: u32,
    pub payload_hash: [u8; 32],
    pub payload: Payload,
    #[column(fixed)]
    pub aggregate: Option<Aggregate>,
    #[column(fixed)]
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
    #[column(fixed)]
    pub created_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    pub version: i64,
}
