//! The worker: state operations, effect operations, a heartbeat and a watchdog, until it is told to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::warn;

use super::WorkerConfig;
use super::context::Context;
use super::gate::Gate;
use super::pulse::Pulse;
use super::{dispatch, states, watchdog};
use crate::Engine;

/// Runs until [`Worker::stop`]. Dropped without it, it stops as if it had been killed.
#[derive(Debug)]
pub struct Worker {
    context: Arc<Context>,
    /// Nothing new is begun.
    stop: CancellationToken,
    /// The heart goes on beating while running effects are waited for.
    stop_beating: CancellationToken,
    loops: TaskTracker,
    effects: TaskTracker,
    beating: TaskTracker,
}

impl Worker {
    /// Must be called within a tokio runtime.
    pub fn start(engine: Engine, config: WorkerConfig) -> Worker {
        let pulse = Pulse::new(&config);
        let gate = Arc::new(Gate::new(config.effects_max, config.breaker));
        let context = Arc::new(Context { engine, config, pulse, gate, succeeded: AtomicU64::new(0) });
        let (stop, stop_beating) = (CancellationToken::new(), CancellationToken::new());
        let (loops, effects, beating) = (TaskTracker::new(), TaskTracker::new(), TaskTracker::new());
        let (shared, token) = (Arc::clone(&context), stop_beating.clone());
        beating.spawn(async move { shared.pulse.beat_until(&shared.engine, &token).await });
        let (shared, token) = (Arc::clone(&context), stop.clone());
        loops.spawn(async move { states::run_until(&shared, &token).await });
        let (shared, token, running) = (Arc::clone(&context), stop.clone(), effects.clone());
        loops.spawn(async move { dispatch::run_until(&shared, &token, &running).await });
        let (shared, token) = (Arc::clone(&context), stop.clone());
        loops.spawn(async move { watchdog::watch_until(&shared, &token).await });
        Worker { context, stop, stop_beating, loops, effects, beating }
    }

    /// Operations that this worker has brought to a good end.
    pub fn succeeded_count(&self) -> u64 {
        self.context.succeeded.load(Ordering::Relaxed)
    }

    /// Begins nothing new, waits for what runs, and gives back what is left.
    pub async fn stop(self) {
        self.stop.cancel();
        self.loops.close();
        self.effects.close();
        let ended = async {
            self.loops.wait().await;
            self.effects.wait().await;
        };
        let all_ended = tokio::time::timeout(self.context.config.drain_max, ended).await.is_ok();
        self.stop_beating.cancel();
        self.beating.close();
        self.beating.wait().await;
        if all_ended {
            return self.context.pulse.leave(&self.context.engine).await;
        }
        // Calls may still be on their way: nobody may have their leases before these run out.
        let left = self.effects.len();
        warn!(left, "{left} effects are still running; what becomes of them will be found out by asking");
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.stop.cancel();
        self.stop_beating.cancel();
    }
}
