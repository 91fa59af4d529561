//! The kernel's records beside the lanes: tenants, pools, holds, the journal.

pub(crate) mod audit;
pub(crate) mod retention;
pub(crate) mod sweeper;
mod views;

pub use views::{JournalRow, JournalTail, TenantRow};
