//! The adapter to the fake provider: real HTTP/1.1, one connection per request, no retries and no timeout of its own.

use std::fmt::Write;
use std::io::{Error, ErrorKind};
use std::net::SocketAddr;

use serde::Deserialize;
use smol_str::SmolStr;
use surehold_core::operations::Payload;
use surehold_core::operations::commands::EffectCall;
use surehold_engine::{BoxFuture, Provider, ProviderAnswer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::ChargeRequest;
use crate::provider::Charge;

const HEADERS_MAX: usize = 16;

#[derive(Clone, Copy, Debug)]
pub struct Bank {
    address: SocketAddr,
}

impl Bank {
    pub fn at(address: SocketAddr) -> Bank {
        Bank { address }
    }
}

impl Provider for Bank {
    fn account(&self, _: &EffectCall) -> SmolStr {
        SmolStr::new_static("main")
    }

    fn call<'a>(&'a self, call: &'a EffectCall) -> BoxFuture<'a, ProviderAnswer> {
        Box::pin(async move {
            let key = format!("Idempotency-Key: {}\r\n", call.idempotency_key);
            match self.ask("POST", "/charges", &key, call.request.as_str()).await {
                Ok(answer) => told_by_call(answer.status, answer.retry_after_secs, &answer.body),
                Err(unheard) => unheard.into(),
            }
        })
    }

    fn probe<'a>(&'a self, call: &'a EffectCall) -> BoxFuture<'a, ProviderAnswer> {
        Box::pin(async move {
            let request: ChargeRequest = call.request.read().expect("the handler wrote it");
            let name = request.metadata.get("operation").map(String::as_str).unwrap_or_default();
            match self.ask("GET", &format!("/charges?operation={}", escaped(name)), "", "").await {
                Ok(answer) => told_by_probe(answer.status, &answer.body),
                Err(unheard) => unheard.into(),
            }
        })
    }
}

struct Answer {
    status: u16,
    retry_after_secs: Option<u32>,
    body: Vec<u8>,
}

/// Why there is no answer.
enum Unheard {
    /// There was no connection, so nothing was sent.
    Unreachable(Error),
    /// Something may have been sent.
    Broken(Error),
}

impl From<Unheard> for ProviderAnswer {
    fn from(unheard: Unheard) -> ProviderAnswer {
        match unheard {
            Unheard::Unreachable(error) => {
                let error = error.to_string().into();
                ProviderAnswer::NotDone { code: "unreachable".into(), error, retry_after_secs: None }
            }
            Unheard::Broken(error) => {
                ProviderAnswer::Unanswered { code: "broken".into(), error: error.to_string().into() }
            }
        }
    }
}

impl Bank {
    async fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> Result<Answer, Unheard> {
        let mut stream = TcpStream::connect(self.address).await.map_err(Unheard::Unreachable)?;
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: bank\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).await.map_err(Unheard::Broken)?;
        let mut bytes = Vec::new();
        loop {
            if let Some(answer) = Answer::parse(&bytes).map_err(Unheard::Broken)? {
                return Ok(answer);
            }
            if stream.read_buf(&mut bytes).await.map_err(Unheard::Broken)? == 0 {
                return Err(Unheard::Broken(ErrorKind::UnexpectedEof.into()));
            }
        }
    }
}

impl Answer {
    /// `None` until it is there to its end.
    fn parse(bytes: &[u8]) -> Result<Option<Answer>, Error> {
        let bad = |what: &str| Error::new(ErrorKind::InvalidData, what.to_owned());
        let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
        let mut response = httparse::Response::new(&mut headers);
        let head_bytes = match response.parse(bytes).map_err(|error| bad(&error.to_string()))? {
            httparse::Status::Complete(head_bytes) => head_bytes,
            httparse::Status::Partial => return Ok(None),
        };
        let number = |name: &str| {
            let header = response.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name))?;
            std::str::from_utf8(header.value).ok()?.trim().parse::<u32>().ok()
        };
        let length = number("content-length").ok_or_else(|| bad("an answer without a length"))?;
        let whole = usize::try_from(length).expect("a u32 fits") + head_bytes;
        let status = response.code.ok_or_else(|| bad("an answer without a status"))?;
        let body = bytes.get(head_bytes..whole);
        Ok(body.map(|body| Answer { status, retry_after_secs: number("retry-after"), body: body.to_vec() }))
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[derive(Debug, Default, Deserialize)]
struct Problem {
    error: ProblemBody,
}

#[derive(Debug, Default, Deserialize)]
struct ProblemBody {
    code: SmolStr,
    message: SmolStr,
}

#[derive(Debug, Deserialize)]
struct List {
    data: Vec<Charge>,
}

fn done(charge: &Charge) -> ProviderAnswer {
    ProviderAnswer::Done { provider_ref: Some(charge.id.as_str().into()), response: Payload::of(charge) }
}

/// What an answer to a charge request means.
pub fn told_by_call(status: u16, retry_after_secs: Option<u32>, body: &[u8]) -> ProviderAnswer {
    let problem: Problem = serde_json::from_slice(body).unwrap_or_default();
    let ProblemBody { code, message: error } = problem.error;
    match status {
        200..300 => match serde_json::from_slice::<Charge>(body) {
            Ok(charge) => done(&charge),
            Err(error) => ProviderAnswer::Unanswered { code: "garbage".into(), error: error.to_string().into() },
        },
        // The first request under this key is still running: it may yet happen, so the doubt stays.
        409 => ProviderAnswer::Unanswered { code, error },
        // Turned away in front of the idempotency layer.
        429 | 503 => ProviderAnswer::NotDone { code, error, retry_after_secs },
        // The provider keeps its verdict under the key: another one needs another operation.
        400..500 => ProviderAnswer::Rejected { code, error, response: Payload::of(&status) },
        500..600 => ProviderAnswer::ErrorKept { code, error },
        _ => ProviderAnswer::Unanswered { code: "unexpected".into(), error: format!("status {status}").into() },
    }
}

/// What a list of the charges of one name means.
pub fn told_by_probe(status: u16, body: &[u8]) -> ProviderAnswer {
    match serde_json::from_slice::<List>(body) {
        // The newest comes first; what happened first is what counts.
        Ok(list) if status == 200 => list.data.last().map_or(ProviderAnswer::Absent, done),
        Ok(_) | Err(_) => {
            ProviderAnswer::Unanswered { code: "garbage".into(), error: format!("status {status}").into() }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_answers_mean() {
        let check = |status: u16, body: &str, expected: &str| {
            let told = format!("{:?}", told_by_call(status, Some(7), body.as_bytes()));
            assert!(told.starts_with(expected), "{status} {body}: {told}");
        };
        let charge = r#"{"id":"ch_1","amount":1,"metadata":{},"created":1}"#;
        let problem = r#"{"error":{"type":"x","code":"c","message":"m"}}"#;
        check(200, charge, r#"Done { provider_ref: Some("ch_1")"#);
        check(200, "<html>", r#"Unanswered { code: "garbage""#);
        check(402, problem, r#"Rejected { code: "c", error: "m""#);
        check(400, problem, "Rejected");
        check(409, problem, r#"Unanswered { code: "c""#);
        check(429, problem, r#"NotDone { code: "c", error: "m", retry_after_secs: Some(7)"#);
        check(503, "", r#"NotDone { code: """#);
        check(500, problem, r#"ErrorKept { code: "c""#);
        check(502, "", "ErrorKept");
        check(302, "", r#"Unanswered { code: "unexpected""#);
    }

    #[test]
    fn what_lists_mean() {
        let check = |status: u16, body: &str, expected: &str| {
            let told = format!("{:?}", told_by_probe(status, body.as_bytes()));
            assert!(told.starts_with(expected), "{status} {body}: {told}");
        };
        let charge = |id: u8| format!(r#"{{"id":"ch_{id}","amount":1,"metadata":{{}},"created":1}}"#);
        check(200, r#"{"data":[]}"#, "Absent");
        check(200, &format!(r#"{{"data":[{}]}}"#, charge(1)), r#"Done { provider_ref: Some("ch_1")"#);
        check(200, &format!(r#"{{"data":[{},{}]}}"#, charge(2), charge(1)), r#"Done { provider_ref: Some("ch_1")"#);
        check(200, r#"{"data":"#, "Unanswered");
        check(500, r#"{"data":[]}"#, "Unanswered");
    }
}
