//! The life of a Checkout session.

use surehold_simulators::stripe::{AccountConfig, Impossible, Method, Settlement, StripeConfig};

use super::scene::{DAY, Response, SESSION, START, Scene, config};

#[tokio::test]
async fn a_new_session() {
    let scene = Scene::new().await;
    let told = scene.post("/v1/checkout/sessions", SESSION).await;
    assert_eq!(told.summary(), "200 open unpaid");
    let id = told.text("id");
    assert!(id.starts_with("cs_test_"), "{id}");
    assert_eq!(told.body["amount_total"], 9_000);
    assert_eq!(told.body["currency"], "brl");
    assert_eq!(told.body["client_reference_id"], "hold-1");
    assert_eq!(told.body["metadata"]["hold"], "hold-1");
    assert_eq!(told.body["created"], START);
    assert_eq!(told.body["expires_at"], START + i64::from(DAY));
    assert!(told.body["payment_intent"].is_null());
    assert_eq!(told.text("url"), format!("{}/pay/{id}", scene.sim.url()));
    assert!(told.headers["request-id"].to_str().unwrap().starts_with("req_"));
    assert!(told.headers.contains_key("stripe-version"));
    assert_eq!(scene.look(&id).await.body, told.body);
    assert_eq!(scene.kinds().await, Vec::<String>::new());
}

#[tokio::test]
async fn ids_depend_on_the_seed() {
    let first_id = async |seed: usize| Scene::with(StripeConfig { seed, ..config() }).await.session().await;
    assert_eq!(first_id(1).await, first_id(1).await);
    assert_ne!(first_id(1).await, first_id(2).await);
}

#[tokio::test]
async fn what_is_refused() {
    let scene = Scene::new().await;
    let check = async |change: &str, expected: &str| {
        let (name, value) = change.split_once('=').unwrap();
        let kept: Vec<&str> = SESSION.split('&').filter(|pair| !pair.starts_with(&format!("{name}="))).collect();
        let mut form = kept.join("&");
        if value != "-" {
            form = format!("{form}&{change}");
        }
        assert_eq!(scene.post("/v1/checkout/sessions", &form).await.summary(), expected, "{change}");
    };
    let invalid = "400 invalid_request_error";
    check("mode=-", &format!("{invalid} parameter_missing mode")).await;
    check("mode=subscription", &format!("{invalid} mode")).await;
    check("success_url=-", &format!("{invalid} parameter_missing success_url")).await;
    check("success_url=ok", &format!("{invalid} url_invalid success_url")).await;
    check("cancel_url=", &format!("{invalid} parameter_invalid_empty cancel_url")).await;
    check("cancel_url=-", "200 open unpaid").await;
    check("surprise[x]=1", &format!("{invalid} parameter_unknown surprise[x]")).await;
    check("payment_method_types[]=card", "200 open unpaid").await;
    check("payment_method_types[]=barter", &format!("{invalid} payment_method_types")).await;
    let at = |secs: i64| format!("expires_at={}", START + secs);
    check(&at(30 * 60), "200 open unpaid").await;
    check(&at(30 * 60 - 1), &format!("{invalid} expires_at")).await;
    check(&at(i64::from(DAY)), "200 open unpaid").await;
    check(&at(i64::from(DAY) + 1), &format!("{invalid} expires_at")).await;
    check("expires_at=soon", &format!("{invalid} parameter_invalid_integer expires_at")).await;
    let price = "line_items[0][price_data]";
    check(&format!("{price}[unit_amount]=25"), "200 open unpaid").await;
    check(&format!("{price}[unit_amount]=24"), &format!("{invalid} amount_too_small line_items")).await;
    check(&format!("{price}[unit_amount]=-1"), &format!("{invalid} parameter_invalid_integer {price}[unit_amount]"))
        .await;
    check(&format!("{price}[currency]=reais"), &format!("{invalid} {price}[currency]")).await;
    check("line_items[0][quantity]=-", &format!("{invalid} parameter_missing line_items[0][quantity]")).await;
    check(&format!("metadata[{}]=x", "k".repeat(41)), &format!("{invalid} metadata[{}]", "k".repeat(41))).await;
}

#[tokio::test]
async fn doors() {
    let accounts = vec![AccountConfig::numbered(1), AccountConfig::numbered(2)];
    let scene = Scene::with(StripeConfig { accounts, ..config() }).await;
    let session = format!("/v1/checkout/sessions/{}", scene.session().await);
    let check = async |key: Option<&str>, path: &str, expected: &str| {
        let request = scene.request(reqwest::Method::GET, path);
        let request = if let Some(key) = key { request.bearer_auth(key) } else { request };
        assert_eq!(Response::hear(request).await.unwrap().summary(), expected, "{key:?} {path}");
    };
    let (ours, theirs) = (AccountConfig::numbered(1).api_key, AccountConfig::numbered(2).api_key);
    check(Some(&ours), &session, "200 open unpaid").await;
    check(None, &session, "401 invalid_request_error").await;
    check(Some("sk_test_wrong"), &session, "401 invalid_request_error").await;
    check(Some(&theirs), &session, "404 invalid_request_error resource_missing session").await;
    check(Some(&ours), "/v1/checkout/sessions/cs_x", "404 invalid_request_error resource_missing session").await;
    check(Some(&ours), "/v1/payment_intents/pi_x", "404 invalid_request_error resource_missing intent").await;
    check(Some(&ours), "/v1/elsewhere", "404 invalid_request_error").await;
    check(Some(&ours), "/v1/account", "200").await;
}

#[tokio::test]
async fn paid_by_card() {
    let scene = Scene::new().await;
    let session = scene.session().await;
    scene.sim.decline(&session).unwrap();
    assert_eq!(scene.look(&session).await.summary(), "200 open unpaid");
    let url = scene.sim.pay(&session, Method::Card).unwrap();
    assert_eq!(url, format!("http://127.0.0.1:9/ok?session={session}"));
    let told = scene.look(&session).await;
    assert_eq!(told.summary(), "200 complete paid");
    assert!(told.body["url"].is_null());
    let intent = scene.get(&format!("/v1/payment_intents/{}", told.text("payment_intent"))).await;
    assert_eq!(intent.summary(), "200 succeeded");
    assert_eq!((&intent.body["amount_received"], &intent.body["metadata"]["hold"]), (&9_000.into(), &"hold-1".into()));
    let charge = scene.get(&format!("/v1/charges/{}", intent.text("latest_charge"))).await;
    assert_eq!(charge.summary(), "200 succeeded");
    let expanded = scene.look(&format!("{session}?expand[]=payment_intent.latest_charge")).await;
    assert_eq!(expanded.body["payment_intent"]["latest_charge"], charge.body);
    let kinds = [
        "payment_intent.created",
        "charge.failed",
        "payment_intent.payment_failed",
        "charge.succeeded",
        "payment_intent.succeeded",
        "checkout.session.completed",
    ];
    assert_eq!(scene.kinds().await, kinds);
    assert_eq!(scene.sim.pay(&session, Method::Card), Err(Impossible::NotOpen { status: "complete" }));
    let report = scene.sim.report();
    let payment = report.succeeded().next().unwrap();
    assert_eq!((payment.amount_received, payment.amount_refunded), (9_000, 0));
    assert_eq!((payment.session.as_str(), payment.client_reference_id.as_deref()), (session.as_str(), Some("hold-1")));
    assert_eq!(report.succeeded().count(), 1);
}

#[tokio::test]
async fn paid_later() {
    let check = async |method: Method, settlement: Settlement, meanwhile: &str, expected: [&str; 3]| {
        let scene = Scene::new().await;
        let session = scene.session().await;
        assert_eq!(scene.sim.settle(&session, settlement), Err(Impossible::NothingToSettle));
        scene.sim.pay(&session, method).unwrap();
        let told = scene.look(&session).await;
        assert_eq!(told.summary(), "200 complete unpaid");
        let intent = format!("/v1/payment_intents/{}", told.text("payment_intent"));
        assert_eq!(scene.get(&intent).await.summary(), meanwhile);
        scene.sim.settle(&session, settlement).unwrap();
        let kinds = scene.kinds().await;
        let seen =
            [scene.look(&session).await.summary(), scene.get(&intent).await.summary(), kinds[kinds.len() - 1].clone()];
        assert_eq!(seen, expected);
        assert_eq!(scene.sim.settle(&session, settlement), Err(Impossible::NothingToSettle));
    };
    let succeeded = ["200 complete paid", "200 succeeded", "checkout.session.async_payment_succeeded"];
    let failed = ["200 complete unpaid", "200 requires_payment_method", "checkout.session.async_payment_failed"];
    check(Method::Boleto, Settlement::Success, "200 requires_action", succeeded).await;
    check(Method::Boleto, Settlement::Failure, "200 requires_action", failed).await;
    check(Method::Pix, Settlement::Success, "200 processing", succeeded).await;
    check(Method::Pix, Settlement::Failure, "200 processing", failed).await;
}

#[tokio::test]
async fn settles_by_itself() {
    let scene = Scene::with(StripeConfig { settles_after_secs: Some(DAY), ..config() }).await;
    let session = scene.session().await;
    scene.sim.pay(&session, Method::Boleto).unwrap();
    scene.sim.advance_secs(DAY - 1);
    assert_eq!(scene.look(&session).await.summary(), "200 complete unpaid");
    scene.sim.advance_secs(1);
    assert_eq!(scene.look(&session).await.summary(), "200 complete paid");
}

#[tokio::test]
async fn expiry() {
    let scene = Scene::new().await;
    let form = format!("{SESSION}&expires_at={}", START + 1_800);
    let [by_clock, by_request, paid, declined] = [(); 4].map(|()| scene.post("/v1/checkout/sessions", &form));
    let by_clock = by_clock.await.text("id");
    let (by_request, paid, declined) = (by_request.await.text("id"), paid.await.text("id"), declined.await.text("id"));
    scene.sim.pay(&paid, Method::Boleto).unwrap();
    scene.sim.decline(&declined).unwrap();
    let expire = async |id: &str| scene.post(&format!("/v1/checkout/sessions/{id}/expire"), "").await.summary();
    assert_eq!(expire(&by_request).await, "200 expired unpaid");
    assert_eq!(expire(&by_request).await, "400 invalid_request_error");
    assert_eq!(expire(&paid).await, "400 invalid_request_error");
    assert_eq!(expire("cs_x").await, "404 invalid_request_error resource_missing session");
    scene.sim.advance_secs(1_799);
    assert_eq!(scene.look(&by_clock).await.summary(), "200 open unpaid");
    scene.sim.advance_secs(3_601);
    assert_eq!(scene.look(&by_clock).await.summary(), "200 expired unpaid");
    assert_eq!(scene.look(&paid).await.summary(), "200 complete unpaid");
    assert_eq!(scene.sim.pay(&by_clock, Method::Card), Err(Impossible::NotOpen { status: "expired" }));
    let expired = scene.get("/v1/events?type=checkout.session.expired").await;
    let seen: Vec<_> = expired.body["data"]
        .as_array()
        .unwrap()
        .iter()
        .rev()
        .map(|event| (event["data"]["object"]["id"].as_str().unwrap(), event["created"].as_i64().unwrap() - START))
        .collect();
    assert_eq!(seen, [(by_request.as_str(), 0), (&by_clock, 1_800), (&declined, 1_800)]);
    assert!(scene.kinds().await.contains(&"payment_intent.canceled".to_owned()));
}
