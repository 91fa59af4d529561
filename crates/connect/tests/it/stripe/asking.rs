//! What is said to Stripe, and what its answers mean.

use serde_json::json;
use surehold_connect::stripe::{API_VERSION, Stripe, StripeProvider};
use surehold_core::kernel::TenantId;
use surehold_core::operations::Payload;
use surehold_core::operations::commands::EffectCall;
use surehold_core::stays::operations::{PaymentRequest, SessionCreated, SessionExpiry};
use surehold_engine::{Provider, ProviderAnswer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::super::endpoint::patiently;
use super::scripted::{
    FakeStripe, Scripted, TENANT, Town, account_at, client_of, effect, expiry_of, new_refund, new_session, page,
    refund, refund_of, refused, says, session, shown,
};

#[tokio::test]
async fn a_session_is_asked_for_in_stripes_words() {
    let stripe = FakeStripe::start([says(200, &session("cs_1", "open", "op 1"))]).await;
    let told = stripe.call(&new_session()).await;
    let kept = r#"{"amount_total":19500,"currency":"eur","expires_at":1700003600,"payment_intent":null,"payment_status":"unpaid","session":"cs_1","status":"open","url":"https://checkout/1"}"#;
    assert_eq!(shown(&told), format!("done cs_1 {kept}"));
    let ProviderAnswer::Done { response, .. } = told else { panic!("not done") };
    let created: SessionCreated = response.read().unwrap();
    assert_eq!((created.session.as_str(), created.url.as_deref()), ("cs_1", Some("https://checkout/1")));
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
