//! Goes through the schedule while the clients ask, until the time is over and everything was done often enough.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::acts::Scene;
use super::fault::FaultList;
use super::ledger::Ledger;
use super::schedule::{Schedule, Step};
use super::stage::Stage;

/// Beyond the time that was asked for, counts are waited for this long at most.
const OVERTIME_MIN: Duration = Duration::from_mins(3);
/// A fault that could not be done is tried again at once.
const TRIES_MAX: u32 = 3;

#[derive(Clone, Debug)]
pub struct NemesisPlan {
    pub seed: u64,
    /// Those that are possible, with their least counts.
    pub faults: FaultList,
    pub duration: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Overtime {
    No,
    Yes,
    Over,
}

/// Returns when it is over, or soon after `stop`; then no fault is at work any more.
pub async fn torment(stage: Arc<Stage>, plan: NemesisPlan, ledger: Arc<Ledger>, stop: CancellationToken) -> Result<()> {
    let nemesis = Nemesis { stage, ledger, stop, begun: Arc::default(), ended: Arc::default() };
    let since = Instant::now();
    let mut alongside: Option<JoinHandle<Result<()>>> = None;
    for step in Schedule::new(plan.seed, &plan.faults) {
        let overtime = overtime(&nemesis.ledger, &plan, since.elapsed());
        if overtime == Overtime::Over || nemesis.stop.is_cancelled() {
            break;
        }
        // The counts that were reached need no more.
        if overtime == Overtime::Yes && !nemesis.is_short_of(step, &plan) {
            continue;
        }
        nemesis.pause(step.pause).await;
        let done = tokio::spawn(nemesis.clone().perform(step));
        if step.alongside && alongside.is_none() {
            alongside = Some(done);
            continue;
        }
        done.await.context("a fault panicked")??;
        if let Some(done) = alongside.take_if(|done| done.is_finished()) {
            done.await.context("a fault panicked")??;
        }
    }
    if let Some(done) = alongside {
        done.await.context("a fault panicked")??;
    }
    // Without faults there is still a time to wait for.
    nemesis.pause(plan.duration.saturating_sub(since.elapsed())).await;
    nemesis.report_shortage(&plan);
    Ok(())
}

fn overtime(ledger: &Ledger, plan: &NemesisPlan, elapsed: Duration) -> Overtime {
    if elapsed < plan.duration {
        return Overtime::No;
    }
    let done = ledger.summary().done;
    let short = plan.faults.0.iter().any(|(kind, least)| done.get(kind).copied().unwrap_or(0) < *least);
    let patience = plan.duration + plan.duration.max(OVERTIME_MIN);
    if short && elapsed < patience { Overtime::Yes } else { Overtime::Over }
}

#[derive(Clone)]
struct Nemesis {
    stage: Arc<Stage>,
    ledger: Arc<Ledger>,
    stop: CancellationToken,
    begun: Arc<AtomicU64>,
    ended: Arc<AtomicU64>,
}

impl Nemesis {
    async fn pause(&self, pause: Duration) {
        tokio::select! {
            () = sleep(pause) => {}
            () = self.stop.cancelled() => {}
        }
    }

    fn is_short_of(&self, step: Step, plan: &NemesisPlan) -> bool {
        let done = self.ledger.summary().done.get(&step.kind).copied().unwrap_or(0);
        plan.faults.0.get(&step.kind).is_some_and(|least| done < *least)
    }

    async fn perform(self, step: Step) -> Result<()> {
        let scene = Scene { stage: &self.stage, ledger: &self.ledger, stop: &self.stop };
        for attempt in 1..=TRIES_MAX {
            let since = Instant::now();
            let number = self.begun.fetch_add(1, Ordering::SeqCst) + 1;
            let was_alone = self.ended.load(Ordering::SeqCst) + 1 == number;
            let mut came_of_it = scene.perform(step).await;
            let is_alone = was_alone && self.begun.load(Ordering::SeqCst) == number;
            if let Ok(deed) = &mut came_of_it
                && let Some(recovery) = &mut deed.recovery
            {
                recovery.alone = is_alone;
            }
            self.ended.fetch_add(1, Ordering::SeqCst);
            self.ledger.record(step.kind, since, &came_of_it)?;
            if came_of_it.is_ok() || attempt == TRIES_MAX || self.stop.is_cancelled() {
                break;
            }
        }
        Ok(())
    }

    /// Whoever stopped the run early does not expect the counts.
    fn report_shortage(&self, plan: &NemesisPlan) {
        if self.stop.is_cancelled() {
            return;
        }
        let done = self.ledger.summary().done;
        if done.is_empty() && !plan.faults.0.is_empty() {
            self.ledger.find("some fault is done", format!("none of {} was", plan.faults));
        }
        for (kind, least) in &plan.faults.0 {
            let done = done.get(kind).copied().unwrap_or(0);
            if done < *least {
                self.ledger.find("every fault is done as often as asked", format!("{kind}: {done} of {least}"));
            }
        }
    }
}
