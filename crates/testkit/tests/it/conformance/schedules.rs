//! Schedules fire once per instant, whoever fires them and however many try.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use surehold_core::kernel::{Event, Timestamp};
use surehold_core::operations::builtin::ANNOUNCE;
use surehold_core::operations::commands::EnqueueOperation;
use surehold_core::operations::{
    Case, Correlation, Cron, Enqueued, FireSchedules, FiredSchedule, NewOperation, Operation, OperationsEvent, Payload,
    PutSchedule, RemoveSchedule, Schedule, ScheduleName, TimeZoneName,
};
use surehold_engine::{Engine, EngineConfig};
use surehold_testkit::fixture::{Fixture, Place};

use super::{World, events};

const DAY_SECS: i64 = 86_400;

fn name(text: &str) -> ScheduleName {
    ScheduleName::new(text).unwrap()
}

fn payload(topic: &str) -> Payload {
    Payload::new(&json!({"topic": topic, "data": {"ü": [1, null]}})).unwrap()
}

fn put(schedule: &str, cron: &str, zone: &str) -> PutSchedule {
    let (cron, zone) = (Cron::parse(cron).unwrap(), TimeZoneName::parse(zone).unwrap());
    let put = PutSchedule::new(name(schedule), cron, zone, &ANNOUNCE, payload("hello")).unwrap();
    put.correlations(vec![Correlation::new("propertyId", "7").unwrap()]).unwrap()
}

/// Engines that share the store, as far as it can be shared.
async fn nodes(fixture: &Fixture, config: EngineConfig) -> Vec<Engine> {
    let one = fixture.engine_with(config).await.unwrap();
    match fixture.place {
        Place::Sqlite(_) => vec![one.clone(), one],
        Place::Postgres { .. } => vec![one, fixture.engine_with(config).await.unwrap()],
    }
}

fn silent() -> EngineConfig {
    EngineConfig { sweep_pause: None, schedule_pause: None, ..EngineConfig::default() }
}

async fn fire(world: &World<'_>, engine: &Engine) -> Vec<FiredSchedule> {
    let done = engine.run(world.tenant, FireSchedules { kinds: Arc::new([&ANNOUNCE]) }).await.unwrap();
    assert!(!done.reply.more_left && done.reply.unknown.is_empty());
    done.reply.fired
}

async fn schedule(world: &World<'_>, schedule: &str) -> Option<Schedule> {
    world.engine.views().record::<Schedule>(world.tenant, &name(schedule)).await.unwrap()
}

async fn operations(world: &World<'_>) -> Vec<Operation> {
    world.engine.views().all_records::<Operation>(world.tenant).await.unwrap()
}

/// The instants that were told as fired, in order.
async fn told(world: &World<'_>) -> Vec<(String, Timestamp, u32)> {
    let dump = world.audit().await;
    let fired = events(&dump).filter_map(|event| match event {
        Event::Operations(OperationsEvent::ScheduleFired { name, planned_for, skipped }) => {
            Some((name.to_string(), *planned_for, *skipped))
        }
        _ => None,
    });
    fired.collect()
}

pub(crate) async fn put_replaced_and_removed(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    let made = world.engine.run(world.tenant, put("night", "0 2 * * *", "America/Sao_Paulo")).await.unwrap();
    assert_eq!(schedule(&world, "night").await.as_ref(), Some(&made.reply));
    assert!(made.reply.next_at.unwrap() > made.reply.created_at);
    let again = world.engine.run(world.tenant, put("night", "0  2 * * *", "america/sao_paulo")).await.unwrap();
    assert!(again.replayed && again.reply == made.reply);
    world.restart().await;
    assert_eq!(schedule(&world, "night").await, Some(made.reply.clone()));

    let off = put("night", "0 2 * * *", "America/Sao_Paulo").enabled(false);
    let off = world.engine.run(world.tenant, off).await.unwrap().reply;
    assert_eq!((off.next_at, off.version, off.created_at), (None, 2, made.reply.created_at));
    fixture.advance_secs(3 * DAY_SECS);
    assert_eq!(fire(&world, &world.engine).await, []);
    let on = world.engine.run(world.tenant, put("night", "0 2 * * *", "America/Sao_Paulo")).await.unwrap().reply;
    assert!(on.next_at.unwrap() > made.reply.next_at.unwrap());
    assert_eq!(fire(&world, &world.engine).await, []);

    for other in ["a", "b", "c", "Z"] {
        world.engine.run(world.tenant, put(other, "@daily", "UTC")).await.unwrap();
    }
    let neighbour = world.neighbour(2).await;
    assert_eq!(schedule(&neighbour, "night").await, None);
    let views = world.engine.views();
    let page = async |after: Option<&str>| {
        let page = views.schedules(world.tenant, after.map(name).as_ref(), 3).await.unwrap();
        page.iter().map(|schedule| schedule.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(page(None).await, ["Z", "a", "b"]);
    assert_eq!(page(Some("b")).await, ["c", "night"]);

    let remove = || RemoveSchedule { name: name("night") };
    assert_eq!(world.engine.run(world.tenant, remove()).await.unwrap().reply.name, name("night"));
    assert!(world.engine.run(world.tenant, remove()).await.is_err());
    assert_eq!(schedule(&world, "night").await, None);
    let anew = world.engine.run(world.tenant, put("night", "0 2 * * *", "UTC")).await.unwrap().reply;
    assert_eq!(anew.version, 1);
}

/// Day after day, several nodes try at the same time, and several times each.
pub(crate) async fn one_operation_per_instant(fixture: Fixture) {
    const DAYS: usize = 5;
    let nodes = nodes(&fixture, silent()).await;
    let world = World::enter(&fixture, nodes[0].clone(), surehold_core::kernel::TenantId(1)).await;
    for schedule in ["a", "b", "c"] {
        world.engine.run(world.tenant, put(schedule, "@daily", "UTC")).await.unwrap();
    }
    for day in 1..=DAYS {
        fixture.advance_secs(DAY_SECS);
        let tries = nodes.iter().chain(&nodes).chain(&nodes).map(|node| fire(&world, node));
        let fired: Vec<FiredSchedule> = join_all(tries).await.into_iter().flatten().collect();
        let names: BTreeSet<&ScheduleName> = fired.iter().map(|fired| &fired.name).collect();
        assert_eq!((fired.len(), names.len()), (3, 3), "day {day}: {fired:?}");
        assert!(fired.iter().all(|fired| fired.enqueued == Enqueued::Enqueued && fired.skipped == 0), "{fired:?}");
    }
    let asked = operations(&world).await;
    assert_eq!(asked.len(), 3 * DAYS);
    assert!(asked.iter().all(|operation| operation.payload == payload("hello") && operation.correlations.len() == 1));
    let told = told(&world).await;
    let instants: BTreeSet<_> = told.iter().map(|(name, planned_for, _)| (name, planned_for)).collect();
    assert_eq!((told.len(), instants.len()), (3 * DAYS, 3 * DAYS));
    for (name, planned_for, _) in &told {
        let key = ANNOUNCE.key(&[name, &planned_for.to_string()]).unwrap();
        assert!(asked.iter().any(|operation| operation.key == key), "{key}");
    }
}

/// The nodes fire by themselves.
pub(crate) async fn the_scheduler_fires_and_says_so(fixture: Fixture) {
    let pause = Some(Duration::from_millis(20));
    let nodes = nodes(&fixture, EngineConfig { schedule_pause: pause, ..silent() }).await;
    let one = World::enter(&fixture, nodes[0].clone(), surehold_core::kernel::TenantId(1)).await;
    let two = one.neighbour(2).await;
    for world in [&one, &two] {
        world.engine.run(world.tenant, put("daily", "@daily", "UTC")).await.unwrap();
    }
    for fired in 1..=4 {
        fixture.advance_secs(DAY_SECS);
        for world in [&one, &two] {
            wait_until_told(world, fired).await;
        }
    }
    for world in [&one, &two] {
        let told = told(world).await;
        let asked = operations(world).await;
        assert_eq!(asked.len(), told.len(), "one operation for each instant");
        let instants: BTreeSet<Timestamp> = told.iter().map(|(_, planned_for, _)| *planned_for).collect();
        assert_eq!(instants.len(), told.len());
    }
}

async fn wait_until_told(world: &World<'_>, fired: usize) {
    let all_told = async {
        while told(world).await.len() < fired {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), all_told).await.expect("the scheduler fires");
}

pub(crate) async fn an_outage_is_not_made_up_for(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    world.engine.run(world.tenant, put("minutely", "* * * * *", "UTC")).await.unwrap();
    world.engine.clone().stop().await;
    fixture.advance_secs(3 * DAY_SECS);
    world.restart().await;
    let fired = fire(&world, &world.engine).await;
    assert_eq!((fired.len(), fired[0].skipped), (1, 1_440));
    let left = schedule(&world, "minutely").await.unwrap();
    let (fired_at, next_at) = (left.last_fired_at.unwrap(), left.next_at.unwrap());
    assert!(fired[0].planned_for <= fired_at && fired_at < fired[0].planned_for.plus_secs(60));
    assert_eq!(next_at, fired[0].planned_for.plus_secs(60));
    assert_eq!(operations(&world).await.len(), 1);
    assert_eq!(told(&world).await, [("minutely".to_owned(), fired[0].planned_for, 1_440)]);
}

/// More than one command may, and keys that somebody else has used already.
pub(crate) async fn many_at_once_and_keys_that_are_taken(fixture: Fixture) {
    const SCHEDULES: usize = 130;
    let world = World::open(&fixture).await;
    let puts = (0..SCHEDULES).map(|n| put(&format!("n{n:03}"), "0 0 * * *", "UTC")).collect();
    let made = world.engine.run_all(world.tenant, puts).await;
    for (index, made) in made.into_iter().enumerate().take(40) {
        let planned_for = made.unwrap().reply.next_at.unwrap().to_string();
        let key = ANNOUNCE.key(&[&format!("n{index:03}"), &planned_for]).unwrap();
        let content = payload(if index < 20 { "hello" } else { "something else" });
        world.engine.run(world.tenant, EnqueueOperation(NewOperation::new(&ANNOUNCE, key, content))).await.unwrap();
    }
    fixture.advance_secs(DAY_SECS);
    let mut fired = Vec::new();
    loop {
        let done = world.engine.run(world.tenant, FireSchedules { kinds: Arc::new([&ANNOUNCE]) }).await.unwrap();
        assert!(done.reply.fired.len() <= 50);
        fired.extend(done.reply.fired);
        if !done.reply.more_left {
            break;
        }
    }
    let count = |wanted: &Enqueued| fired.iter().filter(|fired| fired.enqueued == *wanted).count();
    assert_eq!(count(&Enqueued::Joined), 20);
    assert_eq!(count(&Enqueued::Conflict), 20);
    assert_eq!(count(&Enqueued::Enqueued), SCHEDULES - 40);
    assert_eq!(operations(&world).await.len(), SCHEDULES);
    let cases = world.engine.views().all_records::<Case>(world.tenant).await.unwrap();
    assert_eq!(cases.iter().filter(|case| case.key.kind == "schedule-conflict").count(), 20);
    assert_eq!(fire(&world, &world.engine).await, []);
}
