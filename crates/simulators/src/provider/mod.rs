//! A payment provider for tests: real HTTP/1.1 on loopback, with the promises of a good payment API and all of its
//! bad days. It remembers idempotency keys for 24 hours, replays what it answered, stored failures included, and does
//! harm to charge requests on command: see [`ProviderFault`].
//!
//! Its clock stands still unless it is told to advance, so that a day passes in one call. Knows nothing of whoever
//! charges; keeps everything in memory. Runs inside a test, or as the process `fake_provider`, whose memory outlives
//! the clients that are killed. Start reading at `books.rs`, which decides everything without I/O.
//!
//! | request | does |
//! |---|---|
//! | `POST /charges` `{"amount":1,"metadata":{"operation":"x"}}` | a charge; `Idempotency-Key` is optional, as it is in life |
//! | `GET /charges?operation=x` | `{"object":"list","data":[...],"has_more":false}`, the newest first |
//! | `GET /charges/ch_1` | one charge, always up to date |
//! | `POST /_control/clock` `{"advance_secs":n}` | time passes |
//! | `POST /_control/faults` `{"faults":["late:500","busy:7"]}` | queued, one per charge request |
//! | `POST /_control/seed` `{"seed":n,"percent":p,"faults":[...]}` | by chance when none is queued; without `faults`: all |
//! | `POST /_control/lag` `{"asks":n}` | charges made from now on are missing from lists n times |
//! | `POST /_control/release` | whoever is late goes on at once |
//! | `GET /_control/waiting?count=n` | answers as soon as exactly n requests are late |
//! | `GET /_control/report` | [`ProviderReport`] |

mod answer;
mod books;
mod connection;
mod control;
mod fault;
mod in_process;
mod report;
mod request;
mod routes;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};

pub use books::{Charge, KEY_LIFETIME_SECS};
pub use control::{ControlError, ProviderControl};
pub use fault::{DeclineCode, ProviderFault, RandomFaults, UnknownFault};
pub use in_process::{Heard, InProcess, Response};
pub use report::ProviderReport;

use routes::Shared;

/// Ends, with everything it remembers and every connection, when it is dropped.
#[derive(Debug)]
pub struct FakeProvider {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: JoinHandle<()>,
}

impl FakeProvider {
    /// Listens on a free loopback port.
    pub async fn start() -> FakeProvider {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("loopback has a free port");
        let address = listener.local_addr().expect("a listener has an address");
        let shared = Arc::new(Shared::default());
        let accepting = tokio::spawn(accept(listener, Arc::clone(&shared)));
        FakeProvider { address, shared, accepting }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Without a slash at its end.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn advance_secs(&self, secs: u32) {
        self.shared.books().advance_secs(secs);
    }

    /// One for each of the next charge requests, in this order, after those already queued.
    pub fn queue_faults(&self, faults: &[ProviderFault]) {
        self.shared.books().queue_faults(faults);
    }

    /// From now on, for charge requests that find no queued fault.
    pub fn set_random_faults(&self, random: &RandomFaults) {
        self.shared.books().set_random_faults(random);
    }

    /// Charges made from now on are missing from lists until they have been asked for so often. 0 ends it.
    pub fn set_list_lag(&self, asks: u32) {
        self.shared.books().set_list_lag(asks);
    }

    /// Whoever is late now goes on at once.
    pub fn release(&self) {
        self.shared.release();
    }

    /// Returns when exactly so many charge requests are late; a request that was late has then had its effect.
    pub async fn waiting(&self, count: u64) {
        self.shared.waiting(count).await;
    }

    pub fn report(&self) -> ProviderReport {
        self.shared.report()
    }
}

impl Drop for FakeProvider {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        while connections.try_join_next().is_some() {}
        connections.spawn(connection::serve(stream, Arc::clone(&shared)));
    }
}
