//! Objects, and nothing else in their place: as derived, a struct would also be read from an array of its values, which
//! the description of the API does not allow and nobody means.

use serde::Deserializer;
use serde::de::{MapAccess, Visitor};
use serde::forward_to_deserialize_any;

/// Reads structs from objects only. Made for types derived with `#[serde(remote = "Self")]`.
pub(super) struct ObjectOnly<D>(pub(super) D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for ObjectOnly<D> {
    type Error = D::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_struct(name, fields, ObjectVisitor(visitor))
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

struct ObjectVisitor<V>(V);

impl<'de, V: Visitor<'de>> Visitor<'de> for ObjectVisitor<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.0.visit_map(map)
    }
}

/// For types in: `deserialize` as derived, from objects only.
macro_rules! read_from_objects {
    ($($type:ident)*) => {$(
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                $type::deserialize($crate::wire::object::ObjectOnly(deserializer))
            }
        }
    )*};
}

/// For types in that also have a canonical form: `serialize` as derived.
macro_rules! written_as_derived {
    ($($type:ident)*) => {$(
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $type::serialize(self, serializer)
            }
        }
    )*};
}

pub(super) use {read_from_objects, written_as_derived};
