//! The watch over all connections: who has been silent for too long.
//!
//! A timer per read or per request costs more than the request (hyper's own head timeout allocates one for each), so
//! there is none. Every connection notes in a few atomics what it is doing and since which tick; one task per server
//! counts the ticks, looks at all connections and nudges those that are overdue. The nudged connection then decides
//! for itself: only its own task knows whether a request came in between.
//!
//! Time is counted in ticks that really ran. After a stopped process or a busy machine nobody is cut for time in
//! which we did not listen.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::task::AtomicWaker;
use tokio::time::MissedTickBehavior;

use super::ServerConfig;
use super::metrics::{Timeout, Timeouts};

const TICK_MAX: Duration = Duration::from_millis(250);
const TICK_MIN: Duration = Duration::from_millis(5);
/// A tick is this part of the shortest timeout, so that no timeout is off by more than a twentieth.
const TICKS_PER_TIMEOUT: u32 = 20;

/// How long a client may go on sending what nobody will read, after its answer.
const LINGER_MAX: Duration = Duration::from_secs(2);

/// Shared by all connections of a server.
#[derive(Debug)]
pub(super) struct Watcher {
    connections: Mutex<Vec<Arc<Watch>>>,
    /// Starts at 1: a connection's zero means "never".
    tick: AtomicU32,
    tick_length: Duration,
    /// Tick at which a connection last had to be refused; 0: never.
    full_at: AtomicU32,
    draining: AtomicBool,
    cutting: AtomicBool,
    limits: Limits,
    pub(super) body_timeout: Duration,
    pub(super) timeouts: Timeouts,
}

/// The configured durations, in ticks.
#[derive(Debug)]
struct Limits {
    head: u32,
    idle: u32,
    write: u32,
    linger: u32,
}

/// What a connection is doing. An HTTP/2 connection has one phase; its requests are only counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Accepted; handshake, preface or first head under way.
    Opening,
    /// Between two requests.
    Idle,
    /// The first byte of a further head has come.
    Head,
    /// A request is being answered.
    Busy,
    Http2,
    /// Answered and shut down for writing; what the client still sends is thrown away.
    Lingering,
}

/// What a nudged connection has to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Stay,
    /// Finish what is in flight and take nothing new.
    Leave,
    Cut(Option<Timeout>),
}

/// One connection, as its watcher sees it.
#[derive(Debug)]
pub(super) struct Watch {
    watcher: Arc<Watcher>,
    /// [`Phase`] in the upper half, the tick it began in the lower.
    phase: AtomicU64,
    in_flight: AtomicU32,
    /// Tick at which it was told to leave; 0: it was not.
    told_at: AtomicU32,
    /// Tick since which the socket takes no bytes; 0: it does.
    write_blocked_at: AtomicU32,
    /// HTTP/2 answers that wait for the client's window.
    answers_waiting: AtomicU32,
    /// Tick at which answers last moved: one was asked for its next part, or the socket took more than pings.
    answers_moved_at: AtomicU32,
    body_unread: AtomicBool,
    refuses_answers: AtomicBool,
    nudged: AtomicBool,
    ended: AtomicBool,
    waker: AtomicWaker,
}

impl Watcher {
    pub(super) fn new(config: &ServerConfig, timeouts: Timeouts) -> Watcher {
        let shortest = config.header_timeout.min(config.idle_timeout).min(config.write_stall_timeout);
        let tick_length = (shortest / TICKS_PER_TIMEOUT).clamp(TICK_MIN, TICK_MAX);
        let ticks = |duration| ticks_of(duration, tick_length);
        Watcher {
            connections: Mutex::default(),
            tick: AtomicU32::new(1),
            tick_length,
            full_at: AtomicU32::new(0),
            draining: AtomicBool::new(false),
            cutting: AtomicBool::new(false),
            limits: Limits {
                head: ticks(config.header_timeout),
                idle: ticks(config.idle_timeout),
                write: ticks(config.write_stall_timeout),
                linger: ticks(LINGER_MAX),
            },
            body_timeout: config.body_timeout,
            timeouts,
        }
    }

    /// Puts a new connection under watch.
    pub(super) fn admit(self: &Arc<Watcher>) -> Arc<Watch> {
        let watch = Arc::new(Watch {
            watcher: Arc::clone(self),
            phase: AtomicU64::new(Phase::Opening.since(self.now())),
            in_flight: AtomicU32::new(0),
            told_at: AtomicU32::new(0),
            write_blocked_at: AtomicU32::new(0),
            answers_waiting: AtomicU32::new(0),
            answers_moved_at: AtomicU32::new(0),
            body_unread: AtomicBool::new(false),
            refuses_answers: AtomicBool::new(false),
            nudged: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            waker: AtomicWaker::new(),
        });
        self.with_connections(|connections| connections.push(Arc::clone(&watch)));
        watch
    }

    /// Counts the ticks and nudges whoever is overdue, for as long as it is polled.
    pub(super) async fn patrol(&self) {
        let mut ticks = tokio::time::interval(self.tick_length);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            self.tick.fetch_add(1, Relaxed);
            self.nudge_where(|watch| watch.verdict() != Verdict::Stay);
        }
    }

    /// Connections are being refused: for a while, idle ones get no more time than a head.
    pub(super) fn make_room(&self) {
        self.full_at.store(self.now(), Relaxed);
    }

    fn idle_limit(&self) -> u32 {
        let full_at = self.full_at.load(Relaxed);
        let full = full_at > 0 && self.now().saturating_sub(full_at) <= self.limits.head;
        if full { self.limits.head.min(self.limits.idle) } else { self.limits.idle }
    }

    /// Tells every connection to finish what it does and to take nothing new.
    pub(super) fn begin_drain(&self) {
        self.draining.store(true, SeqCst);
        self.nudge_where(|_| true);
    }

    /// Ends every connection that is left.
    pub(super) fn cut_all(&self) {
        self.cutting.store(true, SeqCst);
        self.nudge_where(|_| true);
    }

    /// Nudges outside of the lock, and forgets the connections that have ended.
    fn nudge_where(&self, due: impl Fn(&Watch) -> bool) {
        let mut nudged = Vec::new();
        self.with_connections(|connections| {
            connections.retain(|watch| !watch.ended.load(Relaxed));
            nudged.extend(connections.iter().filter(|watch| due(watch)).map(Arc::clone));
        });
        for watch in nudged {
            watch.nudge();
        }
    }

    fn with_connections(&self, work: impl FnOnce(&mut Vec<Arc<Watch>>)) {
        // A poisoned list is still a list: nothing in it is ever half written.
        work(&mut self.connections.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn now(&self) -> u32 {
        self.tick.load(Relaxed)
    }
}

impl Watch {
    pub(super) fn watcher(&self) -> &Watcher {
        &self.watcher
    }

    // What the bytes say.

    /// Bytes of a request have come.
    pub(super) fn heard(&self) {
        if self.phase() == Phase::Idle {
            self.enter(Phase::Head);
        }
    }

    /// The preface is complete: from here on silence between requests is as good as on a kept-alive connection.
    pub(super) fn is_http2(&self) {
        self.enter(Phase::Http2);
    }

    pub(super) fn write_blocked(&self) {
        self.write_blocked_at.store(self.watcher.now(), Relaxed);
    }

    pub(super) fn write_unblocked(&self) {
        self.write_blocked_at.store(0, Relaxed);
    }

    /// Whether closing now could destroy an answer under way: the client is still sending, so the kernel would
    /// answer with a reset, and a reset also discards what the client has not read yet.
    pub(super) fn must_linger(&self) -> bool {
        match self.phase() {
            // hyper answered and closed before the head was complete: it was malformed or too long.
            Phase::Opening | Phase::Head | Phase::Lingering => true,
            Phase::Idle | Phase::Busy => self.body_unread.load(Relaxed),
            Phase::Http2 => false,
        }
    }

    pub(super) fn linger(&self) {
        if self.phase() != Phase::Lingering {
            self.enter(Phase::Lingering);
        }
    }

    // What the requests say.

    pub(super) fn request_begins(&self) {
        self.in_flight.fetch_add(1, SeqCst);
        if self.phase() != Phase::Http2 {
            self.body_unread.store(false, Relaxed);
            self.enter(Phase::Busy);
        }
    }

    pub(super) fn request_ends(&self) {
        let next = if self.phase() == Phase::Http2 { Phase::Http2 } else { Phase::Idle };
        self.enter(next);
        self.in_flight.fetch_sub(1, SeqCst);
    }

    pub(super) fn body_left_unread(&self) {
        self.body_unread.store(true, Relaxed);
    }

    pub(super) fn answer_waits(&self) {
        self.answer_moved();
        self.answers_waiting.fetch_add(1, Relaxed);
    }

    pub(super) fn answer_waits_no_more(&self) {
        self.answers_waiting.fetch_sub(1, Relaxed);
    }

    pub(super) fn answer_moved(&self) {
        self.answers_moved_at.store(self.watcher.now(), Relaxed);
    }

    // What the connection's own task asks.

    /// Registers the task and takes the nudge, if there was one.
    pub(super) fn take_nudge(&self, waker: &std::task::Waker) -> bool {
        // First registered, then asked: a nudge in between wakes the task again.
        self.waker.register(waker);
        self.nudged.load(SeqCst) && self.nudged.swap(false, SeqCst)
    }

    pub(super) fn verdict(&self) -> Verdict {
        let (watcher, limits) = (&self.watcher, &self.watcher.limits);
        let now = watcher.now();
        if watcher.cutting.load(Relaxed) {
            return Verdict::Cut(Some(Timeout::Drain));
        }
        if self.writes_stalled(now) {
            return Verdict::Cut(Some(Timeout::Write));
        }
        let told_at = self.told_at.load(Relaxed);
        if told_at == 0 && watcher.draining.load(Relaxed) {
            return Verdict::Leave;
        }
        if self.in_flight.load(SeqCst) > 0 {
            return Verdict::Stay;
        }
        let (phase, since) = Phase::unpack(self.phase.load(Relaxed));
        let overdue = |limit| now.saturating_sub(since) >= limit;
        match phase {
            Phase::Opening | Phase::Head if overdue(limits.head) => Verdict::Cut(Some(Timeout::Head)),
            Phase::Lingering if overdue(limits.linger) => Verdict::Cut(None),
            // It was told to leave, has nothing in flight, moves nothing, and does not go.
            Phase::Idle | Phase::Http2 if told_at > 0 => {
                let active_at = told_at.max(since).max(self.answers_moved_at.load(Relaxed));
                // While the socket is blocked the last answer is under way, and its own limit counts.
                let writes = self.write_blocked_at.load(Relaxed) > 0;
                let stays = writes || now.saturating_sub(active_at) < limits.head;
                if stays { Verdict::Stay } else { Verdict::Cut(None) }
            }
            Phase::Idle | Phase::Http2 if overdue(watcher.idle_limit()) => Verdict::Leave,
            Phase::Opening | Phase::Head | Phase::Lingering | Phase::Idle | Phase::Http2 | Phase::Busy => Verdict::Stay,
        }
    }

    fn writes_stalled(&self, now: u32) -> bool {
        let limit = self.watcher.limits.write;
        let blocked_at = self.write_blocked_at.load(Relaxed);
        let socket_stalled = blocked_at > 0 && now.saturating_sub(blocked_at) >= limit;
        // An HTTP/2 client can stop reading without blocking the socket: it grants no window.
        let window_stalled =
            self.answers_waiting.load(Relaxed) > 0 && now.saturating_sub(self.answers_moved_at.load(Relaxed)) >= limit;
        socket_stalled || window_stalled
    }

    /// Notes that the connection was told to leave. Idle time is counted here, where it ends something.
    pub(super) fn told_to_leave(&self) {
        self.told_at.store(self.watcher.now(), Relaxed);
        if !self.watcher.draining.load(Relaxed) {
            self.watcher.timeouts.count(Timeout::Idle);
        }
    }

    pub(super) fn was_cut(&self, timeout: Option<Timeout>) {
        if let Some(timeout) = timeout {
            self.watcher.timeouts.count(timeout);
            self.refuses_answers.store(timeout == Timeout::Write, Relaxed);
        }
    }

    /// Whether it was cut because the client does not take what was written.
    pub(super) fn refuses_answers(&self) -> bool {
        self.refuses_answers.load(Relaxed)
    }

    pub(super) fn has_ended(&self) {
        self.ended.store(true, Relaxed);
    }

    fn nudge(&self) {
        self.nudged.store(true, SeqCst);
        self.waker.wake();
    }

    fn enter(&self, phase: Phase) {
        self.phase.store(phase.since(self.watcher.now()), Relaxed);
    }

    fn phase(&self) -> Phase {
        Phase::unpack(self.phase.load(Relaxed)).0
    }
}

impl Phase {
    const ALL: [Phase; 6] = [Phase::Opening, Phase::Idle, Phase::Head, Phase::Busy, Phase::Http2, Phase::Lingering];

    fn since(self, tick: u32) -> u64 {
        let number: u64 = match self {
            Phase::Opening => 0,
            Phase::Idle => 1,
            Phase::Head => 2,
            Phase::Busy => 3,
            Phase::Http2 => 4,
            Phase::Lingering => 5,
        };
        (number << 32) | u64::from(tick)
    }

    fn unpack(packed: u64) -> (Phase, u32) {
        let number = usize::try_from(packed >> 32).unwrap_or(usize::MAX);
        let tick = u32::try_from(packed & u64::from(u32::MAX)).expect("masked to 32 bits");
        (*Phase::ALL.get(number).expect("only `since` packs phases"), tick)
    }
}

/// Rounds up and adds the tick that has begun already: a timeout may be late, never early.
fn ticks_of(duration: Duration, tick: Duration) -> u32 {
    let ticks = duration.as_nanos().div_ceil(tick.as_nanos()).saturating_add(1);
    u32::try_from(ticks).unwrap_or(u32::MAX)
}
