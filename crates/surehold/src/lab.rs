//! What only `surehold torture` tells the nodes that it starts: hidden flags for equipment that no server needs.

use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use surehold_engine::{Registry, WorkerConfig};
use surehold_http::ApiConfig;
use surehold_lab::charge::{CHARGE_TASK, with_charges, with_short_beats};
use surehold_sqlite::SqliteStore;

#[derive(Args, Clone, Debug, Default)]
pub(crate) struct LabArgs {
    /// Where a fake payment provider listens: charges, and the task `charge`
    #[arg(long, hide = true, value_name = "ADDRESS")]
    lab_bank: Option<SocketAddr>,
    /// While there is a file of that name, the one of SQLite does not grow
    #[arg(long, hide = true, value_name = "FILE")]
    lab_full_while: Option<PathBuf>,
    /// A bug to plant
    #[cfg(feature = "sabotage")]
    #[arg(long, hide = true, value_name = "NAME")]
    sabotage: Option<String>,
}

impl LabArgs {
    pub(crate) fn sqlite(&self, store: SqliteStore) -> SqliteStore {
        match &self.lab_full_while {
            Some(mark) => store.full_while(mark.clone()),
            None => store,
        }
    }

    pub(crate) fn registry(&self, registry: Registry) -> Registry {
        match self.lab_bank {
            Some(bank) => with_charges(registry, bank),
            None => registry,
        }
    }

    pub(crate) fn worker_config(&self, config: WorkerConfig) -> WorkerConfig {
        if self.lab_bank.is_some() { with_short_beats(config) } else { config }
    }

    pub(crate) fn api_config(&self, mut config: ApiConfig) -> ApiConfig {
        if self.lab_bank.is_some() {
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

/// Says which there are when there is no such one.
#[cfg(feature = "sabotage")]
pub(crate) fn sabotage_named(name: &str) -> Result<surehold_core::sabotage::Sabotage> {
    use surehold_core::sabotage::Sabotage;
    let all = || Sabotage::ALL.map(Sabotage::name).join(", ");
    Sabotage::named(name).ok_or_else(|| anyhow::anyhow!("there is no bug `{name}` to plant; there are {}", all()))
}
