//! Dates on the wire, in the one spelling that slots have.

use std::fmt;

use jiff::civil::Date;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use surehold_core::kernel::Slot;

use crate::describe::ToSchema;

/// A date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToSchema)]
#[schema(value_type = String, format = Date, example = "2026-12-24")]
pub struct Day(pub Date);

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Day, D::Error> {
        let slot = Slot::deserialize(deserializer)?;
        slot.date().map(Day).ok_or_else(|| de::Error::custom("a date is needed, such as 2026-12-24"))
    }
}

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match Slot::night(self.0) {
            Ok(slot) => slot.serialize(serializer),
            // No year of ours.
            Err(_) => serializer.collect_str(&self.0),
        }
    }
}
