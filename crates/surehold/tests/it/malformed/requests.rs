//! A good request of every operation: what the mutations start from.

use std::collections::BTreeSet;

use serde_json::{Value, json};
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
    pub(super) operation: (&'static str, &'static str),
    pub(super) method: String,
    pub(super) path: String,
    pub(super) query: Vec<(&'static str, String)>,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Option<Value>,
}

/// What the good requests refer to.
pub(super) struct World {
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
        }
    }

    /// A good request of the operation with this number; numbers beyond the last begin again.
    pub(super) fn request(&self, number: usize, random: &mut Random) -> Request {
        let (method, path) = OPERATIONS[number % OPERATIONS.len()];
        let hold = random.pick(&self.holds).clone();
        let pool = POOLS[random.below(2)];
        let key =
            if path.starts_with("/v1") || path.starts_with("/tasks") { &self.tenant_key } else { &self.admin_key };
        let body = body(method, path, &hold);
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
        let filled = path.replace("{tenant}", TENANT).replace("{hold}", &hold).replace("{resource}", pool);
        let filled = filled.replace("{inbox}", "orders").replace("{task}", "expire-hold");
        let filled = filled.replace("{source}", "standard").replace("{rest}", &format!("{TENANT}/orders"));
        let filled = filled.replace("{name}", "night");
        let filled = filled.replace("{property}", "sea").replace("{code}", "double").replace("{quote}", &self.quote_id);
        let filled = filled.replace("{store}", "main").replace("{product}", "tea").replace("{barcode}", "4001");
        let filled = filled.replace("{document}", random.pick::<String>(&self.documents)).replace("{number}", "1");
        let filled = filled.replace("{type}", "EXPIRE_HOLD").replace("{kind}", "operation-stuck");
        Request {
            operation: (method, path),
            method: method.to_owned(),
            path: filled.replace("{key}", &self.spare_key_id).replace("{endpoint}", "orders"),
            query: query(method, path),
            headers,
            body,
        }
    }
}

/// A property whose nights can be had, and a quote for some of them. The plan has the same code as the room type, because
/// both are `{code}` in addresses.
fn sell_nights(server: &LiveServer) -> String {
    let property = format!("/v1/{TENANT}/properties/sea");
    for (method, address) in [
        ("PUT", "/v1/{tenant}/properties/{property}"),
        ("PUT", "/v1/{tenant}/properties/{property}/room-types/{code}"),
        ("PUT", "/v1/{tenant}/properties/{property}/rate-plans/{code}"),
        ("PUT", "/v1/{tenant}/properties/{property}/calendar"),
    ] {
        let path = address.replace("/v1/{tenant}/properties/{property}", &property).replace("{code}", "double");
        server.administer(method, &path, &body(method, address, "").unwrap());
    }
    let ask = body("POST", "/v1/{tenant}/quotes", "").unwrap();
    let quote = server.administer("POST", &format!("/v1/{TENANT}/quotes"), &ask);
    quote["id"].as_str().unwrap().to_owned()
}

/// A store, a product with barcodes, and documents about it: every other one is a draft.
fn stock_up(server: &LiveServer) -> Vec<String> {
    for (method, address) in [
        ("PUT", "/v1/{tenant}/stores/{store}"),
        ("PUT", "/v1/{tenant}/products/{product}"),
        ("PUT", "/v1/{tenant}/products/{product}/barcodes"),
    ] {
        let path = address.replace("{tenant}", TENANT).replace("{store}", "main").replace("{product}", "tea");
        server.administer(method, &path, &body(method, address, "").unwrap());
    }
    let document = |number: usize| {
        let mut document = body("POST", "/v1/{tenant}/documents", "").unwrap();
        document["post"] = number.is_multiple_of(2).into();
        let made = server.administer("POST", &format!("/v1/{TENANT}/documents"), &document);
        made["id"].as_str().unwrap().to_owned()
    };
    (0..DOCUMENTS).map(document).collect()
}

/// Fails when the API has an operation that is not spoilt here.
pub(super) fn assert_complete(description: &Value) {
    let mut described = BTreeSet::new();
    for (path, item) in description["paths"].as_object().unwrap() {
        for method in item.as_object().unwrap().keys().filter(|name| *name != "parameters") {
            described.insert((method.to_uppercase(), path.clone()));
        }
    }
    let here: BTreeSet<_> =
        OPERATIONS.iter().map(|(method, path)| ((*method).to_owned(), (*path).to_owned())).collect();
    let missing: Vec<_> = described.difference(&here).collect();
    assert!(missing.is_empty(), "add good requests of {missing:?} to this module");
}

/// Those of the API, and the pages beside it.
const OPERATIONS: [(&str, &str); 115] = [
    ("GET", "/v1/{tenant}"),
    ("PUT", "/v1/{tenant}/policy"),
    ("GET", "/v1/{tenant}/pools"),
    ("PUT", "/v1/{tenant}/pools"),
    ("GET", "/v1/{tenant}/pools/{resource}"),
    ("PUT", "/v1/{tenant}/pools/{resource}"),
    ("POST", "/v1/{tenant}/pools/{resource}/adjust"),
    ("GET", "/v1/{tenant}/pools/{resource}/explain"),
    ("GET", "/v1/{tenant}/availability"),
    ("GET", "/v1/{tenant}/holds"),
    ("POST", "/v1/{tenant}/holds"),
    ("GET", "/v1/{tenant}/holds/{hold}"),
    ("POST", "/v1/{tenant}/holds/{hold}/extend"),
    ("POST", "/v1/{tenant}/holds/{hold}/convert"),
    ("POST", "/v1/{tenant}/holds/{hold}/cancel"),
    ("POST", "/v1/{tenant}/holds/{hold}/move"),
    ("POST", "/v1/{tenant}/holds/{hold}/give-back"),
    ("POST", "/v1/{tenant}/holds/batch"),
    ("GET", "/v1/{tenant}/properties"),
    ("GET", "/v1/{tenant}/properties/{property}"),
    ("PUT", "/v1/{tenant}/properties/{property}"),
    ("GET", "/v1/{tenant}/properties/{property}/room-types"),
    ("GET", "/v1/{tenant}/properties/{property}/room-types/{code}"),
    ("PUT", "/v1/{tenant}/properties/{property}/room-types/{code}"),
    ("GET", "/v1/{tenant}/properties/{property}/rate-plans"),
    ("GET", "/v1/{tenant}/properties/{property}/rate-plans/{code}"),
    ("PUT", "/v1/{tenant}/properties/{property}/rate-plans/{code}"),
    ("GET", "/v1/{tenant}/properties/{property}/calendar"),
    ("PUT", "/v1/{tenant}/properties/{property}/calendar"),
    ("PUT", "/v1/{tenant}/properties/{property}/calendar/rows"),
    ("POST", "/v1/{tenant}/quotes"),
    ("GET", "/v1/{tenant}/quotes/{quote}"),
    ("GET", "/v1/{tenant}/stays"),
    ("POST", "/v1/{tenant}/stays"),
    ("GET", "/v1/{tenant}/stays/{hold}"),
    ("POST", "/v1/{tenant}/stays/{hold}/cancel"),
    ("POST", "/v1/{tenant}/stays/{hold}/confirm"),
    ("POST", "/v1/{tenant}/stays/{hold}/checkout"),
    ("DELETE", "/v1/{tenant}/stays/{hold}/guest"),
    ("GET", "/v1/{tenant}/reservations"),
    ("POST", "/v1/{tenant}/reservations"),
    ("GET", "/v1/{tenant}/reservations/{hold}"),
    ("POST", "/v1/{tenant}/reservations/{hold}/cancel"),
    ("POST", "/v1/{tenant}/reservations/{hold}/no-show"),
    ("POST", "/v1/{tenant}/reservations/{hold}/change"),
    ("POST", "/v1/{tenant}/holds/{hold}/sell"),
    ("GET", "/v1/{tenant}/stores"),
    ("GET", "/v1/{tenant}/stores/{store}"),
    ("PUT", "/v1/{tenant}/stores/{store}"),
    ("GET", "/v1/{tenant}/products"),
    ("GET", "/v1/{tenant}/products/{product}"),
    ("PUT", "/v1/{tenant}/products/{product}"),
    ("PUT", "/v1/{tenant}/products/{product}/barcodes"),
    ("GET", "/v1/{tenant}/barcodes/{barcode}"),
    ("GET", "/v1/{tenant}/books"),
    ("PUT", "/v1/{tenant}/books"),
    ("GET", "/v1/{tenant}/documents"),
    ("POST", "/v1/{tenant}/documents"),
    ("POST", "/v1/{tenant}/documents/preview"),
    ("POST", "/v1/{tenant}/documents/import"),
    ("GET", "/v1/{tenant}/documents/{document}"),
    ("PUT", "/v1/{tenant}/documents/{document}/parts/{number}"),
    ("POST", "/v1/{tenant}/documents/{document}/post"),
    ("POST", "/v1/{tenant}/documents/{document}/reverse"),
    ("GET", "/v1/{tenant}/stock"),
    ("GET", "/v1/{tenant}/stock/balances"),
    ("GET", "/v1/{tenant}/stock/turnover"),
    ("GET", "/v1/{tenant}/stock/shortages"),
    ("GET", "/v1/{tenant}/stock/{store}/{product}"),
    ("GET", "/v1/{tenant}/stock/{store}/{product}/card"),
    ("GET", "/v1/{tenant}/schedules"),
    ("PUT", "/v1/{tenant}/schedules/{name}"),
    ("GET", "/v1/{tenant}/schedules/{name}"),
    ("DELETE", "/v1/{tenant}/schedules/{name}"),
    ("GET", "/v1/{tenant}/events"),
    ("GET", "/v1/{tenant}/inboxes"),
    ("PUT", "/v1/{tenant}/inboxes/{inbox}"),
    ("DELETE", "/v1/{tenant}/inboxes/{inbox}"),
    ("POST", "/v1/{tenant}/tasks/{task}"),
    ("POST", "/tasks/{task}"),
    ("POST", "/webhooks/{source}/{rest}"),
    ("GET", "/v1/{tenant}/webhook-endpoints"),
    ("GET", "/v1/{tenant}/webhook-endpoints/{endpoint}"),
    ("PUT", "/v1/{tenant}/webhook-endpoints/{endpoint}"),
    ("DELETE", "/v1/{tenant}/webhook-endpoints/{endpoint}"),
    ("POST", "/v1/{tenant}/webhook-endpoints/{endpoint}/rotate-secret"),
    ("POST", "/v1/{tenant}/webhook-endpoints/{endpoint}/enable"),
    ("POST", "/v1/{tenant}/webhook-endpoints/{endpoint}/replay"),
    ("GET", "/v1/{tenant}/webhook-endpoints/{endpoint}/deliveries"),
    ("GET", "/v1/{tenant}/operations"),
    ("GET", "/v1/{tenant}/operations/{type}/{key}"),
    ("POST", "/v1/{tenant}/operations/{type}/{key}/retry"),
    ("POST", "/v1/{tenant}/operations/{type}/{key}/cancel"),
    ("POST", "/v1/{tenant}/operations/{type}/{key}/redrive"),
    ("POST", "/v1/{tenant}/operations/{type}/{key}/settle"),
    ("GET", "/v1/{tenant}/timeline"),
    ("GET", "/v1/{tenant}/cases"),
    ("GET", "/v1/{tenant}/cases/{kind}/{key}"),
    ("POST", "/v1/{tenant}/cases/{kind}/{key}/assign"),
    ("POST", "/v1/{tenant}/cases/{kind}/{key}/resolve"),
    ("GET", "/admin/epoch"),
    ("POST", "/admin/epoch"),
    ("POST", "/admin/repairs"),
    ("GET", "/healthz"),
    ("GET", "/readyz"),
    ("GET", "/metrics"),
    ("GET", "/admin/tenants"),
    ("POST", "/admin/tenants"),
    ("GET", "/admin/keys"),
    ("POST", "/admin/keys"),
    ("POST", "/admin/keys/{key}/rotate"),
    ("POST", "/admin/keys/{key}/revoke"),
    ("GET", "/openapi.json"),
    ("GET", "/docs/"),
    ("GET", "/problems"),
    ("GET", "/problems/sold-out"),
];

fn query(method: &str, path: &str) -> Vec<(&'static str, String)> {
    let pairs: &[(&str, &str)] = match (method, path) {
        ("GET", "/v1/{tenant}/pools") => &[("resource", "double"), ("limit", "3")],
        ("GET", "/v1/{tenant}/availability") => &[("from", "2026-12-24"), ("until", "2026-12-27")],
        ("GET", "/v1/{tenant}/holds") => &[("state", "active"), ("limit", "3")],
        ("GET", "/v1/{tenant}/properties/{property}/calendar") => {
            &[("from", "2099-12-24"), ("until", "2099-12-27"), ("room_type", "double")]
        }
        ("GET", "/v1/{tenant}/stays") => &[("property", "sea"), ("state", "active"), ("limit", "3")],
        ("GET", "/v1/{tenant}/reservations") => {
            &[("property", "sea"), ("staying", "2099-12-24"), ("state", "confirmed"), ("limit", "3")]
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

fn body(method: &str, path: &str, hold: &str) -> Option<Value> {
    let new_hold = Uuid::now_v7();
    let lines = json!([{"resource": "double", "quantity": 1}, {"resource": "t-shirt", "quantity": 2}]);
    Some(match (method, path) {
        ("PUT", "/v1/{tenant}/policy") => json!({"lifetime_secs_default": 900, "lifetime_secs_max": 86_400,
            "owner_holds_max": 1_000_000, "owner_lifetime_secs_max": 9_000_000_000_i64}),
        ("PUT", "/v1/{tenant}/pools") => {
            json!({"pools": [{"resource": "double", "total": 1_000_000, "overbook": 1, "closed": false},
                {"resource": "suite", "slot": "2026-12-24", "total": 5}]})
        }
        ("PUT", "/v1/{tenant}/pools/{resource}") => json!({"total": 1_000_000, "overbook": 0, "closed": false}),
        ("POST", "/v1/{tenant}/pools/{resource}/adjust") => json!({"total_delta": 1}),
        ("POST", "/v1/{tenant}/holds") => json!({"id": new_hold, "lines": lines, "lifetime_secs": 1, "owner": "ada",
            "reference": "cart-1", "metadata": {"a": [1, {"b": null}]}}),
        ("POST", "/v1/{tenant}/holds/{hold}/extend") => json!({"by_secs": 1, "for_payment": true}),
        ("POST", "/v1/{tenant}/holds/{hold}/convert") => {
            json!({"mode": "book", "lines": [{"resource": "double", "slot": "", "quantity": 1}]})
        }
        ("POST", "/v1/{tenant}/holds/{hold}/move") => {
            json!({"from": [{"resource": "double"}], "to": [{"resource": "t-shirt"}]})
        }
        ("POST", "/v1/{tenant}/holds/{hold}/give-back") => json!({"lines": [{"resource": "double"}]}),
        ("POST", "/v1/{tenant}/holds/batch") => json!({"commands": [
            {"place": {"id": new_hold, "lines": lines, "lifetime_secs": 1}},
            {"extend": {"id": hold, "until": "2026-12-24T00:00:00Z"}},
            {"convert": {"id": hold, "mode": "book"}},
            {"cancel": {"id": hold}}]}),
        ("PUT", "/v1/{tenant}/properties/{property}") => json!({"title": "Sea", "time_zone": "UTC", "currency": "BRL",
            "check_in": "15:00", "terms": {"quote_secs": 1_800, "hold_secs": 900}}),
        ("PUT", "/v1/{tenant}/properties/{property}/room-types/{code}") => json!({"title": "Double", "guests_max": 2}),
        ("PUT", "/v1/{tenant}/properties/{property}/rate-plans/{code}") => json!({"title": "Flexible",
            "cancellation": {"free_until_hours": 48, "penalty": {"nights": 1}, "no_show": "all"}}),
        ("PUT", "/v1/{tenant}/properties/{property}/calendar") => json!({"changes": [{"room_types": ["double"],
            "from": "2099-12-24", "until": "2099-12-27", "weekdays": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
            "inventory": {"total": 1_000_000, "overbook": 0, "closed": false},
            "rates": [{"rate_plan": "double", "price": 100, "min_stay": null, "stop_sell": false}]}]}),
        ("PUT", "/v1/{tenant}/properties/{property}/calendar/rows") => json!({"rows": [{"room_types": ["double"],
            "from": "2099-12-24", "until": "2099-12-27", "rates": [{"rate_plan": "double", "price": 100}]}],
            "dry_run": false, "skip_refused": true}),
        ("POST", "/v1/{tenant}/quotes") => json!({"id": new_hold, "property": "sea", "checkin": "2099-12-24",
            "checkout": "2099-12-27", "guests": 2, "rooms": 1}),
        ("POST", "/v1/{tenant}/stays") => json!({"id": new_hold, "quote": hold, "items": [{"option": 1, "rooms": 1}],
            "guest": {"name": "Ann", "email": "ann@example.org", "phone": "1"}, "conversation": "chat-1",
            "lifetime_secs": 60}),
        ("POST", "/v1/{tenant}/stays/{hold}/confirm") => json!({"paid": 1}),
        ("POST", "/v1/{tenant}/stays/{hold}/checkout") => {
            json!({"success_url": "https://example.org/a", "cancel_url": "https://example.org/b"})
        }
        ("POST", "/v1/{tenant}/reservations") => json!({"id": new_hold, "property": "sea", "checkin": "2099-12-24",
            "checkout": "2099-12-27", "rooms": [{"room_type": "double", "rate_plan": "double", "rooms": 1}],
            "guest": {"name": "Ann"}, "paid": 0}),
        ("POST", "/v1/{tenant}/reservations/{hold}/cancel" | "/v1/{tenant}/reservations/{hold}/no-show") => {
            json!({"waived_by": "ana"})
        }
        ("POST", "/v1/{tenant}/reservations/{hold}/change") => {
            json!({"checkin": "2099-12-24", "checkout": "2099-12-26",
            "rooms": [{"room_type": "double", "rate_plan": "double", "rooms": 1}], "refund_excess": true})
        }
        ("PUT", "/v1/{tenant}/inboxes/{inbox}") => json!({"secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}),
        ("POST", "/v1/{tenant}/tasks/{task}" | "/tasks/{task}") => json!({"hold": hold}),
        ("POST", "/webhooks/{source}/{rest}") => json!({"paid": true}),
        ("PUT", "/v1/{tenant}/schedules/{name}") => json!({"cron": "0 2 * * *", "zone": "America/Sao_Paulo",
            "type": "ANNOUNCE", "payload": {"topic": "audit", "data": {"a": [1]}}, "correlations": ["a=1"],
            "enabled": true}),
        ("POST", "/admin/repairs") => json!({"tenant": 1, "actor": "ada", "reason": "audit", "repairs": [
            {"pool": {"resource": "double", "slot": "", "held_delta": 1, "booked_delta": -1, "number": 0}},
            {"owner": {"owner": "ada", "owner_version": 0, "holds": [hold], "number": 0}},
            {"lock": {"aggregate": "a", "type": "ANNOUNCE", "key": "k", "token": 1, "number": 0}}]}),
        // Nobody is there, and nothing leaves the machine: it is no address that is called.
        ("PUT", "/v1/{tenant}/webhook-endpoints/{endpoint}") => {
            json!({"url": "https://127.0.0.1/hook", "events": ["hold_placed"], "replace": true})
        }
        ("POST", "/v1/{tenant}/webhook-endpoints/{endpoint}/rotate-secret") => json!({"overlap_secs": 0}),
        ("POST", "/v1/{tenant}/webhook-endpoints/{endpoint}/enable") => json!({"from_now": true}),
        ("POST", "/v1/{tenant}/webhook-endpoints/{endpoint}/replay") => {
            json!({"from": "1-0", "to": "9-0", "key": "again"})
        }
        ("POST", "/v1/{tenant}/operations/{type}/{key}/settle") => {
            json!({"step": 0, "verdict": "happened", "provider_ref": "r", "actor": "ana", "reason": "seen"})
        }
        ("POST", "/v1/{tenant}/cases/{kind}/{key}/assign") => json!({"to": "ana"}),
        (
            "POST",
            "/v1/{tenant}/operations/{type}/{key}/retry"
            | "/v1/{tenant}/operations/{type}/{key}/cancel"
            | "/v1/{tenant}/operations/{type}/{key}/redrive"
            | "/v1/{tenant}/cases/{kind}/{key}/resolve"
            | "/admin/epoch",
        ) => json!({"actor": "ana", "reason": "seen"}),
        ("POST", "/admin/tenants") => json!({"slug": "casa-verde", "policy": {"lifetime_secs_default": 60}}),
        ("POST", "/admin/keys") => json!({"tenant": TENANT, "name": "till", "scopes": ["read", "sell"], "mode": "test",
            "expires_at": "2099-01-01T00:00:00Z", "requests_per_s": 10}),
        ("POST", "/admin/keys/{key}/rotate") => json!({"overlap_secs": 60}),
        _ => return stock_body(method, path),
    })
}

fn stock_body(method: &str, path: &str) -> Option<Value> {
    let new_id = Uuid::now_v7();
    Some(match (method, path) {
        ("PUT", "/v1/{tenant}/stores/{store}") => json!({"title": "Main street", "currency": "EUR"}),
        ("PUT", "/v1/{tenant}/products/{product}") => json!({"title": "Tea", "unit": "pcs", "scale": 0,
            "packs": [{"name": "box", "factor": 12}], "tracking": "none"}),
        ("PUT", "/v1/{tenant}/products/{product}/barcodes") => {
            json!({"barcodes": [{"code": "4001", "pack": "box"}, {"code": "4002"}]})
        }
        ("PUT", "/v1/{tenant}/books") => json!({"closed_until": "1999-01-01T00:00:00Z"}),
        ("POST", "/v1/{tenant}/documents" | "/v1/{tenant}/documents/preview") => json!({"id": new_id,
            "kind": "purchase", "store": "main", "effective_at": "2026-01-01T00:00:00Z", "reference": "INV-17",
            "note": "Tuesday", "post": true, "extra": {"amount": 10, "by": "quantity"},
            "lines": [{"product": "tea", "count": 2, "pack": "box", "price": "24.905"}, {"barcode": "4001", "count": 1,
            "amount": 7}]}),
        ("POST", "/v1/{tenant}/documents/import") => json!({"id": new_id,
            "header": {"kind": "purchase", "store": "main", "reference": "INV-17"},
            "rows": [{"product": "tea", "count": "2", "pack": "box", "price": "24.905"}]}),
        ("PUT", "/v1/{tenant}/documents/{document}/parts/{number}") => {
            json!({"lines": [{"product": "tea", "count": 1, "amount": 7}]})
        }
        ("POST", "/v1/{tenant}/documents/{document}/reverse") => json!({"id": new_id, "note": "by mistake"}),
        ("POST", "/v1/{tenant}/holds/{hold}/sell") => json!({"id": new_id, "store": "main", "reference": "cart-1",
            "lines": [{"product": "tea", "count": 1}]}),
        _ => return None,
    })
}
