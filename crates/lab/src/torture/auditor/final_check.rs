//! The replay's last state is what the server says, and what it says agrees with itself.

use std::collections::HashMap;

use uuid::Uuid;

use super::findings::Verdict;
use super::model::{HoldState, Pool};
use super::replay::{Life, Replay};
use super::state::FinalState;
use crate::torture::history::{HoldSeen, PoolSeen};

pub(super) fn check(last: &FinalState, replay: &Replay, verdict: &mut Verdict) {
    if last.torn {
        // The replay is of a later moment; that there was none at which all stood still is told as such.
        return;
    }
    for name in replay.pools.keys().filter(|name| !last.pools.contains_key(*name)) {
        verdict.add("replay", || format!("pool {name} has events and is not there"));
    }
    for (name, seen) in &last.pools {
        let expected = replay.pools.get(name).map(super::replay::Timeline::now);
        if expected != Some(counters(seen)) {
            verdict.add("replay", || format!("pool {name} is {seen:?}, should be {expected:?}"));
        }
        if seen.oversold != counters(seen).oversold() {
            verdict.add("replay", || format!("pool {name} does not say how much is oversold: {seen:?}"));
        }
    }
    for (id, seen) in &last.holds {
        match (seen, replay.holds.get(id)) {
            (Some(seen), Some(life)) => {
                check_hold(*id, seen, life, verdict);
                let placed_at = life.stages.first().map(|stage| replay.events[stage.event].at);
                if placed_at.is_some_and(|placed_at| placed_at != seen.placed_at) {
                    verdict.add("expiry", || format!("hold {id} was not placed at {}", seen.placed_at));
                }
            }
            (None, None) => {}
            (Some(_), None) => verdict.add("replay", || format!("hold {id} is there without an event")),
            (None, Some(_)) => verdict.add("replay", || format!("hold {id} has events and is not there")),
        }
    }
    check_sums(last, verdict);
}

pub(super) fn counters(seen: &PoolSeen) -> Pool {
    let &PoolSeen { total, overbook, held, booked, granted, closed, version, .. } = seen;
    Pool { total, overbook, held, booked, granted, closed, version }
}

fn check_hold(id: Uuid, seen: &HoldSeen, life: &Life, verdict: &mut Verdict) {
    let Some(stage) = life.stages.last() else { return };
    let lapsed = stage.state == HoldState::Active && seen.state == "expired";
    if lapsed {
        verdict.add("converged", || format!("hold {id} lapsed and was not swept in time"));
    } else if seen.state != stage.state.as_str() || seen.ended_at != stage.ended_at {
        verdict.add("replay", || format!("hold {id} is {} at {:?}, should be {stage:?}", seen.state, seen.ended_at));
    }
    let kept = stage.kept.as_ref().map(|kept| (kept.mode().to_owned(), kept.units.clone()));
    if seen.kept != kept {
        verdict.add("replay", || format!("hold {id} keeps {:?}, should be {kept:?}", seen.kept));
    }
    if stage.expires_at.is_some_and(|expires_at| expires_at != seen.expires_at) {
        let (found, expected) = (seen.expires_at, stage.expires_at);
        verdict.add("expiry", || format!("hold {id} expires at {found}, should be {expected:?}"));
    }
    if seen.owner != life.owner {
        verdict.add("replay", || format!("hold {id} is of {:?}, should be of {:?}", seen.owner, life.owner));
    }
    let stages = i64::try_from(life.stages.len()).expect("a life is short");
    if seen.version != stages {
        verdict.add("replay", || format!("hold {id} has version {}, and {stages} events", seen.version));
    }
}

/// What pools count is what holds have: a hold is in all of its pools or in none.
fn check_sums(last: &FinalState, verdict: &mut Verdict) {
    let mut sums: HashMap<&str, (i64, i64)> = HashMap::new();
    for seen in last.holds.values().flatten() {
        if seen.state == "active" {
            for (pool, units) in &seen.lines {
                sums.entry(pool).or_default().0 += units;
            }
        }
        if let Some((mode, kept)) = &seen.kept
            && mode == "book"
        {
            for (pool, units) in kept {
                sums.entry(pool).or_default().1 += units;
            }
        }
    }
    if !last.settled {
        // Lapsed holds are counted as held until they are swept.
        return;
    }
    for (name, pool) in &last.pools {
        let (held, booked) = sums.get(name.as_str()).copied().unwrap_or_default();
        if (pool.held, pool.booked) != (held, booked) {
            let (found, expected) = ((pool.held, pool.booked), (held, booked));
            verdict.add("all-or-nothing", || {
                format!("pool {name} has {found:?} held and booked, its holds have {expected:?}")
            });
        }
    }
}
