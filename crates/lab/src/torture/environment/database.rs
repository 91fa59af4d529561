//! The Postgres of a run, which is crashed and started again.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use anyhow::{Context, Result};

use surehold_testkit::private_postgres::PrivatePostgres;

const CRASHED_LAUNCHES_MAX: u32 = 5;

/// The private server; whoever crashes it or starts it holds it.
#[derive(Clone, Debug)]
pub(super) struct Database {
    pub(super) url: String,
    server: Arc<Mutex<PrivatePostgres>>,
}

impl Database {
    pub(super) async fn start() -> Result<Database> {
        let server =
            tokio::task::spawn_blocking(PrivatePostgres::start).await.context("starting Postgres panicked")??;
        Ok(Database { url: server.url(), server: Arc::new(Mutex::new(server)) })
    }

    /// Kills it and starts it again.
    pub(super) async fn crash_and_launch(&self) -> Result<()> {
        let server = Arc::clone(&self.server);
        let crash = move || {
            let server = server.lock().expect("nothing panics while holding it");
            server.crash()?;
            let launch = |tries: u32| (tries, server.launch());
            // It may find that a connection of its old life is still closing.
            match (1..=CRASHED_LAUNCHES_MAX)
                .map(launch)
                .find(|(tries, done)| done.is_ok() || *tries == CRASHED_LAUNCHES_MAX)
            {
                Some((_, done)) => done,
                None => Ok(()),
            }
        };
        tokio::task::spawn_blocking(crash).await.context("crashing Postgres panicked")?
    }

    pub(super) async fn rescue(&self, to: PathBuf) -> Result<()> {
        let server = Arc::clone(&self.server);
        let rescue = move || server.lock().expect("nothing panics while holding it").rescue(&to);
        tokio::task::spawn_blocking(rescue).await.context("rescuing the data panicked")?
    }

    pub(super) fn version(&self) -> Result<String> {
        self.server.lock().expect("nothing panics while holding it").version()
    }
}
