//! Delivers events over real HTTP, as often as it takes. Its time is the wall's: an endpoint judges a signature by its
//! own clock, whatever the time is at Stripe.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, USER_AGENT};
use reqwest::{Client, redirect, retry};
use serde::Serialize;
use tokio::sync::{mpsc, watch};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Instant, sleep_until};

use super::clock::wall_secs;
use super::config::WebhookConfig;
use super::mischief::Delivery;
use super::signature::{SIGNATURE_HEADER, sign};

/// Who is held back goes after this, however few came later.
const HELD_MAX: Duration = Duration::from_millis(200);

/// What endpoints said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Deliveries {
    pub attempts: u64,
    /// Answered with 2xx.
    pub delivered: u64,
    /// Answered otherwise, or not at all.
    pub failed: u64,
    /// After the last attempt.
    pub given_up: u64,
}

#[derive(Debug)]
pub(super) struct Post {
    sender: mpsc::UnboundedSender<Delivery>,
    /// How many have not come to an end.
    pending: Arc<watch::Sender<u64>>,
    counts: Arc<Mutex<Deliveries>>,
    running: JoinHandle<()>,
}

impl Post {
    pub(super) fn start(config: &WebhookConfig) -> Post {
        let (sender, incoming) = mpsc::unbounded_channel();
        let pending = Arc::new(watch::Sender::new(0));
        let counts = Arc::default();
        let office = Office {
            http: http_client(config.patience),
            config: config.clone(),
            pending: Arc::clone(&pending),
            counts: Arc::clone(&counts),
            queue: Queue::default(),
        };
        Post { sender, pending, counts, running: tokio::spawn(office.run(incoming)) }
    }

    pub(super) fn send(&self, deliveries: Vec<Delivery>) {
        for delivery in deliveries {
            self.pending.send_modify(|pending| *pending += 1);
            // Nobody is there only while everything is torn down.
            let _ = self.sender.send(delivery);
        }
    }

    pub(super) async fn drain(&self) {
        // The sender lives as long as `self`.
        let _ = self.pending.subscribe().wait_for(|pending| *pending == 0).await;
    }

    pub(super) fn pending(&self) -> u64 {
        *self.pending.borrow()
    }

    pub(super) fn counts(&self) -> Deliveries {
        *self.counts.lock().expect("nothing panics while holding it")
    }
}

impl Drop for Post {
    fn drop(&mut self) {
        self.running.abort();
    }
}

struct Office {
    http: Client,
    config: WebhookConfig,
    pending: Arc<watch::Sender<u64>>,
    counts: Arc<Mutex<Deliveries>>,
    queue: Queue,
}

impl Office {
    async fn run(mut self, mut incoming: mpsc::UnboundedReceiver<Delivery>) {
        let mut attempts = JoinSet::new();
        loop {
            while attempts.len() < self.config.parallel.max(1) {
                let Some(delivery) = self.queue.take_due(Instant::now()) else { break };
                attempts.spawn(attempt(self.http.clone(), delivery));
            }
            // A full office waits for somebody to come back, not for the clock.
            let next_at = self.queue.next_at().filter(|_| attempts.len() < self.config.parallel.max(1));
            tokio::select! {
                biased;
                delivery = incoming.recv() => match delivery {
                    Some(delivery) => self.queue.put(delivery),
                    None => return,
                },
                Some(ended) = attempts.join_next(), if !attempts.is_empty() => {
                    let (delivery, delivered) = ended.expect("an attempt does not panic");
                    self.conclude(delivery, delivered);
                }
                () = sleep_until(next_at.unwrap_or_else(Instant::now)), if next_at.is_some() => {}
            }
        }
    }

    fn conclude(&mut self, mut delivery: Delivery, delivered: bool) {
        let pause = self.config.retry_pauses.get(delivery.attempts).copied();
        delivery.attempts += 1;
        // Whoever believed a wrong signature is told again all the same.
        let ended = delivered && !delivery.wrong_signature;
        delivery.wrong_signature = false;
        {
            let mut counts = self.counts.lock().expect("nothing panics while holding it");
            counts.attempts += 1;
            *(if delivered { &mut counts.delivered } else { &mut counts.failed }) += 1;
            counts.given_up += u64::from(!ended && pause.is_none());
        }
        match pause.filter(|_| !ended) {
            Some(pause) => self.queue.put_later(delivery, Instant::now() + pause),
            None => self.pending.send_modify(|pending| *pending -= 1),
        }
    }
}

/// Who goes when.
#[derive(Debug, Default)]
struct Queue {
    due: BTreeMap<(Instant, u64), Delivery>,
    held: Vec<(Instant, Delivery)>,
    numbers: u64,
}

impl Queue {
    fn put(&mut self, delivery: Delivery) {
        let now = Instant::now();
        if delivery.behind > 0 {
            self.held.push((now + HELD_MAX, delivery));
        } else {
            let at = now + delivery.wait;
            self.put_later(delivery, at);
        }
    }

    fn put_later(&mut self, delivery: Delivery, at: Instant) {
        self.numbers += 1;
        self.due.insert((at, self.numbers), delivery);
    }

    fn take_due(&mut self, now: Instant) -> Option<Delivery> {
        let ready = |(until, delivery): &(Instant, Delivery)| delivery.behind == 0 || *until <= now;
        if let Some(place) = self.held.iter().position(ready) {
            return Some(self.held.remove(place).1);
        }
        let entry = self.due.first_entry().filter(|entry| entry.key().0 <= now)?;
        let delivery = entry.remove();
        for (_, held) in &mut self.held {
            held.behind = held.behind.saturating_sub(1);
        }
        Some(delivery)
    }

    fn next_at(&self) -> Option<Instant> {
        let held = self.held.iter().map(|(until, _)| *until).min();
        self.due.keys().next().map(|(at, _)| *at).into_iter().chain(held).min()
    }
}

async fn attempt(http: Client, delivery: Delivery) -> (Delivery, bool) {
    let stranger = [String::from("whsec_of_somebody_else")];
    let secrets = if delivery.wrong_signature { &stranger[..] } else { &delivery.secrets };
    let answer = http
        .post(&delivery.url)
        .header(CONTENT_TYPE, "application/json; charset=utf-8")
        .header(USER_AGENT, "Stripe/1.0 (+https://stripe.com/docs/webhooks)")
        .header(SIGNATURE_HEADER, sign(secrets, wall_secs(), delivery.body.as_bytes()))
        .body(delivery.body.clone())
        .send()
        .await;
    let delivered = answer.is_ok_and(|answer| answer.status().is_success());
    tracing::debug!(event = delivery.event_id, url = delivery.url, delivered, "webhook");
    (delivery, delivered)
}

fn http_client(patience: Duration) -> Client {
    // Also without TLS the client wants to know who would do it; somebody may have said so before.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = Client::builder().http1_only().no_proxy().redirect(redirect::Policy::none()).retry(retry::never());
    builder.timeout(patience).build().expect("a plain client can be made")
}
