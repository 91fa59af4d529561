//! Many connections that ask the same server, each waiting for its answer before it asks again.
//!
//! In a closed loop a connection asks again at once, and a slow server is asked less. In an open loop requests have
//! intended times; the latency is counted from there, so that waiting for a free connection is part of it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::answer::Head;
use super::connection::{Connection, Target};
use super::schedule::Schedule;
use crate::bench::Measured;

/// After the end of a run, how long answers are waited for.
const GRACE: Duration = Duration::from_secs(20);
const RECONNECT_AFTER: Duration = Duration::from_millis(10);

#[derive(Clone, Debug)]
pub struct HttpLoad<A> {
    pub target: Target,
    pub connections: usize,
    pub asks: A,
    pub pace: Pace,
}

/// What is asked for, and which answer counts; every other one is an error.
pub trait Asks: Clone + Send + Sync + 'static {
    type Requests: Requests;

    /// Those of one connection.
    fn requests(&self, target: &Target, connection: usize) -> Self::Requests;

    /// Holds, or whatever is counted, that one request asks for.
    fn holds_per_request(&self) -> u64 {
        1
    }

    /// How many of the holds that were asked for got the answer that counts.
    fn count(&self, status: u16, body: &[u8]) -> u64;
}

pub trait Requests: Send + 'static {
    /// The next request, or `None` when there is nothing left to ask for.
    fn renew(&mut self) -> Option<&[u8]>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    Closed,
    Open { rate_per_s: u32 },
}

#[derive(Clone, Debug, Default)]
pub struct HttpMeasured {
    /// `holds` are answers as expected, `errors` the rest, with those that never came.
    pub measured: Measured,
    pub errors_by_status: BTreeMap<u16, u64>,
    /// Connections that broke or were closed, and were opened again.
    pub reconnects: u64,
    /// Bytes of all answers, heads included.
    pub answer_bytes: u64,
}

impl HttpMeasured {
    pub fn add(&mut self, other: &HttpMeasured) {
        self.measured.add(&other.measured);
        for (status, count) in &other.errors_by_status {
            *self.errors_by_status.entry(*status).or_default() += count;
        }
        self.reconnects += other.reconnects;
        self.answer_bytes += other.answer_bytes;
    }

    fn record(&mut self, latency: Duration, head: Head, good: u64, asked: u64) {
        self.measured.latencies.record(latency, good);
        self.measured.holds += good;
        self.answer_bytes += u64::try_from(head.head_bytes + head.body_bytes).expect("a usize fits");
        if good < asked {
            self.measured.errors += asked - good;
            *self.errors_by_status.entry(head.status).or_default() += asked - good;
        }
    }
}

/// What all connections of a run share.
struct Run<A> {
    load: HttpLoad<A>,
    started: Instant,
    until: Instant,
    tally: Mutex<HttpMeasured>,
    open: Option<OpenLoop>,
}

struct OpenLoop {
    schedule: Schedule,
    permits: Arc<Semaphore>,
    next: AtomicU64,
}

/// Opens all connections, then asks for the duration.
pub async fn run<A: Asks>(load: &HttpLoad<A>, duration: Duration) -> Result<HttpMeasured> {
    let mut connections = Vec::new();
    for _ in 0..load.connections {
        connections.push(Connection::open(load.target.address).await.context("cannot connect to the server")?);
    }
    let started = Instant::now();
    let open = match load.pace {
        Pace::Closed => None,
        Pace::Open { rate_per_s } => {
            let schedule = Schedule::new(started, rate_per_s, duration);
            Some(OpenLoop { schedule, permits: Arc::new(Semaphore::new(0)), next: AtomicU64::new(0) })
        }
    };
    let run = Arc::new(Run { load: load.clone(), started, until: started + duration, tally: Mutex::default(), open });
    if let Some(open) = &run.open {
        open.schedule.give(Arc::clone(&open.permits), load.connections);
    }
    let mut clients = JoinSet::new();
    for (index, connection) in connections.into_iter().enumerate() {
        let requests = load.asks.requests(&load.target, index);
        let run = Arc::clone(&run);
        clients.spawn(async move { run.client(connection, requests).await });
    }
    let all = async {
        while let Some(done) = clients.join_next().await {
            done.context("a client of the load generator broke")?;
        }
        anyhow::Ok(())
    };
    match tokio::time::timeout_at((run.until + GRACE).into(), all).await {
        Ok(done) => done.map(|()| run.finish(true)),
        Err(_late) => Ok(run.finish(false)),
    }
}

impl Drop for OpenLoop {
    fn drop(&mut self) {
        self.permits.close();
    }
}

impl<A: Asks> Run<A> {
    async fn client(&self, connection: Connection, mut requests: A::Requests) {
        let mut connection = Some(connection);
        while let Some(intended_at) = self.next().await {
            // The closed loop asks when it gets to it; the open loop asked at the intended time.
            let asked_at = intended_at.unwrap_or_else(Instant::now);
            let opened = match connection.take() {
                Some(open) => Ok(open),
                None => Connection::open(self.load.target.address).await,
            };
            let Ok(mut open) = opened else {
                self.lose(0);
                tokio::time::sleep(RECONNECT_AFTER).await;
                continue;
            };
            let Some(request) = requests.renew() else { return };
            let Ok(head) = open.ask(request).await else {
                self.lose(1);
                continue;
            };
            let latency = asked_at.elapsed();
            let good = self.load.asks.count(head.status, open.body(head));
            self.with_tally(|tally| {
                tally.record(latency, head, good, self.load.asks.holds_per_request());
                tally.reconnects += u64::from(head.closes);
            });
            connection = (!head.closes).then_some(open);
        }
    }

    /// Waits for the next request's time: `None` when there is no other one.
    async fn next(&self) -> Option<Option<Instant>> {
        let Some(open) = &self.open else {
            return (Instant::now() < self.until).then_some(None);
        };
        open.permits.acquire().await.ok()?.forget();
        let request = open.next.fetch_add(1, Ordering::Relaxed);
        (request < open.schedule.total).then(|| Some(open.schedule.intended_at(request)))
    }

    fn lose(&self, reconnects: u64) {
        self.with_tally(|tally| {
            tally.measured.errors += self.load.asks.holds_per_request();
            tally.reconnects += reconnects;
        });
    }

    fn with_tally<T>(&self, change: impl FnOnce(&mut HttpMeasured) -> T) -> T {
        change(&mut self.tally.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Requests of the schedule without an answer are errors, also those that nobody got to send.
    fn finish(&self, in_time: bool) -> HttpMeasured {
        let mut tally = self.with_tally(|tally| tally.clone());
        tally.measured.elapsed = self.started.elapsed();
        if !in_time {
            let Measured { holds, errors, .. } = tally.measured;
            let scheduled = self.open.as_ref().map_or(0, |open| open.schedule.total);
            let unanswered = (scheduled * self.load.asks.holds_per_request()).saturating_sub(holds + errors);
            tally.measured.errors += unanswered.max(1);
        }
        tally
    }
}
