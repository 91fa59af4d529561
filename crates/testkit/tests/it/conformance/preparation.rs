//! Facts from outside of the turn: a command that asks for them leaves its batch, and comes back with the answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use surehold_core::kernel::commands::{AdjustPool, HoldReply, PlaceHold};
use surehold_core::kernel::{Command, Facts, Hold, HoldId, Pool, PoolKey, Preparation, Reads, Refusal, Stop, TenantId};
use surehold_engine::{
    BoxFuture, Engine, EngineConfig, Failure, Fault, JournalRow, Options, Preparer, Preparing, Registry, RequestKey,
};
use surehold_testkit::fixture::Fixture;

use super::{Pending, World, new_id, parse_lines, pool, together};

/// The version that a pool had when somebody looked.
#[derive(Debug, Default)]
struct Seen {
    version: Option<i64>,
}

impl Preparation for Seen {
    type Question = PoolKey;
}

/// Places a hold if somebody has looked at the pool as it is now.
#[derive(Clone, Debug)]
struct PlaceSeen {
    place: PlaceHold,
    pool: PoolKey,
}

impl PlaceSeen {
    fn new(id: HoldId) -> PlaceSeen {
        PlaceSeen { place: PlaceHold::new(id, parse_lines("room=1")), pool: pool("room").unwrap() }
    }
}

impl Command for PlaceSeen {
    const NAME: &'static str = "place_seen";
    type Reply = HoldReply;
    type Refusal = Refusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        self.place.reads(reads);
    }

    fn decide(&self, facts: &mut Facts) -> Result<HoldReply, Stop<Refusal>> {
        let is_there = facts.expect_absent::<Hold>(&self.place.id())?.is_some();
        let version = facts.get::<Pool>(&self.pool)?.map(|pool| pool.version);
        if !is_there && facts.prepared::<Seen>().version != version {
            return Err(facts.prepare::<Seen>(self.pool.clone()).into());
        }
        self.place.decide(facts)
    }
}

/// Looks at pools.
#[derive(Clone, Default)]
struct Look(Arc<LookState>);

#[derive(Default)]
struct LookState {
    looks: AtomicU32,
    was_background: AtomicBool,
    /// After so many more looks somebody changes the pool at once.
    changes: AtomicU32,
    pause: Duration,
    patience_min: Duration,
}

impl Look {
    fn changed(times: u32) -> Look {
        Look(Arc::new(LookState { changes: AtomicU32::new(times), ..LookState::default() }))
    }

    fn slow(pause: Duration, patience_min: Duration) -> Look {
        Look(Arc::new(LookState { pause, patience_min, ..LookState::default() }))
    }

    fn looks(&self) -> u32 {
        self.0.looks.load(Ordering::Relaxed)
    }
}

impl Preparer for Look {
    type Preparation = Seen;

    fn patience_min(&self) -> Duration {
        self.0.patience_min
    }

    fn prepare<'a>(&'a self, preparing: Preparing<'a, Seen>) -> BoxFuture<'a, Result<Seen, Fault>> {
        let Preparing { engine, tenant, question: pool, number, background, .. } = preparing;
        Box::pin(async move {
            self.0.looks.fetch_add(1, Ordering::Relaxed);
            self.0.was_background.store(background, Ordering::Relaxed);
            let version = engine.views().record::<Pool>(tenant, pool).await?.map(|pool| pool.version);
            if u32::try_from(number).unwrap() <= self.0.changes.load(Ordering::Relaxed) {
                engine.run(tenant, AdjustPool::new(pool.clone(), 1).unwrap()).await.unwrap();
            }
            tokio::time::sleep(self.0.pause).await;
            Ok(Seen { version })
        })
    }
}

async fn open<'f>(fixture: &'f Fixture, look: &Look, deadline: Duration) -> World<'f> {
    let config = EngineConfig { sweep_pause: None, deadline, ..EngineConfig::default() };
    let registry = Registry::default().preparer(look.clone());
    let engine = Engine::start_with(fixture.store().await.unwrap(), config, registry).unwrap();
    let mut world = World::enter(fixture, engine, TenantId(1)).await;
    world.play("put room=9").await;
    world
}

const PATIENT: Duration = Duration::from_mins(1);

pub(crate) async fn prepared_once_and_repeats_not_at_all(fixture: Fixture) {
    let look = Look::default();
    let world = open(&fixture, &look, PATIENT).await;
    let key = RequestKey::new("k", b"place").unwrap();
    let options = Options { key: Some(key), ..Options::default() };
    let command = PlaceSeen::new(new_id());
    let first = world.engine.run_with(world.tenant, command.clone(), options.clone()).await.unwrap();
    assert_eq!((first.replayed, look.looks()), (false, 1));
    let before = world.dump().await;

    // Neither the kept reply nor the hold is loaded at first.
    let by_key = world.engine.run_with(world.tenant, command.clone(), options.clone()).await.unwrap();
    let by_id = world.engine.run(world.tenant, command).await.unwrap();
    for again in [by_key, by_id] {
        assert_eq!((again.replayed, again.reply.hold), (true, first.reply.hold.clone()));
    }
    let other = Options { key: Some(RequestKey::new("k", b"other").unwrap()), ..options };
    let reused = world.engine.run_with(world.tenant, PlaceSeen::new(new_id()), other).await;
    assert_eq!(reused, Err(Failure::KeyReused));
    assert_eq!(look.looks(), 1);
    assert_eq!(world.audit().await, before);
}

pub(crate) async fn what_has_changed_is_prepared_again(fixture: Fixture) {
    let look = Look::changed(2);
    let world = open(&fixture, &look, PATIENT).await;
    let done = world.engine.run(world.tenant, PlaceSeen::new(new_id())).await.unwrap();
    assert_eq!((done.replayed, look.looks()), (false, 3));
    assert_eq!(world.audit().await.holds.len(), 1);
}

pub(crate) async fn prepared_three_times_then_not_executed(fixture: Fixture) {
    let look = Look::changed(u32::MAX);
    let world = open(&fixture, &look, PATIENT).await;
    let key = RequestKey::new("k", b"place").unwrap();
    let options = Options { key: Some(key), ..Options::default() };
    let outcome = world.engine.run_with(world.tenant, PlaceSeen::new(new_id()), options).await;
    assert_eq!((outcome, look.looks()), (Err(Failure::Fault(Fault::NotExecuted)), 3));
    let dump = world.audit().await;
    assert_eq!((dump.holds.len(), dump.replies.len()), (0, 0));
}

/// In the same batch, and before the other one is prepared.
pub(crate) async fn neighbours_go_on(fixture: Fixture) {
    let look = Look::default();
    let world = open(&fixture, &look, PATIENT).await;
    let (asking, neighbour) = (new_id(), new_id());
    let (engine, tenant) = (&world.engine, world.tenant);
    let requests: Vec<Pending<'_>> = vec![
        Box::pin(async { engine.run(tenant, PlaceSeen::new(asking)).await.map(drop) }),
        Box::pin(async { engine.run(tenant, PlaceHold::new(neighbour, parse_lines("room=1"))).await.map(drop) }),
    ];
    assert_eq!(together(engine, tenant, requests).await, [Ok(()), Ok(())]);
    let dump = world.audit().await;
    let row_of = |id: HoldId| {
        let tells = |row: &&JournalRow| row.events.iter().any(|event| format!("{event:?}").contains(&id.to_string()));
        dump.journal.iter().find(tells).unwrap().seq
    };
    assert!(row_of(neighbour) < row_of(asking), "{:?}", dump.journal);
    assert_eq!(look.looks(), 1);
}

pub(crate) async fn a_deadline_while_it_is_prepared(fixture: Fixture) {
    let look = Look::slow(Duration::from_mins(10), Duration::from_mins(10));
    let world = open(&fixture, &look, PATIENT).await;
    let before = world.dump().await;
    let options = Options { deadline: Some(Duration::from_millis(300)), ..Options::default() };
    let outcome = world.engine.run_with(world.tenant, PlaceSeen::new(new_id()), options).await;
    assert_eq!((outcome, look.looks()), (Err(Failure::Fault(Fault::NotExecuted)), 1));
    assert_eq!(world.audit().await, before);
}

/// Who does not say how long they wait, wait as long as that kind of preparation takes.
pub(crate) async fn preparing_may_take_longer_than_a_command(fixture: Fixture) {
    let deadline = Duration::from_secs(2);
    for (patience_min, expected) in [(PATIENT, true), (Duration::ZERO, false)] {
        let look = Look::slow(2 * deadline, patience_min);
        let world = open(&fixture, &look, deadline).await;
        let outcome = world.engine.run(world.tenant, PlaceSeen::new(new_id())).await;
        assert_eq!((outcome.is_ok(), look.looks()), (expected, 1), "{outcome:?}");
        world.engine.stop().await;
    }
}

pub(crate) async fn one_of_several_must_not_ask(fixture: Fixture) {
    let look = Look::default();
    let world = open(&fixture, &look, PATIENT).await;
    let several = vec![PlaceSeen::new(new_id()), PlaceSeen::new(new_id())];
    let outcomes = world.engine.run_all(world.tenant, several).await;
    assert_eq!((outcomes, look.looks()), (vec![Err(Failure::Defect), Err(Failure::Defect)], 0));
    let options = Options { background: true, ..Options::default() };
    let alone = world.engine.run_all_with(world.tenant, vec![PlaceSeen::new(new_id())], &options).await;
    assert!(alone[0].is_ok());
    assert_eq!((look.looks(), look.0.was_background.load(Ordering::Relaxed)), (1, true));
    assert_eq!(world.audit().await.holds.len(), 1);
}
