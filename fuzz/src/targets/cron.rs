//! Schedules, against a slow reading of the same rules: every field is looked up value by value.

use jiff::civil::DateTime;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use surehold_core::kernel::Timestamp;
use surehold_core::operations::{Cron, TimeZoneName};

use super::lines;

const MINUTES_WALKED: i64 = 90;
const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/// Lines: the schedule, the zone, and microseconds since 1970.
pub(crate) fn cron(data: &[u8]) {
    let [text, zone, micros] = lines(data).map(|line: &[u8]| std::str::from_utf8(line).unwrap_or("?"));
    let Ok(cron) = Cron::parse(text) else { return };
    assert_eq!(Cron::parse(cron.as_str()).as_ref(), Ok(&cron), "{text}");
    let zone = TimeZoneName::parse(zone).unwrap_or_else(|_| TimeZoneName::utc());
    let after = between_1900_and_2200(micros.parse().unwrap_or(0));
    let next = cron.next_after(&zone, Timestamp::from_micros(after));
    let next = next.unwrap_or_else(|| panic!("{cron} never fires after {after}")).micros();
    assert!(next > after, "{cron} in {zone}: {next} is not after {after}");
    let zone = TimeZoneDatabase::bundled().get(zone.as_str()).expect("the name was found before");
    Slow::new(&cron).check(&zone, after, next);
}

fn between_1900_and_2200(micros: i64) -> i64 {
    const FIRST: i64 = -2_208_988_800_000_000;
    const LAST: i64 = 7_258_118_400_000_000;
    FIRST + micros.rem_euclid(LAST - FIRST)
}

/// A schedule, as its text.
struct Slow {
    fields: [String; 5],
}

impl Slow {
    fn new(cron: &Cron) -> Slow {
        let text = match cron.as_str().to_lowercase().as_str() {
            "@hourly" => "0 * * * *".to_owned(),
            "@daily" | "@midnight" => "0 0 * * *".to_owned(),
            "@weekly" => "0 0 * * 0".to_owned(),
            "@monthly" => "0 0 1 * *".to_owned(),
            "@yearly" | "@annually" => "0 0 1 1 *".to_owned(),
            fields => fields.to_owned(),
        };
        let mut fields = text.split(' ').map(str::to_owned);
        Slow { fields: std::array::from_fn(|_| fields.next().expect("a schedule has five fields")) }
    }

    fn check(&self, zone: &TimeZone, after: i64, next: i64) {
        let [minute, hour, ..] = &self.fields;
        let by_running_clock = minute.starts_with('*') || hour.starts_with('*');
        let fires = self.fires(wall(zone, next));
        let after_gap = zone.to_offset(instant(next)) > zone.to_offset(instant(next - 1));
        assert!(fires || (!by_running_clock && after_gap), "{:?} fires at {}", self.fields, wall(zone, next));
        if by_running_clock {
            let start = after - after.rem_euclid(60_000_000);
            for earlier in (1..=MINUTES_WALKED).map(|minutes| start + minutes * 60_000_000) {
                let missed = earlier < next && self.fires(wall(zone, earlier));
                assert!(!missed, "{:?} misses {}", self.fields, wall(zone, earlier));
            }
        }
    }

    fn fires(&self, wall: DateTime) -> bool {
        let [minute, hour, day, month, weekday] = &self.fields;
        let of_month = allows(day, wall.day(), &[], 1);
        let sunday_zero = wall.date().weekday().to_sunday_zero_offset();
        let of_week =
            allows(weekday, sunday_zero, &WEEKDAYS, 0) || (sunday_zero == 0 && allows(weekday, 7, &WEEKDAYS, 0));
        let both = day.starts_with('*') || weekday.starts_with('*');
        (wall.second(), wall.subsec_nanosecond()) == (0, 0)
            && allows(minute, wall.minute(), &[], 0)
            && allows(hour, wall.hour(), &[], 0)
            && allows(month, wall.month(), &MONTHS, 1)
            && if both { of_month && of_week } else { of_month || of_week }
    }
}

fn instant(micros: i64) -> jiff::Timestamp {
    jiff::Timestamp::from_microsecond(micros).expect("between 1900 and some years after 2200")
}

fn wall(zone: &TimeZone, micros: i64) -> DateTime {
    zone.to_datetime(instant(micros))
}

/// `first` is the least value of the field, and that of its first name.
fn allows(field: &str, value: i8, names: &[&str], first: i8) -> bool {
    let number = |text: &str| -> i8 {
        let named = (first..).zip(names).find(|(_, name)| **name == text).map(|(value, _)| value);
        named.unwrap_or_else(|| text.parse().expect("the schedule was read"))
    };
    field.split(',').any(|item| {
        let (range, step) = item.split_once('/').unwrap_or((item, "1"));
        let (from, to) = match range.split_once('-') {
            None if range == "*" => (first, i8::MAX),
            None => (number(range), number(range)),
            Some((from, to)) => (number(from), number(to)),
        };
        // Only a week may run backwards: to its Sunday.
        let to = if to == 0 && from > 0 { 7 } else { to };
        let step: i8 = step.parse().expect("the schedule was read");
        (from..=to).contains(&value) && (value - from) % step == 0
    })
}
