//! What a worker does with what goes well and with what does not, in one process and on each store.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use surehold_core::kernel::{Facts, Stop};
use surehold_core::operations::commands::RedriveOperation;
use surehold_core::operations::{
    Actor, Attempt, AttemptOutcome, BreakerPolicy, Case, CaseState, DeadLetter, Effect, EffectHandler, Operation,
    OperationKey, OperationRun, OperationType, Outcome, Payload, Reason, RetryPolicy, Step, Trouble, WorkerBeat,
};
use surehold_engine::{Engine, ProviderAnswer, Registry, Worker, WorkerConfig};
use surehold_simulators::charge::nothing_is_left;
use surehold_simulators::charge::{CHARGE, Charging, NoteCharge, charge};
use surehold_testkit::fixture::{StoreKind, connect};
use surehold_testkit::on_each_store;
use tokio::sync::Notify;

use super::scene::{Scene, TENANT, enqueue};
use super::till::{Act, Seen, Till};
use super::until;

/// Not waited for: who relies on it waits in vain.
const HOUR: Duration = Duration::from_hours(1);
const MOMENT: Act = Act::Take(Duration::from_millis(1));

static CHARGE_BRIEFLY: OperationType =
    OperationType { name: "CHARGE_BRIEFLY", retry: RetryPolicy::exponential(3, 10, 2, 20), deadline_secs: 1, ..CHARGE };
static DECIDE_BADLY: OperationType = OperationType { name: "DECIDE_BADLY", ..CHARGE_BRIEFLY };

/// A handler that fails before anything is called.
#[derive(Debug)]
struct DecideBadly;

impl EffectHandler for DecideBadly {
    fn kind(&self) -> &'static OperationType {
        &DECIDE_BADLY
    }

    fn next(&self, _: &Operation, _: &[Effect], _: &mut Facts) -> Result<Step, Stop<Trouble>> {
        panic!("as the test said");
    }
}

pub(super) fn registry(till: &Till) -> Registry {
    let till = Arc::new(till.clone());
    Registry::default()
        .state(NoteCharge)
        .effect(Charging::once(&CHARGE), till.clone())
        .effect(Charging::once(&CHARGE_BRIEFLY), till.clone())
        .effect(DecideBadly, till)
}

pub(super) fn quick() -> WorkerConfig {
    WorkerConfig {
        poll_pause: Duration::from_millis(50),
        watch_pause: Duration::from_millis(200),
        ..WorkerConfig::default()
    }
}

pub(super) async fn nothing_left(engine: &Engine) {
    until("all is done", async || nothing_is_left(engine.views()).await.then_some(())).await;
}

async fn run(engine: &Engine, key: &OperationKey) -> Option<OperationRun> {
    engine.views().record(TENANT, key).await.unwrap()
}

async fn outcome(engine: &Engine, key: &OperationKey) -> Option<Outcome> {
    engine.views().record::<Operation>(TENANT, key).await.unwrap().unwrap().outcome
}

/// A panic is an attempt that failed. It spends the attempts of its own operation and stops nobody.
async fn panics_stay_where_they_are(kind: StoreKind) {
    let scene = Scene::new(kind).await;
    let till = Till::new(|call| match call.operation.key.as_str() {
        "late" => Act::Panic,
        "at-once" => Act::PanicAtOnce,
        _ => MOMENT,
    });
    let engine = scene.engine_with(registry(&till)).await;
    let worker = Worker::start(engine.clone(), quick());
    let bad =
        [charge(&CHARGE_BRIEFLY, "late", 1), charge(&CHARGE_BRIEFLY, "at-once", 1), charge(&DECIDE_BADLY, "x", 1)];
    let good = charge(&CHARGE, "good", 1);
    enqueue(&engine, bad.iter().cloned().chain([good.clone()]).collect()).await;
    nothing_left(&engine).await;
    worker.stop().await;
    assert_eq!(outcome(&engine, &good.key).await, Some(Outcome::Succeeded));
    for bad in &bad {
        let letter: DeadLetter = engine.views().record(TENANT, &bad.key).await.unwrap().unwrap();
        assert_eq!(letter.code, "attempts-exhausted", "{}: {}", bad.key, letter.error);
    }
    let attempts: Vec<Attempt> = engine.views().all_records(TENANT).await.unwrap();
    assert!(attempts.iter().all(|attempt| attempt.outcome != AttemptOutcome::Lost), "{attempts:?}");
    engine.stop().await;
}

/// Calls stop while the breaker is open, and waiting for it costs nothing.
async fn an_open_breaker_spends_no_attempts(kind: StoreKind) {
    let scene = Scene::new(kind).await;
    let (healthy, refused) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let (health, count) = (Arc::clone(&healthy), Arc::clone(&refused));
    let till = Till::new(move |_| {
        if health.load(Ordering::SeqCst) {
            return MOMENT;
        }
        count.fetch_add(1, Ordering::SeqCst);
        Act::Answer(ProviderAnswer::NotDone { code: "down".into(), error: "down".into(), retry_after_secs: None })
    });
    let engine = scene.engine_with(registry(&till)).await;
    let breaker = BreakerPolicy { failures_max: 2, open_secs: 1, open_secs_max: 1, probe_secs_max: 5 };
    let worker = Worker::start(engine.clone(), WorkerConfig { breaker, ..quick() });
    let charges: Vec<_> = (0..6).map(|index| charge(&CHARGE, &format!("p{index}"), 1)).collect();
    enqueue(&engine, charges.clone()).await;
    until("all wait for the breaker", async || {
        let runs: Vec<OperationRun> = engine.views().all_records(TENANT).await.unwrap();
        runs.iter().all(|run| run.waiting_on.is_some()).then_some(())
    })
    .await;
    healthy.store(true, Ordering::SeqCst);
    nothing_left(&engine).await;
    worker.stop().await;
    let mut attempts = 0;
    for charge in &charges {
        let operation: Operation = engine.views().record(TENANT, &charge.key).await.unwrap().unwrap();
        assert_eq!(operation.outcome, Some(Outcome::Succeeded));
        attempts += usize::try_from(operation.attempts).unwrap();
    }
    assert_eq!(attempts, refused.load(Ordering::SeqCst), "an attempt is spent by a call, not by waiting");
    engine.stop().await;
}

/// Nobody comes back before the provider wants them to.
async fn retry_after_is_a_floor(kind: StoreKind) {
    let scene = Scene::new(kind).await;
    let first = AtomicBool::new(true);
    let till = Till::new(move |_| {
        if !first.swap(false, Ordering::SeqCst) {
            return MOMENT;
        }
        Act::Answer(ProviderAnswer::NotDone { code: "busy".into(), error: "busy".into(), retry_after_secs: Some(100) })
    });
    let engine = scene.engine_with(registry(&till)).await;
    let worker = Worker::start(engine.clone(), quick());
    let charge = charge(&CHARGE, "a", 1);
    enqueue(&engine, vec![charge.clone()]).await;
    let waiting = until("it waits", async || run(&engine, &charge.key).await.filter(|run| run.attempts == 1)).await;
    let attempts: Vec<Attempt> = engine.views().all_records(TENANT).await.unwrap();
    assert_eq!(waiting.run_at, attempts[0].ended_at.plus_secs(100));
    worker.stop().await;
    scene.fixture.advance_secs(101);
    let worker = Worker::start(engine.clone(), quick());
    nothing_left(&engine).await;
    worker.stop().await;
    assert_eq!(till.called().len(), 2);
    engine.stop().await;
}

/// What runs is waited for; nothing new begins; the worker says goodbye.
async fn stopping_waits_for_what_runs(kind: StoreKind) {
    let scene = Scene::new(kind).await;
    let gate = Arc::new(Notify::new());
    let opened = Arc::clone(&gate);
    let till = Till::new(move |_| Act::Await(Arc::clone(&opened)));
    let engine = scene.engine_with(registry(&till)).await;
    let worker = Worker::start(engine.clone(), quick());
    let (running, late) = (charge(&CHARGE, "running", 1), charge(&CHARGE, "late", 1));
    enqueue(&engine, vec![running.clone()]).await;
    until("it is called", async || (till.called().len() == 1).then_some(())).await;
    let mut stopping = Box::pin(worker.stop());
    // Polled once, so that it has begun to stop.
    assert!(tokio::time::timeout(Duration::ZERO, &mut stopping).await.is_err());
    enqueue(&engine, vec![late.clone()]).await;
    gate.notify_one();
    stopping.await;
    assert_eq!(outcome(&engine, &running.key).await, Some(Outcome::Succeeded));
    assert_eq!(till.called().len(), 1, "nothing new was called");
    let left = run(&engine, &late.key).await.unwrap();
    assert_eq!((left.lease, left.attempts), (None, 0));
    assert_eq!(engine.views().all_records::<WorkerBeat>(surehold_core::kernel::TenantId::DIRECTORY).await.unwrap(), []);
    engine.stop().await;
}

/// A call that hangs is cut off, and asked about before it is made again.
async fn a_call_that_hangs_is_cut_off(kind: StoreKind) {
    let scene = Scene::new(kind).await;
    let first = AtomicBool::new(true);
    let till = Till::new(move |_| if first.swap(false, Ordering::SeqCst) { Act::Hang } else { MOMENT });
    let engine = scene.engine_with(registry(&till)).await;
    let worker = Worker::start(engine.clone(), quick());
    let charge = charge(&CHARGE_BRIEFLY, "a", 1);
    enqueue(&engine, vec![charge.clone()]).await;
    nothing_left(&engine).await;
    worker.stop().await;
    let name = format!("{TENANT} {}", charge.key);
    let (called, left) = (Seen::Called(name.clone()), Seen::Left(name.clone()));
    assert_eq!(till.seen(), [called.clone(), left.clone(), Seen::Asked(name), called, left]);
    let attempts: Vec<Attempt> = engine.views().all_records(TENANT).await.unwrap();
    let outcomes: Vec<_> = attempts.iter().map(|attempt| (attempt.outcome, attempt.error_code.as_deref())).collect();
    assert_eq!(outcomes, [(AttemptOutcome::Failed, Some("timeout")), (AttemptOutcome::Succeeded, None)]);
    engine.stop().await;
}

/// What nobody could tell is told to somebody, until the provider is asked again and says it.
async fn doubt_that_is_settled_closes_its_case(kind: StoreKind) {
    let rejected = || ProviderAnswer::Rejected { code: "no".into(), error: "no".into(), response: Payload::null() };
    for (act, expected) in [(MOMENT, Outcome::Succeeded), (Act::Answer(rejected()), Outcome::DeadLetter)] {
        let scene = Scene::new(kind).await;
        let act_now =
            Arc::new(Mutex::new(Act::Answer(ProviderAnswer::Unanswered { code: "?".into(), error: "?".into() })));
        let script = Arc::clone(&act_now);
        let till = Till::new(move |_| script.lock().unwrap().clone());
        let engine = scene.engine_with(registry(&till)).await;
        let worker = Worker::start(engine.clone(), quick());
        let charge = charge(&CHARGE_BRIEFLY, "a", 1);
        enqueue(&engine, vec![charge.clone()]).await;
        nothing_left(&engine).await;
        let cases = async || engine.views().all_records::<Case>(TENANT).await.unwrap();
        let states = cases().await.iter().map(|case| (case.key.kind.to_string(), case.state)).collect::<Vec<_>>();
        assert_eq!(states, [("effect-unknown".to_owned(), CaseState::Open)]);

        *act_now.lock().unwrap() = act;
        let (actor, reason) = (Actor::new("ann").unwrap(), Reason::new("the provider is back").unwrap());
        let (key, kind) = (charge.key.clone(), &CHARGE_BRIEFLY);
        engine.run(TENANT, RedriveOperation { key, kind, actor, reason }).await.unwrap();
        nothing_left(&engine).await;
        worker.stop().await;
        assert_eq!(outcome(&engine, &charge.key).await, Some(expected));
        assert_eq!(
            cases().await.iter().map(|case| case.state).collect::<Vec<_>>(),
            [CaseState::Resolved],
            "{expected:?}"
        );
        engine.stop().await;
    }
}

/// What is asked for runs at once, and so does what follows from it: nobody looks around within this hour.
async fn nobody_waits_for_a_look_around(kind: StoreKind) {
    let scene = Scene::new(kind).await;
    let till = Till::new(|_| MOMENT);
    let engine = scene.engine_with(registry(&till)).await;
    let worker = Worker::start(engine.clone(), WorkerConfig { poll_pause: HOUR, ..quick() });
    for index in 0..3 {
        // The first may be found by the look that a worker begins with.
        enqueue(&engine, vec![charge(&CHARGE, &format!("p{index}"), 1)]).await;
        nothing_left(&engine).await;
    }
    worker.stop().await;
    assert_eq!(till.called().len(), 3);
    engine.stop().await;
}

/// The same, asked for on one node and carried out on another.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_nodes_wake_each_other() {
    let scene = Scene::new(StoreKind::Postgres).await;
    let till = Till::new(|_| MOMENT);
    let (asking, working) = (scene.engine().await, scene.engine_with(registry(&till)).await);
    let client = connect(scene.fixture.url()).await.unwrap();
    let listening =
        "select count(*) from pg_stat_activity where query ilike 'listen %' and datname = current_database()";
    until("both listen", async || {
        (client.query_one(listening, &[]).await.unwrap().get::<_, i64>(0) >= 2).then_some(())
    })
    .await;
    let worker = Worker::start(working.clone(), WorkerConfig { poll_pause: HOUR, ..quick() });
    for index in 0..3 {
        enqueue(&asking, vec![charge(&CHARGE, &format!("p{index}"), 1)]).await;
        nothing_left(&asking).await;
    }
    worker.stop().await;
    assert_eq!(till.called().len(), 3);
    asking.stop().await;
    working.stop().await;
}

on_each_store! {
    panics_stay_where_they_are
    an_open_breaker_spends_no_attempts
    retry_after_is_a_floor
    stopping_waits_for_what_runs
    a_call_that_hangs_is_cut_off
    nobody_waits_for_a_look_around
    doubt_that_is_settled_closes_its_case
}
