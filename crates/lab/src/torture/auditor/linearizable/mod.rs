//! A search in the way of Wing and Gong, on sampled windows of single pools: is there any order of what was asked, within
//! the times of questions and answers, in which a plain sequential pool says what was said?
//!
//! The replay gives the state in which a window begins, and which requests belong to it. Versions have no say in whether
//! an order is right; they only say which order is tried first.

mod pool;
mod search;
mod window;

use std::collections::HashMap;

use super::effects::Effect;
use super::findings::{Verdict, count_of};
use super::realtime::Moments;
use super::refusals::Bounds;
use super::replay::Replay;
use super::requests::Request;

use search::Outcome;
use window::Windows;

const WINDOWS_MAX: usize = 300;
/// Changes of a pool in a window; reads and refusals come on top.
const WINDOW_VERSIONS: i64 = 80;

/// Enough to choose windows by; the same seed chooses the same.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % sides.max(1)
    }
}

pub(super) struct Judged<'a> {
    pub(super) requests: &'a [Request<'a>],
    pub(super) effects: &'a [Effect],
    pub(super) moments: &'a Moments,
    pub(super) bounds: &'a HashMap<String, Bounds>,
    pub(super) replay: &'a Replay,
}

pub(super) fn check(judged: &Judged<'_>, seed: u64, verdict: &mut Verdict) {
    let windows = Windows::new(judged);
    for (name, after) in chosen(judged, seed) {
        let Some(window) = windows.cut(&name, after, after + WINDOW_VERSIONS) else { continue };
        let (outcome, states) = search::search(&window);
        verdict.checked.windows += 1;
        verdict.checked.window_operations += count_of(window.operations.len());
        verdict.checked.states_searched += count_of(states);
        match outcome {
            Outcome::Ordered => {}
            Outcome::Undecided => verdict.checked.windows_undecided += 1,
            Outcome::NoOrder { best } => {
                let stuck: Vec<String> = best.iter().map(|request| judged.requests[*request].name()).collect();
                verdict.add("linearizable", || {
                    format!("{name} from version {after}: no order explains the answers; the furthest stops before {stuck:?}")
                });
            }
        }
    }
}

/// Pools and versions to begin at. A short history is searched as a whole.
fn chosen(judged: &Judged<'_>, seed: u64) -> Vec<(String, i64)> {
    let mut all: Vec<(String, i64)> = Vec::new();
    let mut names: Vec<&String> = judged.replay.pools.keys().collect();
    names.sort();
    for name in names {
        let newest = judged.replay.pools[name].now().version;
        let mut after = 0;
        while after < newest {
            all.push((name.clone(), after));
            after += WINDOW_VERSIONS;
        }
    }
    let mut dice = Dice(seed);
    while all.len() > WINDOWS_MAX {
        // Any of them may go; the last takes its place.
        let place = usize::try_from(dice.roll(count_of(all.len()))).expect("it is below a length");
        all.swap_remove(place);
    }
    // Not always the same borders: what is wrong may lie across one.
    let offset =
        i64::try_from(dice.roll(u64::try_from(WINDOW_VERSIONS).expect("a small number"))).expect("a small number");
    let shifted = |(name, after): (String, i64)| if after == 0 { (name, 0) } else { (name, after - offset) };
    all.into_iter().map(shifted).collect()
}
