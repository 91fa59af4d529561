//! Events on the wire: the journal's. What each has is declared with it, in core.

use serde::de::Error;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use surehold_core::kernel::{self, Timestamp};

use crate::describe::wire;

/// Something that happened, at its place in the tenant's journal.
#[wire]
pub struct Event {
    /// The event's place: give it as `after` or `Last-Event-ID` to get what follows.
    #[schema(example = "12-0")]
    pub cursor: String,
    pub at: Timestamp,
    #[serde(flatten)]
    pub body: EventBody,
}

/// What happened: its `type`, and what that has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventBody(pub kernel::Event);

impl Serialize for EventBody {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        self.0.send(&mut object)?;
        object.end()
    }
}

impl<'de> Deserialize<'de> for EventBody {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<EventBody, D::Error> {
        let mut object = Map::deserialize(deserializer)?;
        let Some(Value::String(name)) = object.remove("type") else { return Err(Error::missing_field("type")) };
        let event = kernel::Event::receive(&name, &mut object).map_err(Error::custom)?;
        event.map(EventBody).ok_or_else(|| Error::custom(format_args!("there is no event `{name}`")))
    }
}

impl From<kernel::Event> for EventBody {
    fn from(event: kernel::Event) -> EventBody {
        EventBody(event)
    }
}

/// The event as it is told, in the feed and to webhook endpoints.
pub fn render_event(event: &kernel::Event) -> Value {
    let mut object = serde_json::value::Serializer.serialize_map(None).expect("an object can be begun");
    event.send(&mut object).and_then(|()| object.end()).expect("events are plain data")
}

/// The identity of an operation.
#[wire]
pub struct OperationName {
    #[schema(example = "DELIVER_WEBHOOK")]
    pub r#type: String,
    pub key: String,
}

/// The identity of a case.
#[wire]
pub struct CaseName {
    #[schema(example = "effect-unknown")]
    pub kind: String,
    pub key: String,
}

#[wire]
pub struct EventPage {
    pub events: Vec<Event>,
    /// The place behind the last event here: give it as `after` to get what follows, now or later.
    pub next: String,
    /// Whether more is there already.
    pub more: bool,
}
