//! From an event to a message at a customer's endpoint: a real store, a real engine, a real receiver. The worker's part
//! is done by hand.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use surehold_connect::webhooks::{
    Deliveries, Reach, SIGNATURE_HEADER, Secret, SenderConfig, TIMESTAMP_HEADER, Verified, verify,
};
use surehold_core::kernel::commands::PutPool;
use surehold_core::kernel::{Event, HoldPolicy, PoolKey, ResourceName, Slot, Slug, TenantId};
use surehold_core::operations::commands::{EffectCall, EffectOutcome, FinishEffect, Finished, StartEffect, Started};
use surehold_core::operations::outbox::{
    DeliverWebhook, EndpointId, EndpointState, EventCursor, PutEndpoint, RemoveEndpoint, RotateEndpointSecret,
    WebhookEndpoint, delivery_key,
};
use surehold_core::operations::{DeadLetter, OperationKey, OperationRun, SigningSecret, WorkerId};
use surehold_engine::{Engine, EngineConfig, Provider, ProviderAnswer, Store, Views};
use surehold_sqlite::SqliteStore;
use tempfile::TempDir;

use super::endpoint::{Endpoint, anywhere, patiently, sender};

const TENANT: TenantId = TenantId(1);

struct World {
    engine: Engine,
    provider: Deliveries,
    store: Arc<dyn Store>,
    receiver: Endpoint,
    _folder: TempDir,
}

fn render(event: &Event) -> Value {
    json!({ "event": format!("{event:?}") })
}

fn id() -> EndpointId {
    EndpointId::new("orders").unwrap()
}

fn outcome(told: ProviderAnswer) -> EffectOutcome {
    match told {
        ProviderAnswer::Done { provider_ref, response } => EffectOutcome::Confirmed { provider_ref, response },
        ProviderAnswer::Rejected { code, error, response } => EffectOutcome::Rejected { code, error, response },
        ProviderAnswer::NotDone { code, error, retry_after_secs } => {
            EffectOutcome::NotDone { code, error, retry_after_secs }
        }
        ProviderAnswer::Unanswered { code, error } => EffectOutcome::Unanswered { code, error },
        other => panic!("no receiver tells {other:?}"),
    }
}

impl World {
    /// An endpoint at this path of the receiver, and one event for it.
    async fn open(path: &str, config: SenderConfig) -> (World, OperationKey) {
        let folder = tempfile::tempdir().unwrap();
        let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&folder.path().join("surehold.db")).unwrap());
        let settings = EngineConfig { sweep_pause: None, outbox_pause: None, ..EngineConfig::default() };
        let engine = Engine::start(Arc::clone(&store), settings).unwrap();
        engine.create_tenant(Slug::new("casa").unwrap(), HoldPolicy::default(), TENANT).await.unwrap();
        let receiver = Endpoint::start().await;
        let provider = Deliveries::new(sender(config), Views::new(Arc::clone(&store)));
        let w = World { engine, provider, store, receiver, _folder: folder };
        let head = w.engine.views().journal_tail(TENANT).await.unwrap().newest_seq;
        let secret = SigningSecret::new(&[7; 32]).unwrap();
        let url = w.receiver.url(path);
        let put = PutEndpoint::new(id(), &url, Vec::new(), secret, EventCursor::row_end(head)).unwrap();
        w.engine.run(TENANT, put).await.unwrap();
        let key = w.event(1).await;
        (w, key)
    }

    /// Something happens, and its delivery is asked for.
    async fn event(&self, total: i64) -> OperationKey {
        let pool = PoolKey { resource: ResourceName::new("room").unwrap(), slot: Slot::NONE };
        self.engine.run(TENANT, PutPool::new(pool, total).unwrap()).await.unwrap();
        let seq = self.engine.views().journal_tail(TENANT).await.unwrap().newest_seq;
        assert_eq!(self.engine.fan_out(render).await, Ok(1));
        delivery_key(&id(), EventCursor { seq, index: 0 }, None).unwrap()
    }

    async fn start(&self, key: &OperationKey) -> EffectCall {
        let handler = Arc::new(DeliverWebhook);
        let start = StartEffect { key: key.clone(), handler, worker: WorkerId(1), raised_at: None };
        match self.engine.run(TENANT, start).await.unwrap().reply {
            Started::Call(call) => *call,
            other => panic!("{other:?}"),
        }
    }

    async fn deliver(&self, call: EffectCall) -> (ProviderAnswer, Finished) {
        let told = patiently(self.provider.call(&call)).await;
        let (handler, outcome) = (Arc::new(DeliverWebhook), outcome(told.clone()));
        let finish = FinishEffect { call, handler, outcome, then: None, dice: 0, raised_at: None };
        (told, self.engine.run(TENANT, finish).await.unwrap().reply)
    }

    async fn endpoint(&self) -> WebhookEndpoint {
        self.engine.views().record(TENANT, &id()).await.unwrap().unwrap()
    }
}

#[tokio::test]
async fn a_message_arrives_signed() {
    let (mut w, key) = World::open("/", anywhere()).await;
    let call = w.start(&key).await;
    assert_eq!(w.provider.account(&call), "1/orders");
    let (told, finished) = w.deliver(call).await;
    assert!(matches!(told, ProviderAnswer::Done { .. }), "{told:?}");
    assert_eq!(finished, Finished::Done);
    let received = w.receiver.next().await;
    let now = received.headers[TIMESTAMP_HEADER].to_str().unwrap().parse().unwrap();
    let secret = Secret::from_bytes(&[7; 32]).unwrap();
    let Verified { id, .. } = verify(&received.headers, &received.body, &[secret], now).unwrap();
    assert!(id.starts_with("msg_") && !id.contains('.'), "{id}");
    let body: Value = serde_json::from_slice(&received.body).unwrap();
    assert_eq!(body["type"], "pool_changed");
    assert_eq!(
        body["cursor"],
        key.key.as_str().split(':').nth(1).map(|text| EventCursor::parse(text).unwrap().to_string()).unwrap()
    );
    assert!(body["data"]["event"].as_str().unwrap().contains("PoolChanged") && body["timestamp"].is_string());
}

#[tokio::test]
async fn the_secrets_of_the_moment_sign() {
    let (mut w, key) = World::open("/", anywhere()).await;
    let call = w.start(&key).await;
    // The request was frozen before; it holds no secret.
    let rotate = RotateEndpointSecret::new(id(), SigningSecret::new(&[8; 32]).unwrap(), 3_600).unwrap();
    w.engine.run(TENANT, rotate).await.unwrap();
    w.deliver(call).await;
    let received = w.receiver.next().await;
    assert_eq!(received.headers[SIGNATURE_HEADER].to_str().unwrap().split(' ').count(), 2);
    let now = received.headers[TIMESTAMP_HEADER].to_str().unwrap().parse().unwrap();
    for byte in [7, 8] {
        let secret = Secret::from_bytes(&[byte; 32]).unwrap();
        assert!(verify(&received.headers, &received.body, &[secret], now).is_ok(), "{byte}");
    }
}

#[tokio::test]
async fn a_repeat_is_the_same_message() {
    let (mut w, key) = World::open("/slower", anywhere()).await;
    let call = w.start(&key).await;
    let (told, finished) = w.deliver(call.clone()).await;
    assert!(matches!(told, ProviderAnswer::NotDone { retry_after_secs: Some(120), .. }), "{told:?}");
    assert_eq!(finished, Finished::Postponed);
    let run: OperationRun = w.engine.views().record(TENANT, &key).await.unwrap().unwrap();
    assert!(run.run_at >= w.store.clock().await.unwrap().plus_secs(60), "what was asked for is a floor");
    patiently(w.provider.call(&call)).await;
    let (first, second) = (w.receiver.next().await, w.receiver.next().await);
    assert_eq!(first.headers["webhook-id"], second.headers["webhook-id"]);
    assert_eq!(first.body, second.body);
}

#[tokio::test]
async fn gone_disables_the_endpoint() {
    let (w, key) = World::open("/gone", anywhere()).await;
    let other = w.event(2).await;
    let call = w.start(&key).await;
    let (told, finished) = w.deliver(call).await;
    assert!(matches!(&told, ProviderAnswer::Rejected { code, .. } if code == "gone"), "{told:?}");
    assert_eq!(finished, Finished::Done);
    assert_eq!(w.endpoint().await.state, EndpointState::Disabled);
    // The next one in the chain is released, and skipped.
    let handler = Arc::new(DeliverWebhook);
    let start = StartEffect { key: other, handler, worker: WorkerId(1), raised_at: None };
    assert_eq!(w.engine.run(TENANT, start).await.unwrap().reply, Started::Done);
}

#[tokio::test]
async fn an_address_that_may_not_be_called_is_a_dead_letter() {
    let (mut w, key) = World::open("/", SenderConfig { reach: Reach::Public, ..SenderConfig::default() }).await;
    let call = w.start(&key).await;
    let (_, finished) = w.deliver(call).await;
    assert_eq!(finished, Finished::Dead);
    let letter: DeadLetter = w.engine.views().record(TENANT, &key).await.unwrap().unwrap();
    assert_eq!(letter.code, "address-not-allowed");
    assert!(w.receiver.is_untouched());
}

#[tokio::test]
async fn silence_is_no_answer() {
    let config = SenderConfig { timeout: Duration::from_millis(200), ..anywhere() };
    let (w, key) = World::open("/silent", config).await;
    let call = w.start(&key).await;
    let (told, finished) = w.deliver(call).await;
    assert!(matches!(told, ProviderAnswer::Unanswered { .. }), "{told:?}");
    assert_eq!(finished, Finished::Postponed);
}

#[tokio::test]
async fn nothing_is_sent_to_an_endpoint_that_was_removed_meanwhile() {
    let (mut w, key) = World::open("/", anywhere()).await;
    let call = w.start(&key).await;
    w.engine.run(TENANT, RemoveEndpoint { id: id() }).await.unwrap();
    let (_, finished) = w.deliver(call).await;
    assert_eq!(finished, Finished::Done);
    assert!(w.receiver.is_untouched());
}
