//! Webhook endpoints: put, shown without secrets, rotated, enabled, replayed, removed.

use std::sync::Arc;

use surehold_core::kernel::Slug;
use surehold_core::operations::commands::{EffectOutcome, FinishEffect, StartEffect, Started};
use surehold_core::operations::outbox::{DeliverWebhook, EndpointId, EventCursor, WebhookRejection, delivery_key};
use surehold_core::operations::{Payload, WorkerId};
use surehold_http::wire::render_event;
use surehold_http::{AddressRefused, ApiConfig};

use super::world::World;

/// Addresses of one place only.
fn check(url: &str) -> Result<(), AddressRefused> {
    if url.starts_with("https://example.com") { Ok(()) } else { Err(AddressRefused("elsewhere".to_owned())) }
}

async fn world() -> World {
    World::with(ApiConfig { check_webhook_url: check, ..ApiConfig::default() }).await
}

const ORDERS: &str = "/v1/casa/webhook-endpoints/orders";

/// The delivery of the newest event that was asked for, carried out by hand with this outcome.
async fn deliver(w: &World, outcome: EffectOutcome) {
    let newest = w.ask(&format!("GET {ORDERS}/deliveries?limit=1")).await.json();
    let cursor = EventCursor::parse(newest["deliveries"][0]["cursor"].as_str().unwrap()).unwrap();
    let key = delivery_key(&EndpointId::new("orders").unwrap(), cursor, None).unwrap();
    let tenant = w.engine.views().tenant_of(&Slug::new("casa").unwrap()).await.unwrap().unwrap();
    let start = StartEffect { key, handler: Arc::new(DeliverWebhook), worker: WorkerId(1), raised_at: None };
    let Started::Call(call) = w.engine.run(tenant, start).await.unwrap().reply else { panic!("it is due") };
    let handler = Arc::new(DeliverWebhook);
    let finish = FinishEffect { call: *call, handler, outcome, then: None, dice: 0, raised_at: None };
    w.engine.run(tenant, finish).await.unwrap();
}

fn rejected(rejection: WebhookRejection) -> EffectOutcome {
    EffectOutcome::Rejected { code: "x".into(), error: "x".into(), response: Payload::of(&rejection) }
}

#[tokio::test]
async fn secrets_are_shown_once() {
    let w = world().await;
    w.check(&format!("GET {ORDERS}"), 404, "endpoint-not-found").await;
    let put = format!(r#"PUT {ORDERS} {{"url":"https://example.com/a","events":["hold_placed"]}}"#);
    let made = w.check(&put, 201, r#"{"id":"orders","state":"enabled","events":["hold_placed"]}"#).await;
    let secret = made.json()["secret"].as_str().unwrap().to_owned();
    assert!(secret.starts_with("whsec_") && secret.len() == "whsec_".len() + 44, "{secret}");
    let again = w.check(&put, 200, r#"{"secret":null}"#).await;
    assert_eq!(again.header("idempotent-replayed"), "true");
    for shown in [format!("GET {ORDERS}"), "GET /v1/casa/webhook-endpoints".to_owned()] {
        let shown = w.check(&shown, 200, "").await.text();
        assert!(shown.contains("https://example.com/a") && !shown.contains("secret"), "{shown}");
    }
    let rotated = w.check(&format!(r#"POST {ORDERS}/rotate-secret {{"overlap_secs":60}}"#), 200, "").await.json();
    assert!(rotated["secret"] != secret.as_str() && rotated["previous_secret_until"].is_string(), "{rotated}");
    let keyed = format!(r#"PUT {ORDERS} Idempotency-Key:k {{"url":"https://example.com/a"}}"#);
    w.check(&keyed, 400, "idempotency-key-malformed").await;
    w.check(&format!("POST {ORDERS}/rotate-secret Idempotency-Key:k {{}}"), 400, "idempotency-key-malformed").await;
}

#[tokio::test]
async fn what_is_refused() {
    let w = world().await;
    w.check(&format!(r#"PUT {ORDERS} {{"url":"https://elsewhere/"}}"#), 422, "address-not-allowed").await;
    w.check(&format!(r#"PUT {ORDERS} {{"url":"https://example.com/","events":["x"]}}"#), 422, "invalid").await;
    w.check(&format!(r#"PUT {ORDERS} {{"url":"https://example.com/"}}"#), 201, "").await;
    w.check(&format!(r#"PUT {ORDERS} {{"url":"https://example.com/b"}}"#), 409, "endpoint-exists").await;
    let replaced = format!(r#"PUT {ORDERS} {{"url":"https://example.com/b","replace":true}}"#);
    w.check(&replaced, 200, r#"{"url":"https://example.com/b","secret":null}"#).await;
    w.check(&format!(r#"POST {ORDERS}/rotate-secret {{"overlap_secs":-1}}"#), 422, "invalid").await;
    w.check(r#"PUT /v1/casa/webhook-endpoints/Orders {"url":"https://example.com/"}"#, 400, "malformed-request").await;
    for range in [r#""from":"2-0","to":"1-0""#, r#""from":"x","to":"1-0""#, r#""from":"1-0","to":"""#] {
        w.check(&format!(r#"POST {ORDERS}/replay {{{range},"key":"k"}}"#), 422, "invalid").await;
    }
    for row in ["POST {}/rotate-secret {{}}", "POST {}/enable {{}}", "GET {}/deliveries", "DELETE {}"] {
        let row = row
            .replace("{}/", "/v1/other/webhook-endpoints/orders/")
            .replace("{}", "/v1/other/webhook-endpoints/orders");
        let (head, body) = row.split_once(" {").map_or((row.as_str(), ""), |(head, _)| (head, " {}"));
        w.check(&format!("{head} As:other{body}"), 404, "endpoint-not-found").await;
    }
    // An installation that was not told whom it may call calls nobody.
    let w = World::new().await;
    w.check(&format!(r#"PUT {ORDERS} {{"url":"https://example.com/"}}"#), 422, "address-not-allowed").await;
}

#[tokio::test]
async fn deliveries_gone_enabled_replayed_removed() {
    let w = world().await;
    w.check(&format!(r#"PUT {ORDERS} {{"url":"https://example.com/","events":["pool_changed"]}}"#), 201, "").await;
    w.check(r#"PUT /v1/casa/pools/room {"total":1}"#, 200, "").await;
    w.check(r#"PUT /v1/casa/pools/room {"total":2}"#, 200, "").await;
    assert_eq!(w.engine.fan_out(render_event).await, Ok(2));
    let states = r#"{"deliveries":[{"state":"waiting","attempts":0},{"state":"pending"}]}"#;
    let deliveries = w.check(&format!("GET {ORDERS}/deliveries"), 200, states).await.json();
    let place = |index: usize| deliveries["deliveries"][index]["cursor"].as_str().unwrap().to_owned();
    let (first, last) = (place(1), place(0));

    let replay = |key: &str| format!(r#"POST {ORDERS}/replay {{"from":"{first}","to":"{last}","key":"{key}"}}"#);
    w.check(&replay("one"), 200, r#"{"deliveries":2,"complete":true,"next":null}"#).await;
    w.check(&replay("one"), 200, r#"{"deliveries":0}"#).await;
    let replays = w.ask(&format!("GET {ORDERS}/deliveries")).await.json();
    assert_eq!(replays["deliveries"].as_array().unwrap().len(), 4);
    assert_eq!(replays["deliveries"][0]["replay"], "one");

    w.check(r#"PUT /v1/casa/pools/bed {"total":1}"#, 200, "").await;
    assert_eq!(w.engine.fan_out(render_event).await, Ok(1));
    let confirmed =
        EffectOutcome::Confirmed { provider_ref: None, response: Payload::of(&serde_json::json!({"status": 204})) };
    deliver(&w, confirmed).await;
    let delivered = r#"{"deliveries":[{"state":"delivered","status":204}]}"#;
    w.check(&format!("GET {ORDERS}/deliveries?limit=1"), 200, delivered).await;

    w.check(r#"PUT /v1/casa/pools/bed {"total":2}"#, 200, "").await;
    assert_eq!(w.engine.fan_out(render_event).await, Ok(1));
    deliver(&w, rejected(WebhookRejection::Gone)).await;
    let gone = w.check(&format!("GET {ORDERS}"), 200, r#"{"state":"disabled"}"#).await.json();
    assert!(gone["disabled_at"].is_string() && gone["disabled_reason"].as_str().unwrap().contains("410"), "{gone}");
    w.check(r#"PUT /v1/casa/pools/bed {"total":3}"#, 200, "").await;
    assert_eq!(w.engine.fan_out(render_event).await, Ok(0));
    w.check(&format!("POST {ORDERS}/enable {{}}"), 200, r#"{"state":"enabled","disabled_at":null}"#).await;
    // What happened meanwhile is told after all.
    assert_eq!(w.engine.fan_out(render_event).await, Ok(1));

    assert_eq!(w.ask(&format!("DELETE {ORDERS}")).await.status, 204);
    w.check(&format!("DELETE {ORDERS}"), 404, "endpoint-not-found").await;
    w.check("GET /v1/casa/webhook-endpoints", 200, r#"{"endpoints":[]}"#).await;
}
