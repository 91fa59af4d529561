//! A simulator, somebody who asks it, and an endpoint that hears what it says.

use std::collections::VecDeque;
use std::fmt::Write;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use reqwest::{Client, Method as Verb, RequestBuilder, redirect, retry};
use serde_json::Value;
use surehold_simulators::stripe::{AccountConfig, ClockConfig, Method, SIGNATURE_HEADER, StripeConfig, StripeSim};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// 2027-01-15.
pub(super) const START: i64 = 1_800_000_000;
pub(super) const HOUR: u32 = 60 * 60;
pub(super) const DAY: u32 = 24 * HOUR;

/// Two nights, 90.00 in all.
pub(super) const SESSION: &str = "mode=payment&client_reference_id=hold-1&metadata[hold]=hold-1\
&payment_intent_data[metadata][hold]=hold-1&line_items[0][quantity]=2&line_items[0][price_data][currency]=BRL\
&line_items[0][price_data][unit_amount]=4500&line_items[0][price_data][product_data][name]=Quarto+%3Cvista+mar%3E\
&success_url=http%3A%2F%2F127.0.0.1%3A9%2Fok%3Fsession%3D{CHECKOUT_SESSION_ID}&cancel_url=http://127.0.0.1:9/back";

pub(super) struct Scene {
    pub(super) sim: StripeSim,
    http: Client,
    api_key: String,
}

#[derive(Debug)]
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Value,
}

pub(super) fn config() -> StripeConfig {
    StripeConfig { clock: ClockConfig::Standing { at_secs: START }, ..StripeConfig::default() }
}

pub(super) fn http_client() -> Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = Client::builder().no_proxy().redirect(redirect::Policy::none()).retry(retry::never());
    builder.build().unwrap()
}

impl Scene {
    pub(super) async fn new() -> Scene {
        Scene::with(config()).await
    }

    pub(super) async fn with(config: StripeConfig) -> Scene {
        let api_key = config.accounts[0].api_key.clone();
        Scene { sim: StripeSim::start(config).await.unwrap(), http: http_client(), api_key }
    }

    pub(super) fn request(&self, verb: Verb, path: &str) -> RequestBuilder {
        self.http.request(verb, format!("{}{path}", self.sim.url()))
    }

    pub(super) async fn get(&self, path: &str) -> Response {
        Response::hear(self.request(Verb::GET, path).bearer_auth(&self.api_key)).await.unwrap()
    }

    pub(super) async fn post(&self, path: &str, form: &str) -> Response {
        Response::hear(self.request(Verb::POST, path).bearer_auth(&self.api_key).body(form.to_owned())).await.unwrap()
    }

    /// `None`: the connection ended without an answer.
    pub(super) async fn post_with_key(&self, key: &str, path: &str, form: &str) -> Option<Response> {
        let request = self.request(Verb::POST, path).bearer_auth(&self.api_key).header("idempotency-key", key);
        Response::hear(request.body(form.to_owned())).await
    }

    /// Its id.
    pub(super) async fn session(&self) -> String {
        self.post("/v1/checkout/sessions", SESSION).await.text("id")
    }

    pub(super) async fn look(&self, session: &str) -> Response {
        self.get(&format!("/v1/checkout/sessions/{session}")).await
    }

    /// The payment intent and the charge of a new session that was paid by card.
    pub(super) async fn paid(&self) -> (String, String) {
        let session = self.session().await;
        self.sim.pay(&session, Method::Card).unwrap();
        let intent = self.look(&session).await.text("payment_intent");
        let charge = self.get(&format!("/v1/payment_intents/{intent}")).await.text("latest_charge");
        (intent, charge)
    }

    /// The kinds of all events, the oldest first.
    pub(super) async fn kinds(&self) -> Vec<String> {
        let listed = self.get("/v1/events?limit=100").await;
        let events = listed.body["data"].as_array().unwrap();
        events.iter().rev().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
    }
}

impl Response {
    pub(super) async fn hear(request: RequestBuilder) -> Option<Response> {
        let answer = request.send().await.ok()?;
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        Some(Response { status, headers, body: answer.json().await.unwrap() })
    }

    pub(super) fn text(&self, name: &str) -> String {
        self.body[name].as_str().unwrap_or_else(|| panic!("no {name} in {}", self.body)).to_owned()
    }

    /// Of an error: its status, type, code and parameter, as far as they are there. Of anything else: its status and
    /// its own.
    pub(super) fn summary(&self) -> String {
        let mut summary = self.status.to_string();
        let source = self.body.get("error").unwrap_or(&self.body);
        for name in ["type", "code", "param", "status", "payment_status"] {
            if let Some(word) = source[name].as_str() {
                write!(summary, " {word}").unwrap();
            }
        }
        if self.headers.contains_key("idempotent-replayed") {
            summary.push_str(" replayed");
        }
        summary
    }
}

/// Hears webhooks and answers what it was told to, then 200.
pub(super) struct Endpoint {
    pub(super) url: String,
    shared: Arc<Heard>,
    serving: JoinHandle<()>,
}

#[derive(Default)]
struct Heard {
    deliveries: Mutex<Vec<Delivered>>,
    answers: Mutex<VecDeque<u16>>,
}

#[derive(Clone, Debug)]
pub(super) struct Delivered {
    pub(super) signature: String,
    pub(super) body: Vec<u8>,
    pub(super) answered: u16,
}

impl Endpoint {
    pub(super) async fn start() -> Endpoint {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let url = format!("http://{}/stripe", listener.local_addr().unwrap());
        let shared = Arc::new(Heard::default());
        let router = Router::new().route("/stripe", post(hear)).with_state(Arc::clone(&shared));
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Endpoint { url, shared, serving }
    }

    /// For the next deliveries.
    pub(super) fn answer(&self, statuses: &[u16]) {
        self.shared.answers.lock().unwrap().extend(statuses);
    }

    pub(super) fn heard(&self) -> Vec<Delivered> {
        self.shared.deliveries.lock().unwrap().clone()
    }

    /// One account whose events come here.
    pub(super) fn account(&self) -> AccountConfig {
        AccountConfig { endpoints: vec![self.url.clone()], ..AccountConfig::numbered(1) }
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Delivered {
    pub(super) fn event(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(super) fn kind(&self) -> String {
        self.event()["type"].as_str().unwrap().to_owned()
    }

    pub(super) fn id(&self) -> String {
        self.event()["id"].as_str().unwrap().to_owned()
    }
}

async fn hear(State(heard): State<Arc<Heard>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let answered = heard.answers.lock().unwrap().pop_front().unwrap_or(200);
    let signature = headers[SIGNATURE_HEADER].to_str().unwrap().to_owned();
    heard.deliveries.lock().unwrap().push(Delivered { signature, body: body.to_vec(), answered });
    StatusCode::from_u16(answered).unwrap()
}
