//! Commands that bring along what their maker has read. It may have changed since: then nothing of the belief may count.

use std::sync::Arc;

use surehold_core::kernel::{Event, Facts, Stop};
use surehold_core::operations::commands::{EnqueueOperation, HastenOperation, NotNow, RunStateOperation, StateRun};
use surehold_core::operations::{
    Actor, NewOperation, Operation, OperationKey, OperationName, OperationRun, OperationType, OperationsEvent, Payload,
    Reason, StateHandler, Trouble,
};
use surehold_testkit::fixture::Fixture;
use surehold_testkit::operations::{COUNT_SHEEP, CountSheep};

use super::{World, events};

/// Refuses whatever it is asked.
#[derive(Debug)]
struct Stubborn;

impl StateHandler for Stubborn {
    fn kind(&self) -> &'static OperationType {
        &COUNT_SHEEP
    }

    fn run(&self, _: &Operation, _: &mut Facts) -> Result<Payload, Stop<Trouble>> {
        Err(Trouble::permanent("stubborn", "no").into())
    }
}

async fn asked(world: &World<'_>, flock: &str) -> (OperationKey, OperationRun) {
    let key = COUNT_SHEEP.key(&[flock]).unwrap();
    let new = NewOperation::new(&COUNT_SHEEP, key.clone(), Payload::null());
    world.engine.run(world.tenant, EnqueueOperation(new)).await.unwrap();
    let run = world.engine.views().record::<OperationRun>(world.tenant, &key).await.unwrap().unwrap();
    (key, run)
}

fn believing(run: &OperationRun, handler: impl StateHandler) -> RunStateOperation {
    RunStateOperation { key: run.key.clone(), handler: Arc::new(handler), found: Some(run.clone()) }
}

async fn times_done(world: &World<'_>, key: &OperationKey) -> usize {
    let name = OperationName::from(key);
    let done = |event: &&Event| matches!(event, Event::Operations(OperationsEvent::OperationSucceeded { operation, .. }) if *operation == name);
    events(&world.dump().await).filter(done).count()
}

/// Two workers have read the same run: the second finds it ended.
pub(crate) async fn what_has_ended_is_not_done_again(fixture: Fixture) {
    let world = World::open(&fixture).await;
    let (key, run) = asked(&world, "a").await;
    for expected in [StateRun::Done, StateRun::NotNow(NotNow::Ended), StateRun::NotNow(NotNow::Ended)] {
        assert_eq!(world.engine.run(world.tenant, believing(&run, CountSheep)).await.unwrap().reply, expected);
    }
    assert_eq!(times_done(&world, &key).await, 1);
    // Also within one batch, where the first has changed what the second believes.
    let (key, run) = asked(&world, "b").await;
    let both = vec![believing(&run, CountSheep), believing(&run, CountSheep)];
    let replies: Vec<StateRun> =
        world.engine.run_all(world.tenant, both).await.into_iter().map(|outcome| outcome.unwrap().reply).collect();
    assert_eq!(replies, [StateRun::Done, StateRun::NotNow(NotNow::Ended)]);
    assert_eq!(times_done(&world, &key).await, 1);
    world.engine.stop().await;
}

/// Somebody has changed it since: it is done as it is now, once.
pub(crate) async fn what_has_changed_is_looked_at_again(fixture: Fixture) {
    let world = World::open(&fixture).await;
    let (key, run) = asked(&world, "a").await;
    let (actor, reason) = (Actor::new("ana").unwrap(), Reason::new("now").unwrap());
    world.engine.run(world.tenant, HastenOperation { key: key.clone(), actor, reason }).await.unwrap();
    assert_eq!(world.engine.run(world.tenant, believing(&run, CountSheep)).await.unwrap().reply, StateRun::Done);
    let operation = world.engine.views().record::<Operation>(world.tenant, &key).await.unwrap().unwrap();
    assert!(operation.lease_token > run.last_token, "the newer run was completed, not the one that was believed");
    assert_eq!(times_done(&world, &key).await, 1);
    world.engine.stop().await;
}

/// A refusal writes nothing that could tell; so it counts only for what is really there.
pub(crate) async fn a_refusal_does_not_rest_on_a_belief(fixture: Fixture) {
    let world = World::open(&fixture).await;
    let (_, run) = asked(&world, "a").await;
    world.engine.run(world.tenant, believing(&run, CountSheep)).await.unwrap();
    let late = world.engine.run(world.tenant, believing(&run, Stubborn)).await;
    assert_eq!(late.unwrap().reply, StateRun::NotNow(NotNow::Ended));
    world.engine.stop().await;
}
