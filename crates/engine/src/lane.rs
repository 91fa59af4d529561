//! A lane: one connection of a store, serving batches one after the other. A tenant is always in the same lane of
//! a node. Commands that arrive while a batch commits form the next one.

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use metrics::{Counter, Histogram, counter, histogram};
use surehold_core::kernel::TenantId;
use tokio::time::{Instant, sleep};
use tracing::{error, warn};
use uuid::Uuid;

use crate::job::{FailReason, Job};
use crate::session::with_causes;
use crate::work::{Item, Jobs, Work};
use crate::{Fault, LaneQueue, Session, StoreError, Turns};

pub const BATCH_COMMANDS_MAX: usize = 8_192;
const CONFLICTS_MAX: u32 = 3;
const RECONNECT_PAUSE: Duration = Duration::from_millis(50);
const RECONNECT_PAUSE_MAX: Duration = Duration::from_secs(1);

impl LaneQueue {
    /// Serves the queue until the engine stops and everything accepted is answered.
    pub async fn serve<S: Session>(self, session: &mut S) {
        let mut lane =
            Lane { queue: self, jobs: Jobs::default(), waiting: VecDeque::new(), metrics: LaneMetrics::new() };
        while lane.wait_for_work().await {
            let batch = lane.next_batch();
            lane.execute(session, batch).await;
        }
    }
}

struct Lane {
    queue: LaneQueue,
    jobs: Jobs,
    /// Commands of begun jobs that are in no batch yet.
    waiting: VecDeque<Item>,
    metrics: LaneMetrics,
}

struct LaneMetrics {
    batch_commands: Histogram,
    batch_seconds: Histogram,
    commands: Counter,
    retries: Counter,
}

impl LaneMetrics {
    fn new() -> LaneMetrics {
        LaneMetrics {
            batch_commands: histogram!("surehold_batch_commands"),
            batch_seconds: histogram!("surehold_batch_seconds"),
            commands: counter!("surehold_commands_total"),
            retries: counter!("surehold_batch_retries_total"),
        }
    }
}

/// Items that go through one transaction together.
struct Part {
    items: Vec<Item>,
    conflicts: u32,
}

/// Why a batch did not go through.
enum Setback {
    Store(StoreError),
    /// Lost while committing this batch, recognisable by this journal row.
    Unknown {
        tenant: TenantId,
        seq: i64,
        batch: Uuid,
        postponed: Vec<Item>,
    },
}

impl From<StoreError> for Setback {
    fn from(error: StoreError) -> Setback {
        Setback::Store(error)
    }
}

impl Lane {
    /// False when there will be none.
    async fn wait_for_work(&mut self) -> bool {
        if self.waiting.is_empty() {
            let Some(job) = self.queue.next().await else { return false };
            self.admit(job);
        }
        self.admit_arrived();
        true
    }

    fn admit_arrived(&mut self) {
        while self.waiting.len() < BATCH_COMMANDS_MAX {
            let Some(job) = self.queue.poll_next() else { break };
            self.admit(job);
        }
    }

    fn admit(&mut self, mut job: Box<dyn Job>) {
        // The caller has given up, and was told that nothing will happen.
        if !job.begin() {
            return;
        }
        if job.deadline() <= Instant::now() {
            for index in 0..job.command_count() {
                job.fail(index, FailReason::Fault(Fault::NotExecuted));
            }
            job.answer();
            return;
        }
        self.waiting.extend(self.jobs.add(job));
    }

    fn next_batch(&mut self) -> Vec<Item> {
        let count = self.waiting.len().min(BATCH_COMMANDS_MAX);
        self.waiting.drain(..count).collect()
    }

    async fn execute<S: Session>(&mut self, session: &mut S, items: Vec<Item>) {
        let started = Instant::now();
        let mut parts = vec![Part { items, conflicts: 0 }];
        while let Some(mut part) = parts.pop() {
            match self.attempt(session, &mut part).await {
                Ok(postponed) => {
                    self.metrics.batch_commands.record(u32::try_from(part.items.len()).map_or(f64::MAX, f64::from));
                    self.metrics.commands.increment(u64::try_from(part.items.len()).unwrap_or(u64::MAX));
                    self.settle(&part.items, &postponed);
                }
                Err(setback) => self.recover(session, part, setback, &mut parts).await,
            }
        }
        self.metrics.batch_seconds.record(started.elapsed().as_secs_f64());
    }

    /// One transaction. Returns the items that are left for the next batch.
    async fn attempt<S: Session>(&mut self, session: &mut S, part: &mut Part) -> Result<Vec<Item>, Setback> {
        let mut work = Work::new(&mut self.jobs, &part.items, part.conflicts > 0);
        if session.begin(&mut work.tenants).await? == Turns::AfterWaiting {
            self.join_late_comers(&mut work, part);
            session.load(&mut work.tenants).await?;
        }
        loop {
            work.decide(&mut self.jobs);
            if !work.is_waiting() {
                break;
            }
            session.load(&mut work.tenants).await?;
        }
        let Some((tenant, seq)) = work.first_changed() else {
            session.abandon().await;
            return Ok(work.postponed);
        };
        let batch = Uuid::now_v7();
        match session.commit(&work.tenants, batch).await {
            Ok(()) => Ok(work.postponed),
            Err(StoreError::Unknown(source)) => {
                warn!(%batch, error = with_causes(source.as_ref()), "Lost the store while committing batch `{batch}`");
                Err(Setback::Unknown { tenant, seq, batch, postponed: work.postponed })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Commands that came while the batch waited for its turn share it; otherwise two nodes that take turns would each
    /// work in batches of a few.
    fn join_late_comers(&mut self, work: &mut Work, part: &mut Part) {
        self.admit_arrived();
        let room = BATCH_COMMANDS_MAX.saturating_sub(part.items.len()).min(self.waiting.len());
        let late: Vec<Item> = self.waiting.drain(..room).collect();
        let strangers = work.add(&mut self.jobs, &late);
        let strange: HashSet<Item> = strangers.iter().copied().collect();
        part.items.extend(late.into_iter().filter(|item| !strange.contains(item)));
        for item in strangers.into_iter().rev() {
            self.waiting.push_front(item);
        }
    }

    /// Answers whom it can; what was postponed waits for the next batch.
    fn settle(&mut self, items: &[Item], postponed: &[Item]) {
        let postponed: HashSet<Item> = postponed.iter().copied().collect();
        for item in items {
            if postponed.contains(item) {
                self.waiting.push_back(*item);
            } else {
                self.jobs.settle(*item);
            }
        }
    }

    fn fail(&mut self, item: Item, reason: FailReason) {
        self.jobs.get(item).fail(item.index, reason);
        self.jobs.settle(item);
    }

    async fn recover<S: Session>(&mut self, session: &mut S, part: Part, setback: Setback, parts: &mut Vec<Part>) {
        self.metrics.retries.increment(1);
        match setback {
            Setback::Store(StoreError::Conflict(_)) if part.conflicts < CONFLICTS_MAX => {
                parts.push(Part { conflicts: part.conflicts + 1, ..part });
            }
            Setback::Store(error @ (StoreError::Conflict(_) | StoreError::Rejected(_) | StoreError::Corrupt(_))) => {
                self.halve(part, &error, parts);
            }
            Setback::Store(StoreError::Unavailable(source) | StoreError::Unknown(source)) => {
                warn!(
                    error = with_causes(source.as_ref()),
                    "The store cannot be used; {} commands wait",
                    part.items.len()
                );
                self.wait_for_store(part, parts).await;
            }
            Setback::Unknown { tenant, seq, batch, postponed } => {
                if find_out(session, tenant, seq, batch).await {
                    self.settle(&part.items, &postponed);
                } else {
                    parts.push(part);
                }
            }
        }
    }

    /// Narrows a batch down until the guilty command is alone.
    fn halve(&mut self, part: Part, error: &StoreError, parts: &mut Vec<Part>) {
        let Part { mut items, .. } = part;
        if let [item] = items[..] {
            error!(error = with_causes(error), "A command cannot be written");
            let reason = match error {
                StoreError::Conflict(_) => FailReason::Fault(Fault::Busy),
                StoreError::Corrupt(_) => FailReason::Fault(Fault::Corrupt),
                StoreError::Rejected(_) | StoreError::Unavailable(_) | StoreError::Unknown(_) => FailReason::Defect,
            };
            self.fail(item, reason);
            return;
        }
        let second = items.split_off(items.len() / 2);
        // The first half is on top and runs first; both go on without assumptions.
        parts.push(Part { items: second, conflicts: 1 });
        parts.push(Part { items, conflicts: 1 });
    }

    /// Tries again after a pause, for those whose deadline allows it. Nothing was written for anybody.
    async fn wait_for_store(&mut self, part: Part, parts: &mut Vec<Part>) {
        sleep(RECONNECT_PAUSE).await;
        // Told a little before their time is up, callers still learn that nothing was changed.
        let soon = Instant::now() + 2 * RECONNECT_PAUSE;
        let (overdue, patient): (Vec<_>, Vec<_>) =
            part.items.into_iter().partition(|item| self.jobs.get(*item).deadline() <= soon);
        for item in overdue {
            self.fail(item, FailReason::Fault(Fault::Unavailable));
        }
        if !patient.is_empty() {
            parts.push(Part { items: patient, conflicts: part.conflicts });
        }
    }
}

/// Asks until the store answers: an unknown commit is never guessed.
async fn find_out<S: Session>(session: &mut S, tenant: TenantId, seq: i64, batch: Uuid) -> bool {
    let mut pause = RECONNECT_PAUSE;
    loop {
        match session.has_committed(tenant, seq, batch).await {
            Ok(committed) => {
                warn!(%batch, committed, "Found out about batch `{batch}`: committed = {committed}");
                return committed;
            }
            Err(error) => {
                warn!(%batch, error = with_causes(&error), "Cannot ask yet whether batch `{batch}` committed");
            }
        }
        sleep(pause).await;
        pause = (pause * 2).min(RECONNECT_PAUSE_MAX);
    }
}
