//! Bad input: each gets a typed refusal, and nothing at all changes.

use surehold_core::kernel::TenantId;

use crate::world::World;

/// Holds in every state: `live`, `lapsed` (nobody swept it), `booked`, `sold`, `gone`.
const GIVEN: &str = "tenant casa; put bar=5; put room=10; put full=1000000000000; put shut=5 closed; \
     hold live room=1 owner:ann ref:cart; hold lapsed room=1 secs:1; hold booked room=2; book booked; \
     hold sold room=1; consume sold; hold gone room=1; cancel gone; clock 5";

#[track_caller]
fn check(input: &str, expected: &str) {
    let mut world = World::new(TenantId(1));
    world.play(GIVEN);
    let before = (world.dump(), world.journal().to_vec());
    assert_eq!(world.play(input), expected, "{input}");
    assert!(expected.starts_with("refused: ") || expected.starts_with("invalid: "), "{input}");
    assert_eq!((world.dump(), world.journal().to_vec()), before, "{input}");
}

#[test]
fn quantities() {
    let bad = |quantity: i64| format!("invalid: the quantity of room is {quantity}; it must be between 1 and 1000000");
    for quantity in [0, -1, i64::MIN, 1_000_001, i64::MAX] {
        check(&format!("hold new room={quantity}"), &bad(quantity));
        check(&format!("hold new bar=1 room={quantity}"), &bad(quantity));
        check(&format!("book live room={quantity}"), &bad(quantity));
        check(&format!("consume live room={quantity}"), &bad(quantity));
        check(&format!("return booked room={quantity}"), &bad(quantity));
        check(&format!("move booked room={quantity} to bar=1"), &bad(quantity));
        check(&format!("move booked bar=1 to room={quantity}"), &bad(quantity));
    }
}

#[test]
fn numbers_of_lines() {
    let lines: Vec<String> = (0..101).map(|n| format!("r{n}=1")).collect();
    let many = "invalid: a hold has 1 to 100 lines, not 101";
    check("hold new", "invalid: a hold has 1 to 100 lines, not 0");
    check(&format!("hold new {}", lines.join(" ")), many);
    check(&format!("book live {}", lines.join(" ")), many);
    check(&format!("return booked {}", lines.join(" ")), many);
    check(&format!("move booked room=1 to {}", lines.join(" ")), many);
    check("move booked to bar=1", "invalid: a hold has 1 to 100 lines, not 0");
    check("move booked room=1 to", "invalid: a hold has 1 to 100 lines, not 0");
    check("hold new room=1 bar=1 room=1", "invalid: room is listed twice; add the quantities up");
    check("hold new room=1 room=2", "invalid: room is listed twice; add the quantities up");
    check("return booked room=1 room=1", "invalid: room is listed twice; add the quantities up");
    let night = "room@2026-12-24";
    check(
        &format!("hold new {night}=1 {night}=2"),
        "invalid: room on 2026-12-24 is listed twice; add the quantities up",
    );
}

#[test]
fn names() {
    let long = "x".repeat(10_000);
    let too_long = |what: &str| format!("invalid: {what} has 10000 bytes; at most 200 are allowed");
    let malformed = |what: &str| format!("invalid: {what} contains a control character or starts or ends with a space");
    let empty = |what: &str| format!("invalid: {what} must not be empty");
    for (what, before, after) in [
        ("resource", "put ", "=5"),
        ("resource", "adjust ", "=5"),
        ("resource", "grant ", "=5"),
        ("resource", "hold new ", "=1"),
        ("owner", "hold new room=1 owner:", ""),
        ("reference", "hold new room=1 ref:", ""),
    ] {
        check(&format!("{before}{long}{after}"), &too_long(what));
        check(&format!("{before}a\u{7}{after}"), &malformed(what));
        check(&format!("{before}\u{a0}a{after}"), &malformed(what));
        check(&format!("{before}{after}"), &empty(what));
    }
    let slug = "invalid: a slug has 1 to 63 characters: a to z, 0 to 9 and inner hyphens";
    for bad in ["", "Casa", "-", "casa-", "ça", &long] {
        check(&format!("slug {bad} by:7"), slug);
        check(&format!("tenant {bad} max:1000"), slug);
    }
    for slot in ["2026-02-29", "2026-12-24T00", "24.12.2026", "2026-W52-4", "x"] {
        check(&format!("hold new room@{slot}=1"), "invalid: a slot is empty or a date such as 2026-12-24");
    }
}

#[test]
fn ids() {
    for id in [
        "",
        "new",
        "00000000-0000-0000-0000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "550e8400-e29b-41d4-a716-446655440000",
        "019ad700-0000-7000-c000-000000000001",
        "019ad700-0000-7000-8000-00000000000",
    ] {
        for statement in ["hold #ID room=1", "cancel #ID", "expire #ID", "book #ID", "return #ID", "extend #ID by:1"] {
            check(&statement.replace("ID", id), "invalid: the id is not a UUIDv7");
        }
    }
    let outside = "refused: the id new was made outside of 2026-11-01T00:00:05Z to 2026-12-02T00:00:05Z";
    check("hold new room=1 made:-2592001", outside);
    check("hold new room=1 made:86401", outside);
    check("hold live room=2 owner:ann", "refused: hold live exists with other content");
    check("hold live room=1", "refused: hold live exists with other content");
    check("hold gone room=2", "refused: hold gone exists with other content");
    check("hold lapsed room=1 secs:2", "refused: hold lapsed exists with other content");
}

#[test]
fn what_does_not_exist() {
    check("hold new ghost=1", "refused: no such pool: ghost");
    check("hold new room=1 room@2026-12-24=1", "refused: no such pool: room on 2026-12-24");
    check("adjust ghost=1", "refused: no such pool: ghost");
    check("grant ghost=1", "refused: no such pool: ghost");
    check("move booked room=1 to ghost=1", "refused: no such pool: ghost");
    check("hold new shut=1", "refused: closed: shut");
    for statement in ["cancel", "expire", "book", "consume", "return", "move ID room=1 to bar=1", "extend ID by:1"] {
        let statement = if statement.contains("ID") { statement.to_owned() } else { format!("{statement} ID") };
        check(&statement.replace("ID", "ghost"), "refused: there is no hold ghost");

        // A hold of another tenant is no hold.
        let mut other = World::new(TenantId(2));
        other.play("tenant mar; put bar=5; put room=5; hold theirs room=1; book theirs");
        let theirs = other.id("theirs");
        check(&statement.replace("ID", &format!("#{theirs}")), &format!("refused: there is no hold {theirs}"));
    }
}

#[test]
fn holds_that_have_ended() {
    for (name, state) in [("lapsed", "expired"), ("gone", "cancelled"), ("sold", "converted"), ("booked", "converted")]
    {
        let ended = format!("refused: the hold is {state}");
        check(&format!("extend {name} by:60"), &ended);
        check(&format!("extend {name} until:60 paying"), &ended);
        if name != "booked" {
            check(&format!("book {name}"), &ended);
            check(&format!("return {name}"), "refused: the hold has nothing booked");
            check(&format!("move {name} room=1 to bar=1"), "refused: the hold has nothing booked");
        }
        if name != "sold" {
            check(&format!("consume {name}"), &ended);
        }
        if name != "gone" {
            check(&format!("cancel {name}"), &ended);
        }
        if name != "lapsed" {
            check(&format!("expire {name}"), &ended);
        }
    }
    check("expire live", "refused: the hold expires at 2026-12-01T00:15:00Z, not now");
    check("book live room=2", "refused: more than the hold has: room");
    check("return booked room=3", "refused: more than the hold has: room");
}

#[test]
fn lifetimes() {
    for secs in [0, -1, i64::MIN, 31_622_401, i64::MAX] {
        let bad = format!("invalid: a lifetime of {secs} s is not between 1 s and 31622400 s");
        check(&format!("hold new room=1 secs:{secs}"), &bad);
        check(&format!("extend live by:{secs}"), &bad);
        check(&format!("extend live by:{secs} paying"), &bad);
        check(&format!("policy default:{secs}"), &bad);
        check(&format!("policy max:{secs}"), &bad);
        check(&format!("tenant casa max:{secs}"), &bad);
    }
    let long = |secs| format!("refused: the lifetime would be {secs} s; at most 86400 s are allowed");
    check("hold new room=1 secs:31622400", &long(31_622_400));
    check("extend live by:31622400", &long(31_623_300));
    check("extend live until:7000000000000", &long(7_000_000_000_000_i64));
}

#[test]
fn metadata() {
    for json in ["null", "1", "true", r#""text""#, "[]", r#"[{"a":1}]"#] {
        check(&format!("hold new room=1 meta:{json}"), "invalid: metadata must be a JSON object");
    }
    let long = format!(r#"{{"a":"{}"}}"#, "x".repeat(16 * 1024));
    check(&format!("hold new room=1 meta:{long}"), "invalid: metadata has 16392 bytes; at most 16384 are allowed");
}

#[test]
fn units() {
    let bad = |what: &str, units: i64, units_min: i64| {
        format!("invalid: {what} is {units} units; it must be between {units_min} and 1000000000000")
    };
    for units in [-1, i64::MIN, 1_000_000_000_001, i64::MAX] {
        check(&format!("put room={units}"), &bad("total", units, 0));
        check(&format!("put new={units} closed"), &bad("total", units, 0));
        check(&format!("put room=10 overbook:{units}"), &bad("overbook", units, 0));
    }
    for units in [i64::MIN, -1_000_000_000_001, 1_000_000_000_001, i64::MAX] {
        check(&format!("adjust room={units}"), &bad("total_delta", units, -1_000_000_000_000));
        check(&format!("grant room={units}"), &bad("units_delta", units, -1_000_000_000_000));
    }
    check("adjust full=1", "refused: the total of full would be 1000000000001");
    check("adjust full=1000000000000", "refused: the total of full would be 2000000000000");
    check("adjust room=-1000000000000", "refused: the total of room would be -999999999991");
    check("grant room=-1000000000000", "refused: only 0 units of room are granted");
    check("grant shut=1000000000000", "refused: closed: shut");
    check("put room=10 version:9223372036854775807", "refused: pool room is at version 9");
}

#[test]
fn policies() {
    let bad = |what: &str, units: i64, units_max: i64| {
        format!("invalid: {what} is {units} units; it must be between 1 and {units_max}")
    };
    check("policy default:61 max:60", "invalid: the default lifetime must not be above the longest one");
    check("tenant casa default:61 max:60", "invalid: the default lifetime must not be above the longest one");
    for units in [0, -1, i64::MIN, 1_000_001, i64::MAX] {
        check(&format!("policy holds:{units}"), &bad("owner_holds_max", units, 1_000_000));
    }
    for units in [0, -1, i64::MIN, 31_622_400_000_001, i64::MAX] {
        check(&format!("policy owner_secs:{units}"), &bad("owner_lifetime_secs_max", units, 31_622_400_000_000));
    }
    check("tenant mar", "refused: the tenant exists with other content");
}
