//! Whether a hold can be had, said in other words than the domain's: from live holds alone, without counters, as if
//! every lapsed hold had gone at its instant.

use surehold_core::kernel::{
    ConvertMode, Hold, HoldState, Kept, Lines, OwnerName, PoolKey, Refusal, ShortLine, Timestamp,
};

use crate::state::State;

/// The refusal of a fresh id, if it must be refused.
pub(crate) fn refusal_of_place(
    state: &State,
    now: Timestamp,
    lines: &Lines,
    owner: Option<&OwnerName>,
    secs: Option<i64>,
) -> Option<Refusal> {
    let Some(tenant) = &state.tenant else { return Some(Refusal::TenantNotFound) };
    let policy = tenant.policy;
    let secs = secs.unwrap_or(policy.lifetime_secs_default);
    if secs > policy.lifetime_secs_max {
        return Some(Refusal::LifetimeTooLong { secs, max: policy.lifetime_secs_max });
    }
    let keys = |wanted: &dyn Fn(&PoolKey) -> bool| lines.pools().filter(|key| wanted(key)).cloned().collect::<Vec<_>>();
    let unknown = keys(&|key| !state.pools.contains_key(key));
    if !unknown.is_empty() {
        return Some(Refusal::PoolNotFound { pools: unknown });
    }
    let closed = keys(&|key| state.pools[key].closed);
    if !closed.is_empty() {
        return Some(Refusal::PoolClosed { pools: closed });
    }
    if let Some(owner) = owner {
        let theirs: Vec<&Hold> = live_holds(state, now).filter(|hold| hold.owner.as_ref() == Some(owner)).collect();
        if i64::try_from(theirs.len()).unwrap() >= policy.owner_holds_max {
            return Some(Refusal::OwnerHoldsLimit { max: policy.owner_holds_max });
        }
        let secs = secs + theirs.iter().map(|hold| lifetime_secs(hold)).sum::<i64>();
        if secs > policy.owner_lifetime_secs_max {
            return Some(Refusal::OwnerLifetimeLimit { secs, max: policy.owner_lifetime_secs_max });
        }
    }
    let short: Vec<ShortLine> = lines
        .iter()
        .map(|line| ShortLine::new(line.pool.clone(), line.quantity, available(state, now, &line.pool)))
        .filter(|line| line.available < line.wanted)
        .collect();
    (!short.is_empty()).then_some(Refusal::SoldOut { lines: short })
}

fn live_holds(state: &State, now: Timestamp) -> impl Iterator<Item = &Hold> {
    state.holds.values().filter(move |hold| hold.state == HoldState::Active && now < hold.expires_at)
}

/// Started seconds.
fn lifetime_secs(hold: &Hold) -> i64 {
    (hold.expires_at.micros() - hold.placed_at.micros() + 999_999) / 1_000_000
}

fn available(state: &State, now: Timestamp, key: &PoolKey) -> i64 {
    let pool = state.pool(key);
    let held: i64 = live_holds(state, now).map(|hold| hold.lines.quantity_of(key)).sum();
    let booked: i64 = state.holds.values().map(|hold| booked_units(hold, key)).sum();
    (pool.total + pool.overbook - pool.granted - held - booked).max(0)
}

fn booked_units(hold: &Hold, key: &PoolKey) -> i64 {
    match &hold.kept {
        Some(Kept { mode: ConvertMode::Book, lines, .. }) => lines.quantity_of(key),
        Some(Kept { mode: ConvertMode::Consume, .. }) | None => 0,
    }
}
