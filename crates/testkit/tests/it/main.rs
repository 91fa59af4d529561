//! What proves the stores: the same suite on each of them, a comparison with the pure core, and what only one has.
//! Postgres comes from `cargo xtask test`; see `surehold_testkit::fixture`.
#![allow(clippy::unwrap_used, reason = "a test that unwraps what is not there has failed, as it should")]

mod bad_input;
mod conformance;
mod explain;
mod explain_operations;
mod explain_stock;
mod explain_views;
mod golden;
mod http_operations;
mod http_stores;
mod model;
mod operations;
mod page_tables;
mod postgres_readers;
mod postgres_roles;
mod postgres_server;
mod sqlite_file;
mod stays;
mod stock;
mod stock_audit;
mod stock_races;
mod stock_writers;
