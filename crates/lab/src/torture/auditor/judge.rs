//! All rules, in the order in which they need each other.

use super::clock::{self, Clock};
use super::effects;
use super::feed;
use super::final_check;
use super::findings::Verdict;
use super::linearizable::{self, Judged};
use super::live;
use super::owners::Owners;
use super::realtime;
use super::refusals::{self, Refusals};
use super::replay::{self, Replay};
use super::replies;
use super::requests;
use super::seen;
use super::state::FinalState;
use super::tasks;
use crate::torture::history::Entry;

const SEED: u64 = 0x5EED;

/// Says what cannot be. Pure: the same history and state have the same verdict.
pub fn judge(history: &[Entry], final_state: &FinalState) -> Verdict {
    judge_with_seed(history, final_state, SEED)
}

/// The seed chooses the windows that are searched.
pub fn judge_with_seed(history: &[Entry], final_state: &FinalState, seed: u64) -> Verdict {
    let mut verdict = Verdict::default();
    let requests = requests::pair(history, &mut verdict);
    let events = feed::decoded(final_state, &mut verdict);
    let replay = replay::replay(events, &requests, final_state, &mut verdict);
    final_check::check(final_state, &replay, &mut verdict);
    let effects = effects::find(&requests, &replay, final_state, &mut verdict);
    live::check(final_state, &replay, &effects, &mut verdict);
    clock::check(&requests, &effects, &replay, final_state, &mut verdict);
    let moments = realtime::moments(&requests, &effects, &replay);
    realtime::check(&requests, &effects, &moments, &mut verdict);
    seen::check(&requests, &effects, &replay, &mut verdict);
    replies::check(&requests, &mut verdict);
    let owners = Owners::of(&replay);
    owners.check(final_state, &replay, &mut verdict);
    let bounds = refusals::bounds(&moments, &replay);
    Refusals {
        replay: &replay,
        bounds: &bounds,
        holds: refusals::hold_bounds(&moments, &replay),
        feed: refusals::feed_bounds(&effects, &replay),
        effects: effects.iter().map(|effect| (effect.event, *effect)).collect(),
        placings: refusals::placings(&requests),
        owners: &owners,
        owner_holds_max: final_state.owner_holds_max,
        clock: Clock::of(final_state),
    }
    .check(&requests, &mut verdict);
    let judged = Judged { requests: &requests, effects: &effects, moments: &moments, bounds: &bounds, replay: &replay };
    linearizable::check(&judged, seed, &mut verdict);
    if !final_state.torn {
        tasks::check(&requests, final_state, &replay, &mut verdict);
    }
    if final_state.torn {
        verdict.add("converged", || {
            "something happened whenever it was looked, so that nothing could be compared".to_owned()
        });
    } else if !final_state.settled {
        verdict.add("converged", || "something was unfinished a minute after everything was healed".to_owned());
    }
    verdict
}

/// A tenant by itself: its feed, replayed, and what there is at the end.
pub(crate) fn replayed(final_state: &FinalState, verdict: &mut Verdict) -> Replay {
    let events = feed::decoded(final_state, verdict);
    let replay = replay::replay(events, &[], final_state, verdict);
    final_check::check(final_state, &replay, verdict);
    replay
}

/// As far as it goes without knowing what is there: whether the history is one, and what nobody may be answered.
pub fn judge_alone(history: &[Entry]) -> Verdict {
    let mut verdict = Verdict::default();
    let requests = requests::pair(history, &mut verdict);
    replies::check(&requests, &mut verdict);
    verdict
}
