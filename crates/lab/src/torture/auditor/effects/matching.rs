//! Events that nobody was told of must be the work of requests that nobody heard of, each used once, and none of them
//! begun after its effect was seen. An assignment is searched for, so that what can be explained is never called a
//! violation.

use std::collections::{HashMap, HashSet};

use uuid::Uuid;

use super::super::feed::What;
use super::super::findings::Verdict;
use super::super::replay::{Replay, place};
use super::super::requests::{Fate, Request};
use super::fit::fits;
use super::{Effect, Group};
use crate::torture::history::Ask;

/// Only events and requests about the same thing can belong together.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Subject {
    Hold(Uuid),
    Pool(String),
}

fn subject_of_event(what: &What) -> Option<Subject> {
    match what {
        What::Placed { hold, .. }
        | What::Extended { hold, .. }
        | What::Cancelled { hold, .. }
        | What::Converted { hold, .. }
        | What::GivenBack { hold, .. }
        | What::Moved { hold, .. } => Some(Subject::Hold(*hold)),
        What::PoolChanged { pool, .. } => Some(Subject::Pool(pool.clone())),
        // Time does it, or an operation.
        What::Expired { .. }
        | What::PoolOversold { .. }
        | What::Succeeded { .. }
        | What::Died { .. }
        | What::Redriven
        | What::Received { .. }
        | What::Other => None,
    }
}

fn subject_of_ask(ask: &Ask) -> Option<Subject> {
    match ask {
        Ask::Place { hold, .. }
        | Ask::Extend { hold, .. }
        | Ask::Convert { hold, .. }
        | Ask::Cancel { hold }
        | Ask::Move { hold, .. }
        | Ask::GiveBack { hold, .. } => Some(Subject::Hold(*hold)),
        Ask::PutPool { pool, .. } | Ask::Adjust { pool, .. } => Some(Subject::Pool(pool.clone())),
        Ask::ReadHold { .. } | Ask::ReadPool { .. } | Ask::ExpireTask { .. } | Ask::ChargeTask { .. } => None,
    }
}

pub(super) fn explain(
    requests: &[Request<'_>],
    groups: &[Group],
    replay: &Replay,
    claimed: &[Effect],
    verdict: &mut Verdict,
) -> Vec<Effect> {
    let seen_by = seen_by(requests, replay, claimed);
    let done: HashSet<usize> = claimed.iter().map(|effect| effect.event).collect();
    let mut open: HashMap<Subject, Vec<usize>> = HashMap::new();
    for (event, subject) in replay.events.iter().enumerate().map(|(i, event)| (i, subject_of_event(&event.what))) {
        let Some(subject) = subject.filter(|_| !done.contains(&event)) else { continue };
        open.entry(subject).or_default().push(event);
    }
    if open.is_empty() {
        return Vec::new();
    }
    let mut candidates: HashMap<Subject, Vec<usize>> = HashMap::new();
    for (place, group) in groups.iter().enumerate() {
        // Under one key there may be requests about different things: only one of them was the first.
        let subjects = group.requests.iter().filter_map(|request| subject_of_ask(requests[*request].ask()));
        for subject in subjects.filter(|subject| open.contains_key(subject)) {
            let near = candidates.entry(subject).or_default();
            if near.last() != Some(&place) {
                near.push(place);
            }
        }
    }
    let mut explained = Vec::new();
    for (subject, events) in &open {
        let near: Vec<&Group> = candidates.get(subject).into_iter().flatten().map(|place| &groups[*place]).collect();
        // A group that was answered has claimed what it did, or has done nothing.
        let unheard = |group: &&&Group| group.has(requests, Fate::Unknown) && !group.has(requests, Fate::Ok);
        let groups: Vec<&Group> = near.iter().filter(unheard).copied().collect();
        let search = Search { requests, replay, seen_by: &seen_by, near: &near, groups: &groups };
        explained.extend(search.explain(events, verdict));
    }
    explained
}

/// For each event, when somebody had certainly seen it, or one after it.
fn seen_by(requests: &[Request<'_>], replay: &Replay, claimed: &[Effect]) -> Vec<u64> {
    let mut seen_by = vec![u64::MAX; replay.events.len()];
    let mut note = |event: usize, time: u64| seen_by[event] = seen_by[event].min(time);
    for effect in claimed {
        note(effect.event, effect.done);
    }
    for request in requests.iter().filter(|request| request.fate == Fate::Ok) {
        if let (Ask::ReadPool { pool }, Some((seen, _))) = (request.ask(), request.pool_told())
            && let Some(step) = replay.pools.get(pool).and_then(|timeline| timeline.at_version(seen.version))
        {
            note(step.event, request.done());
        }
    }
    let mut soonest = u64::MAX;
    for time in seen_by.iter_mut().rev() {
        soonest = soonest.min(*time);
        *time = soonest;
    }
    seen_by
}

struct Search<'a> {
    requests: &'a [Request<'a>],
    replay: &'a Replay,
    seen_by: &'a [u64],
    /// All that are about the same thing.
    near: &'a [&'a Group],
    /// Those of them that may have done something unheard.
    groups: &'a [&'a Group],
}

impl Search<'_> {
    fn explain(&self, events: &[usize], verdict: &mut Verdict) -> Vec<Effect> {
        let mut taken: Vec<Option<usize>> = vec![None; self.groups.len()];
        for event in events {
            if !self.assign(*event, &mut taken, &mut vec![false; self.groups.len()]) {
                self.report(*event, verdict);
            }
        }
        let assigned = taken.iter().enumerate().filter_map(|(group, event)| Some((group, (*event)?)));
        assigned.map(|(group, event)| self.effect(group, event)).collect()
    }

    /// One step of a bipartite matching: takes a group that is free, or whose event finds another.
    fn assign(&self, event: usize, taken: &mut Vec<Option<usize>>, tried: &mut Vec<bool>) -> bool {
        for group in 0..self.groups.len() {
            if tried[group] || self.candidate(group, event).is_none() {
                continue;
            }
            tried[group] = true;
            let free = match taken[group] {
                None => true,
                Some(other) => self.assign(other, taken, tried),
            };
            if free {
                taken[group] = Some(event);
                return true;
            }
        }
        false
    }

    /// The request of the group that may have done it.
    fn candidate(&self, group: usize, event: usize) -> Option<usize> {
        let mut places = self.groups[group].requests.iter().copied();
        places.find(|place| {
            let request = &self.requests[*place];
            request.fate == Fate::Unknown && request.begun() <= self.seen_by[event] && fits(request, event, self.replay)
        })
    }

    fn effect(&self, group: usize, event: usize) -> Effect {
        let request = self.candidate(group, event).expect("it was assigned because of one");
        Effect { event, request, begun: self.requests[request].begun(), done: u64::MAX }
    }

    fn report(&self, event: usize, verdict: &mut Verdict) {
        let told = &self.replay.events[event];
        let all = self.near.iter().flat_map(|group| &group.requests).map(|place| &self.requests[*place]);
        let alike: Vec<&Request<'_>> = all.filter(|request| fits(request, event, self.replay)).collect();
        let in_time = |request: &&Request<'_>| request.begun() <= self.seen_by[event];
        let rule = if alike.iter().any(|request| request.fate != Fate::Fail && in_time(request)) {
            "done-twice"
        } else if alike.iter().any(|request| request.fate == Fate::Unknown) {
            "info-settled"
        } else {
            "fail-nowhere"
        };
        verdict.add(rule, || format!("{}: no request explains {:?}", place(told), told.what));
    }
}
