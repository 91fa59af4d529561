//! Capacity: put, adjust, grant.

use crate::scenario::check;

#[test]
fn putting_creates_then_sets_what_is_given() {
    check("put room=10", "room=10 v1");
    check("put room=0", "room=0 v1");
    check("put room@2026-12-24=10", "room@2026-12-24=10 v1");
    check("put room=10 overbook:2 closed", "room=10 overbook 2 closed v1");
    check("put room=10 overbook:2 closed; put room=7", "room=7 overbook 2 closed v2");
    check("put room=10 overbook:2 closed; put room=10 open", "room=10 overbook 2 v2");
    check("put room=10 overbook:2; put room=10 overbook:0", "room=10 v2");
    check("put room=1000000000000 overbook:1000000000000", "room=1000000000000 overbook 1000000000000 v1");
    check("put room=10; put room@2026-12-24=3; show room", "room=10 v1");
}

#[test]
fn putting_the_same_again_changes_nothing() {
    check("put room=10; put room=10", "again: room=10 v1");
    check("put room=10 overbook:1 closed; put room=10", "again: room=10 overbook 1 closed v1");
    check("put room=10; put room=10 overbook:0 open", "again: room=10 v1");
    check("put room=10; hold a room=3; put room=10", "again: room=10 held 3 v2");
}

#[test]
fn putting_with_an_expected_version() {
    check("put room=10 version:0", "room=10 v1");
    check("put room=10 version:1", "refused: pool room is at version 0");
    check("put room=10; put room=9 version:0", "refused: pool room is at version 1");
    check("put room=10; put room=9 version:1", "room=9 v2");
    check("put room=10; put room=9 version:2", "refused: pool room is at version 1");
    check("put room=10; put room=9 version:-1", "refused: pool room is at version 1");
    check("put room=10; hold a room=1; put room=9 version:1", "refused: pool room is at version 2");
    check("put room=10; hold a room=1; put room=9 version:2", "room=9 held 1 v3");
    // A repeat that names its version is told that somebody was faster, even if it was itself.
    check("put room=10 version:0; put room=10 version:0", "refused: pool room is at version 1");
    check("put room=10; put room=10 version:1", "again: room=10 v1");
}

#[test]
fn a_total_below_what_is_promised_is_oversold() {
    check("put room=5; hold a room=4; put room=1", "room=1 held 4 oversold 3 v3");
    check("put room=5; hold a room=4; put room=1; news", "room=1 v3; room oversold 3");
    check("put room=5; hold a room=4; adjust room=-4", "room=1 held 4 oversold 3 v3");
    check("put room=1 overbook:3; hold a room=4; put room=1 overbook:0", "room=1 held 4 oversold 3 v3");
    check("put room=5; hold a room=4; put room=1; hold b room=1", "refused: sold out: room (0 left, 1 wanted)");
    check("put room=5; hold a room=4; put room=1; grant room=1", "refused: sold out: room (0 left, 1 wanted)");
    check("put room=5; hold a room=4; put room=1; cancel a; show room", "room=1 v4");
    check("put room=5; hold a room=4; put room=1; book a; show room", "room=1 booked 4 oversold 3 v4");
    check("put room=5; hold a room=4; put room=1; book a; return a room=2; show room", "room=1 booked 2 oversold 1 v5");
    check("put room=5; hold a room=4; put room=1; put room=2; news", "room=2 v4");
    check("put room=5; hold a room=4; put room=1; put room=0; news", "room=0 v4; room oversold 4");
    check("put room=5; hold a room=4; put room=1; adjust room=3", "room=4 held 4 v4");
}

#[test]
fn adjusting() {
    check("put room=10; adjust room=5", "room=15 v2");
    check("put room=10; adjust room=-10", "room=0 v2");
    check("put room=10; adjust room=0", "again: room=10 v1");
    check("put room=10; grant room=0", "again: room=10 v1");
    check("put room=10; adjust room=5; news", "room=15 v2");
    check("put room=10 overbook:2 closed; adjust room=1", "room=11 overbook 2 closed v2");
    check("adjust room=1", "refused: no such pool: room");
    check("put room=10; adjust room=-11", "refused: the total of room would be -1");
    check("put room=10; adjust room=999999999990", "room=1000000000000 v2");
    check("put room=10; adjust room=999999999991", "refused: the total of room would be 1000000000001");
}

#[test]
fn granting() {
    check("put room=10; grant room=4", "room=10 granted 4 v2");
    check("put room=10; grant room=4; news", "room=10 granted 4 v2");
    check("put room=10; grant room=4; grant room=-3", "room=10 granted 1 v3");
    check("put room=10; grant room=4; grant room=-4", "room=10 v3");
    check("put room=10; grant room=10", "room=10 granted 10 v2");
    check("put room=10; grant room=11", "refused: sold out: room (10 left, 11 wanted)");
    check("put room=10; hold a room=4; grant room=7", "refused: sold out: room (6 left, 7 wanted)");
    check("put room=10; grant room=4; hold a room=7", "refused: sold out: room (6 left, 7 wanted)");
    check("put room=10; grant room=4; put room=2", "room=2 granted 4 oversold 2 v3");
    check("put room=10; grant room=4; put room=2; grant room=-4", "room=2 v4");
    check("grant room=1", "refused: no such pool: room");
    check("put room=10; grant room=-1", "refused: only 0 units of room are granted");
    check("put room=10; grant room=4; grant room=-5", "refused: only 4 units of room are granted");
    check("put room=10 closed; grant room=1", "refused: closed: room");
}

#[test]
fn the_earlier_refusal_wins() {
    // Grants: taken back, closed, short.
    check("put room=1 closed; grant room=-1", "refused: only 0 units of room are granted");
    check("put room=1 closed; grant room=2", "refused: closed: room");
}
