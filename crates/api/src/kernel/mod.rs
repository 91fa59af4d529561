//! Pools, holds, events, tenants and keys.

mod batch;
mod day;
mod event;
mod explain;
mod hold;
mod key;
mod key_ref;
mod pool;
mod repair;

pub use batch::{BatchCommand, BatchRequest, BatchResponse, BatchResult, CancelItem, ConvertItem, ExtendItem};
pub use day::Day;
pub use event::{CaseName, Event, EventBody, EventPage, OperationName, render_event};
pub use explain::{Explanation, HoldOnPool};
pub use hold::{
    ConvertHold, ConvertMode, ExtendHold, GiveBack, Hold, HoldPage, HoldState, Kept, Line, MoveBooked, PlaceHold,
};
pub use key::{CreateKey, CreateTenant, Key, KeyPage, KeyScope, NewKey, Policy, RotateKey, Tenant, TenantPage};
pub use key_ref::{KeyMode, KeyRef, KeyRefMalformed};
pub use pool::{
    AdjustPool, Availability, Pool, PoolName, PoolPage, PoolPut, PutPool, PutPools, ResourceAvailability,
    SlotAvailability,
};
pub use repair::{
    MakeRepairs, REPAIRS_MAX, RepairItem, RepairLock, RepairOutcome, RepairOwner, RepairPool, RepairResult, RepairsMade,
};
