//! Data that was put back to an earlier state, while the provider's was not. What was done since is found by asking;
//! what makes the worker ask is the epoch, and without it money is lost: that is shown too.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use surehold_core::kernel::TenantId;
use surehold_core::operations::commands::RaiseEpoch;
use surehold_core::operations::{Actor, BreakerPolicy, OperationRun, Reason};
use surehold_engine::{Registry, Worker, WorkerConfig};
use surehold_simulators::charge::nothing_is_left;
use surehold_simulators::charge::{Bank, CHARGE, Charging, NoteCharge, charge, effect_name};
use surehold_simulators::provider::{KEY_LIFETIME_SECS, ProviderFault};
use surehold_testkit::fixture::StoreKind;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::scene::{Scene, TENANT, assert_each_once, enqueue};
use super::until;

/// What the copy knows of the request.
#[derive(Clone, Copy, Debug)]
enum Copied {
    BeforeIntent,
    AfterIntent,
    /// The provider was busy: as far as the copy knows, nothing has happened.
    AfterRefusal,
}

#[derive(Clone, Copy, Debug)]
enum Keys {
    Remembered,
    Forgotten,
}

#[derive(Clone, Copy, Debug)]
enum Epoch {
    Raised,
    Forgotten,
}

fn copy_all(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

fn put_back(backup: &TempDir, folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        std::fs::remove_file(entry.unwrap().path()).unwrap();
    }
    copy_all(backup.path(), folder);
}

async fn raise_epoch(scene: &Scene) {
    let engine = scene.engine().await;
    let (actor, reason) = (Actor::new("ann").unwrap(), Reason::new("restored last night's copy").unwrap());
    engine.run(TenantId::DIRECTORY, RaiseEpoch { number: 1, actor, reason }).await.unwrap();
    engine.stop().await;
}

/// Returns how often the provider charged.
async fn restore(copied: Copied, keys: Keys, epoch: Epoch) -> u64 {
    let mut scene = Scene::new(StoreKind::Sqlite).await;
    let (folder, backup) = (scene.fixture.file().parent().unwrap().to_owned(), tempfile::tempdir().unwrap());
    let operation = charge(&CHARGE, "a", 100);
    scene.enqueue(vec![operation.clone()]).await;
    match copied {
        Copied::BeforeIntent => copy_all(&folder, backup.path()),
        Copied::AfterIntent => {
            scene.worker_dies_at("call-answered:1").await;
            copy_all(&folder, backup.path());
        }
        Copied::AfterRefusal => {
            scene.queue_fault(ProviderFault::Busy { retry_after_secs: 60 }, 1);
            let worker = scene.worker(&[]);
            until("the provider was busy", async || (scene.provider.report().faults_queued == 0).then_some(())).await;
            worker.stop().await;
            copy_all(&folder, backup.path());
            scene.advance_secs(61);
        }
    }
    scene.work_until_idle().await;
    assert_eq!(scene.assert_each_once().await.charges, 1);

    put_back(&backup, &folder);
    match keys {
        Keys::Remembered => {}
        Keys::Forgotten => scene.provider.advance_secs(KEY_LIFETIME_SECS),
    }
    match epoch {
        Epoch::Raised => raise_epoch(&scene).await,
        Epoch::Forgotten => {}
    }
    scene.work_until_idle().await;
    let charges = scene.provider.report().charges_of(&effect_name(TENANT, &operation.key, 0));
    if charges == 1 {
        scene.assert_each_once().await;
    }
    charges
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_done_since_the_copy_is_found_by_asking() {
    for (copied, keys, epoch, expected) in [
        (Copied::BeforeIntent, Keys::Remembered, Epoch::Raised, 1),
        (Copied::BeforeIntent, Keys::Forgotten, Epoch::Raised, 1),
        (Copied::AfterIntent, Keys::Remembered, Epoch::Raised, 1),
        (Copied::AfterIntent, Keys::Forgotten, Epoch::Raised, 1),
        (Copied::AfterRefusal, Keys::Forgotten, Epoch::Raised, 1),
        // An intent is reason enough to ask.
        (Copied::AfterIntent, Keys::Forgotten, Epoch::Forgotten, 1),
        // The key alone helps for a day.
        (Copied::BeforeIntent, Keys::Remembered, Epoch::Forgotten, 1),
        // Then nothing does: what the epoch is for.
        (Copied::BeforeIntent, Keys::Forgotten, Epoch::Forgotten, 2),
        (Copied::AfterRefusal, Keys::Forgotten, Epoch::Forgotten, 2),
    ] {
        assert_eq!(restore(copied, keys, epoch).await, expected, "{copied:?}, keys {keys:?}, epoch {epoch:?}");
    }
}

/// The first attempt after the restore gets no further than its intent, because the provider's breaker is open. It is
/// still the first: the question comes before the call.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_open_breaker_does_not_make_it_forget_to_ask() {
    let scene = Scene::new(StoreKind::Sqlite).await;
    raise_epoch(&scene).await;
    let (other, lost) = (charge(&CHARGE, "other", 100), charge(&CHARGE, "lost", 100));
    charge_behind_our_back(&scene, &effect_name(TENANT, &lost.key, 0)).await;
    scene.queue_fault(ProviderFault::Unavailable, 1);

    let registry = Registry::default()
        .state(NoteCharge)
        .effect(Charging::once(&CHARGE), Arc::new(Bank::at(scene.provider.address())));
    let engine = scene.engine_with(registry).await;
    let breaker = BreakerPolicy { failures_max: 1, open_secs: 1, open_secs_max: 1, probe_secs_max: 5 };
    let poll_pause = Duration::from_millis(50);
    let worker = Worker::start(engine.clone(), WorkerConfig { breaker, poll_pause, ..WorkerConfig::default() });
    enqueue(&engine, vec![other.clone()]).await;
    let run = async |key| engine.views().record::<OperationRun>(TENANT, key).await.unwrap();
    until("the breaker is open", async || run(&other.key).await.filter(|run| run.attempts > 0)).await;
    enqueue(&engine, vec![lost.clone()]).await;
    until("it waits for the breaker", async || run(&lost.key).await.filter(|run| run.waiting_on.is_some())).await;
    until("all is done", async || nothing_is_left(engine.views()).await.then_some(())).await;
    worker.stop().await;
    assert_eq!(assert_each_once(&engine, &scene.provider).await.charges, 2);
    engine.stop().await;
}

/// What the lost data knew of.
async fn charge_behind_our_back(scene: &Scene, name: &str) {
    let body = format!(r#"{{"amount":100,"metadata":{{"operation":"{name}"}}}}"#);
    let length = body.len();
    let request = format!(
        "POST /charges HTTP/1.1\r\nHost: x\r\nConnection: close\r\nIdempotency-Key: lost\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    let mut stream = tokio::net::TcpStream::connect(scene.provider.address()).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}
