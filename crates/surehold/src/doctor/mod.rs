//! `surehold doctor`: what is in force, and what is unsafe. Reads beside a running server and changes nothing.
//!
//! Facts are found out in `host.rs` and `store.rs`; `judge.rs` says what they mean, and is where to start reading.

mod facts;
mod host;
mod judge;
mod report;
mod store;
#[cfg(test)]
mod tests;

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;

use crate::config::{Config, ConfigArgs};
use facts::Facts;
use judge::{Verdict, judge};
use report::Report;

/// Show what is in force and where it came from, and check what is unsafe
#[derive(clap::Args)]
pub(crate) struct Doctor {
    #[command(flatten)]
    config: ConfigArgs,
    /// One JSON object instead of text
    #[arg(long)]
    json: bool,
}

impl Doctor {
    /// Fails if something is unsafe or could not work; warnings do not count.
    pub(crate) fn run(&self) -> Result<ExitCode> {
        let config = Config::load(&self.config.sources())?;
        let facts = Facts {
            store: store::facts(&config)?,
            folder: host::folder(&config),
            server: host::server(&config),
            kernel: host::kernel(),
            open_files_max: host::open_files_max(),
            unreadable_files: host::unreadable_files(&config),
            accounts: host::accounts(&config),
        };
        let report = Report::new(&config, &facts, judge(&config, &facts));
        let text = if self.json { format!("{}\n", serde_json::to_string(&report)?) } else { report.for_people() };
        std::io::stdout().write_all(text.as_bytes())?;
        Ok(match report.verdict {
            Verdict::Ok | Verdict::Warn => ExitCode::SUCCESS,
            Verdict::Unsafe | Verdict::Broken => ExitCode::FAILURE,
        })
    }
}
