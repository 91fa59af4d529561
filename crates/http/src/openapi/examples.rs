//! Whether every request has an example, and whether examples are what their descriptions say.

use serde_json::Value;

use super::fits::fits;
use crate::openapi::COMMITTED;

#[test]
fn every_request_has_an_example() {
    let description: Value = serde_json::from_str(COMMITTED).unwrap();
    let operations = description["paths"].as_object().unwrap().values().flat_map(|item| item.as_object().unwrap());
    for (_, operation) in operations.filter(|(_, operation)| operation["requestBody"].is_object()) {
        let reference = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].as_str();
        let Some(place) = reference.and_then(|reference| reference.strip_prefix('#')) else {
            panic!("{} takes a body that is no type of its own", operation["operationId"]);
        };
        let example = &description.pointer(place).unwrap()["example"];
        assert!(example.is_object(), "declare `#[schema(example = json!(…))]` on the type {place}");
    }
}

#[test]
fn every_example_fits() {
    let description: Value = serde_json::from_str(COMMITTED).unwrap();
    let count = check_examples(&description, &description["components"]["schemas"]);
    assert!(count >= 100, "{count}");
}

/// Of a schema, or of a parameter, beside its schema.
fn check_examples(within: &Value, components: &Value) -> usize {
    let examples = within["examples"].as_array().into_iter().flatten().chain(within.get("example"));
    let schema = within.get("schema").unwrap_or(within);
    let mut count = 0;
    for example in examples {
        assert!(fits(example, schema, components), "{example} is no {schema}");
        count += 1;
    }
    let inner: Vec<&Value> = match within {
        Value::Object(members) => members.values().collect(),
        Value::Array(items) => items.iter().collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    };
    count + inner.into_iter().map(|inner| check_examples(inner, components)).sum::<usize>()
}
