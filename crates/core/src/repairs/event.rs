//! What the journal says about a repair.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::kernel::{OwnerName, PoolKey, Shape, events, sent};
use crate::operations::{Actor, OperationName, Reason};

events! {
    /// Between those who run the installation, and therefore not offered: the counters that a repair corrects were never
    /// right for anybody.
    #[serde(from = "(RepairedThing, Actor, Reason)", into = "(RepairedThing, Actor, Reason)")]
    pub enum RepairsEvent {
        /// Something that an audit found was put right by hand. Names who did it and why: nothing else in the journal
        /// explains the change.
        Repaired = "repaired" { repaired: RepairedThing, actor: Actor, reason: Reason };
    }
}

// The only event of its module is stored without an index.
impl From<(RepairedThing, Actor, Reason)> for RepairsEvent {
    fn from((repaired, actor, reason): (RepairedThing, Actor, Reason)) -> RepairsEvent {
        RepairsEvent::Repaired { repaired, actor, reason }
    }
}

impl From<RepairsEvent> for (RepairedThing, Actor, Reason) {
    fn from(RepairsEvent::Repaired { repaired, actor, reason }: RepairsEvent) -> (RepairedThing, Actor, Reason) {
        (repaired, actor, reason)
    }
}

/// Variants are only ever appended: their order is the stored format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RepairedThing {
    /// `version` is the pool's after the event.
    Pool { pool: PoolKey, version: i64, held_delta: i64, booked_delta: i64 },
    /// Counted anew; an owner of nothing is gone.
    Owner { owner: OwnerName, holds: i64, lifetime_secs: i64 },
    /// Removed; the operation is the one that had it.
    Lock { aggregate: SmolStr, operation: OperationName },
}

sent! {
    Shape::Component("RepairedThing") => RepairedThing;
}
