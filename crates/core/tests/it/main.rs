//! The pure core, driven from outside: no store, and a clock that moves only when told.
//!
//! `world` runs commands and audits every one of them; `scenario` plays tables on it;
//! `properties` tries random sequences. Start reading at any file of `tables`.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::unwrap_used,
    reason = "a test that overflows, or unwraps what is not there, has failed, as it should"
)]

mod audit;
mod codec;
mod events;
mod golden;
mod inbox;
mod operations;
mod oracle;
mod properties;
mod scenario;
mod state;
mod stays;
mod stock;
mod tables;
mod traces;
mod workload;
mod world;
