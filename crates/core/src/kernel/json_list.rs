//! A short list in one column: kept with its JSON text, because records are written by reference.

use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned};
use smol_str::SmolStr;

use super::{ColumnType, ColumnValue, Corrupt, Value};

#[derive(Clone, Debug)]
pub struct JsonList<T> {
    items: Arc<[T]>,
    json: SmolStr,
}

/// The text says the same as the items, if perhaps in other words.
impl<T: PartialEq> PartialEq for JsonList<T> {
    fn eq(&self, other: &JsonList<T>) -> bool {
        self.items == other.items
    }
}

impl<T: Eq> Eq for JsonList<T> {}

impl<T> Default for JsonList<T> {
    fn default() -> JsonList<T> {
        JsonList { items: Arc::default(), json: SmolStr::default() }
    }
}

impl<T: Serialize> From<Vec<T>> for JsonList<T> {
    fn from(items: Vec<T>) -> JsonList<T> {
        if items.is_empty() {
            return JsonList::default();
        }
        let json = serde_json::to_string(&items).expect("lists are plain data").into();
        JsonList { items: items.into(), json }
    }
}

/// The empty list is stored as nothing.
impl<T: DeserializeOwned> ColumnValue for JsonList<T> {
    const TYPE: ColumnType = ColumnType::Json;
    const MAY_BE_NULL: bool = true;

    fn value(&self) -> Value<'_> {
        if self.items.is_empty() { Value::Null } else { Value::Text(&self.json) }
    }

    fn from_value(value: Value<'_>) -> Result<JsonList<T>, Corrupt> {
        let Some(json) = value.or_null(Value::text)? else { return Ok(JsonList::default()) };
        let items: Vec<T> = serde_json::from_str(json).map_err(|error| Corrupt::new(error.to_string()))?;
        // As it was stored: writing it again would cost as much as reading it, and most are read and left alone.
        Ok(JsonList { items: items.into(), json: json.into() })
    }
}

impl<T> Deref for JsonList<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items
    }
}

impl<T: Serialize> Serialize for JsonList<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.items.serialize(serializer)
    }
}

impl<'de, T: Serialize + Deserialize<'de>> Deserialize<'de> for JsonList<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<JsonList<T>, D::Error> {
        Vec::deserialize(deserializer).map(JsonList::from)
    }
}
