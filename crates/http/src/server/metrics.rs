//! What an operator sees of the connections. Handles are registered once, when the server is made: install the
//! recorder before that.

use metrics::{Counter, Gauge, counter, gauge};

/// Why a connection, or a request on it, was given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Timeout {
    /// The TLS handshake, the HTTP/2 preface or a request head took too long.
    Head,
    /// The request body did not arrive in time.
    Body,
    /// Nothing was asked for a long time. Ordinary housekeeping.
    Idle,
    /// The client does not take its answer.
    Write,
    /// Still busy when the drain had to end.
    Drain,
}

#[derive(Debug)]
pub(super) struct Timeouts {
    head: Counter,
    body: Counter,
    idle: Counter,
    write: Counter,
    drain: Counter,
}

impl Timeouts {
    pub(super) fn register() -> Timeouts {
        let of = |kind: &'static str| counter!("surehold_http_timeouts_total", "kind" => kind);
        Timeouts { head: of("head"), body: of("body"), idle: of("idle"), write: of("write"), drain: of("drain") }
    }

    pub(super) fn count(&self, timeout: Timeout) {
        match timeout {
            Timeout::Head => self.head.increment(1),
            Timeout::Body => self.body.increment(1),
            Timeout::Idle => self.idle.increment(1),
            Timeout::Write => self.write.increment(1),
            Timeout::Drain => self.drain.increment(1),
        }
    }
}

/// The meters of one group of listeners.
#[derive(Debug)]
pub(super) struct GroupMeters {
    pub(super) open: Gauge,
    pub(super) accepted: Counter,
    pub(super) refused: Counter,
    pub(super) panicked: Counter,
}

impl GroupMeters {
    pub(super) fn register(group: &'static str) -> GroupMeters {
        GroupMeters {
            open: gauge!("surehold_http_connections_open", "listener" => group),
            accepted: counter!("surehold_http_connections_accepted_total", "listener" => group),
            refused: counter!("surehold_http_connections_refused_total", "listener" => group),
            panicked: counter!("surehold_http_connections_panicked_total", "listener" => group),
        }
    }
}
