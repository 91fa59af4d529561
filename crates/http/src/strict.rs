//! Reads requests. The types of the API are lenient, so that a client understands a newer server; a request must not say
//! anything that is not understood. So the reader is strict, for every type: a struct is read from an object only, and not
//! from an array of its values; an unknown member is refused; `151.0` is an integer, as JSON Schema has it.
//!
//! Does not see into `#[serde(flatten)]`, nor into untagged and internally tagged enums. No request has them; generating the
//! description of one fails.

use std::fmt;

use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, SeqAccess, VariantAccess, Visitor,
};

/// A deserializer that is strict, or what serde needs on the way from it to the next one.
pub(crate) struct Strict<T>(pub(crate) T);

macro_rules! forwarded_to {
    ($wrapper:ident: $($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.0.$method($wrapper(visitor))
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Strict<D> {
    type Error = D::Error;

    forwarded_to! { Strict: deserialize_bool deserialize_f32 deserialize_f64 deserialize_char deserialize_str
    deserialize_string deserialize_bytes deserialize_byte_buf deserialize_option deserialize_unit deserialize_seq
    deserialize_map deserialize_identifier }

    forwarded_to! { Whole: deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_u8 deserialize_u16
    deserialize_u32 deserialize_u64 }

    /// What may be anything is the caller's own.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_any(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_ignored_any(visitor)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_unit_struct(name, Strict(visitor))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_newtype_struct(name, Strict(visitor))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_tuple(len, Strict(visitor))
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_tuple_struct(name, len, Strict(visitor))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_struct(name, fields, Object { inner: visitor, fields })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_enum(name, variants, Strict(visitor))
    }
}

macro_rules! passed_on {
    ($($method:ident($type:ty))*) => {$(
        fn $method<E: de::Error>(self, value: $type) -> Result<V::Value, E> {
            self.0.$method(value)
        }
    )*};
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Strict<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    passed_on! { visit_bool(bool) visit_i64(i64) visit_u64(u64) visit_f64(f64) visit_str(&str) visit_borrowed_str(&'de str)
    visit_string(String) }

    fn visit_none<E: de::Error>(self) -> Result<V::Value, E> {
        self.0.visit_none()
    }

    fn visit_unit<E: de::Error>(self) -> Result<V::Value, E> {
        self.0.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.0.visit_some(Strict(inner))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.0.visit_newtype_struct(Strict(inner))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<V::Value, A::Error> {
        self.0.visit_seq(Strict(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<V::Value, A::Error> {
        self.0.visit_map(Strict(members))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, variant: A) -> Result<V::Value, A::Error> {
        self.0.visit_enum(Strict(variant))
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Strict<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        self.0.deserialize(Strict(deserializer))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Strict<A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.0.next_element_seed(Strict(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Strict<A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.0.next_key_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.0.next_value_seed(Strict(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, A: EnumAccess<'de>> EnumAccess<'de> for Strict<A> {
    type Error = A::Error;
    type Variant = Strict<A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self::Variant), A::Error> {
        self.0.variant_seed(seed).map(|(name, content)| (name, Strict(content)))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Strict<A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.0.unit_variant()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        self.0.newtype_variant_seed(Strict(seed))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        self.0.tuple_variant(len, Strict(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.0.struct_variant(fields, Object { inner: visitor, fields })
    }
}

/// A struct, or its members, of which only these are known.
struct Object<T> {
    inner: T,
    fields: &'static [&'static str],
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Object<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(Object { inner: members, fields: self.fields })
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Object<A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.inner.next_key_seed(Member { seed, fields: self.fields })
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.inner.next_value_seed(Strict(seed))
    }
}

/// The name of a member.
struct Member<S> {
    seed: S,
    fields: &'static [&'static str],
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Member<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl<'de, S: DeserializeSeed<'de>> Visitor<'de> for Member<S> {
    type Value = S::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a member")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<S::Value, E> {
        let known = self.fields.contains(&name);
        if known { self.seed.deserialize(name.into_deserializer()) } else { Err(E::unknown_field(name, self.fields)) }
    }
}

/// Beyond this a floating-point number stands for more than one integer.
const WHOLE_MAX: f64 = 9_007_199_254_740_991.0;

/// The integer that a number with a point or an exponent stands for.
fn whole(number: f64) -> Option<i64> {
    // By its text, because a conversion would round.
    let exact = number.fract() == 0.0 && number.abs() <= WHOLE_MAX;
    exact.then(|| number.to_string().parse().ok()).flatten()
}

/// Where an integer is expected.
struct Whole<V>(V);

impl<'de, V: Visitor<'de>> Visitor<'de> for Whole<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    passed_on! { visit_i64(i64) visit_u64(u64) }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<V::Value, E> {
        match whole(number) {
            Some(integer) => self.0.visit_i64(integer),
            None => self.0.visit_f64(number),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::{Map, Value};

    use super::*;

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default, rename_all = "snake_case")]
    struct Order {
        count: u16,
        share: f64,
        lines: Vec<Line>,
        note: Option<String>,
        metadata: Map<String, Value>,
        delivery: Option<Delivery>,
        size: Option<Size>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Line {
        quantity: i64,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Size(u32);

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Delivery {
        None,
        Of(Line),
        Both(u8, u8),
        Within { days: u8 },
    }

    fn read(text: &str) -> serde_json::Result<Order> {
        Order::deserialize(Strict(&mut serde_json::Deserializer::from_str(text)))
    }

    #[test]
    fn what_is_understood() {
        let check = |text: &str, expected: Order| assert_eq!(read(text).unwrap(), expected, "{text}");
        let nothing = Order::default;
        let line = |quantity| Line { quantity };
        check("{}", nothing());
        check(r#"{"count": 151, "share": 0.5}"#, Order { count: 151, share: 0.5, ..nothing() });
        check(r#"{"count": 151.0, "share": 1.0}"#, Order { count: 151, share: 1.0, ..nothing() });
        check(r#"{"count": 1.5e1}"#, Order { count: 15, ..nothing() });
        check(r#"{"count": -0.0}"#, nothing());
        check(
            r#"{"lines": [{"quantity": 1e3}, {"quantity": -9007199254740991.0}]}"#,
            Order { lines: vec![line(1_000), line(-9_007_199_254_740_991)], ..nothing() },
        );
        check(r#"{"lines": [{"quantity": -9223372036854775808}]}"#, Order { lines: vec![line(i64::MIN)], ..nothing() });
        check(r#"{"note": null, "size": 3.0}"#, Order { size: Some(Size(3)), ..nothing() });
        check(r#"{"delivery": "none"}"#, Order { delivery: Some(Delivery::None), ..nothing() });
        let of = Delivery::Of(line(1));
        check(r#"{"delivery": {"of": {"quantity": 1.0}}}"#, Order { delivery: Some(of), ..nothing() });
        check(r#"{"delivery": {"both": [1.0, 2]}}"#, Order { delivery: Some(Delivery::Both(1, 2)), ..nothing() });
        let within = Delivery::Within { days: 2 };
        check(r#"{"delivery": {"within": {"days": 2.0}}}"#, Order { delivery: Some(within), ..nothing() });
    }

    #[test]
    fn what_may_be_anything_stays_as_it_is() {
        let metadata = r#"{"a":1.0,"b":[{"c":1e3}],"d":2}"#;
        let order = read(&format!(r#"{{"metadata": {metadata}}}"#)).unwrap();
        assert_eq!(Value::Object(order.metadata), serde_json::from_str::<Value>(metadata).unwrap());
    }

    #[test]
    fn what_is_not_understood() {
        let check = |text: &str, expected: &str| {
            let error = read(text).unwrap_err();
            assert!(error.is_data() && error.to_string().starts_with(expected), "{text}: {error}");
        };
        check(r#"{"stranger": 1}"#, "unknown field `stranger`, expected one of `count`, `share`, `lines`");
        check(r#"{"lines": [{"quantity": 1, "stranger": 1}]}"#, "unknown field `stranger`, expected `quantity`");
        check(r#"{"delivery": {"of": {"quantity": 1, "x": 1}}}"#, "unknown field `x`, expected `quantity`");
        check(r#"{"delivery": {"within": {"days": 1, "x": 1}}}"#, "unknown field `x`, expected `days`");
        check("[]", "invalid type: sequence, expected an object");
        check(r#"{"lines": [[1]]}"#, "invalid type: sequence, expected an object");
        check(r#"{"delivery": {"of": [1]}}"#, "invalid type: sequence, expected an object");
        check(r#"{"delivery": {"within": [1]}}"#, "invalid type: sequence, expected an object");
        check(r#"{"count": 1, "count": 2}"#, "duplicate field `count`");
        check(r#"{"count": 1.5}"#, "invalid type: floating point `1.5`, expected u16");
        check(r#"{"count": 65536.0}"#, "invalid value: integer `65536`, expected u16");
        check(r#"{"count": -1.0}"#, "invalid value: integer `-1`, expected u16");
        check(r#"{"lines": [{"quantity": 9007199254740992.0}]}"#, "invalid type: floating point");
        check(r#"{"lines": [{"quantity": 1e300}]}"#, "invalid type: floating point");
        check(r#"{"count": "151.0"}"#, "invalid type: string");
        check(r#"{"note": 1.0}"#, "invalid type: floating point `1.0`, expected a string");
    }
}
