//! Stripe's events at the door: signed with a secret of the account, kept once, for the tenant whose account it is.

use axum::body::Body;
use axum::http::Request;
use secrecy::SecretString;
use serde_json::{Value, json};
use surehold_connect::stripe::{AccountHome, SIGNATURE_HEADER, sign};
use surehold_core::kernel::{Slug, TenantId};
use surehold_core::operations::InboxEvent;
use surehold_http::ApiConfig;
use surehold_http::inbox::{Inbox, StripeSource};

use super::world::{Answer, World, system_micros};

const OLD: &str = "whsec_old";
const NEW: &str = "whsec_new";

async fn world() -> (World, TenantId) {
    let home = |account: &str, tenant: &str, secrets: &[&str]| AccountHome {
        account: account.into(),
        tenant: Slug::new(tenant).unwrap(),
        is_test: false,
        webhook_secrets: secrets.iter().map(|secret| SecretString::from(*secret)).collect(),
    };
    let rehearsal = AccountHome { is_test: true, ..home("rehearsal", "casa", &["whsec_rehearsal"]) };
    let homes =
        [home("main", "casa", &[OLD, NEW]), home("mute", "casa", &[]), home("nobodys", "nobody", &[NEW]), rehearsal];
    let inbox = Inbox::default().with_source(StripeSource::new(homes));
    let w = World::with(ApiConfig { inbox, ..ApiConfig::default() }).await;
    let casa = w.engine.views().tenant_of(&Slug::new("casa").unwrap()).await.unwrap().unwrap();
    (w, casa)
}

fn event(id: &str) -> String {
    let object = json!({"id": "cs_1", "payment_status": "paid", "amount_total": 900, "currency": "eur"});
    json!({"id": id, "type": "checkout.session.completed", "created": 1, "data": {"object": object}}).to_string()
}

fn now_secs() -> i64 {
    system_micros() / 1_000_000
}

async fn post(w: &World, account: &str, signatures: &[String], body: &str) -> Answer {
    let mut request = Request::builder().method("POST").uri(format!("/webhooks/stripe/{account}"));
    request = request.header("content-type", "application/json; charset=utf-8");
    for signature in signatures {
        request = request.header(SIGNATURE_HEADER, signature);
    }
    Answer::of(w.call(request.body(Body::from(body.to_owned())).unwrap()).await).await
}

async fn kept(w: &World, tenant: TenantId) -> Vec<String> {
    let events: Vec<InboxEvent> = w.engine.views().all_records(tenant).await.unwrap();
    events.iter().map(|event| format!("{} {}", event.key.source, event.key.external_id)).collect()
}

#[tokio::test]
async fn an_event_is_kept_once() {
    let (w, casa) = world().await;
    let body = event("evt_1");
    let operation = json!({"type": "PROCESS_STRIPE_EVENT", "key": "main:evt_1"});
    for (secret, stored) in [(OLD, true), (NEW, false), (OLD, false)] {
        let answer = post(&w, "main", &[sign(secret, now_secs(), body.as_bytes())], &body).await;
        assert_eq!(answer.status, 202, "{}", answer.text());
        let told = answer.json();
        assert_eq!((&told["stored"], &told["operation"]), (&Value::from(stored), &operation), "{told}");
    }
    // Of no concern, and kept.
    let other = r#"{"id":"evt_2","type":"customer.created","created":1,"data":{"object":{}}}"#;
    assert_eq!(post(&w, "main", &[sign(NEW, now_secs(), other.as_bytes())], other).await.status, 202);
    assert_eq!(kept(&w, casa).await, ["stripe/main evt_1", "stripe/main evt_2"]);
}

#[tokio::test]
async fn what_is_not_believed_is_not_kept() {
    let (w, casa) = world().await;
    let body = event("evt_1");
    let signed = |secret: &str, age_secs: i64| sign(secret, now_secs() - age_secs, body.as_bytes());
    let check = async |account: &str, signatures: &[String], body: &str, status: u16, code: &str| {
        let answer = post(&w, account, signatures, body).await;
        assert_eq!((answer.status.as_u16(), answer.json()["code"].as_str()), (status, Some(code)), "{account}");
    };
    let unsigned = "signature-invalid";
    check("main", &[], &body, 401, unsigned).await;
    check("main", &["nonsense".to_owned()], &body, 401, unsigned).await;
    check("main", &[signed("whsec_other", 0)], &body, 401, unsigned).await;
    check("main", &[signed("", 0)], &body, 401, unsigned).await;
    check("main", &[signed(NEW, 400)], &body, 401, unsigned).await;
    check("main", &[signed(NEW, -400)], &body, 401, unsigned).await;
    check("main", &[signed(NEW, 0), signed(NEW, 0)], &body, 401, unsigned).await;
    check("main", &[signed(NEW, 0)], &body.replace("900", "901"), 401, unsigned).await;
    check("main", &[signed(NEW, 0)], &format!("{body} "), 401, unsigned).await;
    // Who asks for an account that does not exist is told the same.
    check("mute", &[signed(NEW, 0)], &body, 401, unsigned).await;
    check("unknown", &[signed(NEW, 0)], &body, 401, unsigned).await;
    check("main/more", &[signed(NEW, 0)], &body, 401, unsigned).await;
    // Signed, and yet for nobody: the tenant, or its test data, is not there.
    check("nobodys", &[signed(NEW, 0)], &body, 404, "not-found").await;
    check("rehearsal", &[signed("whsec_rehearsal", 0)], &body, 404, "not-found").await;
    let no_event = sign(NEW, now_secs(), b"{}");
    check("main", &[no_event], "{}", 422, "invalid").await;
    assert_eq!(kept(&w, casa).await, Vec::<String>::new());
    // Nearly too old is not too old.
    assert_eq!(post(&w, "main", &[signed(NEW, 250)], &body).await.status, 202);
}

#[tokio::test]
async fn a_test_account_tells_of_test_data() {
    let (w, casa) = world().await;
    w.make_key("test", json!({"tenant": "casa", "mode": "test", "scopes": ["read"]})).await;
    let body = event("evt_1");
    let signature = sign("whsec_rehearsal", now_secs(), body.as_bytes());
    assert_eq!(post(&w, "rehearsal", &[signature], &body).await.status, 202);
    assert_eq!(
        (kept(&w, casa).await.len(), kept(&w, casa.twin()).await),
        (0, vec!["stripe/rehearsal evt_1".to_owned()])
    );
}

/// An installation without accounts takes none of Stripe's webhooks.
#[tokio::test]
async fn nobody_is_there_without_accounts() {
    let w = World::new().await;
    let body = event("evt_1");
    assert_eq!(post(&w, "main", &[sign(NEW, now_secs(), body.as_bytes())], &body).await.status, 404);
}
