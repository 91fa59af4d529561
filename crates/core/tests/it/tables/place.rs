//! Placing a hold.

use crate::scenario::check;

#[test]
fn all_lines_or_none() {
    check("put room=10; hold a room=3", "a active room=3 until 900 v1, pools at 2");
    check("put room=10; hold a room=3; show room", "room=10 held 3 v2");
    check("put room=10; hold a room=3; hold b room=7; show room", "room=10 held 10 v3");
    check("put room=10; put bar=2; hold a room=3 bar=1 secs:60; show bar room", "bar=2 held 1 v2; room=10 held 3 v2");
    check(
        "put room@2026-12-25=1; put room@2026-12-24=1; hold a room@2026-12-25=1 room@2026-12-24=1",
        "a active room@2026-12-24=1 room@2026-12-25=1 until 900 v1, pools at 2,2",
    );
    check("put room=1; put bar=1; hold a bar=1; try hold b room=1 bar=1; show bar room", "bar=1 held 1 v2; room=1 v1");
}

#[test]
fn sold_out_lists_every_short_line_sorted() {
    check("put room=10; hold a room=11", "refused: sold out: room (10 left, 11 wanted)");
    check("put room=10; hold a room=7; hold b room=4", "refused: sold out: room (3 left, 4 wanted)");
    check(
        "put room=1; put bar=1; put spa=5; hold a room=2 bar=3 spa=5",
        "refused: sold out: bar (1 left, 3 wanted), room (1 left, 2 wanted)",
    );
    check(
        "put room@2026-12-24=1; put room@2026-12-25=0; hold a room@2026-12-25=1 room@2026-12-24=1",
        "refused: sold out: room on 2026-12-25 (0 left, 1 wanted)",
    );
    check("put room=0; hold a room=1", "refused: sold out: room (0 left, 1 wanted)");
    check("put room=1 overbook:1; hold a room=2", "a active room=2 until 900 v1, pools at 2");
    check("put room=1 overbook:1; hold a room=3", "refused: sold out: room (2 left, 3 wanted)");
    check(
        "put room=3; hold a room=1; book a; grant room=1; hold b room=2",
        "refused: sold out: room (1 left, 2 wanted)",
    );
    check("put room=3; hold a room=1; consume a; hold b room=3", "refused: sold out: room (2 left, 3 wanted)");
    check("put room=3; hold a room=2; cancel a; hold b room=3; show room", "room=3 held 3 v4");
}

#[test]
fn lifetimes() {
    check("put room=1; hold a room=1 secs:1", "a active room=1 until 1 v1, pools at 2");
    check("put room=1; hold a room=1 secs:86400", "a active room=1 until 86400 v1, pools at 2");
    check(
        "put room=1; hold a room=1 secs:86401",
        "refused: the lifetime would be 86401 s; at most 86400 s are allowed",
    );
    check("put room=1; clock 0.5; hold a room=1", "a active room=1 until 900.500000 v1, pools at 2");
}

#[test]
fn a_repeat_gets_the_hold_as_it_is_now() {
    let all = r#"hold a room=1 bar=1 secs:60 owner:ann ref:cart meta:{"x":1,"y":2}"#;
    let again = r#"hold a bar=1 room=1 secs:60 owner:ann ref:cart meta:{"y":2,"x":1}"#;
    check("put room=3; hold a room=1; hold a room=1", "again: a active room=1 until 900 v1");
    check("put room=3; hold a room=1; hold a room=1; show room", "room=3 held 1 v2");
    check(
        &format!("put room=1; put bar=1; {all}; {again}"),
        r#"again: a active bar=1 room=1 until 60 by ann as cart with {"x":1,"y":2} v1"#,
    );
    check("put room=1; hold a room=1; extend a by:60; hold a room=1", "again: a active room=1 until 960 v2");
    check("put room=1; hold a room=1; cancel a; hold a room=1", "again: a cancelled room=1 until 900 v2");
    check("put room=1; hold a room=1; book a; hold a room=1", "again: a converted book room=1 v2");
    check("put room=1; hold a room=1; clock 900; sweep; hold a room=1", "again: a expired room=1 until 900 v2");
    // Nobody has to sweep for a lapsed hold to be an expired one.
    check("put room=1; hold a room=1; clock 899.999999; hold a room=1", "again: a active room=1 until 900 v1");
    check("put room=1; hold a room=1; clock 900; hold a room=1", "again: a expired room=1 until 900 v1");
    // What would refuse it today does not undo yesterday's answer.
    check("put room=1; hold a room=1; put room=0 closed; hold a room=1", "again: a active room=1 until 900 v1");
    check("put room=1; hold a room=1; policy max:60 default:60; hold a room=1", "again: a active room=1 until 900 v1");
    check(
        "put room=1; policy holds:1; hold a room=1 owner:ann; hold a room=1 owner:ann",
        "again: a active room=1 until 900 by ann v1",
    );
}

#[test]
fn an_id_is_used_for_one_request() {
    for other in [
        "hold a room=2",
        "hold a bar=1",
        "hold a room=1 bar=1",
        "hold a room=1 secs:900",
        "hold a room=1 owner:ann",
        "hold a room=1 ref:cart",
        "hold a room=1 meta:{}",
    ] {
        let scenario = format!("put room=9; put bar=9; hold a room=1; {other}");
        check(&scenario, "refused: hold a exists with other content");
    }
    for other in ["owner:bob", "ref:cart owner:ann", r#"meta:{"x":1} owner:ann"#, "owner:ann secs:60", ""] {
        let scenario = format!("put room=9; hold a room=1 owner:ann; hold a room=1 {other}");
        check(&scenario, "refused: hold a exists with other content");
    }
    check("put room=9; hold a room=1; cancel a; hold a room=2", "refused: hold a exists with other content");
}

#[test]
fn an_id_is_made_in_its_window() {
    let outside = "refused: the id a was made outside of 2026-11-01T00:00:00Z to 2026-12-02T00:00:00Z";
    let placed = "a active room=1 until 900 v1, pools at 2";
    check("put room=1; hold a room=1 made:-2592000", placed);
    check("put room=1; hold a room=1 made:-2592001", outside);
    check("put room=1; hold a room=1 made:86400", placed);
    check("put room=1; hold a room=1 made:86401", outside);
    // A repeat that comes after its hold may be gone is refused, whether or not it is.
    check("put room=1; hold a room=1; clock 2592000; hold a room=1", "again: a expired room=1 until 900 v1");
    check(
        "put room=1; hold a room=1; clock 2592000.000001; hold a room=1",
        "refused: the id a was made outside of 2026-12-01T00:00:00.000001Z to 2027-01-01T00:00:00.000001Z",
    );
}

#[test]
fn unknown_and_closed_pools() {
    check("hold a room=1", "refused: no such pool: room");
    check("put spa=1; hold a room=1 spa=1 bar=1", "refused: no such pool: bar, room");
    check("put room=1; hold a room@2026-12-24=1", "refused: no such pool: room on 2026-12-24");
    check("put room=1 closed; hold a room=1", "refused: closed: room");
    check("put room=1 closed; put bar=1 closed; put spa=1; hold a room=1 bar=1 spa=1", "refused: closed: bar, room");
    check("put room=1 closed; put room=1 open; hold a room=1", "a active room=1 until 900 v1, pools at 3");
}

#[test]
fn the_earlier_refusal_wins() {
    // The id's window, then its reuse.
    check(
        "put room=9; hold a room=1; clock 2592001; hold a room=2",
        "refused: the id a was made outside of 2026-12-01T00:00:01Z to 2027-01-01T00:00:01Z",
    );
    // Reuse, then the lifetime.
    check("put room=9; hold a room=1; hold a room=1 secs:86401", "refused: hold a exists with other content");
    // The lifetime, then pools that do not exist.
    check("hold a room=1 secs:86401", "refused: the lifetime would be 86401 s; at most 86400 s are allowed");
    // Unknown, then closed.
    check("put room=9 closed; hold a room=1 bar=1", "refused: no such pool: bar");
    // Closed, then the owner's limits, then what is short.
    let limits = "policy holds:1 owner_secs:1000; put spa=9; hold a spa=1 owner:ann";
    check(&format!("{limits}; put room=9 closed; hold b room=1 owner:ann"), "refused: closed: room");
    check("put room=0 closed; hold a room=1", "refused: closed: room");
    check(
        &format!("{limits}; put room=0; hold b room=1 owner:ann"),
        "refused: the owner has 1 holds, the most allowed at once",
    );
    check(
        "policy owner_secs:1000; put spa=9; hold a spa=1 owner:ann; put room=0; hold b room=1 owner:ann",
        "refused: the owner's holds would live 1800 s in total; at most 1000 s are allowed",
    );
}
