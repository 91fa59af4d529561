//! A server or a worker: a process of ours on a port of its own, which it keeps over all its lives.

use std::fs::OpenOptions;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use rustix::process::{Pid, Signal, kill_process};
use tokio::process::{Child, Command};
use tokio::sync::{Mutex, MutexGuard};
use tokio::time::{sleep, timeout};

use super::ledger::Ledger;
use super::probe;
use surehold_testkit::ports::LastingPort;

pub(super) const ENDED_BY_ITSELF: &str = "no node ends by itself";
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
    /// Kept while the process is down.
    _port: LastingPort,
}

/// Whoever holds it decides about life and death of the process; others keep away.
#[derive(Debug, Default)]
pub(super) struct Life {
    child: Option<Child>,
    /// Since it was started, and until somebody ended it.
    was_ready: bool,
}

impl Node {
    pub(super) fn new(name: String, role: Role, port: LastingPort, log: PathBuf, launch: Launch) -> Node {
        let address = address(&port);
        Node { name, role, address, log, launch, life: Mutex::default(), _port: port }
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

    /// Starts it, if need be again and again, until it is ready. Before a run there is no ledger.
    pub(super) async fn bring_up(&self, life: &mut Life, until: Instant, ledger: Option<&Ledger>) -> Result<()> {
        loop {
            if life.child.is_none() {
                self.start(life)?;
            }
            self.look_after(life, ledger)?;
            if probe::is_ready(self.address).await {
                life.is_ready();
                return Ok(());
            }
            ensure!(Instant::now() < until, "{} does not get ready; see {}", self.name, self.log.display());
            let pause = if life.has_ended()?.is_some() { RESTART_PAUSE } else { LOOK_PAUSE };
            sleep(pause).await;
        }
    }

    /// Starts it again if it has ended. One that had been ready does not end by itself: that is a finding. Another could
    /// not start, for instance because its database is down.
    pub(super) fn look_after(&self, life: &mut Life, ledger: Option<&Ledger>) -> Result<()> {
        let Some(status) = life.has_ended()? else { return Ok(()) };
        match ledger {
            Some(ledger) if life.was_ready => ledger.find(ENDED_BY_ITSELF, format!("{} ended: {status}", self.name)),
            Some(ledger) => ledger.failed_start(),
            None => {}
        }
        self.start(life)
    }

    /// Whether it is known to have got ready in this life.
    pub(super) async fn look_if_ready(&self, life: &mut Life) {
        if !life.was_ready && probe::is_ready(self.address).await {
            life.is_ready();
        }
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
        self.was_ready = false;
        child.kill().await.context("cannot kill a process")
    }

    /// Asks it to end, and waits for that.
    pub(super) async fn stop(&mut self, patience: Duration) -> Result<Option<ExitStatus>> {
        self.signal(Signal::TERM)?;
        self.was_ready = false;
        let Some(child) = &mut self.child else { return Ok(None) };
        match timeout(patience, child.wait()).await {
            Ok(status) => status.map(Some).context("cannot wait for a process"),
            Err(_elapsed) => Ok(None),
        }
    }
}

pub(super) fn address(port: &LastingPort) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, port.number()))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A process that ends as the script says, and serves nothing.
    pub(in super::super) fn node(folder: &std::path::Path, script: &str) -> Node {
        let launch = Launch {
            enter: Vec::new(),
            program: "sh".into(),
            args: vec!["-c".to_owned(), script.to_owned()],
            variables: Vec::new(),
            group: 0,
        };
        let port = LastingPort::take().unwrap();
        Node::new("server-0".to_owned(), Role::Server, port, folder.join("server-0.log"), launch)
    }

    pub(in super::super) fn ledger(folder: &std::path::Path) -> Ledger {
        Ledger::create(&folder.join("faults.jsonl"), Instant::now()).unwrap()
    }

    /// Lets it live, be ready if so, and come to its end.
    pub(in super::super) async fn live_and_end(node: &Node, life: &mut Life, ready: bool) {
        node.start(life).unwrap();
        if ready {
            life.is_ready();
        }
        life.child.as_mut().unwrap().wait().await.unwrap();
    }

    #[tokio::test]
    async fn one_that_was_ready_does_not_end_by_itself() {
        let folder = tempfile::tempdir().unwrap();
        for (ready, findings, failed_starts) in [(true, 1, 0), (false, 0, 1)] {
            let (node, ledger) = (node(folder.path(), "exit 3"), ledger(folder.path()));
            let mut life = node.hold().await;
            live_and_end(&node, &mut life, ready).await;
            node.look_after(&mut life, Some(&ledger)).unwrap();
            let summary = ledger.summary();
            assert_eq!((summary.findings.len(), summary.failed_starts), (findings, failed_starts), "{ready}");
        }
    }

    #[tokio::test]
    async fn also_when_everybody_is_brought_up() {
        let folder = tempfile::tempdir().unwrap();
        let (node, ledger) = (node(folder.path(), "exit 3"), ledger(folder.path()));
        let mut life = node.hold().await;
        live_and_end(&node, &mut life, true).await;
        assert!(node.bring_up(&mut life, Instant::now(), Some(&ledger)).await.is_err());
        let findings = ledger.summary().findings;
        assert_eq!(findings.iter().map(|finding| finding.rule).collect::<Vec<_>>(), [ENDED_BY_ITSELF]);
    }

    #[tokio::test]
    async fn one_that_is_killed_does_not_end_by_itself() {
        let folder = tempfile::tempdir().unwrap();
        let (node, ledger) = (node(folder.path(), "exec sleep 60"), ledger(folder.path()));
        let mut life = node.hold().await;
        node.start(&mut life).unwrap();
        life.is_ready();
        life.kill().await.unwrap();
        node.look_after(&mut life, Some(&ledger)).unwrap();
        assert_eq!(ledger.summary().findings, []);
        life.kill().await.unwrap();
    }
}
