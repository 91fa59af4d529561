//! Real-time order: what was over before something else began comes before it, in the feed, in every pool that both
//! touched and in the life of a hold; a read is at least as new as everything that was acknowledged before it began.

use std::collections::HashMap;

use uuid::Uuid;

use super::effects::Effect;
use super::findings::{Verdict, count_of};
use super::replay::Replay;
use super::requests::{Fate, Request};
use crate::torture::history::{Answer, Ask};

/// Something with a place in an order of versions, and the time in which it must have happened.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    /// Twice the version for what made it; one more for what saw it, before the next is made.
    pub(super) key: i64,
    pub(super) begun: u64,
    pub(super) done: u64,
    pub(super) request: usize,
}

impl Moment {
    pub(super) fn is_read(&self) -> bool {
        self.key % 2 == 1
    }

    /// Made or seen.
    pub(super) fn version(&self) -> i64 {
        self.key / 2
    }
}

#[derive(Debug, Default)]
pub(super) struct Moments {
    pub(super) pools: HashMap<String, Vec<Moment>>,
    pub(super) holds: HashMap<Uuid, Vec<Moment>>,
}

pub(super) fn moments(requests: &[Request<'_>], effects: &[Effect], replay: &Replay) -> Moments {
    let mut moments = Moments::default();
    for effect in effects {
        let &Effect { event, request, begun, done } = effect;
        for (pool, version) in &replay.touched[event] {
            let moment = Moment { key: 2 * version, begun, done, request };
            push(&mut moments.pools, pool, moment);
        }
        if let Some(hold) = replay.events[event].what.hold()
            && let Some(version) = hold_version(replay, hold, event)
        {
            let moment = Moment { key: 2 * version, begun, done, request };
            moments.holds.entry(hold).or_default().push(moment);
        }
    }
    for (place, request) in requests.iter().enumerate().filter(|(_, request)| request.fate == Fate::Ok) {
        let of = |version: i64| Moment {
            key: 2 * version + 1,
            begun: request.begun(),
            done: request.done(),
            request: place,
        };
        match seen(request) {
            Some(Seen::Pool(pool, version)) => push(&mut moments.pools, pool, of(version)),
            Some(Seen::Hold(hold, version)) => moments.holds.entry(hold).or_default().push(of(version)),
            None => {}
        }
    }
    moments
}

fn push(pools: &mut HashMap<String, Vec<Moment>>, pool: &str, moment: Moment) {
    match pools.get_mut(pool) {
        Some(moments) => moments.push(moment),
        None => {
            pools.insert(pool.to_owned(), vec![moment]);
        }
    }
}

fn hold_version(replay: &Replay, hold: Uuid, event: usize) -> Option<i64> {
    let stages = &replay.holds.get(&hold)?.stages;
    let place = stages.iter().position(|stage| stage.event == event)?;
    i64::try_from(place + 1).ok()
}

enum Seen<'a> {
    Pool(&'a str, i64),
    Hold(Uuid, i64),
}

/// The version that an answer shows as the present one. A kept answer shows a past one.
fn seen<'a>(request: &Request<'a>) -> Option<Seen<'a>> {
    match (request.ask(), request.answer()?) {
        (Ask::ReadPool { pool }, Answer::Absent) => Some(Seen::Pool(pool, 0)),
        (Ask::ReadHold { hold }, Answer::Absent) => Some(Seen::Hold(*hold, 0)),
        (Ask::ReadPool { pool }, Answer::Pool { pool: seen, .. }) => Some(Seen::Pool(pool, seen.version)),
        (Ask::ReadHold { hold }, Answer::Hold { hold: seen, .. }) => Some(Seen::Hold(*hold, seen.version)),
        (Ask::PutPool { pool, .. }, Answer::Pool { pool: seen, replayed: true }) => {
            Some(Seen::Pool(pool, seen.version))
        }
        (_, Answer::Hold { hold: seen, replayed: true }) if request.key().is_none() => {
            Some(Seen::Hold(seen.id, seen.version))
        }
        (_, Answer::Hold { .. } | Answer::Pool { .. } | Answer::Absent | Answer::Task { .. }) => None,
    }
}

pub(super) fn check(requests: &[Request<'_>], effects: &[Effect], moments: &Moments, verdict: &mut Verdict) {
    let in_feed = effects.iter().map(|effect| {
        let &Effect { event, request, begun, done } = effect;
        Moment { key: 2 * i64::try_from(event).expect("a feed fits in memory"), begun, done, request }
    });
    in_order("the feed", in_feed.collect(), requests, verdict);
    for (pool, moments) in &moments.pools {
        in_order(pool, moments.clone(), requests, verdict);
    }
    for (hold, moments) in &moments.holds {
        in_order(hold, moments.clone(), requests, verdict);
    }
}

/// From the newest to the oldest: nothing may begin after something newer than it was over.
fn in_order(of: impl std::fmt::Display, mut moments: Vec<Moment>, requests: &[Request<'_>], verdict: &mut Verdict) {
    moments.sort_unstable_by_key(|moment| std::cmp::Reverse(moment.key));
    verdict.checked.real_time += count_of(moments.len());
    verdict.checked.reads += count_of(moments.iter().filter(|moment| moment.is_read()).count());
    let mut newer: Option<Moment> = None;
    for same in moments.chunk_by(|a, b| a.key == b.key) {
        for moment in same {
            let Some(over) = newer.filter(|newer| newer.done < moment.begun) else { continue };
            let rule = if requests[moment.request].fate == Fate::Unknown {
                "info-settled"
            } else if moment.is_read() || over.is_read() {
                "reads"
            } else {
                "real-time"
            };
            let (late, early) = (requests[moment.request].name(), requests[over.request].name());
            let (old, new) = (moment.version(), over.version());
            verdict.add(rule, || {
                format!("{of}: {late} began after {early} was over, and has {old} where the other has {new}")
            });
        }
        let soonest = same.iter().min_by_key(|moment| moment.done).copied();
        newer = newer.into_iter().chain(soonest).min_by_key(|moment| moment.done);
    }
}
