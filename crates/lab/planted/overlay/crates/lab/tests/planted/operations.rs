//! Bugs in operations.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use surehold_core::kernel::{Event, HoldPolicy, HoldState, Slug};
use surehold_core::operations::builtin::{ExpireHoldOnce, expire_hold};
use surehold_core::operations::commands::{
    EffectOutcome, EnqueueOperation, FailOperation, FinishEffect, RunStateOperation, StartEffect, Started, StateRun,
};
use surehold_core::operations::{
    EffectHandler, Operation, OperationRefusal, OperationRun, OperationsEvent, Outcome, Payload,
    ReconcileStuckOperation, StuckReason, WorkerId, reconciliation,
};
use surehold_engine::{Engine, EngineConfig, Failure, Registry, Worker, WorkerConfig, operation_findings};
use surehold_simulators::charge::{Bank, CHARGE, Charging, NoteCharge, charge, nothing_is_left};
use surehold_simulators::provider::{FakeProvider, ProviderFault};
use surehold_testkit::fixture::{Fixture, StoreKind};
use surehold_testkit::operations::{ByHand, CountSheep};
use tokio::time::{sleep, timeout};

use super::Harm;
use super::shop::{Shop, TENANT};

async fn hand(engine: Engine) -> ByHand {
    engine.create_tenant(Slug::new("shop").unwrap(), HoldPolicy::default(), TENANT).await.unwrap();
    ByHand { engine, tenant: TENANT }
}

/// Two workers have read the same run; the second comes with it when the first is done.
pub(super) async fn a_belief_that_nobody_checks() -> Harm {
    let mut harms = Vec::new();
    for kind in [StoreKind::Sqlite, StoreKind::Postgres] {
        let fixture = Fixture::new(kind).await.unwrap();
        let hand = hand(fixture.engine().await.unwrap()).await;
        let key = hand.ask_sheep("a", &[]).await.unwrap();
        let found = hand.engine.views().record::<OperationRun>(TENANT, &key).await.unwrap();
        for _ in 0..2 {
            let run = RunStateOperation { key: key.clone(), handler: Arc::new(CountSheep), found: found.clone() };
            hand.engine.run(TENANT, run).await.unwrap();
        }
        let journal = hand.engine.views().journal(TENANT, 0, 100).await.unwrap();
        let succeeded = |event: &&Event| matches!(event, Event::Operations(OperationsEvent::OperationSucceeded { .. }));
        let times = journal.iter().flat_map(|row| &row.events).filter(succeeded).count();
        hand.engine.stop().await;
        harms.extend((times != 1).then(|| format!("{kind:?}: one operation was done {times} times")));
    }
    // Each store has a guard of its own.
    assert_ne!(harms.len(), 1, "{harms:?}");
    (!harms.is_empty()).then(|| harms.join("; "))
}

/// A worker stands still; its lease is taken away; then it tells what came of its call.
pub(super) async fn a_lease_that_nobody_checks() -> Harm {
    let handler: Arc<dyn EffectHandler> = Arc::new(Charging::once(&CHARGE));
    // Nobody is called: the test says what was answered.
    let nobody = Arc::new(Bank::at((Ipv4Addr::LOCALHOST, 0).into()));
    let shop = Shop::open_with(&[], Registry::default().effect(Charging::once(&CHARGE), nobody)).await;
    let asked = charge(&CHARGE, "p", 100);
    let key = asked.key.clone();
    shop.engine.run(TENANT, EnqueueOperation(asked)).await.unwrap();
    let start = StartEffect { key: key.clone(), handler: handler.clone(), worker: WorkerId(7), raised_at: None };
    let Started::Call(call) = shop.engine.run(TENANT, start).await.unwrap().reply else { panic!("no call") };

    shop.advance_secs(31);
    let stuck = reconciliation(&key, call.token, StuckReason::LeaseExpired).unwrap();
    let look = RunStateOperation { key: stuck.key.clone(), handler: Arc::new(ReconcileStuckOperation), found: None };
    shop.engine.run(TENANT, EnqueueOperation(stuck)).await.unwrap();
    assert_eq!(shop.engine.run(TENANT, look).await.unwrap().reply, StateRun::Done);
    shop.advance_secs(1);

    let outcome = EffectOutcome::Confirmed { provider_ref: Some("ch_1".into()), response: Payload::null() };
    let late = FinishEffect { call: *call, handler, outcome, then: None, dice: 0, raised_at: None };
    let late = shop.engine.run(TENANT, late).await;
    let findings = operation_findings(shop.engine.views(), shop.engine.registry()).await.unwrap();
    shop.close().await;
    assert_eq!(late.is_ok(), !findings.is_empty(), "{late:?} {findings:?}");
    findings.first().map(|finding| finding.detail.clone())
}

/// The task comes before the hold has lapsed, and again when it has.
pub(super) async fn an_early_task() -> Harm {
    let shop = Shop::open(&[("room", 1)]).await;
    let hold = shop.hold(&[("room", 1)], 60).await;
    for _ in 0..2 {
        let task = expire_hold(hold).unwrap();
        let (key, kind) = (task.key.clone(), task.kind);
        shop.engine.run(TENANT, EnqueueOperation(task)).await.unwrap();
        let run = RunStateOperation { key: key.clone(), handler: Arc::new(ExpireHoldOnce), found: None };
        match shop.engine.run(TENANT, run).await {
            Ok(_) => {}
            Err(Failure::Refused(OperationRefusal::Trouble(trouble))) => {
                let fail = FailOperation { key, kind, trouble, dice: 0 };
                assert_eq!(shop.engine.run(TENANT, fail).await.unwrap().reply, StateRun::Done);
            }
            Err(failure) => panic!("{failure:?}"),
        }
        shop.advance_secs(61);
    }
    let key = expire_hold(hold).unwrap().key;
    let operation: Operation = shop.engine.views().record(TENANT, &key).await.unwrap().unwrap();
    let hold = shop.find(hold).await.unwrap();
    shop.close().await;
    let done = operation.outcome == Some(Outcome::Succeeded);
    (done && hold.state == HoldState::Active)
        .then(|| "the task is done with, and nobody has expired the hold".to_owned())
}

/// The provider takes the money and does not say so.
pub(super) async fn a_doubt_sent_again() -> Harm {
    let fixture = Fixture::new(StoreKind::Sqlite).await.unwrap();
    let provider = FakeProvider::start().await;
    provider.queue_faults(&[ProviderFault::AcceptThenDrop]);
    let bank = Arc::new(Bank::at(provider.address()));
    let registry = Registry::default().state(NoteCharge).effect(Charging::once(&CHARGE), bank);
    let config = EngineConfig { sweep_pause: None, schedule_pause: None, ..EngineConfig::default() };
    let engine = Engine::start_with(fixture.store().await.unwrap(), config, registry).unwrap();
    let hand = hand(engine).await;
    hand.engine.run(TENANT, EnqueueOperation(charge(&CHARGE, "p", 100))).await.unwrap();
    let worker = Worker::start(hand.engine.clone(), WorkerConfig::default());
    let done = async {
        while !nothing_is_left(hand.engine.views()).await {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(Duration::from_mins(1), done).await.unwrap();
    worker.stop().await;
    hand.engine.stop().await;
    let most = provider.report().charges_per_operation_max;
    (most > 1).then(|| format!("{most} charges for one purchase"))
}
