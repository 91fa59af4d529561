//! The account that runs a private server: Postgres refuses to run as root.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

#[derive(Clone, Copy, Debug)]
pub enum Account {
    Current,
    /// The system user that Debian's package creates.
    Postgres,
}

impl Account {
    pub fn for_postgres() -> Result<Account> {
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

    pub fn command(self, program: impl AsRef<OsStr>) -> Command {
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

    /// The account creates the folder itself, so that the owner is right and the parent folder is known to be reachable.
    pub(crate) fn create_folder(self, template: &str) -> Result<PathBuf> {
        let mut mktemp = self.command("mktemp");
        let path = run_quietly(mktemp.args(["--directory", "--tmpdir", template])).context(
            "cannot create a folder for the server (if TMPDIR is set, its user must be able to write there)",
        )?;
        Ok(PathBuf::from(path.trim_end()))
    }
}

pub fn is_root() -> Result<bool> {
    Ok(run_quietly(Command::new("id").arg("-u"))?.trim() == "0")
}

/// Runs to the end and returns what the command printed; an error shows it too.
pub fn run_quietly(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    ensure!(output.status.success(), "{command:?} failed\n{stdout}{stderr}");
    Ok(stdout.into_owned())
}
