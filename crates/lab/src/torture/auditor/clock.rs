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

pub(super) fn check(
    requests: &[Request<'_>],
    effects: &[Effect],
    replay: &Replay,
    last: &FinalState,
    verdict: &mut Verdict,
) {
    let Some(began_at) = last.began_at else { return };
    let since_began = |time: u64| i64::try_from(time / NANOS_PER_MICRO).unwrap_or(i64::MAX);
    let apart = |micros: i64| APART_MICROS_MAX + micros / 1_000 * APART_PER_MILLE;
    for effect in effects {
        let event = &replay.events[effect.event];
        let (begun, done) = (since_began(effect.begun), since_began(effect.done));
        let early = event.at < began_at + begun - apart(begun);
        let late = effect.done != u64::MAX && event.at > began_at + done + apart(done);
        verdict.checked.instants += 1;
        if early || late {
            let (name, at) = (requests[effect.request].name(), place(event));
            let (begun, done, was) = (began_at + begun, began_at.saturating_add(done), event.at);
            verdict.add("clock", || format!("{at} is of {was}, but {name} was asked at {begun} and over at {done}"));
        }
    }
}
