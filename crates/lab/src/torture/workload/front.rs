//! Sends what the people of a crowd ask and writes down what was asked and told: nothing is sent that is not written down
//! before.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, Method};
use serde::Serialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::asker::{bearer, hear, http_client};
use super::counts::{Came, Counts};
use super::told::Heard;
use super::wire::problem_code;
use crate::torture::book::{Book, BookEntry};
use crate::torture::crowd::CrowdPlan;
use crate::torture::history::{Kind, UNREADABLE};

/// What is asked when the run is stopped gets an answer within this time, or none.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Something that can be asked over HTTP.
pub(crate) trait Ask: Clone + Serialize {
    type Answer: Clone + Serialize;

    fn request(&self) -> (Method, String, Option<Value>);

    /// What a success says.
    fn answer(&self, replayed: bool, body: &[u8]) -> Result<Self::Answer>;

    /// It had been so before.
    fn had_been_so(answer: &Self::Answer) -> bool;

    /// What it is counted as: one of its crowd's [`Functions`](super::counts::Functions).
    fn function(&self) -> &'static str;
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome<Answer> {
    Ok(Box<Answer>),
    /// Nothing changed: the state or the rules forbid it. The problem's code.
    Refused(String),
    /// Nothing changed: nobody was there, or had time.
    TurnedAway(String),
    /// Nobody knows.
    Unknown(String),
}

#[derive(Debug)]
pub(crate) struct Front {
    http: Client,
    /// The tenant's address at each node.
    nodes: Vec<String>,
    authorization: HeaderValue,
    book: Arc<Book>,
    counts: Arc<Counts>,
    pub(crate) stop: CancellationToken,
}

impl Front {
    pub(crate) fn open(
        plan: &CrowdPlan,
        book: Arc<Book>,
        counts: Arc<Counts>,
        stop: CancellationToken,
    ) -> Result<Front> {
        let CrowdPlan { nodes, tenant, api_key, .. } = plan;
        Ok(Front {
            http: http_client(|builder| builder)?,
            nodes: nodes.iter().map(|node| format!("{}/v1/{tenant}", node.trim_end_matches('/'))).collect(),
            authorization: bearer(api_key)?,
            book,
            counts,
            stop,
        })
    }

    pub(crate) fn node_count(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn new_process(&self) -> u64 {
        self.book.new_process()
    }

    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        node: usize,
        timeout: Duration,
    ) -> Heard {
        let mut http = self.http.request(method, format!("{}/{path}", self.nodes[node]));
        http = http.header(AUTHORIZATION, self.authorization.clone()).timeout(timeout);
        if let Some(body) = body {
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

    /// Presses a button of a payment page. Whatever comes of it, the provider knows.
    pub(crate) async fn press(&self, page: &str, button: &str, timeout: Duration) {
        let form = format!("method={button}");
        let http = self.http.post(page).timeout(timeout).header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        let _ = hear(http.body(form)).await;
    }

    /// Asks one thing at one node, once.
    pub(crate) async fn ask<A: Ask>(
        &self,
        ask: &A,
        process: u64,
        node: usize,
        timeout: Duration,
    ) -> Result<Outcome<A::Answer>> {
        self.record(ask, process, node, Kind::Invoke, None)?;
        let (method, path, body) = ask.request();
        let told = judge(ask, self.send(method, &path, body.as_ref(), node, timeout).await);
        let kind = match &told {
            Outcome::Ok(_) => Kind::Ok,
            Outcome::Refused(_) | Outcome::TurnedAway(_) => Kind::Fail,
            Outcome::Unknown(_) => Kind::Info,
        };
        self.record(ask, process, node, kind, Some(&told))?;
        let came = match &told {
            Outcome::Ok(answer) if A::had_been_so(answer) => Came::Repeated,
            Outcome::Ok(_) => Came::Useful,
            Outcome::Refused(code) => Came::Refused(code),
            Outcome::TurnedAway(code) => Came::TurnedAway(code),
            Outcome::Unknown(_) => Came::Unknown,
        };
        self.counts.count_as(ask.function(), came);
        Ok(told)
    }

    fn record<A: Ask>(
        &self,
        ask: &A,
        process: u64,
        node: usize,
        kind: Kind,
        told: Option<&Outcome<A::Answer>>,
    ) -> Result<()> {
        let (answer, error) = match told {
            None => (None, None),
            Some(Outcome::Ok(answer)) => (Some((**answer).clone()), None),
            Some(Outcome::Refused(error) | Outcome::TurnedAway(error) | Outcome::Unknown(error)) => {
                (None, Some(error.clone()))
            }
        };
        let (index, time) = (0, 0);
        self.book.record(BookEntry { index, process, kind, ask: ask.clone(), answer, error, node, time })
    }
}

/// By the API's table of outcomes and retries.
fn judge<A: Ask>(ask: &A, heard: Heard) -> Outcome<A::Answer> {
    let (status, replayed, body) = match heard {
        Heard::Answer { status, replayed, body } => (status, replayed, body),
        Heard::Unreachable => return Outcome::TurnedAway("unreachable".to_owned()),
        Heard::Nothing(why) => return Outcome::Unknown(why),
    };
    if (200..300).contains(&status) {
        return match ask.answer(replayed, &body) {
            Ok(answer) => Outcome::Ok(Box::new(answer)),
            Err(error) => Outcome::Unknown(format!("{UNREADABLE}{error:#}")),
        };
    }
    match (status, problem_code(&body)) {
        (504, code) => Outcome::Unknown(code.unwrap_or_else(|| "status-504".to_owned())),
        (_, Some(code)) if code == "outcome-unknown" => Outcome::Unknown(code),
        (408 | 429 | 503, Some(code)) => Outcome::TurnedAway(code),
        (400..=500, Some(code)) => Outcome::Refused(code),
        (400..500, None) => Outcome::Refused(format!("status-{status}")),
        (_, _) => Outcome::Unknown(format!("status-{status}")),
    }
}
