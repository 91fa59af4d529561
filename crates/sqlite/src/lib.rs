//! The embedded store: one file, one writing thread, which is the turn of every tenant.
//! File names match those of the Postgres store, so that a diff is a review.

mod ceiling;
mod checkpoint;
mod doctor;
mod guard;
mod log;
#[cfg(feature = "simulation")]
mod memory;
mod migrate;
mod session;
mod snapshot;
mod statements;
mod store;
mod values;
mod wal;

pub use doctor::{SqliteFacts, facts_for_doctor};
pub use guard::let_write_stock;
#[cfg(feature = "simulation")]
pub use memory::{MemoryDatabase, MemoryReader};
pub use migrate::{migrate, migrations_pending};
pub use snapshot::SqliteSnapshot;
pub use statements::every_statement;
pub use store::{Clock, OpenError, SqliteStore};
