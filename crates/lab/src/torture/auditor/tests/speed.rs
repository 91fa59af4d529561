//! Long histories are judged in a time that grows with their length, not faster.

use super::random;
use super::rules;

/// Long enough that anything quadratic would be felt; nothing is timed.
#[test]
fn a_long_history_is_judged() {
    let (history, state) = random::history(7, 12_000);
    let verdict = rules(&history, &state);
    assert!(verdict.is_clean(), "{:#?}", verdict.violations);
    assert!(verdict.checked.entries > 7_000, "{:?}", verdict.checked);
}
