//! Carrying operations out: which types there are, who is called, and the worker that does it.
//! Start reading at `worker.rs`, then `states.rs` and `effects.rs`.
//! Imports: kernel, repairs.

mod agenda;
mod audit;
mod config;
mod context;
mod dispatch;
mod effects;
mod gate;
mod outbox;
mod pulse;
mod scheduler;
mod states;
mod views;
mod watchdog;
mod worker;

pub use audit::{inbox_findings, operation_findings};
pub use config::{Boundary, WorkerConfig};
pub use outbox::{ReplayRequest, Replayed};
pub use views::{
    OperationBrief, OperationDepth, OperationPage, OperationView, QueuePlace, RunState, StuckOperation,
    TIMELINE_ENTRIES_MAX, TIMELINE_OPERATIONS_MAX, Timeline, TimelineEntry, TimelineFact, WebhookDelivery,
};
pub use worker::Worker;

use surehold_core::operations::builtin::{Announce, ExpireHoldOnce, ProcessInboxEvent};

use crate::module::Module;

pub(crate) const MODULE: Module = Module {
    audits: &[audit::AUDIT, audit::inbox::AUDIT],
    background: &[scheduler::BACKGROUND, outbox::BACKGROUND],
    preparers: &[],
    register: |registry| registry.state(Announce).state(ExpireHoldOnce).state(ProcessInboxEvent),
};
