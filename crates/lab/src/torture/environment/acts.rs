//! How each fault is done, healed, and what it reports. `Err` says that it could not be done this time; that something
//! did not survive it is a finding.

use std::os::unix::fs::MetadataExt;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rustix::process::Signal;
use serde_json::json;
use tokio::sync::MutexGuard;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::database::Database;
use super::fault::FaultKind;
use super::ledger::{Deed, Ledger, Recovery};
use super::node::{ENDED_BY_ITSELF, Life, Node};
use super::probe::Prober;
use super::schedule::Step;
use super::stage::{CONVERGE_WITHIN, Stage};
use crate::proxy::Harm;
use surehold_testkit::fixture;

const RETRY_PAUSE: Duration = Duration::from_millis(5);
const STRIKE_PATIENCE: Duration = Duration::from_secs(5);
const STOP_PATIENCE: Duration = Duration::from_secs(30);
/// How often a server is stopped to find it in the middle of a batch.
const CATCHES_MAX: u32 = 200;
/// What was sent before the stop has had its effect after this.
const SETTLE: Duration = Duration::from_millis(15);
const FILL_PATIENCE: Duration = Duration::from_secs(10);
/// A write that takes so long waits for room.
const STUCK_PATIENCE: Duration = Duration::from_millis(1_500);
/// Longer than a server waits before it refuses.
const REFUSAL_PATIENCE: Duration = Duration::from_secs(15);

/// What a fault needs to be done.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scene<'a> {
    pub(super) stage: &'a Stage,
    pub(super) ledger: &'a Ledger,
    /// The run is over: whoever waits only to do more harm stops waiting.
    pub(super) stop: &'a CancellationToken,
}

impl Scene<'_> {
    pub(super) async fn perform(&self, step: Step) -> Result<Deed> {
        match step.kind {
            FaultKind::Kill => self.kill(step).await,
            FaultKind::KillWorker => self.kill_worker(step).await,
            FaultKind::Freeze => self.freeze(step).await,
            FaultKind::FreezeWorker => self.freeze_worker(step).await,
            FaultKind::RestartPostgres => self.restart_postgres().await,
            FaultKind::TerminateBackend => self.terminate_backends(step).await,
            FaultKind::CutBeforeCommit => self.cut(step, Harm::CutBeforeCommit).await,
            FaultKind::CutAfterCommit => self.cut(step, Harm::CutAfterCommit).await,
            FaultKind::CutLateCommit => self.cut(step, Harm::CutWithLateCommit).await,
            FaultKind::Latency => self.slow_down(step).await,
            FaultKind::DiskFull => self.fill_disk(step).await,
            FaultKind::ClockJump => self.turn_clock(step).await,
            FaultKind::RestartStorm => self.storm(step).await,
            FaultKind::Stop => self.stop_server(step).await,
        }
    }

    pub(super) async fn lasts(&self, duration: Duration) {
        tokio::select! {
            () = sleep(duration) => {}
            () = self.stop.cancelled() => {}
        }
    }

    fn server(&self, step: Step) -> (usize, &Node) {
        let servers: Vec<&Node> = self.stage.servers().collect();
        let index = step.target % servers.len();
        (index, servers[index])
    }

    pub(super) fn worker(&self, step: Step) -> Result<&Node> {
        let workers: Vec<&Node> = self.stage.workers().collect();
        ensure!(!workers.is_empty(), "there is no worker");
        Ok(workers[step.target % workers.len()])
    }

    pub(super) fn database(&self) -> Result<&Database> {
        self.stage.database.as_ref().context("there is no Postgres")
    }

    /// Decides about a node from now on. It may have ended by itself before, which must not look like what is done to it.
    pub(super) async fn hold<'n>(&self, node: &'n Node) -> Result<MutexGuard<'n, Life>> {
        let mut life = node.hold().await;
        node.look_after(&mut life, Some(self.ledger))?;
        Ok(life)
    }

    async fn first_write(&self, node: &Node, life: &mut Life, since: Instant) -> Option<Duration> {
        first_write(&self.stage.prober, self.ledger, node, life, since).await
    }

    async fn kill(&self, step: Step) -> Result<Deed> {
        let (_, node) = self.server(step);
        let mut life = self.hold(node).await?;
        let since = Instant::now();
        life.kill().await?;
        let recovery = self.restart(node, &mut life, since).await?;
        Ok(Deed { target: node.name.clone(), kills: 1, recovery, ..Deed::default() })
    }

    /// Starts at once a server that has gone, and measures.
    async fn restart(&self, node: &Node, life: &mut Life, since: Instant) -> Result<Option<Recovery>> {
        node.start(life)?;
        let restarted_after = since.elapsed();
        let took = self.first_write(node, life, since).await;
        // Whether it was alone is known to whoever asked for the fault.
        Ok(took.map(|took| Recovery { node: node.name.clone(), took, restarted_after, alone: true }))
    }

    async fn kill_worker(&self, step: Step) -> Result<Deed> {
        let node = self.worker(step)?;
        let mut life = self.hold(node).await?;
        life.kill().await?;
        node.start(&mut life)?;
        if let Err(error) = node.bring_up(&mut life, Instant::now() + CONVERGE_WITHIN, Some(self.ledger)).await {
            self.ledger.find("a worker recovers", format!("{error:#}"));
        }
        Ok(Deed { target: node.name.clone(), kills: 1, ..Deed::default() })
    }

    /// Half of them for longer than a turn can be kept.
    async fn freeze(&self, step: Step) -> Result<Deed> {
        let (index, node) = self.server(step);
        // On Postgres the first server has one of the two workers.
        let has_worker = index == 0 && self.stage.workers().next().is_some();
        let _standstill = if has_worker { Some(self.stage.standstill.lock().await) } else { None };
        let life = self.hold(node).await?;
        let spread = Duration::from_millis(u64::from(step.strength) * 2);
        let base =
            if step.strength.is_multiple_of(2) { Duration::from_millis(5_500) } else { Duration::from_millis(300) };
        let duration = base + spread;
        self.catch_in_batch(index, &life).await?;
        self.lasts(duration).await;
        life.signal(Signal::CONT)?;
        let detail = json!({ "millis": millis(duration), "in_batch": true });
        Ok(Deed { target: node.name.clone(), detail, caught_in_batch: true, ..Deed::default() })
    }

    /// Stops it until it stands still with a tenant's turn.
    async fn catch_in_batch(&self, index: usize, life: &Life) -> Result<()> {
        for _ in 0..CATCHES_MAX {
            ensure!(!self.stop.is_cancelled(), "the run was over");
            life.signal(Signal::STOP)?;
            if self.is_in_batch(index, life.pid()?).await.unwrap_or(false) {
                return Ok(());
            }
            life.signal(Signal::CONT)?;
            sleep(RETRY_PAUSE).await;
        }
        bail!("it was never met in the middle of a batch")
    }

    /// Whether a server that stands still has a tenant's turn.
    async fn is_in_batch(&self, index: usize, pid: u32) -> Result<bool> {
        match &self.stage.database {
            None => holds_write_lock(&self.stage.file(), pid),
            Some(database) => {
                sleep(SETTLE).await;
                let client = fixture::connect(&database.url).await?;
                let sql = "select count(*) from pg_locks l join pg_stat_activity a on a.pid = l.pid \
                           where l.locktype = 'advisory' and l.granted and a.client_port = any($1)";
                let row = client.query_one(sql, &[&self.ports(index)]).await?;
                Ok(row.get::<_, i64>(0) > 0)
            }
        }
    }

    fn ports(&self, index: usize) -> Vec<i32> {
        self.stage.proxies[index].ports().into_iter().map(i32::from).collect()
    }

    /// Over when a write through each server that lives is answered.
    async fn restart_postgres(&self) -> Result<Deed> {
        let since = Instant::now();
        self.database()?.crash_and_launch().await?;
        let launched_after = since.elapsed();
        for node in self.stage.servers() {
            // One that others harm meanwhile is theirs.
            let Some(mut life) = node.try_hold() else { continue };
            self.first_write(node, &mut life, since).await;
        }
        let detail =
            json!({ "launched_after_ms": millis(launched_after), "writing_after_ms": millis(since.elapsed()) });
        Ok(Deed { target: "postgres".to_owned(), detail, ..Deed::default() })
    }

    async fn terminate_backends(&self, step: Step) -> Result<Deed> {
        let (index, node) = self.server(step);
        let client = fixture::connect(&self.database()?.url).await?;
        let sql = "select count(pg_terminate_backend(pid)) from pg_stat_activity where client_port = any($1)";
        let ended: i64 = client.query_one(sql, &[&self.ports(index)]).await?.get(0);
        ensure!(ended > 0, "{} has no session", node.name);
        Ok(Deed { target: node.name.clone(), detail: json!({ "sessions": ended }), ..Deed::default() })
    }

    async fn cut(&self, step: Step, harm: Harm) -> Result<Deed> {
        let (index, node) = self.server(step);
        tokio::select! {
            struck = self.stage.proxies[index].strike_within(harm, STRIKE_PATIENCE) => struck?,
            () = self.write_on(node) => {}
        }
        Ok(Deed { target: node.name.clone(), ..Deed::default() })
    }

    /// There must be commits for one to be cut off. Never ends.
    async fn write_on(&self, node: &Node) {
        loop {
            self.stage.prober.write(node.address).await;
            sleep(RETRY_PAUSE).await;
        }
    }

    async fn slow_down(&self, step: Step) -> Result<Deed> {
        let (index, node) = self.server(step);
        let latency = Duration::from_millis(2 + u64::from(step.strength % 50));
        let proxy = self.stage.proxies.get(index).context("there is no proxy")?;
        proxy.set_latency(latency);
        self.lasts(Duration::from_millis(1_000 + 2 * u64::from(step.strength))).await;
        proxy.set_latency(Duration::ZERO);
        Ok(Deed { target: node.name.clone(), detail: json!({ "millis": millis(latency) }), ..Deed::default() })
    }

    /// Full is when something could not be written; then for a while; then it must go on.
    async fn fill_disk(&self, step: Step) -> Result<Deed> {
        let room = self.stage.room.as_ref().context("there is room")?;
        let (_, node) = self.server(step);
        let mut life = self.hold(node).await?;
        let since = Instant::now();
        let lack = room.take_away(step.strength)?;
        // Some wait for the refusal, the others go on as soon as a write gets stuck.
        let patience = if step.strength.is_multiple_of(3) { REFUSAL_PATIENCE } else { STUCK_PATIENCE };
        let refused = self.write_until_refused(node, patience).await;
        if refused.is_some() {
            self.lasts(Duration::from_millis(200 + u64::from(step.strength))).await;
        }
        room.give_back()?;
        let emptied = Instant::now();
        let wrote_after = self.first_write(node, &mut life, emptied).await;
        let Some(status) = refused else { bail!("everything found room") };
        let (full_ms, wrote_after_ms) = (millis(emptied - since), wrote_after.map(millis));
        let detail =
            json!({ "by": lack.name(), "full_ms": full_ms, "refused_with": status, "wrote_after_ms": wrote_after_ms });
        Ok(Deed { target: node.name.clone(), detail, ..Deed::default() })
    }

    /// With which status; 0 when there was no answer.
    async fn write_until_refused(&self, node: &Node, patience: Duration) -> Option<u16> {
        let since = Instant::now();
        while since.elapsed() < FILL_PATIENCE {
            let wrote = timeout(patience, self.stage.prober.write_much(node.address)).await;
            let status = wrote.ok().flatten().unwrap_or(0);
            if status != 201 {
                return Some(status);
            }
        }
        None
    }

    /// Stays as it is until the next jump, or the end.
    async fn turn_clock(&self, step: Step) -> Result<Deed> {
        let (index, node) = self.server(step);
        let clock = self.stage.clocks.get(index).context("there is no clock to turn")?;
        let far: i64 = if step.strength.is_multiple_of(4) { 30 } else { 10 };
        let offset_secs = offset_secs(i64::from(step.strength / 4), far, clock.offset_secs()?);
        clock.set(offset_secs)?;
        // It is looked at once a second.
        self.lasts(Duration::from_millis(1_100 + u64::from(step.strength))).await;
        Ok(Deed { target: node.name.clone(), detail: json!({ "offset_secs": offset_secs }), ..Deed::default() })
    }

    async fn storm(&self, step: Step) -> Result<Deed> {
        let (_, node) = self.server(step);
        let mut life = self.hold(node).await?;
        let kills = 3 + step.strength % 4;
        for kill in 1..kills {
            life.kill().await?;
            node.start(&mut life)?;
            // Some die before they listen, some after their first answers.
            self.lasts(Duration::from_millis(u64::from(step.strength * kill % 250))).await;
        }
        let since = Instant::now();
        life.kill().await?;
        let recovery = self.restart(node, &mut life, since).await?;
        let detail = json!({ "kills": kills });
        Ok(Deed { target: node.name.clone(), detail, kills, recovery, ..Deed::default() })
    }

    async fn stop_server(&self, step: Step) -> Result<Deed> {
        let (_, node) = self.server(step);
        let mut life = self.hold(node).await?;
        let since = Instant::now();
        match life.stop(STOP_PATIENCE).await? {
            Some(status) if status.success() => {}
            Some(status) => self.ledger.find("a server that is asked to ends well", format!("{}: {status}", node.name)),
            None => {
                self.ledger.find("a server that is asked to ends in time", node.name.clone());
                life.kill().await?;
            }
        }
        let stopped_after = since.elapsed();
        self.restart(node, &mut life, Instant::now()).await?;
        let detail = json!({ "stopped_after_ms": millis(stopped_after) });
        Ok(Deed { target: node.name.clone(), detail, ..Deed::default() })
    }
}

/// Waits until a write through the node is answered. Starts it again if it has ended, which is a finding if it had been
/// ready.
async fn first_write(
    prober: &Prober,
    ledger: &Ledger,
    node: &Node,
    life: &mut Life,
    since: Instant,
) -> Option<Duration> {
    loop {
        if prober.write(node.address).await == Some(200) {
            life.is_ready();
            return Some(since.elapsed());
        }
        if let Err(error) = node.look_after(life, Some(ledger)) {
            ledger.find(ENDED_BY_ITSELF, format!("{error:#}"));
        }
        if since.elapsed() > CONVERGE_WITHIN {
            let detail = format!("{} answers no write within {CONVERGE_WITHIN:?}", node.name);
            ledger.find("a server recovers", detail);
            return None;
        }
        sleep(RETRY_PAUSE).await;
    }
}

/// Up to `far` from the true time, never the true time itself, and never what it was.
fn offset_secs(roll: i64, far: i64, now: i64) -> i64 {
    let offset = roll % (2 * far) - far;
    let offset = if offset < 0 { offset } else { offset + 1 };
    if offset == now { -offset } else { offset }
}

pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// The byte of the shared-memory file that a writer of SQLite locks.
const WRITE_LOCK_BYTE: &str = "120";

/// As the kernel lists it: `1: POSIX ADVISORY WRITE 4711 00:2a:17 120 120`.
fn holds_write_lock(file: &std::path::Path, pid: u32) -> Result<bool> {
    let mut shared = file.as_os_str().to_owned();
    shared.push("-shm");
    let inode = std::fs::metadata(shared).context("there is no shared memory")?.ino();
    let locks = std::fs::read_to_string("/proc/locks").context("cannot read /proc/locks")?;
    Ok(locks.lines().any(|line| is_write_lock(line, pid, inode)))
}

fn is_write_lock(line: &str, pid: u32, inode: u64) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [_, "POSIX", "ADVISORY", "WRITE", owner, file, WRITE_LOCK_BYTE, _] = words[..] else { return false };
    owner.parse() == Ok(pid) && file.rsplit(':').next().and_then(|inode| inode.parse().ok()) == Some(inode)
}

#[cfg(test)]
mod tests {
    use super::super::node::tests;
    use super::*;

    #[tokio::test]
    async fn a_server_that_dies_of_a_fault_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let (node, ledger) = (tests::node(folder.path(), "exit 3"), tests::ledger(folder.path()));
        let mut life = node.hold().await;
        tests::live_and_end(&node, &mut life, true).await;
        let long_ago = Instant::now().checked_sub(2 * CONVERGE_WITHIN).unwrap();
        first_write(&Prober::new(String::new()), &ledger, &node, &mut life, long_ago).await;
        let findings = ledger.summary().findings;
        let rules: Vec<&str> = findings.iter().map(|finding| finding.rule).collect();
        assert_eq!(rules, [ENDED_BY_ITSELF, "a server recovers"]);
    }

    #[test]
    fn a_clock_that_jumps_moves() {
        let check = |roll, now, expected| assert_eq!(offset_secs(roll, 10, now), expected, "{roll} at {now}");
        check(0, 0, -10);
        check(9, 0, -1);
        check(10, 0, 1);
        check(19, 0, 10);
        check(20, 0, -10);
        check(20, -10, 10);
        check(12, 3, -3);
    }

    #[test]
    fn the_writers_lock_is_known() {
        let check = |line: &str, expected: bool| assert_eq!(is_write_lock(line, 4711, 17), expected, "{line}");
        check("1: POSIX  ADVISORY  WRITE 4711 00:2a:17 120 120", true);
        check("1: POSIX  ADVISORY  WRITE 4711 00:2a:18 120 120", false);
        check("1: POSIX  ADVISORY  WRITE 4712 00:2a:17 120 120", false);
        check("1: POSIX  ADVISORY  READ  4711 00:2a:17 120 120", false);
        check("1: POSIX  ADVISORY  WRITE 4711 00:2a:17 123 123", false);
        check("1: -> POSIX  ADVISORY  WRITE 4711 00:2a:17 120 120", false);
        check("", false);
    }
}
