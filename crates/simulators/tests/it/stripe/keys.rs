//! Idempotency keys: the first answer is the answer, for a day.

use surehold_simulators::stripe::{KEY_LIFETIME_SECS, StripeFault};

use super::scene::{DAY, SESSION, START, Scene};

const SESSIONS: &str = "/v1/checkout/sessions";

#[tokio::test]
async fn the_same_key() {
    let scene = Scene::new().await;
    let ask = async |key: &str, path: &str, form: &str| scene.post_with_key(key, path, form).await.unwrap();
    let first = ask("k", SESSIONS, SESSION).await;
    assert_eq!(first.summary(), "200 open unpaid");
    let again = ask("k", SESSIONS, SESSION).await;
    assert_eq!(again.summary(), "200 open unpaid replayed");
    assert_eq!(again.body, first.body);
    let turned: Vec<&str> = SESSION.split('&').rev().collect();
    assert_eq!(ask("k", SESSIONS, &turned.join("&")).await.summary(), "200 open unpaid replayed");
    assert_eq!(ask("k", SESSIONS, &format!("{SESSION}&locale=pt")).await.summary(), "400 idempotency_error");
    assert_eq!(ask("k", "/v1/refunds", SESSION).await.summary(), "400 idempotency_error");
    assert_ne!(ask("other", SESSIONS, SESSION).await.text("id"), first.text("id"));
    let long = "k".repeat(256);
    assert_eq!(ask(&long, SESSIONS, SESSION).await.summary(), "400 invalid_request_error Idempotency-Key");
    let report = scene.sim.report();
    assert_eq!((report.sessions.len(), report.replays, report.mismatches), (2, 2, 2));
}

#[tokio::test]
async fn after_a_day() {
    let scene = Scene::new().await;
    let ask = async || scene.post_with_key("k", SESSIONS, SESSION).await.unwrap();
    let first = ask().await.text("id");
    scene.sim.advance_secs(KEY_LIFETIME_SECS - 1);
    let replayed = ask().await;
    assert_eq!(replayed.summary(), "200 open unpaid replayed");
    assert_eq!(replayed.text("id"), first);
    scene.sim.advance_secs(1);
    let second = ask().await;
    assert_eq!(second.summary(), "200 open unpaid");
    assert_ne!(second.text("id"), first);
    assert_eq!(ask().await.text("id"), second.text("id"));
}

/// What was wrong in itself is forgotten; what an endpoint refused is said again, also when it no longer holds.
#[tokio::test]
async fn refusals() {
    let scene = Scene::new().await;
    let early = format!("{SESSION}&expires_at={}", START + i64::from(DAY) + 60);
    let ask = async |key: &str, path: &str, form: &str| scene.post_with_key(key, path, form).await.unwrap().summary();
    assert_eq!(ask("k", SESSIONS, &early).await, "400 invalid_request_error expires_at");
    scene.sim.advance_secs(60);
    assert_eq!(ask("k", SESSIONS, &early).await, "200 open unpaid");
    let (intent, _) = scene.paid().await;
    let form = format!("payment_intent={intent}");
    let refund = scene.sim.refund_by_hand(&intent, None).unwrap();
    let refused = "400 invalid_request_error charge_already_refunded";
    assert_eq!(ask("r", "/v1/refunds", &form).await, refused);
    scene.sim.refund_fails_later(&refund).unwrap();
    assert_eq!(ask("r", "/v1/refunds", &form).await, format!("{refused} replayed"));
    assert_eq!(ask("s", "/v1/refunds", &form).await, "200 succeeded");
}

#[tokio::test]
async fn in_use() {
    let scene = Scene::new().await;
    scene.sim.queue_faults(&[StripeFault::Late { delay_millis: 60_000 }]);
    let ask = || scene.post_with_key("k", SESSIONS, SESSION);
    let second = async {
        scene.sim.waiting(1).await;
        assert_eq!(scene.sim.report().sessions.len(), 0);
        let second = ask().await.unwrap().summary();
        scene.sim.release();
        second
    };
    let (first, second) = tokio::join!(ask(), second);
    assert_eq!(first.unwrap().summary(), "200 open unpaid");
    assert_eq!(second, "409 idempotency_error idempotency_key_in_use");
    assert_eq!(ask().await.unwrap().summary(), "200 open unpaid replayed");
    let report = scene.sim.report();
    assert_eq!((report.sessions.len(), report.conflicts, report.replays), (1, 1, 1));
}
