//! Histories that are right have no violations; each lie is caught by the rule that is made for it.

mod lies;
mod random;
mod speed;
mod world;

use super::{FinalState, Verdict, judge};
use crate::torture::history::Entry;

/// What was found, in a form that a failing test shows.
fn rules(history: &[Entry], state: &FinalState) -> Verdict {
    // What is kept beside a history is judged as if it had never been written down.
    let text = serde_json::to_string(state).unwrap();
    let state: FinalState = serde_json::from_str(&text).unwrap();
    judge(history, &state)
}
