//! Whether events are what their descriptions say.

use serde_json::Value;
use surehold_core::kernel::{Event, Timestamp};
use surehold_samples::samples_of;

use crate::openapi::COMMITTED;
use crate::wire;

/// Of what descriptions of events use, apart from patterns and bounds.
fn fits(value: &Value, schema: &Value, components: &Value) -> bool {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap();
        return fits(value, &components[name], components);
    }
    if let Some(either) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
        return either.iter().any(|schema| fits(value, schema, components));
    }
    match schema["type"].as_str() {
        Some("object") => {
            let (Some(object), Some(properties)) = (value.as_object(), schema["properties"].as_object()) else {
                return false;
            };
            let mut required = schema["required"].as_array().into_iter().flatten().map(|name| name.as_str().unwrap());
            required.all(|name| object.contains_key(name))
                && object
                    .iter()
                    .all(|(name, value)| properties.get(name).is_some_and(|schema| fits(value, schema, components)))
        }
        Some("array") => {
            value.as_array().is_some_and(|items| items.iter().all(|item| fits(item, &schema["items"], components)))
        }
        Some("string") => value.is_string() && (schema["const"].is_null() || schema["const"] == *value),
        Some("integer") => value.is_i64(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        Some(other) => panic!("{other} was not used before"),
        None => true,
    }
}

#[test]
fn every_event_is_sent_as_it_is_described() {
    let description: Value = serde_json::from_str(COMMITTED).unwrap();
    let components = &description["components"]["schemas"];
    let mapping = components["Event"]["discriminator"]["mapping"].as_object().unwrap();
    let variants = components["Event"]["oneOf"].as_array().unwrap();
    let mut declared: Vec<&str> = Event::declared().map(|event| event.name).collect();
    declared.sort_unstable();
    assert_eq!(mapping.keys().collect::<Vec<_>>(), declared);
    assert_eq!(variants.len(), declared.len());
    for event in samples_of::<Event>() {
        let component = &mapping[event.name()];
        assert!(variants.iter().any(|variant| variant["$ref"] == *component), "{component}");
        let schema = serde_json::json!({ "$ref": component });
        let body = wire::EventBody(event);
        let sent = wire::Event { cursor: "12-0".to_owned(), at: Timestamp::from_micros(1), body };
        let sent = serde_json::to_value(sent).unwrap();
        assert!(fits(&sent, &schema, components), "{sent} is no {component}");
    }
}
