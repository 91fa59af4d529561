//! Sends requests and writes down what was asked and told. Nothing is sent that is not written down before, and every
//! answer is written down after it came.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context, Result};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, redirect, retry};
use tokio_util::sync::CancellationToken;

use super::WorkloadPlan;
use super::counts::Counts;
use super::told::{Asked, Heard, Outcome, judge, judge_batch};
use super::wire::{self, Request};
use crate::torture::history::{Ask, Entry, Kind, Recorder};

/// Nothing has been sent by then.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// What is asked when the run is stopped gets an answer within this time, or none.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// What all clients share.
#[derive(Debug)]
pub(super) struct Office {
    http: Client,
    /// The tenant's address at each node.
    nodes: Vec<String>,
    authorization: HeaderValue,
    /// That of another tenant.
    authorization_strange: Option<HeaderValue>,
    pub(super) recorder: Arc<Recorder>,
    pub(super) counts: Arc<Counts>,
    batches: AtomicU64,
    pub(super) stop: CancellationToken,
}

impl Office {
    pub(super) fn open(
        plan: &WorkloadPlan,
        recorder: Arc<Recorder>,
        counts: Arc<Counts>,
        stop: CancellationToken,
    ) -> Result<Office> {
        Ok(Office {
            http: http_client(|builder| builder)?,
            nodes: plan.nodes.iter().map(|node| format!("{}/v1/{}", node.trim_end_matches('/'), plan.tenant)).collect(),
            authorization: bearer(&plan.api_key)?,
            authorization_strange: plan.stranger_key.as_deref().map(bearer).transpose()?,
            recorder,
            counts,
            batches: AtomicU64::new(0),
            stop,
        })
    }

    pub(super) fn node_count(&self) -> usize {
        self.nodes.len()
    }

    pub(super) async fn send(&self, request: &Request, key: Option<&str>, node: usize, timeout: Duration) -> Heard {
        self.send_as(&self.authorization, request, key, node, timeout).await
    }

    async fn send_as(
        &self,
        authorization: &HeaderValue,
        request: &Request,
        key: Option<&str>,
        node: usize,
        timeout: Duration,
    ) -> Heard {
        let url = format!("{}/{}", self.nodes[node], request.path);
        let mut http = self.http.request(request.method.clone(), url);
        http = http.header(AUTHORIZATION, authorization.clone()).timeout(timeout);
        if let Some(key) = key {
            http = http.header("idempotency-key", key);
        }
        if let Some(task) = &request.task {
            http = http.header("surehold-task-id", task);
        }
        if let Some(body) = &request.body {
            http = http.header(CONTENT_TYPE, "application/json").body(body.to_string());
        }
        let last_words = async {
            self.stop.cancelled().await;
            tokio::time::sleep(LAST_WORDS).await;
        };
        tokio::select! {
            heard = hear(http) => heard,
            () = last_words => Heard::Nothing("the run ended before an answer came".to_owned()),
        }
    }
}

pub(super) async fn hear(request: reqwest::RequestBuilder) -> Heard {
    let response = match request.send().await {
        Ok(response) => response,
        Err(error) if error.is_connect() => return Heard::Unreachable,
        Err(error) => return Heard::Nothing(why(&error)),
    };
    let status = response.status().as_u16();
    let replayed = response.headers().contains_key("idempotent-replayed");
    match response.bytes().await {
        Ok(body) => Heard::Answer { status, replayed, body: body.to_vec() },
        Err(error) => Heard::Nothing(format!("the answer {status} broke off: {}", why(&error))),
    }
}

/// The innermost reason: the layers around it say little.
fn why(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "timeout".to_owned();
    }
    let mut cause: &dyn std::error::Error = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}

/// Plain HTTP/1.1 that repeats nothing by itself: a repeat that is not in the history would be a lie.
pub(super) fn http_client(set: impl FnOnce(reqwest::ClientBuilder) -> reqwest::ClientBuilder) -> Result<Client> {
    // Also without TLS the client wants to know who would do it; somebody may have said so before.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = Client::builder()
        .http1_only()
        .no_proxy()
        .tcp_nodelay(true)
        .retry(retry::never())
        .redirect(redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT);
    set(builder).build().context("cannot make an HTTP client")
}

pub(super) fn bearer(api_key: &str) -> Result<HeaderValue> {
    let mut header = HeaderValue::try_from(format!("Bearer {api_key}")).context("the key cannot be sent")?;
    header.set_sensitive(true);
    Ok(header)
}

/// One client's way to ask. Its processes are used again after an answer, and never after none.
#[derive(Debug)]
pub(super) struct Asker {
    office: Arc<Office>,
    idle_processes: Mutex<Vec<u64>>,
    timeout: Duration,
}

/// Where an ask belongs in the history.
#[derive(Clone, Copy, Debug)]
struct Line {
    process: u64,
    batch: Option<u64>,
    stranger: bool,
    node: usize,
}

impl Asker {
    pub(super) fn new(office: Arc<Office>, timeout: Duration) -> Asker {
        let first = office.recorder.new_process();
        Asker { office, idle_processes: Mutex::new(vec![first]), timeout }
    }

    /// Asks one thing at one node.
    pub(super) async fn ask(&self, asked: &Asked, node: usize) -> Result<Outcome> {
        let line = Line { process: self.take_process(), batch: None, stranger: false, node };
        self.record(line, Kind::Invoke, &asked.ask, asked.key.as_deref(), None)?;
        let request = Request::of(&asked.ask);
        let heard = self.office.send(&request, asked.key.as_deref(), node, self.timeout).await;
        let told = judge(asked, heard);
        self.complete(line, &asked.ask, asked.key.as_deref(), &told)?;
        Ok(told)
    }

    /// Asks one thing at one node with the key of another tenant, if there is one.
    pub(super) async fn ask_as_stranger(&self, asked: &Asked, node: usize) -> Result<()> {
        let Some(authorization) = &self.office.authorization_strange else { return Ok(()) };
        let (ask, key) = (&asked.ask, asked.key.as_deref());
        let line = Line { process: self.take_process(), batch: None, stranger: true, node };
        self.record(line, Kind::Invoke, ask, key, None)?;
        let heard = self.office.send_as(authorization, &Request::of(ask), key, node, self.timeout).await;
        self.complete(line, ask, key, &judge(asked, heard))
    }

    /// Asks many things at once; each is a process of its own.
    pub(super) async fn ask_batch(&self, asks: &[Ask], node: usize) -> Result<Vec<Outcome>> {
        let batch = Some(self.office.batches.fetch_add(1, Ordering::Relaxed));
        let lines: Vec<Line> =
            asks.iter().map(|_| Line { process: self.take_process(), batch, stranger: false, node }).collect();
        for (line, ask) in lines.iter().zip(asks) {
            self.record(*line, Kind::Invoke, ask, None, None)?;
        }
        let command = |ask: &Ask| wire::batch_command(ask).context("no command of a batch");
        let request = wire::batch(&asks.iter().map(command).collect::<Result<Vec<_>>>()?);
        let heard = self.office.send(&request, None, node, self.timeout).await;
        let told = judge_batch(asks, heard);
        for ((line, ask), told) in lines.iter().zip(asks).zip(&told) {
            self.complete(*line, ask, None, told)?;
        }
        Ok(told)
    }

    fn take_process(&self) -> u64 {
        let idle = self.idle_processes.lock().expect("nothing panics while holding it").pop();
        idle.unwrap_or_else(|| self.office.recorder.new_process())
    }

    fn complete(&self, line: Line, ask: &Ask, key: Option<&str>, told: &Outcome) -> Result<()> {
        let kind = match told {
            Outcome::Ok(_) => Kind::Ok,
            Outcome::Refused(_) | Outcome::TurnedAway(_) => Kind::Fail,
            Outcome::Unknown(_) => Kind::Info,
        };
        self.record(line, kind, ask, key, Some(told))?;
        // What is refused to strangers says nothing about how much comes of the others' requests.
        if !line.stranger {
            self.office.counts.count(ask, told);
        }
        if kind != Kind::Info {
            self.idle_processes.lock().expect("nothing panics while holding it").push(line.process);
        }
        Ok(())
    }

    fn record(&self, line: Line, kind: Kind, ask: &Ask, key: Option<&str>, told: Option<&Outcome>) -> Result<()> {
        let (answer, error) = match told {
            None => (None, None),
            Some(Outcome::Ok(answer)) => (Some(answer.clone()), None),
            Some(Outcome::Refused(error) | Outcome::TurnedAway(error) | Outcome::Unknown(error)) => {
                (None, Some(error.clone()))
            }
        };
        let Line { process, batch, stranger, node } = line;
        let (ask, key) = (ask.clone(), key.map(str::to_owned));
        let (index, time) = (0, 0);
        self.office.recorder.record(Entry {
            index,
            process,
            kind,
            ask,
            answer,
            error,
            key,
            batch,
            stranger,
            node,
            time,
        })
    }
}
