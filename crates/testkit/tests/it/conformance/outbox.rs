//! The outbox: one delivery per event and endpoint whoever asks for it, in the order of each thing that they are about.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use surehold_core::kernel::commands::{PlaceHold, PutPool, PutPools, TrimJournal};
use surehold_core::kernel::{Line, Lines, TenantId};
use surehold_core::operations::commands::{EffectOutcome, FinishEffect, Finished, StartEffect, Started};
use surehold_core::operations::outbox::{
    DeliverWebhook, EnableEndpoint, EndpointId, EndpointState, EventCursor, PutEndpoint, RemoveEndpoint, ReplayKey,
    WebhookEndpoint, WebhookRejection, WebhookTail,
};
use surehold_core::operations::{
    Case, Operation, OperationKey, OperationRun, Outcome, Payload, SigningSecret, WorkerId,
};
use surehold_engine::{Engine, EngineConfig, ReplayRequest};
use surehold_http::wire::render_event;
use surehold_testkit::fixture::{Fixture, Place};

use super::{World, new_id, pool};

fn endpoint(name: &str) -> EndpointId {
    EndpointId::new(name).unwrap()
}

impl World<'_> {
    /// An endpoint that is told what happens from now on.
    async fn put_endpoint(&self, name: &str, events: &[&str]) {
        let head = self.engine.views().journal_tail(self.tenant).await.unwrap().newest_seq;
        let events = events.iter().map(|event| (*event).into()).collect();
        let secret = SigningSecret::new(&[7; 32]).unwrap();
        let url = "https://example.com/";
        let put = PutEndpoint::new(endpoint(name), url, events, secret, EventCursor::row_end(head)).unwrap();
        assert!(self.engine.run(self.tenant, put).await.unwrap().reply.created);
    }

    async fn set_total(&self, name: &str, total: i64) {
        self.engine.run(self.tenant, PutPool::new(pool(name).unwrap(), total).unwrap()).await.unwrap();
    }

    async fn hold_one(&self, name: &str) {
        let lines = Lines::new(vec![Line { pool: pool(name).unwrap(), quantity: 1 }]).unwrap();
        self.engine.run(self.tenant, PlaceHold::new(new_id(), lines)).await.unwrap();
    }

    async fn fan_out(&self) -> u64 {
        self.engine.fan_out(render_event).await.unwrap()
    }

    async fn operations(&self) -> Vec<Operation> {
        self.engine.views().all_records(self.tenant).await.unwrap()
    }

    async fn endpoint(&self, name: &str) -> WebhookEndpoint {
        self.engine.views().record(self.tenant, &endpoint(name)).await.unwrap().unwrap()
    }

    async fn newest_seq(&self) -> i64 {
        self.engine.views().journal_tail(self.tenant).await.unwrap().newest_seq
    }

    /// Does what a worker would do.
    async fn deliver(&self, key: &OperationKey, outcome: EffectOutcome) -> Finished {
        let handler = Arc::new(DeliverWebhook);
        let start = StartEffect { key: key.clone(), handler: handler.clone(), worker: WorkerId(1), raised_at: None };
        let call = match self.engine.run(self.tenant, start).await.unwrap().reply {
            Started::Call(call) => *call,
            Started::Done => return Finished::Done,
            other => panic!("{key}: {other:?}"),
        };
        let finish = FinishEffect { call, handler, outcome, then: None, dice: 0, raised_at: None };
        self.engine.run(self.tenant, finish).await.unwrap().reply
    }

    /// Those that could be sent now, in the order of their keys.
    async fn due(&self) -> Vec<OperationKey> {
        let runs: Vec<OperationRun> = self.engine.views().all_records(self.tenant).await.unwrap();
        runs.into_iter().filter(|run| run.waiting_on.is_none()).map(|run| run.key).collect()
    }
}

fn confirmed() -> EffectOutcome {
    EffectOutcome::Confirmed { provider_ref: None, response: Payload::of(&json!({ "status": 200 })) }
}

/// What a delivery would send.
fn body(operation: &Operation) -> Value {
    let order: Value = operation.payload.read().unwrap();
    serde_json::from_str(order["body"].as_str().unwrap()).unwrap()
}

/// Engines on the same store: several where it takes several.
async fn engines(w: &World<'_>) -> Vec<Engine> {
    let mut engines = vec![w.engine.clone()];
    match w.fixture.place {
        Place::Sqlite(_) => engines.push(w.engine.clone()),
        Place::Postgres { .. } => engines.push(w.fixture.engine().await.unwrap()),
    }
    engines
}

pub(crate) async fn one_delivery_per_event_and_endpoint(fixture: Fixture) {
    let w = World::open(&fixture).await;
    w.put_endpoint("all", &[]).await;
    w.put_endpoint("pools", &["pool_changed"]).await;
    let engines = engines(&w).await;
    for round in 1..=5 {
        w.set_total("room", 10 + round).await;
        w.hold_one("room").await;
        let looks = engines.iter().flat_map(|engine| [engine.fan_out(render_event), engine.fan_out(render_event)]);
        for told in futures_util::future::join_all(looks).await {
            told.unwrap();
        }
    }
    let mut told: BTreeMap<(String, String), u32> = BTreeMap::new();
    for operation in w.operations().await {
        let order: Value = operation.payload.read().unwrap();
        let event = body(&operation);
        let name = order["endpoint"].as_str().unwrap().to_owned();
        assert_eq!(event["data"]["type"], event["type"]);
        *told.entry((name, event["type"].as_str().unwrap().to_owned())).or_default() += 1;
    }
    let told: Vec<_> = told.iter().map(|((name, event), count)| (name.as_str(), event.as_str(), *count)).collect();
    assert_eq!(told, [("all", "hold_placed", 5), ("all", "pool_changed", 5), ("pools", "pool_changed", 5)]);
    assert_eq!(w.fan_out().await, 0);
}

pub(crate) async fn deliveries_about_one_thing_follow_each_other(fixture: Fixture) {
    let w = World::open(&fixture).await;
    w.put_endpoint("all", &[]).await;
    for total in 1..=3 {
        w.set_total("room", total).await;
        w.set_total("bed", total).await;
    }
    assert_eq!(w.fan_out().await, 6);
    let mut totals: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for round in 0..3 {
        if round == 1 {
            // Also across fan-outs.
            w.set_total("room", 4).await;
            assert_eq!(w.fan_out().await, 1);
        }
        let due = w.due().await;
        assert_eq!(due.len(), 2, "one of each pool: {due:?}");
        for key in due {
            let operation: Operation = w.engine.views().record(w.tenant, &key).await.unwrap().unwrap();
            let data = &body(&operation)["data"];
            let name = data["pool"]["resource"].as_str().unwrap().to_owned();
            totals.entry(name).or_default().push(data["total"].as_i64().unwrap());
            assert_eq!(w.deliver(&key, confirmed()).await, Finished::Done);
        }
    }
    assert_eq!(totals, BTreeMap::from([("bed".to_owned(), vec![1, 2, 3]), ("room".to_owned(), vec![1, 2, 3])]));
    let last = w.due().await;
    assert_eq!(w.deliver(&last[0], confirmed()).await, Finished::Done);
    assert_eq!(w.engine.views().all_records::<WebhookTail>(w.tenant).await.unwrap(), []);
    assert!(w.operations().await.iter().all(|operation| operation.outcome == Some(Outcome::Succeeded)));
}

pub(crate) async fn a_row_with_more_events_than_a_command_takes(fixture: Fixture) {
    let w = World::open(&fixture).await;
    w.put_endpoint("all", &[]).await;
    let puts = (0..1_000).map(|n| PutPool::new(pool(&format!("p{n}")).unwrap(), 1).unwrap()).collect();
    w.engine.run(w.tenant, PutPools::new(puts).unwrap()).await.unwrap();
    let seq = w.newest_seq().await;
    assert_eq!(w.fan_out().await, 1_000);
    let mut indexes: Vec<String> =
        w.operations().await.iter().map(|operation| body(operation)["cursor"].as_str().unwrap().to_owned()).collect();
    indexes.sort_by_key(|cursor| EventCursor::parse(cursor).unwrap());
    let expected: Vec<String> = (0..1_000).map(|index| format!("{seq}-{index}")).collect();
    assert_eq!(indexes, expected);
    assert_eq!(w.endpoint("all").await.cursor, EventCursor::row_end(seq));
}

pub(crate) async fn nothing_to_tell_writes_nothing(fixture: Fixture) {
    let w = World::open(&fixture).await;
    w.put_endpoint("cases", &["case_opened"]).await;
    w.set_total("room", 1).await;
    let seq = w.newest_seq().await;
    for _ in 0..3 {
        assert_eq!(w.fan_out().await, 0);
    }
    assert_eq!(w.newest_seq().await, seq);
}

pub(crate) async fn disabled_enabled_and_removed(fixture: Fixture) {
    let w = World::open(&fixture).await;
    w.put_endpoint("all", &[]).await;
    w.set_total("room", 1).await;
    w.set_total("room", 2).await;
    assert_eq!(w.fan_out().await, 2);
    let gone = EffectOutcome::Rejected {
        code: "gone".into(),
        error: "gone".into(),
        response: Payload::of(&WebhookRejection::Gone),
    };
    assert_eq!(w.deliver(&w.due().await[0], gone).await, Finished::Done);
    assert_eq!(w.endpoint("all").await.state, EndpointState::Disabled);
    let cases: Vec<Case> = w.engine.views().all_records(w.tenant).await.unwrap();
    assert_eq!(cases.iter().map(|case| case.key.kind.as_str()).collect::<Vec<_>>(), ["webhook-endpoint-gone"]);
    assert_eq!(w.deliver(&w.due().await[0], confirmed()).await, Finished::Done);
    w.set_total("room", 3).await;
    assert_eq!(w.fan_out().await, 0);
    w.engine.run(w.tenant, EnableEndpoint { id: endpoint("all"), skip_to: None }).await.unwrap();
    // The case that was opened, the total, and the case that was closed.
    assert_eq!(w.fan_out().await, 3);
    w.engine.run(w.tenant, RemoveEndpoint { id: endpoint("all") }).await.unwrap();
    w.put_endpoint("all", &[]).await;
    while let Some(key) = w.due().await.first() {
        let operation: Operation = w.engine.views().record(w.tenant, key).await.unwrap().unwrap();
        assert_eq!(w.deliver(key, confirmed()).await, Finished::Done, "{operation:?}");
        let ended: Operation = w.engine.views().record(w.tenant, key).await.unwrap().unwrap();
        assert_eq!(ended.result, Some(Payload::of(&json!({ "skipped": true }))));
    }
}

pub(crate) async fn events_let_go_of_are_a_case(fixture: Fixture) {
    let w = World::open(&fixture).await;
    w.put_endpoint("pools", &["pool_changed"]).await;
    w.set_total("room", 1).await;
    w.set_total("room", 2).await;
    let before_seq = w.newest_seq().await;
    w.engine.run(w.tenant, TrimJournal { before_seq }).await.unwrap();
    assert_eq!(w.fan_out().await, 1);
    let told = w.operations().await;
    assert_eq!(body(&told[0])["data"]["total"], 2);
    let cases: Vec<Case> = w.engine.views().all_records(w.tenant).await.unwrap();
    assert_eq!(cases.iter().map(|case| case.key.kind.as_str()).collect::<Vec<_>>(), ["webhook-events-missed"]);
    assert_eq!(w.fan_out().await, 0);
    // What is gone cannot be told again either, and the answer says so.
    let (from, to) = (EventCursor { seq: 1, index: 0 }, EventCursor::row_end(before_seq));
    let request = ReplayRequest { endpoint: endpoint("pools"), from, to, key: ReplayKey::new("again").unwrap() };
    let replayed = w.engine.replay_events(w.tenant, &request, render_event).await.unwrap();
    assert_eq!((replayed.deliveries, replayed.complete, replayed.next), (1, false, None));
    assert_eq!(w.engine.replay_events(w.tenant, &request, render_event).await.unwrap().deliveries, 0);
}

pub(crate) async fn tenants_are_told_their_own(fixture: Fixture) {
    let one = World::open(&fixture).await;
    let other = one.neighbour(2).await;
    one.put_endpoint("all", &[]).await;
    other.set_total("room", 1).await;
    assert_eq!(one.fan_out().await, 0);
    one.set_total("room", 1).await;
    other.set_total("room", 2).await;
    assert_eq!(one.fan_out().await, 1);
    assert_eq!((one.operations().await.len(), other.operations().await.len()), (1, 0));
    assert_eq!(one.engine.views().webhook_endpoints(TenantId(2), 10).await.unwrap(), []);
    let deliveries = one.engine.views().webhook_deliveries(one.tenant, &endpoint("all"), 10).await.unwrap();
    assert_eq!(deliveries.len(), 1);
    assert_eq!(one.engine.views().webhook_deliveries(other.tenant, &endpoint("all"), 10).await.unwrap(), []);
}

pub(crate) async fn the_engine_tells_by_itself(fixture: Fixture) {
    let config = EngineConfig {
        sweep_pause: None,
        outbox_pause: Some(Duration::from_millis(5)),
        render_event: Some(render_event),
        ..EngineConfig::default()
    };
    let w = World::open_with(&fixture, config).await;
    w.put_endpoint("all", &[]).await;
    for total in 1..=3 {
        w.set_total("room", total).await;
    }
    let told = async {
        while w.operations().await.len() < 3 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), told).await.expect("the engine looks by itself");
    // By hand there is nothing left to do.
    assert_eq!(w.fan_out().await, 0);
    assert_eq!(w.operations().await.len(), 3);
}
