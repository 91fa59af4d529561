//! A worker that stands still beyond its lease, and goes on as if nothing had happened: frozen in the middle of a call or
//! while it writes down what came of one, and mostly woken in the very moment in which its work was taken from it, while
//! others have only begun to repeat it.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use rustix::process::Signal;
use serde_json::{Value, json};
use tokio::time::sleep;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row};

use super::acts::{Scene, millis};
use super::ledger::Deed;
use super::logs::STALE;
use super::node::{Life, Node};
use super::schedule::Step;
use surehold_testkit::fixture;

const LOOK_PAUSE: Duration = Duration::from_millis(2);
/// A database that cannot be asked is starting.
const RETRY_PAUSE: Duration = Duration::from_millis(50);
/// What was under way when it was stopped has had its effect after this.
const STANDSTILL: Duration = Duration::from_millis(80);
const CATCH_PATIENCE: Duration = Duration::from_secs(4);
/// A call may take two seconds; then it is noticed within one.
const LOSS_PATIENCE: Duration = Duration::from_secs(8);
/// So long one that was woken may take to end its call, to find out, and to say so.
const SAY_PATIENCE: Duration = Duration::from_secs(4);

/// The tenant, type, key and token of each lease.
type Leases = Vec<(i64, String, String, i64)>;

impl Scene<'_> {
    pub(super) async fn freeze_worker(&self, step: Step) -> Result<Deed> {
        let node = self.worker(step)?;
        let _standstill = self.stage.standstill.lock().await;
        let life = self.hold(node).await?;
        let mut lookout = Lookout { url: self.database()?.url.clone(), client: None };
        let worker = worker_id(&node.log)?;
        let while_writing = step.strength % 4 < 2;
        let caught = self.catch(&mut lookout, worker, while_writing, &life).await;
        let since = Instant::now();
        let frozen = match caught {
            Ok(caught) => self.keep_frozen(step, &mut lookout, worker, &caught).await,
            Err(error) => Err(error),
        };
        let said_before = log_bytes(node);
        life.signal(Signal::CONT)?;
        let (woken_by_loss, frozen_for) = (frozen?, since.elapsed());
        let came_too_late = self.comes_too_late(node, said_before?).await?;
        let detail = json!({ "millis": millis(frozen_for), "while_writing": while_writing,
                "woken_by_loss": woken_by_loss, "came_too_late": came_too_late });
        Ok(Deed { target: node.name.clone(), detail, came_too_late, ..Deed::default() })
    }

    /// Until it has lost what it had, and mostly not a moment longer. Whether it was woken in that moment.
    async fn keep_frozen(&self, step: Step, lookout: &mut Lookout, worker: i64, caught: &Leases) -> Result<bool> {
        let at_once = step.strength % 4 < 3;
        if !at_once {
            self.lasts(Duration::from_millis(4_000 + 3 * u64::from(step.strength))).await;
        }
        self.wait_for_loss(lookout, worker, caught).await?;
        Ok(at_once)
    }

    /// Stops it when it has a lease. Frozen in a call, it finds that its time is over; frozen while it writes, it has
    /// something to say, and says it to a new connection: its own has been cut because it kept everybody waiting.
    async fn catch(&self, lookout: &mut Lookout, worker: i64, while_writing: bool, life: &Life) -> Result<Leases> {
        let since = Instant::now();
        let mut looked = Ok(());
        while since.elapsed() < CATCH_PATIENCE && !self.stop.is_cancelled() {
            // Another fault may be at work on the database.
            looked = match lookout.leases(worker).await {
                Ok(leases) if leases.is_empty() => {
                    sleep(LOOK_PAUSE).await;
                    Ok(())
                }
                Ok(_) => {
                    life.signal(Signal::STOP)?;
                    sleep(STANDSTILL).await;
                    match lookout.is_met(worker, while_writing).await {
                        Ok(Some(left)) => return Ok(left),
                        Ok(None) => life.signal(Signal::CONT),
                        Err(error) => life.signal(Signal::CONT).and(Err(error)),
                    }
                }
                Err(error) => {
                    sleep(RETRY_PAUSE).await;
                    Err(error)
                }
            };
        }
        looked.context("the database could not be looked at")?;
        bail!("it was never met with a lease")
    }

    /// Until all of the leases were taken away: what came of the last one is not known to others yet.
    async fn wait_for_loss(&self, lookout: &mut Lookout, worker: i64, caught: &Leases) -> Result<()> {
        let since = Instant::now();
        let mut reason = anyhow!("the run was over");
        while since.elapsed() < LOSS_PATIENCE && !self.stop.is_cancelled() {
            reason = match lookout.leases(worker).await {
                Ok(left) if !caught.iter().any(|lease| left.contains(lease)) => return Ok(()),
                Ok(_) => {
                    sleep(LOOK_PAUSE).await;
                    anyhow!("nobody took its lease away")
                }
                // Another fault may be at work on the database.
                Err(error) => {
                    sleep(RETRY_PAUSE).await;
                    error.context("the database could not be looked at")
                }
            };
        }
        Err(reason)
    }

    /// Whether it says so itself, now that it was woken: nobody else's staleness, nor its own of another time.
    async fn comes_too_late(&self, node: &Node, said_before: u64) -> Result<bool> {
        let since = Instant::now();
        while since.elapsed() < SAY_PATIENCE && !self.stop.is_cancelled() {
            if says_stale(&node.log, said_before)? {
                return Ok(true);
            }
            sleep(RETRY_PAUSE).await;
        }
        Ok(false)
    }
}

/// Looks into the database, over all its lives.
struct Lookout {
    url: String,
    /// Gone when it failed: the next look is by a new one.
    client: Option<Client>,
}

impl Lookout {
    async fn look(&mut self, sql: &str, params: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>> {
        let client = match self.client.take() {
            Some(client) => client,
            None => fixture::connect(&self.url).await?,
        };
        let rows = client.query(sql, params).await?;
        self.client = Some(client);
        Ok(rows)
    }

    async fn leases(&mut self, worker: i64) -> Result<Leases> {
        let sql = "select tenant, type, key, last_token from operation_runs where worker = $1";
        let rows = self.look(sql, &[&worker]).await?;
        Ok(rows.iter().map(|row| (row.get(0), row.get(1), row.get(2), row.get(3))).collect())
    }

    /// The leases of a worker that stands still where it was to be met.
    async fn is_met(&mut self, worker: i64, while_writing: bool) -> Result<Option<Leases>> {
        let left = self.leases(worker).await?;
        let is_met = !left.is_empty() && self.is_anybody_in_batch().await? == while_writing;
        Ok(is_met.then_some(left))
    }

    /// For about as long as the worker has been standing still.
    async fn is_anybody_in_batch(&mut self) -> Result<bool> {
        let sql = "select 1 from pg_stat_activity where state = 'idle in transaction' \
                   and state_change < clock_timestamp() - interval '60 milliseconds'";
        Ok(!self.look(sql, &[]).await?.is_empty())
    }
}

fn log_bytes(node: &Node) -> Result<u64> {
    Ok(std::fs::metadata(&node.log).context("cannot look at the worker's log")?.len())
}

/// In what follows that many bytes.
fn says_stale(log: &Path, said_before: u64) -> Result<bool> {
    let mut file = std::fs::File::open(log).context("cannot read the worker's log")?;
    file.seek(SeekFrom::Start(said_before)).context("cannot read the worker's log")?;
    let mut said = Vec::new();
    file.read_to_end(&mut said).context("cannot read the worker's log")?;
    Ok(String::from_utf8_lossy(&said).contains(STALE))
}

/// As the worker itself said when it last started.
fn worker_id(log: &Path) -> Result<i64> {
    let log = std::fs::read_to_string(log).context("cannot read the worker's log")?;
    let said = log.lines().rev().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut ids = said.filter_map(|line| u64::from_str_radix(line["worker"].as_str()?, 16).ok());
    Ok(ids.next().context("the worker has not said who it is")?.cast_signed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_said_afterwards_counts() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("worker-0.log");
        let before = format!("The lease of `CHARGE:1` was lost; {STALE}\n");
        let after = format!("{before}Listening\n");
        let bytes = |text: &str| u64::try_from(text.len()).unwrap();
        std::fs::write(&log, &after).unwrap();
        assert!(says_stale(&log, 0).unwrap());
        assert!(!says_stale(&log, bytes(&before)).unwrap());
        std::fs::write(&log, format!("{after}{before}")).unwrap();
        assert!(says_stale(&log, bytes(&after)).unwrap());
    }

    #[tokio::test]
    async fn a_lookout_survives_a_crash_of_postgres() {
        let server = fixture::own_postgres();
        let mut lookout = Lookout { url: server.url(), client: None };
        assert!(!lookout.is_anybody_in_batch().await.unwrap());
        server.crash().unwrap();
        assert!(lookout.is_anybody_in_batch().await.is_err());
        server.launch().unwrap();
        assert!(!lookout.is_anybody_in_batch().await.unwrap());
    }
}
