//! The ways a hold ends without being converted. Its units go back to their pools.

use serde::{Deserialize, Serialize};

use super::super::{
    Command, Event, Facts, Hold, HoldId, HoldState, LapsedHolds, Owner, Pool, PoolKey, RECORDS_PER_COMMAND_MAX, Reads,
    Refusal, Stop,
};
use super::{Decision, HoldReply, change_pools, forget_owner, hold, require_pools, update_hold};

fn end(facts: &mut Facts, ended: &Hold, state: HoldState) -> Decision<HoldReply> {
    let pool_versions = change_pools(facts, &ended.lines, Pool::release)?;
    forget_owner(facts, ended)?;
    let now = facts.now();
    let hold = update_hold(facts, ended.id, |hold| {
        hold.state = state;
        hold.ended_at = Some(now);
    })?;
    let versions = pool_versions.clone();
    facts.emit(&match state {
        HoldState::Expired => Event::HoldExpired { hold: ended.id, versions },
        HoldState::Cancelled => Event::HoldCancelled { hold: ended.id, versions },
        HoldState::Active | HoldState::Converted => unreachable!("not an end without conversion"),
    });
    Ok(HoldReply { hold, pool_versions })
}

/// A repeat finds the hold cancelled and says so.
///
/// Refuses, in this order: no such hold; the hold has ended otherwise.
#[derive(Clone, Debug)]
pub struct CancelHold {
    pub id: HoldId,
}

impl Command for CancelHold {
    const NAME: &'static str = "cancel_hold";
    type Reply = HoldReply;
    type Refusal = Refusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Hold>(&self.id);
    }

    fn decide(&self, facts: &mut Facts) -> Result<HoldReply, Stop<Refusal>> {
        let hold = hold(facts, self.id)?;
        match hold.state_at(facts.now()) {
            HoldState::Active => {
                require_pools(facts, &hold.lines)?;
                end(facts, &hold, HoldState::Cancelled)
            }
            HoldState::Cancelled => {
                facts.mark_replayed();
                Ok(HoldReply { hold, pool_versions: Vec::new() })
            }
            state @ (HoldState::Converted | HoldState::Expired) => Err(Refusal::HoldEnded { state }.into()),
        }
    }
}

/// For schedulers that expire holds one by one. An early call changes nothing; a repeat finds the hold expired.
///
/// Refuses, in this order: no such hold; the hold has ended otherwise; it is not due.
#[derive(Clone, Debug)]
pub struct ExpireHold {
    pub id: HoldId,
}

impl Command for ExpireHold {
    const NAME: &'static str = "expire_hold";
    type Reply = HoldReply;
    type Refusal = Refusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Hold>(&self.id);
    }

    fn decide(&self, facts: &mut Facts) -> Result<HoldReply, Stop<Refusal>> {
        let hold = hold(facts, self.id)?;
        match hold.state {
            HoldState::Active if hold.is_live(facts.now()) => {
                Err(Refusal::HoldNotDue { expires_at: hold.expires_at }.into())
            }
            HoldState::Active => {
                require_pools(facts, &hold.lines)?;
                end(facts, &hold, HoldState::Expired)
            }
            HoldState::Expired => {
                facts.mark_replayed();
                Ok(HoldReply { hold, pool_versions: Vec::new() })
            }
            state @ (HoldState::Converted | HoldState::Cancelled) => Err(Refusal::HoldEnded { state }.into()),
        }
    }
}

/// Expires lapsed holds of the tenant, oldest first, as many as one command may. Run by the sweeper, and by the engine
/// before it lets a shortage be a refusal.
#[derive(Clone, Debug)]
pub struct ExpireLapsedHolds;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LapsedHoldsExpired {
    pub count: usize,
    pub more_left: bool,
}

impl Command for ExpireLapsedHolds {
    const NAME: &'static str = "expire_lapsed_holds";
    type Reply = LapsedHoldsExpired;
    type Refusal = Refusal;

    fn reads(&self, _reads: &mut Reads<'_>) {}

    fn decide(&self, facts: &mut Facts) -> Result<LapsedHoldsExpired, Stop<Refusal>> {
        let (due, all_known) = facts.due::<Hold>()?;
        let mut lapsed = Vec::new();
        let mut records = 0_usize;
        for id in &due {
            let hold = hold(facts, *id)?;
            records = records.strict_add(hold.lines.len()).strict_add(2);
            // The first always fits: a hold has at most a hundred lines.
            if records > RECORDS_PER_COMMAND_MAX {
                break;
            }
            lapsed.push(hold);
        }
        let pools: Vec<PoolKey> = lapsed.iter().flat_map(|hold| hold.lines.pools().cloned()).collect();
        let owners: Vec<_> = lapsed.iter().filter_map(|hold| hold.owner.clone()).collect();
        let (pools, owners) = (facts.require::<Pool>(&pools), facts.require::<Owner>(&owners));
        pools.and(owners)?;
        for hold in &lapsed {
            end(facts, hold, HoldState::Expired)?;
        }
        let more_left = !all_known || lapsed.len() < due.len();
        facts.set_lapsed_holds(if more_left { LapsedHolds::MoreLeft } else { LapsedHolds::NoneLeft });
        Ok(LapsedHoldsExpired { count: lapsed.len(), more_left })
    }
}
