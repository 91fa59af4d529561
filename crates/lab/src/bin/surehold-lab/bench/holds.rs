//! `surehold bench holds`.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use surehold_engine::{BATCH_COMMANDS_MAX, Engine};
use surehold_lab::bench::{HoldsLoad, Measured, Prefill, Textbook, fdatasync_per_s, prepare, run};

use super::batches::Batches;
use super::report::{Against, Report};
use super::stores::{StoreKind, Target};
use super::{PROBE, ROUNDS};

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
    /// Measured time, shared by both sides of a comparison
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=3_600))]
    seconds: u32,
    /// Time before the measurement that does not count
    #[arg(long, default_value_t = 1)]
    warmup_seconds: u32,
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
        bench.hold(&bench.engines, Duration::from_secs(u64::from(self.warmup_seconds))).await;
        let mut disk = Vec::new();
        let before = bench.batches();
        let slice = Duration::from_secs_f64(f64::from(self.seconds) / f64::from(ROUNDS));
        let (ours, against) = match self.against {
            Rival::Fdatasync => {
                let mut ours = Measured::default();
                for _ in 0..ROUNDS {
                    disk.push(fdatasync_per_s(&self.dir, PROBE)?);
                    ours.add(&bench.hold(&bench.engines, slice).await);
                }
                let rate_per_s = mean(&disk);
                (ours, Against { name: "fdatasync".to_owned(), rate_per_s, p99_us: None, errors: 0 })
            }
            Rival::Textbook => {
                let rivals = self.against_clients.map_or(Ok(bench.load.clients), usize::try_from)?;
                let load = HoldsLoad { clients: rivals, ..bench.load.clone() };
                let url = self.url.as_deref().context("--url is needed")?;
                let mut textbook = Textbook::prepare(url, &load).await?;
                let (mut ours, mut theirs) = (Measured::default(), Measured::default());
                for _ in 0..ROUNDS {
                    disk.push(fdatasync_per_s(&self.dir, PROBE)?);
                    theirs.add(&textbook.run(slice).await?);
                    ours.add(&bench.hold(&bench.engines, slice).await);
                }
                (ours, Against::measured(&format!("textbook, {rivals} clients"), &theirs))
            }
            Rival::Undisturbed => {
                let (mut ours, mut calm) = (Measured::default(), Measured::default());
                for _ in 0..ROUNDS {
                    disk.push(fdatasync_per_s(&self.dir, PROBE)?);
                    calm.add(&bench.hold(&bench.engines, slice).await);
                    let reader = bench.target.reader()?;
                    ours.add(&bench.hold(&bench.engines, slice).await);
                    let scans = reader.stop()?;
                    eprintln!("The reader went through the table {scans} times");
                }
                (ours, Against::measured("undisturbed", &calm))
            }
            Rival::Small => {
                disk.push(fdatasync_per_s(&self.dir, PROBE)?);
                let small = bench.hold(&bench.engines, slice).await;
                let there = SMALL_HOLDS + small.holds;
                prepare(&bench.engines[0], &bench.load, Prefill { holds: self.prefill.saturating_sub(there) }).await?;
                disk.push(fdatasync_per_s(&self.dir, PROBE)?);
                let ours = bench.hold(&bench.engines, slice).await;
                (ours, Against::measured("10,000 holds", &small))
            }
            Rival::OneEngine => {
                let (mut ours, mut one) = (Measured::default(), Measured::default());
                for _ in 0..ROUNDS {
                    disk.push(fdatasync_per_s(&self.dir, PROBE)?);
                    one.add(&bench.hold(&bench.engines[..1], slice).await);
                    ours.add(&bench.hold(&bench.engines, slice).await);
                }
                (ours, Against::measured("one engine", &one))
            }
        };
        Ok(self.report(bench, &ours, against, bench.batches().since(&before), mean(&disk)))
    }

    fn report(&self, bench: &Bench, ours: &Measured, against: Against, mean_batch: f64, fdatasync: f64) -> Report {
        Report {
            store: match self.store {
                StoreKind::Sqlite => "sqlite".to_owned(),
                StoreKind::Postgres => "postgres".to_owned(),
            },
            clients: bench.load.clients,
            engines: bench.engines.len(),
            tenants: bench.load.tenants,
            pools: bench.load.room_types,
            nights: bench.load.nights,
            batch: bench.load.batch,
            prefilled: self.prefill,
            seconds: ours.elapsed.as_secs_f64(),
            holds: ours.holds,
            errors: ours.errors,
            rate_per_s: ours.rate_per_s(),
            p50_us: ours.micros_at(0.5),
            p99_us: ours.micros_at(0.99),
            p999_us: ours.micros_at(0.999),
            mean_batch,
            fdatasync_per_s: fdatasync,
            ratio: ours.rate_per_s() / against.rate_per_s,
            against,
        }
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

    fn batches(&self) -> Batches {
        Batches::read(&self.metrics.render())
    }
}

fn mean(values: &[f64]) -> f64 {
    let count = u32::try_from(values.len()).map_or(1.0, f64::from);
    values.iter().sum::<f64>() / count.max(1.0)
}
