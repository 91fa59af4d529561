//! Schedules over HTTP.

use std::sync::Arc;

use serde_json::{Value, json};
use surehold_core::kernel::{Slug, TenantId};
use surehold_core::operations::builtin::{ANNOUNCE, Announce};
use surehold_core::operations::{FireSchedules, commands::RunStateOperation};

use super::world::World;

const NIGHT: &str =
    r#"{"cron":"0 2 * * *","zone":"America/Sao_Paulo","type":"ANNOUNCE","payload":{"topic":"night-audit"}}"#;

async fn casa(w: &World) -> TenantId {
    w.engine.views().tenant_of(&Slug::new("casa").unwrap()).await.unwrap().unwrap()
}

#[tokio::test]
async fn put_looked_at_and_removed() {
    let w = World::new().await;
    w.check("GET /v1/casa/schedules", 200, r#"{"schedules":[],"next":null}"#).await;
    w.check("GET /v1/casa/schedules/night", 404, "schedule-not-found").await;
    let expected = r#"{"name":"night","cron":"0 2 * * *","zone":"America/Sao_Paulo","type":"ANNOUNCE",
        "payload":{"topic":"night-audit"},"correlations":[],"enabled":true,"last_fired_at":null,"version":1}"#;
    let made = w.check(&format!("PUT /v1/casa/schedules/night {NIGHT}"), 200, expected).await.json();
    let upcoming: Vec<&str> = made["upcoming"].as_array().unwrap().iter().map(|at| at.as_str().unwrap()).collect();
    assert_eq!((upcoming.len(), made["next_at"].as_str()), (5, Some(upcoming[0])));
    assert!(upcoming.is_sorted() && upcoming.iter().all(|at| at.ends_with("T05:00:00Z")), "{upcoming:?}");

    let again = w.check(&format!("PUT /v1/casa/schedules/night {NIGHT}"), 200, expected).await;
    assert_eq!(again.header("idempotent-replayed"), "true");
    assert_eq!(w.check("GET /v1/casa/schedules/night", 200, expected).await.json(), made);
    w.check("GET /v1/other/schedules/night As:other", 404, "schedule-not-found").await;

    let off = NIGHT.replace("\"zone\"", "\"enabled\":false,\"correlations\":[\"b=2\",\"a=1\",\"a=1\"],\"zone\"");
    let expected = r#"{"enabled":false,"next_at":null,"upcoming":[],"correlations":["a=1","b=2"],"version":2}"#;
    w.check(&format!("PUT /v1/casa/schedules/night {off}"), 200, expected).await;

    w.check(
        r#"PUT /v1/casa/schedules/a.b_c-D {"cron":"@hourly","type":"ANNOUNCE","payload":{"topic":"t"}}"#,
        200,
        r#"{"zone":"UTC"}"#,
    )
    .await;
    w.check("GET /v1/casa/schedules", 200, r#"{"schedules":[{"name":"a.b_c-D"},{"name":"night"}],"next":null}"#).await;
    w.check("GET /v1/casa/schedules?limit=1", 200, r#"{"schedules":[{"name":"a.b_c-D"}],"next":"a.b_c-D"}"#).await;
    w.check("GET /v1/casa/schedules?after=a.b_c-D", 200, r#"{"schedules":[{"name":"night"}]}"#).await;

    w.check("DELETE /v1/casa/schedules/a.b_c-D", 200, r#"{"name":"a.b_c-D","next_at":null,"upcoming":[]}"#).await;
    w.check("DELETE /v1/casa/schedules/a.b_c-D", 404, "schedule-not-found").await;
    w.check("GET /v1/casa/schedules", 200, r#"{"schedules":[{"name":"night"}]}"#).await;
}

#[tokio::test]
async fn what_is_refused() {
    let w = World::new().await;
    let check = async |change: Value, said: &str| {
        let mut body: Value = serde_json::from_str(NIGHT).unwrap();
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let answer = w.check(&format!("PUT /v1/casa/schedules/night {body}"), 422, "invalid").await;
        assert!(answer.json()["detail"].as_str().unwrap().contains(said), "{change}: {}", answer.text());
    };
    check(json!({"cron": "0 2 * *"}), "five fields").await;
    check(json!({"cron": "0 2 31 2 *"}), "never fire").await;
    check(json!({"cron": "61 2 * * *"}), "\"61\" is no minute").await;
    check(json!({"cron": "* ".repeat(200)}), "400 bytes").await;
    check(json!({"zone": "Mars/Olympus"}), "Mars/Olympus is not the name of a time zone").await;
    check(json!({"type": "announce"}), "capitals").await;
    check(json!({"type": "NO_SUCH_TYPE"}), "NO_SUCH_TYPE cannot be asked for by a schedule; these can: ANNOUNCE").await;
    check(json!({"type": "RECONCILE_STUCK_OPERATION"}), "these can: ANNOUNCE").await;
    check(json!({"payload": {}}), "missing field `topic`").await;
    check(json!({"payload": {"topic": "t", "data": {"x": "y".repeat(16 << 10)}}}), "the data has").await;
    check(json!({"correlations": ["propertyId"]}), "looks like purchaseId=4711").await;
    let many: Vec<String> = (0..33).map(|n| format!("a={n}")).collect();
    check(json!({"correlations": many}), "33 items").await;
    for name in ["%20", "-a", "a%2Fb", "a:b", &"x".repeat(101)] {
        w.check(&format!("GET /v1/casa/schedules/{name}"), 400, "malformed-request").await;
    }
    w.check("GET /v1/casa/schedules?after=%20", 400, "malformed-request").await;
    w.check("GET /v1/casa/schedules", 200, r#"{"schedules":[]}"#).await;
}

/// From the schedule to the feed.
#[tokio::test]
async fn what_it_announces_is_in_the_feed() {
    let w = World::new().await;
    let body = NIGHT.replace("\"night-audit\"", r#""night-audit","data":{"property":7}"#);
    let made = w.check(&format!("PUT /v1/casa/schedules/night {body}"), 200, "").await.json();
    w.advance_secs(3 * 86_400);
    let tenant = casa(&w).await;
    let fired = w.engine.run(tenant, FireSchedules { kinds: Arc::new([&ANNOUNCE]) }).await.unwrap().reply.fired;
    let operation = fired[0].operation.clone();
    w.engine
        .run(tenant, RunStateOperation { key: operation.clone(), handler: Arc::new(Announce), found: None })
        .await
        .unwrap();

    let shown = w.check("GET /v1/casa/schedules/night", 200, r#"{"version":2}"#).await.json();
    assert!(shown["last_fired_at"].is_string() && shown["next_at"].as_str() > made["next_at"].as_str());
    let events = w.ask("GET /v1/casa/events").await.json();
    let events = events["events"].as_array().unwrap();
    let told: Vec<&str> = events.iter().filter_map(|event| event["type"].as_str()).collect();
    assert_eq!(told[told.len() - 4..], ["schedule_changed", "schedule_fired", "announced", "operation_succeeded"]);
    let [.., fired_event, announced, _] = events.as_slice() else { panic!("{events:?}") };
    let planned_for = fired[0].planned_for.to_string();
    assert_eq!(fired_event["planned_for"], planned_for);
    assert_eq!((&fired_event["name"], &fired_event["skipped"]), (&json!("night"), &json!(2)));
    assert_eq!((&announced["topic"], &announced["data"]), (&json!("night-audit"), &json!({"property": 7})));
    assert_eq!(operation.key.as_str(), format!("night:{}", planned_for.replace(':', "%3A")));
}
