//! The API of a server: at an address with a key, or behind the socket of its data folder without one.

use std::path::Path;
use std::time::Duration;

use axum::http::Method;
use axum::http::header::{ACCEPT, AUTHORIZATION, HeaderValue};
use futures_util::StreamExt;
use reqwest::{ClientBuilder, Response, Url, redirect};
use secrecy::{ExposeSecret, SecretString};
use surehold_api::{Call, Request};

use super::{Answer, Chunks, ClientError, Reply};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Streams give a sign of life every 15 s, and answers have deadlines: a server's answer is better than our guess.
const SILENCE_MAX: Duration = Duration::from_mins(1);

pub(crate) struct Remote {
    http: reqwest::Client,
    base: String,
    key: Option<HeaderValue>,
    /// For messages, and whether pages are served there.
    shown: String,
    has_pages: bool,
}

impl Remote {
    /// A server at an address.
    pub(super) fn at(address: &str, key: &SecretString) -> Result<Remote, ClientError> {
        let url = Url::parse(address).map_err(|_| ClientError::ServerMalformed)?;
        let plain = url.username().is_empty() && url.password().is_none() && url.query().is_none();
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() || !plain {
            return Err(ClientError::ServerMalformed);
        }
        let header = HeaderValue::try_from(format!("Bearer {}", key.expose_secret().trim()));
        let mut key = header.map_err(|_| ClientError::KeyMalformed)?;
        key.set_sensitive(true);
        let base = url.as_str().trim_end_matches('/').to_owned();
        Ok(Remote { http: build(builder())?, shown: base.clone(), base, key: Some(key), has_pages: true })
    }

    /// A server on this machine, by the socket in its data folder.
    pub(super) fn behind(socket: &Path) -> Result<Remote, ClientError> {
        let http = build(builder().no_proxy().unix_socket(socket))?;
        // The host is only said, not looked up.
        let base = "http://surehold.local".to_owned();
        Ok(Remote { http, base, key: None, shown: socket.display().to_string(), has_pages: false })
    }

    pub(super) async fn send<T>(&self, call: &Call<T>) -> Result<Answer<T>, ClientError> {
        let response = self.prepare(call.request())?.send().await.map_err(|error| self.failed(&error))?;
        self.read(response, call.request()).await
    }

    pub(super) async fn stream(&self, request: &Request) -> Result<Chunks, ClientError> {
        let http = self.prepare(request)?.header(ACCEPT, "text/event-stream");
        let response = http.send().await.map_err(|error| self.failed(&error))?;
        if !response.status().is_success() {
            let status = response.status().as_u16();
            return Err(self.read::<()>(response, request).await.err().unwrap_or(ClientError::NotSurehold { status }));
        }
        let server = self.shown.clone();
        let cut = move |_| ClientError::Cut { server: server.clone(), repeat_with: None };
        Ok(response.bytes_stream().map(move |chunk| chunk.map_err(&cut)).boxed())
    }

    fn prepare(&self, request: &Request) -> Result<reqwest::RequestBuilder, ClientError> {
        let method = Method::from_bytes(request.method.as_bytes()).map_err(|_| ClientError::Unsendable)?;
        let mut http = self.http.request(method, format!("{}{}", self.base, request.target));
        if let Some(key) = &self.key {
            http = http.header(AUTHORIZATION, key.clone());
        }
        for (name, value) in request.headers() {
            http = http.header(name, value);
        }
        Ok(match &request.body {
            Some(body) => http.body(body.clone()),
            None => http,
        })
    }

    async fn read<T>(&self, response: Response, request: &Request) -> Result<Answer<T>, ClientError> {
        let status = response.status().as_u16();
        let replayed = response.headers().contains_key("idempotent-replayed");
        let body = response.bytes().await.map_err(|error| self.failed(&error))?;
        Reply { status, replayed, body }.judge(request, self.has_pages.then_some(self.base.as_str()))
    }

    fn failed(&self, error: &reqwest::Error) -> ClientError {
        let server = self.shown.clone();
        if error.is_builder() {
            return ClientError::Unsendable;
        }
        if error.is_connect() {
            return ClientError::Unreachable { server, why: root_cause(error) };
        }
        ClientError::Cut { server, repeat_with: None }
    }
}

/// The innermost reason: the layers around it only say that connecting failed.
fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}

fn builder() -> ClientBuilder {
    reqwest::Client::builder()
        .user_agent(concat!("surehold/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_TIMEOUT)
        .read_timeout(SILENCE_MAX)
        // A key must not follow to wherever an answer points.
        .redirect(redirect::Policy::none())
}

fn build(builder: ClientBuilder) -> Result<reqwest::Client, ClientError> {
    builder.build().map_err(|error| ClientError::NoClient { why: root_cause(&error) })
}
