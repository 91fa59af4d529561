//! The account that owns the private server: Postgres refuses to run as root.

use std::ffi::OsStr;
use std::process::{Command, Output};

use anyhow::{Context, Result, bail, ensure};

#[derive(Clone, Copy)]
pub(crate) enum Account {
    Current,
    /// The system user that Debian's package creates.
    Postgres,
}

impl Account {
    pub(crate) fn for_server() -> Result<Account> {
        if !is_root()? {
            return Ok(Account::Current);
        }
        let known = Command::new("id").args(["-u", "postgres"]).output().context("cannot run `id`")?;
        ensure!(
            known.status.success(),
            "Postgres does not run as root and there is no `postgres` user\nhint: run `useradd --system postgres`"
        );
        Ok(Account::Postgres)
    }

    pub(crate) fn command(self, program: impl AsRef<OsStr>) -> Command {
        match self {
            Account::Current => Command::new(program),
            Account::Postgres => {
                let mut command = Command::new("setpriv");
                command.args(["--reuid=postgres", "--regid=postgres", "--init-groups"]).arg(program);
                // The caller's folder may be closed to this user.
                command.current_dir("/");
                command
            }
        }
    }
}

pub(crate) fn is_root() -> Result<bool> {
    let output = Command::new("id").arg("-u").output().context("cannot run `id`")?;
    Ok(output.stdout.trim_ascii() == b"0")
}

/// Runs to the end and shows what the command printed only if it failed.
pub(crate) fn run_quietly(command: &mut Command) -> Result<Output> {
    let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
    if !output.status.success() {
        bail!(
            "{command:?} failed\n{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(output)
}
