//! Tenants, keys, pools, holds and the journal, as people and the background see them.

mod holds;
mod installation;
mod journal;
mod pools;

pub use installation::TenantRow;
pub use journal::{JournalRow, JournalTail};
