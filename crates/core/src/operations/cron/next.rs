//! From minutes on the wall to instants. See [`Cron`] for what the clock's changes mean.

use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{SignedDuration, Timestamp};

use super::Cron;

/// A leap day that must also be a certain weekday comes after 40 years at the latest; everything else far sooner.
const LOOK_AHEAD_YEARS: i16 = 40;

const MINUTE: SignedDuration = SignedDuration::from_secs(60);

/// Each local time once. Works because the order of local times is also the order of their instants: skipped ones
/// share the end of their gap, and repeated ones count at their first occurrence.
pub(super) fn by_local_time(cron: &Cron, zone: &TimeZone, after: Timestamp) -> Option<Timestamp> {
    let mut from = minute_of(zone.to_datetime(after));
    loop {
        let local = first_match(cron, from)?;
        let instant = instant_of(zone, local)?;
        // During the second pass of a repeated hour, its times are in the past.
        if instant > after {
            return Some(instant);
        }
        from = local.checked_add(MINUTE).ok()?;
    }
}

fn instant_of(zone: &TimeZone, local: DateTime) -> Option<Timestamp> {
    match zone.to_ambiguous_timestamp(local).offset() {
        AmbiguousOffset::Unambiguous { offset } => offset.to_timestamp(local).ok(),
        AmbiguousOffset::Fold { before, .. } => before.to_timestamp(local).ok(),
        AmbiguousOffset::Gap { after, .. } => {
            // By the new offset a skipped time lies before the change.
            let earlier = after.to_timestamp(local).ok()?;
            zone.following(earlier).find(|change| change.offset() == after).map(|change| change.timestamp())
        }
    }
}

/// Whatever the clock shows, from one change of the offset to the next.
pub(super) fn by_running_clock(cron: &Cron, zone: &TimeZone, after: Timestamp) -> Option<Timestamp> {
    let mut offset = zone.to_offset(after);
    let mut from = minute_of(offset.to_datetime(after)).checked_add(MINUTE).ok()?;
    let mut local = first_match(cron, from)?;
    for change in zone.following(after) {
        let instant = offset.to_timestamp(local).ok()?;
        if instant < change.timestamp() {
            return Some(instant);
        }
        offset = change.offset();
        let restart = minute_not_before(offset.to_datetime(change.timestamp()))?;
        // A match far ahead stays the first one: searching years again at each change would be slow.
        if restart < from || local < restart {
            local = first_match(cron, restart)?;
        }
        from = restart;
    }
    offset.to_timestamp(local).ok()
}

/// The first matching minute at or after `from`, which is a whole minute.
fn first_match(cron: &Cron, from: DateTime) -> Option<DateTime> {
    let mut date = from.date();
    if cron.matches_day(date)
        && let Some(today) = cron.time_from(date, from.hour(), from.minute())
    {
        return Some(today);
    }
    let last_year = date.year().saturating_add(LOOK_AHEAD_YEARS);
    loop {
        if !cron.months.contains(date.month()) {
            date = date.last_of_month();
        }
        date = date.tomorrow().ok()?;
        if date.year() > last_year {
            return None;
        }
        if cron.matches_day(date) {
            return cron.time_from(date, 0, 0);
        }
    }
}

fn minute_of(local: DateTime) -> DateTime {
    local.date().at(local.hour(), local.minute(), 0, 0)
}

fn minute_not_before(local: DateTime) -> Option<DateTime> {
    let minute = minute_of(local);
    if minute == local { Some(minute) } else { minute.checked_add(MINUTE).ok() }
}
