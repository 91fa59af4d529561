//! A source as the input of serde.

use std::any::type_name;

use serde::Deserializer;
use serde::de::value::{Error, StrDeserializer};
use serde::de::{DeserializeSeed, EnumAccess, IntoDeserializer, MapAccess, SeqAccess, VariantAccess, Visitor};

use crate::source::{Form, Inside, Source};

macro_rules! integers {
    ($($method:ident $visit:ident $type:ident,)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            let max = u64::try_from($type::MAX).unwrap_or(u64::MAX);
            visitor.$visit($type::try_from(self.int(max)).unwrap_or($type::MAX))
        }
    )*};
}

impl<'de> Deserializer<'de> for &mut Source {
    type Error = Error;

    integers! {
        deserialize_i8 visit_i8 i8,
        deserialize_i16 visit_i16 i16,
        deserialize_i32 visit_i32 i32,
        deserialize_i64 visit_i64 i64,
        deserialize_i128 visit_i128 i128,
        deserialize_u8 visit_u8 u8,
        deserialize_u16 visit_u16 u16,
        deserialize_u32 visit_u32 u32,
        deserialize_u128 visit_u128 u128,
    }

    /// Any JSON: an object first, because most that is free to be anything has to be one. What is free inside of it is a
    /// number, or it would have no end. What a flattened member is read from looks free, and is a text or
    /// a number.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.inside == Inside::Any {
            return self.deserialize_i64(visitor);
        }
        if let Some(Form::Tagged { tag, variants, fields }) = self.form_of(type_name::<V>()) {
            let (variant, visit) = self.enter(variants);
            let left = fields[variant];
            let value = visitor
                .visit_map(Tagged { tag: Some((tag, variants[variant])), fields: Fields { source: self, left } })?;
            self.leave(visit);
            return Ok(value);
        }
        if self.inside == Inside::Aside {
            return match self.choose(2) {
                0 => self.deserialize_str(visitor),
                _ => self.deserialize_i64(visitor),
            };
        }
        match self.choose(3) {
            0 => {
                self.inside = Inside::Any;
                let value = visitor.visit_map(Entries { source: self, left: 1 });
                self.inside = Inside::Typed;
                value
            }
            1 => self.deserialize_str(visitor),
            _ => self.deserialize_i64(visitor),
        }
    }

    /// Often a place in a list: the first one is there.
    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_u64(self.place())
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_bool(self.bool())
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_f32(0.5)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_f64(0.5)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_char('a')
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_string(self.text(&[]))
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_byte_buf(self.bytes())
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.is_present() { visitor.visit_some(self) } else { visitor.visit_none() }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let left = self.length();
        visitor.visit_seq(Items { source: self, left })
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, left: usize, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(Items { source: self, left })
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        left: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_seq(Items { source: self, left })
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if let Some(Form::Flattened(left)) = self.form_of(type_name::<V>()) {
            self.inside = Inside::Aside;
            let value = visitor.visit_map(Fields { source: self, left });
            self.inside = Inside::Typed;
            return value;
        }
        let left = self.length();
        visitor.visit_map(Entries { source: self, left })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_map(Fields { source: self, left: fields })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let (variant, visit) = self.enter(variants);
        let value = visitor.visit_enum(Chosen { source: self, name: variants[variant] })?;
        self.leave(visit);
        Ok(value)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }
}

struct Items<'a> {
    source: &'a mut Source,
    left: usize,
}

impl<'de> SeqAccess<'de> for Items<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        seed.deserialize(&mut *self.source).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

/// Of a map: its keys are texts.
struct Entries<'a> {
    source: &'a mut Source,
    left: usize,
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        seed.deserialize(&mut *self.source).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(&mut *self.source)
    }
}

struct Fields<'a> {
    source: &'a mut Source,
    left: &'static [&'static str],
}

impl<'de> MapAccess<'de> for Fields<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some((field, left)) = self.left.split_first() else { return Ok(None) };
        self.left = left;
        let field: StrDeserializer<Error> = (*field).into_deserializer();
        seed.deserialize(field).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(&mut *self.source)
    }
}

/// The tag, then the fields of the variant, which look free to whoever keeps them until the tag is understood.
struct Tagged<'a> {
    tag: Option<(&'static str, &'static str)>,
    fields: Fields<'a>,
}

impl<'de> MapAccess<'de> for Tagged<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some((tag, _)) = self.tag else { return self.fields.next_key_seed(seed) };
        let tag: StrDeserializer<Error> = tag.into_deserializer();
        seed.deserialize(tag).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        if let Some((_, variant)) = self.tag.take() {
            let variant: StrDeserializer<Error> = variant.into_deserializer();
            return seed.deserialize(variant);
        }
        let outside = std::mem::replace(&mut self.fields.source.inside, Inside::Aside);
        let value = self.fields.next_value_seed(seed);
        self.fields.source.inside = outside;
        value
    }
}

struct Chosen<'a> {
    source: &'a mut Source,
    name: &'static str,
}

impl<'a, 'de> EnumAccess<'de> for Chosen<'a> {
    type Error = Error;
    type Variant = Content<'a>;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Content<'a>), Error> {
        let name: StrDeserializer<Error> = self.name.into_deserializer();
        Ok((seed.deserialize(name)?, Content(self.source)))
    }
}

struct Content<'a>(&'a mut Source);

impl<'de> VariantAccess<'de> for Content<'_> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(self.0)
    }

    fn tuple_variant<V: Visitor<'de>>(self, left: usize, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(Items { source: self.0, left })
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        visitor.visit_map(Fields { source: self.0, left: fields })
    }
}
