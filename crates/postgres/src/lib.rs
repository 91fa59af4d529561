//! The server store: turns by advisory locks, set-based statements, two round trips a batch.
//! File names match those of the SQLite store, so that a diff is a review.

mod blocks;
mod connect;
mod doctor;
mod errors;
mod migrate;
mod pipeline;
mod readers;
mod roles;
mod session;
mod snapshot;
mod statements;
mod store;
mod values;
mod wakeups;

pub use connect::ConnectError;
pub use doctor::{PostgresFacts, facts_for_doctor};
pub use migrate::{migrate, migrations_pending};
pub use snapshot::PostgresSnapshot;
pub use statements::{every_statement, write_settings};
pub use store::{PostgresConfig, PostgresStore};
