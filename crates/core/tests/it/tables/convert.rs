//! Converting a hold: booked units stay, consumed units leave.

use crate::scenario::check;

const HELD: &str = "put bar=5; put room=5; hold a bar=2 room=3";

#[track_caller]
fn check_held(steps: &str, expected: &str) {
    check(&format!("{HELD}; {steps}"), expected);
}

#[test]
fn booking() {
    check_held("book a", "a converted book bar=2 room=3 v2, pools at 3,3");
    check_held("book a; show bar room", "bar=5 booked 2 v3; room=5 booked 3 v3");
    check_held("book a; news", "a book bar=2 room=3 @3,3");
    check_held("book a room=1", "a converted book room=1 v2, pools at 3,3");
    check_held("book a room=1; show bar room", "bar=5 v3; room=5 booked 1 v3");
    check_held("book a room=1; news", "a book room=1 @3,3");
    check_held("book a bar=2 room=3; show bar room", "bar=5 booked 2 v3; room=5 booked 3 v3");
}

#[test]
fn consuming() {
    check_held("consume a", "a converted consume bar=2 room=3 v2, pools at 3,3");
    check_held("consume a; show bar room", "bar=3 v3; room=2 v3");
    check_held("consume a; news", "a consume bar=2 room=3 @3,3");
    check_held("consume a bar=1", "a converted consume bar=1 v2, pools at 3,3");
    check_held("consume a bar=1; show bar room", "bar=4 v3; room=5 v3");
    check("put tea=2; hold a tea=2; consume a; show tea", "tea=0 v3");
    check("put tea=2; hold a tea=1; hold b tea=1; consume a; consume b; show tea", "tea=0 v5");
    // Oversold goods leave as far as they are there.
    check("put tea=5; hold a tea=4; put tea=1; consume a tea=1; show tea", "tea=0 v4");
    check("put tea=5; hold a tea=2; hold b tea=2; put tea=2; consume a; show tea", "tea=0 held 2 oversold 2 v5");
}

#[test]
fn goods_that_are_not_there_cannot_leave() {
    check("put tea=1 overbook:1; hold a tea=2; consume a", "refused: the total of tea would be -1");
    check("put tea=1 overbook:1; hold a tea=2; consume a tea=1; show tea", "tea=0 overbook 1 v3");
    check("put tea=1 overbook:1; hold a tea=2; book a; show tea", "tea=1 overbook 1 booked 2 v3");
    check("put tea=5; hold a tea=4; put tea=1; consume a", "refused: the total of tea would be -3");
    check(
        "put tea=5; put jam=5; hold a jam=1 tea=4; put tea=1; try consume a; show jam tea",
        "jam=5 held 1 v2; tea=1 held 4 oversold 3 v3",
    );
}

#[test]
fn a_repeat_says_what_was_kept() {
    check_held("book a; book a", "again: a converted book bar=2 room=3 v2");
    check_held("book a; book a; show bar room", "bar=5 booked 2 v3; room=5 booked 3 v3");
    check_held("book a; book a bar=2 room=3", "again: a converted book bar=2 room=3 v2");
    check_held("book a room=1; book a room=1", "again: a converted book room=1 v2");
    check_held("consume a; consume a", "again: a converted consume bar=2 room=3 v2");
    check_held("consume a; consume a; show bar room", "bar=3 v3; room=2 v3");
    check_held("book a; clock 900; book a", "again: a converted book bar=2 room=3 v2");
}

#[test]
fn another_conversion_is_not_a_repeat() {
    check_held("book a; consume a", "refused: the hold is converted");
    check_held("consume a; book a", "refused: the hold is converted");
    check_held("book a; book a room=1", "refused: the hold is converted");
    check_held("book a room=1; book a", "refused: the hold is converted");
    check_held("book a room=1; book a room=2", "refused: the hold is converted");
}

#[test]
fn only_what_is_live() {
    check_held("book ghost", "refused: there is no hold ghost");
    check_held("cancel a; book a", "refused: the hold is cancelled");
    check_held("clock 899.999999; book a", "a converted book bar=2 room=3 v2, pools at 3,3");
    check_held("clock 900; book a", "refused: the hold is expired");
    check_held("clock 900; consume a", "refused: the hold is expired");
    check_held("clock 900; sweep; book a", "refused: the hold is expired");
}

#[test]
fn a_part_is_within_the_hold() {
    check_held("book a room=4", "refused: more than the hold has: room");
    check_held("book a room=4 bar=3", "refused: more than the hold has: bar, room");
    check_held("put spa=5; book a room=1 spa=1", "refused: more than the hold has: spa");
    check_held("book a ghost=1", "refused: more than the hold has: ghost");
}

#[test]
fn the_earlier_refusal_wins() {
    // Ended, then a part beyond the hold.
    check_held("cancel a; book a room=4", "refused: the hold is cancelled");
    // A part beyond the hold, then goods that are not there.
    check_held("put room=0; consume a bar=3 room=1", "refused: more than the hold has: bar");
}
