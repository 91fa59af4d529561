//! The API of an engine without a server around it: requests are handed to its router.

#![allow(clippy::unwrap_used, reason = "a test that unwraps what is not there has failed, as it should")]

use axum::Router;
use axum::body::Body;
use axum::http::request::Builder;
use axum::http::{Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::Value;
use surehold_engine::Engine;
use surehold_http::server::Peer;
use surehold_http::{Api, ApiConfig};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

#[derive(Clone, Debug)]
pub struct Node(Router);

impl Node {
    pub fn new(engine: Engine) -> Node {
        Node(Api::new(engine, ApiConfig::default(), None, CancellationToken::new()).router())
    }

    /// Without a key as whoever may open the local socket, else as a caller from outside.
    pub async fn ask(&self, method: &str, path: &str, key: Option<&str>, body: &Value) -> (StatusCode, Value) {
        let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
        let request = match key {
            Some(key) => request.header("authorization", format!("Bearer {key}")),
            None => request.extension(Peer::Local),
        };
        self.send(request, body).await
    }

    /// As whoever may open the local socket, under an idempotency key.
    pub async fn keyed(&self, method: &str, path: &str, key: &str, body: &Value) -> (StatusCode, Value) {
        let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
        self.send(request.header("idempotency-key", key).extension(Peer::Local), body).await
    }

    async fn send(&self, request: Builder, body: &Value) -> (StatusCode, Value) {
        let body = if body.is_null() { Body::empty() } else { Body::from(body.to_string()) };
        let response = self.0.clone().oneshot(request.body(body).unwrap()).await.unwrap();
        let status = response.status();
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        (status, serde_json::from_slice(&bytes).unwrap())
    }

    pub async fn local(&self, method: &str, path: &str, body: &Value) -> Value {
        let (status, answer) = self.ask(method, path, None, body).await;
        assert!(status.is_success(), "{method} {path}: {status} {answer}");
        answer
    }
}
