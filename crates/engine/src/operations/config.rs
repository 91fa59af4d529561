//! How a worker works.

use std::time::Duration;

use surehold_core::operations::BreakerPolicy;

#[derive(Clone, Debug)]
pub struct WorkerConfig {
    /// The name of this machine, for people.
    pub host: String,
    /// Effect operations that may run at once.
    pub effects_max: usize,
    /// How often the worker says that it is alive.
    pub beat_pause: Duration,
    /// A worker that has said nothing for this long has lost its leases. Well before, it stops calling anybody.
    pub silent_after: Duration,
    /// How often it looks for work that nobody told it of.
    pub poll_pause: Duration,
    /// How often it looks for lost leases and for what takes too long.
    pub watch_pause: Duration,
    /// How long it waits for running effects when it is told to stop.
    pub drain_max: Duration,
    pub breaker: BreakerPolicy,
    /// Called between the steps: tests end the process there.
    pub on_boundary: fn(Boundary),
    /// Anything at random, all bits of it. Simulations bring their own.
    pub dice: fn() -> u64,
}

impl Default for WorkerConfig {
    fn default() -> WorkerConfig {
        WorkerConfig {
            host: String::new(),
            effects_max: 256,
            beat_pause: Duration::from_secs(10),
            silent_after: Duration::from_secs(30),
            poll_pause: Duration::from_secs(1),
            watch_pause: Duration::from_secs(5),
            drain_max: Duration::from_secs(10),
            breaker: BreakerPolicy { failures_max: 10, open_secs: 5, open_secs_max: 300, probe_secs_max: 120 },
            on_boundary: |_| {},
            dice: random_bits,
        }
    }
}

/// A random UUID has six bits that are not; the halves hide them in each other.
fn random_bits() -> u64 {
    let (high, low) = uuid::Uuid::new_v4().as_u64_pair();
    high.rotate_left(32) ^ (low << 2)
}

/// A place between two steps, where a process may die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boundary {
    /// Found to be due; nothing is written.
    StateFound,
    StateDone,
    EffectFound,
    /// The lease and the intent are written; nothing is sent.
    EffectStarted,
    /// The provider was asked; the answer is known to nobody else.
    ProbeAnswered,
    /// The call was made; the answer is known to nobody else.
    CallAnswered,
    /// What came of it is written.
    EffectFinished,
}

impl Boundary {
    pub const ALL: [Boundary; 7] = [
        Boundary::StateFound,
        Boundary::StateDone,
        Boundary::EffectFound,
        Boundary::EffectStarted,
        Boundary::ProbeAnswered,
        Boundary::CallAnswered,
        Boundary::EffectFinished,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Boundary::StateFound => "state-found",
            Boundary::StateDone => "state-done",
            Boundary::EffectFound => "effect-found",
            Boundary::EffectStarted => "effect-started",
            Boundary::ProbeAnswered => "probe-answered",
            Boundary::CallAnswered => "call-answered",
            Boundary::EffectFinished => "effect-finished",
        }
    }
}
