//! The API on each store: what the stores could answer differently, and what takes two nodes or a store that goes.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use surehold_engine::{Engine, EngineConfig};
use surehold_postgres::{PostgresConfig, PostgresStore};
use surehold_testkit::fixture::{Fixture, StoreKind, own_postgres};
use surehold_testkit::node::Node;
use surehold_testkit::on_each_store;

async fn make_key(node: &Node) -> Value {
    node.local("POST", "/admin/tenants", &json!({"slug": "casa"})).await;
    node.local("POST", "/admin/keys", &json!({"tenant": "casa", "name": "till", "scopes": ["read"]})).await
}

pub(crate) fn percent(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// Names that mean something to SQL, LIKE, JSON or addresses.
async fn names_and_pages(kind: StoreKind) {
    let fixture = Fixture::new(kind).await.unwrap();
    let node = Node::new(fixture.engine().await.unwrap());
    make_key(&node).await;
    let names =
        ["%", "_", "!", "it's", "\\", "\"", "[\"a\",\"\",1]", "a", "A", "aa", "é", "Z", "日本 🛏", "{}", "a@b", "null"];
    for (index, name) in names.iter().enumerate() {
        node.local("PUT", &format!("/v1/casa/pools/{}", percent(name)), &json!({"total": index + 1})).await;
        let id = uuid::Uuid::now_v7();
        let lines = json!([{"resource": name, "quantity": index + 1}]);
        let hold =
            json!({"id": id, "lines": lines, "reference": name, "metadata": {name.to_owned(): "\u{0} \u{ffff}"}});
        node.local("POST", "/v1/casa/holds", &hold).await;
    }
    for (index, name) in names.iter().enumerate() {
        let found = node.local("GET", &format!("/v1/casa/pools/{}/explain", percent(name)), &Value::Null).await;
        assert_eq!((&found["available"], &found["held_live"]), (&json!(0), &json!(index + 1)), "{name}: {found}");
        assert_eq!(found["holds"].as_array().unwrap().len(), 1, "{name}");
        let found = node.local("GET", &format!("/v1/casa/holds?reference={}", percent(name)), &Value::Null).await;
        assert_eq!(found["holds"][0]["metadata"][name], "\u{0} \u{ffff}", "{name}");
    }
    // Pages are in the order of bytes on every store, so that cursors mean the same.
    let mut seen = Vec::new();
    let mut after = String::new();
    loop {
        let page = node.local("GET", &format!("/v1/casa/pools?limit=3{after}"), &Value::Null).await;
        seen.extend(page["pools"].as_array().unwrap().iter().map(|pool| pool["resource"].as_str().unwrap().to_owned()));
        let Some(next) = page["next"].as_str() else { break };
        after = format!("&after={}", percent(next));
    }
    let mut sorted = names.map(str::to_owned).to_vec();
    sorted.sort();
    assert_eq!(seen, sorted);
    // What no store can hold is refused before it is asked.
    for bad in [
        "/admin/tenants?after=%00",
        "/v1/casa/pools?resource=%00",
        "/v1/casa/holds?reference=%00",
        "/v1/casa/pools/%00",
        "/v1/casa/pools?after=@%00",
        "/v1/casa/events?after=%00-0",
    ] {
        assert_eq!(node.ask("GET", bad, None, &Value::Null).await.0, 400, "{bad}");
    }
    let far = format!("/v1/casa/holds?state=active&after={}-{}", i64::MAX, uuid::Uuid::now_v7());
    assert_eq!(node.ask("GET", &far, None, &Value::Null).await.0, 200);
    assert_eq!(node.ask("GET", "/v1/%00", None, &Value::Null).await.0, 404);
}

on_each_store! { names_and_pages }

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_is_revoked_within_a_second_on_two_engines_on_postgres() {
    let fixture = Fixture::new(StoreKind::Postgres).await.unwrap();
    let nodes = [Node::new(fixture.engine().await.unwrap()), Node::new(fixture.engine().await.unwrap())];
    let made = make_key(&nodes[0]).await;
    let (key, id) = (made["key"].as_str().unwrap(), made["id"].as_str().unwrap());
    let opens = async |node: &Node| node.ask("GET", "/v1/casa", Some(key), &Value::Null).await.0 == 200;
    let warm = Instant::now();
    while warm.elapsed() < Duration::from_millis(700) {
        assert!(opens(&nodes[0]).await && opens(&nodes[1]).await);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    nodes[0].local("POST", &format!("/admin/keys/{id}/revoke"), &Value::Null).await;
    let revoked_at = Instant::now();
    loop {
        let begun_after = revoked_at.elapsed();
        if !opens(&nodes[0]).await && !opens(&nodes[1]).await {
            break;
        }
        assert!(begun_after <= Duration::from_secs(1), "let in {begun_after:?} after it was revoked");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn not_ready_without_a_store_and_ready_again_with_it_on_postgres() {
    let server = own_postgres();
    let store = PostgresStore::connect(PostgresConfig::new(server.url())).await.unwrap();
    let config = EngineConfig { deadline: Duration::from_secs(2), ..EngineConfig::default() };
    let node = Node::new(Engine::start(std::sync::Arc::new(store), config).unwrap());
    let made = make_key(&node).await;
    let key = made["key"].as_str().unwrap();
    let ready =
        async || tokio::time::timeout(Duration::from_secs(20), node.ask("GET", "/readyz", None, &Value::Null)).await;
    let first = ready().await.unwrap();
    assert_eq!(first.0, 200, "{first:?}");
    server.crash().unwrap();
    let (status, problem) = ready().await.expect("an answer, also without a store");
    assert_eq!((status.as_u16(), &problem["code"]), (503, &json!("unavailable")), "{problem}");
    assert_eq!(node.ask("GET", "/healthz", None, &Value::Null).await.0, 200);
    let put = node.ask("PUT", "/v1/casa/pools/room", None, &json!({"total": 1})).await;
    assert!([503, 504].contains(&put.0.as_u16()), "{put:?}");
    // A key that cannot be looked up is not a wrong key: the caller must not throw it away.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let read = node.ask("GET", "/v1/casa", Some(key), &Value::Null).await;
    assert_eq!(read.0, 503, "{read:?}");
    server.launch().unwrap();
    let launched_at = Instant::now();
    while ready().await.unwrap().0 != 200 {
        assert!(launched_at.elapsed() < Duration::from_mins(2), "never ready again");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(node.ask("GET", "/v1/casa", Some(key), &Value::Null).await.0, 200);
}
