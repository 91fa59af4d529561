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
    API_VERSION, CallError, EventsQuery, KINDS, Line, Metadata, NewRefund, NewSession, PROBE_PAGES_MAX, SessionExpiry,
    Stripe, StripeAccount, StripeProvider, StripeRequest,
};
use surehold_core::kernel::{TenantId, Timestamp};
use surehold_core::operations::commands::EffectCall;
use surehold_core::operations::{DedupeKey, Doubt, JsonList, LeaseToken, OperationKey, Payload, TypeName};
use surehold_engine::{Provider, Told};
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
}

impl FakeStripe {
    async fn start(answers: impl IntoIterator<Item = Scripted>) -> FakeStripe {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let answers = answers.into_iter().collect();
        let script = Arc::new(Mutex::new(Script { answers, ..Script::default() }));
        let app = Router::new().fallback(answer).with_state(Arc::clone(&script));
        tokio::spawn(async move { axum::serve(listener, app).await });
        FakeStripe { address, script }
    }

    fn client(&self) -> Stripe {
        client_of(self.address)
    }

    async fn call(&self, request: &StripeRequest) -> Told {
        patiently(StripeProvider::new(self.client()).call(&effect(request))).await
    }

    async fn probe(&self, request: &StripeRequest) -> Told {
        patiently(StripeProvider::new(self.client()).probe(&effect(request))).await
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

fn client_of(address: SocketAddr) -> Stripe {
    let base_url = Url::parse(&format!("http://{address}")).unwrap();
    Stripe::new([StripeAccount { base_url, ..StripeAccount::new("main", SECRET_KEY.into()) }]).unwrap()
}

fn effect(request: &StripeRequest) -> EffectCall {
    let (kind, key) = (TypeName::new("AT_STRIPE").unwrap(), DedupeKey::new("1").unwrap());
    EffectCall {
        tenant: TenantId(1),
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

fn new_session() -> StripeRequest {
    StripeRequest::CreateSession(NewSession {
        account: "main".into(),
        operation: "op 1".into(),
        asked_at: 1_700_000_000,
        currency: "eur".into(),
        lines: vec![
            Line { name: "Two nights & breakfast".into(), unit_amount: 9_000, quantity: 2 },
            Line { name: "Cleaning".into(), unit_amount: 1_500, quantity: 1 },
        ],
        success_url: "https://x.pt/ok?s={CHECKOUT_SESSION_ID}".into(),
        cancel_url: Some("https://x.pt/no".into()),
        client_reference_id: Some("hold-1".into()),
        expires_at: 1_700_003_600,
        metadata: Metadata::from([("hold".into(), "1".into())]),
    })
}

fn new_refund() -> StripeRequest {
    StripeRequest::Refund(NewRefund {
        account: "main".into(),
        operation: "op-2".into(),
        payment_intent: "pi_1".into(),
        amount: 400,
        reason: Some("requested_by_customer".into()),
        metadata: Metadata::new(),
    })
}

fn expiry_of(session: &str) -> StripeRequest {
    StripeRequest::ExpireSession(SessionExpiry { account: "main".into(), session: session.into() })
}

fn session(id: &str, status: &str, operation: &str) -> Value {
    json!({
        "id": id, "object": "checkout.session", "status": status, "payment_status": "unpaid", "amount_total": 19_500,
        "currency": "eur", "expires_at": 1_700_003_600, "url": "https://checkout/1", "payment_intent": null,
        "metadata": {"operation": operation},
    })
}

fn refund(id: &str, operation: &str) -> Value {
    json!({
        "id": id, "object": "refund", "amount": 400, "currency": "eur", "status": "pending", "payment_intent": "pi_1",
        "charge": "ch_1", "metadata": {"operation": operation},
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
        "client_reference_id=hold-1",
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
    let body = "payment_intent=pi_1&amount=400&reason=requested_by_customer&metadata[operation]=op-2";
    assert_eq!(received[0].body, body);
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
    let nobody = StripeProvider::new(client_of(address));
    let told = patiently(nobody.call(&effect(&new_refund()))).await;
    assert_eq!(shown(&told), "not done unreachable Stripe cannot be reached None");
    let told = patiently(nobody.probe(&effect(&new_refund()))).await;
    assert_eq!(shown(&told), "not done unreachable Stripe cannot be reached None");

    // It reads the request, says this much, and hangs up.
    for said in ["", "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"id\":"] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let provider = StripeProvider::new(client_of(listener.local_addr().unwrap()));
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
    let elsewhere = StripeRequest::ExpireSession(SessionExpiry { account: "gone".into(), session: "cs_1".into() });
    let told = stripe.call(&elsewhere).await;
    assert!(shown(&told).starts_with("not done account-unknown"), "{told:?}");
    let unreadable = EffectCall { request: Payload::null(), ..effect(&new_refund()) };
    let provider = StripeProvider::new(stripe.client());
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
    let understood: Vec<_> = list.data.into_iter().map(|event| event.understand().is_ok()).collect();
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
    let provider = StripeProvider::new(stripe.client());
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
