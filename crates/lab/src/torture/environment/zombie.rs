//! A worker that stands still beyond its lease, and goes on as if nothing had happened: frozen in the middle of a call or
//! while it writes down what came of one, and mostly woken in the very moment in which its work was taken from it, while
//! others have only begun to repeat it.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use rustix::process::Signal;
use serde_json::{Value, json};
use tokio::time::sleep;
use tokio_postgres::Client;

use super::acts::{Scene, millis};
use super::ledger::Deed;
use super::node::Life;
use super::schedule::Step;
use crate::fixture;

const LOOK_PAUSE: Duration = Duration::from_millis(2);
/// What was under way when it was stopped has had its effect after this.
const STANDSTILL: Duration = Duration::from_millis(80);
const CATCH_PATIENCE: Duration = Duration::from_secs(4);
/// A call may take two seconds; then it is noticed within one.
const LOSS_PATIENCE: Duration = Duration::from_secs(8);

/// The tenant, type, key and token of each lease.
type Leases = Vec<(i64, String, String, i64)>;

impl Scene<'_> {
    pub(super) async fn freeze_worker(&self, step: Step) -> Result<Deed> {
        let node = self.worker(step)?;
        let life = node.hold().await;
        let client = fixture::connect(&self.database()?.url).await?;
        let worker = worker_id(&node.log)?;
        let while_writing = step.strength % 4 < 2;
        let caught = self.catch(&client, worker, while_writing, &life).await;
        let since = Instant::now();
        let frozen = match caught {
            Ok(caught) if !caught.is_empty() => self.keep_frozen(step, &client, worker, &caught).await,
            Ok(_) => Err(anyhow::anyhow!("it was never met with a lease")),
            Err(error) => Err(error),
        };
        life.signal(Signal::CONT)?;
        let woken_by_loss = frozen?;
        let detail = json!({ "millis": millis(since.elapsed()), "while_writing": while_writing,
                "woken_by_loss": woken_by_loss });
        Ok(Deed { target: node.name.clone(), detail, ..Deed::default() })
    }

    /// Until it has lost what it had, and mostly not a moment longer. Whether it was woken in that moment.
    async fn keep_frozen(&self, step: Step, client: &Client, worker: i64, caught: &Leases) -> Result<bool> {
        let at_once = step.strength % 4 < 3;
        if !at_once {
            self.lasts(Duration::from_millis(4_000 + 3 * u64::from(step.strength))).await;
        }
        ensure!(self.wait_for_loss(client, worker, caught).await, "nobody took its lease away");
        Ok(at_once)
    }

    /// Stops it when it has a lease. Frozen in a call, it finds that its time is over; frozen while it writes, it has
    /// something to say, and says it to a new connection: its own has been cut because it kept everybody waiting.
    async fn catch(&self, client: &Client, worker: i64, while_writing: bool, life: &Life) -> Result<Leases> {
        let since = Instant::now();
        while since.elapsed() < CATCH_PATIENCE && !self.stop.is_cancelled() {
            if leases(client, worker).await?.is_empty() {
                sleep(LOOK_PAUSE).await;
                continue;
            }
            life.signal(Signal::STOP)?;
            sleep(STANDSTILL).await;
            let left = leases(client, worker).await?;
            if !left.is_empty() && is_anybody_in_batch(client).await? == while_writing {
                return Ok(left);
            }
            life.signal(Signal::CONT)?;
        }
        Ok(Leases::new())
    }

    /// Whether all of the leases were taken away: what came of the last one is not known to others yet.
    async fn wait_for_loss(&self, client: &Client, worker: i64, caught: &Leases) -> bool {
        let since = Instant::now();
        while since.elapsed() < LOSS_PATIENCE && !self.stop.is_cancelled() {
            match leases(client, worker).await {
                Ok(left) if !caught.iter().any(|lease| left.contains(lease)) => return true,
                // Another fault may be at work on the database.
                Ok(_) | Err(_) => sleep(LOOK_PAUSE).await,
            }
        }
        false
    }
}

async fn leases(client: &Client, worker: i64) -> Result<Leases> {
    let sql = "select tenant, type, key, last_token from operation_runs where worker = $1";
    let rows = client.query(sql, &[&worker]).await?;
    Ok(rows.iter().map(|row| (row.get(0), row.get(1), row.get(2), row.get(3))).collect())
}

/// For about as long as the worker has been standing still.
async fn is_anybody_in_batch(client: &Client) -> Result<bool> {
    let sql = "select count(*) from pg_stat_activity where state = 'idle in transaction' \
               and state_change < clock_timestamp() - interval '60 milliseconds'";
    Ok(client.query_one(sql, &[]).await?.get::<_, i64>(0) > 0)
}

/// As the worker itself said when it last started.
fn worker_id(log: &Path) -> Result<i64> {
    let log = std::fs::read_to_string(log).context("cannot read the worker's log")?;
    let said = log.lines().rev().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut ids = said.filter_map(|line| u64::from_str_radix(line["worker"].as_str()?, 16).ok());
    Ok(ids.next().context("the worker has not said who it is")?.cast_signed())
}
