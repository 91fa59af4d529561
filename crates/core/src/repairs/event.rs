//! What the journal says about a repair.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::kernel::{OwnerName, PoolKey};
use crate::operations::{Actor, Reason};

/// Something was put right by hand. Names who did it and why: nothing else in the journal explains the change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repaired {
    pub thing: RepairedThing,
    pub actor: Actor,
    pub reason: Reason,
}

/// Variants are only ever appended: their order is the stored format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RepairedThing {
    /// `version` is the pool's after the event.
    Pool { pool: PoolKey, version: i64, held_delta: i64, booked_delta: i64 },
    /// Counted anew; an owner of nothing is gone.
    Owner { owner: OwnerName, holds: i64, lifetime_secs: i64 },
    /// Removed; `kind` and `key` are those of the operation that had it.
    Lock { aggregate: SmolStr, kind: SmolStr, key: SmolStr },
}
