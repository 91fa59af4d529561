//! What can be done to tenants, pools and holds. Each file states the order in which it refuses.

mod any_hold;
mod booked;
mod convert;
mod end;
mod extend;
mod journal;
mod keys;
mod place;
mod pools;
mod tenants;

pub use any_hold::AnyHoldCommand;
pub use booked::{GiveBack, MoveBooked};
pub use convert::ConvertHold;
pub use end::{CancelHold, ExpireHold, ExpireLapsedHolds, LapsedHoldsExpired};
pub use extend::{ExtendHold, Extension};
pub use journal::{JOURNAL_ROWS_PER_TRIM_MAX, TrimJournal};
pub use keys::{CreateKey, KEY_OVERLAP_SECS_MAX, RevokeKey, RotateKey};
pub use place::{ID_AGE_SECS_MAX, ID_AHEAD_SECS_MAX, PlaceHold};
pub(crate) use pools::set_tracked_total;
pub use pools::{AdjustPool, GrantUnits, POOLS_PER_PUT_MAX, PutPool, PutPools};
pub use tenants::{ClaimSlug, CreateTenant, SetPolicy};

use serde::{Deserialize, Serialize};

use super::{Facts, Hold, HoldId, HoldPolicy, Lines, Owner, Pool, PoolKey, Refusal, ShortLine, Stop, Tenant};

/// A hold after a command, and the versions of the pools that the command changed, in the order of its lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HoldReply {
    pub hold: Hold,
    /// Empty when the command changed no pool.
    pub pool_versions: Vec<i64>,
}

type Decision<T> = Result<T, Stop<Refusal>>;

fn policy(facts: &mut Facts) -> Decision<HoldPolicy> {
    let tenant = facts.get::<Tenant>(&())?.ok_or(Refusal::TenantNotFound)?;
    Ok(tenant.policy)
}

fn hold(facts: &mut Facts, id: HoldId) -> Decision<Hold> {
    Ok(facts.get::<Hold>(&id)?.ok_or(Refusal::HoldNotFound { hold: id })?.clone())
}

/// The hold if it is live; otherwise what it has become.
fn live_hold(facts: &mut Facts, id: HoldId) -> Decision<Hold> {
    let now = facts.now();
    let hold = hold(facts, id)?;
    if hold.is_live(now) { Ok(hold) } else { Err(Refusal::HoldEnded { state: hold.state_at(now) }.into()) }
}

/// All pools of the lines, asked for at once.
fn require_pools(facts: &mut Facts, lines: &Lines) -> Decision<()> {
    Ok(facts.require::<Pool>(lines.pools())?)
}

/// Refuses pools that do not exist, then those that are closed and would take new claims.
fn require_open_pools(facts: &mut Facts, lines: &Lines, takes_claims: impl Fn(&PoolKey) -> bool) -> Decision<()> {
    require_pools(facts, lines)?;
    let mut unknown = Vec::new();
    let mut closed = Vec::new();
    for key in lines.pools() {
        match facts.get::<Pool>(key)? {
            None => unknown.push(key.clone()),
            Some(pool) if pool.closed && takes_claims(key) => closed.push(key.clone()),
            Some(_) => {}
        }
    }
    if !unknown.is_empty() {
        return Err(Refusal::PoolNotFound { pools: unknown }.into());
    }
    // Closed comes before full: a closed pool must not reveal what was left.
    if !closed.is_empty() {
        return Err(Refusal::PoolClosed { pools: closed }.into());
    }
    Ok(())
}

/// Refuses with every line that is short, but only after lapsed holds have given back what they had.
fn require_available<'a>(facts: &mut Facts, claims: impl Iterator<Item = (&'a PoolKey, i64)>) -> Decision<()> {
    let mut short = Vec::new();
    for (key, wanted) in claims {
        let available = facts.get::<Pool>(key)?.map_or(0, Pool::available);
        if available < wanted {
            short.push(ShortLine::new(key.clone(), wanted, available));
        }
    }
    if short.is_empty() {
        return Ok(());
    }
    facts.require_no_lapsed_holds()?;
    Err(Refusal::SoldOut { lines: short }.into())
}

/// Changes the pool of each line and collects the versions.
fn change_pools(facts: &mut Facts, lines: &Lines, change: impl Fn(&mut Pool, i64)) -> Decision<Vec<i64>> {
    let mut versions = Vec::with_capacity(lines.len());
    for line in lines.iter() {
        versions.push(change_pool(facts, &line.pool, |pool| change(pool, line.quantity))?);
    }
    Ok(versions)
}

fn change_pool(facts: &mut Facts, key: &PoolKey, change: impl FnOnce(&mut Pool)) -> Decision<i64> {
    let pool = facts.get_mut::<Pool>(key)?.expect("a pool with claims on it is never removed");
    change(pool);
    Ok(pool.version)
}

/// The hold ends: its owner has one less.
fn forget_owner(facts: &mut Facts, ended: &Hold) -> Decision<()> {
    let Some(name) = &ended.owner else { return Ok(()) };
    let owner = facts.get_mut::<Owner>(name)?.expect("an owner with active holds is counted");
    owner.holds = owner.holds.strict_sub(1);
    owner.lifetime_secs = owner.lifetime_secs.strict_sub(ended.granted_lifetime_secs());
    if owner.holds == 0 {
        facts.remove::<Owner>(name);
    }
    Ok(())
}

fn update_hold(facts: &mut Facts, id: HoldId, change: impl FnOnce(&mut Hold)) -> Decision<Hold> {
    let hold = facts.get_mut::<Hold>(&id)?.expect("read before");
    change(hold);
    Ok(hold.clone())
}
