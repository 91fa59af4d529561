//! A Stripe for tests and demonstrations: real HTTP on loopback, the documented promises, and all of the bad days.
//!
//! It knows Checkout sessions in payment mode, payment intents, charges, refunds, disputes and events; the hosted page
//! under `/pay/{session}`; idempotency keys that live for a day; and webhooks that are signed, repeated, shuffled,
//! delayed, forged and lost. Knows nothing of whoever uses it; keeps everything in memory. No money moves.
//!
//! Everything is decided without I/O behind one lock, in `books.rs` and the files that add to it: `checkout.rs`,
//! `payments.rs`, `refunds.rs`, `api.rs`. Around it are `server.rs` (HTTP), `post.rs` (webhooks) and `shared.rs`.
//!
//! Its clock can be advanced: sessions expire, keys are forgotten and payments settle by it. Signatures bear the time
//! of the wall, because endpoints judge them by theirs.

mod answer;
mod api;
mod books;
mod checkout;
mod clock;
mod config;
mod fault;
mod form;
mod ids;
mod keys;
mod listing;
mod mischief;
mod objects;
mod page;
mod payments;
mod post;
mod refunds;
mod report;
mod server;
mod shared;
mod signature;
mod table;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::interval;

pub use config::{API_VERSION, AccountConfig, ClockConfig, HELD_BEHIND_MAX, Mischief, StripeConfig, WebhookConfig};
pub use fault::{RandomStripeFaults, StripeFault};
pub use keys::KEY_LIFETIME_SECS;
pub use mischief::MischiefDone;
pub use objects::{DisputeStatus, IntentStatus, Method, RefundStatus, SessionStatus};
pub use payments::{DisputeEnd, Impossible, Settlement};
pub use post::Deliveries;
pub use report::{DisputeLine, PaymentLine, RefundLine, SessionLine, StripeReport};
pub use signature::{SIGNATURE_HEADER, sign};

use books::Books;
use post::Post;
use shared::Shared;

/// How often what is due by a clock that goes on by itself is done, though nobody asks.
const TICK: Duration = Duration::from_millis(250);

/// Ends, with everything it remembers and every connection, when it is dropped.
#[derive(Debug)]
pub struct StripeSim {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: JoinHandle<()>,
    ticking: JoinHandle<()>,
}

impl StripeSim {
    /// Listens on loopback.
    pub async fn start(config: StripeConfig) -> io::Result<StripeSim> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, config.port)).await?;
        let address = listener.local_addr()?;
        let base_url = config.public_url.clone().unwrap_or_else(|| format!("http://{address}"));
        let shared = Arc::new(Shared::new(Books::new(&config, &base_url), Post::start(&config.webhooks)));
        let accepting = tokio::spawn(server::accept(listener, Arc::clone(&shared)));
        let ticking = tokio::spawn(tick(Arc::clone(&shared)));
        Ok(StripeSim { address, shared, accepting, ticking })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Without a slash at its end; the API is at `/v1`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn now_secs(&self) -> i64 {
        self.shared.with(|books| books.clock.now_secs())
    }

    /// Everything that becomes due has happened when this returns; its webhooks are on their way.
    pub fn advance_secs(&self, secs: u32) {
        self.shared.with(|books| {
            books.clock.advance_secs(secs);
            books.catch_up();
        });
    }

    /// `account`: its place in the configuration. Only for events from now on.
    pub fn set_endpoints(&self, account: usize, urls: &[String]) {
        self.shared.with(|books| books.accounts[account].config.endpoints = urls.to_vec());
    }

    /// All of them sign from now on.
    pub fn set_webhook_secrets(&self, account: usize, secrets: &[String]) {
        self.shared.with(|books| books.accounts[account].config.webhook_secrets = secrets.to_vec());
    }

    /// What the customer does on the page; the address that the page leads to.
    pub fn pay(&self, session: &str, method: Method) -> Result<String, Impossible> {
        self.shared.with(|books| books.pay(session, method))
    }

    /// The customer's card is declined; the session stays open.
    pub fn decline(&self, session: &str) -> Result<(), Impossible> {
        self.shared.with(|books| books.decline(session))
    }

    /// The end of a payment that is made later.
    pub fn settle(&self, session: &str, settlement: Settlement) -> Result<(), Impossible> {
        self.shared.with(|books| books.settle(session, settlement))
    }

    /// The id of the dispute.
    pub fn dispute(&self, charge: &str) -> Result<String, Impossible> {
        self.shared.with(|books| books.dispute(charge))
    }

    pub fn close_dispute(&self, dispute: &str, end: DisputeEnd) -> Result<(), Impossible> {
        self.shared.with(|books| books.close_dispute(dispute, end))
    }

    /// As the merchant does it on Stripe's own pages; the id of the refund. Without an amount: all that is left.
    pub fn refund_by_hand(&self, payment_intent: &str, amount: Option<i64>) -> Result<String, Impossible> {
        self.shared.with(|books| books.refund_by_hand(payment_intent, amount))
    }

    /// Refunds made from now on stay pending until they are finished.
    pub fn set_refunds_pend(&self, pend: bool) {
        self.shared.with(|books| books.refunds_pend = pend);
    }

    /// A pending refund ends.
    pub fn finish_refund(&self, refund: &str, end: Settlement) -> Result<(), Impossible> {
        self.shared.with(|books| books.finish_refund(refund, end))
    }

    /// Also one that had succeeded: the bank sends the money back.
    pub fn refund_fails_later(&self, refund: &str) -> Result<(), Impossible> {
        self.shared.with(|books| books.finish_refund(refund, Settlement::Failure))
    }

    /// One for each of the next API requests, in this order, after those already queued.
    pub fn queue_faults(&self, faults: &[StripeFault]) {
        self.shared.with(|books| books.faults.queue(faults));
    }

    /// From now on, for API requests that find no queued fault.
    pub fn set_random_faults(&self, random: &RandomStripeFaults) {
        self.shared.with(|books| books.faults.set_random(random));
    }

    /// From now on, for the webhooks of new events.
    pub fn set_mischief(&self, mischief: Mischief) {
        self.shared.with(|books| books.troublemaker.set(mischief));
    }

    /// Whoever is late now goes on at once.
    pub fn release(&self) {
        self.shared.release();
    }

    /// Returns when exactly so many API requests are late.
    pub async fn waiting(&self, count: u64) {
        self.shared.waiting(count).await;
    }

    /// Returns when every webhook has been delivered or given up.
    pub async fn drain(&self) {
        self.shared.post.drain().await;
    }

    pub fn report(&self) -> StripeReport {
        let post = &self.shared.post;
        self.shared.with(|books| books.report(post.counts(), post.pending()))
    }
}

impl Drop for StripeSim {
    fn drop(&mut self) {
        self.accepting.abort();
        self.ticking.abort();
    }
}

async fn tick(shared: Arc<Shared>) {
    let mut ticks = interval(TICK);
    loop {
        ticks.tick().await;
        shared.with(|_| ());
    }
}
