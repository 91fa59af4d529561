//! Bodies and queries say nothing that is not understood. Walks the description, so that a new body is covered too.

use serde_json::{Value, json};
use surehold_http::OPENAPI_DOCUMENT;

use super::walk::{Operation, operations};
use super::world::{World, in_secs};

/// A body that is understood, for every operation that takes one.
pub(super) fn good_body(operation: &Operation) -> Value {
    let line = json!([{"resource": "room", "slot": "2026-12-24", "quantity": 1}]);
    match operation.name().as_str() {
        "PUT /v1/{tenant}/policy" => json!({"lifetime_secs_max": 86_400}),
        "PUT /v1/{tenant}/pools" => json!({"pools": [{"resource": "room", "total": 1}]}),
        "PUT /v1/{tenant}/pools/{resource}" => json!({"total": 1}),
        "POST /v1/{tenant}/pools/{resource}/adjust" => json!({"total_delta": 1}),
        "POST /v1/{tenant}/holds" => json!({"lines": line, "metadata": {}}),
        "POST /v1/{tenant}/holds/{hold}/extend" => json!({"until": in_secs(60)}),
        "POST /v1/{tenant}/holds/{hold}/convert" => json!({"mode": "book", "lines": line}),
        "POST /v1/{tenant}/holds/{hold}/move" => json!({"from": line, "to": line}),
        "POST /v1/{tenant}/holds/{hold}/give-back" => json!({"lines": line}),
        "POST /v1/{tenant}/holds/batch" => {
            let id = "01890a5d-ac96-774b-bcce-b302099a8057";
            json!({"commands": [
                {"place": {"id": id, "lines": line}},
                {"extend": {"id": id, "until": in_secs(60)}},
                {"convert": {"id": id, "mode": "book", "lines": line}},
                {"cancel": {"id": id}},
            ]})
        }
        "PUT /v1/{tenant}/inboxes/{inbox}" => {
            json!({"secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "overlap_secs": 0})
        }
        "POST /v1/{tenant}/tasks/{task}" | "POST /tasks/{task}" => {
            json!({"hold": "01890a5d-ac96-774b-bcce-b302099a8057"})
        }
        "PUT /v1/{tenant}/schedules/{name}" => json!({
            "cron": "@daily", "zone": "UTC", "type": "ANNOUNCE", "payload": {"topic": "t"}, "correlations": ["a=1"],
            "enabled": true,
        }),
        "PUT /v1/{tenant}/webhook-endpoints/{endpoint}" => {
            json!({"url": "https://example.com/", "events": ["hold_placed"], "replace": true})
        }
        "POST /v1/{tenant}/webhook-endpoints/{endpoint}/rotate-secret" => json!({"overlap_secs": 60}),
        "POST /v1/{tenant}/webhook-endpoints/{endpoint}/enable" => json!({"from_now": true}),
        "POST /v1/{tenant}/webhook-endpoints/{endpoint}/replay" => json!({"from": "1-0", "to": "2-0", "key": "r"}),
        "PUT /v1/{tenant}/properties/{property}" => json!({
            "title": "Sea", "time_zone": "UTC", "currency": "BRL", "check_in": "15:00", "terms": {"hold_secs": 600},
            "payment_account": "acct_1",
        }),
        "PUT /v1/{tenant}/properties/{property}/room-types/{code}" => json!({"title": "Double", "guests_max": 2}),
        "PUT /v1/{tenant}/properties/{property}/rate-plans/{code}" => {
            json!({"title": "Flexible", "cancellation": {"penalty": {"nights": 1}, "no_show": {"percent": 50}}})
        }
        "PUT /v1/{tenant}/properties/{property}/calendar" => json!({"changes": [{
            "room_types": ["double"], "from": "2026-12-24", "until": "2026-12-27", "weekdays": ["fri", "sat"],
            "inventory": {"total": 2}, "rates": [{"rate_plan": "flexible", "price": 100, "min_stay": null}],
        }]}),
        "PUT /v1/{tenant}/properties/{property}/calendar/rows" => json!({"rows": [{
            "room_types": ["double"], "from": "2026-12-24", "until": "2026-12-27", "inventory": {"total": 2},
        }], "dry_run": true, "skip_refused": true}),
        "POST /v1/{tenant}/quotes" => {
            json!({"property": "sea", "checkin": "2026-12-24", "checkout": "2026-12-27", "guests": 2, "rooms": 1})
        }
        "POST /v1/{tenant}/stays" => json!({
            "id": "01890a5d-ac96-774b-bcce-b302099a8057", "quote": "01890a5d-ac96-774b-bcce-b302099a8058",
            "items": [{"option": 1, "rooms": 1}], "guest": {"name": "Ann"}, "conversation": "chat-1",
        }),
        "POST /v1/{tenant}/stays/{hold}/confirm" => json!({"paid": 1}),
        "POST /v1/{tenant}/stays/{hold}/checkout" => {
            json!({"success_url": "https://example.org/a", "cancel_url": "https://example.org/b"})
        }
        "POST /v1/{tenant}/reservations" => json!({
            "property": "sea", "checkin": "2026-12-24", "checkout": "2026-12-27", "guest": {"name": "Ann"}, "paid": 1,
            "rooms": [{"room_type": "double", "rate_plan": "flexible", "rooms": 1}],
        }),
        "POST /v1/{tenant}/reservations/{hold}/cancel" | "POST /v1/{tenant}/reservations/{hold}/no-show" => {
            json!({"waived_by": "ana"})
        }
        "POST /v1/{tenant}/reservations/{hold}/change" => json!({
            "checkin": "2026-12-24", "checkout": "2026-12-27", "refund_excess": true,
            "rooms": [{"room_type": "double", "rate_plan": "flexible", "rooms": 1}],
        }),
        "POST /admin/tenants" => json!({"slug": "casa", "policy": {"owner_holds_max": 100}}),
        "POST /admin/keys" => json!({"tenant": "casa", "name": "till", "scopes": ["read"]}),
        "POST /admin/keys/{key}/rotate" => json!({"overlap_secs": 0}),
        "POST /v1/{tenant}/operations/{type}/{key}/settle" => {
            json!({"step": 0, "verdict": "happened", "provider_ref": "tr_1", "actor": "ana", "reason": "seen there"})
        }
        "POST /v1/{tenant}/cases/{kind}/{key}/assign" => json!({"to": "ana"}),
        "POST /admin/repairs" => json!({"tenant": 1, "actor": "ana", "reason": "asked to", "repairs": [
            {"pool": {"resource": "room", "slot": "2026-12-24", "held_delta": 1, "booked_delta": 0, "number": 0}},
            {"owner": {"owner": "ben", "owner_version": 1, "holds": [], "number": 0}},
            {"lock": {"aggregate": "p", "type": "ISSUE_TICKETS", "key": "1", "token": 1, "number": 0}},
        ]}),
        "POST /admin/epoch"
        | "POST /v1/{tenant}/cases/{kind}/{key}/resolve"
        | "POST /v1/{tenant}/operations/{type}/{key}/retry"
        | "POST /v1/{tenant}/operations/{type}/{key}/cancel"
        | "POST /v1/{tenant}/operations/{type}/{key}/redrive" => json!({"actor": "ana", "reason": "asked to"}),
        other => good_stock_body(other),
    }
}

fn good_stock_body(operation: &str) -> Value {
    match operation {
        "PUT /v1/{tenant}/stores/{store}" => json!({"title": "Main street", "currency": "EUR"}),
        "PUT /v1/{tenant}/products/{product}" => json!({
            "title": "Tea", "unit": "g", "scale": 3, "packs": [{"name": "box", "factor": 12}], "tracking": "none",
        }),
        "PUT /v1/{tenant}/products/{product}/barcodes" => json!({"barcodes": [{"code": "4001", "pack": "box"}]}),
        "PUT /v1/{tenant}/books" => json!({"closed_until": "2020-01-01T00:00:00Z"}),
        "POST /v1/{tenant}/documents" | "POST /v1/{tenant}/documents/preview" => json!({
            "id": "01890a5d-ac96-774b-bcce-b302099a8057", "kind": "purchase", "store": "main", "in_transit": false,
            "effective_at": "2020-01-01T00:00:00Z", "reference": "INV-17", "note": "n", "post": true,
            "extra": {"amount": 1, "by": "value"},
            "lines": [{"product": "tea", "count": 3, "pack": "box", "amount": 1, "lot": "A", "expires": "2098-01-01",
                "serials": ["S1"]}],
        }),
        "POST /v1/{tenant}/documents/import" => json!({
            "id": "01890a5d-ac96-774b-bcce-b302099a8057", "dry_run": false,
            "header": {"kind": "purchase", "store": "main", "in_transit": false, "effective_at": "2020-01-01T00:00:00Z",
                "reference": "INV-17", "note": "n", "extra": {"amount": 1, "by": "value"}},
            "rows": [{"product": "tea", "count": "3", "pack": "box", "amount": 1, "price": "1.5", "lot": "A",
                "expires": "2098-01-01", "serials": ["S1"], "against": 1, "difference": false}],
        }),
        "PUT /v1/{tenant}/documents/{document}/parts/{number}" => {
            json!({"lines": [{"product": "tea", "count": 3, "price": "1.5", "against": {"seq": 1, "difference": true}}]})
        }
        "POST /v1/{tenant}/documents/{document}/reverse" => json!({
            "id": "01890a5d-ac96-774b-bcce-b302099a8057", "effective_at": "2020-01-01T00:00:00Z", "reference": "R",
            "note": "n",
        }),
        "POST /v1/{tenant}/holds/{hold}/sell" => json!({
            "id": "01890a5d-ac96-774b-bcce-b302099a8057", "store": "main", "effective_at": "2020-01-01T00:00:00Z",
            "reference": "R", "note": "n", "lines": [{"product": "tea", "count": 3}],
        }),
        unknown => panic!("say what a good body of {unknown} is"),
    }
}

/// The value with one more member, once for every object in it.
fn with_a_stranger(value: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    match value {
        Value::Object(members) => {
            let mut more = members.clone();
            more.insert("stranger".to_owned(), json!(1));
            all.push(Value::Object(more));
            for (name, inner) in members.iter().filter(|(name, _)| *name != "metadata") {
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
    for (name, inner) in members.iter().filter(|(name, _)| *name != "metadata") {
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

/// What must not be missing, so that the body is looked at.
const HEADERS: &str = "Idempotency-Key:strict Surehold-Task-Id:strict";

#[tokio::test]
async fn unknown_members_and_wrong_types_are_refused_everywhere() {
    let w = World::new().await;
    let openapi: Value = serde_json::from_str(OPENAPI_DOCUMENT).unwrap();
    let mut bodies = 0;
    for operation in operations(&openapi).into_iter().filter(|operation| operation.has_body) {
        bodies += 1;
        let row = operation.row("casa");
        let good = good_body(&operation);
        let strangers = with_a_stranger(&good);
        assert!(!strangers.is_empty());
        for body in strangers.iter().chain(&with_a_wrong_type(&good)).chain(&with_an_array(&good)) {
            w.check(&format!("{row} {HEADERS} {body}"), 422, "invalid").await;
        }
        // The body itself is not what is refused.
        let answer = w.ask(&format!("{row} {HEADERS} {good}")).await;
        assert!(answer.status.is_success() || answer.json()["code"] != "invalid", "{row}: {}", answer.text());
    }
    assert!(bodies >= 13, "{bodies}");
}

#[tokio::test]
async fn unknown_parameters_are_refused_everywhere() {
    let w = World::new().await;
    let openapi: Value = serde_json::from_str(OPENAPI_DOCUMENT).unwrap();
    let mut with_query = 0;
    for operation in operations(&openapi).into_iter().filter(|operation| operation.has_query) {
        with_query += 1;
        let row = operation.row("casa");
        let (method, path) = row.split_once(' ').unwrap();
        let and = if path.contains('?') { '&' } else { '?' };
        let body = if operation.has_body { good_body(&operation).to_string() } else { String::new() };
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
