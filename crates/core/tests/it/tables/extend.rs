//! More time for a live hold.

use crate::scenario::check;

const HELD: &str = "put room=2; hold a room=1";

#[track_caller]
fn check_held(steps: &str, expected: &str) {
    check(&format!("{HELD}; {steps}"), expected);
}

#[test]
fn by_seconds_and_until() {
    check_held("extend a by:60", "a active room=1 until 960 v2");
    check_held("extend a by:60; news", "a extended until 960");
    check_held("extend a by:60; extend a by:60", "a active room=1 until 1020 v3");
    check_held("extend a until:1200", "a active room=1 until 1200 v2");
    check_held("extend a until:900.000001", "a active room=1 until 900.000001 v2");
    check_held("clock 500; extend a by:60", "a active room=1 until 960 v2");
    check_held("extend a by:60; show room", "room=2 held 1 v2");
}

#[test]
fn a_hold_is_never_shortened() {
    check_held("extend a until:1200; extend a until:1200", "again: a active room=1 until 1200 v2");
    check_held("extend a until:900", "again: a active room=1 until 900 v1");
    check_held("extend a until:1", "again: a active room=1 until 900 v1");
    check_held("extend a until:-99999999", "again: a active room=1 until 900 v1");
    check_held("extend a until:1 paying; news", "");
}

#[test]
fn the_ceiling_counts_from_placing() {
    let over = |secs, secs_max| format!("refused: the lifetime would be {secs} s; at most {secs_max} s are allowed");
    check_held("extend a until:86400", "a active room=1 until 86400 v2");
    check_held("extend a by:85500", "a active room=1 until 86400 v2");
    check_held("extend a by:85501", &over(86401, 86400));
    check_held("extend a until:86400.000001", &over(86401, 86400));
    check_held("clock 800; extend a until:86401", &over(86401, 86400));
    check_held("extend a until:86401 paying", "a active room=1 until 86401 v2");
    check_held("extend a by:85501 paying", "a active room=1 until 86401 v2");
    check_held("extend a by:85501 paying; extend a by:1", &over(86402, 86400));
    // A payment in progress is exempt from the tenant's ceiling, not from every bound.
    check_held("extend a until:31622400 paying", "a active room=1 until 31622400 v2");
    check_held("extend a until:31622400.000001 paying", &over(31_622_401, 31_622_400));
    check_held("extend a until:7000000000000 paying", &over(7_000_000_000_000_i64, 31_622_400));
    check_held("extend a until:31622400 paying; extend a by:1 paying", &over(31_622_401, 31_622_400));
}

#[test]
fn only_what_is_live() {
    check_held("clock 899.999999; extend a by:60", "a active room=1 until 960 v2");
    check_held("clock 900; extend a by:60", "refused: the hold is expired");
    check_held("clock 900; extend a by:60 paying", "refused: the hold is expired");
    check_held("clock 900; sweep; extend a by:60", "refused: the hold is expired");
    check_held("extend a by:60; clock 900; extend a by:60", "a active room=1 until 1020 v3");
    check_held("cancel a; extend a by:60", "refused: the hold is cancelled");
    check_held("book a; extend a by:60", "refused: the hold is converted");
    check_held("extend ghost by:60", "refused: there is no hold ghost");
}

#[test]
fn the_earlier_refusal_wins() {
    // Ended, even if there would be nothing to do.
    check_held("cancel a; extend a until:1", "refused: the hold is cancelled");
    // Ended, then the ceiling.
    check_held("cancel a; extend a by:99999", "refused: the hold is cancelled");
    // The ceiling, then the owner's limit.
    check(
        "policy owner_secs:1000; put room=1; hold a room=1 owner:ann; extend a by:99999",
        "refused: the lifetime would be 100899 s; at most 86400 s are allowed",
    );
}
