//! Pools, holds, events, tenants and keys.

mod batch;
mod calls;
mod day;
mod event;
mod explain;
mod health;
mod hold;
mod key;
mod pool;
mod repair;

pub use batch::{BatchCommand, BatchRequest, BatchResponse, BatchResult, CancelItem, ConvertItem, ExtendItem};
pub use calls::*;
pub use day::Day;
pub use event::{CaseName, Event, EventBody, EventPage, OperationName, render_event};
pub use explain::{Explanation, HoldOnPool};
pub use health::Health;
pub use hold::{ConvertHold, ExtendHold, GiveBack, Hold, HoldPage, Kept, Line, MoveBooked, PlaceHold};
pub use key::{CreateKey, CreateTenant, Key, KeyPage, NewKey, Policy, RotateKey, Tenant, TenantPage};
pub use pool::{
    AdjustPool, Availability, Pool, PoolName, PoolPage, PoolPut, PutPool, PutPools, ResourceAvailability,
    SlotAvailability,
};
pub use repair::{
    MakeRepairs, REPAIRS_MAX, RepairItem, RepairLock, RepairOutcome, RepairOwner, RepairPool, RepairResult, RepairsMade,
};

pub use surehold_core::kernel::{ConvertMode, HoldState, KeyMode, KeyRef, KeyRefMalformed, KeyScope};
