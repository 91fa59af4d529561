//! A client that sees what a library would hide: a second answer, a connection that closes without one.

use std::collections::BTreeMap;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// One connection.
pub(super) struct Client {
    pub(super) stream: TcpStream,
    unread: Vec<u8>,
}

#[derive(Debug, PartialEq)]
pub(super) struct Answer {
    status: u16,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: String,
}

impl Client {
    pub(super) async fn new(url: &str) -> Client {
        let address = url.strip_prefix("http://").unwrap();
        Client { stream: TcpStream::connect(address).await.unwrap(), unread: Vec::new() }
    }

    pub(super) async fn send(&mut self, method: &str, path: &str, headers: &str, body: &str) {
        let length = body.len();
        let request = format!("{method} {path} HTTP/1.1\r\nHost: x\r\n{headers}Content-Length: {length}\r\n\r\n{body}");
        self.stream.write_all(request.as_bytes()).await.unwrap();
    }

    /// `None`: the provider hung up.
    pub(super) async fn receive(&mut self) -> Option<Answer> {
        loop {
            if let Some((answer, bytes)) = Answer::parse(&self.unread) {
                self.unread.drain(..bytes);
                return Some(answer);
            }
            if self.stream.read_buf(&mut self.unread).await.unwrap() == 0 {
                assert_eq!(self.unread, b"", "hung up in the middle of an answer");
                return None;
            }
        }
    }

    pub(super) async fn get(&mut self, path: &str) -> Answer {
        self.send("GET", path, "", "").await;
        self.receive().await.unwrap()
    }

    pub(super) async fn send_charge(&mut self, key: &str, body: &str) {
        self.send("POST", "/charges", &format!("Idempotency-Key: {key}\r\n"), body).await;
    }

    pub(super) async fn charge(&mut self, key: &str, body: &str) -> Option<Answer> {
        self.send_charge(key, body).await;
        self.receive().await
    }

    /// The ids that the probe finds.
    pub(super) async fn listed(&mut self, operation: &str) -> Vec<String> {
        let list = self.get(&format!("/charges?operation={operation}")).await.json();
        list["data"].as_array().unwrap().iter().map(|charge| charge["id"].as_str().unwrap().to_owned()).collect()
    }
}

impl Answer {
    fn parse(bytes: &[u8]) -> Option<(Answer, usize)> {
        let mut headers = [httparse::EMPTY_HEADER; 16];
        let mut response = httparse::Response::new(&mut headers);
        let httparse::Status::Complete(head_bytes) = response.parse(bytes).unwrap() else { return None };
        let text = |value: &[u8]| String::from_utf8(value.to_vec()).unwrap();
        let headers: BTreeMap<String, String> =
            response.headers.iter().map(|header| (header.name.to_lowercase(), text(header.value))).collect();
        let whole = head_bytes + headers["content-length"].parse::<usize>().unwrap();
        let body = text(bytes.get(head_bytes..whole)?);
        Some((Answer { status: response.code.unwrap(), headers, body }, whole))
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The status and what else a client would go by.
    pub(super) fn summary(&self) -> String {
        let body = serde_json::from_str::<Value>(&self.body);
        let error = |field: &str| Some(body.as_ref().ok()?["error"][field].as_str()?.to_owned());
        let mut words = vec![self.status.to_string()];
        match &body {
            Ok(body) => words.extend(body["id"].as_str().map(str::to_owned)),
            Err(_) => words.push("not-json".to_owned()),
        }
        words.extend(error("code"));
        words.extend(error("decline_code"));
        words.extend(self.headers.get("retry-after").map(|secs| format!("retry-after={secs}")));
        words.extend(self.headers.get("idempotent-replayed").map(|_| "replayed".to_owned()));
        words.join(" ")
    }
}

pub(super) fn summary(answer: Option<&Answer>) -> String {
    answer.map_or_else(|| "hung up".to_owned(), Answer::summary)
}
