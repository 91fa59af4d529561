//! How much at once, and whose turn it is.

use std::sync::Arc;
use std::time::Duration;

use surehold_core::kernel::{HoldPolicy, Slug, TenantId};
use surehold_core::operations::commands::EnqueueOperation;
use surehold_core::operations::{Nature, OperationType};
use surehold_engine::{Registry, Worker, WorkerConfig};
use surehold_simulators::charge::{CHARGE, Charging, NoteCharge, charge, charge_of};
use surehold_testkit::fixture::StoreKind;
use surehold_testkit::on_each_store;

use super::basics::{nothing_left, quick, registry};
use super::scene::{Scene, TENANT, enqueue};
use super::till::{Act, Till};
use super::until;

const BRIEF: Act = Act::Take(Duration::from_millis(3));
/// So long that calls which may overlap do.
const LONGER: Act = Act::Take(Duration::from_millis(30));

const SMALL_BANK: Nature =
    Nature::Effect { provider: "small-bank", window_secs: Some(86_400), probe: true, calls_max: 5 };
static FEW: OperationType = OperationType { name: "FEW", running_max: 3, nature: SMALL_BANK, ..CHARGE };
static MANY: OperationType = OperationType { name: "MANY", nature: SMALL_BANK, ..CHARGE };

async fn never_more_than_allowed(kind: StoreKind) {
    let scene = Scene::new(kind).await;
    let till = Till::new(|_| LONGER);
    let shared = Arc::new(till.clone());
    let registry = Registry::default()
        .state(NoteCharge)
        .effect(Charging::once(&FEW), shared.clone())
        .effect(Charging::once(&MANY), shared);
    let engine = scene.engine_with(registry).await;
    let charges = (0..40).flat_map(|index| [&FEW, &MANY].map(|kind| charge(kind, &format!("p{index}"), 1)));
    enqueue(&engine, charges.collect()).await;
    let worker = Worker::start(engine.clone(), quick());
    nothing_left(&engine).await;
    worker.stop().await;
    assert_eq!(till.called().len(), 80);
    let of_few = till.most_at_once(|name| name.split(' ').nth(1).unwrap().to_owned())[FEW.name];
    let of_bank = till.most_at_once(|_| String::new())[""];
    assert!((2..=3).contains(&of_few), "{of_few} of one type");
    assert!((3..=5).contains(&of_bank), "{of_bank} at one provider");
    engine.stop().await;
}

async fn one_at_a_time_per_aggregate(kind: StoreKind) {
    let scene = Scene::new(kind).await;
    let till = Till::new(|_| BRIEF);
    let engine = scene.engine_with(registry(&till)).await;
    let charges = (0..60).map(|index| {
        let purchase = format!("purchase-{}", index % 3);
        charge_of(&CHARGE, &format!("{purchase}-{index}"), &purchase)
    });
    enqueue(&engine, charges.collect()).await;
    let worker = Worker::start(engine.clone(), WorkerConfig { poll_pause: Duration::from_hours(1), ..quick() });
    nothing_left(&engine).await;
    worker.stop().await;
    assert_eq!(till.called().len(), 60);
    let most = till.most_at_once(|name| name.rsplit_once('-').unwrap().0.to_owned());
    assert_eq!((most.len(), most.values().max()), (3, Some(&1)), "{most:?}");
    engine.stop().await;
}

/// Many operations of one aggregate, one of which runs for long, do not keep others from running.
async fn a_busy_aggregate_stands_in_nobodys_way(kind: StoreKind) {
    let scene = Scene::new(kind).await;
    let gate = Arc::new(tokio::sync::Notify::new());
    let opened = Arc::clone(&gate);
    let till = Till::new(move |call| match call.operation.key.as_str() {
        "long" => Act::Await(Arc::clone(&opened)),
        _ => BRIEF,
    });
    let engine = scene.engine_with(registry(&till)).await;
    let worker = Worker::start(engine.clone(), WorkerConfig { effects_max: 20, ..quick() });
    enqueue(&engine, vec![charge_of(&CHARGE, "long", "a")]).await;
    until("it runs", async || (till.called().len() == 1).then_some(())).await;
    enqueue(&engine, (0..300).map(|index| charge_of(&CHARGE, &format!("behind-{index:03}"), "a")).collect()).await;
    enqueue(&engine, vec![charge_of(&CHARGE, "other", "b")]).await;
    until("the other has run", async || (till.called().len() == 2).then_some(())).await;
    assert_eq!(till.called()[1], format!("{TENANT} CHARGE other"));
    gate.notify_one();
    nothing_left(&engine).await;
    worker.stop().await;
    assert_eq!(till.called().len(), 302);
    engine.stop().await;
}

/// Whoever has one thing to do is not behind whoever has thousands.
async fn a_small_tenant_is_not_starved(kind: StoreKind) {
    const WAITING: usize = 5_000;
    let scene = Scene::new(kind).await;
    let till = Till::new(|_| LONGER);
    let engine = scene.engine_with(registry(&till)).await;
    let small = [TenantId(0x7001), TenantId(2), TenantId(0x5_0000_0003)];
    for (index, tenant) in small.into_iter().enumerate() {
        let slug = Slug::new(&format!("small-{index}")).unwrap();
        engine.create_tenant(slug, HoldPolicy::default(), tenant).await.unwrap();
    }
    enqueue(&engine, (0..WAITING).map(|index| charge(&CHARGE, &format!("p{index}"), 1)).collect()).await;
    let worker = Worker::start(engine.clone(), WorkerConfig { effects_max: 4, ..quick() });
    until("the large one is served", async || (till.called().len() > 20).then_some(())).await;
    for tenant in small {
        engine.run(tenant, EnqueueOperation(charge(&CHARGE, "only", 1))).await.unwrap();
    }
    let of_small = || till.called().iter().filter(|name| name.ends_with("only")).count();
    until("the small ones are served", async || (of_small() == small.len()).then_some(())).await;
    let served = till.called().len();
    assert!(served < WAITING / 2, "the small ones came after {served}");
    drop(worker);
    engine.stop().await;
}

on_each_store! {
    never_more_than_allowed
    one_at_a_time_per_aggregate
    a_busy_aggregate_stands_in_nobodys_way
    a_small_tenant_is_not_starved
}
