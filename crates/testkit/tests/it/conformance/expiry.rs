//! Exact expiry: a lapsed hold blocks nothing, swept or not.

use std::time::Duration;

use surehold_core::kernel::commands::{ExpireLapsedHolds, PlaceHold};
use surehold_core::kernel::{Event, HoldState};
use surehold_engine::EngineConfig;
use surehold_testkit::fixture::Fixture;

use super::{Rows, World, events, new_id, parse_lines};

const LAPSED: i64 = 2_500;

pub(crate) async fn a_lapsed_hold_is_dead_for_everybody(fixture: Fixture) {
    let mut rows = Rows::on(&fixture).await;
    let given = "put room=1; put bar=1; hold a room=1 secs:60; advance 60";
    for statement in ["extend a by:60", "extend a by:60 paying", "book a", "consume a", "cancel a"] {
        rows.check(&format!("{given}; {statement}"), "refused: the hold is expired").await;
    }
    rows.check(&format!("{given}; return a"), "refused: the hold has nothing booked").await;
    rows.check(&format!("{given}; hold a room=1 secs:60"), "again: a expired room=1 for 60 s v1").await;
    rows.check(&format!("{given}; expire a"), "a expired room=1 for 60 s v2, pools at 3").await;
    rows.check(
        "put room=1; hold a room=1 secs:60; advance 58; extend a by:60; advance 58; book a",
        "a converted book room=1 v3, pools at 3",
    )
    .await;
}

pub(crate) async fn shortage_expires_what_has_lapsed(fixture: Fixture) {
    let mut rows = Rows::on(&fixture).await;
    let given = "put room=2; hold a room=1 secs:60 owner:ann; hold b room=1 secs:600; advance 60";
    rows.check(&format!("{given}; hold c room=1; show room"), "room=2 held 2 v5").await;
    rows.check(&format!("{given}; hold c room=1; show a"), "a expired room=1 for 60 s by ann v2").await;
    rows.check(&format!("{given}; hold c room=1; show owner ann"), "ann holds nothing").await;
    rows.check(&format!("{given}; hold c room=2"), "refused: sold out: room (1 left, 2 wanted)").await;
    rows.check(&format!("{given}; grant room=1"), "room=2 held 1 granted 1 v5").await;
    // Nothing is short, so nothing is swept on the way.
    rows.check("put room=2; hold a room=1 secs:60; advance 60; hold c room=1; show room", "room=2 held 2 v3").await;
}

pub(crate) async fn owner_limits_count_only_the_living(fixture: Fixture) {
    let mut rows = Rows::on(&fixture).await;
    let given = "policy holds:1 owner_secs:1000 max:1000; put room=9; hold a room=1 owner:ann secs:600; advance 600";
    rows.check(&format!("{given}; hold b room=1 owner:ann; show owner ann"), "ann holds 1 for 900 s").await;
    let given = "policy holds:9 owner_secs:1000 max:1000; put room=9; hold a room=1 owner:ann secs:60";
    rows.check(
        &format!("{given}; hold b room=1 owner:ann secs:900; advance 60; extend b by:90; show owner ann"),
        "ann holds 1 for 990 s",
    )
    .await;
    rows.check(
        &format!("{given}; advance 60; hold b room=1 owner:ann secs:1000; show owner ann"),
        "ann holds 1 for 1000 s",
    )
    .await;
}

/// Places holds of one unit each that live a minute.
async fn fill(world: &mut World<'_>, count: i64) {
    world.play(&format!("put seat={count}")).await;
    let place = |_| PlaceHold::new(new_id(), parse_lines("seat=1")).lifetime_secs(60).unwrap();
    let outcomes = world.engine.run_all(world.tenant, (0..count).map(place).collect()).await;
    assert!(outcomes.iter().all(Result::is_ok));
}

pub(crate) async fn thousands_of_lapsed_holds_are_expired_over_several_batches(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    fill(&mut world, LAPSED).await;
    world.play("advance 60").await;
    let rows_before = world.dump().await.journal.len();
    assert_eq!(world.play("hold a seat=2500").await, "a active seat=2500 for 900 s v1, pools at 2506");
    let dump = world.audit().await;
    assert!(dump.journal.len() > rows_before + 1, "no batch expires that many");
    let expired = dump.holds.iter().filter(|hold| hold.state == HoldState::Expired).count();
    assert_eq!(i64::try_from(expired).unwrap(), LAPSED);
}

pub(crate) async fn a_refusal_keeps_what_it_expired(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    fill(&mut world, LAPSED).await;
    world.play("advance 60").await;
    assert_eq!(world.play("hold a seat=2501").await, "refused: sold out: seat (2500 left, 2501 wanted)");
    let dump = world.audit().await;
    assert_eq!(dump.pools[0].held, 0);
    assert!(dump.holds.iter().all(|hold| hold.state == HoldState::Expired && hold.ended_at.is_some()));
}

pub(crate) async fn the_sweeper_expires_and_says_so(fixture: Fixture) {
    let pause = Some(Duration::from_millis(50));
    let mut one = World::open_with(&fixture, EngineConfig { sweep_pause: pause, ..EngineConfig::default() }).await;
    one.play("put room=9; hold a room=2 secs:60 owner:ann; hold b room=3 secs:6000").await;
    fill(&mut one, 900).await;
    let mut two = one.neighbour(2).await;
    two.play("put room=5; hold c room=5 secs:60").await;
    fixture.advance_secs(60);
    wait_until_swept(&one).await;
    wait_until_swept(&two).await;

    let dump = one.audit().await;
    let expired = events(&dump).filter(|event| matches!(event, Event::HoldExpired { .. }));
    assert_eq!(expired.count(), 901);
    assert_eq!(dump.owners, []);
    assert_eq!(one.play("show b").await, "b active room=3 for 6000 s v1");
    assert_eq!(two.audit().await.pools[0].held, 0);
}

async fn wait_until_swept(world: &World<'_>) {
    let lapses = |dump: &super::Dump| {
        dump.holds.iter().any(|hold| hold.state == HoldState::Active && hold.lifetime_secs == Some(60))
    };
    let swept = async {
        while lapses(&world.dump().await) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), swept).await.expect("the sweeper sweeps");
}

pub(crate) async fn sweeping_is_bounded(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    fill(&mut world, LAPSED).await;
    assert_eq!(world.play("sweep").await, "0 expired");
    world.play("advance 60").await;
    let mut expired = 0;
    loop {
        let done = world.engine.run(world.tenant, ExpireLapsedHolds).await.unwrap();
        assert!(done.reply.count <= 1_000);
        expired += i64::try_from(done.reply.count).unwrap();
        if !done.reply.more_left {
            break;
        }
        assert!(done.reply.count > 0);
    }
    assert_eq!(expired, LAPSED);
    world.audit().await;
}
