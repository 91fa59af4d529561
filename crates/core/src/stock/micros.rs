//! Money finer than a minor unit, as text: a number of JSON would be read as a floating-point one by many.

use serde::de::Error;
use serde::ser::SerializeMap;
use serde_json::{Map, Value};

use super::rules::MICROS;
use crate::kernel::{Sent, Shape};

const DECIMALS: usize = 6;

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
}
