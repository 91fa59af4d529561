#![allow(clippy::arithmetic_side_effects, reason = "a test that overflows has failed, as it should")]

mod walk;

use jiff::civil::{DateTime, date};
use jiff::tz::TimeZone;

use super::*;

fn zone(name: &str) -> TimeZoneName {
    TimeZoneName::parse(name).unwrap()
}

/// `2026-03-08T01:59-05:00`, as short as it can be read.
fn show(zone: &TimeZone, instant: Timestamp) -> String {
    let instant = jiff::Timestamp::from_microsecond(instant.micros()).unwrap();
    instant.to_zoned(zone.clone()).strftime("%Y-%m-%dT%H:%M%:z").to_string()
}

fn instant(text: &str) -> Timestamp {
    Timestamp::from_micros(text.parse::<jiff::Timestamp>().unwrap().as_microsecond())
}

/// The firings after an instant, as many as are expected.
#[track_caller]
fn check(schedule: &str, zone_name: &str, after: &str, expected: &[&str]) {
    let (cron, zone) = (Cron::parse(schedule).unwrap(), zone(zone_name));
    let mut now = instant(after);
    let mut fired = Vec::new();
    for _ in expected {
        now = cron.next_after(&zone, now).expect("the calendar is long enough");
        fired.push(show(zone.zone(), now));
    }
    assert_eq!(fired, expected, "{schedule} in {zone_name} after {after}");
}

#[test]
fn texts_come_back() {
    for (given, text) in [
        ("* * * * *", "* * * * *"),
        ("  */15\t0-23/2 1,15   JAN-mar,12 mon-FRI ", "*/15 0-23/2 1,15 JAN-mar,12 mon-FRI"),
        ("05 007 1 1 7", "05 007 1 1 7"),
        ("@daily", "@daily"),
        (" @Yearly ", "@Yearly"),
    ] {
        let cron = Cron::parse(given).unwrap();
        assert_eq!(cron.to_string(), text);
        assert_eq!(Cron::parse(text).unwrap(), cron);
        let json = serde_json::to_string(&cron).unwrap();
        assert_eq!(serde_json::from_str::<Cron>(&json).unwrap(), cron);
        let bytes = postcard::to_stdvec(&cron).unwrap();
        assert_eq!(postcard::from_bytes::<Cron>(&bytes).unwrap(), cron);
    }
    assert!(serde_json::from_str::<Cron>("\"61 * * * *\"").is_err());
}

#[test]
fn what_is_no_schedule() {
    const TAIL: &str = "and of these lists, ranges and steps after * or a range";
    let no = |text: &str, field: &str, allowed: &str| format!("{text:?} is no {field}; allowed are {allowed}, {TAIL}");
    let count = |fields: usize| {
        format!("a schedule has five fields (minute, hour, day of month, month, day of week), not {fields}")
    };
    let never = "no month of the schedule has any of its days, so that it would never fire".to_owned();
    for (bad, expected) in [
        ("", count(0)),
        ("daily", count(1)),
        ("* * * *", count(4)),
        ("0 * * * * *", count(6)),
        ("@daily @daily", count(2)),
        ("@reboot", "@reboot is unknown; @hourly, @daily, @weekly, @monthly and @yearly are allowed".to_owned()),
        ("60 * * * *", no("60", "minute", "0 to 59")),
        ("-1 * * * *", no("-1", "minute", "0 to 59")),
        ("+1 * * * *", no("+1", "minute", "0 to 59")),
        ("999 * * * *", no("999", "minute", "0 to 59")),
        ("1,,2 * * * *", no("", "minute", "0 to 59")),
        ("1, * * * *", no("", "minute", "0 to 59")),
        ("5/15 * * * *", no("5/15", "minute", "0 to 59")),
        ("1-2-3 * * * *", no("1-2-3", "minute", "0 to 59")),
        ("** * * * *", no("**", "minute", "0 to 59")),
        ("٣ * * * *", no("٣", "minute", "0 to 59")),
        ("0 24 * * *", no("24", "hour", "0 to 23")),
        ("0 MON * * *", no("MON", "hour", "0 to 23")),
        ("0 0 0 * *", no("0", "day of month", "1 to 31")),
        ("0 0 32 * *", no("32", "day of month", "1 to 31")),
        ("0 0 L * *", no("L", "day of month", "1 to 31")),
        ("0 0 ? * *", no("?", "day of month", "1 to 31")),
        ("0 0 * 13 *", no("13", "month", "1 to 12 and JAN to DEC")),
        ("0 0 * MON *", no("MON", "month", "1 to 12 and JAN to DEC")),
        ("0 0 * January *", no("January", "month", "1 to 12 and JAN to DEC")),
        ("0 0 * * 8", no("8", "day of week", "0 to 7 and SUN to SAT")),
        ("0 0 * * MON#1", no("MON#1", "day of week", "0 to 7 and SUN to SAT")),
        ("30-10 * * * *", "the range 30-10 of the minute runs backwards".to_owned()),
        ("0 0 * * FRI-MON", "the range FRI-MON of the day of week runs backwards".to_owned()),
        ("*/0 * * * *", "the step of */0 in the minute must be between 1 and 59".to_owned()),
        ("*/60 * * * *", "the step of */60 in the minute must be between 1 and 59".to_owned()),
        ("0 8-18/ * * *", "the step of 8-18/ in the hour must be between 1 and 23".to_owned()),
        ("* * */1/2 * *", "the step of */1/2 in the day of month must be between 1 and 31".to_owned()),
        ("0 0 31 2 *", never.clone()),
        ("0 0 30 FEB *", never.clone()),
        ("0 0 31 4,6,9,11 *", never.clone()),
        // Begins with `*`, so both day fields must match.
        ("0 0 31 2 */2", never),
    ] {
        let error = Cron::parse(bad).expect_err(bad);
        assert_eq!(error.to_string(), expected, "{bad:?}");
        assert_eq!(Invalid::from(error).to_string(), expected);
    }
    let long = format!("{} * * * *", "0,".repeat(CRON_BYTES_MAX));
    assert_eq!(Cron::parse(&long), Err(CronError::TooLong { bytes: long.len() }));
    let whole_hour = (0..60).map(|minute| minute.to_string()).collect::<Vec<_>>().join(",");
    assert!(Cron::parse(&format!("{whole_hour} * * * *")).is_ok());
}

#[test]
fn fields() {
    let monday = "2026-06-01T00:00:00Z";
    for (schedule, expected) in [
        ("* * * * *", ["2026-06-01T00:01+00:00", "2026-06-01T00:02+00:00"]),
        ("0 0 * * *", ["2026-06-02T00:00+00:00", "2026-06-03T00:00+00:00"]),
        ("*/45 * * * *", ["2026-06-01T00:45+00:00", "2026-06-01T01:00+00:00"]),
        ("10-30/15 5 * * *", ["2026-06-01T05:10+00:00", "2026-06-01T05:25+00:00"]),
        ("59 23 31 12 *", ["2026-12-31T23:59+00:00", "2027-12-31T23:59+00:00"]),
        ("0 0 31 * *", ["2026-07-31T00:00+00:00", "2026-08-31T00:00+00:00"]),
        ("0 12 * feb,NOV-DEC *", ["2026-11-01T12:00+00:00", "2026-11-02T12:00+00:00"]),
        ("0 0 * * 0", ["2026-06-07T00:00+00:00", "2026-06-14T00:00+00:00"]),
        ("0 0 * * 7", ["2026-06-07T00:00+00:00", "2026-06-14T00:00+00:00"]),
        ("0 0 * * sun", ["2026-06-07T00:00+00:00", "2026-06-14T00:00+00:00"]),
        ("0 0 * * 6-7", ["2026-06-06T00:00+00:00", "2026-06-07T00:00+00:00"]),
        ("0 0 * * SAT-SUN", ["2026-06-06T00:00+00:00", "2026-06-07T00:00+00:00"]),
        ("0 0 * * 0-1", ["2026-06-07T00:00+00:00", "2026-06-08T00:00+00:00"]),
        ("@hourly", ["2026-06-01T01:00+00:00", "2026-06-01T02:00+00:00"]),
        ("@daily", ["2026-06-02T00:00+00:00", "2026-06-03T00:00+00:00"]),
        ("@midnight", ["2026-06-02T00:00+00:00", "2026-06-03T00:00+00:00"]),
        ("@weekly", ["2026-06-07T00:00+00:00", "2026-06-14T00:00+00:00"]),
        ("@monthly", ["2026-07-01T00:00+00:00", "2026-08-01T00:00+00:00"]),
        ("@yearly", ["2027-01-01T00:00+00:00", "2028-01-01T00:00+00:00"]),
        ("@annually", ["2027-01-01T00:00+00:00", "2028-01-01T00:00+00:00"]),
    ] {
        check(schedule, "UTC", monday, &expected);
    }
}

#[test]
fn either_day_field_or_both() {
    let after = "2026-02-01T00:00:00Z";
    // Both restricted: the 13th and every Friday. 13 February 2026 is a Friday and fires once.
    let either = ["2026-02-06T00:00+00:00", "2026-02-13T00:00+00:00", "2026-02-20T00:00+00:00"];
    check("0 0 13 * FRI", "UTC", after, &either);
    check("0 0 13 3 FRI", "UTC", after, &["2026-03-06T00:00+00:00", "2026-03-13T00:00+00:00"]);
    // One begins with `*`: both must match.
    check("0 0 */12 * FRI", "UTC", after, &["2026-02-13T00:00+00:00", "2026-03-13T00:00+00:00"]);
    check("0 0 13 * */5", "UTC", after, &["2026-02-13T00:00+00:00", "2026-03-13T00:00+00:00"]);
    // A day that the month lacks does no harm beside a weekday.
    check("0 0 31 2 MON", "UTC", after, &["2026-02-02T00:00+00:00", "2026-02-09T00:00+00:00"]);
}

#[test]
fn far_ahead() {
    check("0 0 29 2 *", "UTC", "2025-01-01T00:00:00Z", &["2028-02-29T00:00+00:00", "2032-02-29T00:00+00:00"]);
    // 2100 has no leap day.
    check("0 0 29 2 *", "America/New_York", "2096-03-01T00:00:00Z", &["2104-02-29T00:00-05:00"]);
    // A leap day on a Sunday, over the same gap: the running clock passes all changes between.
    check("0 0 29 2 */7", "Europe/Lisbon", "2088-03-01T00:00:00Z", &["2128-02-29T00:00+00:00"]);
    check("* * 29 2 */7", "Europe/Lisbon", "2088-03-01T00:00:00Z", &["2128-02-29T00:00+00:00"]);
}

/// No schedule needs a longer look ahead than there is: the calendar repeats every 400 years.
#[test]
fn no_wait_is_longer_than_the_look_ahead() {
    for weekday in 0..7_i8 {
        let falls_on = |year: &i16| {
            let leap_day = jiff::civil::Date::new(*year, 2, 29);
            leap_day.is_ok_and(|day| day.weekday().to_sunday_zero_offset() == weekday)
        };
        let years: Vec<i16> = (2000..=2800).filter(falls_on).collect();
        let longest = years.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap();
        assert!(longest <= 40, "{weekday}: {longest} years");
    }
}

#[test]
fn the_calendar_ends() {
    let yearly = Cron::parse("@yearly").unwrap();
    for name in ["UTC", "Pacific/Apia", "America/New_York"] {
        let zone = zone(name);
        let last = date(9999, 6, 1).at(0, 0, 0, 0).to_zoned(zone.zone().clone()).unwrap();
        let last = Timestamp::from_micros(last.timestamp().as_microsecond());
        assert_eq!(yearly.next_after(&zone, last), None, "{name}");
        for beyond in [i64::MAX, i64::MIN] {
            assert_eq!(yearly.next_after(&zone, Timestamp::from_micros(beyond)), None);
        }
        let mut minutes = Some(instant("9999-12-30T21:59:00Z"));
        let every_minute = Cron::parse("* * * * *").unwrap();
        for _ in 0..60 * 48 {
            minutes = minutes.and_then(|minute| every_minute.next_after(&zone, minute));
        }
        assert_eq!(minutes, None, "{name}");
    }
}

#[test]
fn strictly_after() {
    let (cron, utc) = (Cron::parse("30 9 * * *").unwrap(), TimeZoneName::utc());
    let (today, tomorrow) = (instant("2026-06-01T09:30:00Z"), instant("2026-06-02T09:30:00Z"));
    for (micros, expected) in [(-60_000_000, today), (-1, today), (0, tomorrow), (1, tomorrow)] {
        let after = Timestamp::from_micros(today.micros() + micros);
        assert_eq!(cron.next_after(&utc, after), Some(expected), "{micros}");
    }
}

/// New York skips 02:00 to 03:00 on 8 March 2026 and repeats 01:00 to 02:00 on 1 November.
#[test]
fn new_york() {
    let (name, spring, autumn) = ("America/New_York", "2026-03-08T06:00:00Z", "2026-11-01T04:30:00Z");
    let check = |schedule, after, expected: &[&str]| check(schedule, name, after, expected);
    // Fixed times in the gap fire at its end, together.
    check("30 2 * * *", spring, &["2026-03-08T03:00-04:00", "2026-03-09T02:30-04:00"]);
    check("0 2 * * *", spring, &["2026-03-08T03:00-04:00", "2026-03-09T02:00-04:00"]);
    check("10,20,30 2 * * *", spring, &["2026-03-08T03:00-04:00", "2026-03-09T02:10-04:00"]);
    check("0,30 2-3 * * *", spring, &["2026-03-08T03:00-04:00", "2026-03-08T03:30-04:00", "2026-03-09T02:00-04:00"]);
    check("59 1 * * *", spring, &["2026-03-08T01:59-05:00", "2026-03-09T01:59-04:00"]);
    // The running clock skips the gap.
    check("*/30 * * * *", spring, &["2026-03-08T01:30-05:00", "2026-03-08T03:00-04:00", "2026-03-08T03:30-04:00"]);
    check("30 * * * *", spring, &["2026-03-08T01:30-05:00", "2026-03-08T03:30-04:00"]);
    check("*/30 2 * * *", spring, &["2026-03-09T02:00-04:00"]);
    // Repeated fixed times fire at their first occurrence, also when asked during the second.
    check("30 1 * * *", autumn, &["2026-11-01T01:30-04:00", "2026-11-02T01:30-05:00"]);
    check("0,30 1-2 * * *", autumn, &["2026-11-01T01:00-04:00", "2026-11-01T01:30-04:00", "2026-11-01T02:00-05:00"]);
    check("45 1 * * *", "2026-11-01T06:10:00Z", &["2026-11-02T01:45-05:00"]);
    check("0 2 * * *", "2026-11-01T06:10:00Z", &["2026-11-01T02:00-05:00"]);
    // The running clock passes through both.
    check("30 * * * *", autumn, &["2026-11-01T01:30-04:00", "2026-11-01T01:30-05:00", "2026-11-01T02:30-05:00"]);
    check("59 * * * *", "2026-11-01T05:59:00Z", &["2026-11-01T01:59-05:00"]);
    check("*/30 1 * * *", "2026-11-01T05:30:00Z", &["2026-11-01T01:00-05:00", "2026-11-01T01:30-05:00"]);
}

/// Lisbon skips 01:00 to 02:00 on 29 March 2026 and repeats it on 25 October.
#[test]
fn lisbon() {
    let check = |schedule, after, expected: &[&str]| check(schedule, "Europe/Lisbon", after, expected);
    check("15 1 * * *", "2026-03-29T00:00:00Z", &["2026-03-29T02:00+01:00", "2026-03-30T01:15+01:00"]);
    check("15 1 * * *", "2026-10-24T12:00:00Z", &["2026-10-25T01:15+01:00", "2026-10-26T01:15+00:00"]);
    check(
        "@hourly",
        "2026-10-24T23:30:00Z",
        &["2026-10-25T01:00+01:00", "2026-10-25T01:00+00:00", "2026-10-25T02:00+00:00"],
    );
}

/// São Paulo skipped midnight on 4 November 2018 and repeated the hour before it on 16 February 2019; none since.
#[test]
fn sao_paulo() {
    let check = |schedule, after, expected: &[&str]| check(schedule, "America/Sao_Paulo", after, expected);
    check("@daily", "2018-11-03T12:00:00Z", &["2018-11-04T01:00-02:00", "2018-11-05T00:00-02:00"]);
    check("0 0 4 11 *", "2018-11-03T12:00:00Z", &["2018-11-04T01:00-02:00", "2019-11-04T00:00-03:00"]);
    check("30 23 * * *", "2019-02-16T12:00:00Z", &["2019-02-16T23:30-02:00", "2019-02-17T23:30-03:00"]);
    check("@daily", "2019-02-16T12:00:00Z", &["2019-02-17T00:00-03:00"]);
    check(
        "30 * * * *",
        "2019-02-17T01:00:00Z",
        &["2019-02-16T23:30-02:00", "2019-02-16T23:30-03:00", "2019-02-17T00:30-03:00"],
    );
    check("0 3 * * *", "2026-10-31T12:00:00Z", &["2026-11-01T03:00-03:00", "2026-11-02T03:00-03:00"]);
}

/// Kathmandu is 5 h 45 min ahead, and moved there by a quarter of an hour on 1 January 1986.
#[test]
fn kathmandu() {
    let check = |schedule, after, expected: &[&str]| check(schedule, "Asia/Kathmandu", after, expected);
    check("@hourly", "2026-01-01T00:00:00Z", &["2026-01-01T06:00+05:45", "2026-01-01T07:00+05:45"]);
    check("5 0 * * *", "1985-12-31T12:00:00Z", &["1986-01-01T00:15+05:45", "1986-01-02T00:05+05:45"]);
    check("*/10 * * * *", "1985-12-31T18:19:00Z", &["1985-12-31T23:50+05:30", "1986-01-01T00:20+05:45"]);
}

/// Apia went from 29 to 31 December 2011.
#[test]
fn apia() {
    let check = |schedule, after, expected: &[&str]| check(schedule, "Pacific/Apia", after, expected);
    let after = "2011-12-29T21:00:00Z";
    check("0 9 * * *", after, &["2011-12-31T00:00+14:00", "2011-12-31T09:00+14:00", "2012-01-01T09:00+14:00"]);
    check("0 9 30 12 *", after, &["2011-12-31T00:00+14:00", "2012-12-30T09:00+14:00"]);
    check("@daily", after, &["2011-12-31T00:00+14:00", "2012-01-01T00:00+14:00"]);
    check("0 */12 * * *", after, &["2011-12-29T12:00-10:00", "2011-12-31T00:00+14:00", "2011-12-31T12:00+14:00"]);
}
