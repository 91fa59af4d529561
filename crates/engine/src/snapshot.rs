//! One consistent read of everything: what was committed when it began, whatever is written meanwhile. On a connection
//! of its own, beside whoever serves; takes no lock that a writer waits for.

use surehold_core::kernel::{ColumnType, Row, Timestamp};
use thiserror::Error;

use crate::OwnedValue;

/// Rows come one by one and are never collected, so that memory does not grow with the store. Blocks: not for the
/// threads of an async runtime.
pub trait Snapshot: Send {
    /// The clock that decides expiry.
    fn clock(&mut self) -> Result<Timestamp, SnapshotError>;

    /// `sql` is in the subset that all stores speak; parameters are `$1`, `$2`…; `columns` are those of its rows.
    fn each(
        &mut self,
        sql: &str,
        params: &[OwnedValue],
        columns: &[ColumnType],
        visit: &mut dyn FnMut(&mut dyn Row),
    ) -> Result<(), SnapshotError>;
}

#[derive(Debug, Error)]
#[error("cannot read the store")]
pub struct SnapshotError(#[source] Box<dyn std::error::Error + Send + Sync>);

impl SnapshotError {
    pub fn new(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> SnapshotError {
        SnapshotError(source.into())
    }
}
