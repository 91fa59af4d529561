//! `surehold bench operations`.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};
use serde::Serialize;
use surehold_engine::{Engine, Worker, WorkerConfig};
use surehold_lab::bench::operations::{DoNothing, OperationsLoad, drain, registry, start_latencies, wait_for};
use surehold_lab::bench::queues::{self, QueueLibrary};
use surehold_lab::bench::{HoldsLoad, Measured, Prefill, prepare, run};

use super::ROUNDS;
use super::operations_report::{Rate, Report};
use super::stores::{StoreKind, Target};

/// State operations that do nothing: what is left is the engine's own cost. Everything is on: identity for ever, run
/// state, journal, versions, metrics, full durability.
#[derive(Args)]
pub(crate) struct Operations {
    /// Where the operations are kept
    #[arg(long, value_enum, default_value = "sqlite")]
    store: StoreKind,
    /// The Postgres database: an empty one, it keeps what is measured
    #[arg(long)]
    url: Option<String>,
    /// Where the SQLite file is put, and other queues are installed
    #[arg(long, default_value = ".")]
    dir: PathBuf,
    /// What is measured
    #[arg(long, value_enum, default_value = "drain")]
    case: Case,
    /// How many operations
    #[arg(long = "operations", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1_000..=10_000_000))]
    count: u32,
    /// Tenants to whom they belong
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    tenants: u32,
    /// Measure graphile-worker and pg-boss too, on the same Postgres in turns with ours (needs npm)
    #[arg(long)]
    against_queues: bool,
    /// Operations that were finished before; for --case finished
    #[arg(long, default_value_t = 1_000_000)]
    finished: u32,
    /// One JSON object instead of a table
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Case {
    /// Everything waits; a worker starts and runs it
    Drain,
    /// Enqueued while a worker runs: from the first request to the last completion
    Flow,
    /// One at a time on an idle system: from asking to running
    Start,
    /// Drain without, then with, many finished operations in the table
    Finished,
    /// Holds of one tenant undisturbed, then while operations drain (of the same tenant, with --tenants 1)
    Holds,
}

struct Bench {
    target: Target,
    engine: Engine,
    handler: DoNothing,
    load: OperationsLoad,
}

impl Operations {
    pub(crate) async fn run(self) -> Result<()> {
        ensure!(
            !self.against_queues || self.store == StoreKind::Postgres,
            "other queues run on Postgres; add --store postgres --url …"
        );
        let target = Target::new(self.store, self.url.clone(), &self.dir)?;
        let handler = DoNothing::default();
        let engine = target.engine_with(registry(&handler)).await?;
        let load = OperationsLoad { operations: usize::try_from(self.count)?, tenants: usize::try_from(self.tenants)? };
        load.prepare(&engine).await?;
        let bench = Bench { target, engine, handler, load };
        let store = match self.store {
            StoreKind::Sqlite => "sqlite",
            StoreKind::Postgres => "postgres",
        };
        let mut report = Report::new(store, self.case, self.count, self.tenants);
        match self.case {
            Case::Drain => self.drain(&bench, &mut report).await?,
            Case::Flow => self.flow(&bench, &mut report).await?,
            Case::Start => bench.start(&mut report).await?,
            Case::Finished => self.finished(&bench, &mut report).await?,
            Case::Holds => bench.holds(&mut report).await?,
        }
        report.print(self.json)?;
        bench.engine.stop().await;
        Ok(())
    }

    async fn drain(&self, bench: &Bench, report: &mut Report) -> Result<()> {
        // Ours and theirs take turns, so that a slow minute of the machine hits all.
        for round in 0..ROUNDS {
            if self.against_queues {
                for library in QueueLibrary::ALL {
                    let url = self.url.as_deref().context("--url is needed")?;
                    let drained = queues::drain(library, url, self.count, &self.dir.join("queues")).await?;
                    report.add(library.name(), Rate::of(self.count, Duration::from_secs_f64(drained.drain_secs)));
                }
            }
            bench.drain_once(&format!("drain-{round}"), "surehold", report).await?;
        }
        Ok(())
    }

    async fn flow(&self, bench: &Bench, report: &mut Report) -> Result<()> {
        for round in 0..ROUNDS {
            let worker = Worker::start(bench.engine.clone(), WorkerConfig::default());
            let started = std::time::Instant::now();
            bench.load.enqueue(&bench.engine, &format!("flow-{round}")).await?;
            wait_for(&worker, bench.load.count()).await?;
            report.add("surehold", Rate::of(self.count, started.elapsed()));
            worker.stop().await;
        }
        Ok(())
    }

    async fn finished(&self, bench: &Bench, report: &mut Report) -> Result<()> {
        for round in 0..ROUNDS {
            bench.drain_once(&format!("before-{round}"), "with few finished", report).await?;
        }
        let filler = OperationsLoad { operations: usize::try_from(self.finished)?, ..bench.load };
        filler.enqueue(&bench.engine, "filler").await?;
        drain(&bench.engine, filler.count()).await?;
        for round in 0..ROUNDS {
            bench.drain_once(&format!("zafter-{round}"), "with many finished", report).await?;
        }
        Ok(())
    }
}

/// How long holds are measured.
const HOLDS_SLICE: Duration = Duration::from_secs(4);

impl Bench {
    async fn drain_once(&self, series: &str, name: &str, report: &mut Report) -> Result<()> {
        let enqueued = self.load.enqueue(&self.engine, series).await?;
        let operations = u32::try_from(self.load.count())?;
        report.add(&format!("{name}, enqueue"), Rate::of(operations, enqueued));
        self.target.vacuum().await?;
        let drained = drain(&self.engine, self.load.count()).await?;
        report.add(name, Rate::of(operations, drained));
        Ok(())
    }

    async fn start(&self, report: &mut Report) -> Result<()> {
        let latencies = start_latencies(&self.engine, &self.handler, 300).await?;
        report.start_us =
            Some(latencies.iter().map(|latency| u64::try_from(latency.as_micros()).unwrap_or(u64::MAX)).collect());
        Ok(())
    }

    /// The worker drains what is enqueued beforehand; there is more of it than it can do in the time.
    async fn holds(&self, report: &mut Report) -> Result<()> {
        let load = HoldsLoad { clients: 64, tenants: 1, room_types: 1, nights: 3, batch: 1 };
        prepare(&self.engine, &load, Prefill { holds: 0 }).await?;
        run(&self.engine, &load, Duration::from_secs(1)).await;
        for round in 0..ROUNDS {
            let calm = run(&self.engine, &load, HOLDS_SLICE).await;
            report.add("holds, undisturbed", holds_rate(&calm));
            self.load.enqueue(&self.engine, &format!("holds-{round}")).await?;
            let worker = Worker::start(self.engine.clone(), WorkerConfig::default());
            let started = std::time::Instant::now();
            let busy = run(&self.engine, &load, HOLDS_SLICE).await;
            let done = worker.succeeded_count();
            report.add("holds, while draining", holds_rate(&busy));
            report.add("operations meanwhile", Rate { count: done, secs: started.elapsed().as_secs_f64() });
            ensure!(
                done < u64::try_from(self.load.count())?,
                "the operations were drained before the holds were measured; give more --operations"
            );
            wait_for(&worker, self.load.count()).await?;
            worker.stop().await;
        }
        Ok(())
    }
}

fn holds_rate(measured: &Measured) -> Rate {
    Rate { count: measured.holds, secs: measured.elapsed.as_secs_f64() }
}
