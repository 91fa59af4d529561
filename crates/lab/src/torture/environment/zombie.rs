//! A worker that stands still in the middle of a call, beyond its lease, and goes on as if nothing had happened: half of
//! the time in the very moment in which its work was taken from it, while others have only begun to repeat it.

use std::time::{Duration, Instant};

use anyhow::Result;
use rustix::process::Signal;
use serde_json::json;
use tokio::time::sleep;
use tokio_postgres::Client;

use super::acts::{Scene, millis};
use super::ledger::Deed;
use super::node::Life;
use super::schedule::Step;
use crate::fixture;

const LOOK_PAUSE: Duration = Duration::from_millis(2);
/// Whoever has not ended a call by then while a worker stands still is that worker.
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
        let caught = self.catch_in_call(&client, &life).await;
        life.signal(Signal::STOP)?;
        let since = Instant::now();
        let caught = caught.unwrap_or_default();
        let mut lost = false;
        if step.strength.is_multiple_of(2) && !caught.is_empty() {
            lost = self.wait_for_loss(&client, &caught).await;
        } else {
            self.lasts(Duration::from_millis(4_000 + 3 * u64::from(step.strength))).await;
        }
        life.signal(Signal::CONT)?;
        let detail = json!({ "millis": millis(since.elapsed()), "in_call": !caught.is_empty(), "woken_by_loss": lost });
        Ok(Deed { target: node.name.clone(), detail, ..Deed::default() })
    }

    /// Stops it when somebody has a lease; if that one goes on, it was another.
    async fn catch_in_call(&self, client: &Client, life: &Life) -> Result<Leases> {
        let since = Instant::now();
        while since.elapsed() < CATCH_PATIENCE && !self.stop.is_cancelled() {
            let before = leases(client).await?;
            if before.is_empty() {
                sleep(LOOK_PAUSE).await;
                continue;
            }
            life.signal(Signal::STOP)?;
            sleep(STANDSTILL).await;
            let mut left = leases(client).await?;
            left.retain(|lease| before.contains(lease));
            if !left.is_empty() {
                return Ok(left);
            }
            life.signal(Signal::CONT)?;
        }
        Ok(Leases::new())
    }

    /// Whether one of the leases was taken away.
    async fn wait_for_loss(&self, client: &Client, caught: &Leases) -> bool {
        let since = Instant::now();
        while since.elapsed() < LOSS_PATIENCE && !self.stop.is_cancelled() {
            match leases(client).await {
                Ok(left) if caught.iter().any(|lease| !left.contains(lease)) => return true,
                // Another fault may be at work on the database.
                Ok(_) | Err(_) => sleep(LOOK_PAUSE).await,
            }
        }
        false
    }
}

async fn leases(client: &Client) -> Result<Leases> {
    let sql = "select tenant, type, key, last_token from operation_runs where worker is not null";
    let rows = client.query(sql, &[]).await?;
    Ok(rows.iter().map(|row| (row.get(0), row.get(1), row.get(2), row.get(3))).collect())
}
