//! A value in one column: kept with its JSON text, because records are written by reference.

use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned};
use smol_str::SmolStr;

use super::{ColumnType, ColumnValue, Corrupt, Value};

#[derive(Clone, Debug)]
pub struct Json<T> {
    value: Arc<T>,
    text: SmolStr,
}

impl<T: Serialize> From<T> for Json<T> {
    fn from(value: T) -> Json<T> {
        let text = serde_json::to_string(&value).expect("values of records are plain data").into();
        Json { value: Arc::new(value), text }
    }
}

impl<T: DeserializeOwned> ColumnValue for Json<T> {
    const TYPE: ColumnType = ColumnType::Json;

    fn value(&self) -> Value<'_> {
        Value::Text(&self.text)
    }

    fn from_value(value: Value<'_>) -> Result<Json<T>, Corrupt> {
        let text = value.text()?;
        let value: T = serde_json::from_str(text).map_err(|error| Corrupt::new(error.to_string()))?;
        Ok(Json { value: Arc::new(value), text: text.into() })
    }
}

impl<T: PartialEq> PartialEq for Json<T> {
    fn eq(&self, other: &Json<T>) -> bool {
        self.value == other.value
    }
}

impl<T: Eq> Eq for Json<T> {}

impl<T> Deref for Json<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: Serialize> Serialize for Json<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(serializer)
    }
}

impl<'de, T: Serialize + Deserialize<'de>> Deserialize<'de> for Json<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json<T>, D::Error> {
        T::deserialize(deserializer).map(Json::from)
    }
}
