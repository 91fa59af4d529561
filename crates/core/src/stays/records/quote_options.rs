//! The options of a quote, in one column. There may be two hundred, and whoever holds rooms reads all of them to find one:
//! conditions that options share are kept once, and fields by their place instead of their name.

use std::ops::Deref;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{CancellationPolicy, QuoteOption};
use crate::stays::{RatePlanCode, RoomTypeCode};

/// In the order of the quote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuoteOptions(Vec<QuoteOption>);

impl From<Vec<QuoteOption>> for QuoteOptions {
    fn from(options: Vec<QuoteOption>) -> QuoteOptions {
        QuoteOptions(options)
    }
}

impl Deref for QuoteOptions {
    type Target = [QuoteOption];

    fn deref(&self) -> &[QuoteOption] {
        &self.0
    }
}

#[derive(Serialize, Deserialize)]
struct Stored {
    conditions: Vec<CancellationPolicy>,
    options: Vec<StoredOption>,
}

/// Number, room type, rate plan, prices, total, available, which of the conditions.
#[derive(Serialize, Deserialize)]
struct StoredOption(u16, RoomTypeCode, RatePlanCode, Vec<i64>, i64, i64, usize);

impl Serialize for QuoteOptions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut conditions: Vec<CancellationPolicy> = Vec::new();
        let stored = |option: &QuoteOption| {
            let QuoteOption { number, room_type, rate_plan, prices, total, available, cancellation } = option.clone();
            let known = conditions.iter().position(|known| *known == cancellation);
            let condition = known.unwrap_or(conditions.len());
            if known.is_none() {
                conditions.push(cancellation);
            }
            StoredOption(number, room_type, rate_plan, prices, total, available, condition)
        };
        let options = self.iter().map(stored).collect();
        Stored { conditions, options }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for QuoteOptions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<QuoteOptions, D::Error> {
        let Stored { conditions, options } = Stored::deserialize(deserializer)?;
        let option = |StoredOption(number, room_type, rate_plan, prices, total, available, condition)| {
            let cancellation = *conditions.get(condition).ok_or_else(|| de::Error::custom("no such conditions"))?;
            Ok(QuoteOption { number, room_type, rate_plan, prices, total, available, cancellation })
        };
        options.into_iter().map(option).collect::<Result<_, D::Error>>().map(QuoteOptions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{ColumnValue, Json, Value};
    use crate::stays::Penalty;

    #[test]
    fn each_option_keeps_its_own_conditions() {
        let option = |number: u16, hours: u32| QuoteOption {
            number,
            room_type: RoomTypeCode::new("double").unwrap(),
            rate_plan: RatePlanCode::new("flexible").unwrap(),
            prices: vec![45_000, 54_000],
            total: 99_000,
            available: 3,
            cancellation: CancellationPolicy {
                free_until_hours: Some(hours),
                penalty: Penalty::Nights(1),
                no_show: Penalty::All,
            },
        };
        let options = Json::from(QuoteOptions::from(vec![option(1, 24), option(2, 48), option(3, 24)]));
        let Value::Text(stored) = options.value() else { panic!("JSON is stored as a text") };
        assert_eq!(stored.matches("free_until_hours").count(), 2);
        assert_eq!(Json::from_value(options.value()).unwrap(), options);
        let lost = r#"{"conditions":[],"options":[[1,"double","flexible",[1],1,1,0]]}"#;
        assert!(Json::<QuoteOptions>::from_value(Value::Text(lost)).is_err());
    }
}
