//! A provider forgets idempotency keys after a day. Whoever comes back later asks before it sends.

use surehold_simulators::charge::{CHARGE, CHARGE_WITH_FEE, charge};
use surehold_simulators::provider::{KEY_LIFETIME_SECS, ProviderFault};
use surehold_testkit::fixture::StoreKind;

use super::scene::Scene;
use super::until;

const DAY_AND_HOUR_SECS: u32 = KEY_LIFETIME_SECS + 3_600;

/// For everybody.
fn a_day_passes(scene: &mut Scene) {
    scene.provider.advance_secs(DAY_AND_HOUR_SECS);
    scene.advance_secs(i64::from(DAY_AND_HOUR_SECS));
}

async fn after_a_day(kind: StoreKind, place: &str) {
    let mut scene = Scene::new(kind).await;
    scene.enqueue(vec![charge(&CHARGE, "a", 100), charge(&CHARGE_WITH_FEE, "b", 200)]).await;
    scene.worker_dies_at(place).await;
    a_day_passes(&mut scene);
    scene.work_until_idle().await;
    let tally = scene.assert_each_once().await;
    assert_eq!((tally.charges, tally.dead), (3, 0), "{place}");
    let report = scene.provider.report();
    assert_eq!((report.requests, report.replays), (3, 0), "{place}: nothing was sent twice, so no key was needed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_after_a_day() {
    for place in ["effect-started:2", "call-answered:1", "call-answered:2", "effect-finished:1"] {
        after_a_day(StoreKind::Sqlite, place).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_after_a_day() {
    for place in ["effect-started:1", "call-answered:2"] {
        after_a_day(StoreKind::Postgres, place).await;
    }
}

/// The first request is on its way when its worker dies; the provider does not know it yet, and is busy when it is sent
/// again. Then it arrives, and a day later nobody may believe that nothing was ever sent.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_was_on_its_way() {
    let mut scene = Scene::new(StoreKind::Sqlite).await;
    scene.enqueue(vec![charge(&CHARGE, "a", 100)]).await;
    let late = ProviderFault::Late { delay_millis: 600_000 };
    scene.provider.queue_faults(&[late, ProviderFault::Busy { retry_after_secs: 30 }]);
    let worker = scene.worker(&[]);
    scene.provider.waiting(1).await;
    worker.kill().await;

    let worker = scene.worker(&[]);
    until("the provider was busy", async || (scene.provider.report().faults_queued == 0).then_some(())).await;
    worker.stop().await;
    scene.provider.release();
    scene.provider.waiting(0).await;

    a_day_passes(&mut scene);
    scene.work_until_idle().await;
    assert_eq!(scene.assert_each_once().await.charges, 1);
}
