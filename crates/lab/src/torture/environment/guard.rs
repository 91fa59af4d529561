//! Sees to it that nothing that was started outlives this process, however it ends.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

/// Waits for the end of a pipe that only this process holds open, then kills its group: everybody who was started in it,
/// frozen or not, and itself. That end also comes with SIGKILL, where no destructor runs.
const SCRIPT: &str = "read -r _; kill -KILL 0";

#[derive(Debug)]
pub(super) struct Guard(Child);

impl Guard {
    pub(super) fn start() -> Result<Guard> {
        let mut guard = Command::new("sh");
        guard.args(["-c", SCRIPT, "surehold-torture-guard"]).stdin(Stdio::piped()).stdout(Stdio::null());
        // A group of its own: Ctrl-C must reach this process alone, which then ends the others in order.
        guard.process_group(0);
        guard.spawn().map(Guard).context("cannot start the process that ends the others")
    }

    /// The group that whatever is started must join.
    pub(super) fn group(&self) -> i32 {
        i32::try_from(self.0.id()).expect("process ids are small")
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // Waiting closes its input first, which is its signal to work.
        let _ = self.0.wait();
    }
}
