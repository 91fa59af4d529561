//! State operations that do nothing, by the hundred thousand: what is left is the engine's own cost.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use futures_util::future::try_join_all;
use surehold_core::kernel::{Facts, HoldPolicy, Slug, Stop, TenantId};
use surehold_core::operations::commands::EnqueueOperation;
use surehold_core::operations::{
    Mode, Nature, NewOperation, Operation, OperationKey, OperationType, Payload, Priority, RetryPolicy, StateHandler,
    Trouble,
};
use surehold_engine::{Engine, Registry, Worker, WorkerConfig};

pub static DO_NOTHING: OperationType = OperationType {
    name: "DO_NOTHING",
    key: &["series", "number"],
    mode: Mode::Once,
    priority: Priority::Normal,
    retry: RetryPolicy::exponential(5, 1_000, 2, 60_000),
    deadline_secs: 30,
    stuck_after_secs: 86_400,
    recheck_secs: 30,
    running_max: 1_000,
    nature: Nature::State,
};

/// When operations were run, for those that somebody wants to know of.
type Watched = Arc<Mutex<HashMap<OperationKey, Option<Instant>>>>;

#[derive(Clone, Debug, Default)]
pub struct DoNothing {
    watched: Watched,
}

impl StateHandler for DoNothing {
    fn kind(&self) -> &'static OperationType {
        &DO_NOTHING
    }

    fn run(&self, operation: &Operation, _: &mut Facts) -> Result<Payload, Stop<Trouble>> {
        let mut watched = self.watched.lock().expect("nothing panics while holding it");
        if !watched.is_empty()
            && let Some(ran_at) = watched.get_mut(&operation.key)
        {
            ran_at.get_or_insert_with(Instant::now);
        }
        Ok(Payload::null())
    }
}

/// The engine under measurement knows one type more.
pub fn registry(handler: &DoNothing) -> Registry {
    Registry::default().state(handler.clone())
}

#[derive(Clone, Copy, Debug)]
pub struct OperationsLoad {
    pub operations: usize,
    pub tenants: usize,
}

/// Enqueued in one request.
const REQUEST: usize = 2_000;
/// The first of those who place holds: with one tenant, both are work for the same turn.
const FIRST_TENANT: i64 = 9_000_000;

impl OperationsLoad {
    fn tenants(&self) -> impl Iterator<Item = TenantId> + use<> {
        (0..i64::try_from(self.tenants).expect("a few")).map(|index| TenantId(FIRST_TENANT + index))
    }

    pub async fn prepare(&self, engine: &Engine) -> Result<()> {
        for tenant in self.tenants() {
            let slug = Slug::new(&format!("bench-{tenant}"))?;
            engine.create_tenant(slug, HoldPolicy::default(), tenant).await.context("cannot make a tenant")?;
        }
        Ok(())
    }

    /// Asks for all operations, of all tenants at the same time. Returns how long that took.
    pub async fn enqueue(&self, engine: &Engine, series: &str) -> Result<Duration> {
        let started = Instant::now();
        let each = self.operations / self.tenants;
        try_join_all(self.tenants().map(|tenant| enqueue_series(engine, tenant, series, each))).await?;
        Ok(started.elapsed())
    }

    pub fn count(&self) -> usize {
        self.operations / self.tenants * self.tenants
    }
}

async fn enqueue_series(engine: &Engine, tenant: TenantId, series: &str, count: usize) -> Result<()> {
    let numbers: Vec<usize> = (0..count).collect();
    for numbers in numbers.chunks(REQUEST) {
        let commands = numbers.iter().map(|number| nothing(series, *number)).collect::<Result<_>>()?;
        for outcome in engine.run_all(tenant, commands).await {
            outcome.context("cannot enqueue")?;
        }
    }
    Ok(())
}

fn nothing(series: &str, number: usize) -> Result<EnqueueOperation> {
    let key = DO_NOTHING.key(&[series, &format!("{number:08}")])?;
    Ok(EnqueueOperation(NewOperation::new(&DO_NOTHING, key, Payload::null())))
}

/// Starts a worker on what is waiting and stops it when all is done: done and committed, not only run.
pub async fn drain(engine: &Engine, count: usize) -> Result<Duration> {
    let started = Instant::now();
    let worker = Worker::start(engine.clone(), WorkerConfig::default());
    wait_for(&worker, count).await?;
    let elapsed = started.elapsed();
    worker.stop().await;
    Ok(elapsed)
}

pub async fn wait_for(worker: &Worker, count: usize) -> Result<()> {
    let deadline = Instant::now() + Duration::from_mins(5);
    let count = u64::try_from(count)?;
    while worker.succeeded_count() < count {
        ensure!(Instant::now() < deadline, "only {} of {count} were done in time", worker.succeeded_count());
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    Ok(())
}

/// From asking for an operation, told that it is durable, to its handler running, one at a time on an idle system.
pub async fn start_latencies(engine: &Engine, handler: &DoNothing, rounds: usize) -> Result<Vec<Duration>> {
    let tenant = TenantId(FIRST_TENANT);
    let worker = Worker::start(engine.clone(), WorkerConfig::default());
    let mut latencies = Vec::new();
    for round in 0..rounds {
        let command = nothing("latency", round)?;
        let key = command.0.key.clone();
        handler.watched.lock().expect("nothing panics while holding it").insert(key.clone(), None);
        let asked_at = Instant::now();
        engine.run(tenant, command).await.context("cannot enqueue")?;
        let ran_at = loop {
            if let Some(ran_at) = handler.watched.lock().expect("nothing panics while holding it")[&key] {
                break ran_at;
            }
            tokio::time::sleep(Duration::from_micros(200)).await;
        };
        handler.watched.lock().expect("nothing panics while holding it").clear();
        latencies.push(ran_at.saturating_duration_since(asked_at));
        // Idle again.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    worker.stop().await;
    latencies.sort_unstable();
    Ok(latencies)
}
