//! A store, a provider, and what must be true of both in the end.

use std::collections::BTreeMap;

use super::until;
use surehold_core::kernel::{Event, HoldPolicy, Slug, TenantId};
use surehold_core::operations::commands::EnqueueOperation;
use surehold_core::operations::{
    AggregateLock, Case, CaseState, Effect, EffectState, NewOperation, Operation, OperationKey, OperationName,
    OperationRun, OperationsEvent, Outcome,
};
use surehold_engine::{Engine, EngineConfig, Registry};
use surehold_simulators::charge::{CHARGE_WITH_FEE, NOTE_CHARGE, effect_name, note};
use surehold_simulators::provider::{FakeProvider, ProviderFault};
use surehold_testkit::fixture::{Fixture, Place, StoreKind};

use super::process::WorkerProcess;
use crate::conformance::journal;

pub(super) const TENANT: TenantId = TenantId(1);
const JOURNAL_PAGE_ROWS: u16 = 1_000;

pub(super) struct Scene {
    pub(super) fixture: Fixture,
    pub(super) provider: FakeProvider,
    /// Of all processes that are started from now on, and of engines in this one.
    clock_offset_secs: i64,
}

/// What there was to compare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) succeeded: usize,
    pub(super) dead: usize,
    pub(super) charges: usize,
    pub(super) declined: usize,
}

impl Scene {
    pub(super) async fn new(kind: StoreKind) -> Scene {
        let scene = Scene {
            fixture: Fixture::new(kind).await.unwrap(),
            provider: FakeProvider::start().await,
            clock_offset_secs: 0,
        };
        let engine = scene.engine().await;
        engine.create_tenant(Slug::new("shop").unwrap(), HoldPolicy::default(), TENANT).await.unwrap();
        engine.stop().await;
        scene
    }

    /// One that carries nothing out. On SQLite, nobody else may be alive.
    pub(super) async fn engine(&self) -> Engine {
        self.engine_with(Registry::default()).await
    }

    pub(super) async fn engine_with(&self, registry: Registry) -> Engine {
        let config = EngineConfig { sweep_pause: None, ..EngineConfig::default() };
        // Processes that are just being started hold this one's locks until they run.
        let store = until("the store can be opened", async || self.fixture.store().await.ok()).await;
        Engine::start_with(store, config, registry).unwrap()
    }

    pub(super) async fn enqueue(&self, operations: Vec<NewOperation>) {
        let engine = self.engine().await;
        enqueue(&engine, operations).await;
        engine.stop().await;
    }

    pub(super) fn queue_fault(&self, fault: ProviderFault, count: usize) {
        self.provider.queue_faults(&vec![fault; count]);
    }

    /// For the store. The provider's clock is its own.
    pub(super) fn advance_secs(&mut self, secs: i64) {
        self.clock_offset_secs += secs;
        self.fixture.advance_secs(secs);
    }

    pub(super) fn worker(&self, options: &[&str]) -> WorkerProcess {
        let store = match &self.fixture.place {
            Place::Sqlite(_) => format!("sqlite:{}", self.fixture.file().display()),
            Place::Postgres { url } => url.clone(),
        };
        let offset = self.clock_offset_secs.to_string();
        let options = options.iter().copied().chain(["--clock-offset-secs", &offset]).map(str::to_owned);
        WorkerProcess::start(&store, &self.provider.address().to_string(), &options.collect::<Vec<_>>())
    }

    /// A worker that dies there. `place` is a boundary and how often it is visited before.
    pub(super) async fn worker_dies_at(&self, place: &str) {
        self.worker(&["--die-at", place]).dies().await;
    }

    /// A worker that lives until nothing is left to do.
    pub(super) async fn work_until_idle(&self) {
        let mut worker = self.worker(&[]);
        worker.says("idle").await;
        worker.stop().await;
    }

    /// Every effect that the store says has happened is at the provider once, every other is not there, and nothing is
    /// undecided. What follows a charge has happened once too.
    pub(super) async fn assert_each_once(&self) -> Tally {
        let engine = self.engine().await;
        let tally = assert_each_once(&engine, &self.provider).await;
        engine.stop().await;
        tally
    }
}

pub(super) async fn enqueue(engine: &Engine, operations: Vec<NewOperation>) {
    for outcome in engine.run_all(TENANT, operations.into_iter().map(EnqueueOperation).collect()).await {
        outcome.unwrap();
    }
}

pub(super) async fn assert_each_once(engine: &Engine, provider: &FakeProvider) -> Tally {
    let views = engine.views();
    assert_eq!(views.all_records::<OperationRun>(TENANT).await.unwrap(), [], "nothing is left to do");
    assert_eq!(views.all_records::<AggregateLock>(TENANT).await.unwrap(), []);
    let cases: Vec<Case> = views.all_records(TENANT).await.unwrap();
    let open: Vec<_> = cases.iter().filter(|case| case.state == CaseState::Open).collect();
    assert!(open.is_empty(), "{open:?}");
    let operations: Vec<Operation> = views.all_records(TENANT).await.unwrap();
    let effects: Vec<Effect> = views.all_records(TENANT).await.unwrap();
    let mut tally = Tally::default();
    assert_effects(&effects, provider, &mut tally);
    let succeeded = successes(engine).await;
    for operation in &operations {
        let own: Vec<&Effect> = effects.iter().filter(|effect| effect.key.operation == operation.key).collect();
        assert_operation(operation, &own, &operations, &mut tally);
        let times = succeeded.get(&operation.key).copied().unwrap_or(0);
        assert_eq!(times, usize::from(operation.outcome == Some(Outcome::Succeeded)), "{}", operation.key);
    }
    tally
}

fn assert_effects(effects: &[Effect], provider: &FakeProvider, tally: &mut Tally) {
    let report = provider.report();
    for effect in effects {
        let name = effect_name(TENANT, &effect.key.operation, effect.key.step);
        let charges: Vec<&str> =
            report.charges.iter().filter(|charge| charge.operation() == Some(&name)).map(|it| it.id.as_str()).collect();
        match effect.state {
            EffectState::Confirmed => {
                assert_eq!(charges, effect.provider_ref.as_deref().as_slice(), "{name}");
                tally.charges += 1;
            }
            EffectState::Rejected => {
                assert_eq!(charges, [""; 0], "{name}");
                tally.declined += 1;
            }
            EffectState::Intent | EffectState::Unknown => panic!("{effect:?} has {charges:?}"),
        }
    }
    assert_eq!(report.charges.len(), tally.charges, "nothing is at the provider that the store does not know");
    assert_eq!(report.mismatches, 0, "one key, one content");
}

fn assert_operation(operation: &Operation, effects: &[&Effect], all: &[Operation], tally: &mut Tally) {
    let kind = operation.key.kind.as_str();
    let is_charge = kind.starts_with("CHARGE");
    let outcome = operation.outcome.expect("it has no run, so it has ended");
    match outcome {
        Outcome::Succeeded => tally.succeeded += 1,
        Outcome::DeadLetter => tally.dead += 1,
    }
    if !is_charge {
        assert_eq!(outcome, Outcome::Succeeded, "{}", operation.key);
        return;
    }
    let steps = if kind == CHARGE_WITH_FEE.name { 2 } else { 1 };
    let complete = effects.len() == steps && effects.iter().all(|effect| effect.is_confirmed());
    let noted = all.iter().filter(|other| other.key == note(&operation.key).key).count();
    assert_eq!(noted, usize::from(complete), "{} and its {}", operation.key, NOTE_CHARGE.name);
    if !complete {
        let last = effects.last().expect("a charge that ended has an effect");
        assert_eq!(last.state, EffectState::Rejected, "{}", operation.key);
    }
}

/// How often each operation succeeded, as the journal tells it.
async fn successes(engine: &Engine) -> BTreeMap<OperationKey, usize> {
    let mut found = BTreeMap::new();
    for row in journal(engine, TENANT, JOURNAL_PAGE_ROWS).await {
        for event in row.events {
            if let Event::Operations(OperationsEvent::OperationSucceeded { operation, .. }) = event {
                let OperationName { kind, key } = operation;
                let key = OperationKey { kind: kind.try_into().unwrap(), key: key.try_into().unwrap() };
                *found.entry(key).or_default() += 1;
            }
        }
    }
    found
}
