//! Lists and ranges: the same on every store, in the order of bytes, in pages that join.

use std::time::Duration;

use surehold_core::kernel::commands::{CreateKey, PlaceHold, PutPool};
use surehold_core::kernel::{
    Event, Hold, HoldId, KeyId, KeyName, KeyScope, KeyScopes, PoolKey, Reference, ResourceName, Slot,
};
use surehold_engine::JournalTail;
use surehold_testkit::fixture::Fixture;
use uuid::Uuid;

use super::{World, new_id, parse_lines, pool};

/// In the order of bytes, which is no language's.
const NAMES: [&str; 9] = ["\"", "%", "A", "B a", "_", "a", "a%", "ab", "é"];
const NIGHTS: [&str; 3] = ["", "2026-12-24", "2026-12-25"];

async fn fill(world: &World<'_>) -> Vec<PoolKey> {
    let mut keys = Vec::new();
    for name in NAMES {
        for slot in NIGHTS {
            let key = PoolKey { resource: ResourceName::new(name).unwrap(), slot: Slot::parse(slot).unwrap() };
            world.engine.run(world.tenant, PutPool::new(key.clone(), 5).unwrap()).await.unwrap();
            keys.push(key);
        }
    }
    keys
}

pub(crate) async fn pages_of_pools(fixture: Fixture) {
    let world = World::open(&fixture).await;
    let neighbour = world.neighbour(2).await;
    fill(&neighbour).await;
    assert_eq!(world.engine.views().pools(world.tenant, None, None, 9).await.unwrap(), []);
    let all = fill(&world).await;
    for rows in [1, 2, 4, 27, 28] {
        let mut seen: Vec<PoolKey> = Vec::new();
        loop {
            let page = world.engine.views().pools(world.tenant, None, seen.last(), rows).await.unwrap();
            assert!(page.len() <= usize::from(rows));
            if page.is_empty() {
                break;
            }
            seen.extend(page.into_iter().map(|pool| pool.key));
        }
        assert_eq!(seen, all, "by {rows}");
    }
    let percent = ResourceName::new("%").unwrap();
    let of_one = world.engine.views().pools(world.tenant, Some(&percent), None, 99).await.unwrap();
    assert_eq!(of_one.iter().map(|pool| &pool.key).collect::<Vec<_>>(), all[3..6].iter().collect::<Vec<_>>());
    let rest = world.engine.views().pools(world.tenant, Some(&percent), Some(&all[3]), 99).await.unwrap();
    assert_eq!(rest.len(), 2);
    let behind = world.engine.views().pools(world.tenant, Some(&percent), all.last(), 99).await.unwrap();
    assert_eq!(behind, []);
}

pub(crate) async fn ranges_of_nights(fixture: Fixture) {
    let world = World::open(&fixture).await;
    fill(&world).await;
    let check = async |resource: Option<&str>, from: &str, until: &str, rows: u16, expected: usize| {
        let resource = resource.map(|name| ResourceName::new(name).unwrap());
        let (from, until) = (Slot::parse(from).unwrap(), Slot::parse(until).unwrap());
        let found =
            world.engine.views().pools_between(world.tenant, resource.as_ref(), from, until, rows).await.unwrap();
        assert_eq!(found.len(), expected, "{resource:?} {from} {until}");
        assert!(found.iter().all(|pool| from <= pool.key.slot && pool.key.slot < until));
        assert!(found.is_sorted_by_key(|pool| (pool.key.slot, pool.key.resource.clone())));
    };
    check(None, "2026-12-24", "2026-12-26", 99, 18).await;
    check(None, "2026-12-24", "2026-12-25", 99, 9).await;
    check(None, "2026-12-25", "2026-12-25", 99, 0).await;
    check(None, "2026-12-01", "2027-01-01", 7, 7).await;
    check(Some("é"), "2026-12-01", "2027-01-01", 99, 2).await;
    check(Some("e"), "2026-12-01", "2027-01-01", 99, 0).await;
    check(None, "2026-12-26", "2099-01-01", 99, 0).await;
}

async fn place(world: &World<'_>, lines: &str, reference: &str, secs: i64) -> HoldId {
    let id = new_id();
    let place = PlaceHold::new(id, parse_lines(lines)).reference(Reference::new(reference).unwrap());
    world.engine.run(world.tenant, place.lifetime_secs(secs).unwrap()).await.unwrap();
    id
}

fn ids(holds: &[Hold]) -> Vec<HoldId> {
    holds.iter().map(|hold| hold.id).collect()
}

pub(crate) async fn holds_by_reference(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    world.play("put room=99").await;
    let mut expected = Vec::new();
    for _ in 0..5 {
        expected.push(place(&world, "room=1", "cart", 60).await);
        place(&world, "room=1", "CART", 60).await;
    }
    let cart = Reference::new("cart").unwrap();
    let views = world.engine.views();
    assert_eq!(ids(&views.holds_by_reference(world.tenant, &cart, None, 99).await.unwrap()), expected);
    let first = views.holds_by_reference(world.tenant, &cart, None, 2).await.unwrap();
    assert_eq!(ids(&first), expected[..2]);
    let rest = views.holds_by_reference(world.tenant, &cart, Some(expected[1]), 99).await.unwrap();
    assert_eq!(ids(&rest), expected[2..]);
    let other = world.neighbour(2).await;
    assert_eq!(views.holds_by_reference(other.tenant, &cart, None, 99).await.unwrap(), []);
    let none = Reference::new("car_").unwrap();
    assert_eq!(views.holds_by_reference(world.tenant, &none, None, 99).await.unwrap(), []);
}

pub(crate) async fn active_holds_by_expiry(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    world.play("put room=99; put bar=9").await;
    let late = place(&world, "room=1", "x", 300).await;
    let soon = place(&world, "room=2 bar=1", "x", 100).await;
    let middle = place(&world, "room=3", "x", 200).await;
    let gone = place(&world, "room=1", "x", 150).await;
    world.engine.run(world.tenant, surehold_core::kernel::commands::CancelHold { id: gone }).await.unwrap();
    let views = world.engine.views();
    let start = (surehold_core::kernel::Timestamp::from_micros(0), Uuid::nil());
    let all = views.active_holds(world.tenant, start, 99).await.unwrap();
    assert_eq!(ids(&all), [soon, middle, late]);
    for rows in [1, 2] {
        let mut seen: Vec<Hold> = Vec::new();
        loop {
            let after = seen.last().map_or(start, |hold| (hold.expires_at, hold.id.uuid()));
            let page = views.active_holds(world.tenant, after, rows).await.unwrap();
            if page.is_empty() {
                break;
            }
            seen.extend(page);
        }
        assert_eq!(seen, all, "by {rows}");
    }
    let on = async |name: &str, rows: u16| {
        let key = pool(name).unwrap();
        ids(&views.active_holds_on(world.tenant, &key, rows).await.unwrap())
    };
    assert_eq!(on("room", 99).await, [soon, middle, late]);
    assert_eq!(on("room", 2).await, [soon, middle]);
    assert_eq!(on("bar", 99).await, [soon]);
    for absent in ["roo", "oom", "ROOM", "roo_", "%", "room@2026-12-24", "none"] {
        assert_eq!(on(absent, 99).await, [], "{absent}");
    }
}

pub(crate) async fn keys_and_tenants(fixture: Fixture) {
    let world = World::open(&fixture).await;
    for (id, name) in [(1, "first"), (2, "second"), (3, "third")] {
        let scopes = KeyScopes::new(&[KeyScope::Read]).unwrap();
        let key = CreateKey::new(KeyId::new(id), KeyName::new(name).unwrap(), scopes, [0; 32]);
        world.engine.run(world.tenant, key).await.unwrap();
        fixture.advance_secs(1);
    }
    let names = async |rows: u16| {
        let keys = world.engine.views().keys(world.tenant, rows).await.unwrap();
        keys.iter().map(|key| key.name.to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(99).await, "third second first");
    assert_eq!(names(2).await, "third second");
    for tenant in 2..5 {
        world.neighbour(tenant).await;
    }
    world.engine.create_test_twin(world.tenant).await.unwrap();
    let slugs = async |after: &str, rows: u16| {
        let tenants = world.engine.views().tenants(after, rows).await.unwrap();
        tenants.iter().map(|row| format!("{}={}", row.slug, row.tenant)).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(slugs("", 99).await, "t1=1 t2=2 t3=3 t4=4", "without the test twin");
    assert_eq!(slugs("", 2).await, "t1=1 t2=2");
    assert_eq!(slugs("t2", 99).await, "t3=3 t4=4");
    assert_eq!(slugs("t4", 99).await, "");
    world.engine.views().ping().await.unwrap();
}

/// Old rows go, the newest stays, and the numbering goes on where it was.
pub(crate) async fn trimming_the_journal(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    let other = world.neighbour(2).await;
    world.play("put room=9").await;
    for total in 1..8 {
        world.play(&format!("put room={total}")).await;
    }
    let views = world.engine.views().clone();
    let before = super::journal(&world.engine, world.tenant, 99).await;
    let newest = before.last().unwrap().seq;
    assert_eq!(views.journal_tail(world.tenant).await.unwrap(), JournalTail { oldest_seq: 1, newest_seq: newest });
    let nothing = world.engine.trim_journals(Duration::from_hours(1)).await.unwrap();
    assert_eq!((nothing, super::journal(&world.engine, world.tenant, 99).await), (0, before));

    fixture.advance_secs(7_200);
    world.play("put bar=1").await;
    let let_go = world.engine.trim_journals(Duration::from_hours(1)).await.unwrap();
    assert!(let_go >= newest, "{let_go}");
    let rows = super::journal(&world.engine, world.tenant, 99).await;
    assert_eq!(rows.first().map(|row| row.seq), Some(newest + 1), "what is young enough stays");
    assert!(rows.windows(2).all(|pair| pair[1].seq == pair[0].seq + 1), "{rows:?}");
    let last = rows.last().unwrap();
    assert_eq!(last.events, [Event::JournalTrimmed { before_seq: newest + 1 }]);
    let tail = JournalTail { oldest_seq: newest + 1, newest_seq: last.seq };
    assert_eq!(views.journal_tail(world.tenant).await.unwrap(), tail);
    assert!(views.journal_tail(other.tenant).await.unwrap().oldest_seq >= 1, "nobody loses the head");

    world.restart().await;
    world.play("put room=1").await;
    let rows = super::journal(&world.engine, world.tenant, 99).await;
    assert_eq!(rows.last().unwrap().seq, last.seq + 1, "without a gap, also after a restart");
    // Nothing is said about nothing.
    assert_eq!(world.engine.trim_journals(Duration::from_hours(1)).await.unwrap(), 0);
    // Everything may go but the head.
    fixture.advance_secs(1);
    world.engine.trim_journals(Duration::ZERO).await.unwrap();
    let tail = world.engine.views().journal_tail(world.tenant).await.unwrap();
    assert!(tail.oldest_seq <= tail.newest_seq && tail.newest_seq > last.seq + 1, "{tail:?}");
    world.play("put room=2").await;
    let rows = super::journal(&world.engine, world.tenant, 99).await;
    assert_eq!(rows.last().unwrap().seq, tail.newest_seq + 1);
}
