//! Single words: names, ids, dates, instants, small JSON values, and what is typed at a command line.

use std::fmt::{Debug, Display};

use serde::Serialize;
use serde::de::DeserializeOwned;
use surehold_core::kernel::{
    HoldId, IdempotencyKey, KeyId, KeyName, LINES_MAX, Lines, Metadata, OwnerName, QUANTITY_MAX, Reference,
    ResourceName, Slot, Slug, Timestamp,
};
use surehold_core::operations::outbox::EndpointId;
use surehold_core::operations::{
    Actor, Aggregate, Correlation, DedupeKey, ExternalId, InboxName, Payload, Reason, ScheduleName, SourceName,
    TimeZoneName, TypeName,
};

use crate::typed;

/// Survives the wire and the store.
fn comes_back<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    let json = serde_json::to_string(value).expect("names are plain data");
    assert_eq!(&serde_json::from_str::<T>(&json).expect("what was written can be read"), value, "{json}");
    let bytes = postcard::to_stdvec(value).expect("names are plain data");
    assert_eq!(&postcard::from_bytes::<T>(&bytes).expect("what was written can be read"), value, "{json}");
}

/// Kept as it was given: nothing that a screen, a header or a line of a log would take for something else.
fn is_kept<T: Serialize + DeserializeOwned + PartialEq + Debug + Display>(text: &str, name: Option<T>) {
    let Some(name) = name else { return };
    assert_eq!(name.to_string(), text);
    assert!(!text.is_empty() && text.len() <= 640 && !text.contains(char::is_control) && text.trim() == text);
    comes_back(&name);
}

pub(crate) fn names(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    macro_rules! kept {
        ($($type:ty),+) => { $( is_kept(text, <$type>::new(text).ok()); )+ };
    }
    kept!(ResourceName, OwnerName, Reference, IdempotencyKey, KeyName, Slug);
    kept!(TypeName, DedupeKey, Aggregate, Actor, Reason, ScheduleName, SourceName, ExternalId, InboxName);
    kept!(EndpointId);
    let slug = !text.is_empty() && text.len() <= 63 && text.split('-').all(|part| !part.is_empty() || text.len() > 2);
    assert!(slug || Slug::new(text).is_err(), "{text:?}");
    if let Ok(correlation) = Correlation::parse(text) {
        assert_eq!(correlation.to_string(), text);
        comes_back(&correlation);
    }
    if let Ok(id) = HoldId::parse(text) {
        assert_eq!(HoldId::parse(&id.to_string()), Ok(id));
        assert!(id.made_at() >= Timestamp::from_micros(0));
        comes_back(&id);
    }
    if let Ok(id) = KeyId::parse(text) {
        assert_eq!(id.to_string(), text);
    }
}

pub(crate) fn times(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(slot) = Slot::parse(text) {
        assert_eq!(slot.as_str(), text);
        assert_eq!(slot.date().map(|date| date.to_string()), (!text.is_empty()).then(|| text.to_owned()));
        comes_back(&slot);
        if let Some(next) = slot.date().and_then(|date| date.tomorrow().ok()) {
            assert!(Slot::night(next).is_ok_and(|next| next > slot), "{text} sorts before its next day");
        }
    }
    let quoted = serde_json::Value::String(text.to_owned()).to_string();
    if let Ok(instant) = serde_json::from_str::<Timestamp>(&quoted) {
        comes_back(&instant);
        assert!(instant.plus_secs(1).secs_since(instant) == 1);
    }
    if let Ok(zone) = TimeZoneName::parse(text) {
        assert!(zone.as_str().eq_ignore_ascii_case(text), "{text} became {zone}");
        comes_back(&zone);
    }
}

/// Lines, metadata and payloads: their text is canonical, so that equal values are equal texts.
pub(crate) fn values(data: &[u8]) {
    if let Ok(lines) = serde_json::from_slice::<Lines>(data) {
        let again: Lines = serde_json::from_str(lines.as_json()).expect("what was written can be read");
        assert_eq!((&again, again.as_json()), (&lines, lines.as_json()));
        assert!(lines.len() <= LINES_MAX && lines.iter().all(|line| (1..=QUANTITY_MAX).contains(&line.quantity)));
        assert!(lines.windows(2).all(|pair| pair[0].pool < pair[1].pool), "sorted, and none twice");
    }
    let Ok(value) = serde_json::from_slice::<serde_json::Value>(data) else { return };
    if let Ok(metadata) = Metadata::new(&value) {
        comes_back(&metadata);
        let again = serde_json::from_str(metadata.as_str()).expect("what was written can be read");
        assert_eq!(Metadata::new(&again).as_ref(), Ok(&metadata));
    }
    if let Ok(payload) = Payload::new(&value) {
        let again = payload.read::<serde_json::Value>().expect("what was written can be read");
        assert_eq!(Payload::new(&again).map(|again| again.hash()), Ok(payload.hash()), "{}", payload.as_str());
    }
}

pub(crate) fn typed_words(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(secs) = typed::duration_secs(text) {
        assert!(secs >= 0, "{text}");
        assert_eq!(typed::duration_secs(&format!("{secs}s")), Ok(secs), "{text}");
    }
    if let Ok(line) = typed::line(text) {
        let whole = format!("{}@{}={}", line.resource, line.slot, line.quantity);
        let again = typed::line(&whole).expect("what was written can be read");
        assert_eq!((again.resource, again.slot, again.quantity), (line.resource, line.slot, line.quantity), "{text}");
    }
    if let Ok(instant) = typed::instant(text) {
        assert_eq!(typed::instant(&instant.to_string()), Ok(instant), "{text}");
    }
    if let Ok(date) = typed::date(text) {
        assert_eq!(date.to_string(), text);
    }
    if let Ok(id) = typed::hold_id(text) {
        assert_eq!(typed::hold_id(&id.to_string()), Ok(id));
    }
    if let Ok(name) = typed::resource(text) {
        assert_eq!(name.as_str(), text);
    }
    if let Ok(key) = typed::operation_key(text) {
        assert_eq!(key.as_str(), text);
    }
}
