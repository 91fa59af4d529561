//! A worker process, from its start to its end. Killed when dropped.

use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

use super::{PATIENCE, until};

#[derive(Debug)]
pub(super) struct WorkerProcess {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    options: Vec<String>,
}

impl WorkerProcess {
    pub(super) fn start(store: &str, provider: &str, options: &[String]) -> WorkerProcess {
        let mut child = Command::new(env!("CARGO_BIN_EXE_operate"))
            .args([store, provider])
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        WorkerProcess { child, lines, options: options.to_vec() }
    }

    /// Reads on until it says so; panics if it ends before.
    pub(super) async fn says(&mut self, expected: &str) -> String {
        let said = async {
            while let Some(line) = self.lines.next_line().await.unwrap() {
                if line.starts_with(expected) {
                    return Some(line);
                }
            }
            None
        };
        let said = timeout(PATIENCE, said).await;
        let said = said.unwrap_or_else(|_| panic!("{:?} does not say `{expected}`", self.options));
        said.unwrap_or_else(|| panic!("{:?} ended before it said `{expected}`", self.options))
    }

    pub(super) fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.child.id().expect("it is alive")).unwrap();
        kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
    }

    /// Returns when no thread runs any more: the signal reaches those that run later than it is sent.
    pub(super) async fn freeze(&self) {
        self.signal(Signal::STOP);
        let tasks = format!("/proc/{}/task", self.child.id().expect("it is alive"));
        until("all threads are stopped", async || all_stopped(&tasks).then_some(())).await;
    }

    async fn ends(&mut self) -> ExitStatus {
        let Ok(status) = timeout(PATIENCE, self.child.wait_keeping_stdin()).await else {
            panic!("{:?} does not end", self.options);
        };
        status
    }

    /// It was told where to die, and dies there: by the signal, which nothing else sends.
    pub(super) async fn dies(mut self) {
        let status = self.ends().await;
        assert_eq!(status.signal(), Some(Signal::KILL.as_raw()), "{:?}: {status}", self.options);
    }

    pub(super) async fn aborts(mut self) {
        let status = self.ends().await;
        assert_eq!(status.signal(), Some(Signal::ABORT.as_raw()), "{:?}: {status}", self.options);
    }

    pub(super) async fn kill(mut self) {
        self.signal(Signal::KILL);
        self.child.wait().await.unwrap();
    }

    /// In good order.
    pub(super) async fn stop(mut self) {
        drop(self.child.stdin.take());
        let status = timeout(PATIENCE, self.child.wait()).await.unwrap().unwrap();
        assert!(status.success(), "{:?}: {status}", self.options);
    }
}

/// The state comes after the name, which is in brackets and may hold anything.
fn all_stopped(tasks: &str) -> bool {
    let is_stopped = |stat: String| stat.rsplit_once(')').is_some_and(|(_, fields)| fields.starts_with(" T"));
    let mut threads = std::fs::read_dir(tasks).unwrap();
    // A thread that has just ended has no state.
    threads.all(|thread| std::fs::read_to_string(thread.unwrap().path().join("stat")).is_ok_and(is_stopped))
}

/// Waiting as tokio does it closes the input first, which would tell the process to stop.
trait WaitKeepingStdin {
    async fn wait_keeping_stdin(&mut self) -> ExitStatus;
}

impl WaitKeepingStdin for Child {
    async fn wait_keeping_stdin(&mut self) -> ExitStatus {
        let stdin = self.stdin.take();
        let status = self.wait().await.unwrap();
        drop(stdin);
        status
    }
}
