//! Many commands in one transaction: each has its own answer, and all see what came before them.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use surehold_core::kernel::commands::{AdjustPool, AnyHoldCommand, CancelHold, ConvertHold, PlaceHold};
use surehold_core::kernel::{ConvertMode, HoldId, HoldState, Refusal};
use surehold_engine::{EngineConfig, Failure};
use surehold_testkit::fixture::Fixture;

use super::{Pending, World, events, new_id, parse_lines, pool, together};

/// Large batches take their time in an unoptimised build.
fn patient() -> EngineConfig {
    EngineConfig { sweep_pause: None, deadline: std::time::Duration::from_mins(1), ..EngineConfig::default() }
}

fn place(id: HoldId, lines: &str) -> PlaceHold {
    PlaceHold::new(id, parse_lines(lines))
}

pub(crate) async fn nothing_asked_nothing_done(fixture: Fixture) {
    let world = World::open(&fixture).await;
    let before = world.dump().await;
    assert_eq!(world.engine.run_all(world.tenant, Vec::<PlaceHold>::new()).await.len(), 0);
    assert_eq!(world.dump().await, before);
}

pub(crate) async fn an_id_twice_in_one_request(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    world.play("put room=1").await;
    let id = new_id();
    let commands = vec![place(id, "room=1"), place(id, "room=1"), place(id, "room=2"), place(new_id(), "room=1")];
    let outcomes = world.engine.run_all(world.tenant, commands).await;
    let told: Vec<_> = outcomes.iter().map(|outcome| outcome.as_ref().map(|done| done.replayed)).collect();
    assert_eq!(told[..3], [Ok(false), Ok(true), Err(&Failure::Refused(Refusal::HoldIdReused { hold: id }))]);
    assert!(matches!(told[3], Err(Failure::Refused(Refusal::SoldOut { .. }))));
    let dump = world.audit().await;
    assert_eq!((dump.holds.len(), dump.pools[0].held), (1, 1));
}

pub(crate) async fn an_id_in_many_requests_at_once(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    world.play("put room=1").await;
    let id = new_id();
    let asked = (0..64).map(|_| {
        let (engine, tenant) = (world.engine.clone(), world.tenant);
        tokio::spawn(async move { engine.run(tenant, place(id, "room=1")).await.unwrap().replayed })
    });
    let replayed: Vec<bool> = join_all(asked).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(replayed.iter().filter(|replayed| !**replayed).count(), 1);
    let dump = world.audit().await;
    assert_eq!((dump.holds.len(), dump.pools[0].held), (1, 1));
}

pub(crate) async fn the_last_units_in_many_requests_at_once(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    world.play("put room=10; put bar=7").await;
    let asked = (0..60).map(|n| {
        let (engine, tenant) = (world.engine.clone(), world.tenant);
        let lines = if n % 2 == 0 { "bar=1 room=1" } else { "room=1" };
        tokio::spawn(async move { engine.run(tenant, place(new_id(), lines)).await.is_ok() })
    });
    let sold = join_all(asked).await.into_iter().filter(|sold| *sold.as_ref().unwrap()).count();
    let dump = world.audit().await;
    assert_eq!((sold, dump.holds.len()), (10, 10));
    assert_eq!(world.pool("room").await.available(), 0);
}

pub(crate) async fn each_command_is_answered_by_itself(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    world.play("put room=2; put shut=1 closed").await;
    let lines = ["room=1", "cave=1", "shut=1", "room=3", "room=1"];
    let commands: Vec<PlaceHold> = lines.iter().map(|lines| place(new_id(), lines)).collect();
    let ids: Vec<HoldId> = commands.iter().map(PlaceHold::id).collect();
    let outcomes = world.engine.run_all(world.tenant, commands).await;
    let placed = |outcome: &Result<_, _>| outcome.is_ok();
    assert_eq!(outcomes.iter().map(placed).collect::<Vec<_>>(), [true, false, false, false, true]);
    assert_eq!(outcomes[0].as_ref().unwrap().reply.hold.id, ids[0]);
    assert_eq!(outcomes[4].as_ref().unwrap().reply.hold.id, ids[4]);
    let refusal = |index: usize| match &outcomes[index] {
        Err(Failure::Refused(refusal)) => refusal.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!(refusal(1), "no such pool: cave");
    assert_eq!(refusal(2), "closed: shut");
    assert!(refusal(3).starts_with("sold out: room"));
    world.audit().await;
}

pub(crate) async fn eight_thousand_in_one_batch(fixture: Fixture) {
    let mut world = World::open_with(&fixture, patient()).await;
    world.play("put room=7000").await;
    let rows_before = world.dump().await.journal.len();
    let commands: Vec<PlaceHold> = (0..8_000).map(|_| place(new_id(), "room=1")).collect();
    let outcomes = world.engine.run_all(world.tenant, commands.clone()).await;
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 7_000);
    let dump = world.audit().await;
    assert_eq!((dump.holds.len(), dump.pools[0].held), (7_000, 7_000));
    assert_eq!(dump.journal.len(), rows_before + 1);

    // All of it again: who has a hold finds it, who has none is refused again.
    let again = world.engine.run_all(world.tenant, commands).await;
    for (first, second) in outcomes.iter().zip(&again) {
        match (first, second) {
            (Ok(first), Ok(second)) => assert!(second.replayed && second.reply.hold == first.reply.hold),
            (first, second) => assert_eq!(first, second),
        }
    }
    assert_eq!(world.dump().await, dump);
}

pub(crate) async fn ten_thousand_and_one_in_two(fixture: Fixture) {
    let mut world = World::open_with(&fixture, patient()).await;
    world.play("put room=20000").await;
    let rows_before = world.dump().await.journal.len();
    let commands: Vec<PlaceHold> = (0..10_001).map(|_| place(new_id(), "room=1")).collect();
    let asked: BTreeSet<HoldId> = commands.iter().map(PlaceHold::id).collect();
    let outcomes = world.engine.run_all(world.tenant, commands.clone()).await;
    for (command, outcome) in commands.iter().zip(&outcomes) {
        assert_eq!(outcome.as_ref().unwrap().reply.hold.id, command.id());
    }
    let dump = world.audit().await;
    assert_eq!(dump.holds.iter().map(|hold| hold.id).collect::<BTreeSet<_>>(), asked);
    assert_eq!(dump.journal.len(), rows_before + 2);
}

pub(crate) async fn neighbours_in_a_batch_see_each_other(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    world.play("put room=1").await;
    let rows_before = world.dump().await.journal.len();
    let (engine, tenant) = (&world.engine, world.tenant);
    let adjust = AdjustPool::new(pool("room").unwrap(), 1).unwrap();
    let requests: Vec<Pending<'_>> = vec![
        Box::pin(async { engine.run(tenant, place(new_id(), "room=1")).await.map(drop) }),
        Box::pin(async { engine.run(tenant, adjust).await.map(drop) }),
        Box::pin(async { engine.run(tenant, place(new_id(), "room=1")).await.map(drop) }),
    ];
    assert_eq!(together(engine, tenant, requests).await, [Ok(()), Ok(()), Ok(())]);
    let dump = world.audit().await;
    assert_eq!(dump.journal.len(), rows_before + 1, "they were one batch");
    assert_eq!(events(&dump).count(), dump.journal.iter().map(|row| row.events.len()).sum::<usize>());
    assert_eq!((dump.pools[0].total, dump.pools[0].held), (2, 2));
}

/// A command that waits for facts or for expired holds does not let those behind it in its request pass.
pub(crate) async fn a_request_keeps_its_order(fixture: Fixture) {
    let first = World::open_with(&fixture, patient()).await;
    for (tenant, lapsed) in [(11, 1), (12, 2_500)] {
        let mut world = first.neighbour(tenant).await;
        world.play(&format!("put room={lapsed}; put bar=1")).await;
        let holds = (0..lapsed).map(|_| place(new_id(), "room=1").lifetime_secs(60).unwrap()).collect();
        world.engine.run_all(world.tenant, holds).await.into_iter().for_each(|placed| drop(placed.unwrap()));
        world.play("hold a bar=1; advance 60").await;
        // Each but the first would be refused if it came before its neighbour.
        let (a, b) = (world.id("a"), new_id());
        let commands = vec![
            AnyHoldCommand::Place(place(b, &format!("room={lapsed}"))),
            AnyHoldCommand::Convert(ConvertHold { id: b, mode: ConvertMode::Book, part: None }),
            AnyHoldCommand::Cancel(CancelHold { id: a }),
            AnyHoldCommand::Place(place(new_id(), "bar=1")),
        ];
        let outcomes = world.engine.run_all(world.tenant, commands).await;
        let states: Vec<_> = outcomes.into_iter().map(|outcome| outcome.map(|done| done.reply.hold.state)).collect();
        let expected = [HoldState::Active, HoldState::Converted, HoldState::Cancelled, HoldState::Active];
        assert_eq!(states, expected.map(Ok), "{lapsed} lapsed holds");
        world.audit().await;
    }
}
