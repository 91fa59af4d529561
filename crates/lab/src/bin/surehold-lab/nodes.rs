//! What only `surehold torture` and tests tell the nodes that they start: hidden flags for equipment that no server needs.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Result;
use clap::Args;
use surehold_connect::stripe::SweepConfig;
use surehold_core::kernel::Timestamp;
use surehold_engine::{Registry, WorkerConfig};
use surehold_http::ApiConfig;
use surehold_lab::charge::{CHARGE_TASK, with_charges, with_short_beats};
use surehold_postgres::PostgresConfig;
use surehold_sqlite::{OpenError, SqliteStore};

const MICROS: i64 = 1_000_000;

#[derive(Args, Clone, Debug, Default)]
pub(crate) struct LabArgs {
    /// Where a fake payment provider listens: charges, and the task `charge`
    #[arg(long = "lab-bank", hide = true, value_name = "ADDRESS")]
    bank: Option<SocketAddr>,
    /// While there is a file of that name, the one of SQLite does not grow
    #[arg(long = "lab-full-while", hide = true, value_name = "FILE")]
    full_while: Option<PathBuf>,
    /// The clock that decides is ahead by so much
    #[arg(long = "lab-clock-ahead", hide = true, value_name = "SECONDS", default_value_t = 0)]
    clock_ahead: u32,
    /// A bug to plant
    #[cfg(feature = "sabotage")]
    #[arg(long, hide = true, value_name = "NAME")]
    sabotage: Option<String>,
}

impl LabArgs {
    pub(crate) fn open_sqlite(&self, path: &Path) -> Result<SqliteStore, OpenError> {
        let store = match self.clock_ahead {
            0 => SqliteStore::open(path),
            ahead_secs => SqliteStore::open_with_clock(path, Arc::new(move || clock_ahead(ahead_secs))),
        }?;
        Ok(match &self.full_while {
            Some(mark) => store.full_while(mark.clone()),
            None => store,
        })
    }

    pub(crate) fn postgres_config(&self, config: PostgresConfig) -> PostgresConfig {
        let ahead_micros = i64::from(self.clock_ahead) * MICROS;
        PostgresConfig { clock_offset_micros: Arc::new(AtomicI64::new(ahead_micros)), ..config }
    }

    pub(crate) fn registry(&self, registry: Registry) -> Registry {
        match self.bank {
            Some(bank) => with_charges(registry, bank),
            None => registry,
        }
    }

    pub(crate) fn worker_config(&self, config: WorkerConfig) -> WorkerConfig {
        if self.bank.is_some() { with_short_beats(config) } else { config }
    }

    /// A run is over before others would look a second time.
    pub(crate) fn sweep_config(&self) -> SweepConfig {
        let usual = SweepConfig::default();
        match self.bank {
            Some(_) => SweepConfig { pause: Duration::from_secs(2), grace_secs: 2, ..usual },
            None => usual,
        }
    }

    pub(crate) fn api_config(&self, mut config: ApiConfig) -> ApiConfig {
        if self.bank.is_some() {
            config.inbox = config.inbox.with_task(CHARGE_TASK);
        }
        config
    }

    #[cfg(feature = "sabotage")]
    pub(crate) fn plant_sabotage(&self) -> Result<()> {
        let planted = self.sabotage.as_deref().map(sabotage_named).transpose()?;
        surehold_core::sabotage::plant(planted);
        Ok(())
    }

    #[cfg(not(feature = "sabotage"))]
    #[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "there is nothing to plant in this build")]
    pub(crate) fn plant_sabotage(&self) -> Result<()> {
        Ok(())
    }
}

fn clock_ahead(secs: u32) -> Timestamp {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let micros = i64::try_from(since_1970.as_micros()).unwrap_or(i64::MAX);
    Timestamp::from_micros(micros.saturating_add(i64::from(secs) * MICROS))
}

/// Says which there are when there is no such one.
#[cfg(feature = "sabotage")]
pub(crate) fn sabotage_named(name: &str) -> Result<surehold_core::sabotage::Sabotage> {
    use surehold_core::sabotage::Sabotage;
    let all = || Sabotage::ALL.map(Sabotage::name).join(", ");
    Sabotage::named(name).ok_or_else(|| anyhow::anyhow!("there is no bug `{name}` to plant; there are {}", all()))
}
