//! Repairs on the wire: what an audit proposed, sent back by whoever wants it done.

use std::fmt;

use surehold_core::kernel::{HoldId, OwnerName, PoolKey, ResourceName, Slot};
use surehold_core::operations::{Actor, Aggregate, DedupeKey, LeaseToken, OperationKey, Reason, TypeName};
use surehold_core::repairs::{Repair, RepairCommand};

use super::pool::no_slot;
use crate::describe::wire;

/// No request repairs more at once.
pub const REPAIRS_MAX: usize = 100;

/// Up to 100 repairs of one tenant, as an audit proposed them. Each is done or refused by itself.
#[wire]
#[schema(example = json!({
    "tenant": 237_230_348_855_733_i64, "actor": "ana", "reason": "found by the nightly audit",
    "repairs": [
        {"pool": {"resource": "double", "slot": "2026-12-24", "held_delta": 1, "booked_delta": 0, "number": 0}},
        {"owner": {"owner": "ann", "owner_version": 1, "holds": ["019a8d1e-6f00-7000-8000-000000000001"], "number": 0}},
        {"lock": {"aggregate": "purchase:4711", "type": "ISSUE_TICKETS", "key": "4711", "token": 1, "number": 0}}
    ]
}))]
pub struct MakeRepairs {
    /// The tenant's number; that of its test twin is negative.
    pub tenant: i64,
    pub actor: Actor,
    pub reason: Reason,
    #[schema(min_items = 1, max_items = 100)]
    pub repairs: Vec<RepairItem>,
}

#[wire]
#[serde(rename_all = "snake_case")]
pub enum RepairItem {
    #[schema(title = "PoolRepair")]
    Pool(RepairPool),
    #[schema(title = "OwnerRepair")]
    Owner(RepairOwner),
    #[schema(title = "LockRepair")]
    Lock(RepairLock),
}

/// Counters that disagree with the holds.
#[wire]
pub struct RepairPool {
    pub resource: ResourceName,
    #[serde(default = "no_slot")]
    pub slot: Slot,
    /// What to add to the units held.
    pub held_delta: i64,
    /// What to add to the units booked.
    pub booked_delta: i64,
    /// How often it had been repaired when the audit looked.
    pub number: i64,
}

/// An owner whose holds are counted wrong.
#[wire]
pub struct RepairOwner {
    pub owner: OwnerName,
    /// Of the owner's count when the audit looked; 0 where there was none.
    pub owner_version: i64,
    /// All active holds of the owner.
    #[schema(max_items = 1000)]
    pub holds: Vec<HoldId>,
    pub number: i64,
}

/// A lock of an operation that does not run.
#[wire]
pub struct RepairLock {
    pub aggregate: Aggregate,
    pub r#type: TypeName,
    pub key: DedupeKey,
    /// The lease's that it was taken with.
    pub token: i64,
    pub number: i64,
}

impl RepairItem {
    pub fn of(repair: Repair, number: i64) -> RepairItem {
        match repair {
            Repair::Pool { pool: PoolKey { resource, slot }, held_delta, booked_delta } => {
                RepairItem::Pool(RepairPool { resource, slot, held_delta, booked_delta, number })
            }
            Repair::Owner { owner, owner_version, holds } => {
                RepairItem::Owner(RepairOwner { owner, owner_version, holds, number })
            }
            Repair::Lock { aggregate, operation: OperationKey { kind, key }, token } => {
                RepairItem::Lock(RepairLock { aggregate, r#type: kind, key, token: token.0, number })
            }
        }
    }

    pub fn into_command(self, actor: Actor, reason: Reason) -> RepairCommand {
        let (repair, number) = match self {
            RepairItem::Pool(RepairPool { resource, slot, held_delta, booked_delta, number }) => {
                (Repair::Pool { pool: PoolKey { resource, slot }, held_delta, booked_delta }, number)
            }
            RepairItem::Owner(RepairOwner { owner, owner_version, holds, number }) => {
                (Repair::Owner { owner, owner_version, holds }, number)
            }
            RepairItem::Lock(RepairLock { aggregate, r#type, key, token, number }) => {
                let operation = OperationKey { kind: r#type, key };
                (Repair::Lock { aggregate, operation, token: LeaseToken(token) }, number)
            }
        };
        RepairCommand { repair, number, actor, reason }
    }
}

/// What became of the repairs, in their order.
#[wire]
pub struct RepairsMade {
    pub results: Vec<RepairResult>,
}

#[wire]
pub struct RepairResult {
    #[schema(example = "pool double@2026-12-24")]
    pub target: String,
    pub outcome: RepairOutcome,
    /// Why it was refused, or is not known.
    pub why: Option<String>,
}

/// `refused` changed nothing. Whether `unknown` did, the next audit tells; sent again, it is not done twice.
#[wire(Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum RepairOutcome {
    Repaired,
    Refused,
    Unknown,
}

impl fmt::Display for RepairOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RepairOutcome::Repaired => "repaired",
            RepairOutcome::Refused => "refused",
            RepairOutcome::Unknown => "unknown",
        })
    }
}
