//! `surehold-lab bench stock`: an engine in this process, and the textbook's clients beside it.

mod cases;
mod late;
mod sales;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};

use super::batches::Batches;
use super::report::Report;
use super::stores::{StoreKind, Target};
use super::timing::Timing;
use sales::Goods;

/// Everything is on: journal, idempotency by id, versions, metrics, full durability.
#[derive(Args)]
pub(crate) struct Stock {
    /// What to measure; everything by default
    #[arg(long, value_enum)]
    case: Vec<Case>,
    #[arg(long, value_enum, default_value = "sqlite")]
    store: StoreKind,
    /// The Postgres database: an empty one, it keeps what is measured
    #[arg(long)]
    url: Option<String>,
    /// The folder whose disk is measured, and where the SQLite file is put
    #[arg(long, default_value = ".")]
    dir: PathBuf,
    /// Clients who sell, each waiting for its answer before it asks again
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    clients: u32,
    #[command(flatten)]
    timing: Timing,
    /// Documents that are posted into the trap
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    documents: u64,
    /// Rows of ledgers that are audited
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    rows: u64,
    /// Rows of one product behind the late document
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    later_rows: u64,
    /// Clients who hold other goods meanwhile
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    holders: u32,
    /// One JSON object instead of a table
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Case {
    /// Everybody sells the same product
    Hot,
    /// 100 products
    Hundred,
    /// 1,000 products
    Uniform,
    /// Baskets whose products are locked crosswise where locks are known by 32 bits; on Postgres only
    Deadlock,
    /// A full audit of many rows
    Replay,
    /// A document that takes effect before many rows, while others hold goods
    Backdated,
}

impl Stock {
    pub(crate) async fn run(self) -> Result<()> {
        ensure!(
            (self.store == StoreKind::Postgres) == self.url.is_some(),
            "--store postgres needs --url postgres://user@host/database (an empty database), and no other store does"
        );
        ensure!(
            !self.case.contains(&Case::Deadlock) || self.url.is_some(),
            "the trap is one of Postgres; add --store postgres --url …"
        );
        let metrics = PrometheusBuilder::new().install_recorder().context("cannot keep metrics")?;
        let target = Target::new(self.store, self.url.clone(), &self.dir)?;
        let measuring = Measuring { stock: &self, target, metrics };
        let mut report = Report::new("stock").field("store", self.store.name());
        for goods in Goods::ALL.into_iter().filter(|goods| self.measures(goods.case)) {
            report.add(measuring.sales(&goods).await?);
        }
        if self.measures(Case::Deadlock) && self.url.is_some() {
            report.add(measuring.deadlock().await?);
        }
        if self.measures(Case::Replay) {
            report.add(measuring.replay().await?);
        }
        if self.measures(Case::Backdated) {
            report.add(measuring.backdated().await?);
        }
        report.print(self.json)
    }

    fn measures(&self, case: Case) -> bool {
        self.case.is_empty() || self.case.contains(&case)
    }

    fn warmup(&self) -> Duration {
        self.timing.warmup().max(WARMUP_MIN)
    }
}

/// Less says nothing about how many clients suit the textbook best.
const WARMUP_MIN: Duration = Duration::from_millis(100);

/// What is measured, and where.
struct Measuring<'a> {
    stock: &'a Stock,
    target: Target,
    metrics: PrometheusHandle,
}

impl Measuring<'_> {
    fn batches(&self) -> Batches {
        Batches::read(&self.metrics.render())
    }

    fn clients(&self) -> Result<usize> {
        Ok(usize::try_from(self.stock.clients)?)
    }
}
