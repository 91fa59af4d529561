//! `surehold bench audit`: how long an audit takes, how much memory, and what those who sell notice of it.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::{Value, json};
use surehold_engine::Engine;
use surehold_lab::bench::{HoldsLoad, Measured, Prefill, Process, prepare, run};

use super::stores::{StoreKind, Target};

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
        writeln!(std::io::stdout(), "{:#}", report(&self, &alone, &beside, &calm, &busy))?;
        Ok(())
    }
}

/// In a process of its own, as its users run it. With clients, these place holds until it ends.
pub(super) async fn audit(store: &str, beside: Option<(&Engine, &HoldsLoad)>) -> Result<(Audited, Measured)> {
    let folder = tempfile::tempdir()?;
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["audit", "--json", "--store", store, "--data"]).arg(folder.path());
    let began = Instant::now();
    // A file, so that it never waits to be read.
    let said = folder.path().join("said");
    command.stdout(File::create(&said)?).stdin(Stdio::null());
    let child = command.spawn().context("cannot start an audit")?;
    let audit = tokio::task::spawn_blocking(move || watch(child, began, &said));
    let mut measured = Measured::default();
    if let Some((engine, load)) = beside {
        while !audit.is_finished() {
            measured.add(&run(engine, load, SLICE).await);
        }
    }
    Ok((audit.await??, measured))
}

fn watch(mut child: Child, began: Instant, said: &Path) -> Result<Audited> {
    let process = Process::new(child.id());
    let mut peak_rss_bytes = 0;
    while child.try_wait()?.is_none() {
        peak_rss_bytes = process.peak_rss_bytes().unwrap_or(0).max(peak_rss_bytes);
        std::thread::sleep(Duration::from_millis(20));
    }
    let took = began.elapsed();
    let said = std::fs::read(said)?;
    let report: Value = serde_json::from_slice(&said).context("the audit did not say what it found")?;
    ensure!(report["clean"] == true, "the audit found something: {report}");
    Ok(Audited { took, peak_rss_bytes, rows_read: report["rows_read"].as_u64().unwrap_or(0) })
}

fn report(bench: &AuditBench, alone: &Audited, beside: &Audited, calm: &Measured, busy: &Measured) -> Value {
    let audited = |audited: &Audited| {
        let Audited { took, peak_rss_bytes, rows_read } = audited;
        json!({"seconds": took.as_secs_f64(), "peak_rss_mib": peak_rss_bytes >> 20, "rows_read": rows_read})
    };
    let measured = |measured: &Measured| {
        let (p50_us, p99_us) = (measured.micros_at(0.5), measured.micros_at(0.99));
        json!({"rate_per_s": measured.rate_per_s(), "p50_us": p50_us, "p99_us": p99_us, "errors": measured.errors})
    };
    json!({
        "prefilled": bench.holds,
        "audit_alone": audited(alone),
        "audit_beside_clients": audited(beside),
        "holds_alone": measured(calm),
        "holds_beside_audit": measured(busy),
    })
}
