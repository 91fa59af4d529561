//! A circuit breaker: when the other side keeps failing, calls wait instead of adding to its trouble, and a single
//! probe finds out whether it is back. Time is an argument; who is called, and what counts as a failure, is not known
//! here.
//!
//! Invariant: at most one probe is valid at a time. Every change of state starts a new generation, and the result of
//! a call admitted in another one is ignored: what was sent before the trouble says nothing about its end.

use crate::kernel::Timestamp;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BreakerPolicy {
    /// Failures in a row that open the breaker. Zero is as good as one.
    pub failures_max: u16,
    /// How long it stays open at first. Each failed probe doubles this.
    pub open_secs: u32,
    pub open_secs_max: u32,
    /// A probe that has not been reported by then is taken for lost, so that nothing waits for it for ever. Longer
    /// than a call can take.
    pub probe_secs_max: u32,
}

#[derive(Debug)]
pub struct Breaker {
    policy: BreakerPolicy,
    state: State,
    generation: u64,
}

#[derive(Clone, Copy, Debug)]
enum State {
    Closed {
        failures: u16,
    },
    Open {
        until: Timestamp,
        open_secs: u32,
    },
    /// Keeps `until`, which has passed, for a probe that is given back.
    HalfOpen {
        probe_until: Timestamp,
        until: Timestamp,
        open_secs: u32,
    },
}

/// The right to one call. Handed back with its result, hence neither copied nor used twice.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a call that is admitted must be reported: succeeded, failed or abandoned"]
pub struct Ticket {
    generation: u64,
}

#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub enum Admission {
    Go(Ticket),
    /// The one call that finds out whether the other side is back.
    Probe(Ticket),
    /// Ask again then, at the earliest. Not a failed attempt: nothing was tried.
    Wait {
        until: Timestamp,
    },
}

/// What to show of a breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Closed { failures: u16 },
    Open { until: Timestamp },
    Probing { until: Timestamp },
}

impl Breaker {
    pub const fn new(policy: BreakerPolicy) -> Breaker {
        Breaker { policy, state: State::Closed { failures: 0 }, generation: 0 }
    }

    pub fn admit(&mut self, now: Timestamp) -> Admission {
        match self.state {
            State::Closed { .. } => Admission::Go(self.ticket()),
            State::Open { until, .. } if now < until => Admission::Wait { until },
            State::HalfOpen { probe_until, .. } if now < probe_until => Admission::Wait { until: probe_until },
            // A probe taken for lost is replaced, and its ticket is worth nothing any more.
            State::Open { until, open_secs } | State::HalfOpen { until, open_secs, .. } => {
                let probe_until = now.plus_secs(i64::from(self.policy.probe_secs_max));
                self.enter(State::HalfOpen { probe_until, until, open_secs });
                Admission::Probe(self.ticket())
            }
        }
    }

    #[expect(clippy::needless_pass_by_value, reason = "a ticket is spent")]
    pub fn succeeded(&mut self, ticket: Ticket) {
        if !self.is_current(&ticket) {
            return;
        }
        match self.state {
            State::Closed { .. } => self.state = State::Closed { failures: 0 },
            State::HalfOpen { .. } => self.enter(State::Closed { failures: 0 }),
            // No ticket is given out in a generation that is open.
            State::Open { .. } => {}
        }
    }

    #[expect(clippy::needless_pass_by_value, reason = "a ticket is spent")]
    pub fn failed(&mut self, ticket: Ticket, now: Timestamp) {
        if !self.is_current(&ticket) {
            return;
        }
        match self.state {
            State::Closed { failures } => {
                let failures = failures.saturating_add(1);
                if failures < self.policy.failures_max {
                    self.state = State::Closed { failures };
                } else {
                    self.open(now, self.policy.open_secs);
                }
            }
            State::HalfOpen { open_secs, .. } => self.open(now, open_secs.saturating_mul(2)),
            // No ticket is given out in a generation that is open.
            State::Open { .. } => {}
        }
    }

    /// The call was not carried out, or its outcome says nothing about the other side. If it was the probe, the next
    /// caller is given one at once.
    #[expect(clippy::needless_pass_by_value, reason = "a ticket is spent")]
    pub fn abandoned(&mut self, ticket: Ticket) {
        if !self.is_current(&ticket) {
            return;
        }
        match self.state {
            State::HalfOpen { until, open_secs, .. } => self.enter(State::Open { until, open_secs }),
            State::Closed { .. } | State::Open { .. } => {}
        }
    }

    pub fn standing(&self) -> Standing {
        match self.state {
            State::Closed { failures } => Standing::Closed { failures },
            State::Open { until, .. } => Standing::Open { until },
            State::HalfOpen { probe_until, .. } => Standing::Probing { until: probe_until },
        }
    }

    fn open(&mut self, now: Timestamp, open_secs: u32) {
        let open_secs = open_secs.min(self.policy.open_secs_max);
        self.enter(State::Open { until: now.plus_secs(i64::from(open_secs)), open_secs });
    }

    fn enter(&mut self, state: State) {
        self.generation = self.generation.strict_add(1);
        self.state = state;
    }

    fn ticket(&self) -> Ticket {
        Ticket { generation: self.generation }
    }

    fn is_current(&self, ticket: &Ticket) -> bool {
        ticket.generation == self.generation
    }
}

#[cfg(test)]
mod tests;
