//! The write path: commands queue up, a lane takes them in batches, and each batch is one transaction of a store.
//! Knows no database; stores implement [`Session`] and [`Store`]. Start reading at `lane.rs`.

mod audit;
mod blocking;
mod engine;
mod failure;
mod job;
mod lane;
mod memory;
mod migrate;
mod operations;
mod outbox;
mod queue;
mod recovery;
mod request_key;
mod retention;
mod scheduler;
mod session;
mod snapshot;
mod stock;
mod store;
mod sweeper;
mod views;
mod waiting;
mod wakeups;
mod work;

pub use audit::{
    AuditConfig, AuditReport, Checked, Finding, Invariant, Proposal, Remedy, audit, inbox_findings, invariants,
    operation_findings,
};
pub use blocking::block_on;
pub use engine::{Engine, EngineConfig, Options, new_hold_id, new_uuid_v7};
pub use failure::{Done, Failure, Fault};
pub use lane::BATCH_COMMANDS_MAX;
pub use migrate::{Applied, Migration, SchemaError, pending};
pub use operations::{Boundary, Provider, Registered, Registry, Told, Worker, WorkerConfig, builtin};
pub use outbox::{RenderEvent, ReplayWish, Replayed};
pub use queue::{LaneEnd, LaneQueue};
pub use request_key::RequestKey;
pub use session::{JournalHead, Session, StoreError, TenantWork, Turns};
pub use snapshot::{Snapshot, SnapshotError};
pub use stock::{DocumentPreview, ItemPreview};
pub use store::{BoxFuture, OwnedValue, ReadRow, Scope, Store};
pub use views::{
    Calendar, DocumentsWish, EffectRow, ItemBalance, ItemView, ItemsWish, JournalRow, JournalTail, OperationBrief,
    OperationDepth, OperationPage, OperationView, QueuePlace, ReservationView, ReservationsOn, RunState, Shortages,
    StayView, StuckOperation, TIMELINE_ENTRIES_MAX, TIMELINE_OPERATIONS_MAX, TenantRow, Timeline, TimelineEntry,
    TimelineFact, Turnover, Views, WebhookDelivery,
};
pub use wakeups::{Ear, Wakeups};
