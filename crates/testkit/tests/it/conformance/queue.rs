//! The way into a lane and out of it: bounded, with deadlines, and nothing lost at the end.

use std::time::Duration;

use surehold_core::kernel::commands::PlaceHold;
use surehold_core::kernel::{HoldId, Refusal};
use surehold_engine::{BATCH_COMMANDS_MAX, EngineConfig, Failure, Fault, Options};
use surehold_testkit::fixture::Fixture;

use super::odd_commands::send;
use super::{Gate, Pending, World, new_id, parse_lines};

const BUSY: Result<(), Failure<Refusal>> = Err(Failure::Fault(Fault::Busy));

fn config(waiting_commands_max: usize) -> EngineConfig {
    EngineConfig { waiting_commands_max, sweep_pause: None, ..EngineConfig::default() }
}

fn place(id: HoldId) -> PlaceHold {
    PlaceHold::new(id, parse_lines("room=1"))
}

fn request<'w>(world: &'w World<'_>, id: HoldId) -> Pending<'w> {
    Box::pin(async move { world.engine.run(world.tenant, place(id)).await.map(drop) })
}

/// Keeps the tenant's lane in the middle of a batch.
async fn keep_busy(world: &World<'_>, gate: &Gate) -> tokio::task::JoinHandle<()> {
    let (engine, tenant, command) = (world.engine.clone(), world.tenant, gate.clone());
    let blocked = tokio::spawn(async move { engine.run(tenant, command).await.map(drop).unwrap() });
    gate.entered().await;
    blocked
}

pub(crate) async fn full_is_busy(fixture: Fixture) {
    let mut world = World::open_with(&fixture, config(2)).await;
    world.play("put room=9").await;
    let gate = Gate::default();
    let blocked = keep_busy(&world, &gate).await;
    let ids = [new_id(), new_id(), new_id()];
    let (mut first, mut second) = (request(&world, ids[0]), request(&world, ids[1]));
    send(&mut first).await;
    send(&mut second).await;
    for _ in 0..5 {
        assert_eq!(request(&world, ids[2]).await, BUSY);
    }
    gate.open();
    assert_eq!((first.await, second.await), (Ok(()), Ok(())));
    blocked.await.unwrap();
    let dump = world.audit().await;
    assert_eq!(dump.holds.len(), 2);
    assert_eq!(dump.hold(ids[2]), None);
    assert_eq!(request(&world, ids[2]).await, Ok(()));
}

/// What follows may build on what was not done.
pub(crate) async fn a_request_ends_with_its_first_piece_that_is_not_taken(fixture: Fixture) {
    let mut world = World::open_with(&fixture, config(1)).await;
    world.play("put room=9").await;
    let gate = Gate::default();
    let blocked = keep_busy(&world, &gate).await;
    let id = new_id();
    let mut first = request(&world, id);
    send(&mut first).await;
    let many = (0..=BATCH_COMMANDS_MAX).map(|_| place(new_id())).collect();
    let outcomes = world.engine.run_all(world.tenant, many).await;
    assert_eq!(outcomes.len(), BATCH_COMMANDS_MAX + 1);
    assert_eq!(outcomes.first().unwrap().as_ref().err(), Some(&Failure::Fault(Fault::Busy)));
    assert_eq!(outcomes.last().unwrap().as_ref().err(), Some(&Failure::Fault(Fault::NotExecuted)));
    gate.open();
    assert_eq!(first.await, Ok(()));
    blocked.await.unwrap();
}

pub(crate) async fn a_large_request_may_overshoot(fixture: Fixture) {
    let mut world = World::open_with(&fixture, config(2)).await;
    world.play("put room=9").await;
    let outcomes = world.engine.run_all(world.tenant, (0..9).map(|_| place(new_id())).collect()).await;
    assert!(outcomes.iter().all(Result::is_ok));
    assert_eq!(world.audit().await.holds.len(), 9);
}

pub(crate) async fn a_deadline_in_the_queue(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    world.play("put room=9").await;
    let before = world.dump().await;
    let gate = Gate::default();
    let blocked = keep_busy(&world, &gate).await;
    let options = Options { deadline: Some(Duration::from_millis(20)), ..Options::default() };
    let outcome = world.engine.run_with(world.tenant, place(new_id()), options).await;
    assert_eq!(outcome, Err(Failure::Fault(Fault::NotExecuted)));
    gate.open();
    blocked.await.unwrap();

    // The lane has passed it by.
    assert_eq!(world.play("put room=9").await, "again: room=9 v1");
    assert_eq!(world.dump().await, before);
}

/// The caller cannot know, so it asks again with the same id.
pub(crate) async fn a_deadline_after_the_start(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    world.play("put room=9").await;
    let id = new_id();
    let gate = Gate::before(place(id));
    let options = Options { deadline: Some(Duration::from_secs(4)), ..Options::default() };
    let outcome = world.engine.run_with(world.tenant, gate.clone(), options).await;
    assert_eq!(outcome, Err(Failure::Fault(Fault::OutcomeUnknown)));
    assert_eq!(world.hold(id).await, None);
    gate.open();
    let done = world.engine.run(world.tenant, place(id)).await.unwrap();
    assert!(done.replayed);
    assert_eq!(world.hold(id).await, Some(done.reply.hold));
    world.audit().await;
}

pub(crate) async fn an_abandoned_request_is_carried_out(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    world.play("put room=9").await;
    let gate = Gate::default();
    let blocked = keep_busy(&world, &gate).await;
    let id = new_id();
    let mut abandoned = request(&world, id);
    send(&mut abandoned).await;
    drop(abandoned);
    gate.open();
    blocked.await.unwrap();
    assert!(world.engine.run(world.tenant, place(id)).await.unwrap().replayed);
}

pub(crate) async fn stopping_serves_what_was_accepted(fixture: Fixture) {
    let mut world = World::open_with(&fixture, config(3)).await;
    world.play("put room=9").await;
    let gate = Gate::default();
    let blocked = keep_busy(&world, &gate).await;
    let ids = [new_id(), new_id()];
    let mut accepted = ids.map(|id| request(&world, id));
    for request in &mut accepted {
        send(request).await;
    }
    let engine = world.engine.clone();
    let mut stopping: Pending<'_> = Box::pin(async move {
        engine.stop().await;
        Ok(())
    });
    send(&mut stopping).await;
    gate.open();
    for request in accepted {
        assert_eq!(request.await, Ok(()));
    }
    stopping.await.unwrap();
    blocked.await.unwrap();
    for _ in 0..9 {
        assert_eq!(request(&world, new_id()).await, Err(Failure::Fault(Fault::Stopping)));
    }
    // Stopping twice is stopping.
    world.engine.clone().stop().await;
    world.restart().await;
    assert_eq!(world.audit().await.holds.iter().map(|hold| hold.id).collect::<Vec<_>>(), ids);
}

pub(crate) async fn reopening_finds_everything(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    world.play("put room=9; put bar=3; hold a room=1 owner:ann; hold b bar=1; book b; adjust room=1 key:k").await;
    let before = world.audit().await;
    for _ in 0..5 {
        world.restart().await;
        assert_eq!(world.dump().await, before);
    }
    assert_eq!(world.play("hold c room=1").await, "c active room=1 for 900 s v1, pools at 4");
    assert_eq!(world.audit().await.journal.len(), before.journal.len() + 1);
}
