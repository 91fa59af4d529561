//! Those who were answered claim the event that the answer names.

use std::collections::HashMap;

use super::super::findings::Verdict;
use super::super::replay::{Replay, place};
use super::super::requests::{Fate, Request};
use super::super::state::FinalState;
use super::fit::fits;
use super::told::{ExpectedEffect, check_versions, told};
use super::{Effect, Group};
use crate::torture::history::Ask;

pub(super) fn claim(
    requests: &[Request<'_>],
    groups: &[Group],
    replay: &Replay,
    last: &FinalState,
    verdict: &mut Verdict,
) -> Vec<Effect> {
    let mut claimed: HashMap<usize, usize> = HashMap::new();
    let mut effects = Vec::new();
    for group in groups {
        let Some(event) = claimed_by(requests, group, replay, last, verdict) else { continue };
        let effect = group.effect(requests, event);
        match claimed.insert(event, effect.request) {
            None => effects.push(effect),
            Some(other) => {
                let (other, one) = (requests[other].name(), requests[effect.request].name());
                let at = place(&replay.events[event]);
                verdict.add("ok-exists", || format!("{at} is what {other} did and what {one} did: one is missing"));
            }
        }
    }
    effects
}

/// What the answers of a group say it did.
fn claimed_by(
    requests: &[Request<'_>],
    group: &Group,
    replay: &Replay,
    last: &FinalState,
    verdict: &mut Verdict,
) -> Option<usize> {
    let mut claimed = None;
    let mut firsts = 0_u64;
    for request in group.requests.iter().map(|place| &requests[*place]).filter(|request| request.fate == Fate::Ok) {
        firsts += u64::from(request.is_news());
        let event = match told(request, replay) {
            ExpectedEffect::Event(event) => Some(event),
            ExpectedEffect::Missing => {
                verdict.add("ok-exists", || format!("{} is not in the feed: {:?}", request.name(), request.ask()));
                continue;
            }
            ExpectedEffect::Nothing => None,
        };
        if event.is_some_and(|event| !fits(request, event, replay)) {
            let (name, ask) = (request.name(), request.ask());
            let found = event.map(|event| &replay.events[event].what);
            verdict.add("ok-exists", || format!("{name} asked for {ask:?}, the feed says {found:?}"));
        }
        check_versions(request, event, replay, verdict);
        check_kept(request, last, verdict);
        claimed = claimed.or(event);
    }
    if firsts > 1 {
        let identity = &group.identity;
        verdict.add("done-twice", || format!("{firsts} requests of {identity:?} were each told that they did it"));
    }
    claimed
}

/// A hold that was placed is there, with what was asked for.
fn check_kept(request: &Request<'_>, last: &FinalState, verdict: &mut Verdict) {
    let Ask::Place { hold, lines, owner, .. } = request.ask() else { return };
    match last.holds.get(hold) {
        Some(Some(seen)) if seen.lines == *lines && seen.owner == *owner => {}
        Some(Some(seen)) => {
            verdict.add("ok-exists", || format!("{} is there with other content: {seen:?}", request.name()));
        }
        Some(None) | None => verdict.add("ok-exists", || format!("{}: hold {hold} is not there", request.name())),
    }
}
