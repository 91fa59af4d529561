//! Bad input through the engine: each gets a typed refusal, and no table of any store changes.

use surehold_core::kernel::{HoldPolicy, Invalid, Slug, TenantId};
use surehold_engine::Failure;
use surehold_testkit::fixture::Fixture;
use surehold_testkit::on_each_store;

use crate::conformance::{Dump, World};

/// Holds in every state: `live`, `lapsed` (nobody swept it), `booked`, `sold`, `gone`.
const GIVEN: &str = "put bar=5; put room=10; put full=1000000000000; put shut=5 closed; \
     hold live room=1 owner:ann ref:cart; hold lapsed room=1 secs:60; hold booked room=2; book booked; \
     hold sold room=1; consume sold; hold gone room=1; cancel gone; adjust bar=0 key:used; advance 60";

on_each_store! {
    quantities
    numbers_of_lines
    names
    ids
    what_does_not_exist
    unknown_tenants
    reserved_tenants
    holds_that_have_ended
    lifetimes
    metadata
    units
    policies
    malformed_keys
    keys
}

/// What is there, and what all tables say about it.
struct Given<'f> {
    world: World<'f>,
    before: Dump,
}

impl Given<'_> {
    async fn on(fixture: &Fixture) -> Given<'_> {
        let mut world = World::open(fixture).await;
        world.play(GIVEN).await;
        let before = world.audit().await;
        Given { world, before }
    }

    async fn check(&mut self, input: &str, expected: &str) {
        assert!(expected.starts_with("refused: ") || expected.starts_with("invalid: "), "{expected}");
        assert_eq!(self.world.play(input).await, expected, "{input}");
        assert_eq!(self.world.dump().await, self.before, "{input}");
    }
}

async fn quantities(fixture: Fixture) {
    let given = &mut Given::on(&fixture).await;
    for quantity in [0, -1, i64::MIN, 1_000_001, i64::MAX] {
        let bad = format!("invalid: the quantity of room is {quantity}; it must be between 1 and 1000000");
        given.check(&format!("hold new room={quantity}"), &bad).await;
        given.check(&format!("hold new bar=1 room={quantity}"), &bad).await;
        given.check(&format!("book live room={quantity}"), &bad).await;
        given.check(&format!("consume live room={quantity}"), &bad).await;
        given.check(&format!("return booked room={quantity}"), &bad).await;
        given.check(&format!("move booked room={quantity} to bar=1"), &bad).await;
        given.check(&format!("move booked bar=1 to room={quantity}"), &bad).await;
    }
}

async fn numbers_of_lines(fixture: Fixture) {
    let given = &mut Given::on(&fixture).await;
    let lines = (0..101).map(|n| format!("r{n}=1")).collect::<Vec<_>>().join(" ");
    let many = "invalid: a hold has 1 to 100 lines, not 101";
    for statement in ["hold new", "book live", "return booked", "move booked room=1 to"] {
        given.check(&format!("{statement} {lines}"), many).await;
    }
    let none = "invalid: a hold has 1 to 100 lines, not 0";
    for statement in ["hold new", "move booked to bar=1", "move booked room=1 to"] {
        given.check(statement, none).await;
    }
    let twice = "invalid: room is listed twice; add the quantities up";
    for statement in ["hold new room=1 bar=1 room=1", "hold new room=1 room=2", "return booked room=1 room=1"] {
        given.check(statement, twice).await;
    }
    let night = "room@2026-12-24";
    let twice = "invalid: room on 2026-12-24 is listed twice; add the quantities up";
    given.check(&format!("hold new {night}=1 {night}=2"), twice).await;
}

async fn names(fixture: Fixture) {
    let given = &mut Given::on(&fixture).await;
    let long = "x".repeat(10_000);
    for (what, before, after) in [
        ("resource", "put ", "=5"),
        ("resource", "adjust ", "=5"),
        ("resource", "grant ", "=5"),
        ("resource", "hold new ", "=1"),
        ("owner", "hold new room=1 owner:", ""),
        ("reference", "hold new room=1 ref:", ""),
    ] {
        let too_long = format!("invalid: {what} has 10000 bytes; at most 200 are allowed");
        given.check(&format!("{before}{long}{after}"), &too_long).await;
        let malformed = format!("invalid: {what} contains a control character or starts or ends with a space");
        for text in ["a\0b", "a\u{7}", "\u{a0}a", "a\nb"] {
            given.check(&format!("{before}{text}{after}"), &malformed).await;
        }
        given.check(&format!("{before}{after}"), &format!("invalid: {what} must not be empty")).await;
    }
    let slug = "invalid: a slug has 1 to 63 characters: a to z, 0 to 9 and inner hyphens";
    for bad in ["", "Casa", "-", "casa-", "ça", &long] {
        given.check(&format!("tenant {bad} max:86400"), slug).await;
    }
    for slot in ["2026-02-29", "2026-12-24T00", "24.12.2026", "x"] {
        given.check(&format!("hold new room@{slot}=1"), "invalid: a slot is empty or a date such as 2026-12-24").await;
    }
}

async fn ids(fixture: Fixture) {
    let given = &mut Given::on(&fixture).await;
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
            given.check(&statement.replace("ID", id), "invalid: the id is not a UUIDv7").await;
        }
    }
    let outside = "refused: the id is outside of its window";
    given.check("hold new room=1 made:-2592600", outside).await;
    given.check("hold new room=1 made:90000", outside).await;
    given.check("hold new room=1 made:-1700000000", outside).await;
    for (name, statement) in [
        ("live", "hold live room=2 owner:ann"),
        ("live", "hold live room=1"),
        ("gone", "hold gone room=2"),
        ("lapsed", "hold lapsed room=1 secs:61"),
    ] {
        given.check(statement, &format!("refused: hold {name} exists with other content")).await;
    }
}

async fn what_does_not_exist(fixture: Fixture) {
    let given = &mut Given::on(&fixture).await;
    for (statement, pool) in [
        ("hold new ghost=1", "ghost"),
        ("hold new room=1 room@2026-12-24=1", "room on 2026-12-24"),
        ("adjust ghost=1", "ghost"),
        ("grant ghost=1", "ghost"),
        ("move booked room=1 to ghost=1", "ghost"),
    ] {
        given.check(statement, &format!("refused: no such pool: {pool}")).await;
    }
    given.check("hold new shut=1", "refused: closed: shut").await;
    given.check("move booked room=1 to shut=1", "refused: closed: shut").await;
    let theirs = {
        let mut other = given.world.neighbour(2).await;
        other.play("put bar=5; put room=5; hold theirs room=1; book theirs").await;
        other.id("theirs")
    };
    given.before = given.world.dump().await;
    let statements = ["cancel", "expire", "book", "consume", "return"].map(|verb| format!("{verb} ID"));
    for statement in statements.into_iter().chain(["move ID room=1 to bar=1".into(), "extend ID by:1".into()]) {
        given.check(&statement.replace("ID", "ghost"), "refused: there is no hold ghost").await;
        // A hold of another tenant is no hold.
        let refused = format!("refused: there is no hold {theirs}");
        given.check(&statement.replace("ID", &format!("#{theirs}")), &refused).await;
    }
}

async fn unknown_tenants(fixture: Fixture) {
    let given = &mut Given::on(&fixture).await;
    for tenant in [99, -1, i64::MAX, i64::MIN] {
        given.world.tenant = TenantId(tenant);
        given.before = given.world.dump().await;
        assert_eq!((given.before.tenant.len(), given.before.journal.len()), (0, 0));
        for statement in
            ["put room=1", "adjust room=1", "grant room=1", "policy max:1000", "hold new room=1", "extend live by:1"]
        {
            given.check(statement, "refused: there is no such tenant").await;
            given.check(&format!("{statement} key:k"), "refused: there is no such tenant").await;
        }
        for statement in ["cancel live", "expire live", "book live", "return live"] {
            given.check(statement, "refused: there is no hold live").await;
        }
    }
}

/// Not even the slug is taken.
async fn reserved_tenants(fixture: Fixture) {
    let given = &mut Given::on(&fixture).await;
    for tenant in [0, -1, i64::MIN].map(TenantId) {
        let engine = &given.world.engine;
        let created = engine.create_tenant(Slug::new("new").unwrap(), HoldPolicy::default(), tenant).await;
        assert_eq!(created, Err(Failure::Refused(Invalid::TenantReserved { tenant }.into())));
        assert_eq!(given.world.dump().await, given.before);
    }
}

async fn holds_that_have_ended(fixture: Fixture) {
    let given = &mut Given::on(&fixture).await;
    for (name, state) in [("lapsed", "expired"), ("gone", "cancelled"), ("sold", "converted"), ("booked", "converted")]
    {
        let ended = format!("refused: the hold is {state}");
        given.check(&format!("extend {name} by:60"), &ended).await;
        given.check(&format!("extend {name} until:expiry+60 paying"), &ended).await;
        if name != "booked" {
            given.check(&format!("book {name}"), &ended).await;
            given.check(&format!("return {name}"), "refused: the hold has nothing booked").await;
            given.check(&format!("move {name} room=1 to bar=1"), "refused: the hold has nothing booked").await;
        }
        if name != "sold" {
            given.check(&format!("consume {name}"), &ended).await;
        }
        if name != "gone" {
            given.check(&format!("cancel {name}"), &ended).await;
        }
        if name != "lapsed" {
            given.check(&format!("expire {name}"), &ended).await;
        }
    }
    given.check("expire live", "refused: the hold is not due").await;
    given.check("book live room=2", "refused: more than the hold has: room").await;
    given.check("return booked room=3", "refused: more than the hold has: room").await;
}

async fn lifetimes(fixture: Fixture) {
    let given = &mut Given::on(&fixture).await;
    for secs in [0, -1, i64::MIN, 31_622_401, i64::MAX] {
        let bad = format!("invalid: a lifetime of {secs} s is not between 1 s and 31622400 s");
        given.check(&format!("hold new room=1 secs:{secs}"), &bad).await;
        given.check(&format!("extend live by:{secs}"), &bad).await;
        given.check(&format!("extend live by:{secs} paying"), &bad).await;
        given.check(&format!("policy default:{secs}"), &bad).await;
        given.check(&format!("policy max:{secs}"), &bad).await;
    }
    let long = |secs: i64| format!("refused: the lifetime would be {secs} s; at most 86400 s are allowed");
    given.check("hold new room=1 secs:31622400", &long(31_622_400)).await;
    given.check("extend live by:31622400", &long(31_623_300)).await;
    given.check("extend live until:expiry+7000000000000", &long(7_000_000_000_900)).await;
}

async fn metadata(fixture: Fixture) {
    let given = &mut Given::on(&fixture).await;
    for json in ["null", "1", "true", r#""text""#, "[]", r#"[{"a":1}]"#] {
        given.check(&format!("hold new room=1 meta:{json}"), "invalid: metadata must be a JSON object").await;
    }
    let long = format!(r#"{{"a":"{}"}}"#, "x".repeat(16 * 1024));
    let refused = "invalid: metadata has 16392 bytes; at most 16384 are allowed";
    given.check(&format!("hold new room=1 meta:{long}"), refused).await;
}

async fn units(fixture: Fixture) {
    let given = &mut Given::on(&fixture).await;
    let bad = |what: &str, units: i64, units_min: i64| {
        format!("invalid: {what} is {units} units; it must be between {units_min} and 1000000000000")
    };
    for units in [-1, i64::MIN, 1_000_000_000_001, i64::MAX] {
        given.check(&format!("put room={units}"), &bad("total", units, 0)).await;
        given.check(&format!("put new={units} closed"), &bad("total", units, 0)).await;
        given.check(&format!("put room=10 overbook:{units}"), &bad("overbook", units, 0)).await;
    }
    for units in [i64::MIN, -1_000_000_000_001, 1_000_000_000_001, i64::MAX] {
        given.check(&format!("adjust room={units}"), &bad("total_delta", units, -1_000_000_000_000)).await;
        given.check(&format!("grant room={units}"), &bad("units_delta", units, -1_000_000_000_000)).await;
    }
    given.check("adjust full=1", "refused: the total of full would be 1000000000001").await;
    given.check("adjust full=1000000000000", "refused: the total of full would be 2000000000000").await;
    given.check("adjust room=-1000000000000", "refused: the total of room would be -999999999991").await;
    given.check("grant room=-1000000000000", "refused: only 0 units of room are granted").await;
    given.check("grant shut=1000000000000", "refused: closed: shut").await;
    given.check("put room=10 version:9223372036854775807", "refused: pool room is at version 9").await;
    given.check("put room=10 version:-1", "refused: pool room is at version 9").await;
}

async fn policies(fixture: Fixture) {
    let given = &mut Given::on(&fixture).await;
    given.check("policy default:61 max:60", "invalid: the default lifetime must not be above the longest one").await;
    for (what, name, units_max) in
        [("holds", "owner_holds_max", 1_000_000_i64), ("owner_secs", "owner_lifetime_secs_max", 31_622_400_000_000)]
    {
        for units in [0, -1, i64::MIN, units_max + 1, i64::MAX] {
            let bad = format!("invalid: {name} is {units} units; it must be between 1 and {units_max}");
            given.check(&format!("policy {what}:{units}"), &bad).await;
            given.check(&format!("tenant t1 {what}:{units}"), &bad).await;
        }
    }
    given.check("tenant mar", "refused: the tenant exists with other content").await;

    let policy = HoldPolicy { owner_holds_max: 0, ..HoldPolicy::default() };
    let engine = &given.world.engine;
    assert!(engine.create_tenant(Slug::new("new").unwrap(), policy, TenantId(5)).await.is_err());
    assert_eq!(given.world.dump().await, given.before, "not even the slug is taken");
}

async fn malformed_keys(fixture: Fixture) {
    let given = &mut Given::on(&fixture).await;
    for statement in ["adjust room=1", "hold new room=1", "cancel live", "sweep"] {
        let check =
            |key: &str, what: &str| (format!("{statement} key:{key}"), format!("invalid: idempotency key {what}"));
        for (statement, expected) in [
            check("", "must not be empty"),
            check(&"x".repeat(10_000), "has 10000 bytes; at most 200 are allowed"),
            check("a\0b", "contains a control character or starts or ends with a space"),
        ] {
            given.check(&statement, &expected).await;
        }
    }
}

/// A key changes nothing about a refusal, and is not used up by it.
async fn keys(fixture: Fixture) {
    let given = &mut Given::on(&fixture).await;
    for statement in ["hold new ghost=1", "adjust room=-100", "book lapsed", "cancel sold", "grant shut=1"] {
        let refused = given.world.play(statement).await;
        given.check(&format!("{statement} key:fresh"), &refused).await;
    }
    given
        .check("hold new room=0 key:used", "invalid: the quantity of room is 0; it must be between 1 and 1000000")
        .await;
    assert_eq!(given.world.play("adjust bar=1 key:used").await, "the key was used for another request");
    assert_eq!(given.world.dump().await, given.before);
}
