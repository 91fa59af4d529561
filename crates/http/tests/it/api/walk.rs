//! Walks the description of the API: who may call what. A new route is covered without a line here: what stands in its path
//! and in its body are the examples of their types.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use surehold_http::fuzz::{Operation, example, operations};
use surehold_http::{ApiConfig, OPENAPI_DOCUMENT};

use super::world::World;

/// What examples name, and what it is called here.
const NAMED: [(&str, &str); 4] =
    [("Slug", "casa"), ("HoldId", "$walked"), ("QuoteId", "$quoted"), ("DocumentId", "$document")];

fn named(text: &str) -> String {
    let rename = |text: String, (name, here): &(&str, &str)| text.replace(example(name).as_str().unwrap(), here);
    NAMED.iter().fold(text.to_owned(), rename)
}

/// The body that the operation takes, if any, in terms of these tests.
pub(super) fn good_body(operation: &Operation) -> Option<Value> {
    let body = operation.body?;
    Some(serde_json::from_str(&named(&body.example.to_string())).unwrap())
}

/// A row with parameters filled in; without a body.
pub(super) fn row(operation: &Operation, tenant: &str) -> String {
    let address = operation.address(|name| (name == "tenant").then(|| tenant.to_owned()));
    let query = match operation.name().as_str() {
        "GET /v1/{tenant}/availability" | "GET /v1/{tenant}/properties/{property}/calendar" => {
            "?from=2026-12-24&until=2026-12-25"
        }
        "GET /v1/{tenant}/holds" => "?state=active",
        "GET /v1/{tenant}/operations" => "?state=PENDING",
        "GET /v1/{tenant}/timeline" => "?correlation=purchaseId=1",
        "GET /v1/{tenant}/stays" => "?property=casa-mar&state=active",
        "GET /v1/{tenant}/reservations" => "?property=casa-mar&arriving=2026-12-24",
        "GET /v1/{tenant}/stock/balances" => "?at=2026-12-24T00:00:00Z",
        "GET /v1/{tenant}/stock/turnover" => "?from=2026-12-24T00:00:00Z&until=2026-12-25T00:00:00Z",
        _ => "",
    };
    format!("{} {}{query}", operation.method, named(&address))
}

/// The scopes that open an operation, each by itself: what the design says, not what the code does.
fn opening_scopes(operation: &Operation) -> &'static [&'static str] {
    let (method, path) = (operation.method.as_str(), operation.path.as_str());
    if path.starts_with("/admin/") || path == "/metrics" {
        return &["admin"];
    }
    if path.contains("/tasks/") {
        return &["tasks"];
    }
    // Who is told what, and what became of it, is for those who manage.
    if path.contains("/webhook-endpoints") {
        return &["manage"];
    }
    // What was erased does not come back.
    if path.ends_with("/guest") {
        return &["manage"];
    }
    // The kind of the document decides.
    if method == "POST" && path.contains("/documents") && !path.ends_with("/reverse") {
        return &["sell", "manage"];
    }
    let sells = ["/holds", "/quotes", "/stays", "/reservations"].iter().any(|part| path.contains(part));
    match (method, sells) {
        ("GET", _) => &["read"],
        (_, true) => &["sell"],
        (_, false) => &["manage"],
    }
}

const SCOPES: [&str; 4] = ["read", "sell", "manage", "tasks"];

#[tokio::test]
async fn every_scope_opens_what_it_should_and_nothing_else() {
    let w = World::new().await;
    for scope in SCOPES {
        w.make_key(scope, json!({"tenant": "casa", "scopes": [scope]})).await;
    }
    let mut opened: BTreeMap<&str, usize> = BTreeMap::new();
    for operation in operations().into_iter().filter(|operation| !operation.open) {
        let opening = opening_scopes(&operation);
        let row = row(&operation, "casa");
        for scope in SCOPES {
            let answer = w.ask(&format!("{row} As:{scope} Idempotency-Key:walk {{}}")).await;
            let refused = answer.status == 403 && answer.json()["code"] == "scope-missing";
            assert_eq!(refused, !opening.contains(&scope), "{row} with {scope}: {} {}", answer.status, answer.text());
            *opened.entry(scope).or_default() += usize::from(!refused);
        }
        let admin = w.ask(&format!("{row} As:admin Idempotency-Key:walk {{}}")).await;
        assert!(admin.status != 401 && admin.status != 403, "{row} with admin: {}", admin.status);
    }
    assert!(SCOPES.iter().all(|scope| opened[scope] > 0), "{opened:?}");
}

#[tokio::test]
async fn a_foreign_tenant_looks_like_none() {
    let w = World::new().await;
    w.check(r#"PUT /v1/casa/pools/double {"total":1}"#, 200, "").await;
    w.check(r#"POST /v1/casa/holds {"id":"$walked","lines":[{"resource":"double"}]}"#, 201, "").await;
    let mut walked = 0;
    for operation in operations().into_iter().filter(|operation| operation.path.contains("{tenant}")) {
        walked += 1;
        for body in ["", " {}", r#" {"total":3}"#] {
            let foreign = format!("{} As:other Idempotency-Key:walk{body}", row(&operation, "casa"));
            let unknown = format!("{} As:other Idempotency-Key:walk{body}", row(&operation, "nowhere"));
            let foreign = w.check(&foreign, 404, "not-found").await;
            let unknown = w.check(&unknown, 404, "not-found").await;
            assert_eq!(foreign.body, unknown.body, "{}", operation.name());
            let headers = |answer: &super::world::Answer| {
                let mut headers = answer.headers.clone();
                headers.remove("x-request-id");
                headers
            };
            assert_eq!(headers(&foreign), headers(&unknown), "{}", operation.name());
        }
    }
    assert!(walked >= 16, "{walked}");
    w.check("GET /v1/casa/pools/double", 200, r#"{"total":1,"held":1}"#).await;
}

#[tokio::test]
async fn a_hold_or_pool_of_another_tenant_is_not_found_under_ones_own_name() {
    let w = World::new().await;
    w.check(r#"PUT /v1/casa/pools/room {"total":1}"#, 200, "").await;
    w.check(r#"POST /v1/casa/holds {"id":"$a","lines":[{"resource":"room"}],"reference":"r"}"#, 201, "").await;
    w.check("GET /v1/other/holds/$a As:other", 404, "hold-not-found").await;
    w.check("POST /v1/other/holds/$a/cancel As:other", 404, "hold-not-found").await;
    w.check("GET /v1/other/pools/room As:other", 404, "pool-not-found").await;
    w.check("GET /v1/other/pools/room/explain As:other", 404, "pool-not-found").await;
    w.check("GET /v1/other/pools As:other", 200, r#"{"pools":[]}"#).await;
    w.check("GET /v1/other/holds?reference=r As:other", 200, r#"{"holds":[]}"#).await;
    w.check("GET /v1/other/holds?state=active As:other", 200, r#"{"holds":[]}"#).await;
    let range = "GET /v1/other/availability?from=2026-12-24&until=2026-12-25 As:other";
    w.check(range, 200, r#"{"resources":[]}"#).await;
}

#[tokio::test]
async fn without_a_key_only_what_is_open() {
    let w = World::new().await;
    let open: Vec<String> = operations().iter().filter(|operation| operation.open).map(Operation::name).collect();
    assert_eq!(open, ["GET /healthz", "GET /readyz", "POST /webhooks/{source}/{rest}"]);
    for operation in operations() {
        for key in ["nobody", "wrong"] {
            w.add_key("wrong", &format!("sh_live_1_00000000000000ff_{}", "0".repeat(64)));
            let row = format!("{} As:{key} Idempotency-Key:walk {{}}", row(&operation, "casa"));
            if operation.path.starts_with("/webhooks/") {
                w.check(&row, 401, "signature-invalid").await;
            } else if operation.open {
                w.check(&row, 200, r#"{"status":"ok"}"#).await;
            } else {
                w.check(&row, 401, "unauthenticated").await;
            }
        }
    }
    for page in ["/docs/", "/openapi.json", "/problems", "/problems/sold-out"] {
        assert_eq!(w.ask(&format!("GET {page} As:nobody")).await.status, 200, "{page}");
    }
    assert_eq!(w.ask("GET / As:nobody").await.header("location"), "/docs/");
}

/// Answers that say that a request could not be read.
const UNREADABLE: [&str; 3] = ["invalid", "malformed-request", "malformed-json"];

/// Twice, because what comes first may need what comes later. Examples speak of one tenant, so most of them fit together.
#[tokio::test]
async fn every_route_takes_its_example() {
    let w = World::with(ApiConfig { check_webhook_url: |_| Ok(()), ..ApiConfig::default() }).await;
    let mut accepted = BTreeSet::new();
    for round in ["first", "second"] {
        for operation in operations() {
            let name = operation.name();
            let key = if operation.method == "POST" { format!(" Idempotency-Key:{round}") } else { String::new() };
            let body = good_body(&operation).map(|body| format!(" {body}")).unwrap_or_default();
            let row = format!("{} Surehold-Task-Id:{round}{key}{body}", row(&operation, "casa"));
            let answer = w.ask(&row).await;
            println!("{} {name} {:.300}", answer.status, answer.text());
            if answer.status.is_success() {
                accepted.insert(name);
                continue;
            }
            let code = answer.json()["code"].as_str().unwrap().to_owned();
            let understood = answer.status.is_client_error() && !UNREADABLE.contains(&code.as_str());
            assert!(understood, "{row}: {}", answer.text());
        }
    }
    assert!(accepted.len() >= 70, "{} of them: {accepted:?}", accepted.len());
}

/// What is routed is described, and what is described is routed.
#[tokio::test]
async fn the_description_and_the_routes_are_the_same() {
    let w = World::new().await;
    let methods = ["GET", "PUT", "POST", "DELETE", "PATCH", "TRACE"];
    let described = operations();
    let named: BTreeSet<String> = described.iter().map(Operation::name).collect();
    for operation in described {
        for method in methods {
            let mut asked = operation.clone();
            method.clone_into(&mut asked.method);
            let status = w.ask(&format!("{} As:nobody {{}}", row(&asked, "casa"))).await.status;
            let routed = status != 405 && status != 404;
            assert_eq!(routed, named.contains(&asked.name()), "{}: {status}", asked.name());
        }
    }
    let served = w.ask("GET /openapi.json As:nobody").await.json();
    assert_eq!(served, serde_json::from_str::<Value>(OPENAPI_DOCUMENT).unwrap());
}
