//! `surehold audit`: whether everything that is stored agrees with itself. Reads the store beside a running server, in
//! one consistent read; what can be put right goes through the API, as any change does.

mod repair;
mod report;

use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use surehold_core::operations::{Actor, Reason};
use surehold_engine::{AuditConfig, AuditReport, Snapshot, audit, block_on};
use surehold_postgres::PostgresSnapshot;
use surehold_sqlite::SqliteSnapshot;

use crate::config::{Config, ConfigArgs, StoreTarget};
use crate::installation;
use repair::Repairs;
use report::Audited;

/// The store could not be looked at, which says nothing about what is in it.
const EXIT_NOT_AUDITED: u8 = 2;

/// Check that everything stored agrees with itself, beside a running server
///
/// Exits with 0 if it does, with 1 if it does not, and with 2 if that could not be found out.
#[derive(clap::Args)]
pub(crate) struct Audit {
    /// Show what can be put right by itself, and why the rest cannot
    #[arg(long)]
    repair: bool,
    /// Put it right, then audit again
    #[arg(long, requires = "repair", requires = "reason")]
    apply: bool,
    /// Why; it is kept
    #[arg(long, value_name = "TEXT", requires = "apply", value_parser = reason)]
    reason: Option<Reason>,
    /// Who does it [default: $USER]
    #[arg(long, value_name = "NAME", requires = "apply", value_parser = actor)]
    actor: Option<Actor>,
    /// One JSON object instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

fn reason(text: &str) -> Result<Reason, String> {
    Reason::new(text).map_err(|invalid| invalid.to_string())
}

fn actor(text: &str) -> Result<Actor, String> {
    Actor::new(text).map_err(|invalid| invalid.to_string())
}

impl Audit {
    pub(crate) fn run(&self) -> ExitCode {
        match self.work() {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::FAILURE,
            Err(error) => {
                eprintln!("error: {error}");
                for cause in error.chain().skip(1) {
                    eprintln!("  because: {cause}");
                }
                ExitCode::from(EXIT_NOT_AUDITED)
            }
        }
    }

    /// Whether all is well, at last.
    fn work(&self) -> Result<bool> {
        let config = Config::load(&self.config.sources())?;
        let mut audited = look(&config)?;
        let mut text = audited.for_people(self.repair);
        let repairs = match &self.reason {
            Some(reason) if self.apply => Some(self.apply(&config, &audited.report, reason)?),
            Some(_) | None => None,
        };
        if let Some(Repairs { applied, stopped_by }) = &repairs {
            text.push_str(&repair::for_people(applied, &audited.report.slugs));
            if !applied.is_empty() || stopped_by.is_some() {
                audited = look(&config)?;
                text.push_str("\nAudited again\n\n");
                text.push_str(&audited.for_people(true));
            }
        }
        let out = if self.json {
            format!("{}\n", audited.json(repairs.as_ref().map(|repairs| repairs.applied.as_slice())))
        } else {
            text
        };
        std::io::stdout().write_all(out.as_bytes())?;
        match repairs.and_then(|repairs| repairs.stopped_by) {
            Some(error) => Err(error),
            None => Ok(audited.report.is_clean()),
        }
    }

    fn apply(&self, config: &Config, report: &AuditReport, reason: &Reason) -> Result<Repairs> {
        let user = || std::env::var("USER").ok().and_then(|user| Actor::new(&user).ok());
        let actor = self.actor.clone().or_else(user).context("say who you are with --actor")?;
        let runtime = tokio::runtime::Runtime::new()?;
        block_on(&runtime, repair::apply(config, report, &actor, reason))
    }
}

fn look(config: &Config) -> Result<Audited> {
    let began = Instant::now();
    let mut snapshot = snapshot(config)?;
    let audit_config = AuditConfig { kinds: installation::operation_kinds(), ..AuditConfig::default() };
    let report = audit(snapshot.as_mut(), &audit_config)?;
    Ok(Audited { report, took: began.elapsed() })
}

fn snapshot(config: &Config) -> Result<Box<dyn Snapshot>> {
    match config.store.target() {
        StoreTarget::Sqlite(path) => {
            if !path.exists() {
                bail!("there is no data at {}; name the folder with --data, or the store with --store", path.display());
            }
            require_migrated(&surehold_sqlite::migrations_pending(&path)?)?;
            Ok(Box::new(SqliteSnapshot::open(&path)?))
        }
        StoreTarget::Postgres(url) => {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            require_migrated(&block_on(&runtime, surehold_postgres::migrations_pending(url.expose()))?)?;
            Ok(Box::new(PostgresSnapshot::connect(url.expose())?))
        }
    }
}

fn require_migrated(pending: &[String]) -> Result<()> {
    if pending.is_empty() {
        return Ok(());
    }
    bail!("the store lacks {}; run `surehold migrate` first", pending.join(", "))
}
