//! When something recurs: five fields of a clock on the wall, read in a time zone.
//!
//! `field` reads one field; `next` finds the instants. Knows nothing of what is run, nor of the present.

mod field;
mod next;
#[cfg(test)]
mod tests;

use std::fmt;

use jiff::civil::{Date, DateTime};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use thiserror::Error;

use self::field::{Field, Values};
use super::TimeZoneName;
use crate::kernel::{Invalid, Timestamp, text_column};

pub use self::field::CronField;

/// Enough for every minute of the hour, listed.
pub const CRON_BYTES_MAX: usize = 256;

const SHORTCUTS: [(&str, &str); 7] = [
    ("@hourly", "0 * * * *"),
    ("@daily", "0 0 * * *"),
    ("@midnight", "0 0 * * *"),
    ("@weekly", "0 0 * * 0"),
    ("@monthly", "0 0 1 * *"),
    ("@yearly", "0 0 1 1 *"),
    ("@annually", "0 0 1 1 *"),
];

/// Minute, hour, day of month, month, day of week; or a shortcut such as `@daily`.
///
/// A field is `*` or a list of values, ranges (`9-17`) and steps (`*/15`, `8-18/2`). Months and weekdays also have
/// names (`JAN`, `mon`). Sunday is 0 and 7, so that `5-7` and `FRI-SUN` are the weekend.
///
/// **Days**, as in Vixie cron: if neither day field begins with `*`, a day matches when *either* field matches;
/// otherwise both must. `0 0 13 * FRI` fires on every 13th and on every Friday.
///
/// **Clock changes**, also as in Vixie cron:
/// - A schedule of fixed times (neither minute nor hour begins with `*`) fires once per local time. One that the clock
///   skips fires at the first instant after the gap, together with all others of the same gap; one that the clock
///   repeats fires at its first occurrence only. A skipped day counts as a gap like any other.
/// - A schedule with `*` in minute or hour goes by the running clock: it fires whenever the clock shows a matching
///   minute, hence not for skipped ones and in both passes of repeated ones. `0 * * * *` stays hourly throughout.
///
/// A schedule that could never fire, such as 31 February, does not parse.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "SmolStr", into = "SmolStr")]
pub struct Cron {
    text: SmolStr,
    minutes: Values,
    hours: Values,
    days: Values,
    months: Values,
    weekdays: Values,
    day_needs_both: bool,
    fixed_times: bool,
}

/// Why a text is no schedule.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CronError {
    #[error("the schedule has {bytes} bytes; at most {CRON_BYTES_MAX} are allowed")]
    TooLong { bytes: usize },
    #[error("a schedule has five fields (minute, hour, day of month, month, day of week), not {fields}")]
    FieldCount { fields: usize },
    #[error("{text} is unknown; @hourly, @daily, @weekly, @monthly and @yearly are allowed")]
    ShortcutUnknown { text: String },
    #[error("{text:?} is no {field}; allowed are {}, and of these lists, ranges and steps after * or a range", .field.allowed())]
    Value { field: CronField, text: String },
    #[error("the range {text} of the {field} runs backwards")]
    RangeBackwards { field: CronField, text: String },
    #[error("the step of {text} in the {field} must be between 1 and {}", .field.step_max())]
    Step { field: CronField, text: String },
    #[error("no month of the schedule has any of its days, so that it would never fire")]
    NeverFires,
}

impl Cron {
    pub fn parse(text: &str) -> Result<Cron, CronError> {
        // Before anything of it is kept or repeated in an error.
        if text.len() > CRON_BYTES_MAX {
            return Err(CronError::TooLong { bytes: text.len() });
        }
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let fields: Vec<&str> = match words.as_slice() {
            [shortcut] if shortcut.starts_with('@') => expand(shortcut)?.split(' ').collect(),
            _ => words.clone(),
        };
        let [minute, hour, day, month, weekday] = fields.as_slice() else {
            return Err(CronError::FieldCount { fields: fields.len() });
        };
        let minute = Field::parse(CronField::Minute, minute)?;
        let hour = Field::parse(CronField::Hour, hour)?;
        let day = Field::parse(CronField::DayOfMonth, day)?;
        let month = Field::parse(CronField::Month, month)?;
        let weekday = Field::parse(CronField::DayOfWeek, weekday)?;
        let cron = Cron {
            text: SmolStr::new(words.join(" ")),
            minutes: minute.values,
            hours: hour.values,
            days: day.values,
            months: month.values,
            weekdays: weekday.values,
            day_needs_both: day.starred || weekday.starred,
            fixed_times: !minute.starred && !hour.starred,
        };
        if cron.can_fire() { Ok(cron) } else { Err(CronError::NeverFires) }
    }

    /// The text as it was given, with single spaces.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The first instant strictly after `after` at which the schedule fires; none when the calendar ends before it.
    pub fn next_after(&self, zone: &TimeZoneName, after: Timestamp) -> Option<Timestamp> {
        let after = jiff::Timestamp::from_microsecond(after.micros()).ok()?;
        let next = if self.fixed_times {
            next::by_local_time(self, zone.zone(), after)
        } else {
            next::by_running_clock(self, zone.zone(), after)
        };
        Some(Timestamp::from_micros(next?.as_microsecond()))
    }

    fn can_fire(&self) -> bool {
        // Any weekday comes round in any month.
        !self.day_needs_both || (1..=12).any(|month| self.months.contains(month) && self.has_day_of(month))
    }

    fn has_day_of(&self, month: i8) -> bool {
        // A leap year: what exists at least sometimes.
        let days = Date::new(2000, month, 1).map_or(0, Date::days_in_month);
        self.days.first_from(1).is_some_and(|first| first <= days)
    }

    fn matches_day(&self, date: Date) -> bool {
        let day = self.days.contains(date.day());
        let weekday = self.weekdays.contains(date.weekday().to_sunday_zero_offset());
        let either_or_both = if self.day_needs_both { day && weekday } else { day || weekday };
        either_or_both && self.months.contains(date.month())
    }

    /// The first time of a day at or after the one given.
    fn time_from(&self, date: Date, hour: i8, minute: i8) -> Option<DateTime> {
        let same_hour = self.hours.contains(hour).then(|| self.minutes.first_from(minute)).flatten();
        if let Some(minute) = same_hour {
            return Some(date.at(hour, minute, 0, 0));
        }
        let hour = self.hours.first_from(hour.strict_add(1))?;
        Some(date.at(hour, self.minutes.first_from(0)?, 0, 0))
    }
}

fn expand(shortcut: &str) -> Result<&'static str, CronError> {
    let known = SHORTCUTS.iter().find(|(name, _)| name.eq_ignore_ascii_case(shortcut));
    known.map(|(_, fields)| *fields).ok_or_else(|| CronError::ShortcutUnknown { text: shortcut.to_owned() })
}

/// The text as it was given, with single spaces.
impl fmt::Display for Cron {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

impl fmt::Debug for Cron {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cron({:?})", self.text)
    }
}

impl TryFrom<SmolStr> for Cron {
    type Error = CronError;
    fn try_from(text: SmolStr) -> Result<Cron, CronError> {
        Cron::parse(&text)
    }
}

impl From<Cron> for SmolStr {
    fn from(cron: Cron) -> SmolStr {
        cron.text
    }
}

text_column!(Cron, Text, |text| Cron::parse(text).map_err(Invalid::from));

impl From<CronError> for Invalid {
    fn from(error: CronError) -> Invalid {
        Invalid::Other { reason: error.to_string() }
    }
}
