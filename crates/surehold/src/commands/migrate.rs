//! `surehold migrate`: brings the store to what this version needs, or says what that would be. The only command here
//! that goes to the store and never to a server.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use serde_json::json;
use surehold_engine::block_on;

use super::screen::Screen;
use crate::client::ClientError;
use crate::config::{Config, ConfigArgs, StoreTarget};
use crate::installation;

/// Bring the store's schema up to date
#[derive(Args)]
pub(crate) struct Migrate {
    /// Change nothing; fail if something is pending
    #[arg(long)]
    check: bool,
    /// One JSON object instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

impl Migrate {
    pub(crate) fn run(&self) -> ExitCode {
        match self.work() {
            Ok(names) if self.check && !names.is_empty() => ExitCode::FAILURE,
            Ok(_) => ExitCode::SUCCESS,
            Err(error) => super::finish(Err(error), self.json),
        }
    }

    fn work(&self) -> Result<Vec<String>, ClientError> {
        let config = Config::load(&self.config.sources())?;
        let names = if self.check { pending(&config) } else { migrate(&config) };
        let names = names.map_err(ClientError::Open)?;
        let screen = Screen::new(self.json);
        let verb = if self.check { "pending" } else { "applied" };
        if self.json {
            screen.print(&json!({verb: names}).to_string())?;
        } else if names.is_empty() {
            screen.note("the store is up to date");
        } else {
            screen.print(&names.iter().map(|name| format!("{verb} {name}\n")).collect::<String>())?;
        }
        Ok(names)
    }
}

fn migrate(config: &Config) -> Result<Vec<String>> {
    match config.store.target() {
        StoreTarget::Sqlite(path) => {
            installation::make_private_folder(&config.store.data_dir)?;
            Ok(surehold_sqlite::migrate(&path)?)
        }
        StoreTarget::Postgres(url) => Ok(block_on(&runtime()?, surehold_postgres::migrate(url.expose()))?),
    }
}

fn pending(config: &Config) -> Result<Vec<String>> {
    match config.store.target() {
        StoreTarget::Sqlite(path) => Ok(surehold_sqlite::migrations_pending(&path)?),
        StoreTarget::Postgres(url) => Ok(block_on(&runtime()?, surehold_postgres::migrations_pending(url.expose()))?),
    }
}

fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}
