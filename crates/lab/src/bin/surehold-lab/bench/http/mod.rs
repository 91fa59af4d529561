//! `surehold-lab bench http`: this process is the load generator, the servers are its children.

mod cases;

use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use clap::{Args, ValueEnum};
use surehold_lab::bench::http::{HoldShape, Pace};
use tokio::signal::unix::{SignalKind, signal};

use super::figures::Figures;
use super::report::{self, Report};
use super::servers::Server;
use super::timing::Timing;

/// Everything is on: keys, metrics, journal, idempotency by id, full durability.
#[derive(Args)]
pub(crate) struct Http {
    /// What to measure, and against what
    #[arg(long, value_enum, default_value = "holds")]
    case: Case,
    /// The folder whose disk is measured, and where data folders are put
    #[arg(long, default_value = ".")]
    dir: PathBuf,
    /// Connections, each waiting for its answer before it asks again; 64, but 2 for batches
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    connections: Option<u32>,
    /// Ask again as soon as the answer is there (the default)
    #[arg(long, conflicts_with = "rate")]
    closed: bool,
    /// Requests per second at fixed times (open loop); latency counts from the intended time
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    rate: Option<u32>,
    #[command(flatten)]
    timing: Timing,
    /// Nights of each hold
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    nights: u32,
    /// Room types to choose from
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pools: u32,
    /// Holds per request, in the case `batch`
    #[arg(long, default_value_t = 8_000, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    batch: u32,
    /// Idle connections, in the case `crowd`
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(0..=50_000))]
    idle: u32,
    /// Clients that never finish their request, in the case `crowd`
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(0..=50_000))]
    slow: u32,
    /// Measure a server that runs already, with its own limits; it keeps what is measured
    #[arg(long, requires = "key")]
    server_url: Option<String>,
    /// A key of that server that may sell and manage
    #[arg(long, env = "SUREHOLD_KEY", hide_env_values = true)]
    key: Option<String>,
    /// The tenant that the key belongs to
    #[arg(long, default_value = "bench")]
    tenant: String,
    /// One JSON object instead of a table
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Case {
    /// Single holds; the rival is the bare endpoint
    Holds,
    /// Refusals of what is sold out; the rival is the bare endpoint
    SoldOut,
    /// Many holds per request; the rival is `fdatasync`
    Batch,
    /// Single holds at half the maximum rate, open loop; the rival is the maximum
    HalfMax,
    /// Single holds among idle and slow clients; the rival is ours without them
    Crowd,
    /// Process start to first answered request, on an empty data folder
    Start,
    /// The bare endpoint against itself: how far the ratio is off on this machine
    Bare,
}

const STARTS: usize = 5;
/// For what is open besides connections.
const FILES_SPARE: u32 = 100;

impl Http {
    pub(crate) async fn run(self) -> Result<()> {
        // Dropping the measurement ends the servers; leaving without that would not.
        let mut terminated = signal(SignalKind::terminate())?;
        tokio::select! {
            done = self.measure() => done,
            _ = tokio::signal::ctrl_c() => bail!("interrupted; the servers are stopped"),
            _ = terminated.recv() => bail!("terminated; the servers are stopped"),
        }
    }

    async fn measure(&self) -> Result<()> {
        self.check()?;
        let measured = match self.case {
            Case::Start => self.start().await?,
            Case::Holds | Case::SoldOut => self.against_bare(&self.server().await?).await?,
            Case::Bare => self.against_bare(&Server::bare().await?).await?,
            Case::Batch => self.batches(&self.server().await?).await?,
            Case::HalfMax => self.half_max(&self.server().await?).await?,
            Case::Crowd => self.crowd(&self.server().await?).await?,
        };
        let mut report = Report::new("http");
        report.add(measured);
        report.print(self.json)
    }

    async fn start(&self) -> Result<report::Case> {
        let mut starts = Vec::new();
        for _ in 0..STARTS {
            starts.push(Server::time_to_start(&self.dir).await?);
        }
        starts.sort();
        let median = starts[STARTS / 2];
        let starts_ms: Vec<f64> = starts.iter().map(|start| start.as_secs_f64() * 1e3).collect();
        let shown = starts_ms.iter().map(|start| format!("{start:.0}")).collect::<Vec<_>>().join(", ");
        let figures = Figures::latencies(u64::try_from(median.as_micros())?, None);
        let case =
            report::Case::new(self.case.name(), "process start to first answer", figures).field("starts_ms", starts_ms);
        Ok(case.value("median_ms", Some(median.as_secs_f64() * 1e3), |ms| {
            format!("First answer {ms:.0} ms after the start (median of {shown})")
        }))
    }

    fn check(&self) -> Result<()> {
        ensure!(
            self.rate.is_none() || matches!(self.case, Case::Holds | Case::SoldOut | Case::Bare),
            "this case has a pace of its own; leave --rate out"
        );
        ensure!(
            self.server_url.is_none() || !matches!(self.case, Case::Start | Case::Bare),
            "this case starts its own servers; leave --server-url out"
        );
        let crowd = if self.case == Case::Crowd { self.idle + self.slow } else { 0 };
        let needed = self.connections()? + usize::try_from(crowd + FILES_SPARE)?;
        let allowed = open_files_max().unwrap_or(usize::MAX);
        ensure!(needed <= allowed, "{needed} open files are needed, {allowed} allowed; run `ulimit -n {needed}` first");
        Ok(())
    }

    async fn server(&self) -> Result<Server> {
        match &self.server_url {
            Some(url) => Server::running(url, &self.tenant, self.key.clone()).await,
            None => Server::serve(&self.dir, None).await,
        }
    }

    fn connections(&self) -> Result<usize> {
        let default = if self.case == Case::Batch { 2 } else { 64 };
        Ok(usize::try_from(self.connections.unwrap_or(default))?)
    }

    fn pace(&self) -> Pace {
        self.rate.map_or(Pace::Closed, |rate_per_s| Pace::Open { rate_per_s })
    }

    fn shape(&self) -> Result<HoldShape> {
        let batch = (self.case == Case::Batch).then_some(self.batch);
        Ok(HoldShape {
            pools: usize::try_from(self.pools)?,
            nights: usize::try_from(self.nights)?,
            batch: batch.map(usize::try_from).transpose()?,
        })
    }
}

impl Case {
    fn name(self) -> &'static str {
        match self {
            Case::Holds => "holds",
            Case::SoldOut => "sold-out",
            Case::Batch => "batch",
            Case::HalfMax => "half-max",
            Case::Crowd => "crowd",
            Case::Start => "start",
            Case::Bare => "bare",
        }
    }
}

/// The soft limit of this process, which its children inherit.
fn open_files_max() -> Result<usize> {
    let limits = std::fs::read_to_string("/proc/self/limits")?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    let soft = line.and_then(|line| line.split_whitespace().next()).context("/proc/self/limits has no open files")?;
    Ok(soft.parse()?)
}
