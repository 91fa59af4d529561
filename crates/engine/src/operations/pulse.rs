//! The worker's heartbeat. Others take the leases of a worker that has been silent for too long; so a worker that cannot
//! make itself heard stops calling anybody before they do.

use std::sync::Mutex;
use std::time::Duration;

use surehold_core::kernel::{TenantId, Timestamp};
use surehold_core::operations::WorkerId;
use surehold_core::operations::commands::{Beat, LeaveWork};
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::WorkerConfig;
use crate::Engine;

#[derive(Debug)]
pub(super) struct Pulse {
    pub(super) worker: WorkerId,
    host: String,
    beat_pause: Duration,
    fit_for: Duration,
    last: Mutex<Last>,
    begun: watch::Sender<bool>,
}

#[derive(Debug)]
struct Last {
    /// When the last beat that arrived was sent.
    beat: Option<Instant>,
    raised_at: Option<Timestamp>,
}

impl Pulse {
    pub(super) fn new(config: &WorkerConfig) -> Pulse {
        Pulse {
            worker: WorkerId((config.dice)().cast_signed()),
            host: config.host.clone(),
            beat_pause: config.beat_pause,
            // A third of the silence is left for what is on its way.
            fit_for: config.silent_after.mul_f64(2.0 / 3.0),
            last: Mutex::new(Last { beat: None, raised_at: None }),
            begun: watch::Sender::new(false),
        }
    }

    /// Whether nobody can have taken the leases yet.
    pub(super) fn is_fit(&self) -> bool {
        let last = self.last.lock().expect("nothing panics while holding it");
        last.beat.is_some_and(|beat| beat.elapsed() < self.fit_for)
    }

    /// Returns when a beat has arrived. Before that nobody knows whether data was put back, so nothing may be begun.
    pub(super) async fn begun(&self) {
        // The sender lives as long as `self`.
        let _ = self.begun.subscribe().wait_for(|begun| *begun).await;
    }

    /// When the data was last put back to an earlier state.
    pub(super) fn raised_at(&self) -> Option<Timestamp> {
        self.last.lock().expect("nothing panics while holding it").raised_at
    }

    pub(super) async fn beat(&self, engine: &Engine) -> bool {
        let sent = Instant::now();
        let epoch = engine.views().latest_epoch().await;
        let command = Beat { worker: self.worker, host: self.host.as_str().into() };
        let beaten = engine.run(TenantId::DIRECTORY, command).await;
        match (epoch, beaten) {
            (Ok(epoch), Ok(_)) => {
                let mut last = self.last.lock().expect("nothing panics while holding it");
                *last = Last { beat: Some(sent), raised_at: epoch.map(|epoch| epoch.raised_at) };
                self.begun.send_replace(true);
                true
            }
            (epoch, beaten) => {
                warn!(?epoch, ?beaten, "The worker cannot say that it is alive");
                false
            }
        }
    }

    pub(super) async fn beat_until(&self, engine: &Engine, stop: &CancellationToken) {
        let worker = self.worker;
        info!(%worker, "Worker `{worker}` starts");
        loop {
            let pause = if self.beat(engine).await { self.beat_pause } else { self.beat_pause / 10 };
            if stop.run_until_cancelled(tokio::time::sleep(pause)).await.is_none() {
                return;
            }
        }
    }

    /// What is left of its leases can be taken at once.
    pub(super) async fn leave(&self, engine: &Engine) {
        let worker = self.worker;
        match engine.run(TenantId::DIRECTORY, LeaveWork { worker }).await {
            Ok(_) => info!(%worker, "Worker `{worker}` has stopped"),
            Err(failure) => warn!(%worker, ?failure, "Worker `{worker}` cannot say that it has stopped"),
        }
    }
}
