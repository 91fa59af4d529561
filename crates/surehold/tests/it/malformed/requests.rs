//! A good request of every operation: what the mutations start from.

use serde_json::{Value, json};
use surehold_http::fuzz::{Body, Operation, example, operations};
use uuid::Uuid;

use super::live::LiveServer;
use super::random::Random;

pub(super) const TENANT: &str = "casa-azul";
const POOLS: [&str; 3] = ["double", "t-shirt", "Zimmer mit Blick"];
const HOLDS: usize = 24;
const STAYS: usize = 12;
const DOCUMENTS: usize = 12;

/// A request in parts, so that each can be spoilt by itself.
#[derive(Clone, Debug)]
pub(super) struct Request {
    /// As the description of the API names it.
    pub(super) operation: String,
    pub(super) method: String,
    pub(super) path: String,
    pub(super) query: Vec<(&'static str, String)>,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Option<Value>,
}

/// What the good requests refer to.
pub(super) struct World {
    operations: Vec<Operation>,
    tenant_key: String,
    admin_key: String,
    /// A key that nobody uses: to be rotated and revoked.
    spare_key_id: String,
    /// Some of them are stays.
    holds: Vec<String>,
    quote_id: String,
    /// Some of them are drafts.
    documents: Vec<String>,
}

impl World {
    pub(super) fn create(server: &LiveServer) -> World {
        server.administer("POST", "/admin/tenants", &json!({"slug": TENANT}));
        let key = |wanted: &Value| server.administer("POST", "/admin/keys", wanted);
        let tenant_key = key(
            &json!({"tenant": TENANT, "name": "website", "scopes": ["read", "sell", "manage", "tasks"], "requests_per_s": 10_000_000}),
        );
        let admin_key = key(&json!({"name": "operator", "scopes": ["admin"], "requests_per_s": 10_000_000}));
        let spare_key = key(&json!({"tenant": TENANT, "name": "spare", "scopes": ["read"]}));
        let pools = POOLS.map(|resource| json!({"resource": resource, "total": 1_000_000}));
        server.administer("PUT", &format!("/v1/{TENANT}/pools"), &json!({"pools": pools}));
        let hold = |_| {
            let hold = json!({"id": Uuid::now_v7(), "lines": [{"resource": "double"}], "lifetime_secs": 80_000});
            let placed = server.administer("POST", &format!("/v1/{TENANT}/holds"), &hold);
            placed["id"].as_str().unwrap().to_owned()
        };
        let quote_id = sell_nights(server);
        let stay = |_| {
            let stay =
                json!({"id": Uuid::now_v7(), "quote": quote_id, "items": [{"option": 1}], "lifetime_secs": 80_000});
            let made = server.administer("POST", &format!("/v1/{TENANT}/stays"), &stay);
            made["hold"].as_str().unwrap().to_owned()
        };
        let stays: Vec<String> = (0..STAYS).map(stay).collect();
        World {
            tenant_key: tenant_key["key"].as_str().unwrap().to_owned(),
            admin_key: admin_key["key"].as_str().unwrap().to_owned(),
            spare_key_id: spare_key["id"].as_str().unwrap().to_owned(),
            holds: (0..HOLDS).map(hold).chain(stays).collect(),
            quote_id,
            documents: stock_up(server),
            operations: all_operations(),
        }
    }

    /// A good request of the operation with this number; numbers beyond the last begin again.
    pub(super) fn request(&self, number: usize, random: &mut Random) -> Request {
        let operation = &self.operations[number % self.operations.len()];
        let (method, path) = (operation.method.as_str(), operation.path.as_str());
        let hold = random.pick(&self.holds);
        let pool = POOLS[random.below(2)];
        let key =
            if path.starts_with("/v1") || path.starts_with("/tasks") { &self.tenant_key } else { &self.admin_key };
        let body = good_body(operation, hold, &self.quote_id);
        let mut headers = vec![
            ("host", "localhost".to_owned()),
            // The answer ends with the connection, so nobody waits for more.
            ("connection", "close".to_owned()),
            ("authorization", format!("Bearer {key}")),
        ];
        if method == "POST" {
            headers.push(("idempotency-key", Uuid::now_v7().to_string()));
        }
        if body.is_some() {
            headers.push(("content-type", "application/json".to_owned()));
        }
        if path.contains("/tasks/") {
            headers.push(("surehold-task-id", Uuid::now_v7().to_string()));
        }
        let document = random.pick(&self.documents);
        let address = operation.address(|name| match name {
            "hold" => Some(hold.clone()),
            "resource" => Some(pool.to_owned()),
            "quote" => Some(self.quote_id.clone()),
            "document" => Some(document.clone()),
            "key" if path.starts_with("/admin/") => Some(self.spare_key_id.clone()),
            "inbox" => Some("orders".to_owned()),
            _ => None,
        });
        Request {
            operation: operation.name(),
            method: method.to_owned(),
            path: address,
            query: query(method, path),
            headers,
            body,
        }
    }
}

/// A property whose nights can be had, and a quote for some of them.
fn sell_nights(server: &LiveServer) -> String {
    let mut calendar = example("PutCalendar").clone();
    // Rooms for all stays.
    calendar["changes"][0]["inventory"]["total"] = json!(1_000_000);
    for (path, body) in [
        ("", example("PutProperty")),
        ("/room-types/double", example("PutRoomType")),
        ("/rate-plans/flexible", example("PutRatePlan")),
        ("/calendar", &calendar),
    ] {
        server.administer("PUT", &format!("/v1/{TENANT}/properties/casa-mar{path}"), body);
    }
    let quote = server.administer("POST", &format!("/v1/{TENANT}/quotes"), example("AskQuote"));
    quote["id"].as_str().unwrap().to_owned()
}

/// A store, a product with barcodes, and documents about it: every other one is a draft.
fn stock_up(server: &LiveServer) -> Vec<String> {
    for (path, request) in
        [("stores/main", "PutStore"), ("products/tea", "PutProduct"), ("products/tea/barcodes", "PutBarcodes")]
    {
        server.administer("PUT", &format!("/v1/{TENANT}/{path}"), example(request));
    }
    let document = |number: usize| {
        let mut document = example("NewDocument").clone();
        document["id"] = json!(Uuid::now_v7());
        document["post"] = number.is_multiple_of(2).into();
        let made = server.administer("POST", &format!("/v1/{TENANT}/documents"), &document);
        made["id"].as_str().unwrap().to_owned()
    };
    (0..DOCUMENTS).map(document).collect()
}

/// Those of the API, and the pages beside it.
fn all_operations() -> Vec<Operation> {
    let pages = ["/openapi.json", "/docs/", "/problems", "/problems/sold-out"];
    pages.into_iter().map(Operation::page).chain(operations()).collect()
}

/// The example of the operation's body, with an id of its own and with those of what is there.
fn good_body(operation: &Operation, hold: &str, quote: &str) -> Option<Value> {
    let Some(Body { schema, example: body, .. }) = operation.body else {
        // What a webhook says is up to its sender.
        return operation.path.starts_with("/webhooks/").then(|| json!({"paid": true}));
    };
    let there = |name: &str| example(name).as_str().unwrap();
    let text = body.to_string().replace(there("HoldId"), hold).replace(there("QuoteId"), quote);
    let mut body: Value = serde_json::from_str(&text).unwrap();
    if schema["properties"]["id"].is_object() {
        body["id"] = json!(Uuid::now_v7());
    }
    if let Some(url) = body.get_mut("url") {
        // Nobody is there, and nothing leaves the machine: it is no address that is called.
        *url = json!("https://127.0.0.1/hook");
    }
    Some(body)
}

fn query(method: &str, path: &str) -> Vec<(&'static str, String)> {
    let pairs: &[(&str, &str)] = match (method, path) {
        ("GET", "/v1/{tenant}/pools") => &[("resource", "double"), ("limit", "3")],
        ("GET", "/v1/{tenant}/availability") => &[("from", "2026-12-24"), ("until", "2026-12-27")],
        ("GET", "/v1/{tenant}/holds") => &[("state", "active"), ("limit", "3")],
        ("GET", "/v1/{tenant}/properties/{property}/calendar") => {
            &[("from", "2099-12-24"), ("until", "2099-12-27"), ("room_type", "double")]
        }
        ("GET", "/v1/{tenant}/stays") => &[("property", "casa-mar"), ("state", "active"), ("limit", "3")],
        ("GET", "/v1/{tenant}/reservations") => {
            &[("property", "casa-mar"), ("staying", "2099-12-24"), ("state", "confirmed"), ("limit", "3")]
        }
        ("POST", "/v1/{tenant}/stays/{hold}/checkout") => &[("wait_ms", "1")],
        ("GET", "/v1/{tenant}/events") => &[("after", "0-0"), ("limit", "3")],
        ("POST", "/webhooks/{source}/{rest}") => &[("mode", "live")],
        ("GET", "/v1/{tenant}/documents") => &[("store", "main"), ("reference", "INV-17"), ("limit", "3")],
        ("GET", "/v1/{tenant}/documents/{document}") => &[("part", "0")],
        ("GET", "/v1/{tenant}/stock") => &[("store", "main"), ("product", "tea"), ("place", "on_hand"), ("limit", "3")],
        ("GET", "/v1/{tenant}/stock/balances") => &[("at", "2026-12-24T00:00:00Z"), ("store", "main"), ("limit", "3")],
        ("GET", "/v1/{tenant}/stock/turnover") => {
            &[("from", "2026-01-01T00:00:00Z"), ("until", "2099-01-01T00:00:00Z"), ("product", "tea"), ("limit", "3")]
        }
        ("GET", "/v1/{tenant}/stock/shortages") => &[("store", "main"), ("below", "5"), ("limit", "3")],
        ("GET", "/v1/{tenant}/stock/{store}/{product}") => &[("place", "in_transit")],
        ("GET", "/v1/{tenant}/stock/{store}/{product}/card") => {
            &[("order", "effect"), ("after", "1-1"), ("limit", "3")]
        }
        ("GET", "/v1/{tenant}/stores" | "/v1/{tenant}/products") => &[("after", "a"), ("limit", "3")],
        ("GET", "/v1/{tenant}/properties" | "/v1/{tenant}/schedules" | "/admin/tenants") => {
            &[("after", "a"), ("limit", "3")]
        }
        ("GET", "/v1/{tenant}/webhook-endpoints/{endpoint}/deliveries") => &[("limit", "3")],
        ("GET", "/v1/{tenant}/operations") => &[("state", "PENDING"), ("limit", "3")],
        ("GET", "/v1/{tenant}/timeline") => &[("correlation", "a=1")],
        ("GET", "/v1/{tenant}/cases") => &[("state", "open"), ("limit", "3")],
        ("GET", "/admin/keys") => &[("tenant", TENANT), ("mode", "live")],
        _ => &[],
    };
    pairs.iter().map(|(name, value)| (*name, (*value).to_owned())).collect()
}
