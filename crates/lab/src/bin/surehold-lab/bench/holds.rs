//! `surehold-lab bench holds`.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use surehold_engine::{BATCH_COMMANDS_MAX, Engine};
use surehold_lab::bench::{HoldsLoad, Measured, Prefill, Textbook, prepare, run};

use super::batches::Batches;
use super::figures::Rounds;
use super::report::{Case, Report};
use super::stores::{StoreKind, Target};
use super::timing::Timing;

/// Everything is on: journal, idempotency by id, versions, metrics, full durability.
#[derive(Args)]
pub(crate) struct Holds {
    /// Where the holds are kept
    #[arg(long, value_enum, default_value = "sqlite")]
    store: StoreKind,
    /// The Postgres database: an empty one, it keeps what is measured
    #[arg(long)]
    url: Option<String>,
    /// The folder whose disk is measured, and where the SQLite file is put
    #[arg(long, default_value = ".")]
    dir: PathBuf,
    /// Clients, each waiting for its answer before it asks again
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    clients: u32,
    /// All clients want the same room type (the default)
    #[arg(long, conflicts_with = "pools")]
    hot: bool,
    /// Room types to choose from
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pools: u32,
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    tenants: u32,
    /// Nights of each hold
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    nights: u32,
    #[command(flatten)]
    timing: Timing,
    /// Holds per request
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    batch: u32,
    /// Holds that are there before the measurement
    #[arg(long, default_value_t = 0)]
    prefill: u64,
    /// Engines that share the store; the clients are spread over them
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=8))]
    engines: u32,
    /// What to compare with, in the same run
    #[arg(long, value_enum, default_value = "fdatasync")]
    against: Rival,
    /// Clients of the textbook, if not as many as ours
    #[arg(long)]
    against_clients: Option<u32>,
    /// One JSON object instead of a table
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Rival {
    /// 4 KiB appends made durable one by one on the same disk
    Fdatasync,
    /// The transaction that every textbook shows, on the same Postgres
    Textbook,
    /// Ours runs under a reader of the whole table; the rival is ours without it
    Undisturbed,
    /// Ours runs with --prefill; the rival is ours with 10,000 holds
    Small,
    /// Ours runs with --engines; the rival is one engine
    OneEngine,
}

const SMALL_HOLDS: u64 = 10_000;

/// What is measured, opened and filled.
struct Bench {
    target: Target,
    load: HoldsLoad,
    engines: Vec<Engine>,
    metrics: PrometheusHandle,
}

impl Holds {
    pub(crate) async fn run(self) -> Result<()> {
        ensure!(
            self.against != Rival::Textbook || self.store == StoreKind::Postgres,
            "--against textbook runs on Postgres; add --store postgres --url …"
        );
        ensure!(
            self.engines == 1 || self.store == StoreKind::Postgres,
            "an SQLite file has one writer; --engines needs --store postgres"
        );
        let metrics = PrometheusBuilder::new().install_recorder().context("cannot keep metrics")?;
        let target = Target::new(self.store, self.url.clone(), &self.dir)?;
        let mut engines = Vec::new();
        for _ in 0..self.engines {
            engines.push(target.engine().await?);
        }
        let load = HoldsLoad {
            clients: usize::try_from(self.clients)?,
            tenants: usize::try_from(self.tenants)?,
            room_types: usize::try_from(self.pools)?,
            nights: usize::try_from(self.nights)?,
            batch: usize::try_from(self.batch)?.min(BATCH_COMMANDS_MAX),
        };
        let bench = Bench { target, load, engines, metrics };
        let report = self.measure(&bench).await?;
        report.print(self.json)?;
        for engine in bench.engines {
            engine.stop().await;
        }
        Ok(())
    }

    async fn measure(&self, bench: &Bench) -> Result<Report> {
        let first = if self.against == Rival::Small { SMALL_HOLDS } else { self.prefill };
        prepare(&bench.engines[0], &bench.load, Prefill { holds: first }).await?;
        bench.hold(&bench.engines, self.timing.warmup()).await;
        let before = bench.batches();
        let measured = match self.against {
            Rival::Fdatasync => self.against_disk(bench).await?,
            Rival::Textbook => self.against_textbook(bench).await?,
            Rival::Undisturbed => self.against_undisturbed(bench).await?,
            Rival::Small => self.against_small(bench).await?,
            Rival::OneEngine => self.against_one_engine(bench).await?,
        };
        Ok(self.report(bench, &measured, bench.batches().since(&before)))
    }

    async fn against_disk(&self, bench: &Bench) -> Result<Compared> {
        let mut compared = Compared::new("fdatasync");
        for _ in 0..self.timing.rounds() {
            let disk = self.timing.probe(&self.dir)?;
            compared.disk.add(&disk);
            compared.theirs.add(&disk);
            compared.ours.measure(bench.round(&bench.engines, self.timing.slice())).await?;
        }
        Ok(compared)
    }

    async fn against_textbook(&self, bench: &Bench) -> Result<Compared> {
        let clients = self.against_clients.map_or(Ok(bench.load.clients), usize::try_from)?;
        let load = HoldsLoad { clients, ..bench.load.clone() };
        let url = self.url.as_deref().context("--url is needed")?;
        let mut textbook = Textbook::prepare(url, &load).await?;
        let mut compared = Compared::new(&format!("textbook, {clients} clients"));
        for _ in 0..self.timing.rounds() {
            compared.disk.add(&self.timing.probe(&self.dir)?);
            compared.theirs.add(&textbook.run(self.timing.slice()).await?);
            compared.ours.measure(bench.round(&bench.engines, self.timing.slice())).await?;
        }
        Ok(compared)
    }

    async fn against_undisturbed(&self, bench: &Bench) -> Result<Compared> {
        let mut compared = Compared::new("undisturbed");
        for _ in 0..self.timing.rounds() {
            compared.disk.add(&self.timing.probe(&self.dir)?);
            compared.theirs.measure(bench.round(&bench.engines, self.timing.slice())).await?;
            let reader = bench.target.reader()?;
            // Without CPU: the reader of an SQLite file spends some in this process.
            compared.ours.add(&bench.hold(&bench.engines, self.timing.slice()).await);
            let scans = reader.stop()?;
            eprintln!("The reader went through the table {scans} times");
        }
        Ok(compared)
    }

    async fn against_small(&self, bench: &Bench) -> Result<Compared> {
        let mut compared = Compared::new("10,000 holds");
        compared.disk.add(&self.timing.probe(&self.dir)?);
        compared.theirs.measure(bench.round(&bench.engines, self.timing.slice())).await?;
        let there = SMALL_HOLDS + compared.theirs.measured().holds;
        prepare(&bench.engines[0], &bench.load, Prefill { holds: self.prefill.saturating_sub(there) }).await?;
        compared.disk.add(&self.timing.probe(&self.dir)?);
        compared.ours.measure(bench.round(&bench.engines, self.timing.slice())).await?;
        Ok(compared)
    }

    async fn against_one_engine(&self, bench: &Bench) -> Result<Compared> {
        let mut compared = Compared::new("one engine");
        for _ in 0..self.timing.rounds() {
            compared.disk.add(&self.timing.probe(&self.dir)?);
            compared.theirs.measure(bench.round(&bench.engines[..1], self.timing.slice())).await?;
            compared.ours.measure(bench.round(&bench.engines, self.timing.slice())).await?;
        }
        Ok(compared)
    }

    fn report(&self, bench: &Bench, compared: &Compared, mean_batch: f64) -> Report {
        let store = self.store.name();
        let Compared { ours, name, theirs, disk } = compared;
        let case = Case::new("holds", format!("surehold on {store}"), ours.figures())
            .against(name, theirs.figures())
            .field("clients", bench.load.clients)
            .field("engines", bench.engines.len())
            .field("tenants", bench.load.tenants)
            .field("pools", bench.load.room_types)
            .field("nights", bench.load.nights)
            .field("batch", bench.load.batch)
            .field("prefilled", self.prefill)
            .mean_batch(Some(mean_batch))
            .fdatasync_per_s(disk.rate_per_s());
        let mut report = Report::new("holds").field("store", store);
        report.add(case);
        report
    }
}

/// Both sides, and the disk under them.
struct Compared {
    ours: Rounds,
    name: String,
    theirs: Rounds,
    disk: Measured,
}

impl Compared {
    fn new(name: &str) -> Compared {
        let (ours, theirs, disk) = (Rounds::default(), Rounds::default(), Measured::default());
        Compared { ours, name: name.to_owned(), theirs, disk }
    }
}

impl Bench {
    /// The load, spread over the engines.
    async fn hold(&self, engines: &[Engine], duration: Duration) -> Measured {
        let clients = self.load.clients / engines.len();
        let load = HoldsLoad { clients, ..self.load.clone() };
        let running: Vec<_> = engines
            .iter()
            .map(|engine| {
                let (engine, load) = (engine.clone(), load.clone());
                tokio::spawn(async move { run(&engine, &load, duration).await })
            })
            .collect();
        let mut measured = Measured::default();
        let mut elapsed = Duration::ZERO;
        for engine in running {
            let part = engine.await.expect("clients do not panic");
            elapsed = elapsed.max(part.elapsed);
            measured.add(&part);
        }
        measured.elapsed = elapsed;
        measured
    }

    async fn round(&self, engines: &[Engine], duration: Duration) -> Result<Measured> {
        Ok(self.hold(engines, duration).await)
    }

    fn batches(&self) -> Batches {
        Batches::read(&self.metrics.render())
    }
}
