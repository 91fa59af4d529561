//! What answers show is what the replay has at that version.

use super::effects::Effect;
use super::final_check::counters;
use super::findings::Verdict;
use super::model::HoldState;
use super::replay::{Replay, Stage};
use super::requests::{Fate, Request};
use crate::torture::history::{Answer, Ask, HoldSeen};

pub(super) fn check(requests: &[Request<'_>], effects: &[Effect], replay: &Replay, verdict: &mut Verdict) {
    let mut begun: Vec<u64> = vec![0; replay.events.len()];
    for effect in effects {
        begun[effect.event] = effect.begun;
    }
    for request in requests.iter().filter(|request| request.fate == Fate::Ok) {
        match (request.ask(), request.answer()) {
            (Ask::ReadPool { pool }, Some(Answer::Pool { pool: seen, .. })) => {
                let step = replay.pools.get(pool).and_then(|timeline| timeline.at_version(seen.version));
                if step.map(|step| step.pool) != Some(counters(seen)) || seen.oversold != counters(seen).oversold() {
                    let expected = step.map(|step| step.pool);
                    verdict.add("reads", || format!("{} saw {seen:?}, should be {expected:?}", request.name()));
                }
            }
            (_, Some(Answer::Hold { hold, .. })) => check_hold(request, hold, &begun, replay, verdict),
            (_, Some(Answer::Pool { .. } | Answer::Absent | Answer::Task { .. }) | None) => {}
        }
    }
}

fn check_hold(request: &Request<'_>, seen: &HoldSeen, begun: &[u64], replay: &Replay, verdict: &mut Verdict) {
    let Some(life) = replay.holds.get(&seen.id) else {
        verdict.add("reads", || format!("{} saw hold {}, which was never placed", request.name(), seen.id));
        return;
    };
    let place = usize::try_from(seen.version).ok().and_then(|version| version.checked_sub(1));
    let Some(stage) = place.and_then(|place| life.stages.get(place)) else {
        let version = seen.version;
        verdict.add("reads", || format!("{} saw version {version} of hold {}", request.name(), seen.id));
        return;
    };
    if !shows(seen, stage, life.lines == seen.lines && life.owner == seen.owner) {
        verdict.add("reads", || format!("{} saw {seen:?}, should be {stage:?}", request.name()));
    }
    let lapsed = stage.state == HoldState::Active && seen.state == "expired";
    let next = place.and_then(|place| life.stages.get(place + 1)).filter(|next| next.state != HoldState::Expired);
    if let Some(next) = next.filter(|next| lapsed && begun[next.event] > request.done()) {
        let (name, state) = (request.name(), next.state.as_str());
        verdict.add("expiry", || format!("{name} saw hold {} expired, and it was {state} later", seen.id));
    }
}

/// A hold that has lapsed is shown as expired, swept or not.
fn shows(seen: &HoldSeen, stage: &Stage, same_hold: bool) -> bool {
    let lapsed = stage.state == HoldState::Active && seen.state == "expired";
    let ended_at = if lapsed { Some(seen.expires_at) } else { stage.ended_at };
    let kept = stage.kept.as_ref().map(|kept| (kept.mode(), &kept.units));
    let kept_seen = seen.kept.as_ref().map(|(mode, units)| (mode.as_str(), units));
    same_hold
        && (lapsed || seen.state == stage.state.as_str())
        && seen.ended_at == ended_at
        && kept == kept_seen
        && stage.expires_at.is_none_or(|expires_at| expires_at == seen.expires_at)
}
