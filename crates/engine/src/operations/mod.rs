//! Carrying operations out: which types there are, who is called, and the worker that does it.
//! Start reading at `worker.rs`, then `states.rs` and `effects.rs`.

mod agenda;
mod builtin;
mod config;
mod context;
mod dispatch;
mod effects;
mod gate;
mod provider;
mod pulse;
mod registry;
mod states;
mod watchdog;
mod worker;

pub use builtin::builtin;
pub use config::{Boundary, WorkerConfig};
pub use provider::{Provider, Told};
pub use registry::{Registered, Registry};
pub use worker::Worker;
