//! Money finer than a minor unit, as text: a number of JSON would be read as a floating-point one by many.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
pub(super) use surehold_core::stock::decimal;
use surehold_core::stock::rules::Balance;

use crate::describe::ToSchema;

const PRICE_DIGITS_MAX: usize = 12;
const PRICE_DECIMALS_MAX: usize = 6;

/// The average cost of what is shown as one unit, with four decimals.
pub(super) fn average(balance: Balance, scale: u32) -> Option<String> {
    let shown = balance.average_shown(10_i64.checked_pow(scale)?)?;
    let (whole, fraction) = (shown.unsigned_abs() / 10_000, shown.unsigned_abs() % 10_000);
    let sign = if shown < 0 { "-" } else { "" };
    Some(format!("{sign}{whole}.{fraction:04}"))
}

/// A price in minor units, with up to six decimals: `"2490"`, `"12.5"`. Kept in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToSchema)]
#[schema(value_type = String, example = "2490", pattern = r"^[0-9]{1,12}(\.[0-9]{1,6})?$")]
pub struct Price(pub i64);

impl Price {
    pub fn parse(text: &str) -> Option<Price> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |text: &str, most: usize| {
            (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
        };
        if !digits(whole, PRICE_DIGITS_MAX) || !digits(fraction, PRICE_DECIMALS_MAX) {
            return None;
        }
        format!("{whole}{fraction:0<6}").parse().ok().map(Price)
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
            || de::Error::custom("a price is text with up to 12 digits and 6 decimals, such as \"2490\" or \"12.5\"");
        Price::parse(&text).ok_or_else(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn averages() {
        let check = |quantity, value, scale, expected: Option<&str>| {
            assert_eq!(average(Balance { quantity, value }, scale).as_deref(), expected);
        };
        check(30, 3_600_000_000, 0, Some("120.0000"));
        check(3, 1_000_000_000, 0, Some("333.3333"));
        check(3_250, 1_946_750_000, 3, Some("599.0000"));
        check(0, 0, 0, None);
    }
}
