//! Refusals that no state explains which there could have been between the question and the answer.
//!
//! The versions that a pool can have had meanwhile lie between the newest that was acknowledged before the question and
//! the oldest that was asked for after the answer. Holds that had lapsed by then do not count as held: a shortage is not
//! believed before they are swept. Versions of holds, and the place in the feed, are bounded in the same way.
//!
//! Of each refusal it is known what it needs; a code that nobody knows, or for something else than it is made for, is
//! counted as undecided, so that it is noticed if there are many.

use std::collections::HashMap;

use uuid::Uuid;

use super::clock::Clock;
use super::effects::Effect;
use super::feed::What;
use super::findings::Verdict;
use super::model::{HoldState, Kept, differences, exchanged};
use super::owners::Owners;
use super::realtime::{Moment, Moments};
use super::replay::{Life, Replay, Stage, Step};
use super::requests::{Fate, Request, is_defect, is_for_the_dishonest, is_turned_away};
use crate::torture::history::{Ask, Units};

/// More possible versions than this are not looked at.
const WINDOW_VERSIONS_MAX: i64 = 20_000;
/// The most units that a pool can have.
const TOTAL_MAX: i64 = 1_000_000_000_000;

/// Those of which others say whether they were right: `replies.rs` of keys, `requests.rs` of defects and of what is not
/// said to the honest. Who was turned away was not looked at.
fn is_for_others(code: &str) -> bool {
    code == "idempotency-key-reused" || is_turned_away(code) || is_defect(code) || is_for_the_dishonest(code)
}

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

/// Of the versions of holds.
pub(super) fn hold_bounds(moments: &Moments, replay: &Replay) -> HashMap<Uuid, Bounds> {
    let of = |(id, moments): (&Uuid, &Vec<Moment>)| {
        let newest = replay.holds.get(id).map_or(0, |life| length(&life.stages));
        (*id, Bounds::new(moments, newest))
    };
    moments.holds.iter().map(of).collect()
}

/// Of how many events there had been.
pub(super) fn feed_bounds(effects: &[Effect], replay: &Replay) -> Bounds {
    let moment = |effect: &Effect| {
        let &Effect { event, request, begun, done } = effect;
        Moment { key: 2 * i64::try_from(event + 1).expect("a feed fits in memory"), begun, done, request }
    };
    let moments: Vec<Moment> = effects.iter().map(moment).collect();
    Bounds::new(&moments, length(&replay.events))
}

fn length<T>(of: &[T]) -> i64 {
    i64::try_from(of.len()).expect("it fits in memory")
}

/// Requests to place each hold that can have done so.
pub(super) fn placings<'a>(requests: &'a [Request<'a>]) -> HashMap<Uuid, Vec<&'a Request<'a>>> {
    let mut placings: HashMap<Uuid, Vec<&Request<'_>>> = HashMap::new();
    for request in requests.iter().filter(|request| request.fate != Fate::Fail) {
        if let Ask::Place { hold, .. } = request.ask() {
            placings.entry(*hold).or_default().push(request);
        }
    }
    placings
}

pub(super) struct Refusals<'a> {
    pub(super) replay: &'a Replay,
    pub(super) bounds: &'a HashMap<String, Bounds>,
    pub(super) holds: HashMap<Uuid, Bounds>,
    pub(super) feed: Bounds,
    pub(super) placings: HashMap<Uuid, Vec<&'a Request<'a>>>,
    pub(super) owners: &'a Owners,
    pub(super) owner_holds_max: Option<i64>,
    /// By their events.
    pub(super) effects: HashMap<usize, Effect>,
    pub(super) clock: Option<Clock>,
}

impl Refusals<'_> {
    pub(super) fn check(&self, requests: &[Request<'_>], verdict: &mut Verdict) {
        for request in requests {
            let Some(refusal) = request.refusal().filter(|refusal| !is_for_others(refusal)) else { continue };
            verdict.checked.refusals += 1;
            match self.is_justified(request, refusal) {
                Some(true) => {}
                Some(false) => verdict.add("refusals", || {
                    format!("{} was refused as {refusal} without a reason: {:?}", request.name(), request.ask())
                }),
                None => verdict.checked.refusals_undecided += 1,
            }
        }
    }

    /// `None` if it cannot be said.
    fn is_justified(&self, request: &Request<'_>, refusal: &str) -> Option<bool> {
        match (request.ask(), refusal) {
            // A repeat is told so, whatever has become of the world.
            (Ask::Place { hold, .. }, "sold-out" | "pool-closed" | "owner-holds-limit")
                if !self.can_be_absent(request, *hold) =>
            {
                Some(false)
            }
            (Ask::Place { lines, .. }, "sold-out") => self.can_be_short(request, lines.iter()),
            (Ask::Move { from, to, .. }, "sold-out") => {
                let gains: Units = differences(from, to).into_iter().map(|(p, u)| (p.to_owned(), u)).collect();
                self.can_be_short(request, gains.iter().filter(|(_, units)| **units > 0))
            }
            (Ask::Place { lines, .. } | Ask::Move { to: lines, .. }, "pool-closed") => {
                self.any(request, lines.keys(), |step| step.pool.closed)
            }
            (Ask::Place { owner, .. }, "owner-holds-limit") => self.can_own_too_much(request, owner.as_deref()),
            (Ask::Place { hold, .. }, "hold-id-reused") => Some(self.can_be_another(request, *hold)),
            (Ask::PutPool { pool, expected_version: Some(expected), .. }, "pool-version") => {
                Some(self.can_differ(request, pool, *expected))
            }
            (Ask::Adjust { pool, total_delta }, "total-out-of-range") => self.one(request, pool, |step| {
                let total = step.pool.total.saturating_add(*total_delta);
                !(0..=TOTAL_MAX).contains(&total)
            }),
            (Ask::Convert { hold, consume, part }, "total-out-of-range") => {
                if *consume {
                    self.can_lack_goods(request, *hold, part.as_ref())
                } else {
                    Some(false)
                }
            }
            (Ask::Convert { hold, part, .. }, "lines-exceed-hold") => {
                let lines = self.replay.holds.get(hold).map(|life| &life.lines);
                Some(lines.zip(part.as_ref()).is_some_and(|(lines, part)| is_exceeded(lines, part)))
            }
            (Ask::Extend { hold, .. } | Ask::Convert { hold, .. } | Ask::Cancel { hold }, "hold-ended") => {
                Some(self.can_have_ended(request, *hold))
            }
            (Ask::Move { hold, .. } | Ask::GiveBack { hold, .. }, "nothing-booked") => {
                Some(self.stages(request, *hold).iter().any(|stage| booked(stage).is_none()))
            }
            (Ask::Move { hold, from, .. } | Ask::GiveBack { hold, part: Some(from) }, "lines-exceed-hold") => {
                let mut booked = self.stages(request, *hold).iter().filter_map(booked);
                Some(booked.any(|booked| is_exceeded(booked, from)))
            }
            // All that is booked is not more than is booked.
            (Ask::GiveBack { part: None, .. }, "lines-exceed-hold") => Some(false),
            (
                Ask::Extend { hold, .. }
                | Ask::Convert { hold, .. }
                | Ask::Cancel { hold }
                | Ask::Move { hold, .. }
                | Ask::GiveBack { hold, .. },
                "hold-not-found",
            ) => Some(self.can_be_absent(request, *hold)),
            _ => None,
        }
    }

    /// How the hold can have been while it was asked.
    fn stages(&self, request: &Request<'_>, hold: Uuid) -> &[Stage] {
        let (Some(life), Some(bounds)) = (self.replay.holds.get(&hold), self.holds.get(&hold)) else { return &[] };
        let (low, high) = bounds.during(request.begun(), request.done());
        let place = |version: i64| usize::try_from(version).unwrap_or(0);
        // The first stage is version 1; what is not there yet is none.
        life.stages.get(place(low.max(1) - 1)..place(high)).unwrap_or_default()
    }

    fn can_own_too_much(&self, request: &Request<'_>, owner: Option<&str>) -> Option<bool> {
        let Some(owner) = owner else { return Some(false) };
        let during = self.feed.during(request.begun(), request.done());
        Some(self.owners.can_have(owner, self.owner_holds_max?, during, &self.replay.events))
    }

    /// Whether the hold can have been placed by a request with another content.
    fn can_be_another(&self, request: &Request<'_>, hold: Uuid) -> bool {
        let Some(placings) = self.placings.get(&hold).filter(|_| self.replay.holds.contains_key(&hold)) else {
            return false;
        };
        // Whoever was told that it is there has asked for what is there.
        let known = placings.iter().find(|placing| placing.fate == Fate::Ok).map(|placing| placing.ask());
        placings.iter().any(|placing| {
            let is_it = known.is_none_or(|known| placing.ask() == known);
            is_it && placing.ask() != request.ask() && placing.begun() <= request.done()
        })
    }

    fn can_lack_goods(&self, request: &Request<'_>, hold: Uuid, part: Option<&Units>) -> Option<bool> {
        let Some(life) = self.replay.holds.get(&hold) else { return Some(false) };
        let mut goods = part.unwrap_or(&life.lines).iter();
        goods.try_fold(false, |found, (pool, units)| {
            Some(found || self.one(request, pool, |step| step.pool.total < *units)?)
        })
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
    fn can_have_ended(&self, request: &Request<'_>, hold: Uuid) -> bool {
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

    fn can_be_absent(&self, request: &Request<'_>, hold: Uuid) -> bool {
        let placed = self.replay.holds.get(&hold).and_then(|life| life.stages.first());
        let effect = placed.and_then(|stage| self.effects.get(&stage.event));
        effect.is_none_or(|effect| effect.done >= request.begun())
    }
}

/// What a hold has booked, if it has something booked.
fn booked(stage: &Stage) -> Option<&Units> {
    stage.kept.as_ref().filter(|kept| !kept.consume && !kept.units.is_empty()).map(|Kept { units, .. }| units)
}

fn is_exceeded(units: &Units, wanted: &Units) -> bool {
    exchanged(units, wanted, &Units::new()).is_none()
}
