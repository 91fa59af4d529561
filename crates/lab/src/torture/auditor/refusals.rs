//! Refusals that no state explains which there could have been between the question and the answer.
//!
//! The versions that a pool can have had meanwhile lie between the newest that was acknowledged before the question and
//! the oldest that was asked for after the answer. Holds that had lapsed by then do not count as held: a shortage is not
//! believed before they are swept.

use std::collections::HashMap;

use super::clock::Clock;
use super::effects::Effect;
use super::feed::What;
use super::findings::Verdict;
use super::model::{HoldState, differences};
use super::realtime::{Moment, Moments};
use super::replay::{Life, Replay, Step};
use super::requests::Request;
use crate::torture::history::{Ask, Units};

/// More possible versions than this are not looked at.
const WINDOW_VERSIONS_MAX: i64 = 20_000;

/// Which versions a pool can have had while something was asked.
pub(super) struct Bounds {
    /// By when it was over: the newest version known by then.
    known: Vec<(u64, i64)>,
    /// By when it began: the newest version that was possible before.
    possible: Vec<(u64, i64)>,
    newest: i64,
}

impl Bounds {
    pub(super) fn new(moments: &[Moment], newest: i64) -> Bounds {
        let mut known: Vec<(u64, i64)> = moments.iter().map(|moment| (moment.done, moment.version())).collect();
        known.sort_unstable();
        let mut highest = 0;
        for (_, version) in &mut known {
            highest = highest.max(*version);
            *version = highest;
        }
        let before = |moment: &Moment| if moment.is_read() { moment.version() } else { moment.version() - 1 };
        let mut possible: Vec<(u64, i64)> = moments.iter().map(|moment| (moment.begun, before(moment))).collect();
        possible.sort_unstable();
        let mut lowest = newest;
        for (_, version) in possible.iter_mut().rev() {
            lowest = lowest.min(*version);
            *version = lowest;
        }
        Bounds { known, possible, newest }
    }

    pub(super) fn during(&self, begun: u64, done: u64) -> (i64, i64) {
        let over = self.known.partition_point(|(time, _)| *time < begun);
        let low = over.checked_sub(1).map_or(0, |place| self.known[place].1);
        let later = self.possible.partition_point(|(time, _)| *time <= done);
        (low, self.possible.get(later).map_or(self.newest, |(_, version)| *version))
    }
}

pub(super) fn bounds(moments: &Moments, replay: &Replay) -> HashMap<String, Bounds> {
    let of = |(name, moments): (&String, &Vec<Moment>)| {
        let newest = replay.pools.get(name).map_or(0, |timeline| timeline.now().version);
        (name.clone(), Bounds::new(moments, newest))
    };
    moments.pools.iter().map(of).collect()
}

pub(super) struct Refusals<'a> {
    pub(super) replay: &'a Replay,
    pub(super) bounds: &'a HashMap<String, Bounds>,
    /// By their events.
    pub(super) effects: HashMap<usize, Effect>,
    /// As far as the clock that decides was left alone.
    pub(super) clock: Option<Clock>,
}

impl Refusals<'_> {
    pub(super) fn check(&self, requests: &[Request<'_>], verdict: &mut Verdict) {
        for request in requests {
            let Some(refusal) = request.refusal() else { continue };
            let justified = match (request.ask(), refusal) {
                (Ask::Place { lines, .. }, "sold-out") => self.can_be_short(request, lines.iter()),
                (Ask::Move { from, to, .. }, "sold-out") => {
                    let gains: Units = differences(from, to).into_iter().map(|(p, u)| (p.to_owned(), u)).collect();
                    self.can_be_short(request, gains.iter().filter(|(_, units)| **units > 0))
                }
                (Ask::Place { lines, .. } | Ask::Move { to: lines, .. }, "pool-closed") => {
                    self.any(request, lines.keys(), |step| step.pool.closed)
                }
                (Ask::PutPool { pool, expected_version: Some(expected), .. }, "pool-version") => {
                    Some(self.can_differ(request, pool, *expected))
                }
                (Ask::Extend { hold, .. } | Ask::Convert { hold, .. } | Ask::Cancel { hold }, "hold-ended") => {
                    Some(self.can_have_ended(request, *hold))
                }
                (
                    Ask::Extend { hold, .. }
                    | Ask::Convert { hold, .. }
                    | Ask::Cancel { hold }
                    | Ask::Move { hold, .. }
                    | Ask::GiveBack { hold, .. },
                    "hold-not-found",
                ) => Some(self.can_be_absent(request, *hold)),
                _ => continue,
            };
            verdict.checked.refusals += 1;
            match justified {
                Some(true) => {}
                Some(false) => verdict.add("refusals", || {
                    format!("{} was refused as {refusal} without a reason: {:?}", request.name(), request.ask())
                }),
                None => verdict.checked.refusals_undecided += 1,
            }
        }
    }

    /// Whether one of these pools can have been like this while it was asked; `None` if it cannot be said.
    fn any<'n>(
        &self,
        request: &Request<'_>,
        mut pools: impl Iterator<Item = &'n String>,
        is_so: impl Fn(&Step) -> bool,
    ) -> Option<bool> {
        pools.try_fold(false, |found, pool| Some(found || self.one(request, pool, &is_so)?))
    }

    fn one(&self, request: &Request<'_>, pool: &str, is_so: impl Fn(&Step) -> bool) -> Option<bool> {
        let timeline = self.replay.pools.get(pool)?;
        let (low, high) = self.bounds.get(pool)?.during(request.begun(), request.done());
        if high - low > WINDOW_VERSIONS_MAX {
            return None;
        }
        Some((low..=high).any(|version| timeline.at_version(version).is_none_or(&is_so)))
    }

    fn can_be_short<'n>(
        &self,
        request: &Request<'_>,
        mut lines: impl Iterator<Item = (&'n String, &'n i64)>,
    ) -> Option<bool> {
        lines.try_fold(false, |found, (pool, units)| {
            Some(found || self.one(request, pool, |step| step.pool.left() + step.lapsed < *units)?)
        })
    }

    fn can_differ(&self, request: &Request<'_>, pool: &str, expected: i64) -> bool {
        let Some(bounds) = self.bounds.get(pool) else { return expected != 0 };
        let (low, high) = bounds.during(request.begun(), request.done());
        (low, high) != (expected, expected)
    }

    /// Whether its end, or its expiry, can have come before the answer.
    fn can_have_ended(&self, request: &Request<'_>, hold: uuid::Uuid) -> bool {
        let Some(life) = self.replay.holds.get(&hold) else { return false };
        let Some(end) = life.stages.iter().find(|stage| stage.state != HoldState::Active) else {
            // It may have lapsed and not been swept yet when the feed was read: the final state says so.
            return false;
        };
        match self.replay.events[end.event].what {
            What::Expired { .. } => !self.lived_on(request, life) && self.can_have_lapsed(request, life),
            _ => self.effects.get(&end.event).is_none_or(|effect| effect.begun <= request.done()),
        }
    }

    /// Whether something was done to it, alive, that was only asked for after the answer. What nobody was told of may
    /// have been asked for sooner by somebody else.
    fn lived_on(&self, request: &Request<'_>, life: &Life) -> bool {
        let mut alive = life.stages.iter().filter(|stage| stage.state == HoldState::Active);
        alive.any(|stage| {
            let effect = self.effects.get(&stage.event).filter(|effect| effect.done < u64::MAX);
            effect.is_some_and(|effect| effect.begun > request.done())
        })
    }

    /// Whether its time can have come before the answer, as far as it had certainly been extended before the question.
    fn can_have_lapsed(&self, request: &Request<'_>, life: &Life) -> bool {
        let certain = |event: usize| self.effects.get(&event).is_some_and(|effect| effect.done < request.begun());
        let active = || life.stages.iter().filter(|stage| stage.state == HoldState::Active);
        let stage = active().rfind(|stage| certain(stage.event)).or_else(|| active().next());
        let expires_at = stage.and_then(|stage| stage.expires_at);
        match (self.clock, expires_at) {
            (Some(clock), Some(expires_at)) => expires_at <= clock.latest(request.done()),
            (None, _) | (_, None) => true,
        }
    }

    fn can_be_absent(&self, request: &Request<'_>, hold: uuid::Uuid) -> bool {
        let placed = self.replay.holds.get(&hold).and_then(|life| life.stages.first());
        let effect = placed.and_then(|stage| self.effects.get(&stage.event));
        effect.is_none_or(|effect| effect.done >= request.begun())
    }
}
