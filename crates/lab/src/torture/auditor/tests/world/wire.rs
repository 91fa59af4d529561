//! How the feed writes things.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::SECOND;
use crate::torture::history::Units;

/// RFC 3339, in UTC.
pub(in crate::torture::auditor::tests) fn instant(micros: i64) -> String {
    let (secs, micros) = (micros.div_euclid(SECOND), micros.rem_euclid(SECOND));
    let (days, of_day) = (secs.div_euclid(86_400), secs.rem_euclid(86_400));
    let mut year = 1970;
    let mut left = days;
    let leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    while left >= if leap(year) { 366 } else { 365 } {
        left -= if leap(year) { 366 } else { 365 };
        year += 1;
    }
    let lengths = [31, if leap(year) { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 1;
    for length in lengths {
        if left < length {
            break;
        }
        left -= length;
        month += 1;
    }
    let (hour, minute, second) = (of_day / 3_600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z", left + 1)
}

pub(super) fn name(pool: &str) -> Value {
    let (resource, slot) = pool.rsplit_once('@').unwrap_or((pool, ""));
    json!({"resource": resource, "slot": slot})
}

pub(super) fn lines(units: &Units) -> Value {
    let line = |(pool, units): (&String, &i64)| {
        let mut line = name(pool);
        line["quantity"] = json!(units);
        line
    };
    Value::Array(units.iter().map(line).collect())
}

/// Events give versions by resource, then by slot.
pub(super) fn in_order(versions: &BTreeMap<String, i64>) -> Vec<i64> {
    let mut sorted: Vec<(&String, &i64)> = versions.iter().collect();
    sorted.sort_by_key(|(pool, _)| pool.split('@').collect::<Vec<_>>());
    sorted.into_iter().map(|(_, version)| *version).collect()
}
