//! The store under measurement.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use surehold_engine::{Engine, EngineConfig, Registry};
use surehold_lab::bench::{Reader, vacuum};
use surehold_postgres::{PostgresConfig, PostgresStore};
use surehold_sqlite::SqliteStore;
use tempfile::TempDir;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum StoreKind {
    Sqlite,
    Postgres,
}

impl StoreKind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            StoreKind::Sqlite => "sqlite",
            StoreKind::Postgres => "postgres",
        }
    }
}

pub(crate) enum Target {
    /// A file in a folder that vanishes with the run.
    Sqlite {
        folder: TempDir,
    },
    Postgres {
        url: String,
    },
}

impl Target {
    pub(crate) fn new(store: StoreKind, url: Option<String>, folder: &Path) -> Result<Target> {
        match store {
            StoreKind::Sqlite => {
                let folder = tempfile::Builder::new().prefix("surehold-bench-").tempdir_in(folder);
                Ok(Target::Sqlite {
                    folder: folder.context("cannot make a folder for the file; choose another --dir")?,
                })
            }
            StoreKind::Postgres => {
                let url =
                    url.context("--store postgres needs --url postgres://user@host/database (an empty database)")?;
                Ok(Target::Postgres { url })
            }
        }
    }

    fn file(folder: &TempDir) -> PathBuf {
        folder.path().join("surehold.db")
    }

    pub(crate) async fn engine(&self) -> Result<Engine> {
        self.engine_with(Registry::default()).await
    }

    pub(crate) async fn engine_with(&self, registry: Registry) -> Result<Engine> {
        let config = EngineConfig { deadline: std::time::Duration::from_mins(1), ..EngineConfig::default() };
        match self {
            Target::Sqlite { folder } => {
                let store = SqliteStore::open(&Target::file(folder))?;
                Ok(Engine::start_with(Arc::new(store), config, registry)?)
            }
            Target::Postgres { url } => {
                let store = PostgresStore::connect(PostgresConfig::new(url)).await?;
                Ok(Engine::start_with(Arc::new(store), config, registry)?)
            }
        }
    }

    /// As the commands are told where the store is.
    pub(crate) fn store_url(&self) -> String {
        match self {
            Target::Sqlite { folder } => format!("sqlite:{}", Target::file(folder).display()),
            Target::Postgres { url } => url.clone(),
        }
    }

    /// What other queues get before they are measured: the server has cleaned up and knows its tables.
    pub(crate) async fn vacuum(&self) -> Result<()> {
        match self {
            Target::Sqlite { .. } => Ok(()),
            Target::Postgres { url } => vacuum(url).await,
        }
    }

    pub(crate) fn reader(&self) -> Result<Reader> {
        match self {
            Target::Sqlite { folder } => Ok(Reader::sqlite(&Target::file(folder))),
            Target::Postgres { url } => Reader::postgres(url),
        }
    }
}
