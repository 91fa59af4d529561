//! How the fields of events are sent: as JSON, to readers of the feed and to webhooks. Stored events have the same fields,
//! packed. Fields of refusals say here what they look like.

use jiff::civil::Date;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde::ser::SerializeMap;
use serde_json::{Map, Value};
use smol_str::SmolStr;

use crate::kernel::{ConvertMode, HoldPolicy, HoldState, PoolKey, Slot, TenantId};

/// What a value looks like in the description of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A component of the description, which says more.
    Component(&'static str),
    /// A word of a list, which is the component of this name. Events leave the list open, and send any text.
    Word(&'static str),
    Text,
    Date,
    Integer,
    /// An integer from zero on.
    Count,
    Boolean,
    Any,
    List(&'static Shape),
    /// A list of one.
    Single(&'static Shape),
    /// May be null.
    Optional(&'static Shape),
    /// Stored only.
    Absent,
}

/// How a field is sent. Most types are sent by their own `Serialize`; `as` names the one that does it instead.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is a field of an event or a refusal and does not say how it is sent: see `sent!`"
)]
pub trait Sent {
    /// What the event has.
    type Value: Serialize + DeserializeOwned;
    const SHAPE: &'static Shape;

    fn send<M: SerializeMap>(name: &'static str, value: &Self::Value, object: &mut M) -> Result<(), M::Error> {
        object.serialize_entry(name, value)
    }

    fn receive(name: &str, object: &mut Map<String, Value>) -> serde_json::Result<Self::Value> {
        serde_json::from_value(object.remove(name).unwrap_or_default())
    }
}

/// Types that are sent by their own `Serialize`, by their shapes.
macro_rules! sent {
    ($($shape:expr => $($type:ty),+;)*) => {$($(
        impl $crate::kernel::Sent for $type {
            type Value = $type;
            const SHAPE: &'static $crate::kernel::Shape = &$shape;
        }
    )+)*};
}
pub(crate) use sent;

sent! {
    Shape::Boolean => bool;
    Shape::Integer => i64, TenantId;
    Shape::Count => u16, u32, usize;
    Shape::Text => SmolStr, String;
    Shape::Date => Date;
    Shape::Component("PoolName") => PoolKey;
    Shape::Component("Policy") => HoldPolicy;
    Shape::Component("ConvertMode") => ConvertMode;
    Shape::Component("HoldState") => HoldState;
    Shape::Component("Slot") => Slot;
}

impl<T: Sent<Value = T> + Serialize + DeserializeOwned> Sent for Vec<T> {
    type Value = Vec<T>;
    const SHAPE: &'static Shape = &Shape::List(T::SHAPE);
}

impl<T: Sent<Value = T> + Serialize + DeserializeOwned> Sent for [T; 1] {
    type Value = [T; 1];
    const SHAPE: &'static Shape = &Shape::Single(T::SHAPE);
}

impl<T: Sent<Value = T> + Serialize + DeserializeOwned> Sent for Option<T> {
    type Value = Option<T>;
    const SHAPE: &'static Shape = &Shape::Optional(T::SHAPE);
}
