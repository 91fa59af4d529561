//! Idempotency keys: a repeated request gets the first one's answer.

use futures_util::future::join_all;
use surehold_core::kernel::commands::{AdjustPool, PlaceHold};
use surehold_engine::{Options, RequestKey};
use surehold_testkit::fixture::Fixture;

use super::full_audit::plant;
use super::{Pending, Rows, World, new_id, parse_lines, pool, together};

fn keyed(key: &str, request: &str) -> Options {
    Options { key: Some(RequestKey::new(key, request.as_bytes()).unwrap()), ..Options::default() }
}

pub(crate) async fn the_same_request_gets_the_same_bytes(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    world.play("put room=5").await;
    let place = PlaceHold::new(new_id(), parse_lines("room=2"));
    let first = world.engine.run_with(world.tenant, place.clone(), keyed("k", "2 rooms")).await.unwrap();
    assert!(!first.replayed);
    let before = world.audit().await;
    assert_eq!(before.replies.len(), 1);
    assert_eq!(before.replies[0].reply, serde_json::to_string(&first.reply).unwrap());

    fixture.advance_secs(2_000);
    let second = world.engine.run_with(world.tenant, place, keyed("k", "2 rooms")).await.unwrap();
    assert!(second.replayed);
    assert_eq!(serde_json::to_vec(&second.reply).unwrap(), serde_json::to_vec(&first.reply).unwrap());
    assert_eq!(world.dump().await, before);
}

/// The first answer, whatever has happened since.
pub(crate) async fn whatever_would_refuse_it_now(fixture: Fixture) {
    let mut rows = Rows::on(&fixture).await;
    let placed = "again: a active room=1 for 900 s v1, pools at 2";
    rows.check("put room=1; hold a room=1 key:k; hold a room=1 key:k", placed).await;
    rows.check("put room=1; hold a room=1 key:k; cancel a; hold a room=1 key:k", placed).await;
    rows.check("put room=1; hold a room=1 key:k; advance 900; hold a room=1 key:k", placed).await;
    rows.check("put room=1; hold a room=1 key:k; put room=1 closed; hold a room=1 key:k", placed).await;
    rows.check("put room=3; adjust room=-2 key:k; adjust room=-2 key:k", "again: room=1 v2").await;
    rows.check("put room=3; grant room=2 key:k; grant room=2 key:k; show room", "room=3 granted 2 v2").await;
    rows.check("put room=3; put room=4 version:1 key:k; put room=4 version:1 key:k", "again: room=4 v2").await;
    let booked = "put room=3; hold a room=2; book a";
    rows.check(&format!("{booked}; return a key:k; return a key:k"), "again: a converted book nothing v3, pools at 4")
        .await;
    rows.check(&format!("{booked}; return a room=1 key:k; return a room=1 key:k; show room"), "room=3 booked 1 v4")
        .await;
    rows.check(
        &format!("{booked}; put bar=2; move a room=2 to bar=2 key:k; move a room=2 to bar=2 key:k"),
        "again: a converted book bar=2 v3, pools at 2,4",
    )
    .await;
    rows.check(
        "policy max:1000; put room=1; hold a room=1; extend a by:100 key:k; extend a by:100 key:k",
        "again: a active room=1 for 1000 s v2",
    )
    .await;
    rows.check("put room=1; hold a room=1 secs:60; advance 60; sweep key:k; sweep key:k", "again: 1 expired").await;
}

pub(crate) async fn another_request_is_refused(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    world.play("put room=3; adjust room=1 key:k; hold a room=4 key:k").await;
    let before = world.dump().await;
    let reused = "the key was used for another request";
    assert_eq!(world.play("adjust room=2 key:k").await, reused);
    assert_eq!(world.play("hold b room=1 key:k").await, reused);
    assert_eq!(world.play("hold a room=4 owner:ann key:k").await, reused);
    assert_eq!(world.play("adjust room=-9 key:k").await, reused);
    assert_eq!(world.dump().await, before);
}

pub(crate) async fn a_refusal_is_not_kept(fixture: Fixture) {
    let mut rows = Rows::on(&fixture).await;
    rows.check("try hold a room=1 key:k; put room=1; hold a room=1 key:k", "a active room=1 for 900 s v1, pools at 2")
        .await;
    rows.check("put room=1; try adjust room=-2 key:k; adjust room=5 key:k", "room=6 v2").await;
    rows.check("put room=1; try grant room=2 key:k; put room=2; grant room=2 key:k", "room=2 granted 2 v3").await;
}

/// The request may have had its effect, so it is neither carried out again nor answered with anything else.
pub(crate) async fn an_unreadable_reply_is_a_fault(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    world.play("put room=3; adjust room=1 key:k").await;
    plant(&fixture, r#"update replies set reply = '{"of": "a later version"}'"#).await;
    let before = world.dump().await;
    assert_eq!(
        world.play("adjust room=1 key:k").await,
        "fault: the store holds something unreadable; this request changed nothing"
    );
    assert_eq!(world.dump().await, before);
    assert_eq!(world.play("adjust room=1 key:other").await, "room=5 v3");
}

pub(crate) async fn scoped_by_tenant_and_operation(fixture: Fixture) {
    let mut one = World::open(&fixture).await;
    assert_eq!(one.play("put room=3; adjust room=1 key:k").await, "room=4 v2");
    assert_eq!(one.play("grant room=1 key:k").await, "room=4 granted 1 v3");
    assert_eq!(one.play("put room=9 key:k").await, "room=9 granted 1 v4");
    assert_eq!(one.dump().await.replies.len(), 3);
    let mut two = one.neighbour(2).await;
    assert_eq!(two.play("put room=7; adjust room=1 key:k").await, "room=8 v2");
    assert_eq!(two.play("adjust room=1 key:k").await, "again: room=8 v2");
    assert_eq!(one.play("adjust room=1 key:k").await, "again: room=4 v2");
}

pub(crate) async fn kept_over_a_restart(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    world.play("put room=3; adjust room=1 key:k; hold a room=4 key:k; book a; return a key:r").await;
    let before = world.dump().await;
    world.restart().await;
    assert_eq!(world.play("adjust room=1 key:k").await, "again: room=4 v2");
    assert_eq!(world.play("hold a room=4 key:k").await, "again: a active room=4 for 900 s v1, pools at 3");
    assert_eq!(world.play("return a key:r").await, "again: a converted book nothing v3, pools at 5");
    assert_eq!(world.play("adjust room=2 key:k").await, "the key was used for another request");
    assert_eq!(world.dump().await, before);
}

pub(crate) async fn many_at_once_have_one_effect(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    world.play("put room=5").await;
    let asked = (0..40).map(|_| {
        let (engine, tenant) = (world.engine.clone(), world.tenant);
        tokio::spawn(async move {
            let adjust = AdjustPool::new(pool("room").unwrap(), -5).unwrap();
            engine.run_with(tenant, adjust, keyed("k", "five fewer")).await.unwrap()
        })
    });
    let done: Vec<_> = join_all(asked).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(done.iter().filter(|done| !done.replayed).count(), 1);
    assert!(done.iter().all(|one| one.reply == done[0].reply));
    assert_eq!(world.play("show room").await, "room=0 v2");
    world.audit().await;
}

pub(crate) async fn in_one_batch_have_one_effect(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    world.play("put room=5").await;
    let ask = |key: &'static str, units: i64, request: &'static str| -> Pending<'_> {
        let adjust = AdjustPool::new(pool("room").unwrap(), units).unwrap();
        let (engine, tenant) = (&world.engine, world.tenant);
        Box::pin(async move { engine.run_with(tenant, adjust, keyed(key, request)).await.map(drop) })
    };
    let requests =
        vec![ask("k", 1, "one"), ask("k", 1, "one"), ask("k", 2, "two"), ask("x", 7, "seven"), ask("x", 7, "seven")];
    let outcomes = together(&world.engine, world.tenant, requests).await;
    assert_eq!(outcomes.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, true, false, true, true]);
    assert_eq!(world.play("show room").await, "room=13 v3");
    assert_eq!(world.audit().await.replies.len(), 2);
}
