//! A store of its own for each test: an SQLite file in a folder that vanishes, or a fresh database on the private
//! Postgres that `cargo xtask test` starts. Both with a clock that tests can turn forward.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use surehold_core::kernel::Timestamp;
use surehold_engine::{AuditConfig, AuditReport, Engine, EngineConfig, Registry, Snapshot, Store, audit, builtin};
use surehold_postgres::{PostgresConfig, PostgresSnapshot, PostgresStore};
use surehold_private_servers::PrivatePostgres;
use surehold_private_servers::postgres::URL_VARIABLE;
use surehold_sqlite::{SqliteSnapshot, SqliteStore, let_write_stock};
use tempfile::TempDir;
use tokio_postgres::{Client, NoTls};
use uuid::Uuid;

mod template;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreKind {
    Sqlite,
    Postgres,
}

#[derive(Debug)]
pub enum Place {
    Sqlite(TempDir),
    Postgres { url: String },
}

#[derive(Debug)]
pub struct Fixture {
    pub place: Place,
    clock_offset_micros: Arc<AtomicI64>,
}

const SERVER_MISSING: &str = "needs a Postgres server: run `cargo xtask test`, or `cargo xtask postgres` in another terminal and paste what it prints";

/// Where `cargo xtask test` put the server. A missing server fails the test; it is not a reason to skip it.
pub fn postgres_url() -> String {
    std::env::var(URL_VARIABLE).unwrap_or_else(|_| fail(SERVER_MISSING))
}

/// A server of the test's own, which it may crash or fill with roles.
pub fn own_postgres() -> PrivatePostgres {
    PrivatePostgres::start().unwrap_or_else(|error| fail(&format!("{error:#}")))
}

/// Fails the test with one line. `panic!` would hide it under its own message and a backtrace.
fn fail(line: &str) -> ! {
    eprintln!("{line}");
    std::panic::resume_unwind(Box::new(line.to_owned()))
}

/// A connection for what tests do behind the engine's back: to the schema it is the engine.
pub async fn connect(url: &str) -> Result<Client> {
    let client = connect_as_stranger(url).await?;
    client.batch_execute("set surehold.writer = 'engine'").await?;
    Ok(client)
}

/// A plain connection, as anybody has one.
pub async fn connect_as_stranger(url: &str) -> Result<Client> {
    let (client, connection) =
        tokio_postgres::connect(url, NoTls).await.context("cannot connect to the test server")?;
    tokio::spawn(connection);
    Ok(client)
}

/// The same for a file.
pub fn open_file(path: &Path) -> Result<rusqlite::Connection> {
    let connection = rusqlite::Connection::open(path)?;
    let_write_stock(&connection)?;
    Ok(connection)
}

/// Makes an empty database and tells its address. It goes with the private server.
pub async fn fresh_database() -> Result<String> {
    copied_database("template1").await
}

/// The same with all tables.
pub async fn migrated_database() -> Result<String> {
    copied_database(&template::migrated_once().await?).await
}

async fn copied_database(template: &str) -> Result<String> {
    let server = postgres_url();
    let name = format!("test_{}", Uuid::now_v7().simple());
    connect(&server).await?.batch_execute(&format!("create database {name} template {template}")).await?;
    database_url(&server, &name)
}

/// Of another database on the same server.
fn database_url(server: &str, name: &str) -> Result<String> {
    let (base, query) = server.split_once('?').unwrap_or((server, ""));
    let (base, _) = base.rsplit_once('/').context("the server's address names a database")?;
    Ok(format!("{base}/{name}?{query}"))
}

impl Fixture {
    pub async fn new(kind: StoreKind) -> Result<Fixture> {
        let place = match kind {
            StoreKind::Sqlite => Place::Sqlite(tempfile::tempdir()?),
            StoreKind::Postgres => Place::Postgres { url: migrated_database().await? },
        };
        Ok(Fixture { place, clock_offset_micros: Arc::default() })
    }

    /// The SQLite file.
    pub fn file(&self) -> PathBuf {
        match &self.place {
            Place::Sqlite(folder) => folder.path().join("surehold.db"),
            Place::Postgres { .. } => panic!("a database is not a file"),
        }
    }

    /// The database's address.
    pub fn url(&self) -> &str {
        match &self.place {
            Place::Sqlite(_) => panic!("a file has no address"),
            Place::Postgres { url } => url,
        }
    }

    /// Opens the store; on Postgres any number of times.
    pub async fn store(&self) -> Result<Arc<dyn Store>> {
        let offset = Arc::clone(&self.clock_offset_micros);
        match &self.place {
            Place::Sqlite(_) => {
                let clock = Arc::new(move || system_clock(offset.load(Ordering::Relaxed)));
                Ok(Arc::new(SqliteStore::open_with_clock(&self.file(), clock)?))
            }
            Place::Postgres { url } => {
                let config = PostgresConfig { clock_offset_micros: offset, ..PostgresConfig::new(url) };
                Ok(Arc::new(PostgresStore::connect(config).await?))
            }
        }
    }

    /// An engine that sweeps and fires nothing by itself, so that tests decide what happens when.
    pub async fn engine(&self) -> Result<Engine> {
        let (sweep_pause, schedule_pause, revalue_pause) = (None, None, None);
        let quiet = EngineConfig { sweep_pause, schedule_pause, revalue_pause, ..EngineConfig::default() };
        self.engine_with(quiet).await
    }

    pub async fn engine_with(&self, config: EngineConfig) -> Result<Engine> {
        Ok(Engine::start_with(self.store().await?, config, builtin(Registry::default()))?)
    }

    /// Looks at everything that is stored, in one consistent read beside whoever writes.
    pub async fn audit(&self, config: AuditConfig) -> Result<AuditReport> {
        let (file, url) = match &self.place {
            Place::Sqlite(_) => (Some(self.file()), String::new()),
            Place::Postgres { url } => (None, url.clone()),
        };
        let look = move || -> Result<AuditReport> {
            let mut snapshot: Box<dyn Snapshot> = match file {
                Some(file) => Box::new(SqliteSnapshot::open(&file)?),
                None => Box::new(PostgresSnapshot::connect(&url)?),
            };
            Ok(audit(snapshot.as_mut(), &config)?)
        };
        tokio::task::spawn_blocking(look).await?
    }

    /// Turns the store's clock forward, for all engines of this fixture.
    pub fn advance_secs(&self, secs: i64) {
        self.clock_offset_micros.fetch_add(secs * 1_000_000, Ordering::Relaxed);
    }
}

fn system_clock(offset_micros: i64) -> Timestamp {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let micros = i64::try_from(elapsed.as_micros()).unwrap_or(i64::MAX);
    Timestamp::from_micros(micros.saturating_add(offset_micros))
}
