//! What happened between a question and its answer bears an instant between them, by the clock of those who asked: give or
//! take as far as the clock that decides was ever turned. For a tenant time never goes back, so that it may stand still
//! after a turn; also then it is between the least and the furthest turn. Whose clock decides, is so noticed too.

use super::effects::Effect;
use super::findings::Verdict;
use super::instant;
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
    /// How far the other was turned, in microseconds: at the least and at the most.
    turned: (i64, i64),
}

impl Clock {
    /// `None` where nobody looked at a clock, so that nothing can be said.
    pub(super) fn of(last: &FinalState) -> Option<Clock> {
        // Every clock begins with the true time.
        let (least, most) = last.clock_offsets.unwrap_or_default();
        let turned = (instant::from_secs(least.min(0)), instant::from_secs(most.max(0)));
        last.began_at.map(|began_at| Clock { began_at, turned })
    }

    /// The instant of a time of the history, in microseconds since 1970; and how far the clock that decides may be off.
    fn at(self, time: u64) -> (i64, i64) {
        let since_began = i64::try_from(time / NANOS_PER_MICRO).unwrap_or(i64::MAX);
        (self.began_at.saturating_add(since_began), APART_MICROS_MAX + since_began / 1_000 * APART_PER_MILLE)
    }

    fn earliest(self, time: u64) -> i64 {
        let (at, apart) = self.at(time);
        at.saturating_sub(apart).saturating_add(self.turned.0)
    }

    /// What the clock that decides can have shown by then.
    pub(super) fn latest(self, time: u64) -> i64 {
        let (at, apart) = self.at(time);
        at.saturating_add(apart).saturating_add(self.turned.1)
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
