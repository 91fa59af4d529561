//! What one owner may hold at once.

use crate::scenario::check;

const TWO_HOLDS: &str = "policy holds:2; put room=9; hold a room=1 owner:ann; hold b room=1 owner:ann";
const FULL: &str = "refused: the owner has 2 holds, the most allowed at once";
const PLACED: &str = "c active room=1 until 900";

#[track_caller]
fn check_third(steps: &str, hold: &str, expected: &str) {
    check(&format!("{TWO_HOLDS}{steps}; {hold}"), expected);
}

#[test]
fn so_many_holds() {
    check_third("", "hold c room=1 owner:ann", FULL);
    check_third("", "hold c room=1 owner:bob", &format!("{PLACED} by bob v1, pools at 4"));
    check_third("", "hold c room=1", &format!("{PLACED} v1, pools at 4"));
    check_third("; cancel a", "hold c room=1 owner:ann", &format!("{PLACED} by ann v1, pools at 5"));
    check_third("; book a", "hold c room=1 owner:ann", &format!("{PLACED} by ann v1, pools at 5"));
    check_third("; consume a", "hold c room=1 owner:ann", &format!("{PLACED} by ann v1, pools at 5"));
    check_third("; cancel a; cancel a", "hold c room=1 owner:ann; hold d room=1 owner:ann", FULL);
}

#[test]
fn so_much_time() {
    let first = "policy owner_secs:1000; put room=9; hold a room=1 owner:ann";
    let over = |secs| format!("refused: the owner's holds would live {secs} s in total; at most 1000 s are allowed");
    check(&format!("{first}; hold b room=1 owner:ann secs:100"), "b active room=1 until 100 by ann v1, pools at 3");
    check(&format!("{first}; hold b room=1 owner:ann secs:101"), &over(1001));
    check(&format!("{first}; hold b room=1 owner:bob"), "b active room=1 until 900 by bob v1, pools at 3");
    check(&format!("{first}; extend a by:100"), "a active room=1 until 1000 by ann v2");
    check(&format!("{first}; extend a by:101"), &over(1001));
    check(&format!("{first}; extend a until:1000.000001"), &over(1001));
    check(&format!("{first}; hold b room=1 owner:ann secs:60; extend a by:41"), &over(1001));
    check(&format!("{first}; hold b room=1 owner:ann secs:60; extend a by:40"), "a active room=1 until 940 by ann v2");
    check(&format!("{first}; extend a by:500 paying"), "a active room=1 until 1400 by ann v2");
    check(&format!("{first}; extend a by:500 paying; extend a by:1"), &over(1401));
    check(&format!("{first}; extend a by:500 paying; hold b room=1 owner:ann secs:1"), &over(1401));
}

#[test]
fn counters() {
    let first = "put room=9; hold a room=1 owner:ann";
    let count = |steps: &str, expected: &str| check(&format!("{first}{steps}; show owner ann"), expected);
    count("", "ann holds 1 for 900 s");
    count("; hold b room=2 owner:ann secs:60", "ann holds 2 for 960 s");
    count("; hold b room=2 owner:bob", "ann holds 1 for 900 s");
    count("; hold a room=1 owner:ann", "ann holds 1 for 900 s");
    count("; try hold b room=10 owner:ann", "ann holds 1 for 900 s");
    count("; extend a by:60", "ann holds 1 for 960 s");
    count("; extend a until:900.000001", "ann holds 1 for 901 s");
    count("; extend a until:900.000001; extend a until:900.9", "ann holds 1 for 901 s");
    count("; extend a until:900.5; hold b room=1 owner:ann secs:60; cancel a", "ann holds 1 for 60 s");
    count("; cancel a", "ann holds nothing");
    count("; book a; return a", "ann holds nothing");
    count("; clock 900; sweep", "ann holds nothing");
    count("; clock 900; expire a", "ann holds nothing");
    count("; cancel a; hold b room=1 owner:ann secs:60", "ann holds 1 for 60 s");
    check("put room=1; try hold a room=2 owner:ann; show owner ann", "ann holds nothing");
    check("put room=1; try hold a room=2 owner:ann; hold b room=1 owner:ann; show owner ann", "ann holds 1 for 900 s");
}
