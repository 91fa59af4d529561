//! Booked units: given back, or moved.

use crate::scenario::check;

const BOOKED: &str = "put bar=5; put room=5; put spa=2; hold a bar=2 room=3; book a";

#[track_caller]
fn check_booked(steps: &str, expected: &str) {
    check(&format!("{BOOKED}; {steps}"), expected);
}

#[test]
fn giving_back() {
    check_booked("return a", "a converted book nothing v3, pools at 4,4");
    check_booked("return a; show bar room", "bar=5 v4; room=5 v4");
    check_booked("return a; news", "a back bar=2 room=3 @4,4");
    check_booked("return a room=1", "a converted book bar=2 room=2 v3, pools at 4");
    check_booked("return a room=1; show bar room", "bar=5 booked 2 v3; room=5 booked 2 v4");
    check_booked("return a room=1; news", "a back room=1 @4");
    check_booked("return a room=3; return a", "a converted book nothing v4, pools at 4");
    check_booked("clock 900; return a room=1", "a converted book bar=2 room=2 v3, pools at 4");
    check_booked("put room=5 closed; return a room=1; show room", "room=5 booked 2 closed v5");
}

#[test]
fn giving_back_what_is_not_booked() {
    let nothing = "refused: the hold has nothing booked";
    check_booked("return ghost", "refused: there is no hold ghost");
    check_booked("return a; return a", nothing);
    check_booked("return a; return a room=1", nothing);
    check_booked("return a room=4", "refused: more than the hold has: room");
    check_booked("return a spa=1 room=4", "refused: more than the hold has: room, spa");
    check_booked("return a room=2; return a room=2", "refused: more than the hold has: room");
    check("put room=1; hold a room=1; return a", nothing);
    check("put room=1; hold a room=1; cancel a; return a", nothing);
    check("put room=1; hold a room=1; clock 900; return a", nothing);
    check("put room=1; hold a room=1; consume a; return a", nothing);
    check("put room=1; hold a room=1; consume a; move a room=1 to room=1", nothing);
}

#[test]
fn moving() {
    check_booked("move a room=1 to spa=2", "a converted book bar=2 room=2 spa=2 v3, pools at 4,2");
    check_booked("move a room=1 to spa=2; show room spa", "room=5 booked 2 v4; spa=2 booked 2 v2");
    check_booked("move a room=1 to spa=2; news", "a moved room=1 to spa=2, room spa @4,2");
    check_booked("move a bar=2 room=3 to spa=1", "a converted book spa=1 v3, pools at 4,4,2");
    check_booked("move a room=3 to bar=1", "a converted book bar=3 v3, pools at 4,4");
    check_booked("clock 900; move a room=1 to spa=1", "a converted book bar=2 room=2 spa=1 v3, pools at 4,2");
    check_booked("move a room=1 to spa=1; move a spa=1 to room=1; show room spa", "room=5 booked 3 v5; spa=2 v3");
}

#[test]
fn a_pool_on_both_sides_needs_the_difference() {
    check_booked("move a room=3 to room=5; show room", "room=5 booked 5 v4");
    check_booked("move a room=3 to room=6", "refused: sold out: room (2 left, 3 wanted)");
    check_booked("move a room=3 to room=1 spa=1; show room spa", "room=5 booked 1 v4; spa=2 booked 1 v2");
    // A pool where nothing changes keeps its version.
    check_booked("move a bar=1 room=1 to bar=1 spa=1", "a converted book bar=2 room=2 spa=1 v3, pools at 4,2");
    check_booked("move a bar=1 room=1 to bar=1 spa=1; show bar", "bar=5 booked 2 v3");
    check_booked("move a room=2 to room=2; show room", "room=5 booked 3 v3");
    // Closed keeps out what is new, not what is there already.
    check_booked("put room=5 closed; move a room=2 to room=1 spa=1; show room", "room=5 booked 2 closed v5");
    check_booked("put room=5 closed; move a room=1 to room=2", "refused: closed: room");
}

#[test]
fn moving_where_it_does_not_fit() {
    check_booked("move ghost room=1 to spa=1", "refused: there is no hold ghost");
    check_booked("move a room=4 to spa=1", "refused: more than the hold has: room");
    check_booked("move a spa=1 to room=1", "refused: more than the hold has: spa");
    check_booked("move a room=1 to ghost=1 spook=1 spa=1", "refused: no such pool: ghost, spook");
    check_booked("put spa=2 closed; move a room=1 to spa=1", "refused: closed: spa");
    check_booked("move a room=1 to spa=3", "refused: sold out: spa (2 left, 3 wanted)");
    check_booked("move a room=1 to bar=4 spa=3", "refused: sold out: bar (3 left, 4 wanted), spa (2 left, 3 wanted)");
    check_booked("hold b spa=2; clock 899; move a room=1 to spa=1", "refused: sold out: spa (0 left, 1 wanted)");
    check_booked("return a; move a room=1 to spa=1", "refused: the hold has nothing booked");
}

#[test]
fn the_earlier_refusal_wins() {
    // Nothing booked, then more than is booked.
    check("put room=1; hold a room=1; return a room=2", "refused: the hold has nothing booked");
    // More than is booked, then unknown targets, then closed ones, then short ones.
    check_booked("move a room=4 to ghost=1", "refused: more than the hold has: room");
    check_booked("put spa=2 closed; move a room=1 to ghost=1 spa=1", "refused: no such pool: ghost");
    check_booked("put spa=2 closed; move a room=1 to bar=9 spa=1", "refused: closed: spa");
}

/// Moves must not make of a booking what no hold may be: giving it back would load without bound.
#[test]
fn a_booking_stays_as_small_as_a_hold() {
    let names: Vec<String> = (10..110).map(|n| format!("r{n}")).collect();
    let puts: Vec<String> = names.iter().map(|name| format!("put {name}=9")).collect();
    let lines = |names: &[String]| names.iter().map(|name| format!("{name}=1")).collect::<Vec<_>>().join(" ");
    let booked = format!("{}; put room=2000000; hold a room=2; book a", puts.join("; "));
    check(
        &format!("{booked}; move a room=1 to {}; show room r10", lines(&names[..99])),
        "room=2000000 booked 1 v4; r10=9 booked 1 v2",
    );
    check(&format!("{booked}; move a room=1 to {}", lines(&names)), "invalid: a hold has 1 to 100 lines, not 101");
    check(
        &format!("{booked}; move a room=1 to room=1000000"),
        "invalid: the quantity of room is 1000001; it must be between 1 and 1000000",
    );
}
