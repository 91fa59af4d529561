//! What a schedule owes when nobody looked after it in time: its latest instant, and no others. A node that was down
//! for a day must not do a day's work at once.

use super::{Cron, TimeZoneName};
use crate::kernel::Timestamp;

/// A day of minutes. What was missed beyond that is not counted.
pub const SKIPPED_COUNTED_MAX: u32 = 1_440;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Overdue {
    /// The last instant of the schedule that is not after now.
    pub(super) planned_for: Timestamp,
    /// Instants before that one which were missed, as far as they are counted.
    pub(super) skipped: u32,
    /// The first instant of the schedule that is after now.
    pub(super) next_at: Option<Timestamp>,
}

/// `first` is an instant of the schedule, and not after `now`.
pub(super) fn overdue(cron: &Cron, zone: &TimeZoneName, first: Timestamp, now: Timestamp) -> Overdue {
    debug_assert!(first <= now, "due");
    let mut planned_for = first;
    for skipped in 0..SKIPPED_COUNTED_MAX {
        match cron.next_after(zone, planned_for) {
            Some(at) if at <= now => planned_for = at,
            next_at => return Overdue { planned_for, skipped, next_at },
        }
    }
    let planned_for = last_until(cron, zone, planned_for, now);
    Overdue { planned_for, skipped: SKIPPED_COUNTED_MAX, next_at: cron.next_after(zone, now) }
}

/// The last instant that is not after `now`, without walking through all before it.
fn last_until(cron: &Cron, zone: &TimeZoneName, first: Timestamp, now: Timestamp) -> Timestamp {
    let (mut fires, mut silent_from) = (first, now);
    // Invariant: it fires at `fires`, and not after `silent_from` until now.
    while fires < silent_from {
        let half = silent_from.micros().saturating_sub(fires.micros()).div_euclid(2);
        let middle = Timestamp::from_micros(fires.micros().saturating_add(half));
        match cron.next_after(zone, middle) {
            Some(at) if at <= now => fires = at,
            Some(_) | None => silent_from = middle,
        }
    }
    fires
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::from_micros(text.parse::<jiff::Timestamp>().unwrap().as_microsecond())
    }

    /// `first` and `now` in UTC; expected as `planned skipped next`.
    fn check(cron: &str, zone: &str, first: &str, now: &str, expected: &str) {
        let (parsed, zone) = (Cron::parse(cron).unwrap(), TimeZoneName::parse(zone).unwrap());
        let found = overdue(&parsed, &zone, at(first), at(now));
        let next = found.next_at.map_or_else(|| "never".to_owned(), |at| at.to_string());
        assert_eq!(format!("{} {} {next}", found.planned_for, found.skipped), expected, "{cron} until {now}");
    }

    #[test]
    fn only_the_latest_is_owed() {
        let (first, utc) = ("2026-11-15T02:00:00Z", "UTC");
        check("0 2 * * *", utc, first, first, "2026-11-15T02:00:00Z 0 2026-11-16T02:00:00Z");
        check("0 2 * * *", utc, first, "2026-11-16T01:59:59Z", "2026-11-15T02:00:00Z 0 2026-11-16T02:00:00Z");
        check("0 2 * * *", utc, first, "2026-11-16T02:00:00Z", "2026-11-16T02:00:00Z 1 2026-11-17T02:00:00Z");
        check("0 2 * * *", utc, first, "2026-11-25T12:00:00Z", "2026-11-25T02:00:00Z 10 2026-11-26T02:00:00Z");
        check("* * * * *", utc, first, "2026-11-15T02:00:30Z", "2026-11-15T02:00:00Z 0 2026-11-15T02:01:00Z");
        // A day and a minute: all are counted. A minute more: they are no longer.
        check("* * * * *", utc, first, "2026-11-16T01:59:00Z", "2026-11-16T01:59:00Z 1439 2026-11-16T02:00:00Z");
        check("* * * * *", utc, first, "2026-11-16T02:00:00Z", "2026-11-16T02:00:00Z 1440 2026-11-16T02:01:00Z");
        check("* * * * *", utc, first, "2026-11-16T02:01:00Z", "2026-11-16T02:01:00Z 1440 2026-11-16T02:02:00Z");
    }

    /// Beyond what is counted, the last instant is found all the same, also where they come in bursts.
    #[test]
    fn after_years() {
        let (first, now, zone) = ("2020-01-01T12:00:00Z", "2026-11-15T16:20:31Z", "America/Sao_Paulo");
        check("* * * * *", zone, first, now, "2026-11-15T16:20:00Z 1440 2026-11-15T16:21:00Z");
        check("* 9 * * *", zone, first, now, "2026-11-15T12:59:00Z 1440 2026-11-16T12:00:00Z");
        check("*/5 9 1 1 *", zone, first, now, "2026-01-01T12:55:00Z 83 2027-01-01T12:00:00Z");
        check("* * 1 1 *", zone, first, now, "2026-01-02T02:59:00Z 1440 2027-01-01T03:00:00Z");
    }

    /// Lisbon goes from 01:00 to 02:00 on 2026-03-29 and from 02:00 back to 01:00 on 2026-10-25.
    #[test]
    fn through_changes_of_the_clock() {
        let zone = "Europe/Lisbon";
        let (before, after) = ("2026-03-28T01:30:00Z", "2026-03-30T12:00:00Z");
        check("30 1 * * *", zone, before, "2026-03-29T01:00:00Z", "2026-03-29T01:00:00Z 1 2026-03-30T00:30:00Z");
        check("30 1 * * *", zone, before, after, "2026-03-30T00:30:00Z 2 2026-03-31T00:30:00Z");
        let before = "2026-10-24T00:30:00Z";
        check("30 1 * * *", zone, before, "2026-10-25T01:45:00Z", "2026-10-25T00:30:00Z 1 2026-10-26T01:30:00Z");
        check("30 * * * *", zone, before, "2026-10-25T01:45:00Z", "2026-10-25T01:30:00Z 25 2026-10-25T02:30:00Z");
    }
}
