//! The operator's side of the API, on each store: lists, acts, cases, epochs, and one line of time.

use serde_json::{Value, json};
use surehold_core::kernel::Slug;
use surehold_core::operations::Trouble;
use surehold_engine::{Engine, EngineConfig};
use surehold_testkit::fixture::{Fixture, StoreKind};
use surehold_testkit::node::Node;
use surehold_testkit::on_each_store;
use surehold_testkit::operations::{ByHand, registry};

use super::http_stores::percent;

/// A tenant with an API, and somebody who does its work.
struct World {
    node: Node,
    hand: ByHand,
}

impl World {
    async fn new(fixture: &Fixture) -> World {
        let config = EngineConfig { sweep_pause: None, ..EngineConfig::default() };
        let engine = Engine::start_with(fixture.store().await.unwrap(), config, registry()).unwrap();
        let node = Node::new(engine.clone());
        node.local("POST", "/admin/tenants", &json!({"slug": "casa"})).await;
        let tenant = engine.views().tenant_of(&Slug::new("casa").unwrap()).await.unwrap().unwrap();
        World { node, hand: ByHand { engine, tenant } }
    }

    async fn get(&self, path: &str) -> Value {
        self.node.local("GET", &format!("/v1/casa/{path}"), &Value::Null).await
    }

    async fn post(&self, path: &str, body: Value) -> (u16, Value) {
        let (status, answer) = self.node.ask("POST", &format!("/v1/casa/{path}"), None, &body).await;
        (status.as_u16(), answer)
    }

    /// The keys of all pages of a list.
    async fn keys(&self, list: &str, limit: usize) -> Vec<String> {
        let mut seen = Vec::new();
        let mut after = String::new();
        loop {
            let page = self.get(&format!("operations?{list}&limit={limit}{after}")).await;
            let found = page["operations"].as_array().unwrap();
            seen.extend(found.iter().map(|operation| operation["key"].as_str().unwrap().to_owned()));
            let Some(next) = page["next"].as_str() else { return seen };
            after = format!("&after={}", percent(next));
        }
    }
}

/// The answer is a problem with this code.
#[track_caller]
fn refused((status, problem): &(u16, Value), expected_status: u16, code: &str) {
    assert_eq!((*status, problem["code"].as_str()), (expected_status, Some(code)), "{problem}");
}

fn act() -> Value {
    json!({"actor": "ana", "reason": "asked by the customer"})
}

async fn lists(kind: StoreKind) {
    let fixture = Fixture::new(kind).await.unwrap();
    let w = World::new(&fixture).await;
    let flocks = ["a:b", "a%b", "é!", "_", "100%"];
    let mut keys = Vec::new();
    for flock in flocks {
        keys.push(w.hand.ask_sheep(flock, &["farm=1 =2"]).await.unwrap().key.to_string());
        let failed = w.hand.ask_sheep(&format!("failed {flock}"), &[]).await.unwrap();
        w.hand.fail(&failed, Trouble::retry("timeout", "too slow")).await.unwrap();
        let dead = w.hand.ask_sheep(&format!("dead {flock}"), &[]).await.unwrap();
        w.hand.fail(&dead, Trouble::permanent("no-flock", "there is none")).await.unwrap();
        fixture.advance_secs(1);
        let done = w.hand.ask_sheep(&format!("done {flock}"), &[]).await.unwrap();
        w.hand.run_state(&done).await.unwrap();
        w.hand.start(&w.hand.ask_money(flock, &[]).await.unwrap()).await.unwrap();
    }
    for key in &keys {
        let path = format!("operations/COUNT_SHEEP/{}", percent(key));
        let found = w.get(&path).await;
        assert_eq!((found["key"].as_str(), &found["state"]), (Some(key.as_str()), &json!("PENDING")), "{found}");
        assert_eq!(found["correlations"], json!(["farm=1 =2"]));
    }
    keys.sort();
    for limit in [1, 2, 100] {
        assert_eq!(w.keys("state=PENDING", limit).await, keys, "by {limit}");
        assert_eq!(w.keys("correlation=farm=1%20=2", limit).await, keys, "by {limit}");
        assert_eq!(w.keys("state=FAILED&type=COUNT_SHEEP", limit).await.len(), flocks.len(), "by {limit}");
        assert_eq!(w.keys("state=RUNNING", limit).await.len(), flocks.len(), "by {limit}");
        assert_eq!(w.keys("state=SUCCEEDED&type=COUNT_SHEEP", limit).await.len(), flocks.len(), "by {limit}");
        let dead = w.keys("state=DEAD_LETTER", limit).await;
        assert_eq!((dead.len(), dead[0].as_str()), (flocks.len(), "dead a%3Ab"), "the longest dead first");
        let all = w.keys("state=DEAD_LETTER&include_resolved=true", limit).await;
        assert!(all.is_sorted() && all.len() == flocks.len(), "{all:?}");
    }
    let page = w.get("operations?state=FAILED&limit=1").await;
    let run = &page["operations"][0]["run"];
    assert_eq!((run["last_error"].as_str(), run["locked_at"].is_null()), (Some("too slow"), true), "{page}");
    let page = w.get("operations?state=RUNNING&limit=1").await;
    let run = &page["operations"][0]["run"];
    assert!(run["locked_at"].is_string() && run["run_at"].is_null(), "{page}");
    for bad in [
        "operations",
        "operations?state=DEAD",
        "operations?state=SUCCEEDED",
        "operations?state=PENDING&correlation=a=b",
        "operations?correlation=a=b&type=COUNT_SHEEP",
        "operations?state=PENDING&include_resolved=true",
        "operations?correlation=a",
        "operations?correlation=a=%00",
        "operations?state=PENDING&type=sheep",
        "operations?state=PENDING&after=COUNT_SHEEP",
        "operations?state=PENDING&after=COUNT_SHEEP%20%00",
        "operations?state=DEAD_LETTER&after=COUNT_SHEEP%20a",
        "operations?state=DEAD_LETTER&after=9223372036854775807%20COUNT_SHEEP%20a",
        "operations/sheep/a",
        "operations/COUNT_SHEEP/%00",
        "timeline?correlation=a",
        "cases?after=1%20a",
        "cases?after=1%20a%20%00",
        "cases/a/%00",
        "cases/%20/a",
    ] {
        let (status, problem) = w.node.ask("GET", &format!("/v1/casa/{bad}"), None, &Value::Null).await;
        assert_eq!(status, 400, "{bad}: {problem}");
    }
}

async fn acts(kind: StoreKind) {
    let fixture = Fixture::new(kind).await.unwrap();
    let w = World::new(&fixture).await;
    let missing = w.post("operations/COUNT_SHEEP/none/retry", act()).await;
    refused(&missing, 404, "operation-not-found");
    assert_eq!(missing.1["operation"], json!({"type": "COUNT_SHEEP", "key": "none"}));
    let missing = w.post("operations/NEVER_HEARD/none/redrive", act()).await;
    refused(&missing, 404, "operation-not-found");

    let sheep = w.hand.ask_sheep("s", &[]).await.unwrap();
    w.hand.fail(&sheep, Trouble::retry("timeout", "too slow")).await.unwrap();
    let retried = w.post("operations/COUNT_SHEEP/s/retry", act()).await;
    assert_eq!(retried, (200, json!({"type": "COUNT_SHEEP", "key": "s", "state": "FAILED"})));
    let early = w.post("operations/COUNT_SHEEP/s/redrive", act()).await;
    refused(&early, 409, "operation-state");
    assert_eq!(early.1["operation_state"], "FAILED");
    let cancelled = w.post("operations/COUNT_SHEEP/s/cancel", act()).await;
    assert_eq!((cancelled.0, &cancelled.1["state"]), (200, &json!("DEAD_LETTER")));
    assert_eq!(w.post("operations/COUNT_SHEEP/s/cancel", act()).await, cancelled, "a repeat");
    let redriven = w.post("operations/COUNT_SHEEP/s/redrive", act()).await;
    assert_eq!((redriven.0, &redriven.1["state"]), (200, &json!("PENDING")));
    w.hand.run_state(&sheep).await.unwrap();
    for action in ["retry", "cancel", "redrive"] {
        let late = w.post(&format!("operations/COUNT_SHEEP/s/{action}"), act()).await;
        refused(&late, 409, "operation-state");
    }
    let shown = w.get("operations/COUNT_SHEEP/s").await;
    assert_eq!((&shown["generation"], &shown["result"]), (&json!(2), &json!({"sheep": 7})));
    let history: Vec<_> = shown["history"].as_array().unwrap().iter().map(|entry| entry["outcome"].clone()).collect();
    assert_eq!(history, ["failed", "hastened", "cancelled", "redriven"]);
    assert_eq!(shown["history"][1]["actor"], "ana");

    for (body, why) in [
        (json!({"actor": "ana"}), "no reason"),
        (json!({"actor": "", "reason": "r"}), "no actor"),
        (json!({"actor": "a", "reason": "a\u{0}b"}), "a control character"),
        (json!({"actor": "a", "reason": "r".repeat(501)}), "too long"),
    ] {
        let answer = w.post("operations/COUNT_SHEEP/s/retry", body).await;
        assert_eq!((answer.0, &answer.1["code"]), (422, &json!("invalid")), "{why}");
    }
}

async fn doubt(kind: StoreKind) {
    let fixture = Fixture::new(kind).await.unwrap();
    let w = World::new(&fixture).await;
    let money = w.hand.ask_money("p1", &["purchaseId=1"]).await.unwrap();
    let call = w.hand.start(&money).await.unwrap();
    let settle = |verdict: &str, provider_ref: Option<&str>| {
        let mut body = act();
        body["verdict"] = verdict.into();
        if let Some(provider_ref) = provider_ref {
            body["provider_ref"] = provider_ref.into();
        }
        body
    };
    let path = "operations/SEND_MONEY/p1%3A1";
    let running = w.post(&format!("{path}/settle"), settle("did_not_happen", None)).await;
    refused(&running, 409, "operation-state");
    drop(call);
    fixture.advance_secs(1);
    let other = w.hand.ask_money("p2", &["purchaseId=1"]).await.unwrap();
    w.hand.lose(&other).await.unwrap();
    let path = "operations/SEND_MONEY/p2%3A1";
    let doubtful = w.post(&format!("{path}/cancel"), act()).await;
    refused(&doubtful, 409, "effect-in-doubt");
    assert_eq!(doubtful.1["step"], 0);
    for (body, what) in [
        (settle("happened", None), "no reference"),
        (settle("did_not_happen", Some("tr_1")), "a reference"),
        (settle("perhaps", None), "no verdict"),
        (settle("happened", Some(" \u{0}")), "a bad reference"),
    ] {
        let answer = w.post(&format!("{path}/settle"), body).await;
        assert_eq!((answer.0, &answer.1["code"]), (422, &json!("invalid")), "{what}");
    }
    let cases = w.get("cases").await;
    let case = &cases["cases"][0];
    assert_eq!((case["kind"].as_str(), case["key"].as_str()), (Some("effect-unknown"), Some("SEND_MONEY p2:1")));
    let case_path = "cases/effect-unknown/SEND_MONEY%20p2:1";
    let assigned = w.post(&format!("{case_path}/assign"), json!({"to": "ben"})).await;
    assert_eq!((assigned.0, &assigned.1["assigned_to"]), (200, &json!("ben")));
    let settled = w.post(&format!("{path}/settle"), settle("happened", Some("tr_7"))).await;
    assert_eq!(settled, (200, json!({"type": "SEND_MONEY", "key": "p2:1", "step": 0, "effect": "CONFIRMED"})));
    let again = w.post(&format!("{path}/settle"), settle("happened", Some("tr_7"))).await;
    refused(&again, 409, "effect-not-in-doubt");
    assert_eq!(w.get("cases").await["cases"], json!([]));
    let resolved = w.get(case_path).await;
    assert_eq!((&resolved["state"], &resolved["resolved_by"]), (&json!("resolved"), &json!("ana")));
    let late = w.post(&format!("{case_path}/assign"), json!({"to": "cleo"})).await;
    refused(&late, 409, "case-resolved");
    let repeat = w.post(&format!("{case_path}/resolve"), act()).await;
    assert_eq!((repeat.0, &repeat.1["resolution"]), (200, &json!("asked by the customer")));
    let nothing = w.post("cases/effect-unknown/nothing/resolve", act()).await;
    refused(&nothing, 404, "case-not-found");
    assert_eq!(nothing.1["case"], json!({"kind": "effect-unknown", "key": "nothing"}));

    assert_eq!(w.post(&format!("{path}/redrive"), act()).await.0, 200);
    w.hand.send(&other).await.unwrap();
    let line = w.get("timeline?correlation=purchaseId=1").await;
    assert_eq!((&line["correlation"], &line["cut"]), (&json!("purchaseId=1"), &json!(false)));
    assert_eq!(line["operations"].as_array().unwrap().len(), 2);
    let entries = line["entries"].as_array().unwrap();
    let of_other = entries.iter().filter(|entry| entry["operation"]["key"] == "p2:1");
    let told: Vec<String> = of_other
        .map(|entry| match entry["entry"].as_str().unwrap() {
            "attempt" => format!("attempt {}", entry["attempt"]["outcome"].as_str().unwrap()),
            "event" => format!("event {}", entry["event"]["type"].as_str().unwrap()),
            other => other.to_owned(),
        })
        .collect();
    let expected = [
        "asked",
        "effect_intended",
        "attempt undecided",
        "event case_opened",
        "event operation_died",
        "effect_settled",
        "attempt settled",
        "event effect_settled",
        "event case_resolved",
        "attempt redriven",
        "event operation_redriven",
        "effect_intended",
        "effect_settled",
        "attempt succeeded",
        "event operation_succeeded",
    ];
    assert_eq!(told, expected, "{line:#}");
}

async fn once(kind: StoreKind) {
    let fixture = Fixture::new(kind).await.unwrap();
    let w = World::new(&fixture).await;
    let sheep = w.hand.ask_sheep("s", &[]).await.unwrap();
    w.hand.fail(&sheep, Trouble::permanent("no-flock", "there is none")).await.unwrap();
    let redrive = async || w.node.keyed("POST", "/v1/casa/operations/COUNT_SHEEP/s/redrive", "k", &act()).await;
    let first = redrive().await;
    assert_eq!(first.0, 200, "{}", first.1);
    w.hand.run_state(&sheep).await.unwrap();
    assert_eq!(redrive().await, first, "a repeat gets the first answer");
    let other = json!({"actor": "ben", "reason": "another one"});
    let reused = w.node.keyed("POST", "/v1/casa/operations/COUNT_SHEEP/s/redrive", "k", &other).await;
    assert_eq!((reused.0.as_u16(), &reused.1["code"]), (422, &json!("idempotency-key-reused")));

    assert_eq!(w.node.local("GET", "/admin/epoch", &Value::Null).await, json!({"number": 0}));
    let (status, problem) = w.node.ask("POST", "/admin/epoch", None, &act()).await;
    assert_eq!((status.as_u16(), &problem["code"]), (400, &json!("idempotency-key-missing")));
    for (key, number) in [("a", 1), ("a", 1), ("b", 2)] {
        let (status, epoch) = w.node.keyed("POST", "/admin/epoch", key, &act()).await;
        assert_eq!((status.as_u16(), &epoch["number"]), (200, &json!(number)), "{epoch}");
    }
    let shown = w.node.local("GET", "/admin/epoch", &Value::Null).await;
    assert_eq!((&shown["raised_by"], &shown["reason"]), (&json!("ana"), &json!("asked by the customer")));
}

on_each_store! { lists acts doubt once }
