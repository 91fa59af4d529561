//! Which request did what: every `ok` is in the feed once, what only `fail`ed is nowhere, and each unknown is settled by
//! what is there.
//!
//! Requests with one identity have at most one effect. First those that were answered claim the event that the answer
//! names; what is left must be explained by those that nobody heard of, each used once.

mod claims;
mod fit;
mod identity;
mod matching;
mod told;

use std::collections::HashMap;

use super::findings::Verdict;
use super::replay::Replay;
use super::requests::{Fate, Request};
use super::state::FinalState;

use identity::Identity;

/// An event, and the time in which it must have happened as far as those who asked for it know.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effect {
    pub(super) event: usize,
    /// The request that did it, or one of those that may have.
    pub(super) request: usize,
    pub(super) begun: u64,
    /// `u64::MAX` if nobody was told.
    pub(super) done: u64,
}

/// Requests of one identity.
#[derive(Debug)]
struct Group {
    identity: Identity,
    /// In the order of their invocations.
    requests: Vec<usize>,
}

impl Group {
    fn has(&self, requests: &[Request<'_>], fate: Fate) -> bool {
        self.requests.iter().any(|place| requests[*place].fate == fate)
    }

    /// The time in which its effect happened.
    fn effect(&self, requests: &[Request<'_>], event: usize) -> Effect {
        let possible = || self.requests.iter().copied().filter(|place| requests[*place].fate != Fate::Fail);
        let done = possible().map(|place| requests[place].done()).min().unwrap_or(u64::MAX);
        let first = possible().find(|place| requests[*place].is_news());
        let request = first.or_else(|| possible().next()).expect("a group that did something has asked for it");
        Effect { event, request, begun: requests[request].begun(), done }
    }
}

/// Finds out which request did what.
pub(super) fn find(requests: &[Request<'_>], replay: &Replay, last: &FinalState, verdict: &mut Verdict) -> Vec<Effect> {
    let groups = groups(requests);
    let mut effects = claims::claim(requests, &groups, replay, last, verdict);
    verdict.checked.effects = super::findings::count_of(effects.len());
    let explained = matching::explain(requests, &groups, replay, &effects, verdict);
    verdict.checked.unknowns_done = super::findings::count_of(explained.len());
    effects.extend(explained);
    effects
}

fn groups(requests: &[Request<'_>]) -> Vec<Group> {
    let mut places: HashMap<Identity, usize> = HashMap::new();
    let mut groups: Vec<Group> = Vec::new();
    for (place, request) in requests.iter().enumerate() {
        let Some(identity) = identity::of(request, place) else { continue };
        let group = *places.entry(identity.clone()).or_insert_with(|| {
            groups.push(Group { identity, requests: Vec::new() });
            groups.len() - 1
        });
        groups[group].requests.push(place);
    }
    groups
}
