//! The write path: commands queue up, a lane takes them in batches, and each batch is one transaction of a store.
//! Knows no database; stores implement [`Session`] and [`Store`]. Start reading at `lane.rs`.

mod audit;
mod blocking;
mod config;
mod engine;
mod failure;
mod job;
mod kernel;
mod lane;
mod memory;
mod migrate;
mod module;
mod modules;
mod operations;
mod preparation;
mod provider;
mod queue;
mod recovery;
mod registry;
mod request_key;
mod session;
mod snapshot;
mod stays;
mod stock;
mod store;
mod views;
mod waiting;
mod wakeups;
mod work;

pub use audit::{AuditConfig, AuditReport, Checked, Finding, Invariant, Proposal, Remedy, audit, invariants};
pub use blocking::block_on;
pub use config::{EngineConfig, RenderEvent};
pub use engine::{Engine, Options, new_hold_id, new_uuid_v7};
pub use failure::{Done, Failure, Fault};
pub use lane::BATCH_COMMANDS_MAX;
pub use migrate::{Applied, Migration, SchemaError, pending};
pub use preparation::{Preparer, Preparing};
pub use provider::{Provider, ProviderAnswer};
pub use queue::{LaneEnd, LaneQueue};
pub use registry::{Registered, Registry, builtin};
pub use request_key::RequestKey;
pub use session::{JournalHead, Session, StoreError, TenantWork, Turns};
pub use snapshot::{Snapshot, SnapshotError};
pub use store::{BoxFuture, OwnedValue, ReadRow, Scope, Store};
pub use views::Views;
pub use wakeups::{WakeupListener, Wakeups};

// What the modules show.
pub use kernel::*;
pub use operations::*;
pub use stays::*;
pub use stock::*;
