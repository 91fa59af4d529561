//! The one command that repairs.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use smol_str::{SmolStr, format_smolstr};
use thiserror::Error;

use super::{RepairRecord, RepairedThing, RepairsEvent};
use crate::kernel::{
    Command, Event, Facts, Hold, HoldId, HoldState, Owner, OwnerName, Pool, PoolKey, Reads, Slot, Stop, Tenant,
};
use crate::operations::{Actor, Aggregate, AggregateLock, LeaseToken, OperationKey, OperationRun, Reason};

/// An owner of more is not repaired: a command loads a bounded number of records.
pub const OWNER_HOLDS_PER_REPAIR_MAX: usize = 1_000;

/// What an audit proposes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repair {
    /// Adds what the counters lack; what is oversold follows from them.
    Pool { pool: PoolKey, held_delta: i64, booked_delta: i64 },
    /// Counts the owner's active holds. All of them are named; that none came or went since shows in the version, which
    /// is zero where the owner is not counted at all.
    Owner { owner: OwnerName, owner_version: i64, holds: Vec<HoldId> },
    /// Removes a lock whose operation does not run.
    Lock { aggregate: Aggregate, operation: OperationKey, token: LeaseToken },
}

impl Repair {
    /// Known by this in the record of repairs.
    pub fn target(&self) -> SmolStr {
        match self {
            Repair::Pool { pool: PoolKey { resource, slot: Slot::NONE }, .. } => format_smolstr!("pool {resource}"),
            Repair::Pool { pool: PoolKey { resource, slot }, .. } => format_smolstr!("pool {resource}@{slot}"),
            Repair::Owner { owner, .. } => format_smolstr!("owner {owner}"),
            Repair::Lock { aggregate, .. } => format_smolstr!("lock {aggregate}"),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RepairRefusal {
    #[error("there is no such tenant")]
    TenantNotFound,
    #[error("{target} has been repaired since the audit, by {actor}; audit again")]
    RepairedMeanwhile { target: SmolStr, actor: Actor },
    #[error("{target} has changed since the audit; audit again")]
    Changed { target: SmolStr },
    #[error("the repair names a hold of {target} twice")]
    NamedTwice { target: SmolStr },
    #[error("the repair would leave {target} with a counter that cannot be; audit again")]
    Impossible { target: SmolStr },
}

impl From<RepairRefusal> for Stop<RepairRefusal> {
    fn from(refusal: RepairRefusal) -> Stop<RepairRefusal> {
        Stop::Refused(refusal)
    }
}

/// How often the thing has been repaired by now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepairDone {
    pub number: i64,
}

/// Repairs one thing.
///
/// Refuses, in this order: no such tenant; repaired since the audit; changed since, in a way that the repair does not
/// allow for; a hold named twice; a counter that cannot be.
#[derive(Clone, Debug)]
pub struct RepairCommand {
    pub repair: Repair,
    /// How often it had been repaired when the audit read it.
    pub number: i64,
    pub actor: Actor,
    pub reason: Reason,
}

type Decision<T> = Result<T, Stop<RepairRefusal>>;

impl Command for RepairCommand {
    const NAME: &'static str = "repair";
    type Reply = RepairDone;
    type Refusal = RepairRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Tenant>(&());
        reads.record::<RepairRecord>(&self.repair.target());
        match &self.repair {
            Repair::Pool { pool, .. } => reads.uncached::<Pool>(pool),
            Repair::Owner { owner, holds, .. } => {
                reads.record::<Owner>(owner);
                for hold in holds {
                    reads.record::<Hold>(hold);
                }
            }
            Repair::Lock { aggregate, operation, .. } => {
                reads.record::<AggregateLock>(aggregate);
                reads.record::<OperationRun>(operation);
            }
        }
    }

    fn decide(&self, facts: &mut Facts) -> Decision<RepairDone> {
        facts.get::<Tenant>(&())?.ok_or(RepairRefusal::TenantNotFound)?;
        self.require_first(facts)?;
        let (repaired, oversold) = match &self.repair {
            Repair::Pool { pool, held_delta, booked_delta } => {
                self.repair_pool(facts, pool, *held_delta, *booked_delta)?
            }
            Repair::Owner { owner, owner_version, holds } => {
                (self.count_owner(facts, owner, *owner_version, holds)?, None)
            }
            Repair::Lock { aggregate, operation, token } => {
                (self.remove_lock(facts, aggregate, operation, *token)?, None)
            }
        };
        self.keep_record(facts)?;
        let (actor, reason) = (self.actor.clone(), self.reason.clone());
        facts.emit(&RepairsEvent::Repaired { repaired, actor, reason }.into());
        if let Some(oversold) = oversold {
            facts.emit(&oversold);
        }
        Ok(RepairDone { number: self.number.strict_add(1) })
    }
}

impl RepairCommand {
    fn changed(&self) -> Stop<RepairRefusal> {
        RepairRefusal::Changed { target: self.repair.target() }.into()
    }

    fn require_first(&self, facts: &mut Facts) -> Decision<()> {
        let target = self.repair.target();
        match facts.get::<RepairRecord>(&target)? {
            Some(record) if record.number != self.number => {
                Err(RepairRefusal::RepairedMeanwhile { target, actor: record.actor.clone() }.into())
            }
            None if self.number != 0 => Err(self.changed()),
            Some(_) | None => Ok(()),
        }
    }

    fn keep_record(&self, facts: &mut Facts) -> Decision<()> {
        let (target, now) = (self.repair.target(), facts.now());
        let (actor, reason) = (self.actor.clone(), self.reason.clone());
        let number = self.number.strict_add(1);
        if let Some(record) = facts.get_mut::<RepairRecord>(&target)? {
            *record = RepairRecord { target, number, at: now, actor, reason, version: record.version };
        } else {
            facts.insert(RepairRecord { target, number, at: now, actor, reason, version: 0 });
        }
        Ok(())
    }

    /// Also tells what the pool lacks, whether or not somebody was told before.
    fn repair_pool(
        &self,
        facts: &mut Facts,
        key: &PoolKey,
        held_delta: i64,
        booked_delta: i64,
    ) -> Decision<(RepairedThing, Option<Event>)> {
        let pool = facts.get_mut::<Pool>(key)?.ok_or_else(|| self.changed())?;
        let repaired = pool.repaired(held_delta, booked_delta);
        *pool = repaired.ok_or_else(|| RepairRefusal::Impossible { target: self.repair.target() })?;
        let (version, oversold) = (pool.version, pool.oversold);
        let told = (oversold > 0).then(|| Event::PoolOversold { pool: key.clone(), oversold });
        Ok((RepairedThing::Pool { pool: key.clone(), version, held_delta, booked_delta }, told))
    }

    fn count_owner(
        &self,
        facts: &mut Facts,
        name: &OwnerName,
        owner_version: i64,
        ids: &[HoldId],
    ) -> Decision<RepairedThing> {
        facts.require::<Hold>(ids)?;
        let version = facts.get::<Owner>(name)?.map_or(0, |owner| owner.version);
        if version != owner_version {
            return Err(self.changed());
        }
        let distinct: HashSet<&HoldId> = ids.iter().collect();
        if distinct.len() != ids.len() {
            return Err(RepairRefusal::NamedTwice { target: self.repair.target() }.into());
        }
        let (mut holds, mut lifetime_secs) = (0_i64, 0_i64);
        for id in ids {
            let hold = facts.get::<Hold>(id)?.ok_or_else(|| self.changed())?;
            if hold.state != HoldState::Active || hold.owner.as_ref() != Some(name) {
                return Err(self.changed());
            }
            holds = holds.strict_add(1);
            lifetime_secs = lifetime_secs.strict_add(hold.expires_at.secs_since(hold.placed_at));
        }
        match (version, holds) {
            (0, 0) => return Err(self.changed()),
            (_, 0) => facts.remove::<Owner>(name),
            (0, _) => {
                facts.insert(Owner { name: name.clone(), holds, lifetime_secs, version: 0 });
            }
            (_, _) => {
                let owner = facts.get_mut::<Owner>(name)?.expect("it has a version");
                (owner.holds, owner.lifetime_secs) = (holds, lifetime_secs);
            }
        }
        Ok(RepairedThing::Owner { owner: name.clone(), holds, lifetime_secs })
    }

    fn remove_lock(
        &self,
        facts: &mut Facts,
        aggregate: &Aggregate,
        operation: &OperationKey,
        token: LeaseToken,
    ) -> Decision<RepairedThing> {
        let lock = facts.get::<AggregateLock>(aggregate)?.ok_or_else(|| self.changed())?;
        if lock.operation != *operation || lock.token != token {
            return Err(self.changed());
        }
        let run = facts.get::<OperationRun>(operation)?;
        if run.is_some_and(|run| run.lease.is_some()) {
            return Err(self.changed());
        }
        facts.remove::<AggregateLock>(aggregate);
        // Somebody may be waiting for it.
        facts.wake_worker(facts.now());
        Ok(RepairedThing::Lock { aggregate: aggregate.as_str().into(), operation: operation.into() })
    }
}
