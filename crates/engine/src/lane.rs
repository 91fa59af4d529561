//! A lane: one connection of a store, serving batches one after the other. A tenant is always in the same lane of
//! a node. Commands that arrive while a batch commits form the next one.

use std::collections::HashSet;

use metrics::{Counter, Histogram, counter, histogram};
use surehold_core::kernel::TenantId;
use tokio::time::{Instant, timeout_at};
use tracing::{error, warn};
use uuid::Uuid;

use crate::job::{FailReason, Job};
use crate::memory::Memory;
use crate::session::with_causes;
use crate::waiting::Waiting;
use crate::work::{Item, Jobs, Work};
use crate::{Fault, LaneEnd, LaneQueue, Session, StoreError, TenantWork, Turns};

pub const BATCH_COMMANDS_MAX: usize = 8_192;
const BATCH_TENANTS_MAX: usize = 256;

impl LaneQueue {
    /// Serves the queue until the engine stops and everything accepted is answered.
    pub async fn serve<S: Session>(self, session: &mut S) -> LaneEnd {
        let mut lane = Lane {
            queue: self,
            jobs: Jobs::default(),
            waiting: Waiting::default(),
            memory: Memory::default(),
            rest_until: None,
            metrics: LaneMetrics::new(),
        };
        while lane.wait_for_work().await {
            let (begun, among_callers) = (Instant::now(), lane.queue.callers_about());
            let alone = !lane.waiting.has_callers();
            if !alone {
                lane.queue.note_callers();
            }
            let batch = lane.next_batch();
            lane.execute(session, batch).await;
            lane.rest_until = (alone && among_callers).then(|| Instant::now() + begun.elapsed());
        }
        lane.queue.into_end()
    }
}

pub(crate) struct Lane {
    pub(crate) queue: LaneQueue,
    pub(crate) jobs: Jobs,
    pub(crate) waiting: Waiting,
    memory: Memory,
    /// Background work leaves the machine to callers for as long as it has taken it.
    rest_until: Option<Instant>,
    pub(crate) metrics: LaneMetrics,
}

pub(crate) struct LaneMetrics {
    batch_commands: Histogram,
    batch_seconds: Histogram,
    commands: Counter,
    pub(crate) retries: Counter,
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
#[derive(Default)]
pub(crate) struct Part {
    pub(crate) items: Vec<Item>,
    /// How often it met a conflict. From the first on, nothing is assumed to be absent.
    pub(crate) conflicts: u32,
    /// How often the store was lost while committing it.
    pub(crate) losses: u32,
}

/// Why a batch did not go through.
pub(crate) enum Setback {
    Store(StoreError),
    /// Others have the turns of these tenants.
    Taken(Vec<TenantId>),
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
        } else if let Some(until) = self.rest_until.take().filter(|_| !self.waiting.has_callers()) {
            // Whoever comes meanwhile ends the rest.
            if let Ok(Some(job)) = timeout_at(until, self.queue.next()).await {
                self.admit(job);
            }
        }
        self.admit_arrived();
        true
    }

    fn admit_arrived(&mut self) {
        while !self.waiting.is_full() {
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
        for item in self.jobs.add(job) {
            self.waiting.push_back(item, &mut self.jobs);
        }
    }

    /// As many as fit; each tenant costs a lock in the store, so these are bounded too.
    fn next_batch(&mut self) -> Vec<Item> {
        let mut tenants = HashSet::new();
        let mut count = 0;
        let jobs = &mut self.jobs;
        let callers_about = self.queue.callers_about();
        self.waiting.next_batch(callers_about, |item| {
            let tenant = jobs.get(item).tenant();
            let fits = count < BATCH_COMMANDS_MAX && (tenants.len() < BATCH_TENANTS_MAX || tenants.contains(&tenant));
            if fits {
                count += 1;
                tenants.insert(tenant);
            }
            fits
        })
    }

    async fn execute<S: Session>(&mut self, session: &mut S, items: Vec<Item>) {
        let started = Instant::now();
        let mut parts = vec![Part { items, ..Part::default() }];
        while let Some(mut part) = parts.pop() {
            if part.items.is_empty() {
                continue;
            }
            match self.attempt(session, &mut part).await {
                Ok(postponed) => {
                    self.metrics.batch_commands.record(u32::try_from(part.items.len()).map_or(f64::MAX, f64::from));
                    self.metrics.commands.increment(u64::try_from(part.items.len()).unwrap_or(u64::MAX));
                    self.settle(&part.items, &postponed, &mut parts);
                }
                Err(setback) => self.recover(session, part, setback, &mut parts).await,
            }
        }
        self.metrics.batch_seconds.record(started.elapsed().as_secs_f64());
    }

    /// One transaction. Returns the items that are left for the next batch.
    async fn attempt<S: Session>(&mut self, session: &mut S, part: &mut Part) -> Result<Vec<Item>, Setback> {
        let mut work = Work::new(&mut self.jobs, &part.items, part.conflicts > 0, &mut self.memory);
        let turns = session.begin(&mut work.tenants).await?;
        if let Turns::Taken(tenants) = turns {
            return Err(Setback::Taken(tenants));
        }
        // Not behind half a batch: who asks again must not overtake the first request, which may be in the rest.
        let is_whole = part.conflicts == 0 && part.losses == 0;
        let joined = is_whole && self.join_late_comers(&mut work, part);
        let waited = turns == Turns::AfterWaiting;
        if waited {
            work.tenants.iter_mut().for_each(TenantWork::forget);
        }
        if work.ask_again(&mut self.jobs) || joined || waited {
            session.open(&mut work.tenants).await?;
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
            self.memory.keep(work.tenants, None);
            return Ok(work.postponed);
        };
        let batch = Uuid::now_v7();
        match session.commit(&work.tenants, batch).await {
            Ok(()) => {
                self.queue.wake_workers(&work.tenants);
                self.memory.keep(work.tenants, Some(batch));
                Ok(work.postponed)
            }
            Err(StoreError::Unknown(source)) => {
                warn!(%batch, error = with_causes(source.as_ref()), "Lost the store while committing batch `{batch}`");
                Err(Setback::Unknown { tenant, seq, batch, postponed: work.postponed })
            }
            Err(error) => {
                // In its turn a row changes only if somebody did not take the turn, unless it was read before the turn.
                if let StoreError::Changed { table, source } = &error
                    && !work.has_believed(table)
                {
                    error!(
                        defect = true,
                        table,
                        error = with_causes(source.as_ref()),
                        "A row was changed outside of the turn"
                    );
                }
                Err(error.into())
            }
        }
    }

    /// Commands that came while the batch waited for its turn or was loaded share it. Otherwise two nodes that take turns
    /// would each work in batches of a few, and callers who all come back at once in half batches. Tells whether any did.
    fn join_late_comers(&mut self, work: &mut Work, part: &mut Part) -> bool {
        self.admit_arrived();
        let late = self.waiting.take_callers(BATCH_COMMANDS_MAX.saturating_sub(part.items.len()));
        if late.is_empty() {
            return false;
        }
        let before = part.items.len();
        let strangers = work.add(&mut self.jobs, &late);
        let strange: HashSet<Item> = strangers.iter().copied().collect();
        part.items.extend(late.into_iter().filter(|item| !strange.contains(item)));
        self.waiting.push_all_front(strangers, &mut self.jobs);
        part.items.len() > before
    }

    /// Takes out what follows these items in their requests, wherever it waits: a request keeps its order.
    pub(crate) fn take_later(&mut self, items: &[Item], parts: &mut [Part]) -> Vec<Item> {
        let jobs: HashSet<usize> = items.iter().map(|item| item.job).collect();
        let mut later = Vec::new();
        // The last part is the next one. What was once in doubt stays where that is remembered.
        for part in parts.iter_mut().rev().filter(|part| part.losses == 0) {
            later.extend(part.items.extract_if(.., |item| jobs.contains(&item.job)));
        }
        later.extend(self.waiting.take_matching(|item| jobs.contains(&item.job)));
        later
    }

    /// Answers whom it can; what was postponed waits for the next batch.
    pub(crate) fn settle(&mut self, items: &[Item], postponed: &[Item], parts: &mut [Part]) {
        let later = if postponed.is_empty() { Vec::new() } else { self.take_later(postponed, parts) };
        let postponed: HashSet<Item> = postponed.iter().copied().collect();
        let mut answerable = Vec::with_capacity(items.len());
        for item in items.iter().filter(|item| !postponed.contains(item)) {
            answerable.extend(self.jobs.settle(*item));
        }
        let first = items.iter().filter(|item| postponed.contains(item)).copied();
        let first: Vec<Item> = first.chain(later).collect();
        self.waiting.push_all_front(first, &mut self.jobs);
        self.queue.answer(answerable);
    }

    pub(crate) fn fail(&mut self, item: Item, reason: FailReason) {
        self.jobs.get(item).fail(item.index, reason);
        if let Some(job) = self.jobs.settle(item) {
            job.answer();
        }
    }
}
