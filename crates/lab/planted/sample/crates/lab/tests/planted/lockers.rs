//! The sample module of docs/adding-a-module.md works: through the API, in the feed, and for the audit.

use serde_json::{Value, json};
use surehold_engine::{AuditConfig, Engine, new_hold_id};
use surehold_testkit::fixture::{Fixture, Place, connect, open_file};
use surehold_testkit::node::Node;
use surehold_testkit::on_each_store;

use super::ALONE;

on_each_store! { a_module_that_was_added_as_its_page_says }

struct Gym {
    engine: Engine,
    node: Node,
    fixture: Fixture,
}

impl Gym {
    /// With one locker.
    async fn open(fixture: Fixture) -> Gym {
        let engine = fixture.engine().await.unwrap();
        let node = Node::new(engine.clone());
        node.local("POST", "/admin/tenants", &json!({"slug": "gym"})).await;
        node.local("PUT", "/v1/gym/pools/hall", &json!({"total": 1})).await;
        Gym { engine, node, fixture }
    }

    async fn rent(&self, id: &str, renter: &str) -> (u16, Value) {
        let body = json!({"id": id, "station": "hall", "renter": renter});
        let (status, answer) = self.node.ask("POST", "/v1/gym/lockers", None, &body).await;
        (status.as_u16(), answer)
    }

    async fn look(&self, path: &str) -> Value {
        self.node.local("GET", &format!("/v1/gym/{path}"), &Value::Null).await
    }

    async fn audit(&self) -> Vec<String> {
        let report = self.fixture.audit(AuditConfig::default()).await.unwrap();
        report.findings().map(|finding| format!("{}: {}", finding.invariant, finding.key)).collect()
    }

    /// Behind the engine's back.
    async fn harm(&self, sql: &str) {
        match &self.fixture.place {
            Place::Sqlite(_) => open_file(&self.fixture.file()).unwrap().execute_batch(sql).unwrap(),
            Place::Postgres { url } => connect(url).await.unwrap().batch_execute(sql).await.unwrap(),
        }
    }
}

async fn a_module_that_was_added_as_its_page_says(fixture: Fixture) {
    let _alone = ALONE.lock().await;
    let gym = Gym::open(fixture).await;
    let (id, other) = (new_hold_id().to_string(), new_hold_id().to_string());

    let (status, rented) = gym.rent(&id, "ann").await;
    assert_eq!((status, &rented["renter"], &rented["hold"]), (201, &json!("ann"), &json!(id)), "{rented}");
    assert_eq!(gym.rent(&id, "ann").await, (201, rented.clone()), "a repeat finds the same rental");
    let (status, refused) = gym.rent(&other, "ann").await;
    assert_eq!((status, &refused["code"], &refused["hold"]), (409, &json!("has-locker"), &json!(id)), "{refused}");
    let (status, refused) = gym.rent(&other, "bob").await;
    assert_eq!((status, &refused["code"]), (409, &json!("sold-out")), "the kernel counts: {refused}");

    assert_eq!(gym.look("lockers").await["rentals"], json!([rented]));
    assert_eq!(gym.look("lockers?after=ann").await["rentals"], json!([]));
    assert_eq!(gym.look("pools/hall").await["booked"], json!(1));
    let feed = gym.look("events").await;
    let events: Vec<&Value> = feed["events"].as_array().unwrap().iter().collect();
    let told: Vec<&&Value> = events.iter().filter(|event| event["type"] == "locker_rented").collect();
    assert_eq!(told.iter().map(|event| &event["hold"]).collect::<Vec<_>>(), [&json!(id)], "{feed}");

    assert_eq!(gym.audit().await, Vec::<String>::new());
    gym.harm("delete from holds").await;
    let found = gym.audit().await;
    assert!(found.contains(&"locker-rental-booked: locker of ann in hall".to_owned()), "{found:?}");
    gym.engine.stop().await;
}
