//! Nodes as `surehold` starts them, with equipment that only torture and tests ask for.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Result;
use clap::Args;
use surehold::{Equipment, Serve, Work};
use surehold_connect::stripe::SweepConfig;
use surehold_core::kernel::Timestamp;
use surehold_engine::{Registry, WorkerConfig};
use surehold_http::ApiConfig;
use surehold_postgres::PostgresConfig;
use surehold_simulators::charge::{CHARGE_TASK, with_charges, with_short_beats};
use surehold_sqlite::{OpenError, SqliteStore};

const MICROS: i64 = 1_000_000;

#[derive(Args, Clone, Debug, Default)]
struct LabArgs {
    /// Where a fake payment provider listens: charges, and the task `charge`
    #[arg(long = "lab-bank", hide = true, value_name = "ADDRESS")]
    bank: Option<SocketAddr>,
    /// While there is a file of that name, the one of SQLite does not grow
    #[arg(long = "lab-full-while", hide = true, value_name = "FILE")]
    full_while: Option<PathBuf>,
    /// The clock that decides is ahead by so much
    #[arg(long = "lab-clock-ahead", hide = true, value_name = "SECONDS", default_value_t = 0)]
    clock_ahead: u32,
}

impl Equipment for LabArgs {
    fn open_sqlite(&self, path: &Path) -> Result<SqliteStore, OpenError> {
        let store = match self.clock_ahead {
            0 => SqliteStore::open(path),
            ahead_secs => SqliteStore::open_with_clock(path, Arc::new(move || clock_ahead(ahead_secs))),
        }?;
        Ok(match &self.full_while {
            Some(mark) => store.full_while(mark.clone()),
            None => store,
        })
    }

    fn postgres_config(&self, config: PostgresConfig) -> PostgresConfig {
        let ahead_micros = i64::from(self.clock_ahead) * MICROS;
        PostgresConfig { clock_offset_micros: Arc::new(AtomicI64::new(ahead_micros)), ..config }
    }

    fn registry(&self, registry: Registry) -> Registry {
        match self.bank {
            Some(bank) => with_charges(registry, bank),
            None => registry,
        }
    }

    fn worker_config(&self, config: WorkerConfig) -> WorkerConfig {
        if self.bank.is_some() { with_short_beats(config) } else { config }
    }

    /// A run is over before others would look a second time.
    fn sweep_config(&self) -> SweepConfig {
        let usual = SweepConfig::default();
        match self.bank {
            Some(_) => SweepConfig { pause: Duration::from_secs(2), grace_secs: 2, ..usual },
            None => usual,
        }
    }

    fn api_config(&self, mut config: ApiConfig) -> ApiConfig {
        if self.bank.is_some() {
            config.inbox = config.inbox.with_task(CHARGE_TASK);
        }
        config
    }
}

/// Serve the API
#[derive(Args)]
pub(crate) struct LabServe {
    #[command(flatten)]
    serve: Serve,
    #[command(flatten)]
    lab: LabArgs,
}

impl LabServe {
    pub(crate) fn run(&self) -> Result<ExitCode> {
        self.serve.run(&self.lab)
    }
}

/// Carry operations out, without serving the API
#[derive(Args)]
pub(crate) struct LabWork {
    #[command(flatten)]
    work: Work,
    #[command(flatten)]
    lab: LabArgs,
}

impl LabWork {
    pub(crate) fn run(&self) -> Result<ExitCode> {
        self.work.run(&self.lab)
    }
}

fn clock_ahead(secs: u32) -> Timestamp {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let micros = i64::try_from(since_1970.as_micros()).unwrap_or(i64::MAX);
    Timestamp::from_micros(micros.saturating_add(i64::from(secs) * MICROS))
}
