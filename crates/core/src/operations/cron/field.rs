//! One field of a schedule: its text, and the values that it allows.

use std::fmt;

use super::CronError;

const MONTHS: [&str; 12] = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const WEEKDAYS: [&str; 7] = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

const SUNDAY: i8 = 0;
const SUNDAY_AGAIN: i8 = 7;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CronField {
    Minute,
    Hour,
    DayOfMonth,
    Month,
    DayOfWeek,
}

impl CronField {
    fn bounds(self) -> (i8, i8) {
        match self {
            CronField::Minute => (0, 59),
            CronField::Hour => (0, 23),
            CronField::DayOfMonth => (1, 31),
            CronField::Month => (1, 12),
            CronField::DayOfWeek => (SUNDAY, SUNDAY_AGAIN),
        }
    }

    /// The names, and the value of the first.
    fn names(self) -> (&'static [&'static str], i8) {
        match self {
            CronField::Minute | CronField::Hour | CronField::DayOfMonth => (&[], 0),
            CronField::Month => (&MONTHS, 1),
            CronField::DayOfWeek => (&WEEKDAYS, SUNDAY),
        }
    }

    pub(super) fn allowed(self) -> &'static str {
        match self {
            CronField::Minute => "0 to 59",
            CronField::Hour => "0 to 23",
            CronField::DayOfMonth => "1 to 31",
            CronField::Month => "1 to 12 and JAN to DEC",
            CronField::DayOfWeek => "0 to 7 and SUN to SAT",
        }
    }

    pub(super) fn step_max(self) -> i8 {
        self.bounds().1
    }

    fn value(self, text: &str) -> Option<i8> {
        let (names, first) = self.names();
        if let Some(place) = names.iter().position(|name| name.eq_ignore_ascii_case(text)) {
            return i8::try_from(place).ok()?.checked_add(first);
        }
        let (min, max) = self.bounds();
        number(text).filter(|value| (min..=max).contains(value))
    }
}

impl fmt::Display for CronField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CronField::Minute => "minute",
            CronField::Hour => "hour",
            CronField::DayOfMonth => "day of month",
            CronField::Month => "month",
            CronField::DayOfWeek => "day of week",
        })
    }
}

/// Digits alone: `str::parse` would also take a sign.
fn number(text: &str) -> Option<i8> {
    let digits = text.bytes().all(|b| b.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

/// A set of small numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Values(u64);

impl Values {
    fn insert(&mut self, value: i8) {
        self.0 |= bit(value);
    }

    pub(super) fn contains(self, value: i8) -> bool {
        self.0 & bit(value) != 0
    }

    /// The least value not below `min`.
    pub(super) fn first_from(self, min: i8) -> Option<i8> {
        let not_below = u64::MAX.checked_shl(u32::try_from(min).ok()?)?;
        let rest = self.0 & not_below;
        if rest == 0 { None } else { i8::try_from(rest.trailing_zeros()).ok() }
    }
}

fn bit(value: i8) -> u64 {
    u32::try_from(value).ok().and_then(|place| 1_u64.checked_shl(place)).unwrap_or(0)
}

#[derive(Debug)]
pub(super) struct Field {
    pub(super) values: Values,
    /// Begins with `*`, even if a step follows. Vixie cron's rules for days and clock changes ask for this, not for
    /// whether every value is allowed.
    pub(super) starred: bool,
}

impl Field {
    pub(super) fn parse(field: CronField, text: &str) -> Result<Field, CronError> {
        let mut values = Values::default();
        for item in text.split(',') {
            add_item(field, item, &mut values)?;
        }
        Ok(Field { values, starred: text.starts_with('*') })
    }
}

fn add_item(field: CronField, item: &str, values: &mut Values) -> Result<(), CronError> {
    let no_value = || CronError::Value { field, text: item.to_owned() };
    let (range, step) = match item.split_once('/') {
        Some((range, step)) => (range, Some(step)),
        None => (item, None),
    };
    let (first, last) = match range.split_once('-') {
        Some((first, last)) => {
            let first = field.value(first).ok_or_else(no_value)?;
            (first, field.value(last).ok_or_else(no_value)?)
        }
        None if range == "*" => field.bounds(),
        // A step from a single value means different things to different crons.
        None if step.is_some() => return Err(no_value()),
        None => {
            let value = field.value(range).ok_or_else(no_value)?;
            (value, value)
        }
    };
    let last = match field {
        CronField::DayOfWeek if last == SUNDAY && first > SUNDAY => SUNDAY_AGAIN,
        _ => last,
    };
    if first > last {
        return Err(CronError::RangeBackwards { field, text: item.to_owned() });
    }
    let step = match step {
        None => 1,
        Some(step) => {
            let step = number(step).filter(|step| (1..=field.step_max()).contains(step));
            step.ok_or_else(|| CronError::Step { field, text: item.to_owned() })?
        }
    };
    let step = usize::try_from(step).expect("a step is positive");
    for value in (first..=last).step_by(step) {
        let sunday_again = field == CronField::DayOfWeek && value == SUNDAY_AGAIN;
        values.insert(if sunday_again { SUNDAY } else { value });
    }
    Ok(())
}
