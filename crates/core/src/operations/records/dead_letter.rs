//! An operation that will not be tried again by itself. Stays until somebody has dealt with it, and after.

use smol_str::SmolStr;

use crate::kernel::{Record, Timestamp};
use crate::operations::{Actor, OperationKey, Reason};

#[derive(Clone, Debug, PartialEq, Eq, Record)]
#[record(table = "operation_dead_letters")]
pub struct DeadLetter {
    #[column(key)]
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
