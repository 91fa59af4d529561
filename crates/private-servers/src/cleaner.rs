//! The process that stops a server and removes its folder after the process that started the server has ended.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

use crate::account::Account;

/// Waits for the end of a pipe that only the owner of the server holds open. That end also comes with Ctrl-C or
/// SIGKILL, where no destructor runs.
const SCRIPT: &str = r#"
    folder=$1 pid_file=$2
    shift 2
    read -r _
    if [ -f "$pid_file" ]; then "$@"; fi
    rm -rf "$folder"
"#;

#[derive(Debug)]
pub(crate) struct Cleaner {
    process: Child,
    folder: PathBuf,
}

impl Cleaner {
    /// `stop` runs only if there is a `pid_file`, which the server removes when it ends by itself.
    pub(crate) fn spawn(account: Account, folder: &Path, pid_file: &Path, stop: &Command) -> Result<Cleaner> {
        let mut cleaner = account.command("sh");
        cleaner.args(["-c", SCRIPT, "surehold-cleaner"]).arg(folder).arg(pid_file);
        cleaner.arg(stop.get_program()).args(stop.get_args());
        // A group of its own: Ctrl-C must reach the owner and its children, not the cleaner.
        cleaner.stdin(Stdio::piped()).stdout(Stdio::null()).process_group(0);
        let process = cleaner.spawn().context("cannot start the process that cleans up after the server")?;
        Ok(Cleaner { process, folder: folder.to_owned() })
    }
}

impl Drop for Cleaner {
    fn drop(&mut self) {
        // Waiting closes the pipe first, which is the signal to clean up.
        let is_clean = self.process.wait().is_ok_and(|status| status.success());
        if !is_clean {
            eprintln!("warning: a private server may be left behind\nhint: see {}", self.folder.display());
        }
    }
}
