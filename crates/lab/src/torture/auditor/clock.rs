//! What happened between a question and its answer bears an instant between them, by the clock of those who asked: as far
//! as the clock that decides is left alone. Whose clock that is, is so noticed too.

use super::effects::Effect;
use super::findings::Verdict;
use super::replay::{Replay, place};
use super::requests::Request;
use super::state::FinalState;

const NANOS_PER_MICRO: u64 = 1_000;
/// Clocks are set, and run a little faster or slower than others while they are.
const APART_MICROS_MAX: i64 = 1_000_000;
const APART_PER_MILLE: i64 = 1;

/// The clock of those who asked, beside the one that decides.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    began_at: i64,
}

impl Clock {
    /// `None` where the clock that decides was turned, so that nothing can be said.
    pub(super) fn of(last: &FinalState) -> Option<Clock> {
        last.began_at.map(|began_at| Clock { began_at })
    }

    /// The instant of a time of the history, in microseconds since 1970; and how far the clock that decides may be off.
    fn at(self, time: u64) -> (i64, i64) {
        let since_began = i64::try_from(time / NANOS_PER_MICRO).unwrap_or(i64::MAX);
        (self.began_at.saturating_add(since_began), APART_MICROS_MAX + since_began / 1_000 * APART_PER_MILLE)
    }

    fn earliest(self, time: u64) -> i64 {
        let (at, apart) = self.at(time);
        at - apart
    }

    /// What the clock that decides can have shown by then.
    pub(super) fn latest(self, time: u64) -> i64 {
        let (at, apart) = self.at(time);
        at.saturating_add(apart)
    }
}

pub(super) fn check(
    requests: &[Request<'_>],
    effects: &[Effect],
    replay: &Replay,
    last: &FinalState,
    verdict: &mut Verdict,
) {
    let Some(clock) = Clock::of(last) else { return };
    for effect in effects {
        let event = &replay.events[effect.event];
        let early = event.at < clock.earliest(effect.begun);
        let late = effect.done != u64::MAX && event.at > clock.latest(effect.done);
        verdict.checked.instants += 1;
        if early || late {
            let (name, at) = (requests[effect.request].name(), place(event));
            let ((begun, _), (done, _), was) = (clock.at(effect.begun), clock.at(effect.done), event.at);
            verdict.add("clock", || format!("{at} is of {was}, but {name} was asked at {begun} and over at {done}"));
        }
    }
}
