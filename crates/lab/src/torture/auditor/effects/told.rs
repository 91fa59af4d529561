//! The event that an answer names, and whether the answer says of it what the feed says.

use super::super::feed::What;
use super::super::final_check::counters;
use super::super::findings::Verdict;
use super::super::model::differences;
use super::super::replay::Replay;
use super::super::requests::Request;
use crate::torture::history::Ask;

/// What an `ok` says about its effect.
pub(super) enum ExpectedEffect {
    /// This event.
    Event(usize),
    /// There is an effect, and the feed does not have it.
    Missing,
    /// Nothing was to be changed, or somebody else had changed it.
    Nothing,
}

pub(super) fn told(request: &Request<'_>, replay: &Replay) -> ExpectedEffect {
    let found = match request.ask() {
        Ask::Place { hold, .. } => of_hold(replay, *hold, |what| matches!(what, What::Placed { .. })),
        Ask::Convert { hold, .. } => of_hold(replay, *hold, |what| matches!(what, What::Converted { .. })),
        Ask::Cancel { hold } => of_hold(replay, *hold, |what| matches!(what, What::Cancelled { .. })),
        Ask::Extend { hold, until, .. } => {
            let Some((seen, replayed)) = request.hold_told() else { return ExpectedEffect::Nothing };
            if until.is_some() && replayed {
                return ExpectedEffect::Nothing;
            }
            of_hold(
                replay,
                *hold,
                |what| matches!(what, What::Extended { expires_at, .. } if *expires_at == seen.expires_at),
            )
        }
        Ask::Move { from, to, .. } if differences(from, to).is_empty() => return ExpectedEffect::Nothing,
        Ask::Move { hold, .. } | Ask::GiveBack { hold, .. } => {
            let Some((seen, _)) = request.hold_told() else { return ExpectedEffect::Nothing };
            of_stage(replay, *hold, seen.version)
        }
        Ask::PutPool { pool, .. } | Ask::Adjust { pool, .. } => {
            let Some((seen, replayed)) = request.pool_told() else { return ExpectedEffect::Nothing };
            let keyed = matches!(request.ask(), Ask::Adjust { total_delta, .. } if *total_delta != 0);
            if replayed && !keyed {
                return ExpectedEffect::Nothing;
            }
            of_version(replay, pool, seen.version)
        }
        Ask::ReadHold { .. } | Ask::ReadPool { .. } | Ask::ExpireTask { .. } | Ask::ChargeTask { .. } => {
            return ExpectedEffect::Nothing;
        }
    };
    found.map_or(ExpectedEffect::Missing, ExpectedEffect::Event)
}

fn of_hold(replay: &Replay, hold: uuid::Uuid, is_it: impl Fn(&What) -> bool) -> Option<usize> {
    let life = replay.holds.get(&hold)?;
    life.stages.iter().map(|stage| stage.event).find(|event| is_it(&replay.events[*event].what))
}

/// The event that made this version of a hold.
fn of_stage(replay: &Replay, hold: uuid::Uuid, version: i64) -> Option<usize> {
    let place = usize::try_from(version).ok()?.checked_sub(1)?;
    Some(replay.holds.get(&hold)?.stages.get(place)?.event)
}

fn of_version(replay: &Replay, pool: &str, version: i64) -> Option<usize> {
    Some(replay.pools.get(pool)?.at_version(version)?.event)
}

/// The versions in the answer are those of the event.
pub(super) fn check_versions(request: &Request<'_>, event: Option<usize>, replay: &Replay, verdict: &mut Verdict) {
    if let Some((seen, replayed)) = request.hold_told() {
        let expected = match event {
            Some(event) if !replayed || (request.key().is_some() && !seen.pool_versions.is_empty()) => {
                replay.touched[event].iter().cloned().collect()
            }
            Some(_) | None => std::collections::BTreeMap::new(),
        };
        // Whoever gives everything back need not know what that was, and so not whose versions these are.
        let nameless = matches!(request.ask(), Ask::GiveBack { part: None, .. }) && seen.pool_versions.is_empty();
        verdict.checked.versions_told += 1;
        if seen.pool_versions != expected && !nameless {
            let (name, told) = (request.name(), &seen.pool_versions);
            verdict.add("versions-told", || format!("{name} was told {told:?}, the feed says {expected:?}"));
        }
    }
    if let Some((seen, _)) = request.pool_told() {
        let step = replay.pools.get(&seen.name).and_then(|timeline| timeline.at_version(seen.version));
        verdict.checked.versions_told += 1;
        if step.map(|step| step.pool) != Some(counters(seen)) {
            let (name, expected) = (request.name(), step.map(|step| step.pool));
            verdict.add("versions-told", || format!("{name} was told {seen:?}, the feed says {expected:?}"));
        }
    }
}
