//! The restrictions of a night, one by one and together.

use proptest::prelude::*;
use surehold_core::kernel::JsonList;
use surehold_core::stays::{
    Month, NotForSale, RateMonth, RateMonthKey, RateNight, StayDates, check_and_price, price_now, stay_lines,
};

use super::desk::{Desk, day, plan, price, room, sea, stay};

/// `24 100 min:2 cta`: what is said about the 24th of December.
fn rate_night(text: &str) -> RateNight {
    let mut words = text.split(' ');
    let mut night = RateNight { day: words.next().unwrap().parse().unwrap(), ..RateNight::default() };
    for word in words {
        let (name, value) = word.split_once(':').unwrap_or((word, ""));
        match name {
            "min" => night.min_stay = Some(value.parse().unwrap()),
            "max" => night.max_stay = Some(value.parse().unwrap()),
            "early" => night.max_advance_days = Some(value.parse().unwrap()),
            "late" => night.min_advance_days = Some(value.parse().unwrap()),
            "cta" => night.closed_to_arrival = true,
            "ctd" => night.closed_to_departure = true,
            "stop" => night.stop_sell = true,
            price => night.price = Some(price.parse().unwrap()),
        }
    }
    night
}

fn month(text: &str, nights: Vec<RateNight>) -> RateMonth {
    let key = RateMonthKey {
        property: sea(),
        month: Month::parse(text).unwrap(),
        rate_plan: plan("flex"),
        room_type: room("double"),
    };
    RateMonth { nights: JsonList::from(nights), ..RateMonth::new(key) }
}

/// A stay from the 24th to the 26th of December, asked for on the 1st, unless the row says otherwise.
#[track_caller]
fn check(nights: &str, expected: &str) {
    check_stay("2026-12-24", "2026-12-26", "2026-12-01", nights, expected);
}

#[track_caller]
fn check_stay(checkin: &str, checkout: &str, today: &str, nights: &str, expected: &str) {
    let nights = nights.split("; ").filter(|text| !text.is_empty()).map(rate_night).collect();
    let december = month("2026-12", nights);
    let verdict = check_and_price(stay(checkin, checkout), day(today), &[&december]);
    let told = verdict.map_or_else(|reason| reason.to_string(), |prices| format!("{prices:?}"));
    assert_eq!(told, expected);
}

#[test]
fn prices() {
    check("24 100; 25 120", "[100, 120]");
    check("24 100; 25 120; 26 999; 23 999", "[100, 120]");
    check("24 0; 25 0", "[0, 0]");
    check("", "2026-12-24 has no price");
    check("24 100", "2026-12-25 has no price");
    check("24 100; 26 100", "2026-12-25 has no price");
    check("24 100; 25 min:1", "2026-12-25 has no price");
}

#[test]
fn restrictions() {
    check("24 100 min:2 max:2; 25 120", "[100, 120]");
    check("24 100 min:3; 25 120", "who arrives then stays at least 3 nights");
    check("24 100 max:1; 25 120", "who arrives then stays at most 1 nights");
    // Lengths and advance count on the day of arrival only.
    check("24 100; 25 120 min:9 max:1 cta early:1 late:300", "[100, 120]");
    check("24 100 cta; 25 120", "nobody may arrive on 2026-12-24");
    check("24 100 ctd; 25 120 ctd", "[100, 120]");
    check("24 100; 25 120; 26 ctd", "nobody may leave on 2026-12-26");
    check("24 100; 25 120; 26 stop cta", "[100, 120]");
    check("24 100 stop; 25 120", "not sold on 2026-12-24");
    check("24 100; 25 120 stop", "not sold on 2026-12-25");
    check("24 100 late:23 early:23; 25 120", "[100, 120]");
    check("24 100 late:24; 25 120", "sold only 24 days before arrival and earlier");
    check("24 100 early:22; 25 120", "not sold earlier than 22 days before arrival");
    check("24 100 early:0; 25 120", "not sold earlier than 0 days before arrival");
}

/// The first reason in the documented order is told.
#[test]
fn precedence() {
    let all = "24 cta min:3 max:1 late:99 early:1 stop; 26 ctd";
    check_stay(
        "2026-12-24",
        "2026-12-26",
        "2026-12-25",
        all,
        "it is 2026-12-25 at the property; nobody can arrive before that",
    );
    check(all, "nobody may arrive on 2026-12-24");
    check("24 min:3 max:1 late:99 early:1 stop; 26 ctd", "nobody may leave on 2026-12-26");
    check("24 min:3 max:1 late:99 early:1 stop", "who arrives then stays at least 3 nights");
    check("24 max:1 late:99 early:1 stop", "who arrives then stays at most 1 nights");
    check("24 late:99 early:1 stop", "sold only 99 days before arrival and earlier");
    check("24 early:1 stop", "not sold earlier than 1 days before arrival");
    check("24 stop", "not sold on 2026-12-24");
}

#[test]
fn today_and_before() {
    check_stay("2026-12-24", "2026-12-26", "2026-12-24", "24 100 early:0; 25 120", "[100, 120]");
    let past = "it is 2026-12-25 at the property; nobody can arrive before that";
    check_stay("2026-12-24", "2026-12-26", "2026-12-25", "24 100; 25 120", past);
}

/// The day of departure may be in a month of which nothing else matters.
#[test]
fn across_months() {
    let december = month("2026-12", vec![rate_night("31 100")]);
    let new_year = stay("2026-12-31", "2027-01-01");
    let check = |january: &str, expected: Result<Vec<i64>, NotForSale>| {
        let january = month("2027-01", vec![rate_night(january)]);
        assert_eq!(check_and_price(new_year, day("2026-12-01"), &[&january, &december]), expected);
    };
    check("1 500", Ok(vec![100]));
    check("1 ctd", Err(NotForSale::ClosedToDeparture { checkout: day("2027-01-01") }));
    assert_eq!(check_and_price(new_year, day("2026-12-01"), &[&december]), Ok(vec![100]));
}

/// Today is the property's, three hours behind the clock.
#[test]
fn priced_in_the_turn() {
    let mut desk = Desk::open();
    desk.set("double", "2026-12-01", "2026-12-03", 5, &[("flex", price(100))]);
    let property = desk.record(&sea()).unwrap();
    let ask = |desk: &mut Desk, room_type: &str| {
        price_now(desk.facts(), &property, &room(room_type), &plan("flex"), stay("2026-12-01", "2026-12-03")).unwrap()
    };
    assert_eq!(ask(&mut desk, "double"), Ok(vec![100, 100]));
    assert_eq!(ask(&mut desk, "single"), Err(NotForSale::NoPrice { night: day("2026-12-01") }));
    desk.pass(14 * 3_600);
    assert_eq!(ask(&mut desk, "double"), Ok(vec![100, 100]), "2026-12-02T02:00Z is the evening of the first");
    desk.pass(3_600);
    assert_eq!(ask(&mut desk, "double"), Err(NotForSale::InThePast { today: day("2026-12-02") }));
}

#[test]
fn lines() {
    let check = |rooms: &[(&str, u32)], checkin: &str, checkout: &str, expected: &str| {
        let rooms: Vec<_> = rooms.iter().map(|(code, count)| (room(code), *count)).collect();
        let lines = stay_lines(&sea(), &rooms, stay(checkin, checkout));
        assert_eq!(lines.map_or_else(|invalid| invalid.to_string(), |lines| lines.as_json().to_owned()), expected);
    };
    check(
        &[("double", 1), ("single", 1), ("double", 2)],
        "2026-12-24",
        "2026-12-25",
        r#"[["sea/double","2026-12-24",3],["sea/single","2026-12-24",1]]"#,
    );
    let too_large = "2 room types over 51 nights are 102 lines; a hold has at most 100";
    check(&[("double", 1), ("single", 1)], "2026-12-01", "2027-01-21", too_large);
    check(&[], "2026-12-24", "2026-12-25", "a hold has 1 to 100 lines, not 0");
    let ninety = stay_lines(&sea(), &[(room("double"), 1)], stay("2026-10-01", "2026-12-30")).unwrap();
    assert_eq!(ninety.len(), 90);
}

fn any_stay() -> impl Strategy<Value = StayDates> {
    (0_i32..700, 1_i32..=90).prop_map(|(start, nights)| {
        let checkin = day("2026-01-01").saturating_add(jiff::Span::new().days(start));
        StayDates::new(checkin, checkin.saturating_add(jiff::Span::new().days(nights))).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    /// Each night costs what its own date says, whichever months it lies in and in whatever order they come.
    #[test]
    fn every_night_has_its_own_price(dates in any_stay()) {
        let price_of = |date: jiff::civil::Date| i64::from(date.day_of_year()) * 10_000 + i64::from(date.year());
        let mut months = Vec::new();
        for name in dates.months() {
            let days = std::iter::successors(Some(name.first()), |day| day.tomorrow().ok())
                .take_while(|day| Month::of(*day) == name);
            let nights = days.map(|date| RateNight { day: date.day(), price: Some(price_of(date)), ..RateNight::default() });
            months.push(month(name.as_str(), nights.collect()));
        }
        let expected: Vec<i64> = dates.nights().map(price_of).collect();
        let months: Vec<&RateMonth> = months.iter().rev().collect();
        prop_assert_eq!(check_and_price(dates, day("2026-01-01"), &months), Ok(expected));
    }
}
