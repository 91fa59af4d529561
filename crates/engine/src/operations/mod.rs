//! Carrying operations out: which types there are, who is called, and the worker that does it.
//! Start reading at `worker.rs`, then `states.rs` and `effects.rs`.

mod agenda;
pub(crate) mod audit;
mod builtin;
mod config;
mod context;
mod dispatch;
mod effects;
mod gate;
pub(crate) mod outbox;
mod pulse;
pub(crate) mod scheduler;
mod states;
mod views;
mod watchdog;
mod worker;

pub use audit::{inbox_findings, operation_findings};
pub use builtin::builtin;
pub use config::{Boundary, WorkerConfig};
pub use outbox::{RenderEvent, ReplayWish, Replayed};
pub use views::{
    OperationBrief, OperationDepth, OperationPage, OperationView, QueuePlace, RunState, StuckOperation,
    TIMELINE_ENTRIES_MAX, TIMELINE_OPERATIONS_MAX, Timeline, TimelineEntry, TimelineFact, WebhookDelivery,
};
pub use worker::Worker;
