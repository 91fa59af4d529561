//! The bounded queue in front of a lane. Full means busy: waiting longer would only hide it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::job::Job;
use crate::{Fault, TenantWork, Wakeups};

/// For fewer answers a task of their own is not worth it.
const ANSWERS_ASIDE_MIN: usize = 3;

enum Message {
    Job(Box<dyn Job>),
    /// Serve what is queued, accept nothing more.
    Stop,
}

#[derive(Clone)]
pub(crate) struct LaneSender {
    messages: mpsc::UnboundedSender<Message>,
    waiting: Arc<AtomicUsize>,
    waiting_max: usize,
    stopping: Arc<AtomicBool>,
}

/// The lane's end of the queue, handed to a store so that it can serve it from wherever its connection lives.
pub struct LaneQueue {
    messages: mpsc::UnboundedReceiver<Message>,
    waiting: Arc<AtomicUsize>,
    stopping: Arc<AtomicBool>,
    callers: Handle,
    wakeups: Wakeups,
    caller_activity: CallerActivity,
    ended: LaneEnd,
}

/// When callers were last served on this node, by any lane.
#[derive(Clone, Debug)]
pub(crate) struct CallerActivity {
    started: Instant,
    last_millis: Arc<AtomicU64>,
}

/// Who was answered comes back within this time, if at all.
const CALLERS_ABOUT_MILLIS: u64 = 50;

impl Default for CallerActivity {
    fn default() -> CallerActivity {
        CallerActivity { started: Instant::now(), last_millis: Arc::new(AtomicU64::new(0)) }
    }
}

impl CallerActivity {
    /// Counted from one, so that nobody at all is long ago.
    fn millis(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX).saturating_add(CALLERS_ABOUT_MILLIS + 1)
    }
}

/// Dropped when the lane has ended and the store has let go of whatever the lane used: whoever stopped the engine may
/// then open the store again.
#[derive(Debug)]
#[must_use = "dropping it says that the lane has ended"]
pub struct LaneEnd {
    _told: oneshot::Sender<()>,
}

impl std::fmt::Debug for LaneQueue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LaneQueue({} waiting)", self.waiting.load(Ordering::Relaxed))
    }
}

/// Resolves when the lane has served everything and ended.
pub(crate) type Ended = oneshot::Receiver<()>;

/// Must be called within the runtime of the callers.
pub(crate) fn lane_queue(
    waiting_max: usize,
    wakeups: Wakeups,
    caller_activity: CallerActivity,
) -> (LaneSender, LaneQueue, Ended) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let waiting = Arc::new(AtomicUsize::new(0));
    let (told, ended) = oneshot::channel();
    let stopping = Arc::new(AtomicBool::new(false));
    let queue = LaneQueue {
        messages: receiver,
        waiting: Arc::clone(&waiting),
        stopping: Arc::clone(&stopping),
        callers: Handle::current(),
        wakeups,
        caller_activity,
        ended: LaneEnd { _told: told },
    };
    (LaneSender { messages: sender, waiting, waiting_max, stopping }, queue, ended)
}

impl LaneSender {
    pub(crate) fn send(&self, job: Box<dyn Job>) -> Result<(), Fault> {
        let count = job.command_count();
        let waiting = self.waiting.fetch_add(count, Ordering::AcqRel);
        // A single large request may overshoot, so that the bound never makes it impossible.
        if waiting >= self.waiting_max {
            self.waiting.fetch_sub(count, Ordering::AcqRel);
            return Err(Fault::Busy);
        }
        self.messages.send(Message::Job(job)).map_err(|_| {
            self.waiting.fetch_sub(count, Ordering::AcqRel);
            Fault::Stopping
        })
    }

    /// The lane is there and not told to stop.
    pub(crate) fn is_open(&self) -> bool {
        !self.messages.is_closed() && !self.stopping.load(Ordering::Acquire)
    }

    pub(crate) fn stop(&self) {
        self.stopping.store(true, Ordering::Release);
        // An error says that the lane has ended already.
        let _ = self.messages.send(Message::Stop);
    }
}

impl LaneQueue {
    /// The engine is waiting for the lane to end.
    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire)
    }

    /// Waking a caller costs more from a stranger's thread than from one of its own runtime, and everybody waits for
    /// the lane: so it leaves the waking to the callers' runtime and goes on.
    pub(crate) fn answer(&self, jobs: Vec<Box<dyn Job>>) {
        let aside = jobs.len() >= ANSWERS_ASIDE_MIN;
        let answer_all = move || {
            for job in jobs {
                job.answer();
            }
        };
        if aside {
            self.callers.spawn(async { answer_all() });
        } else {
            answer_all();
        }
    }

    /// Callers are being served here.
    pub(crate) fn note_callers(&self) {
        self.caller_activity.last_millis.store(self.caller_activity.millis(), Ordering::Relaxed);
    }

    /// Callers were served on this node a moment ago.
    pub(crate) fn callers_about(&self) -> bool {
        let last = self.caller_activity.last_millis.load(Ordering::Relaxed);
        self.caller_activity.millis().saturating_sub(last) <= CALLERS_ABOUT_MILLIS
    }

    /// What was just committed may have asked for operations.
    pub(crate) fn wake_workers(&self, tenants: &[TenantWork]) {
        for work in tenants {
            if let Some(at) = work.facts.worker_wake_at() {
                self.wakeups.wake(work.tenant(), at);
            }
        }
    }

    pub(crate) fn into_end(self) -> LaneEnd {
        self.ended
    }

    /// Waits for the next job; `None` when the engine has stopped and all is served.
    pub(crate) async fn next(&mut self) -> Option<Box<dyn Job>> {
        loop {
            let message = self.messages.recv().await?;
            if let Some(job) = self.open(message) {
                return Some(job);
            }
        }
    }

    /// The next job if one is waiting.
    pub(crate) fn poll_next(&mut self) -> Option<Box<dyn Job>> {
        loop {
            let message = self.messages.try_recv().ok()?;
            if let Some(job) = self.open(message) {
                return Some(job);
            }
        }
    }

    fn open(&mut self, message: Message) -> Option<Box<dyn Job>> {
        match message {
            Message::Job(job) => {
                self.waiting.fetch_sub(job.command_count(), Ordering::AcqRel);
                Some(job)
            }
            Message::Stop => {
                self.messages.close();
                None
            }
        }
    }
}
