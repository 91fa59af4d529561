//! The write path: commands queue up, a lane takes them in batches, and each batch is one transaction of a store.
//! Knows no database; stores implement [`Session`] and [`Store`]. Start reading at `lane.rs`.

mod engine;
mod failure;
mod job;
mod lane;
mod migrate;
mod operations;
mod queue;
mod recovery;
mod request_key;
mod retention;
mod session;
mod store;
mod sweeper;
mod views;
mod work;

pub use engine::{Engine, EngineConfig, Options, new_hold_id};
pub use failure::{Done, Failure, Fault};
pub use lane::BATCH_COMMANDS_MAX;
pub use migrate::{Applied, Migration, SchemaError, pending};
pub use operations::{Provider, Registered, Registry, Told};
pub use queue::{LaneEnd, LaneQueue};
pub use request_key::RequestKey;
pub use session::{Session, StoreError, TenantWork, Turns};
pub use store::{BoxFuture, OwnedValue, ReadRow, Scope, Store};
pub use views::{
    JournalRow, JournalTail, OperationBrief, OperationDepth, OperationPage, OperationView, RunState,
    TIMELINE_ENTRIES_MAX, TIMELINE_OPERATIONS_MAX, TenantRow, Timeline, TimelineEntry, TimelineFact, Views,
};
