//! What an executable adds to the nodes that it starts. `surehold` adds nothing.

use std::path::Path;

use surehold_connect::stripe::SweepConfig;
use surehold_engine::{Registry, WorkerConfig};
use surehold_http::ApiConfig;
use surehold_postgres::PostgresConfig;
use surehold_sqlite::{OpenError, SqliteStore};

pub trait Equipment {
    fn open_sqlite(&self, path: &Path) -> Result<SqliteStore, OpenError> {
        SqliteStore::open(path)
    }

    fn postgres_config(&self, config: PostgresConfig) -> PostgresConfig {
        config
    }

    fn registry(&self, registry: Registry) -> Registry {
        registry
    }

    fn worker_config(&self, config: WorkerConfig) -> WorkerConfig {
        config
    }

    fn sweep_config(&self) -> SweepConfig {
        SweepConfig::default()
    }

    fn api_config(&self, config: ApiConfig) -> ApiConfig {
        config
    }
}

#[derive(Clone, Copy, Debug)]
pub struct NoEquipment;

impl Equipment for NoEquipment {}
