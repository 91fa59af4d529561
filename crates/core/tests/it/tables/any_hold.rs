//! Hold commands as a batch has them, and many pools at once: the same answers as one by one.

use crate::scenario::check;

/// The scenario with and without the wrapping.
#[track_caller]
fn check_both(scenario: &str, expected: &str) {
    check(&scenario.replace(" any", ""), expected);
    check(scenario, expected);
}

#[test]
fn wrapped_commands_answer_as_they_are() {
    check_both("put room=2; hold a room=1 any", "a active room=1 until 900 v1, pools at 2");
    check_both("put room=2; hold a room=1 any; news", "a placed @2");
    check_both("put room=2; hold a room=1 any; hold a room=1 any", "again: a active room=1 until 900 v1");
    check_both("put room=2; hold a room=1 any; hold a room=2 any", "refused: hold a exists with other content");
    check_both("put room=2; hold a room=3 any", "refused: sold out: room (2 left, 3 wanted)");
    check_both("put room=2; hold a room=1; extend a until:960 any", "a active room=1 until 960 v2");
    check_both(
        "put room=2; hold a room=1; extend a until:960 any; extend a until:960 any",
        "again: a active room=1 until 960 v2",
    );
    check_both("put room=2; hold a room=1; cancel a any", "a cancelled room=1 until 900 v2, pools at 3");
    check_both("put room=2; hold a room=1; cancel a any; cancel a any", "again: a cancelled room=1 until 900 v2");
    check_both("put room=2; hold a room=2; book a room=1 any", "a converted book room=1 v2, pools at 3");
    check_both("put room=2; hold a room=2; book a any; cancel a any", "refused: the hold is converted");
    check_both("cancel a any", "refused: there is no hold a");
    // A shortage is not believed before lapsed holds are gone.
    check_both(
        "put room=1; hold a room=1 secs:60; clock 60; hold b room=1 any",
        "b active room=1 until 960 v1, pools at 4",
    );
}

#[test]
fn putting_many() {
    check("puts room=1 bar=2", "room=1 v1; bar=2 v1");
    check("puts room=1 bar=2; news", "room=1 v1; bar=2 v1");
    check("puts room=1 bar=2; puts room=1 bar=3", "room=1 v1; bar=3 v2");
    check("puts room=1 bar=2; puts room=1 bar=3; news", "bar=3 v2");
    check("puts room=1 bar=2; puts room=1 bar=2", "again: room=1 v1; bar=2 v1");
    check("puts room=1 room@2026-12-24=2", "room=1 v1; room@2026-12-24=2 v1");
    check("put room=5; hold a room=4; puts bar=1 room=1; news", "bar=1 v1; room=1 v3; room oversold 3");
    check("puts room=1 bar=2 closed", "room=1 closed v1; bar=2 closed v1");
}

#[test]
fn all_or_none() {
    check("put room=1; try puts bar=1 room=2 version:0; show room", "room=1 v1");
    check("put room=1; puts bar=1 room=2 version:0", "refused: pool room is at version 1");
    check("put room=1; try puts bar=1 room=2 version:0; put bar=9 version:0", "bar=9 v1");
    check("put room=1; puts room=0 bar=0 keep closed", "refused: no such pool: bar");
    check("put room=1; try puts room=0 bar=0 keep closed; show room", "room=1 v1");
    check("put room=1; puts room=0 keep closed", "room=1 closed v2");
    check("puts room=1 room=2", "invalid: room is listed twice; list each pool once");
    check("puts room=-1", "invalid: total is -1 units; it must be between 0 and 1000000000000");
    check("puts", "invalid: pools has 0 items; 1 to 1000 are allowed");
    let many = |count: usize| (0..count).map(|n| format!(" r{n}=1")).collect::<Vec<_>>().concat();
    check(&format!("puts{}", many(1_001)), "invalid: pools has 1001 items; 1 to 1000 are allowed");
    check(&format!("puts{}; show r999", many(1_000)), "r999=1 v1");
}
