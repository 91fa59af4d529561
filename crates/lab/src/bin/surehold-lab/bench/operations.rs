//! `surehold-lab bench operations`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};
use surehold_engine::{Engine, Worker, WorkerConfig};
use surehold_lab::bench::operations::{DoNothing, OperationsLoad, drain, registry, start_latencies, wait_for};
use surehold_lab::bench::queues::{self, QueueLibrary};
use surehold_lab::bench::{HoldsLoad, Measured, Prefill, prepare, run};

use super::figures::{Figures, Rounds};
use super::report::{self, Report};
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
    /// How often each case is measured; the rate is the median
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: u32,
    /// One JSON object instead of a table
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Case {
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
        let mut series = SeriesList::default();
        let cases = match self.case {
            Case::Drain => self.drain(&bench, &mut series).await?,
            Case::Flow => self.flow(&bench, &mut series).await?,
            Case::Start => bench.start(self.store).await?,
            Case::Finished => self.finished(&bench, &mut series).await?,
            Case::Holds => self.holds(&bench, &mut series).await?,
        };
        let mut report = Report::new("operations").field("store", self.store.name());
        report = report.field("operations", self.count).field("tenants", self.tenants);
        for case in cases {
            report.add(case);
        }
        report.print(self.json)?;
        bench.engine.stop().await;
        Ok(())
    }

    fn title(&self, name: &str) -> String {
        format!("{name}: {} operations on {}", self.count, self.store.name())
    }

    async fn drain(&self, bench: &Bench, series: &mut SeriesList) -> Result<Vec<report::Case>> {
        // Ours and theirs take turns, so that a slow minute of the machine hits all.
        for round in 0..self.rounds {
            if self.against_queues {
                for library in QueueLibrary::ALL {
                    let url = self.url.as_deref().context("--url is needed")?;
                    let drained = queues::drain(library, url, self.count, &self.dir.join("queues")).await?;
                    let elapsed = Duration::from_secs_f64(drained.drain_secs);
                    series.rounds(library.name()).add(&measured(u64::from(self.count), elapsed));
                }
            }
            bench.drain_once(&format!("drain-{round}"), "surehold", series).await?;
        }
        let mut drain = report::Case::new("drain", self.title("drain"), series.figures("surehold"));
        if self.against_queues {
            for library in QueueLibrary::ALL {
                drain = drain.against(library.name(), series.figures(library.name()));
            }
        }
        let enqueue = report::Case::new("enqueue", self.title("enqueue"), series.figures("surehold, enqueue"));
        Ok(vec![drain, enqueue])
    }

    async fn flow(&self, bench: &Bench, series: &mut SeriesList) -> Result<Vec<report::Case>> {
        for round in 0..self.rounds {
            let worker = Worker::start(bench.engine.clone(), WorkerConfig::default());
            let flow = async {
                let started = Instant::now();
                bench.load.enqueue(&bench.engine, &format!("flow-{round}")).await?;
                wait_for(&worker, bench.load.count()).await?;
                Ok(measured(u64::from(self.count), started.elapsed()))
            };
            series.rounds("surehold").measure(flow).await?;
            worker.stop().await;
        }
        Ok(vec![report::Case::new("flow", self.title("enqueue, run and complete"), series.figures("surehold"))])
    }

    async fn finished(&self, bench: &Bench, series: &mut SeriesList) -> Result<Vec<report::Case>> {
        let (few, many) = ("with few finished", "with many finished");
        for round in 0..self.rounds {
            bench.drain_once(&format!("before-{round}"), few, series).await?;
        }
        let filler = OperationsLoad { operations: usize::try_from(self.finished)?, ..bench.load };
        filler.enqueue(&bench.engine, "filler").await?;
        drain(&bench.engine, filler.count()).await?;
        for round in 0..self.rounds {
            bench.drain_once(&format!("zafter-{round}"), many, series).await?;
        }
        let enqueue = |name: &str| series.figures(&format!("{name}, enqueue"));
        let drains = report::Case::new("drain", self.title("drain with many finished"), series.figures(many));
        let enqueues = report::Case::new("enqueue", self.title("enqueue with many finished"), enqueue(many));
        Ok(vec![drains.against(few, series.figures(few)), enqueues.against(few, enqueue(few))])
    }

    /// The worker drains what is enqueued beforehand; there is more of it than it can do in the time.
    async fn holds(&self, bench: &Bench, series: &mut SeriesList) -> Result<Vec<report::Case>> {
        let (undisturbed, draining, meanwhile) = ("undisturbed", "while draining", "meanwhile");
        let load = HoldsLoad { clients: 64, tenants: 1, room_types: 1, nights: 3, batch: 1 };
        prepare(&bench.engine, &load, Prefill { holds: 0 }).await?;
        run(&bench.engine, &load, Duration::from_secs(1)).await;
        for round in 0..self.rounds {
            let hold = async || Ok(run(&bench.engine, &load, HOLDS_SLICE).await);
            series.rounds(undisturbed).measure(hold()).await?;
            bench.load.enqueue(&bench.engine, &format!("holds-{round}")).await?;
            let worker = Worker::start(bench.engine.clone(), WorkerConfig::default());
            let started = Instant::now();
            series.rounds(draining).measure(hold()).await?;
            let done = worker.succeeded_count();
            series.rounds(meanwhile).add(&measured(done, started.elapsed()));
            ensure!(
                done < u64::try_from(bench.load.count())?,
                "the operations were drained before the holds were measured; give more --operations"
            );
            wait_for(&worker, bench.load.count()).await?;
            worker.stop().await;
        }
        let holds = report::Case::new("holds", "holds, while operations drain", series.figures(draining));
        let operations = report::Case::new("operations", "operations meanwhile", series.figures(meanwhile));
        Ok(vec![holds.against(undisturbed, series.figures(undisturbed)), operations])
    }
}

/// How long holds are measured.
const HOLDS_SLICE: Duration = Duration::from_secs(4);

/// Operations whose start is measured.
const STARTS: usize = 300;

impl Bench {
    async fn drain_once(&self, key: &str, name: &str, series: &mut SeriesList) -> Result<()> {
        let count = u64::try_from(self.load.count())?;
        let enqueue = async { Ok(measured(count, self.load.enqueue(&self.engine, key).await?)) };
        series.rounds(&format!("{name}, enqueue")).measure(enqueue).await?;
        self.target.vacuum().await?;
        let drain = async { Ok(measured(count, drain(&self.engine, self.load.count()).await?)) };
        series.rounds(name).measure(drain).await
    }

    async fn start(&self, store: StoreKind) -> Result<Vec<report::Case>> {
        let latencies = start_latencies(&self.engine, &self.handler, STARTS).await?;
        let micros = |latency: &Duration| u64::try_from(latency.as_micros()).unwrap_or(u64::MAX);
        let start_us: Vec<u64> = latencies.iter().map(micros).collect();
        let at = |percent: usize| start_us[(start_us.len() - 1) * percent / 100];
        let title = format!("from asking to running, idle, on {}", store.name());
        let case = report::Case::new("start", title, Figures::latencies(at(50), Some(at(99))));
        Ok(vec![case.field("start_us", start_us)])
    }
}

/// Rounds by name.
#[derive(Default)]
struct SeriesList(BTreeMap<String, Rounds>);

impl SeriesList {
    fn rounds(&mut self, name: &str) -> &mut Rounds {
        self.0.entry(name.to_owned()).or_default()
    }

    fn figures(&self, name: &str) -> Figures {
        self.0.get(name).map(Rounds::median_figures).unwrap_or_default()
    }
}

fn measured(operations: u64, elapsed: Duration) -> Measured {
    Measured { holds: operations, elapsed, ..Measured::default() }
}
