//! The same question, answered minute by minute.
//!
//! The walk knows nothing of gaps and folds. It keeps the latest local time that the clock has shown: a schedule of
//! fixed times fires when that moves past a matching minute; any other fires when the clock shows one.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};

use super::*;

const MINUTE_MICROS: i64 = 60_000_000;

/// Each with a year around which its clock changes.
const ZONES: [(&str, i16); 8] = [
    ("America/Sao_Paulo", 2017),
    ("Europe/Lisbon", 2026),
    ("America/New_York", 2026),
    ("Asia/Kathmandu", 1985),
    ("Pacific/Apia", 2010),
    // Half an hour of summer time.
    ("Australia/Lord_Howe", 2026),
    // Changes at midnight, both ways.
    ("America/Havana", 2026),
    // Back for Ramadan, forth after it.
    ("Africa/Casablanca", 2026),
];

/// A schedule by its values, from which the text is written: the reader is tested too.
#[derive(Clone, Debug)]
struct Spec {
    minutes: Listed,
    hours: Listed,
    days: Listed,
    months: Listed,
    weekdays: Listed,
}

#[derive(Clone, Debug)]
struct Listed {
    text: String,
    values: BTreeSet<i8>,
}

impl Listed {
    fn starred(&self) -> bool {
        self.text.starts_with('*')
    }
}

fn listed(min: i8, max: i8) -> impl Strategy<Value = Listed> {
    let all: Vec<i8> = (min..=max).collect();
    let step = (1..=max).prop_map(move |step| {
        let values = (min..=max).filter(|value| (value - min) % step == 0).collect();
        Listed { text: format!("*/{step}"), values }
    });
    let few = subsequence(all.clone(), 1..=3).prop_map(|values| {
        let text = values.iter().map(i8::to_string).collect::<Vec<_>>().join(",");
        Listed { text, values: values.into_iter().collect() }
    });
    let range = (min..=max, min..=max).prop_map(|(one, other)| {
        let (first, last) = (one.min(other), one.max(other));
        Listed { text: format!("{first}-{last}"), values: (first..=last).collect() }
    });
    let star = Just(Listed { text: "*".to_owned(), values: all.into_iter().collect() });
    prop_oneof![3 => star, 1 => step, 4 => few, 2 => range]
}

fn specs() -> impl Strategy<Value = Spec> {
    // Most changes happen at night: firings there are worth more.
    let night = subsequence(vec![23_i8, 0, 1, 2, 3], 1..=3).prop_map(|values| {
        let text = values.iter().map(i8::to_string).collect::<Vec<_>>().join(",");
        Listed { text, values: values.into_iter().collect() }
    });
    let hours = prop_oneof![night, listed(0, 23)];
    let star = |min: i8, max: i8| Just(Listed { text: "*".to_owned(), values: (min..=max).collect() });
    let days = prop_oneof![3 => star(1, 31), 2 => listed(1, 31)];
    let months = prop_oneof![5 => star(1, 12), 1 => listed(1, 12)];
    let weekdays = prop_oneof![3 => star(0, 7), 2 => listed(0, 7)];
    (listed(0, 59), hours, days, months, weekdays).prop_map(|(minutes, hours, days, months, weekdays)| Spec {
        minutes,
        hours,
        days,
        months,
        weekdays,
    })
}

impl Spec {
    fn text(&self) -> String {
        let Spec { minutes, hours, days, months, weekdays } = self;
        format!("{} {} {} {} {}", minutes.text, hours.text, days.text, months.text, weekdays.text)
    }

    fn matches(&self, local: DateTime) -> bool {
        let number = local.weekday().to_sunday_zero_offset();
        let day = self.days.values.contains(&local.day());
        let weekday = self.weekdays.values.iter().any(|value| value % 7 == number);
        let both = self.days.starred() || self.weekdays.starred();
        self.minutes.values.contains(&local.minute())
            && self.hours.values.contains(&local.hour())
            && self.months.values.contains(&local.month())
            && if both { day && weekday } else { day || weekday }
    }

    /// The firings in `(after, until]`, all of them whole minutes.
    fn walk(&self, zone: &TimeZone, after: i64, until: i64) -> Vec<Timestamp> {
        let fixed_times = !self.minutes.starred() && !self.hours.starred();
        let local_at = |micros| zone.to_datetime(jiff::Timestamp::from_microsecond(micros).unwrap());
        let mut fired = Vec::new();
        // A clock that was put back just before has shown later times already: no change exceeds a day.
        let mut now = after - 25 * 60 * MINUTE_MICROS;
        let mut latest = local_at(now);
        while now < until {
            now += MINUTE_MICROS;
            let local = local_at(now);
            let mut due = !fixed_times && self.matches(local);
            while latest < local {
                latest = latest.checked_add(jiff::SignedDuration::from_mins(1)).unwrap();
                due |= fixed_times && self.matches(latest);
            }
            if due && now > after {
                fired.push(Timestamp::from_micros(now));
            }
        }
        fired
    }
}

/// A whole minute near one of the changes of the zone's clock.
fn near_a_change(zone: &TimeZone, year: i16, which: Index, minutes_off: i64) -> i64 {
    let start = date(year, 1, 1).at(0, 0, 0, 0).to_zoned(TimeZone::UTC).unwrap().timestamp();
    let changes: Vec<i64> = zone.following(start).take(4).map(|change| change.timestamp().as_microsecond()).collect();
    changes[which.index(changes.len())] + minutes_off * MINUTE_MICROS
}

proptest! {
    #[test]
    fn agrees_with_the_walk(
        spec in specs(),
        (name, year) in select(&ZONES[..]),
        which: Index,
        minutes_before in -60_i64..1_500,
        hours in 1_i64..72,
        odd_micros in 0..MINUTE_MICROS,
    ) {
        let Ok(cron) = Cron::parse(&spec.text()) else {
            // Only ever a day that its months lack, which the walk would look for in vain.
            prop_assert_eq!(Cron::parse(&spec.text()), Err(CronError::NeverFires));
            return Ok(());
        };
        let zone = zone(name);
        let after = near_a_change(zone.zone(), year, which, -minutes_before);
        let until = after + hours * 60 * MINUTE_MICROS;
        let expected = spec.walk(zone.zone(), after, until);

        let mut found = Vec::new();
        let mut now = Timestamp::from_micros(after);
        while let Some(next) = cron.next_after(&zone, now).filter(|next| next.micros() <= until) {
            prop_assert!(next > now);
            found.push(next);
            now = next;
        }
        prop_assert_eq!(&found, &expected, "{} in {}", spec.text(), name);

        // From within a minute, and from any minute of the window: not only from one firing to the next.
        let odd = Timestamp::from_micros(after + odd_micros);
        let first = expected.iter().find(|instant| **instant > odd);
        if let Some(first) = first {
            prop_assert_eq!(cron.next_after(&zone, odd), Some(*first));
        }
        for minute in (after..until).step_by(17 * 60_000_000) {
            let from = Timestamp::from_micros(minute);
            let next = cron.next_after(&zone, from).filter(|next| next.micros() <= until);
            prop_assert_eq!(next, expected.iter().find(|instant| **instant > from).copied());
        }
    }
}
