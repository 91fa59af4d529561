//! Commands that are wrong: they fail alone, leave nothing behind, and the lane goes on.

use surehold_core::kernel::Refusal;
use surehold_core::kernel::commands::PlaceHold;
use surehold_engine::Failure;
use surehold_testkit::fixture::Fixture;

use super::odd_commands::Outcome;
use super::{Dump, Odd, OddWay, Pending, World, events, new_id, parse_lines, pool, together};

fn good<'w>(world: &'w World<'_>) -> Pending<'w> {
    let place = PlaceHold::new(new_id(), parse_lines("room=1"));
    Box::pin(async move { world.engine.run(world.tenant, place).await.map(drop) })
}

fn odd<'w>(world: &'w World<'_>, way: OddWay) -> Pending<'w> {
    let odd = Odd::new(way, pool("room").unwrap());
    Box::pin(async move { world.engine.run(world.tenant, odd).await.map(drop) })
}

/// Three good commands around two odd ones, in one batch; the good ones succeed. What is stored then.
async fn check(world: &mut World<'_>, way: OddWay, expected: fn() -> Outcome) -> Dump {
    world.play("put room=9").await;
    let requests = vec![good(world), odd(world, way), good(world), odd(world, way), good(world)];
    let outcomes = together(&world.engine, world.tenant, requests).await;
    assert_eq!(outcomes, [Ok(()), expected(), Ok(()), expected(), Ok(())], "{way:?}");
    assert_eq!(good(world).await, Ok(()), "the lane goes on");
    let dump = world.audit().await;
    assert_eq!((dump.pools.len(), dump.holds.len(), dump.owners.len()), (1, 4, 0));
    assert_eq!((dump.pools[0].total, dump.pools[0].held), (9, 4));
    assert_eq!(events(&dump).count(), 6, "a tenant, a pool and four holds: {:#?}", dump.journal);
    dump
}

fn defect() -> Outcome {
    Err(Failure::Defect)
}

/// Tenant and pool, the batch, the one after it.
const ROWS_IF_ONE_BATCH: usize = 4;

pub(crate) async fn a_panic_while_deciding(fixture: Fixture) {
    let dump = check(&mut World::open(&fixture).await, OddWay::PanicsInDecide, defect).await;
    assert_eq!(dump.journal.len(), ROWS_IF_ONE_BATCH);
}

pub(crate) async fn a_panic_while_naming(fixture: Fixture) {
    let dump = check(&mut World::open(&fixture).await, OddWay::PanicsInReads, defect).await;
    assert_eq!(dump.journal.len(), ROWS_IF_ONE_BATCH);
}

pub(crate) async fn changes_before_a_refusal_or_a_panic_leave_no_trace(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    let refused = || Err(Failure::Refused(Refusal::NothingBooked));
    let dump = check(&mut world, OddWay::ChangesThenRefuses, refused).await;
    assert_eq!(dump.journal.len(), ROWS_IF_ONE_BATCH);
    let dump = check(&mut world.neighbour(2).await, OddWay::ChangesThenPanics, defect).await;
    assert_eq!(dump.journal.len(), ROWS_IF_ONE_BATCH);
}

/// The batch is halved until the guilty are alone.
pub(crate) async fn what_the_database_rejects(fixture: Fixture) {
    let dump = check(&mut World::open(&fixture).await, OddWay::WritesTheImpossible, defect).await;
    assert!(dump.journal.len() > ROWS_IF_ONE_BATCH);
}

pub(crate) async fn questions_without_end(fixture: Fixture) {
    let dump = check(&mut World::open(&fixture).await, OddWay::AsksForever, defect).await;
    assert_eq!(dump.journal.len(), ROWS_IF_ONE_BATCH);
}
