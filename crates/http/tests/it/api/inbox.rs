//! What arrives from outside: tasks by key, webhooks by signature. Whatever is refused is not kept.

use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};
use surehold_connect::webhooks::{Message, Secret, sign};
use surehold_core::kernel::{Slug, TenantId};
use surehold_core::operations::{InboxEvent, Operation};

use super::world::{Answer, World, system_micros};

const HOLD: &str = "01a292d7-1960-7c3a-9f21-5d0e8b6a4c17";

async fn tenant(w: &World, slug: &str) -> TenantId {
    let slug = Slug::new(slug).unwrap();
    w.engine.views().tenant_of(&slug).await.unwrap().unwrap()
}

async fn kept(w: &World, tenant: TenantId) -> Vec<InboxEvent> {
    w.engine.views().all_records(tenant).await.unwrap()
}

async fn operations(w: &World, tenant: TenantId) -> usize {
    w.engine.views().all_records::<Operation>(tenant).await.unwrap().len()
}

#[tokio::test]
async fn a_task_is_taken_once() {
    let w = World::new().await;
    let casa = tenant(&w, "casa").await;
    let task = format!(r#"{{"hold":"{HOLD}"}}"#);
    let operation = json!({"type": "EXPIRE_HOLD", "key": HOLD});
    let first =
        json!({"stored": true, "replayed": false, "body_differs": null, "operation": operation, "outcome": "enqueued"});
    let again =
        json!({"stored": false, "replayed": true, "body_differs": null, "operation": operation, "outcome": "joined"});
    let joined = json!({"stored": true, "replayed": false, "operation": operation, "outcome": "joined"});
    let differs = json!({"stored": false, "replayed": true, "body_differs": true, "outcome": "joined"});
    let to = "POST /v1/casa/tasks/expire-hold";
    w.check(&format!("{to} Surehold-Task-Id:t1 {task}"), 202, &first.to_string()).await;
    w.check(&format!("{to} Surehold-Task-Id:t1 {task}"), 202, &again.to_string()).await;
    w.check(&format!("POST /tasks/expire-hold Surehold-Task-Id:t1 {task}"), 202, &again.to_string()).await;
    // Another spelling of the same task: its ids are the same too.
    for spelled in ["POST /tasks/expire_hold", "POST /v1/casa/tasks/expire_hold"] {
        w.check(&format!("{spelled} Surehold-Task-Id:t1 {task}"), 202, &again.to_string()).await;
    }
    // Other white space is another body, and changes nothing either.
    w.check(&format!("{to} Surehold-Task-Id:t1 {task} "), 202, &differs.to_string()).await;
    w.check(&format!("POST /tasks/expire-hold Surehold-Task-Id:t2 {task}"), 202, &joined.to_string()).await;
    // A scheduler's names are unique within a queue.
    let cloud = |queue: &str| format!("{to} X-CloudTasks-TaskName:t1 X-CloudTasks-QueueName:{queue} {task}");
    w.check(&cloud("a"), 202, &joined.to_string()).await;
    w.check(&cloud("b"), 202, &joined.to_string()).await;
    w.check(&cloud("a"), 202, &again.to_string()).await;
    w.check(&format!("{to} X-CloudTasks-TaskName:t1 {task}"), 202, &again.to_string()).await;
    // What the task's maker chose counts.
    let both = format!("{to} X-CloudTasks-TaskName:t9 Surehold-Task-Id:t2 {task}");
    w.check(&both, 202, &again.to_string()).await;
    let ids: Vec<String> = kept(&w, casa).await.iter().map(|event| event.key.external_id.to_string()).collect();
    assert_eq!(ids, ["a/t1", "b/t1", "t1", "t2"]);
    assert_eq!(operations(&w, casa).await, 1);
    let feed = w.check("GET /v1/casa/events", 200, "").await.json();
    let told = feed["events"].as_array().unwrap().iter().filter(|event| event["type"] == "inbox_received");
    assert_eq!(told.count(), 4);
}

#[tokio::test]
async fn tasks_that_are_not_taken() {
    let w = World::new().await;
    let casa = tenant(&w, "casa").await;
    w.make_key("seller", json!({"tenant": "casa", "scopes": ["read", "sell", "manage"]})).await;
    w.make_key("clock", json!({"tenant": "casa", "scopes": ["tasks"]})).await;
    let task = format!(r#"{{"hold":"{HOLD}"}}"#);
    for to in ["POST /v1/casa/tasks", "POST /tasks"] {
        let check =
            async |rest: &str, status: u16, code: &str| drop(w.check(&format!("{to}/{rest}"), status, code).await);
        check(&format!("expire-hold {task}"), 400, "task-id-missing").await;
        check(&format!("expire-hold Surehold-Task-Id: {task}"), 400, "task-id-missing").await;
        check(&format!("expire-hold Surehold-Task-Id:a Surehold-Task-Id:b {task}"), 400, "malformed-request").await;
        check(&format!("expire-hold Surehold-Task-Id:{} {task}", "x".repeat(641)), 400, "malformed-request").await;
        check(&format!("unknown Surehold-Task-Id:a {task}"), 404, "task-not-found").await;
        check(&format!("expire-hold As:nobody Surehold-Task-Id:a {task}"), 401, "unauthenticated").await;
        check(&format!("expire-hold As:seller Surehold-Task-Id:a {task}"), 403, "scope-missing").await;
        check(r#"expire-hold Surehold-Task-Id:a {"hold":"17"}"#, 422, "invalid").await;
        check(r#"expire-hold Surehold-Task-Id:a {"hold":"01a292d7-1960-4c3a-9f21-5d0e8b6a4c17"}"#, 422, "invalid")
            .await;
        check("expire-hold Surehold-Task-Id:a {}", 422, "invalid").await;
        check("expire-hold Surehold-Task-Id:a {nonsense", 400, "malformed-json").await;
        check(&format!("expire-hold Surehold-Task-Id:a Content-Type:text/plain {task}"), 415, "unsupported-media-type")
            .await;
        let padded = format!("expire-hold Surehold-Task-Id:a {task}{}", " ".repeat(256 << 10));
        check(&padded, 413, "body-too-large").await;
    }
    let foreign = format!("POST /v1/casa/tasks/expire-hold As:other Surehold-Task-Id:a {task}");
    w.check(&foreign, 404, "not-found").await;
    let installation = format!("POST /tasks/expire-hold As:admin Surehold-Task-Id:a {task}");
    w.check(&installation, 400, "malformed-request").await;
    assert_eq!((kept(&w, casa).await.len(), operations(&w, casa).await), (0, 0));
    // The id was not used up by any of them.
    let good = format!("POST /tasks/expire-hold As:clock Surehold-Task-Id:a {task}");
    w.check(&good, 202, r#"{"stored":true,"outcome":"enqueued"}"#).await;
    w.check("GET /v1/casa As:clock", 403, "scope-missing").await;
}

#[tokio::test]
async fn a_test_key_delivers_to_test_data() {
    let w = World::new().await;
    let casa = tenant(&w, "casa").await;
    w.make_key("test", json!({"tenant": "casa", "mode": "test", "scopes": ["tasks", "manage"]})).await;
    let task = format!(r#"{{"hold":"{HOLD}"}}"#);
    for to in ["POST /v1/casa/tasks/expire-hold", "POST /tasks/expire-hold"] {
        w.check(&format!("{to} As:test Surehold-Task-Id:a {task}"), 202, "").await;
    }
    let made = w.check("PUT /v1/casa/inboxes/orders As:test {}", 201, "").await.json();
    assert_eq!(made["address"], "/webhooks/standard/casa/orders?mode=test");
    let message = Letter::new(&made, b"{}");
    assert_eq!(message.send(&w).await.status, 202);
    let live = Letter { address: "/webhooks/standard/casa/orders".to_owned(), ..Letter::new(&made, b"{}") };
    live.check(&w, 401, "signature-invalid").await;
    assert_eq!((kept(&w, casa).await.len(), kept(&w, casa.twin()).await.len()), (0, 2));
}

/// A webhook on its way.
#[derive(Clone)]
struct Letter {
    address: String,
    secret: Secret,
    id: String,
    age_secs: i64,
    body: Vec<u8>,
}

impl Letter {
    /// To an inbox that was just made, signed as its owner would.
    fn new(made: &Value, body: &[u8]) -> Letter {
        Letter {
            address: made["address"].as_str().unwrap().to_owned(),
            secret: Secret::parse(made["secret"].as_str().unwrap()).unwrap(),
            id: "msg_1".to_owned(),
            age_secs: 0,
            body: body.to_vec(),
        }
    }

    fn request(&self) -> Request<Body> {
        let timestamp_secs = system_micros() / 1_000_000 - self.age_secs;
        let message = Message { id: &self.id, timestamp_secs, body: &self.body };
        let signature = sign(&message, std::slice::from_ref(&self.secret)).unwrap();
        let request = Request::builder().method("POST").uri(&self.address);
        let request = request.header("webhook-id", &self.id).header("webhook-timestamp", timestamp_secs);
        request.header("webhook-signature", signature).body(Body::from(self.body.clone())).unwrap()
    }

    async fn send(&self, w: &World) -> Answer {
        Answer::of(w.call(self.request()).await).await
    }

    async fn check(&self, w: &World, status: u16, code: &str) {
        let answer = self.send(w).await;
        assert_eq!((answer.status.as_u16(), answer.json()["code"].as_str()), (status, Some(code)), "{}", answer.text());
        assert_eq!(answer.header("content-type"), "application/problem+json");
    }
}

#[tokio::test]
async fn a_webhook_is_taken_once() {
    let w = World::new().await;
    let casa = tenant(&w, "casa").await;
    let made = w.check("PUT /v1/casa/inboxes/orders {}", 201, r#"{"name":"orders"}"#).await.json();
    let letter = Letter::new(&made, br#"{"paid":true}"#);
    let first = letter.send(&w).await;
    let operation = json!({"type": "PROCESS_INBOX_EVENT", "key": "standard:orders:msg_1"});
    let expected = json!({"stored": true, "replayed": false, "operation": operation, "outcome": "enqueued"});
    assert_eq!((first.status.as_u16(), first.json()), (202, expected));
    // Retries are signed anew; what they say does not count any more.
    let retry = Letter { age_secs: -2, ..letter.clone() };
    assert_eq!(retry.send(&w).await.json()["replayed"], true);
    let other_body = Letter { body: b"{}".to_vec(), ..letter.clone() };
    let differs = other_body.send(&w).await;
    assert_eq!((differs.status.as_u16(), &differs.json()["body_differs"]), (202, &json!(true)));
    // Anything may be kept: it is the sender's.
    for (number, body) in [&b""[..], b"not json", &[0xff; 300], &vec![b'x'; 256 << 10]].into_iter().enumerate() {
        let letter = Letter { id: format!("odd-{number}"), body: body.to_vec(), ..letter.clone() };
        assert_eq!(letter.send(&w).await.status, 202, "{number}");
    }
    let events = kept(&w, casa).await;
    assert_eq!(events.len(), 5);
    let first = events.iter().find(|event| event.key.external_id.as_str() == "msg_1").unwrap();
    assert_eq!((&*first.body, first.key.source.as_str()), (&br#"{"paid":true}"#[..], "standard/orders"));
    assert_eq!(operations(&w, casa).await, 5);
    // Two senders may use the same id.
    let made = w.check("PUT /v1/casa/inboxes/refunds {}", 201, "").await.json();
    assert_eq!(Letter::new(&made, b"{}").send(&w).await.json()["stored"], true);
}

#[tokio::test]
async fn webhooks_that_are_not_taken() {
    let w = World::new().await;
    let casa = tenant(&w, "casa").await;
    let made = w.check("PUT /v1/casa/inboxes/orders {}", 201, "").await.json();
    let foreign = w.check("PUT /v1/other/inboxes/orders As:other {}", 201, "").await.json();
    let letter = Letter::new(&made, b"{}");
    let refused = async |letter: Letter| letter.check(&w, 401, "signature-invalid").await;
    refused(Letter { secret: Letter::new(&foreign, b"").secret, ..letter.clone() }).await;
    refused(Letter { age_secs: 400, ..letter.clone() }).await;
    refused(Letter { age_secs: -400, ..letter.clone() }).await;
    for address in ["casa/refunds", "other/orders", "nowhere/orders"] {
        refused(Letter { address: format!("/webhooks/standard/{address}"), ..letter.clone() }).await;
    }
    refused(Letter { address: "/webhooks/standard/casa/orders?mode=test".to_owned(), ..letter.clone() }).await;
    for address in
        ["standard/casa", "standard/casa/Orders", "standard/casa/orders/more", "unknown/casa/orders", "standard"]
    {
        Letter { address: format!("/webhooks/{address}"), ..letter.clone() }.check(&w, 404, "not-found").await;
    }
    let strange = "/webhooks/standard/casa/orders?mode=both".to_owned();
    Letter { address: strange, ..letter.clone() }.check(&w, 400, "malformed-request").await;
    Letter { body: vec![b'x'; (256 << 10) + 1], ..letter.clone() }.check(&w, 413, "body-too-large").await;
    // The key of an API is not a signature.
    w.check("POST /webhooks/standard/casa/orders {}", 401, "signature-invalid").await;
    let mut tampered = letter.request();
    *tampered.body_mut() = Body::from("{ }");
    assert_eq!(Answer::of(w.call(tampered).await).await.status, 401);
    for header in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
        let mut request = letter.request();
        request.headers_mut().remove(header);
        assert_eq!(Answer::of(w.call(request).await).await.json()["code"], "signature-invalid", "{header}");
    }
    // An id that no key can hold is told, not shortened.
    Letter { id: ":".repeat(200), ..letter.clone() }.check(&w, 422, "invalid").await;
    assert_eq!((kept(&w, casa).await.len(), operations(&w, casa).await), (0, 0));
    assert_eq!(letter.send(&w).await.status, 202);
}

#[tokio::test]
async fn secrets_are_rotated_with_an_overlap() {
    let w = World::new().await;
    let put = "PUT /v1/casa/inboxes/orders";
    let first = w.check(&format!("{put} {{}}"), 201, r#"{"previous_until":null}"#).await.json();
    let second = w.check(&format!(r#"{put} {{"overlap_secs":3600}}"#), 200, "").await.json();
    assert!(second["previous_until"].is_string());
    assert_ne!(first["secret"], second["secret"]);
    for (number, made) in [&first, &second].into_iter().enumerate() {
        let letter = Letter { id: format!("a{number}"), ..Letter::new(made, b"{}") };
        assert_eq!(letter.send(&w).await.status, 202, "{number}");
    }
    let third = w.check(&format!(r#"{put} {{"overlap_secs":0}}"#), 200, r#"{"previous_until":null}"#).await.json();
    for made in [&first, &second] {
        Letter { id: "b".to_owned(), ..Letter::new(made, b"{}") }.check(&w, 401, "signature-invalid").await;
    }
    assert_eq!(Letter::new(&third, b"{}").send(&w).await.status, 202);
    // A secret of the sender's choice is not shown, and putting it again changes nothing.
    let own = r#"{"secret":"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}"#;
    let chosen = w.check(&format!("{put} {own}"), 200, r#"{"secret":null}"#).await;
    assert_eq!(chosen.header("idempotent-replayed"), "");
    let again = w.check(&format!("{put} {own}"), 200, r#"{"secret":null}"#).await;
    assert_eq!((again.header("idempotent-replayed"), again.json()), ("true", chosen.json()));
    let mut known = chosen.json();
    known["secret"] = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".into();
    assert_eq!(Letter { id: "c".to_owned(), ..Letter::new(&known, b"{}") }.send(&w).await.status, 202);
    let list = w.check("GET /v1/casa/inboxes", 200, r#"{"inboxes":[{"name":"orders"}]}"#).await;
    assert!(!list.text().contains("whsec_") && !list.text().contains("secret"), "{}", list.text());
    for _ in 0..2 {
        assert_eq!(w.ask("DELETE /v1/casa/inboxes/orders").await.status, 204);
        Letter { id: "d".to_owned(), ..Letter::new(&known, b"{}") }.check(&w, 401, "signature-invalid").await;
    }
    w.check("GET /v1/casa/inboxes", 200, r#"{"inboxes":[]}"#).await;
}

#[tokio::test]
async fn inboxes_that_are_not_made() {
    let w = World::new().await;
    let check = async |rest: &str, status: u16, code: &str| {
        w.check(&format!("PUT /v1/casa/inboxes/{rest}"), status, code).await;
    };
    check("Orders {}", 400, "malformed-request").await;
    check("a%2Fb {}", 400, "malformed-request").await;
    check(r#"orders {"secret":"hunter2"}"#, 422, "invalid").await;
    check(r#"orders {"secret":"whsec_c2hvcnQ="}"#, 422, "invalid").await;
    check(r#"orders {"overlap_secs":-1}"#, 422, "invalid").await;
    check(r#"orders {"overlap_secs":2592001}"#, 422, "invalid").await;
    check("orders Idempotency-Key:k {}", 400, "idempotency-key-malformed").await;
    w.check("GET /v1/casa/inboxes", 200, r#"{"inboxes":[]}"#).await;
}
