//! A worker that is stopped beyond its lease, and goes on as if nothing had happened.

use rustix::process::Signal;
use surehold_core::operations::{Attempt, AttemptOutcome};
use surehold_simulators::charge::nothing_is_left;
use surehold_simulators::charge::{CHARGE, CHARGE_WITH_FEE, charge};
use surehold_simulators::provider::ProviderFault;
use surehold_testkit::fixture::StoreKind;

use super::scene::{Scene, TENANT, assert_each_once, enqueue};
use super::until;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_frozen_worker_is_told_that_it_is_late_on_postgres() {
    for kind in [&CHARGE, &CHARGE_WITH_FEE] {
        let scene = Scene::new(StoreKind::Postgres).await;
        scene.enqueue(vec![charge(kind, "a", 100)]).await;
        scene.queue_fault(ProviderFault::Late { delay_millis: 600_000 }, 1);
        let mut frozen = scene.worker(&[]);
        scene.provider.waiting(1).await;
        frozen.freeze().await;

        // The answer is on its way to the frozen one before anybody else looks.
        scene.provider.release();
        scene.provider.waiting(0).await;
        let mut other = scene.worker(&[]);
        other.says("idle").await;
        let engine = scene.engine().await;
        let attempts: Vec<Attempt> = engine.views().all_records(TENANT).await.unwrap();
        engine.stop().await;
        let outcomes: Vec<AttemptOutcome> = attempts.iter().map(|attempt| attempt.outcome).collect();
        assert_eq!(outcomes, [AttemptOutcome::Lost, AttemptOutcome::Succeeded], "{attempts:?}");

        frozen.signal(Signal::CONT);
        assert_eq!(frozen.says("stale").await, "stale 1");
        frozen.stop().await;
        other.stop().await;
        scene.assert_each_once().await;
    }
}

/// Frozen wherever it happens to be: what it sends when it wakes up is sent under the key that others used.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_frozen_in_the_middle_of_many_on_postgres() {
    let scene = Scene::new(StoreKind::Postgres).await;
    let engine = scene.engine().await;
    let (mut first, mut second) = (scene.worker(&[]), scene.worker(&[]));
    first.says("working").await;
    second.says("working").await;
    for round in 0..3 {
        let before = scene.provider.report().requests;
        let charges = (0..40).map(|index| charge(&CHARGE_WITH_FEE, &format!("p{round}-{index}"), 100));
        enqueue(&engine, charges.collect()).await;
        until("charges are made", async || (scene.provider.report().requests > before + 3).then_some(())).await;
        first.freeze().await;
        until("the other has done all", async || nothing_is_left(engine.views()).await.then_some(())).await;
        first.signal(Signal::CONT);
    }
    first.stop().await;
    second.stop().await;
    assert_eq!(assert_each_once(&engine, &scene.provider).await.charges, 240);
    engine.stop().await;
}
