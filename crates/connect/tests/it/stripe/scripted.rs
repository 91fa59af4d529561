//! A Stripe on loopback that answers what it was told to, and remembers what it was asked.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Method, Response, Uri};
use bytes::Bytes;
use reqwest::Url;
use serde_json::{Value, json};
use surehold_connect::stripe::{AccountHome, Homes, Metadata, Stripe, StripeAccount, StripeProvider};
use surehold_core::kernel::{Currency, HoldId, HoldPolicy, JsonList, Slug, TenantId, Timestamp};
use surehold_core::operations::commands::EffectCall;
use surehold_core::operations::{DedupeKey, Doubt, LeaseToken, OperationKey, Payload, TypeName};
use surehold_core::stays::operations::{CheckoutItem, NewRefund, NewSession, PaymentRequest, SessionExpiry};
use surehold_engine::{Engine, EngineConfig, Provider, ProviderAnswer, Registry, Store, builtin};
use surehold_sqlite::SqliteStore;
use tempfile::TempDir;
use tokio::net::TcpListener;

use super::super::endpoint::patiently;

pub(super) const SECRET_KEY: &str = "sk_test_most_secret";

pub(super) struct Received {
    /// Method, path and query.
    pub(super) line: String,
    pub(super) headers: HeaderMap,
    pub(super) body: String,
}

#[derive(Clone)]
pub(super) struct Scripted {
    pub(super) status: u16,
    pub(super) headers: Vec<(&'static str, &'static str)>,
    pub(super) body: String,
}

pub(super) fn says(status: u16, body: &Value) -> Scripted {
    Scripted { status, headers: Vec::new(), body: body.to_string() }
}

#[derive(Default)]
pub(super) struct Script {
    pub(super) answers: VecDeque<Scripted>,
    pub(super) received: Vec<Received>,
}

pub(super) struct FakeStripe {
    pub(super) address: SocketAddr,
    pub(super) script: Arc<Mutex<Script>>,
    pub(super) town: Town,
}

/// An installation with one tenant, whose accounts `main` and, for rehearsals, `rehearsal` are.
pub(super) struct Town {
    pub(super) engine: Engine,
    pub(super) homes: Homes,
    pub(super) _folder: TempDir,
}

pub(super) const TENANT: TenantId = TenantId(1);

impl Town {
    pub(super) async fn new() -> Town {
        let folder = TempDir::new().unwrap();
        let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&folder.path().join("surehold.db")).unwrap());
        let engine = Engine::start_with(store, EngineConfig::default(), builtin(Registry::default())).unwrap();
        let slug = || Slug::new("casa").unwrap();
        assert_eq!(engine.create_tenant(slug(), HoldPolicy::default(), TENANT).await, Ok(TENANT));
        engine.create_test_twin(TENANT).await.unwrap();
        let home = |account: &str, is_test: bool| AccountHome {
            account: account.into(),
            tenant: slug(),
            is_test,
            webhook_secrets: Vec::new(),
        };
        let nobodys = AccountHome { tenant: Slug::new("nobody").unwrap(), ..home("nobodys", false) };
        let homes = [home("main", false), home("rehearsal", true), nobodys];
        let homes = Homes::new(engine.views().clone(), homes);
        Town { engine, homes, _folder: folder }
    }
}

impl FakeStripe {
    pub(super) async fn start(answers: impl IntoIterator<Item = Scripted>) -> FakeStripe {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let answers = answers.into_iter().collect();
        let script = Arc::new(Mutex::new(Script { answers, ..Script::default() }));
        let app = Router::new().fallback(answer).with_state(Arc::clone(&script));
        tokio::spawn(async move { axum::serve(listener, app).await });
        FakeStripe { address, script, town: Town::new().await }
    }

    pub(super) fn client(&self) -> Stripe {
        client_of(self.address)
    }

    pub(super) fn provider(&self) -> StripeProvider {
        StripeProvider::new(self.client(), self.town.homes.clone())
    }

    pub(super) async fn call(&self, request: &PaymentRequest) -> ProviderAnswer {
        patiently(self.provider().call(&effect(request))).await
    }

    pub(super) async fn probe(&self, request: &PaymentRequest) -> ProviderAnswer {
        patiently(self.provider().probe(&effect(request))).await
    }

    /// Everything that was asked; all that was to be answered has been.
    pub(super) fn received(self) -> Vec<Received> {
        let mut script = self.script.lock().unwrap();
        assert_eq!(script.answers.len(), 0, "not all answers were asked for");
        std::mem::take(&mut script.received)
    }

    pub(super) fn lines(self) -> Vec<String> {
        self.received().into_iter().map(|received| received.line).collect()
    }
}

async fn answer(
    State(script): State<Arc<Mutex<Script>>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let mut script = script.lock().unwrap();
    let body = String::from_utf8(body.to_vec()).unwrap();
    script.received.push(Received { line: format!("{method} {uri}"), headers, body });
    // 418 stands out in a failed test.
    let scripted = script.answers.pop_front().unwrap_or_else(|| says(418, &json!({"error": {"code": "unasked"}})));
    let mut builder = Response::builder().status(scripted.status);
    for (name, value) in scripted.headers {
        builder = builder.header(name, value);
    }
    builder.body(Body::from(scripted.body)).unwrap()
}

pub(super) fn account_at(name: &str, address: SocketAddr) -> StripeAccount {
    let base_url = Url::parse(&format!("http://{address}")).unwrap();
    StripeAccount { base_url, ..StripeAccount::new(name, SECRET_KEY.into()) }
}

pub(super) fn client_of(address: SocketAddr) -> Stripe {
    Stripe::new([account_at("main", address)]).unwrap()
}

pub(super) fn effect(request: &PaymentRequest) -> EffectCall {
    let (kind, key) = (TypeName::new("AT_STRIPE").unwrap(), DedupeKey::new("1").unwrap());
    EffectCall {
        tenant: TENANT,
        operation: OperationKey { kind, key },
        generation: 1,
        step: 0,
        token: LeaseToken(1),
        lease_until: Timestamp::from_micros(0),
        idempotency_key: "sh_key".into(),
        request: Payload::of(request),
        probe_first: false,
        doubt_before: Doubt::None,
        attempt: 1,
        correlations: JsonList::default(),
    }
}

pub(super) const HOLD: &str = "019a8d1e-6f00-7000-8000-000000000001";

pub(super) fn at(secs: i64) -> Timestamp {
    Timestamp::from_micros(0).plus_secs(secs)
}

pub(super) fn metadata(operation: &str) -> Metadata {
    Metadata::from([("hold".into(), "1".into()), ("operation".into(), operation.into())])
}

pub(super) fn new_session() -> PaymentRequest {
    let item = |name: &str, quantity: i64, amount: i64| CheckoutItem { name: name.into(), quantity, amount };
    PaymentRequest::CreateSession(NewSession {
        account: "main".into(),
        asked_at: at(1_700_000_000),
        currency: Currency::parse("EUR").unwrap(),
        items: vec![item("Two nights & breakfast", 2, 9_000), item("Cleaning", 1, 1_500)],
        success_url: "https://x.pt/ok?s={CHECKOUT_SESSION_ID}".into(),
        cancel_url: "https://x.pt/no".into(),
        reference: HoldId::parse(HOLD).unwrap(),
        expires_at: at(1_700_003_600),
        metadata: metadata("op 1"),
    })
}

pub(super) fn refund_of(payment_intent: Option<&str>) -> PaymentRequest {
    PaymentRequest::Refund(NewRefund {
        account: "main".into(),
        session: "cs_1".into(),
        payment_intent: payment_intent.map(Into::into),
        amount: 400,
        currency: Currency::parse("EUR").unwrap(),
        metadata: metadata("op-2"),
    })
}

pub(super) fn new_refund() -> PaymentRequest {
    refund_of(Some("pi_1"))
}

pub(super) fn expiry_of(session: &str) -> PaymentRequest {
    PaymentRequest::ExpireSession(SessionExpiry { account: "main".into(), session: session.into() })
}

pub(super) fn session(id: &str, status: &str, operation: &str) -> Value {
    json!({
        "id": id, "object": "checkout.session", "status": status, "payment_status": "unpaid", "amount_total": 19_500,
        "currency": "eur", "expires_at": 1_700_003_600, "url": "https://checkout/1", "payment_intent": null,
        "metadata": {"hold": "1", "operation": operation, "added": "by somebody"},
    })
}

pub(super) fn refund(id: &str, operation: &str) -> Value {
    json!({
        "id": id, "object": "refund", "amount": 400, "currency": "eur", "status": "pending", "payment_intent": "pi_1",
        "charge": "ch_1", "metadata": {"hold": "1", "operation": operation},
    })
}

pub(super) fn page(data: &[Value], has_more: bool) -> Scripted {
    says(200, &json!({"object": "list", "data": data, "has_more": has_more}))
}

pub(super) fn refused(status: u16, code: &str) -> Scripted {
    says(status, &json!({"error": {"type": "invalid_request_error", "code": code, "message": "prose"}}))
}

pub(super) fn shown(told: &ProviderAnswer) -> String {
    match told {
        ProviderAnswer::Done { provider_ref, response } => {
            format!("done {} {}", provider_ref.as_deref().unwrap_or("-"), response.as_str())
        }
        ProviderAnswer::Rejected { code, error, response } => format!("rejected {code} {error} {}", response.as_str()),
        ProviderAnswer::NotDone { code, error, retry_after_secs } => {
            format!("not done {code} {error} {retry_after_secs:?}")
        }
        ProviderAnswer::Unanswered { code, error } => format!("unanswered {code} {error}"),
        ProviderAnswer::ErrorKept { code, error } => format!("kept {code} {error}"),
        ProviderAnswer::Absent => "absent".to_owned(),
        ProviderAnswer::Undecidable { error } => format!("undecidable {error}"),
    }
}
