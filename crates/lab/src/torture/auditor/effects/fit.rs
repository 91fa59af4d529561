//! Whether an event is what a request asks for, by its content.

use super::super::feed::What;
use super::super::instant;
use super::super::model::Pool;
use super::super::replay::{Life, Replay, Stage};
use super::super::requests::Request;
use crate::torture::history::{Ask, Units};

pub(super) fn fits(request: &Request<'_>, event: usize, replay: &Replay) -> bool {
    let what = &replay.events[event].what;
    let life = what.hold().and_then(|hold| replay.holds.get(&hold));
    match (request.ask(), what) {
        (Ask::Place { hold, lines, .. }, What::Placed { hold: placed, .. }) => {
            hold == placed && life.is_some_and(|life| life.lines == *lines)
        }
        (Ask::Convert { hold, consume, part }, What::Converted { hold: converted, consume: consumed, kept, .. }) => {
            let wanted = part.as_ref().or(life.map(|life| &life.lines));
            hold == converted && consume == consumed && wanted == Some(kept)
        }
        (Ask::Cancel { hold }, What::Cancelled { hold: cancelled, .. }) => hold == cancelled,
        (Ask::Extend { hold, until, by_secs }, What::Extended { hold: extended, expires_at }) => {
            hold == extended && extends(until.as_deref(), *by_secs, *expires_at, before(life, event))
        }
        (Ask::Move { hold, from, to }, What::Moved { hold: moved, from: old, to: new, .. }) => {
            hold == moved && from == old && to == new
        }
        (Ask::GiveBack { hold, part }, What::GivenBack { hold: giver, lines, .. }) => {
            hold == giver && gives(part.as_ref(), lines, before(life, event))
        }
        (Ask::PutPool { pool, .. } | Ask::Adjust { pool, .. }, What::PoolChanged { pool: changed, version, .. }) => {
            pool == changed && sets(request.ask(), replay, pool, *version)
        }
        _ => false,
    }
}

/// The hold as it was before the event.
fn before(life: Option<&Life>, event: usize) -> Option<&Stage> {
    life?.stages.iter().rev().find(|stage| stage.event < event)
}

fn extends(until: Option<&str>, by_secs: Option<i64>, expires_at: i64, before: Option<&Stage>) -> bool {
    match (until, by_secs) {
        (Some(until), _) => instant::parse(until) == Some(expires_at),
        (None, Some(secs)) => {
            let known = before.and_then(|stage| stage.expires_at);
            known.is_none_or(|known| known + instant::from_secs(secs) == expires_at)
        }
        (None, None) => false,
    }
}

fn gives(part: Option<&Units>, lines: &Units, before: Option<&Stage>) -> bool {
    let had = before.and_then(|stage| stage.kept.as_ref()).map(|kept| &kept.units);
    part.or(had) == Some(lines)
}

/// Whether the pool at this version is what the request makes of the version before.
fn sets(ask: &Ask, replay: &Replay, pool: &str, version: i64) -> bool {
    let Some(timeline) = replay.pools.get(pool) else { return false };
    let Some(after) = timeline.at_version(version).map(|step| step.pool) else { return false };
    let before = timeline.at_version(version - 1).map(|step| step.pool).unwrap_or_default();
    let wanted = match ask {
        Ask::PutPool { total, closed, expected_version, .. } => {
            let expected = expected_version.is_none_or(|expected| expected == before.version);
            let (total, closed) = (total.unwrap_or(before.total), closed.unwrap_or(before.closed));
            expected.then_some(Pool { total, closed, ..before })
        }
        Ask::Adjust { total_delta, .. } => Some(Pool { total: before.total + total_delta, ..before }),
        Ask::Place { .. }
        | Ask::Extend { .. }
        | Ask::Convert { .. }
        | Ask::Cancel { .. }
        | Ask::Move { .. }
        | Ask::GiveBack { .. }
        | Ask::ReadHold { .. }
        | Ask::ReadPool { .. }
        | Ask::ExpireTask { .. }
        | Ask::ChargeTask { .. } => None,
    };
    wanted.is_some_and(|wanted| Pool { version, ..wanted } == after)
}
