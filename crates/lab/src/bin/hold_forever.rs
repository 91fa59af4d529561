//! Places, books and cancels holds until it is killed, and tells what it was told: a line before each request and a
//! line after each answer. Whoever kills it can then compare what was acknowledged with what is there.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Result, bail};
use surehold_engine::Store;
use surehold_lab::crash::hold_forever;
use surehold_postgres::{PostgresConfig, PostgresStore};
use surehold_sqlite::SqliteStore;

#[tokio::main(worker_threads = 2)]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: &[String]) -> Result<()> {
    let store: Arc<dyn Store> = match arguments {
        [kind, file] if kind == "sqlite" => Arc::new(SqliteStore::open(Path::new(file))?),
        [kind, url] if kind == "postgres" => Arc::new(PostgresStore::connect(PostgresConfig::new(url)).await?),
        _ => bail!("usage: hold_forever sqlite FILE | postgres URL"),
    };
    hold_forever(store).await
}
