//! What the world of a simulation and the process that lives in it share: time, chance, death, the provider.
//!
//! One thread uses it. The locks are there because the engine's interfaces may be used from many.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use surehold_core::kernel::{TenantId, Timestamp};
use surehold_engine::Boundary;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::defects::Defects;
use super::point::{Coverage, Point};
use surehold_simulators::Dice;
use surehold_simulators::provider::InProcess;

/// 2027-01-15, in microseconds since 1970.
const STARTED_AT_MICROS: i64 = 1_800_000_000_000_000;
/// The store's clock ticks this coarsely, so that commands meet the very instants at which holds expire.
const TICK_MICROS: i64 = 250_000;
const MICROS_PER_SEC: i64 = 1_000_000;
/// A run has an end.
const CRASHES_MAX: usize = 12;
/// Reads and transactions of a run: many times more than it needs.
const STEPS_MAX: usize = 100_000;

thread_local! {
    /// Of the run that goes on in this thread: some of the engine's hooks are plain functions.
    static CURRENT: RefCell<Option<Arc<Shared>>> = const { RefCell::new(None) };
}

#[derive(Debug)]
pub(super) struct Shared {
    state: Mutex<State>,
    crashed: Notify,
    /// No transaction is open any more.
    ended: Notify,
}

#[derive(Debug)]
pub(super) struct State {
    chance: Dice,
    /// Each run has faults of its own, so that they meet in all combinations.
    enabled: Vec<Point>,
    pub(super) faulty: bool,
    /// The process is dead: it must not do anything any more.
    dead: bool,
    in_transaction: bool,
    crashes: usize,
    steps: usize,
    pub(super) coverage: Coverage,
    clock_offset_micros: i64,
    lived: Duration,
    born: Option<Instant>,
    pub(super) attempts: Vec<Attempt>,
    pub(super) defects: Defects,
    pub(super) provider: InProcess,
}

/// A transaction that was begun for a tenant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attempt {
    pub(super) tenant: TenantId,
    /// The journal row that it would write.
    pub(super) seq: i64,
    pub(super) now: Timestamp,
}

impl Shared {
    pub(super) fn new(seed: u64) -> Shared {
        let mut chance = Dice::new(usize::try_from(seed.wrapping_mul(3) & 0x7fff_ffff_ffff).expect("below 2^47"));
        // The first rolls of neighbouring seeds are alike.
        for _ in 0..8 {
            chance.roll(2);
        }
        let enabled = Point::ALL.iter().copied().filter(|_| chance.roll(100) < 40).collect();
        let state = State {
            chance,
            enabled,
            faulty: false,
            dead: false,
            in_transaction: false,
            crashes: 0,
            steps: 0,
            coverage: Coverage::default(),
            clock_offset_micros: 0,
            lived: Duration::ZERO,
            born: None,
            attempts: Vec::new(),
            defects: Defects::default(),
            provider: InProcess::default(),
        };
        Shared { state: Mutex::new(state), crashed: Notify::new(), ended: Notify::new() }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nothing panics while holding it")
    }

    /// A process starts. Within its runtime.
    pub(super) fn be_born(self: &Arc<Shared>) {
        let mut state = self.state();
        state.dead = false;
        state.in_transaction = false;
        state.born = Some(Instant::now());
        CURRENT.with(|current| *current.borrow_mut() = Some(Arc::clone(self)));
    }

    /// It has ended, in whatever way. Within its runtime, for the last time.
    pub(super) fn be_buried(&self) {
        let mut state = self.state();
        state.dead = true;
        state.lived = state.elapsed();
        state.born = None;
    }

    pub(super) async fn crashed(&self) {
        loop {
            let crashed = self.crashed.notified();
            if self.state().dead {
                return;
            }
            crashed.await;
        }
    }

    /// Whether it happens now.
    pub(super) fn strikes(&self, point: Point) -> bool {
        self.state().strikes(point)
    }

    /// Dies here, perhaps.
    pub(super) async fn may_crash(&self, point: Point) {
        if self.state().kills(point) {
            self.crashed.notify_one();
        }
        self.require_alive().await;
    }

    /// The dead do nothing more.
    pub(super) async fn require_alive(&self) {
        if self.state().dead {
            std::future::pending::<()>().await;
        }
    }

    pub(super) fn set_in_transaction(&self, is_open: bool) {
        self.state().in_transaction = is_open;
        if !is_open {
            self.ended.notify_waiters();
        }
    }

    /// Who reads memory waits for who writes it; a file has room for both.
    pub(super) async fn wait_for_writer(&self) {
        loop {
            let ended = self.ended.notified();
            if !self.state().in_transaction {
                return;
            }
            ended.await;
        }
    }

    pub(super) fn clock(&self) -> Timestamp {
        self.state().clock()
    }

    /// The process does something. One that goes round in circles is ended.
    pub(super) fn step(&self) {
        let mut state = self.state();
        state.steps += 1;
        state.defects.go_on();
        if state.is_endless() && !state.dead {
            state.dead = true;
            self.crashed.notify_one();
        }
    }
}

impl State {
    /// It went round in circles.
    pub(super) fn is_endless(&self) -> bool {
        self.steps >= STEPS_MAX
    }

    pub(super) fn roll(&mut self, sides: usize) -> usize {
        self.chance.roll(sides)
    }

    pub(super) fn strikes(&mut self, point: Point) -> bool {
        let happens = self.faulty
            && !self.dead
            && self.enabled.contains(&point)
            && self.chance.roll(1_000) < point.per_thousand();
        if happens {
            self.coverage.visit(point);
        }
        happens
    }

    /// A commit is turned down, as if what was written made no sense.
    pub(super) fn reject(&mut self) {
        self.defects.reject(self.attempts.len());
    }

    fn kills(&mut self, point: Point) -> bool {
        let kills = self.crashes < CRASHES_MAX && self.strikes(point);
        if kills {
            self.crashes += 1;
            self.dead = true;
        }
        kills
    }

    /// Since the beginning. Never goes back.
    pub(super) fn elapsed(&self) -> Duration {
        self.lived + self.born.map_or(Duration::ZERO, |born| born.elapsed())
    }

    /// The store's.
    pub(super) fn clock(&self) -> Timestamp {
        let elapsed = i64::try_from(self.elapsed().as_micros()).expect("a run is short");
        let micros = elapsed - elapsed % TICK_MICROS + self.clock_offset_micros;
        Timestamp::from_micros(STARTED_AT_MICROS + micros)
    }

    pub(super) fn turn_clock_secs(&mut self, secs: i64) {
        self.clock_offset_micros += secs * MICROS_PER_SEC;
        // The provider's clock does not go back.
        if let Ok(secs) = u32::try_from(secs) {
            self.provider.advance_secs(secs);
        }
    }

    /// Turns it to a later instant, exactly.
    pub(super) fn turn_clock_to(&mut self, instant: Timestamp) {
        let micros = instant.micros() - self.clock().micros();
        if micros > 0 {
            self.clock_offset_micros += micros;
            self.provider.advance_secs(u32::try_from(micros / MICROS_PER_SEC).unwrap_or(0));
        }
    }
}

/// For [`surehold_engine::WorkerConfig`].
pub(super) fn on_boundary(boundary: Boundary) {
    let killed = with_current(|shared| {
        let mut state = shared.state();
        let kills = state.kills(Point::at(boundary));
        drop(state);
        if kills {
            shared.crashed.notify_one();
        }
        kills
    });
    if killed {
        // Ends the task where it is, without a word: its process is dead.
        std::panic::resume_unwind(Box::new("the simulated process is dead"));
    }
}

/// For [`surehold_engine::WorkerConfig`].
pub(super) fn dice() -> u64 {
    with_current(|shared| {
        let mut state = shared.state();
        let mut part = || u64::try_from(state.roll(1 << 31)).expect("31 bits");
        part() << 33 ^ part() << 16 ^ part()
    })
}

pub(super) fn with_current<T>(use_it: impl FnOnce(&Shared) -> T) -> T {
    CURRENT.with(|current| use_it(current.borrow().as_ref().expect("a simulation runs in this thread")))
}
