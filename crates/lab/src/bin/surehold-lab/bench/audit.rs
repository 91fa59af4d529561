//! `surehold-lab bench audit`: how long an audit takes, how much memory, and what those who sell notice of it.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::Value;
use surehold_engine::Engine;
use surehold_lab::bench::{HoldsLoad, Measured, Prefill, prepare, run};

use super::figures::{Figures, Rounds};
use super::report::{Case, Report, times};
use super::stores::{StoreKind, Target};
use crate::PEAK_RSS_FILE;

/// Holds are placed first; then they are audited twice: alone, and while clients place more.
#[derive(Args)]
pub(crate) struct AuditBench {
    #[arg(long, value_enum, default_value = "sqlite")]
    store: StoreKind,
    /// The Postgres database: an empty one, it keeps what is measured
    #[arg(long)]
    url: Option<String>,
    /// The folder where the SQLite file is put
    #[arg(long, default_value = ".")]
    dir: PathBuf,
    /// Holds to audit
    #[arg(long, default_value_t = 5_000_000)]
    holds: u64,
    /// Room types that they are spread over
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pools: u32,
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    tenants: u32,
    /// Nights of each hold
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    nights: u32,
    /// Clients, each waiting for its answer before it asks again
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    clients: u32,
    /// How long the clients are measured without an audit
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=3_600))]
    seconds: u32,
    /// One JSON object instead of a table
    #[arg(long)]
    json: bool,
}

/// Clients are looked after this often.
const SLICE: Duration = Duration::from_millis(500);

/// What an audit came to.
pub(super) struct Audited {
    pub(super) took: Duration,
    pub(super) peak_rss_bytes: u64,
    pub(super) rows_read: u64,
}

impl AuditBench {
    pub(crate) async fn run(self) -> Result<()> {
        let target = Target::new(self.store, self.url.clone(), &self.dir)?;
        let engine = target.engine().await?;
        let load = HoldsLoad {
            clients: usize::try_from(self.clients)?,
            tenants: usize::try_from(self.tenants)?,
            room_types: usize::try_from(self.pools)?,
            nights: usize::try_from(self.nights)?,
            batch: 1,
        };
        prepare(&engine, &load, Prefill { holds: self.holds }).await?;
        target.vacuum().await?;
        let store = target.store_url();
        let (alone, _) = audit(&store, None).await?;
        let calm = run(&engine, &load, Duration::from_secs(u64::from(self.seconds))).await;
        let (beside, busy) = audit(&store, Some((&engine, &load))).await?;
        engine.stop().await;
        let mut report = Report::new("audit").field("store", self.store.name()).field("prefilled", self.holds);
        report.add(audited("audit-alone", "audit alone", &alone));
        report.add(audited("audit-beside-clients", "audit beside clients", &beside));
        let (calm, busy) = (Rounds::of(&calm).figures(), Rounds::of(&busy).figures());
        let p99_ratio = times(busy.p99_us, calm.p99_us);
        let holds = Case::new("holds", "holds beside an audit", busy).against("holds alone", calm);
        report.add(holds.value("holds_p99_ratio", p99_ratio, |ratio| format!("p99 of holds {ratio:.1} times as long")));
        report.print(self.json)
    }
}

fn audited(name: &'static str, title: &str, audited: &Audited) -> Case {
    let (seconds, rss_mib, rows) = (audited.took.as_secs_f64(), audited.peak_rss_bytes >> 20, audited.rows_read);
    Case::new(name, title, Figures::default())
        .field("audit_seconds", seconds)
        .field("peak_rss_mib", rss_mib)
        .field("rows_read", rows)
        .note(format!("{seconds:.1} s, {rss_mib} MiB, {rows} rows read"))
}

/// In a process of its own, as its users run it. With clients, these place holds until it ends.
pub(super) async fn audit(store: &str, beside: Option<(&Engine, &HoldsLoad)>) -> Result<(Audited, Measured)> {
    let folder = tempfile::tempdir()?;
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["audit", "--json", "--store", store, "--data"]).arg(folder.path());
    let began = Instant::now();
    // A file, so that it never waits to be read.
    let said = folder.path().join("said");
    let peak = folder.path().join("peak");
    command.stdout(File::create(&said)?).stdin(Stdio::null()).env(PEAK_RSS_FILE, &peak);
    let child = command.spawn().context("cannot start an audit")?;
    let audit = tokio::task::spawn_blocking(move || watch(child, began, &said, &peak));
    let mut measured = Measured::default();
    if let Some((engine, load)) = beside {
        while !audit.is_finished() {
            measured.add(&run(engine, load, SLICE).await);
        }
    }
    Ok((audit.await??, measured))
}

fn watch(mut child: Child, began: Instant, said: &Path, peak: &Path) -> Result<Audited> {
    child.wait()?;
    let took = began.elapsed();
    let said = std::fs::read(said)?;
    let report: Value = serde_json::from_slice(&said).context("the audit did not say what it found")?;
    ensure!(report["clean"] == true, "the audit found something: {report}");
    let peak_rss_bytes = std::fs::read_to_string(peak)?.parse().context("the audit did not say what memory it had")?;
    Ok(Audited { took, peak_rss_bytes, rows_read: report["rows_read"].as_u64().unwrap_or(0) })
}
