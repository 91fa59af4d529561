//! Bodies and queries say nothing that is not understood. Walks the description, so that a new body is covered too.

use serde_json::{Value, json};
use surehold_http::fuzz::{Body, operations};

use super::walk::{good_body, row};
use super::world::World;

/// Where callers may say what they like.
const FREE: [&str; 2] = ["metadata", "data"];

/// The value with one more member, once for every object in it.
fn with_a_stranger(value: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    match value {
        Value::Object(members) => {
            let mut more = members.clone();
            more.insert("stranger".to_owned(), json!(1));
            all.push(Value::Object(more));
            for (name, inner) in members.iter().filter(|(name, _)| !FREE.contains(&name.as_str())) {
                for changed in with_a_stranger(inner) {
                    let mut members = members.clone();
                    members.insert(name.clone(), changed);
                    all.push(Value::Object(members));
                }
            }
        }
        Value::Array(items) => {
            for (index, inner) in items.iter().enumerate() {
                for changed in with_a_stranger(inner) {
                    let mut items = items.clone();
                    items[index] = changed;
                    all.push(Value::Array(items));
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    all
}

/// The values of an object in a row, as some readers would take it; once for every object in the value.
fn with_an_array(value: &Value) -> Vec<Value> {
    let Some(members) = value.as_object() else {
        let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
        return items.iter().flat_map(with_an_array).map(|changed| json!([changed])).collect();
    };
    let mut all = vec![Value::Array(members.values().cloned().collect()), json!([])];
    for (name, inner) in members.iter().filter(|(name, _)| !FREE.contains(&name.as_str())) {
        for changed in with_an_array(inner) {
            let mut members = members.clone();
            members.insert(name.clone(), changed);
            all.push(Value::Object(members));
        }
    }
    all
}

/// The value with one member of another type, once for every member of the top.
fn with_a_wrong_type(value: &Value) -> Vec<Value> {
    let wrong = |value: &Value| match value {
        Value::Number(_) => json!("1"),
        Value::String(_) => json!(1),
        Value::Object(_) => json!([]),
        Value::Null | Value::Bool(_) | Value::Array(_) => json!({"a": 1}),
    };
    let members = value.as_object().unwrap();
    let changed = |(name, inner): (&String, &Value)| {
        let mut members = members.clone();
        members.insert(name.clone(), wrong(inner));
        Value::Object(members)
    };
    members.iter().map(changed).collect()
}

/// The value with one of the members that it leaves out, once for each: an object is wrong for all of them.
fn with_a_wrong_member(value: &Value, schema: &Value) -> Vec<Value> {
    let members = value.as_object().unwrap();
    let missing = schema["properties"].as_object().unwrap().keys().filter(|name| !members.contains_key(*name));
    let added = |name: &String| {
        let mut members = members.clone();
        members.insert(name.clone(), json!({"stranger": 1}));
        Value::Object(members)
    };
    missing.map(added).collect()
}

/// What must not be missing, so that the body is looked at.
const HEADERS: &str = "Idempotency-Key:strict Surehold-Task-Id:strict";

#[tokio::test]
async fn unknown_members_and_wrong_types_are_refused_everywhere() {
    let w = World::new().await;
    let mut bodies = 0;
    for operation in operations() {
        let (Some(Body { schema, .. }), Some(good)) = (operation.body, good_body(&operation)) else { continue };
        bodies += 1;
        let row = row(&operation, "casa");
        let strangers = with_a_stranger(&good);
        assert!(!strangers.is_empty());
        let wrong = [with_a_wrong_type(&good), with_a_wrong_member(&good, schema), with_an_array(&good)].concat();
        for body in strangers.iter().chain(&wrong) {
            w.check(&format!("{row} {HEADERS} {body}"), 422, "invalid").await;
        }
        // The body itself is not what is refused.
        let answer = w.ask(&format!("{row} {HEADERS} {good}")).await;
        assert!(answer.status.is_success() || answer.json()["code"] != "invalid", "{row}: {}", answer.text());
    }
    assert!(bodies >= 50, "{bodies}");
}

#[tokio::test]
async fn unknown_parameters_are_refused_everywhere() {
    let w = World::new().await;
    let mut with_query = 0;
    for operation in operations().into_iter().filter(|operation| operation.has_query) {
        with_query += 1;
        let row = row(&operation, "casa");
        let (method, path) = row.split_once(' ').unwrap();
        let and = if path.contains('?') { '&' } else { '?' };
        let body = good_body(&operation).map(|body| body.to_string()).unwrap_or_default();
        let strange = format!("{method} {path}{and}stranger=1 Idempotency-Key:q {body}");
        w.check(strange.trim_end(), 400, "malformed-request").await;
    }
    assert!(with_query >= 8, "{with_query}");
}

#[tokio::test]
async fn absurd_json() {
    let w = World::new().await;
    w.check(r#"PUT /v1/casa/pools/room {"total":5.0}"#, 200, r#"{"total":5}"#).await;
    let check = async |body: &str, status: u16, code: &str| {
        w.check(&format!("PUT /v1/casa/pools/room {body}"), status, code).await;
    };
    check(r#"{"total":1,"total":2}"#, 422, "invalid").await;
    check(r#"{"total":1.5}"#, 422, "invalid").await;
    check(r#"{"total":1e16}"#, 422, "invalid").await;
    check(r#"{"total":9223372036854775808}"#, 422, "invalid").await;
    check(r#"{"total":-9223372036854775809}"#, 422, "invalid").await;
    check(r#"{"total":99999999999999999999999999}"#, 422, "invalid").await;
    check(r#"{"total":1e999}"#, 422, "invalid").await;
    check(r#"{"total":NaN}"#, 400, "malformed-json").await;
    check(r#"{"total":01}"#, 400, "malformed-json").await;
    check(r#"{"total":1,}"#, 400, "malformed-json").await;
    check(r#"{"total":1}{"total":2}"#, 400, "malformed-json").await;
    check(r#"{"total":1} x"#, 400, "malformed-json").await;
    check("{total:1}", 400, "malformed-json").await;
    check(r#"{"total":"#, 400, "malformed-json").await;
    check(r#"{"total":1"#, 400, "malformed-json").await;
    check("{\"\u{feff}total\":1}", 422, "invalid").await;
    let deep = format!("{{\"x\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    check(&deep, 422, "invalid").await;
    let deep = format!(
        r#"POST /v1/casa/holds {{"id":"$a","lines":[{{"resource":"room"}}],"metadata":{{"x":{}{}}}}}"#,
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    w.check(&deep, 422, "invalid").await;
    w.check("GET /v1/casa/pools/room", 200, r#"{"total":5,"version":1}"#).await;
}
