//! What is declared of events holds for all of them, and the page about webhooks lists those that are offered.

use std::collections::BTreeSet;

use serde::ser::{SerializeMap, Serializer};
use serde_json::{Map, Value};
use surehold_core::kernel::{DeclaredEvent, Event, Shape};
use surehold_core::operations::outbox::{offered, offered_events};
use surehold_samples::samples_of;

const PAGE: &str = include_str!("../../../../docs/webhooks.md");

fn sent(event: &Event) -> Map<String, Value> {
    let mut object = serde_json::value::Serializer.serialize_map(None).unwrap();
    event.send(&mut object).unwrap();
    let Value::Object(object) = object.end().unwrap() else { panic!("an object") };
    object
}

fn declared(event: &Event) -> &'static DeclaredEvent {
    Event::declared().find(|declared| declared.name == event.name()).unwrap()
}

#[test]
fn names_are_those_of_the_variants_and_occur_once() {
    let names: Vec<&str> = Event::declared().map(|event| event.name).collect();
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    for event in samples_of::<Event>() {
        let shown = format!("{event:?}");
        let variants: Vec<String> = shown.split(' ').next().unwrap().split('(').map(snake_case).collect();
        assert_eq!(variants.last().unwrap(), event.name(), "{shown}");
    }
}

fn snake_case(variant: &str) -> String {
    let mut name = String::new();
    for letter in variant.chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.extend(letter.to_lowercase());
    }
    name
}

#[test]
fn every_event_is_sent_as_declared_and_read_back() {
    let mut seen = BTreeSet::new();
    for event in samples_of::<Event>() {
        let (declared, object) = (declared(&event), sent(&event));
        seen.insert(declared.name);
        let fields = declared.fields.iter().filter(|field| *field.shape != Shape::Absent).map(|field| field.name);
        let expected: BTreeSet<&str> = fields.chain(["type"]).collect();
        assert_eq!(object.keys().map(String::as_str).collect::<BTreeSet<_>>(), expected, "{event:?}");
        let read = Event::receive(declared.name, &mut object.clone()).unwrap().unwrap();
        assert_eq!(sent(&read), object, "{event:?}");
    }
    assert_eq!(seen, Event::declared().map(|event| event.name).collect(), "each is sampled");
    assert!(Event::receive("no_event", &mut Map::new()).unwrap().is_none());
    assert!(Event::receive("hold_placed", &mut Map::new()).is_err());
}

/// The feed puts these beside the fields.
#[test]
fn no_field_is_named_like_what_every_event_has() {
    for event in Event::declared() {
        let reserved = event.fields.iter().find(|field| ["type", "cursor", "at"].contains(&field.name));
        assert!(reserved.is_none(), "{event:?}");
    }
}

#[test]
fn what_is_offered_is_declared_so() {
    for event in samples_of::<Event>() {
        assert_eq!(offered(&event).is_some(), declared(&event).is_offered, "{event:?}");
    }
}

#[test]
fn the_page_about_webhooks_lists_what_is_offered() {
    let (_, section) = PAGE.split_once("## What is offered\n").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" | "));
    let listed: Vec<&str> = rows.flat_map(|(_, events)| events.split('`').skip(1).step_by(2)).collect();
    let sorted = |names: Vec<&'static str>| names.into_iter().collect::<BTreeSet<_>>();
    assert_eq!(listed.len(), offered_events().count(), "each is listed once");
    assert_eq!(sorted(listed), sorted(offered_events().collect()));
}
