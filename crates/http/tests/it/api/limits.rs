//! The limits in the description are those of the server: what a schema allows is not called invalid, and what it does not
//! allow is. Walks the description, so that a new number is covered too.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use surehold_http::fuzz::{Operation, operations};
use surehold_http::{ApiConfig, OPENAPI_DOCUMENT};

use super::walk::{good_body, row};
use super::world::World;

/// Numbers and lists that the example does not have, because of what else it says.
fn other_bodies(operation: &Operation) -> Vec<Value> {
    match operation.name().as_str() {
        "PUT /v1/{tenant}/pools" => vec![json!({"pools": [{"resource": "room", "total": 1, "expected_version": 1}]})],
        "PUT /v1/{tenant}/pools/{resource}" => vec![json!({"total": 1, "expected_version": 1})],
        "PUT /v1/{tenant}/properties/{property}/calendar" => vec![json!({"changes": [{
            "room_types": ["double"], "from": "2099-12-24", "until": "2099-12-27", "inventory": {"total": 1},
            "rates": [{"rate_plan": "flexible", "max_stay": 1, "min_advance_days": 1, "max_advance_days": 1}],
        }]})],
        "POST /v1/{tenant}/documents" => vec![
            json!({"kind": "purchase", "store": "main", "extra": {"amount": 1},
                "lines": [{"product": "tea", "count": 1, "amount": 1, "serials": ["S1"]}]}),
            json!({"kind": "recount", "store": "main", "lines": [{"product": "tea", "count": 0, "against": {"seq": 1}}]}),
            json!({"kind": "customer_return", "store": "main", "about": "01890a5d-ac96-774b-bcce-b302099a8058",
                "lines": [{"count": 1, "of_line": 1}]}),
        ],
        "POST /v1/{tenant}/documents/import" => vec![json!({
            "id": "01890a5d-ac96-774b-bcce-b302099a8057", "header": {"kind": "recount", "store": "main"},
            "rows": [{"product": "tea", "count": "8", "against": 7, "serials": ["S1"]}],
        })],
        _ => Vec::new(),
    }
}

/// What an answer says of these is that something is not there, or is not as expected, before it says that a value is not
/// allowed.
const LOOKED_FOR_FIRST: [&str; 7] = [
    "Against.seq",
    "CreateStay.lifetime_secs",
    "NewLine.of_line",
    "PoolPut.expected_version",
    "PutPool.expected_version",
    "SaveLines.lines",
    "StayItem.option",
];

/// Allowed or not because of another value: only a recount counts nothing, and no lifetime is shorter than the default one.
const RELATED: [(&str, i64); 2] = [("NewLine.count", 0), ("Policy.lifetime_secs_max", 1)];

/// A number or a list in a body, with the limits of its schema.
struct Limited {
    pointer: String,
    name: String,
    /// Within the limits, and just beyond.
    good: Vec<Value>,
    bad: Vec<Value>,
}

struct Walk<'a> {
    schemas: &'a Value,
    found: Vec<Limited>,
    /// Every number that a request may have.
    numbers: BTreeSet<String>,
}

impl Walk<'_> {
    fn body(&mut self, schema: &Value, name: &str, pointer: &str, value: Option<&Value>) {
        if let Some(reference) = schema["$ref"].as_str() {
            let name = reference.rsplit('/').next().unwrap();
            return self.body(&self.schemas[name], name, pointer, value);
        }
        for branch in schema["oneOf"].as_array().into_iter().flatten() {
            self.body(branch, name, pointer, value);
        }
        let is = |wanted: &str| schema["type"] == wanted || schema["type"] == json!([wanted, "null"]);
        if is("integer") {
            self.numbers.insert(name.to_owned());
        }
        let Some(value) = value else { return self.members(schema, name, pointer, None) };
        if is("integer") && (value.is_number() || value.is_null()) {
            self.found.push(number(schema, name, pointer));
        } else if is("array") {
            self.list(schema, name, pointer, value);
        } else {
            self.members(schema, name, pointer, Some(value));
        }
    }

    fn members(&mut self, schema: &Value, name: &str, pointer: &str, value: Option<&Value>) {
        for (member, schema) in schema["properties"].as_object().into_iter().flatten() {
            let value = value.and_then(|value| value.get(member));
            self.body(schema, &format!("{name}.{member}"), &format!("{pointer}/{member}"), value);
        }
        if value.is_none() && schema["items"].is_object() {
            self.body(&schema["items"], name, pointer, None);
        }
    }

    fn list(&mut self, schema: &Value, name: &str, pointer: &str, value: &Value) {
        let least = schema["minItems"].as_u64().unwrap_or(0);
        let most = schema["maxItems"].as_u64().and_then(|most| usize::try_from(most).ok());
        let items = value.as_array().unwrap();
        let empty = json!([]);
        let other = |index: usize| match items.first() {
            Some(Value::String(text)) => json!(format!("{text}{index}")),
            first => first.cloned().unwrap_or_default(),
        };
        let too_many = most.map(|most| (0..=most).map(other).collect());
        let (good, bad) = if least == 0 { (vec![empty], Vec::new()) } else { (Vec::new(), vec![empty]) };
        let bad = bad.into_iter().chain(too_many).collect();
        self.found.push(Limited { pointer: pointer.to_owned(), name: name.to_owned(), good, bad });
        for (index, item) in items.iter().enumerate() {
            self.body(&schema["items"], name, &format!("{pointer}/{index}"), Some(item));
        }
    }
}

fn number(schema: &Value, name: &str, pointer: &str) -> Limited {
    let (least, most) = (schema["minimum"].as_i64(), schema["maximum"].as_i64());
    let good = [least.unwrap_or(i64::MIN), most.unwrap_or(i64::MAX)];
    let bad = [least.and_then(|least| least.checked_sub(1)), most.and_then(|most| most.checked_add(1))];
    Limited {
        pointer: pointer.to_owned(),
        name: name.to_owned(),
        good: good.map(Value::from).to_vec(),
        bad: bad.into_iter().flatten().map(Value::from).collect(),
    }
}

fn with(body: &Value, pointer: &str, value: &Value) -> Value {
    let mut body = body.clone();
    *body.pointer_mut(pointer).unwrap() = value.clone();
    body
}

#[tokio::test]
async fn limits_are_those_of_the_description() {
    let w = World::with(ApiConfig { check_webhook_url: |_| Ok(()), ..ApiConfig::default() }).await;
    let openapi: Value = serde_json::from_str(OPENAPI_DOCUMENT).unwrap();
    let (mut numbers, mut tried, mut judged, mut wrong) =
        (BTreeSet::new(), BTreeSet::new(), BTreeSet::new(), Vec::new());
    let mut requests = 0;
    for operation in operations() {
        let Some(good) = good_body(&operation) else { continue };
        let described = &openapi["paths"][&operation.path][operation.method.to_lowercase()];
        let takes_key = described["parameters"].to_string().contains("Idempotency-Key");
        let schema = &described["requestBody"]["content"]["application/json"]["schema"];
        for body in other_bodies(&operation).into_iter().chain([good]) {
            let mut walk =
                Walk { schemas: &openapi["components"]["schemas"], found: Vec::new(), numbers: BTreeSet::new() };
            walk.body(schema, "", "", Some(&body));
            numbers.append(&mut walk.numbers);
            for Limited { pointer, name, good, bad } in walk.found {
                let good = good.iter().filter(|value| !RELATED.iter().any(|(of, at)| *of == name && *value == at));
                for (value, is_good) in good.map(|value| (value, true)).chain(bad.iter().map(|value| (value, false))) {
                    requests += 1;
                    let key = if takes_key { format!("Idempotency-Key:limits-{requests} ") } else { String::new() };
                    let body = with(&body, &pointer, value);
                    let row = format!("{} {key}Surehold-Task-Id:limits-{requests} {body}", row(&operation, "casa"));
                    let answer = w.ask(&row).await;
                    let refused = answer.text().contains(r#""code":"invalid""#);
                    let is_open = !is_good && !refused && matches!(answer.status.as_u16(), 404 | 409);
                    if is_good == refused && !is_open || answer.status.is_server_error() {
                        wrong.push(format!("{name}: {row:.300}: {}", answer.text()));
                    }
                    tried.insert(name.clone());
                    if is_good && bad.is_empty() || !is_good && !is_open {
                        judged.insert(name.clone());
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let untried: Vec<_> = numbers.difference(&tried).collect();
    assert!(untried.is_empty(), "say them in a body of `other_bodies`: {untried:?}");
    let open: Vec<_> = tried.difference(&judged).collect();
    assert_eq!(open, LOOKED_FOR_FIRST, "nothing was said of values beyond these limits");
}

#[tokio::test]
async fn limits_of_parameters_are_those_of_the_description() {
    let w = World::new().await;
    let openapi: Value = serde_json::from_str(OPENAPI_DOCUMENT).unwrap();
    let mut wrong = Vec::new();
    for operation in operations() {
        let described = &openapi["paths"][&operation.path][operation.method.to_lowercase()];
        for parameter in described["parameters"].as_array().into_iter().flatten() {
            let (name, schema) = (parameter["name"].as_str().unwrap(), &parameter["schema"]);
            if schema["type"] != "integer" || parameter["in"] != "query" {
                continue;
            }
            let Limited { good, bad, .. } = number(schema, name, "");
            for (value, is_good) in good.iter().map(|value| (value, true)).chain(bad.iter().map(|value| (value, false)))
            {
                let row = row(&operation, "casa");
                let and = if row.contains('?') { '&' } else { '?' };
                let body = good_body(&operation).map(|body| body.to_string()).unwrap_or_default();
                let row = format!("{row}{and}{name}={value} {body}");
                let answer = w.ask(row.trim_end()).await;
                let refused = answer.text().contains(r#""code":"malformed-request""#);
                // A document without such a part is looked for first.
                let is_open = !is_good && answer.status == 404;
                if is_good == refused && !is_open || answer.status.is_server_error() {
                    wrong.push(format!("{row}: {}", answer.text()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
