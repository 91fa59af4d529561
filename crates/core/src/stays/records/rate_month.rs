//! What the nights of a month cost in one plan and room type, and under which restrictions they are sold. A row per
//! month and not per night: a quote looks at thousands of nights.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::kernel::{Columnar, JsonList, Record};
use crate::stays::{Month, PropertyName, RatePlanCode, RoomTypeCode};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Columnar)]
pub struct RateMonthKey {
    pub property: PropertyName,
    /// Before plan and room type: quotes look at some months of all of them.
    pub month: Month,
    pub rate_plan: RatePlanCode,
    pub room_type: RoomTypeCode,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(table = "rate_months")]
pub struct RateMonth {
    #[serde(flatten)]
    #[column(key)]
    pub key: RateMonthKey,
    /// In the order of days; those about which nothing is said are left out.
    pub nights: JsonList<RateNight>,
    pub version: i64,
}

/// One night. What is absent does not restrict; without a price the night is not for sale.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RateNight {
    /// Of the month, from 1.
    pub day: i8,
    /// Of one room, in minor units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<i64>,
    /// In nights, for those who arrive on this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_stay: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_stay: Option<u16>,
    /// Nobody may arrive on this day.
    #[serde(skip_serializing_if = "is_false")]
    pub closed_to_arrival: bool,
    /// Nobody may leave on this day.
    #[serde(skip_serializing_if = "is_false")]
    pub closed_to_departure: bool,
    #[serde(skip_serializing_if = "is_false")]
    pub stop_sell: bool,
    /// Days between the sale and an arrival on this day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_advance_days: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_advance_days: Option<u16>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

impl RateNight {
    pub fn is_blank(&self) -> bool {
        *self == RateNight { day: self.day, ..RateNight::default() }
    }
}

impl RateMonth {
    pub fn new(key: RateMonthKey) -> RateMonth {
        RateMonth { key, nights: JsonList::default(), version: 0 }
    }

    /// What is said about a day, if it is one of this month.
    pub fn night(&self, date: Date) -> Option<&RateNight> {
        if Month::of(date) != self.key.month {
            return None;
        }
        let index = self.nights.binary_search_by_key(&date.day(), |night| night.day).ok()?;
        self.nights.get(index)
    }
}
