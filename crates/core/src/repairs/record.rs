//! The latest repair of something.

use smol_str::SmolStr;

use crate::kernel::{Record, Timestamp};
use crate::operations::{Actor, Reason};

#[derive(Clone, Debug, PartialEq, Eq, Record)]
#[record(table = "repairs")]
pub struct RepairRecord {
    /// What was repaired, as in `pool room@2027-01-01`.
    #[column(key)]
    pub target: SmolStr,
    /// How often it was repaired.
    pub number: i64,
    pub at: Timestamp,
    pub actor: Actor,
    pub reason: Reason,
    pub version: i64,
}
