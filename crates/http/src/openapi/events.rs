//! Whether events are what their descriptions say.

use serde_json::Value;
use surehold_core::kernel::{Event, Timestamp};
use surehold_samples::samples_of;

use super::fits::fits;
use crate::openapi::COMMITTED;
use crate::wire;

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
