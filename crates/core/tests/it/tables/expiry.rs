//! Exact expiry: a lapsed hold never stands in anybody's way, though nothing has swept it.

use crate::scenario::check;

#[test]
fn a_lapsed_hold_never_blocks_a_sale() {
    let full = "put room=2; hold a room=2 secs:10";
    check(&format!("{full}; clock 9.999999; hold b room=1"), "refused: sold out: room (0 left, 1 wanted)");
    check(&format!("{full}; clock 10; hold b room=1"), "b active room=1 until 910 v1, pools at 4");
    check(&format!("{full}; clock 10; hold b room=1; news"), "a expired @3; b placed @4");
    check(&format!("{full}; clock 10; hold b room=3"), "refused: sold out: room (2 left, 3 wanted)");
    check(&format!("{full}; clock 10; try hold b room=3; show room"), "room=2 v3");
    check(&format!("{full}; clock 9.999999; grant room=1"), "refused: sold out: room (0 left, 1 wanted)");
    check(&format!("{full}; clock 10; grant room=1"), "room=2 granted 1 v4");
}

/// Expiring costs; it is done when something is short, not before.
#[test]
fn nothing_is_swept_without_need() {
    check("put room=2; hold a room=1 secs:10; clock 10; hold b room=1; news", "b placed @3");
    check("put room=2; hold a room=1 secs:10; clock 10; hold b room=1; show room", "room=2 held 2 v3");
}

#[test]
fn a_lapsed_hold_frees_every_pool_that_it_had() {
    check(
        "put room=1; put bar=1; put spa=1; hold a room=1 bar=1 secs:10; hold b spa=1; clock 10; hold c room=1 spa=1",
        "refused: sold out: spa (0 left, 1 wanted)",
    );
    check(
        "put room=1; put bar=1; hold a room=1 secs:10; hold b bar=1 secs:5; clock 10; hold c bar=1 room=1; news",
        "b expired @3; a expired @3; c placed @4,4",
    );
}

#[test]
fn a_lapsed_hold_never_blocks_a_move() {
    let full = "put bar=1; put room=1; hold a room=1; book a; hold b bar=1 secs:10";
    check(&format!("{full}; clock 9.999999; move a room=1 to bar=1"), "refused: sold out: bar (0 left, 1 wanted)");
    check(&format!("{full}; clock 10; move a room=1 to bar=1"), "a converted book bar=1 v3, pools at 4,4");
}

#[test]
fn a_lapsed_hold_never_counts_for_its_owner() {
    let one = "policy holds:1; put room=9; hold a room=1 owner:ann secs:10";
    check(
        &format!("{one}; clock 9.999999; hold b room=1 owner:ann"),
        "refused: the owner has 1 holds, the most allowed at once",
    );
    check(&format!("{one}; clock 10; hold b room=1 owner:ann"), "b active room=1 until 910 by ann v1, pools at 4");
    check(&format!("{one}; clock 10; hold b room=1 owner:ann; show owner ann"), "ann holds 1 for 900 s");

    let long = "policy owner_secs:910; put room=9; hold a room=1 owner:ann secs:11";
    check(
        &format!("{long}; clock 10.999999; hold b room=1 owner:ann"),
        "refused: the owner's holds would live 911 s in total; at most 910 s are allowed",
    );
    check(&format!("{long}; clock 11; hold b room=1 owner:ann"), "b active room=1 until 911 by ann v1, pools at 4");

    let two = "policy owner_secs:910; put room=9; hold a room=1 owner:ann secs:10; hold b room=1 owner:ann";
    check(
        &format!("{two}; clock 9.999999; extend b by:1"),
        "refused: the owner's holds would live 911 s in total; at most 910 s are allowed",
    );
    check(&format!("{two}; clock 10; extend b by:10"), "b active room=1 until 910 by ann v2");
    check(
        &format!("{two}; clock 10; extend b by:11"),
        "refused: the owner's holds would live 911 s in total; at most 910 s are allowed",
    );
}

/// The refusal that a sweep precedes is made of what is left after it.
#[test]
fn a_refusal_knows_nothing_of_lapsed_holds() {
    check(
        "put room=5; hold a room=2 secs:10; hold b room=3; clock 10; hold c room=3",
        "refused: sold out: room (2 left, 3 wanted)",
    );
    check(
        "put room=5; hold a room=5 secs:10; put room=1; clock 10; hold c room=2",
        "refused: sold out: room (1 left, 2 wanted)",
    );
}
