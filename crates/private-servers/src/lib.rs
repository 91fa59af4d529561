//! Servers that belong to one process, each in a temporary folder and on a loopback port of its own. `cargo xtask`, the
//! tests and `surehold-lab` use them.
//! Invariant: neither a server nor its folder outlives the process that started it, however that process ends.
//!
//! Deliberately absent: installing programs, which `xtask` does.

pub mod account;
mod cleaner;
pub mod ports;
pub mod postgres;
pub mod programs;

pub use postgres::{PostgresSettings, PrivatePostgres};
