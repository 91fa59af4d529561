//! Money finer than a minor unit, as text: a number of JSON would be read as a floating-point one by many.

use std::fmt;

use serde::de::Error;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::rules::MICROS;
use crate::kernel::{Sent, Shape, parse_decimal};

const DECIMALS: usize = 6;
const PRICE_DIGITS_MAX: usize = 12;

/// Millionths of a minor unit, as a decimal number of minor units without needless zeros.
pub fn decimal(micros: i64) -> String {
    let (all, unit) = (micros.unsigned_abs(), MICROS.unsigned_abs());
    let (whole, fraction) = (all.strict_div(unit), all.strict_rem(unit));
    let sign = if micros < 0 { "-" } else { "" };
    let text = format!("{sign}{whole}.{fraction:06}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// What `decimal` writes, and what people write for the same.
fn from_decimal(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_fraction = (1..=DECIMALS).contains(&fraction.len()) && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let ends_in_digit = whole.ends_with(|end: char| end.is_ascii_digit());
    if is_fraction && ends_in_digit { format!("{whole}{fraction:0<DECIMALS$}").parse().ok() } else { None }
}

/// A price in minor units, with up to six decimals: `"2490"`, `"12.5"`. Kept in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(value_type = String, example = "2490", pattern = r"^[0-9]{1,12}(\.[0-9]{1,6})?$"))]
pub struct Price(pub i64);

impl Price {
    pub fn parse(text: &str) -> Option<Price> {
        let whole = text.split_once('.').map_or(text, |(whole, _)| whole);
        parse_decimal(text, DECIMALS).ok().filter(|_| whole.len() <= PRICE_DIGITS_MAX).map(Price)
    }
}

impl fmt::Display for Price {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&decimal(self.0))
    }
}

impl Serialize for Price {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Price {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Price, D::Error> {
        let text = String::deserialize(deserializer)?;
        let wrong =
            || D::Error::custom("a price is text with up to 12 digits and 6 decimals, such as \"2490\" or \"12.5\"");
        Price::parse(&text).ok_or_else(wrong)
    }
}

/// An amount that is stored in millionths and sent as a decimal number.
pub(super) enum Micros {}

impl Sent for Micros {
    type Value = i64;
    const SHAPE: &'static Shape = &Shape::Component("Money");

    fn send<M: SerializeMap>(name: &'static str, micros: &i64, object: &mut M) -> Result<(), M::Error> {
        object.serialize_entry(name, &decimal(*micros))
    }

    fn receive(name: &str, object: &mut Map<String, Value>) -> serde_json::Result<i64> {
        let text = object.remove(name).unwrap_or_default();
        let micros = text.as_str().and_then(from_decimal);
        micros.ok_or_else(|| serde_json::Error::custom(format_args!("`{name}` is no decimal number")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals() {
        for (micros, text) in [
            (0, "0"),
            (1, "0.000001"),
            (-1, "-0.000001"),
            (333_333_333, "333.333333"),
            (3_600_000_000, "3600"),
            (1_946_750_000, "1946.75"),
            (-50_000_000, "-50"),
            (10_000_000, "10"),
            (i64::MIN, "-9223372036854.775808"),
        ] {
            assert_eq!(decimal(micros), text);
            assert_eq!(from_decimal(text), Some(micros), "{text}");
        }
        for text in ["", "-", ".", "1.", ".5", "1e3", "1,5", "1.0000000", "1.5.5", "1.+5", "9223372036854.775808"] {
            assert_eq!(from_decimal(text), None, "{text}");
        }
    }

    #[test]
    fn prices() {
        for (text, micros) in
            [("0", 0), ("2490", 2_490_000_000), ("12.5", 12_500_000), ("0.000001", 1), ("007.10", 7_100_000)]
        {
            assert_eq!(Price::parse(text), Some(Price(micros)), "{text}");
        }
        assert_eq!(Price::parse("999999999999.999999"), Some(Price(999_999_999_999_999_999)));
        for text in ["", ".", "1.", ".5", "-1", "+1", "1e3", "1,5", " 1", "1.0000000", "1000000000000", "1.5.5", "١"] {
            assert_eq!(Price::parse(text), None, "{text}");
        }
        assert_eq!(Price::parse("12.50").unwrap().to_string(), "12.5");
    }
}
