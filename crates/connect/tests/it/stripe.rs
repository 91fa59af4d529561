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
use surehold_connect::stripe::{
    API_VERSION, AccountHome, CallError, Event, EventsQuery, Homes, KINDS, Metadata, PROBE_PAGES_MAX, Stripe,
    StripeAccount, StripeProvider, SweepConfig, Sweeper,
};
use surehold_core::kernel::{Currency, HoldId, HoldPolicy, Slug, TenantId, Timestamp};
use surehold_core::operations::commands::EffectCall;
use surehold_core::operations::{
    DedupeKey, Doubt, ExternalId, InboxEvent, InboxKey, JsonList, LeaseToken, OperationKey, Payload, SourceName,
    TypeName,
};
use surehold_core::stays::operations::{
    CheckoutItem, NewRefund, NewSession, PaymentRequest, SessionCreated, SessionExpiry,
};
use surehold_engine::{Engine, EngineConfig, Provider, Registry, Store, Told, builtin};
use surehold_sqlite::SqliteStore;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::endpoint::patiently;

const SECRET_KEY: &str = "sk_test_most_secret";

struct Received {
    /// Method, path and query.
    line: String,
    headers: HeaderMap,
    body: String,
}

#[derive(Clone)]
struct Scripted {
    status: u16,
    headers: Vec<(&'static str, &'static str)>,
    body: String,
}

fn says(status: u16, body: &Value) -> Scripted {
    Scripted { status, headers: Vec::new(), body: body.to_string() }
}

#[derive(Default)]
struct Script {
    answers: VecDeque<Scripted>,
    received: Vec<Received>,
}

struct FakeStripe {
    address: SocketAddr,
    script: Arc<Mutex<Script>>,
    town: Town,
}

/// An installation with one tenant, whose accounts `main` and, for rehearsals, `rehearsal` are.
struct Town {
    engine: Engine,
    homes: Homes,
    _folder: TempDir,
}

const TENANT: TenantId = TenantId(1);

impl Town {
    async fn new() -> Town {
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
    async fn start(answers: impl IntoIterator<Item = Scripted>) -> FakeStripe {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let answers = answers.into_iter().collect();
        let script = Arc::new(Mutex::new(Script { answers, ..Script::default() }));
        let app = Router::new().fallback(answer).with_state(Arc::clone(&script));
        tokio::spawn(async move { axum::serve(listener, app).await });
        FakeStripe { address, script, town: Town::new().await }
    }

    fn client(&self) -> Stripe {
        client_of(self.address)
    }

    fn provider(&self) -> StripeProvider {
        StripeProvider::new(self.client(), self.town.homes.clone())
    }

    async fn call(&self, request: &PaymentRequest) -> Told {
        patiently(self.provider().call(&effect(request))).await
    }

    async fn probe(&self, request: &PaymentRequest) -> Told {
        patiently(self.provider().probe(&effect(request))).await
    }

    /// Everything that was asked; all that was to be answered has been.
    fn received(self) -> Vec<Received> {
        let mut script = self.script.lock().unwrap();
        assert_eq!(script.answers.len(), 0, "not all answers were asked for");
        std::mem::take(&mut script.received)
    }

    fn lines(self) -> Vec<String> {
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

fn account_at(name: &str, address: SocketAddr) -> StripeAccount {
    let base_url = Url::parse(&format!("http://{address}")).unwrap();
    StripeAccount { base_url, ..StripeAccount::new(name, SECRET_KEY.into()) }
}

fn client_of(address: SocketAddr) -> Stripe {
    Stripe::new([account_at("main", address)]).unwrap()
}

fn effect(request: &PaymentRequest) -> EffectCall {
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

const HOLD: &str = "019a8d1e-6f00-7000-8000-000000000001";

fn at(secs: i64) -> Timestamp {
    Timestamp::from_micros(0).plus_secs(secs)
}

fn metadata(operation: &str) -> Metadata {
    Metadata::from([("hold".into(), "1".into()), ("operation".into(), operation.into())])
}

fn new_session() -> PaymentRequest {
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

fn refund_of(payment_intent: Option<&str>) -> PaymentRequest {
    PaymentRequest::Refund(NewRefund {
        account: "main".into(),
        session: "cs_1".into(),
        payment_intent: payment_intent.map(Into::into),
        amount: 400,
        currency: Currency::parse("EUR").unwrap(),
        metadata: metadata("op-2"),
    })
}

fn new_refund() -> PaymentRequest {
    refund_of(Some("pi_1"))
}

fn expiry_of(session: &str) -> PaymentRequest {
    PaymentRequest::ExpireSession(SessionExpiry { account: "main".into(), session: session.into() })
}

fn session(id: &str, status: &str, operation: &str) -> Value {
    json!({
        "id": id, "object": "checkout.session", "status": status, "payment_status": "unpaid", "amount_total": 19_500,
        "currency": "eur", "expires_at": 1_700_003_600, "url": "https://checkout/1", "payment_intent": null,
        "metadata": {"hold": "1", "operation": operation, "added": "by somebody"},
    })
}

fn refund(id: &str, operation: &str) -> Value {
    json!({
        "id": id, "object": "refund", "amount": 400, "currency": "eur", "status": "pending", "payment_intent": "pi_1",
        "charge": "ch_1", "metadata": {"hold": "1", "operation": operation},
    })
}

fn page(data: &[Value], has_more: bool) -> Scripted {
    says(200, &json!({"object": "list", "data": data, "has_more": has_more}))
}

fn refused(status: u16, code: &str) -> Scripted {
    says(status, &json!({"error": {"type": "invalid_request_error", "code": code, "message": "prose"}}))
}

fn shown(told: &Told) -> String {
    match told {
        Told::Done { provider_ref, response } => {
            format!("done {} {}", provider_ref.as_deref().unwrap_or("-"), response.as_str())
        }
        Told::Rejected { code, error, response } => format!("rejected {code} {error} {}", response.as_str()),
        Told::NotDone { code, error, retry_after_secs } => format!("not done {code} {error} {retry_after_secs:?}"),
        Told::Unanswered { code, error } => format!("unanswered {code} {error}"),
        Told::ErrorKept { code, error } => format!("kept {code} {error}"),
        Told::Absent => "absent".to_owned(),
        Told::Undecidable { error } => format!("undecidable {error}"),
    }
}

#[tokio::test]
async fn a_session_is_asked_for_in_stripes_words() {
    let stripe = FakeStripe::start([says(200, &session("cs_1", "open", "op 1"))]).await;
    let told = stripe.call(&new_session()).await;
    let kept = r#"{"amount_total":19500,"currency":"eur","expires_at":1700003600,"payment_intent":null,"payment_status":"unpaid","session":"cs_1","status":"open","url":"https://checkout/1"}"#;
    assert_eq!(shown(&told), format!("done cs_1 {kept}"));
    let Told::Done { response, .. } = told else { panic!("not done") };
    let created: SessionCreated = response.read().unwrap();
    assert_eq!((created.session.as_str(), created.url.as_str()), ("cs_1", "https://checkout/1"));
    let received = stripe.received();
    assert_eq!(received.len(), 1);
    assert_eq!(received[0].line, "POST /v1/checkout/sessions");
    let expected = [
        "mode=payment",
        "line_items[0][price_data][currency]=eur",
        "line_items[0][price_data][unit_amount]=9000",
        "line_items[0][price_data][product_data][name]=Two%20nights%20%26%20breakfast",
        "line_items[0][quantity]=2",
        "line_items[1][price_data][currency]=eur",
        "line_items[1][price_data][unit_amount]=1500",
        "line_items[1][price_data][product_data][name]=Cleaning",
        "line_items[1][quantity]=1",
        "success_url=https%3A%2F%2Fx.pt%2Fok%3Fs%3D%7BCHECKOUT_SESSION_ID%7D",
        "cancel_url=https%3A%2F%2Fx.pt%2Fno",
        "client_reference_id=019a8d1e-6f00-7000-8000-000000000001",
        "expires_at=1700003600",
        "metadata[hold]=1",
        "metadata[operation]=op%201",
        "payment_intent_data[metadata][hold]=1",
        "payment_intent_data[metadata][operation]=op%201",
    ];
    assert_eq!(received[0].body.split('&').collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn a_refund_is_asked_for_in_stripes_words() {
    let stripe = FakeStripe::start([says(200, &refund("re_1", "op-2"))]).await;
    let told = stripe.call(&new_refund()).await;
    let kept = r#"{"amount":400,"charge":"ch_1","currency":"eur","failure_reason":null,"payment_intent":"pi_1","refund":"re_1","status":"pending"}"#;
    assert_eq!(shown(&told), format!("done re_1 {kept}"));
    let received = stripe.received();
    assert_eq!(received[0].line, "POST /v1/refunds");
    let body = "payment_intent=pi_1&amount=400&metadata[hold]=1&metadata[operation]=op-2";
    assert_eq!(received[0].body, body);
}

#[tokio::test]
async fn a_payment_that_is_not_known_is_asked_for() {
    const GET: &str = "GET /v1/checkout/sessions/cs_1";
    const POST: &str = "POST /v1/refunds";
    const LIST: &str = "GET /v1/refunds?payment_intent=pi_1&limit=100";
    async fn check(answers: Vec<Scripted>, called: &str, lines: &[&str]) {
        let stripe = FakeStripe::start(answers).await;
        let told = shown(&stripe.call(&refund_of(None)).await);
        assert!(told.starts_with(called), "{told}, not {called}");
        assert_eq!(stripe.lines(), lines, "{called}");
    }
    async fn check_probe(answers: Vec<Scripted>, probed: &str, lines: &[&str]) {
        let stripe = FakeStripe::start(answers).await;
        let told = shown(&stripe.probe(&refund_of(None)).await);
        assert!(told.starts_with(probed), "{told}, not {probed}");
        assert_eq!(stripe.lines(), lines, "{probed}");
    }
    let mut paid = session("cs_1", "complete", "op 1");
    paid["payment_intent"] = json!("pi_1");
    let (paid, unpaid) = (says(200, &paid), says(200, &session("cs_1", "complete", "op 1")));
    check(vec![paid.clone(), says(200, &refund("re_1", "op-2"))], "done re_1", &[GET, POST]).await;
    check(vec![unpaid.clone()], "rejected nothing-paid", &[GET]).await;
    // Nothing was sent that could give money back.
    check(vec![refused(500, "x")], "not done x", &[GET]).await;
    check(vec![refused(404, "resource_missing")], "not done resource_missing", &[GET]).await;
    check_probe(vec![paid, page(&[refund("re_1", "op-2")], false)], "done re_1", &[GET, LIST]).await;
    check_probe(vec![unpaid], "absent", &[GET]).await;
    check_probe(vec![refused(500, "x")], "unanswered x", &[GET]).await;
}

/// Names of accounts stand in the tenant's own records; that is not enough.
#[tokio::test]
async fn accounts_of_others_are_not_used() {
    async fn check(account: &str, tenant: TenantId, is_made: bool) {
        let answers = if is_made { vec![says(200, &session("cs_1", "expired", "op 1"))] } else { Vec::new() };
        let stripe = FakeStripe::start(answers).await;
        let accounts = ["main", "rehearsal", "nobodys", "homeless"].map(|name| account_at(name, stripe.address));
        let provider = StripeProvider::new(Stripe::new(accounts).unwrap(), stripe.town.homes.clone());
        let request = PaymentRequest::ExpireSession(SessionExpiry { account: account.into(), session: "cs_1".into() });
        let call = EffectCall { tenant, ..effect(&request) };
        let expected = if is_made {
            "done cs_1".to_owned()
        } else {
            format!("not done account-unknown no Stripe account `{account}` is configured for this tenant")
        };
        let told = shown(&patiently(provider.call(&call)).await);
        assert!(told.starts_with(&expected), "{told}, not {expected}");
        if !is_made {
            let told = shown(&patiently(provider.probe(&call)).await);
            assert!(told.starts_with(&expected), "{told}, not {expected}");
        }
        assert_eq!(stripe.lines().len(), usize::from(is_made), "{account} {tenant}");
    }
    check("main", TENANT, true).await;
    check("rehearsal", TENANT.twin(), true).await;
    check("main", TENANT.twin(), false).await;
    check("rehearsal", TENANT, false).await;
    check("main", TenantId(2), false).await;
    check("nobodys", TENANT, false).await;
    check("homeless", TENANT, false).await;
}

#[tokio::test]
async fn headers() {
    let stripe = FakeStripe::start([says(200, &refund("re_1", "op-2")), page(&[], false)]).await;
    stripe.call(&new_refund()).await;
    stripe.probe(&new_refund()).await;
    let received = stripe.received();
    let check = |index: usize, name: &str, expected: Option<&str>| {
        let values: Vec<_> =
            received[index].headers.get_all(name).iter().map(|value| value.to_str().unwrap()).collect();
        assert_eq!(values, expected.into_iter().collect::<Vec<_>>(), "{index} {name}");
    };
    let agent = concat!("Surehold/", env!("CARGO_PKG_VERSION"));
    for index in [0, 1] {
        check(index, "authorization", Some("Bearer sk_test_most_secret"));
        check(index, "stripe-version", Some(API_VERSION));
        check(index, "user-agent", Some(agent));
    }
    check(0, "idempotency-key", Some("sh_key"));
    check(0, "content-type", Some("application/x-www-form-urlencoded"));
    check(1, "idempotency-key", None);
    check(1, "content-type", None);
}

/// Status by status: `told` has the table in full.
#[tokio::test]
async fn answers_to_a_refund() {
    async fn check(scripted: Scripted, expected: &str) {
        let stripe = FakeStripe::start([scripted]).await;
        assert_eq!(shown(&stripe.call(&new_refund()).await), expected);
        assert_eq!(stripe.lines(), ["POST /v1/refunds"], "asked once, and never again");
    }
    let rejection = |status: u16, code: &str| {
        let kept = json!({
            "status": status, "type": "invalid_request_error", "code": code, "decline_code": null, "param": null,
            "request_id": null,
        });
        format!("rejected {code} prose {kept}")
    };
    let with = |headers, scripted: Scripted| Scripted { headers, ..scripted };
    check(refused(400, "charge_already_refunded"), &rejection(400, "charge_already_refunded")).await;
    check(refused(404, "resource_missing"), &rejection(404, "resource_missing")).await;
    check(refused(401, "api_key_expired"), "not done api_key_expired prose None").await;
    check(refused(403, "more_permissions_required"), "not done more_permissions_required prose None").await;
    check(refused(409, "idempotency_key_in_use"), "unanswered idempotency_key_in_use prose").await;
    let busy = with(vec![("retry-after", "9")], refused(429, "rate_limit"));
    check(busy, "not done rate_limit prose Some(9)").await;
    check(refused(500, "x"), "kept x prose").await;
    check(refused(503, "x"), "unanswered x prose").await;
    check(with(vec![("idempotent-replayed", "true")], refused(503, "x")), "kept x prose").await;
    let html = |status| Scripted { status, headers: Vec::new(), body: "<html>".to_owned() };
    check(html(200), "unanswered garbage the answer from Stripe cannot be understood (status 200)").await;
    check(html(404), "unanswered status-404 Stripe answered 404").await;
    check(html(502), "unanswered status-502 Stripe answered 502").await;
    let elsewhere = with(vec![("location", "/elsewhere")], html(302));
    check(elsewhere, "unanswered status-302 Stripe answered 302").await;
    check(
        says(200, &json!({"object": "refund"})),
        "unanswered garbage the answer from Stripe cannot be understood (status 200)",
    )
    .await;
}

#[tokio::test]
async fn nobody_there_and_connections_that_break() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let town = Town::new().await;
    let nobody = StripeProvider::new(client_of(address), town.homes.clone());
    let told = patiently(nobody.call(&effect(&new_refund()))).await;
    assert_eq!(shown(&told), "not done unreachable Stripe cannot be reached None");
    let told = patiently(nobody.probe(&effect(&new_refund()))).await;
    assert_eq!(shown(&told), "not done unreachable Stripe cannot be reached None");

    // It reads the request, says this much, and hangs up.
    for said in ["", "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"id\":"] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let provider = StripeProvider::new(client_of(listener.local_addr().unwrap()), town.homes.clone());
        let hanging_up = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"metadata[operation]=op-2") {
                assert_ne!(stream.read_buf(&mut request).await.unwrap(), 0);
            }
            stream.write_all(said.as_bytes()).await.unwrap();
            stream.shutdown().await.unwrap();
        };
        let call = effect(&new_refund());
        let (told, ()) = patiently(async { tokio::join!(provider.call(&call), hanging_up) }).await;
        assert_eq!(shown(&told), "unanswered broken the connection to Stripe broke", "{said}");
    }
}

#[tokio::test]
async fn what_cannot_be_asked_is_not_asked() {
    let stripe = FakeStripe::start([]).await;
    let told = stripe.call(&expiry_of("../refunds")).await;
    assert!(shown(&told).starts_with("rejected unsendable"), "{told:?}");
    let elsewhere = PaymentRequest::ExpireSession(SessionExpiry { account: "gone".into(), session: "cs_1".into() });
    let told = stripe.call(&elsewhere).await;
    assert!(shown(&told).starts_with("not done account-unknown"), "{told:?}");
    let unreadable = EffectCall { request: Payload::null(), ..effect(&new_refund()) };
    let provider = stripe.provider();
    assert!(shown(&provider.call(&unreadable).await).starts_with("rejected malformed"));
    assert!(shown(&provider.probe(&unreadable).await).starts_with("undecidable"));
    let unsayable = EffectCall { idempotency_key: "a\r\nb: c".into(), ..effect(&new_refund()) };
    assert!(shown(&provider.call(&unsayable).await).starts_with("rejected unsendable"));
    assert_eq!(stripe.lines(), Vec::<String>::new());
}

#[tokio::test]
async fn expiring_a_session() {
    const EXPIRE: &str = "POST /v1/checkout/sessions/cs_1/expire";
    const GET: &str = "GET /v1/checkout/sessions/cs_1";
    async fn check(answers: Vec<Scripted>, expected: &str, lines: &[&str]) {
        let stripe = FakeStripe::start(answers).await;
        let told = shown(&stripe.call(&expiry_of("cs_1")).await);
        assert!(told.starts_with(expected), "{told}, not {expected}");
        assert_eq!(stripe.lines(), lines, "{expected}");
    }
    let is = |status: &str| says(200, &session("cs_1", status, "op 1"));
    check(vec![is("expired")], "done cs_1", &[EXPIRE]).await;
    check(vec![is("open")], "unanswered unexpected", &[EXPIRE]).await;
    check(vec![refused(400, ""), is("expired")], "done cs_1", &[EXPIRE, GET]).await;
    check(vec![refused(400, ""), is("complete")], "done cs_1", &[EXPIRE, GET]).await;
    check(vec![refused(400, "why"), is("open")], "kept why", &[EXPIRE, GET]).await;
    check(vec![refused(400, "why"), is("a_new_word")], "kept why", &[EXPIRE, GET]).await;
    check(vec![refused(400, "why"), refused(500, "x")], "unanswered x", &[EXPIRE, GET]).await;
    check(vec![refused(400, "why"), refused(429, "rate_limit")], "not done rate_limit", &[EXPIRE, GET]).await;
    check(vec![refused(404, "resource_missing")], "rejected resource_missing", &[EXPIRE]).await;
    check(vec![refused(429, "rate_limit")], "not done rate_limit", &[EXPIRE]).await;
    let misused = says(400, &json!({"error": {"type": "idempotency_error"}}));
    check(vec![misused], "kept idempotency_error", &[EXPIRE]).await;
}

/// What is kept is the state that the session is in, not the one that was wished for.
#[tokio::test]
async fn a_session_that_was_paid_meanwhile_is_told_as_it_is() {
    let mut paid = session("cs_1", "complete", "op 1");
    paid["payment_status"] = json!("paid");
    paid["payment_intent"] = json!("pi_1");
    let stripe = FakeStripe::start([refused(400, ""), says(200, &paid)]).await;
    let Told::Done { provider_ref, response } = stripe.call(&expiry_of("cs_1")).await else { panic!("not done") };
    assert_eq!(provider_ref.as_deref(), Some("cs_1"));
    let kept: surehold_connect::stripe::SessionAnswer = response.read().unwrap();
    assert_eq!(kept.status.unwrap().as_str(), "complete");
    assert_eq!(kept.payment_status.unwrap().as_str(), "paid");
    assert_eq!(kept.payment_intent.as_deref(), Some("pi_1"));
}

#[tokio::test]
async fn asking_after_an_expiry() {
    async fn check(scripted: Scripted, expected: &str) {
        let stripe = FakeStripe::start([scripted]).await;
        let told = shown(&stripe.probe(&expiry_of("cs_1")).await);
        assert!(told.starts_with(expected), "{told}, not {expected}");
        assert_eq!(stripe.lines(), ["GET /v1/checkout/sessions/cs_1"]);
    }
    let is = |status: &str| says(200, &session("cs_1", status, "op 1"));
    check(is("expired"), "done cs_1").await;
    check(is("complete"), "done cs_1").await;
    check(is("open"), "absent").await;
    check(is("a_new_word"), "undecidable").await;
    check(refused(404, "resource_missing"), "unanswered resource_missing").await;
    check(refused(401, "x"), "not done x").await;
}

#[tokio::test]
async fn asking_after_a_refund() {
    const FIRST: &str = "GET /v1/refunds?payment_intent=pi_1&limit=100";
    const SECOND: &str = "GET /v1/refunds?payment_intent=pi_1&starting_after=re_2&limit=100";
    async fn check(answers: Vec<Scripted>, expected: &str, lines: &[&str]) {
        let stripe = FakeStripe::start(answers).await;
        let told = shown(&stripe.probe(&new_refund()).await);
        assert!(told.starts_with(expected), "{told}, not {expected}");
        assert_eq!(stripe.lines(), lines, "{expected}");
    }
    let (ours, others) = (|id: &str| refund(id, "op-2"), |id: &str| refund(id, "op-3"));
    check(vec![page(&[], false)], "absent", &[FIRST]).await;
    check(vec![page(&[], true)], "absent", &[FIRST]).await;
    check(vec![page(&[others("re_2"), others("re_1")], false)], "absent", &[FIRST]).await;
    check(vec![page(&[others("re_2"), ours("re_1")], false)], "done re_1", &[FIRST]).await;
    // What happened first is what counts.
    check(vec![page(&[ours("re_2"), ours("re_1")], false)], "done re_1", &[FIRST]).await;
    let second = vec![page(&[others("re_3"), others("re_2")], true), page(&[ours("re_1")], false)];
    check(second, "done re_1", &[FIRST, SECOND]).await;
    let second = vec![page(&[ours("re_3"), others("re_2")], true), page(&[others("re_1")], false)];
    check(second, "done re_3", &[FIRST, SECOND]).await;
    let broken_off = vec![page(&[others("re_3"), others("re_2")], true), refused(500, "x")];
    check(broken_off, "unanswered x", &[FIRST, SECOND]).await;
    check(vec![refused(404, "resource_missing")], "unanswered resource_missing", &[FIRST]).await;
    check(vec![refused(429, "rate_limit")], "not done rate_limit", &[FIRST]).await;
    let endless = vec![page(&[others("re_2")], true); PROBE_PAGES_MAX];
    let lines: Vec<_> = std::iter::once(FIRST).chain(std::iter::repeat(SECOND)).take(PROBE_PAGES_MAX).collect();
    check(endless, "undecidable", &lines).await;
}

#[tokio::test]
async fn asking_after_a_session() {
    // From when it was asked for until the last moment at which Stripe would have made it; clocks differ.
    const FIRST: &str = "GET /v1/checkout/sessions?created[gte]=1699999700&created[lte]=1700002100&limit=100";
    const SECOND: &str =
        "GET /v1/checkout/sessions?created[gte]=1699999700&created[lte]=1700002100&starting_after=cs_2&limit=100";
    async fn check(answers: Vec<Scripted>, expected: &str, lines: &[&str]) {
        let stripe = FakeStripe::start(answers).await;
        let told = shown(&stripe.probe(&new_session()).await);
        assert!(told.starts_with(expected), "{told}, not {expected}");
        assert_eq!(stripe.lines(), lines, "{expected}");
    }
    let (ours, others) = (|id: &str| session(id, "open", "op 1"), |id: &str| session(id, "open", "op 2"));
    check(vec![page(&[], false)], "absent", &[FIRST]).await;
    check(vec![page(&[others("cs_2"), ours("cs_1")], false)], "done cs_1", &[FIRST]).await;
    check(vec![page(&[ours("cs_2"), ours("cs_1")], false)], "done cs_1", &[FIRST]).await;
    let second = vec![page(&[others("cs_2")], true), page(&[others("cs_1")], false)];
    check(second, "absent", &[FIRST, SECOND]).await;
    let second = vec![page(&[others("cs_2")], true), page(&[ours("cs_1")], false)];
    check(second, "done cs_1", &[FIRST, SECOND]).await;
    check(vec![refused(403, "x")], "not done x", &[FIRST]).await;
    let endless = vec![page(&[others("cs_2")], true); PROBE_PAGES_MAX];
    let lines: Vec<_> = std::iter::once(FIRST).chain(std::iter::repeat(SECOND)).take(PROBE_PAGES_MAX).collect();
    check(endless, "undecidable", &lines).await;
}

#[tokio::test]
async fn events_are_listed() {
    let event = |id: &str, object: &Value| json!({"id": id, "type": "charge.refunded", "created": 1, "livemode": false, "data": {"object": object}});
    let charge = json!({"id": "ch_1", "amount": 2, "amount_refunded": 1, "currency": "eur", "refunded": false});
    let rows = [event("evt_2", &json!({"id": "ch_2"})), event("evt_1", &charge)];
    let stripe = FakeStripe::start([page(&rows, true), page(&[], false)]).await;
    let query = EventsQuery {
        kinds: vec![KINDS[0].into(), KINDS[4].into()],
        created_from: Some(1_700_000_000),
        starting_after: Some("evt_9".into()),
        ending_before: None,
    };
    let list = patiently(stripe.client().events("main", &query)).await.unwrap();
    assert!(list.has_more);
    // One that cannot be understood does not hide the other.
    let understood: Vec<_> = list.data.iter().map(|event| Event::read(&event.body()).is_ok()).collect();
    assert_eq!(understood, [false, true]);
    let query = EventsQuery { ending_before: Some("evt_1".into()), ..EventsQuery::default() };
    assert_eq!(patiently(stripe.client().events("main", &query)).await.unwrap().data, []);
    let lines = [
        "GET /v1/events?types[]=checkout.session.completed&types[]=charge.refunded&created[gte]=1700000000\
         &starting_after=evt_9&limit=100",
        "GET /v1/events?ending_before=evt_1&limit=100",
    ];
    assert_eq!(stripe.lines(), lines);
}

/// Not in what is shown of the parts, not in errors and their sources, and not in what an indiscreet Stripe repeats.
#[tokio::test]
async fn the_key_stays_secret() {
    let indiscreet =
        json!({"error": {"type": "invalid_request_error", "message": format!("no such key: {SECRET_KEY}")}});
    let stripe = FakeStripe::start([says(401, &indiscreet), says(400, &indiscreet), says(401, &indiscreet)]).await;
    let provider = stripe.provider();
    let mut texts = vec![
        format!("{:?}", StripeAccount::new("main", SECRET_KEY.into())),
        format!("{:#?} {:#?}", stripe.client(), provider),
        format!("{:?}", stripe.call(&new_refund()).await),
        format!("{:?}", stripe.call(&new_refund()).await),
    ];
    let error = patiently(stripe.client().session("main", "cs_1")).await.unwrap_err();
    assert!(matches!(&error, CallError::Refused(refusal) if refusal.status == 401), "{error:?}");
    texts.push(format!("{error} {error:?}"));
    let malformed = Stripe::new([StripeAccount::new("main", format!("{SECRET_KEY}\n").into())]).unwrap_err();
    texts.push(format!("{malformed} {malformed:?}"));
    let nobody = client_of(SocketAddr::from(([127, 0, 0, 1], 1)));
    let unreachable = patiently(nobody.session("main", "cs_1")).await.unwrap_err();
    texts.push(format!("{unreachable} {unreachable:?}"));
    for text in texts {
        assert!(!text.contains("most_secret"), "{text}");
    }
    assert_eq!(stripe.lines().len(), 3);
}

/// An event of this kind, so old.
fn event_of(id: &str, created: i64) -> Value {
    json!({"id": id, "type": "checkout.session.expired", "created": created, "data": {"object": {"id": "cs_1"}}})
}

async fn is_kept(town: &Town, id: &str) -> bool {
    let (source, external_id) = (SourceName::new("stripe/main").unwrap(), ExternalId::new(id).unwrap());
    let key = InboxKey { source, external_id };
    town.engine.views().record::<InboxEvent>(TENANT, &key).await.unwrap().is_some()
}

#[tokio::test]
async fn events_that_never_arrived_are_found() {
    const GRACE_SECS: i64 = 100;
    let now = {
        let town = Town::new().await;
        town.engine.views().clock().await.unwrap().micros() / 1_000_000
    };
    let (old, young) = (|id: &str| event_of(id, now - 1_000), event_of("evt_young", now + 10));
    let unreadable = json!({"object": "not an event"});
    let answers = [
        page(&[young, old("evt_3"), unreadable, old("evt_2")], true),
        page(&[old("evt_1")], false),
        // The next look goes back behind the first one and finds nothing new.
        page(&[old("evt_3"), old("evt_2")], false),
        refused(500, "x"),
        page(&[old("evt_4")], false),
    ];
    let stripe = FakeStripe::start(answers).await;
    let town = &stripe.town;
    let config = SweepConfig { grace_secs: GRACE_SECS, ..SweepConfig::default() };
    let main = "main".into();
    let mut sweeper = Sweeper::new(town.engine.clone(), stripe.client(), town.homes.clone(), config);
    let mut found = Vec::new();
    for _ in 0..4 {
        found.push(patiently(sweeper.look_at(&main)).await.ok());
    }
    assert_eq!(found, [Some(3), Some(0), None, Some(1)]);
    for (id, expected) in [("evt_1", true), ("evt_2", true), ("evt_3", true), ("evt_4", true), ("evt_young", false)] {
        assert_eq!(is_kept(town, id).await, expected, "{id}");
    }
    let lines = stripe.lines();
    let from: Vec<i64> = lines.iter().map(|line| created_from(line)).collect();
    let near = |found: i64, expected: i64| (0..60).contains(&(found - expected));
    assert!(near(from[0], now - config.first_secs) && from[1] == from[0], "{lines:?}");
    assert!(near(from[2], now - config.overlap_secs), "{lines:?}");
    // What was broken off is looked through again.
    assert!(near(from[4], now - config.overlap_secs), "{lines:?}");
    assert!(lines[0].contains("types[]=checkout.session.completed") && lines[1].contains("starting_after=evt_2"));
}

fn created_from(line: &str) -> i64 {
    let (_, rest) = line.split_once("created[gte]=").unwrap();
    rest.split('&').next().unwrap().parse().unwrap()
}
