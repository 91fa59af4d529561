//! A server or a worker: a process of ours on a port of its own, which it keeps over all its lives.

use std::fs::OpenOptions;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use rustix::process::{Pid, Signal, kill_process};
use tokio::process::{Child, Command};
use tokio::sync::{Mutex, MutexGuard};
use tokio::time::{sleep, timeout};

use super::probe;

const LOOK_PAUSE: Duration = Duration::from_millis(10);
/// A process that cannot start, for instance because its database is down, is started again after this.
const RESTART_PAUSE: Duration = Duration::from_millis(50);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Server,
    Worker,
}

/// How a process is started, each time the same way.
#[derive(Clone, Debug)]
pub(super) struct Launch {
    /// What stands in front of the program: how to enter a namespace.
    pub(super) enter: Vec<String>,
    pub(super) program: PathBuf,
    pub(super) args: Vec<String>,
    pub(super) variables: Vec<(String, String)>,
    pub(super) group: i32,
}

impl Launch {
    pub(super) fn command(&self) -> Command {
        let mut words = self.enter.iter();
        let mut command = match words.next() {
            None => Command::new(&self.program),
            Some(first) => {
                let mut command = Command::new(first);
                command.args(words).arg(&self.program);
                command
            }
        };
        // What this process was told is not meant for them.
        for (name, _) in std::env::vars_os() {
            if name.as_encoded_bytes().starts_with(b"SUREHOLD_") {
                command.env_remove(name);
            }
        }
        command.args(&self.args).envs(self.variables.iter().cloned());
        command.process_group(self.group).stdin(Stdio::null()).kill_on_drop(true);
        command
    }
}

#[derive(Debug)]
pub struct Node {
    /// Such as `server-0`.
    pub name: String,
    pub role: Role,
    /// Where it answers, `/readyz` at least.
    pub address: SocketAddr,
    pub(super) log: PathBuf,
    launch: Launch,
    life: Mutex<Life>,
}

/// Whoever holds it decides about life and death of the process; others keep away.
#[derive(Debug, Default)]
pub(super) struct Life {
    child: Option<Child>,
    /// Since it was started.
    was_ready: bool,
}

/// What had become of a node that nobody decided about.
#[derive(Debug, Default)]
pub(super) struct LookedAfter {
    pub(super) failed_start: bool,
    /// It had been ready.
    pub(super) ended_by_itself: Option<ExitStatus>,
}

impl Node {
    pub(super) fn new(name: String, role: Role, address: SocketAddr, log: PathBuf, launch: Launch) -> Node {
        Node { name, role, address, log, launch, life: Mutex::default() }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(super) async fn hold(&self) -> MutexGuard<'_, Life> {
        self.life.lock().await
    }

    /// `None` while somebody else decides about it.
    pub(super) fn try_hold(&self) -> Option<MutexGuard<'_, Life>> {
        self.life.try_lock().ok()
    }

    pub(super) fn start(&self, life: &mut Life) -> Result<()> {
        let log = OpenOptions::new().create(true).append(true).open(&self.log);
        let log = log.with_context(|| format!("cannot write to {}", self.log.display()))?;
        let child = self.launch.command().stdout(Stdio::null()).stderr(log).spawn();
        life.child = Some(child.with_context(|| format!("cannot start {}", self.name))?);
        life.was_ready = false;
        Ok(())
    }

    /// Starts it, if need be again and again, until it is ready.
    pub(super) async fn bring_up(&self, life: &mut Life, patience: Duration) -> Result<()> {
        let begun = Instant::now();
        loop {
            if life.has_ended()?.is_some() || life.child.is_none() {
                self.start(life)?;
            }
            if probe::is_ready(self.address).await {
                life.was_ready = true;
                return Ok(());
            }
            ensure!(begun.elapsed() < patience, "{} does not get ready; see {}", self.name, self.log.display());
            let pause = if life.has_ended()?.is_some() { RESTART_PAUSE } else { LOOK_PAUSE };
            sleep(pause).await;
        }
    }

    /// Starts it again if it has ended.
    pub(super) fn look_after(&self, life: &mut Life) -> Result<LookedAfter> {
        let Some(status) = life.has_ended()? else { return Ok(LookedAfter::default()) };
        let was_ready = life.was_ready;
        self.start(life)?;
        Ok(LookedAfter { failed_start: !was_ready, ended_by_itself: was_ready.then_some(status) })
    }
}

impl Life {
    /// How it ended, if it did.
    pub(super) fn has_ended(&mut self) -> Result<Option<ExitStatus>> {
        let Some(child) = &mut self.child else { return Ok(None) };
        child.try_wait().context("cannot look at a process")
    }

    pub(super) fn is_ready(&mut self) {
        self.was_ready = true;
    }

    pub(super) fn pid(&self) -> Result<u32> {
        let child = self.child.as_ref().context("the process was never started")?;
        child.id().context("the process has ended")
    }

    pub(super) fn signal(&self, signal: Signal) -> Result<()> {
        let pid = i32::try_from(self.pid()?).ok().and_then(Pid::from_raw).context("a process has a number")?;
        kill_process(pid, signal).with_context(|| format!("cannot send {signal:?}"))
    }

    /// Kills it and waits until it is gone, with its locks and its port.
    pub(super) async fn kill(&mut self) -> Result<()> {
        let Some(child) = &mut self.child else { return Ok(()) };
        child.kill().await.context("cannot kill a process")
    }

    /// Asks it to end, and waits for that.
    pub(super) async fn stop(&mut self, patience: Duration) -> Result<Option<ExitStatus>> {
        self.signal(Signal::TERM)?;
        let Some(child) = &mut self.child else { return Ok(None) };
        match timeout(patience, child.wait()).await {
            Ok(status) => status.map(Some).context("cannot wait for a process"),
            Err(_elapsed) => Ok(None),
        }
    }
}
