//! Setting rooms and rates over ranges, and cutting a large request into commands.

use std::collections::BTreeMap;

use jiff::civil::{Date, Weekday};
use proptest::prelude::*;
use surehold_core::kernel::{Event, Pool};
use surehold_core::stays::commands::{
    CALENDAR_REQUEST_NIGHTS_MAX, CalendarRequest, CalendarSet, InventoryChange, OversoldNight, RateChange, Set,
    SetCalendar, chunks,
};
use surehold_core::stays::{
    Month, NIGHTS_PER_CALENDAR_MAX, NightRange, RateMonth, RateMonthKey, StayRefusal, StaysEvent, Weekdays, pool_of,
};

use super::desk::{Desk, day, plan, price, room, sea};

const ROOMS: InventoryChange = InventoryChange { total: Some(5), overbook: None, closed: None };

fn range(from: &str, until: &str) -> NightRange {
    NightRange::new(day(from), day(until)).unwrap()
}

fn set(
    nights: NightRange,
    inventory: Option<InventoryChange>,
    rates: &[(&str, RateChange)],
) -> Result<SetCalendar, surehold_core::kernel::Invalid> {
    let rates = rates.iter().map(|(code, change)| (plan(code), *change)).collect();
    SetCalendar::new(sea(), room("double"), nights, Weekdays::ALL, inventory, rates)
}

fn month(desk: &mut Desk, rate_plan: &str, month: &str) -> Option<RateMonth> {
    let (month, rate_plan) = (Month::parse(month).unwrap(), plan(rate_plan));
    desk.record(&RateMonthKey { property: sea(), month, rate_plan, room_type: room("double") })
}

fn pool(desk: &mut Desk, night: &str) -> Option<Pool> {
    desk.record(&pool_of(&sea(), &room("double"), day(night)))
}

#[test]
fn rooms_and_rates_of_two_months() {
    let mut desk = Desk::open();
    let nights = range("2026-12-30", "2027-01-02");
    let both = [("flex", price(120)), ("fixed", price(100))];
    let command = set(nights, Some(ROOMS), &both).unwrap();
    let done = desk.run(&command).unwrap();
    let expected = CalendarSet { room_type: room("double"), range: nights, nights_changed: 3, oversold: vec![] };
    assert_eq!(done.reply, expected);
    let pools = done.events.iter().filter(|event| matches!(event, Event::PoolChanged { total: 5, .. })).count();
    let told = Event::Stays(StaysEvent::RatesChanged {
        property: sea(),
        room_type: room("double"),
        from: day("2026-12-30"),
        until: day("2027-01-02"),
        rate_plans: vec![plan("flex"), plan("fixed")],
    });
    assert_eq!((pools, done.events.len(), done.events.last()), (3, 4, Some(&told)));
    let december = month(&mut desk, "flex", "2026-12").unwrap();
    let days: Vec<_> = december.nights.iter().map(|night| (night.day, night.price)).collect();
    assert_eq!(days, [(30, Some(120)), (31, Some(120))]);
    assert_eq!(month(&mut desk, "fixed", "2027-01").unwrap().nights.len(), 1);

    let again = desk.run(&command).unwrap();
    assert!(again.replayed);
    assert_eq!(again.reply.nights_changed, 0);
    // One night, one plan.
    let done = desk
        .run(&set(range("2026-12-31", "2027-01-01"), None, &[("flex", price(500)), ("fixed", price(100))]).unwrap());
    let done = done.unwrap();
    assert_eq!((done.reply.nights_changed, done.events.len()), (1, 1));
    assert!(
        matches!(&done.events[0], Event::Stays(StaysEvent::RatesChanged { rate_plans, .. }) if *rate_plans == [plan("flex")])
    );
    assert_eq!(month(&mut desk, "flex", "2026-12").unwrap().version, 2);
    assert_eq!(month(&mut desk, "fixed", "2026-12").unwrap().version, 1);
}

#[test]
fn what_is_not_given_is_left() {
    let mut desk = Desk::open();
    let one = range("2026-12-24", "2026-12-25");
    let full = RateChange { min_stay: Set::To(3), stop_sell: Some(true), ..price(100) };
    desk.run(&set(one, Some(ROOMS), &[("flex", full)]).unwrap()).unwrap();
    let close = InventoryChange { total: None, overbook: Some(2), closed: Some(true) };
    desk.run(&set(one, Some(close), &[("flex", price(90))]).unwrap()).unwrap();
    let night = month(&mut desk, "flex", "2026-12").unwrap().nights[0];
    assert_eq!((night.price, night.min_stay, night.stop_sell), (Some(90), Some(3), true));
    let rooms = pool(&mut desk, "2026-12-24").unwrap();
    assert_eq!((rooms.total, rooms.overbook, rooms.closed), (5, 2, true));
    let clear = RateChange { price: Set::Clear, min_stay: Set::Clear, stop_sell: Some(false), ..RateChange::default() };
    desk.run(&set(one, None, &[("flex", clear)]).unwrap()).unwrap();
    assert!(month(&mut desk, "flex", "2026-12").unwrap().nights.is_empty(), "nothing is said about any day");
    assert!(desk.run(&set(one, None, &[("flex", clear)]).unwrap()).unwrap().replayed);
    assert!(desk.run(&set(one, None, &[("fixed", clear)]).unwrap()).unwrap().replayed);
    assert_eq!(month(&mut desk, "fixed", "2026-12"), None, "clearing nothing writes nothing");
}

#[test]
fn on_some_days_of_the_week() {
    let mut desk = Desk::open();
    let (nights, weekend) = (range("2026-12-01", "2027-01-01"), Weekdays::of(&[Weekday::Friday, Weekday::Saturday]));
    let rates = vec![(plan("flex"), price(200))];
    let command = SetCalendar::new(sea(), room("double"), nights, weekend, Some(ROOMS), rates).unwrap();
    assert_eq!(desk.run(&command).unwrap().reply.nights_changed, 8);
    let days: Vec<i8> = month(&mut desk, "flex", "2026-12").unwrap().nights.iter().map(|night| night.day).collect();
    assert_eq!(days, [4, 5, 11, 12, 18, 19, 25, 26]);
    assert!(pool(&mut desk, "2026-12-04").is_some() && pool(&mut desk, "2026-12-03").is_none());
}

/// A total below what is promised is the outside world's truth.
#[test]
fn oversold_is_told() {
    use surehold_core::kernel::commands::PlaceHold;
    use surehold_core::kernel::{Command, HoldId};
    use surehold_core::stays::stay_lines;

    let mut desk = Desk::open();
    desk.set("double", "2026-12-24", "2026-12-26", 5, &[]);
    let lines = stay_lines(&sea(), &[(room("double"), 4)], super::desk::stay("2026-12-24", "2026-12-25")).unwrap();
    let millis = u64::try_from(desk.now().micros() / 1_000).unwrap();
    let id = uuid::Builder::from_unix_timestamp_millis(millis, &[1; 10]).into_uuid();
    PlaceHold::new(HoldId::new(id).unwrap(), lines).decide(desk.facts()).unwrap();
    desk.facts().keep_changes();
    let fewer = InventoryChange { total: Some(1), ..InventoryChange::default() };
    let done = desk.run(&set(range("2026-12-24", "2026-12-26"), Some(fewer), &[]).unwrap()).unwrap();
    assert_eq!(done.reply.oversold, [OversoldNight { night: day("2026-12-24"), oversold: 3 }]);
    assert_eq!(done.reply.nights_changed, 2);
    assert!(done.events.iter().any(|event| matches!(event, Event::PoolOversold { oversold: 3, .. })));
}

#[test]
fn refused() {
    let nights = range("2026-12-24", "2026-12-26");
    let command = |inventory, rates: &[(&str, RateChange)]| set(nights, inventory, rates).unwrap();
    let check = |desk: &mut Desk, command: &SetCalendar, expected: &str| {
        assert_eq!(desk.run(command).unwrap_err().to_string(), expected);
    };
    check(&mut Desk::bare(), &command(Some(ROOMS), &[]), "there is no such tenant");
    check(&mut Desk::with_tenant(), &command(Some(ROOMS), &[]), "there is no property sea");
    let mut desk = Desk::open();
    let other = SetCalendar::new(sea(), room("tent"), nights, Weekdays::ALL, Some(ROOMS), vec![]).unwrap();
    check(&mut desk, &other, "there is no room type tent in sea");
    let unknown = command(Some(ROOMS), &[("flex", price(1)), ("none", price(1))]);
    check(&mut desk, &unknown, "there is no rate plan none in sea");
    let closing = InventoryChange { closed: Some(true), ..InventoryChange::default() };
    let refusal = desk.run(&command(Some(closing), &[("flex", price(1))])).unwrap_err();
    assert!(matches!(refusal, StayRefusal::Kernel(_)), "{refusal}");
    assert_eq!(refusal.to_string(), "no such pool: sea/double on 2026-12-24");
}

#[test]
fn malformed() {
    let nights = range("2026-12-24", "2026-12-26");
    let check = |inventory: Option<InventoryChange>, rates: &[(&str, RateChange)], expected: &str| {
        assert_eq!(set(nights, inventory, rates).unwrap_err().to_string(), expected);
    };
    check(None, &[], "what to set has 0 items; 1 to 20 are allowed");
    check(Some(InventoryChange::default()), &[], "what to set has 0 items; 1 to 20 are allowed");
    check(None, &[("flex", RateChange::default())], "a change of rates must not be empty");
    check(None, &[("flex", price(1)), ("flex", price(2))], "rate plan flex is listed twice");
    check(None, &[("flex", price(-1))], "price is -1; it must be between 0 and 1000000000000");
    let no_stay = RateChange { min_stay: Set::To(0), ..RateChange::default() };
    check(None, &[("flex", no_stay)], "min_stay is 0; it must be between 1 and 90");
    let negative = InventoryChange { total: Some(-1), ..InventoryChange::default() };
    check(Some(negative), &[], "total is -1 units; it must be between 0 and 1000000000000");
    let (monday, rates) = (Weekdays::of(&[Weekday::Monday]), vec![(plan("flex"), price(1))]);
    let none = SetCalendar::new(sea(), room("double"), nights, monday, None, rates).unwrap_err();
    assert_eq!(none.to_string(), "nights on the given days of the week must not be empty");
    assert!(NightRange::new(day("2026-01-01"), day("2027-02-05")).is_ok());
    assert!(NightRange::new(day("2026-01-01"), day("2027-02-06")).is_err());
}

fn request(from: Date, nights: i32, room_types: usize, weekdays: Weekdays) -> CalendarRequest {
    CalendarRequest {
        property: sea(),
        room_types: (0..room_types).map(|n| room(&format!("r{n}"))).collect(),
        from,
        until: from.saturating_add(jiff::Span::new().days(nights)),
        weekdays,
        inventory: Some(ROOMS),
        rates: vec![(plan("flex"), price(100))],
    }
}

#[test]
fn a_year_of_fifty_room_types() {
    let commands = chunks(&request(day("2027-01-01"), 365, 50, Weekdays::ALL)).unwrap();
    assert_eq!(commands.len(), 50);
    assert!(chunks(&request(day("2027-01-01"), 0, 1, Weekdays::ALL)).is_err());
    assert!(chunks(&request(day("2027-01-01"), 1_101, 1, Weekdays::ALL)).is_err());
    assert!(chunks(&request(day("2027-01-01"), 10, 0, Weekdays::ALL)).is_err());
    assert!(chunks(&request(day("2027-01-01"), 10, 101, Weekdays::ALL)).is_err());
    let mut twice = request(day("2027-01-01"), 10, 2, Weekdays::ALL);
    twice.room_types[1] = twice.room_types[0].clone();
    assert_eq!(chunks(&twice).unwrap_err().to_string(), "room type r0 is listed twice");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every asked night of every room type is in exactly one command, and no month is in two.
    #[test]
    fn chunks_are_the_request(
        start in 0_i32..800,
        nights in 1_i32..=i32::try_from(CALENDAR_REQUEST_NIGHTS_MAX).unwrap(),
        room_types in 1_usize..4,
    ) {
        let from = day("2026-01-01").saturating_add(jiff::Span::new().days(start));
        let request = request(from, nights, room_types, Weekdays::ALL);
        let mut covered = BTreeMap::<_, Vec<Date>>::new();
        let mut months = BTreeMap::<_, Vec<Month>>::new();
        for command in chunks(&request).unwrap() {
            prop_assert!(command.range().nights_count() <= NIGHTS_PER_CALENDAR_MAX);
            covered.entry(command.room_type().clone()).or_default().extend(command.range().nights());
            months.entry(command.room_type().clone()).or_default().extend(command.range().months());
        }
        let expected: Vec<Date> = std::iter::successors(Some(from), |day| day.tomorrow().ok())
            .take(usize::try_from(nights).unwrap())
            .collect();
        for room_type in &request.room_types {
            prop_assert_eq!(&covered[room_type], &expected);
            prop_assert!(months[room_type].windows(2).all(|pair| pair[0] < pair[1]));
        }
        prop_assert_eq!(covered.len(), room_types);
    }

    /// Carried out, they leave what one command would have left: the given nights on the given days, and nothing else.
    #[test]
    fn chunks_set_what_was_asked(start in 0_i32..800, nights in 1_i32..=1_100, days in 1_u8..128) {
        let all = [Weekday::Monday, Weekday::Tuesday, Weekday::Wednesday, Weekday::Thursday, Weekday::Friday,
            Weekday::Saturday, Weekday::Sunday];
        let chosen: Vec<Weekday> = all.into_iter().enumerate().filter(|(n, _)| days & (1 << n) != 0).map(|(_, d)| d).collect();
        let from = day("2026-01-01").saturating_add(jiff::Span::new().days(start));
        let mut request = request(from, nights, 1, Weekdays::of(&chosen));
        request.room_types = vec![room("double")];
        let expected: Vec<Date> = std::iter::successors(Some(from), |day| day.tomorrow().ok())
            .take(usize::try_from(nights).unwrap())
            .filter(|night| chosen.contains(&night.weekday()))
            .collect();
        let commands = chunks(&request);
        prop_assert_eq!(commands.is_err(), expected.is_empty());
        let mut desk = Desk::open();
        let mut changed = 0;
        for command in commands.unwrap_or_default() {
            changed += desk.run(&command).unwrap().reply.nights_changed;
        }
        prop_assert_eq!(changed, expected.len());
        for night in &expected {
            let priced = month(&mut desk, "flex", Month::of(*night).as_str()).unwrap().night(*night).unwrap().price;
            prop_assert_eq!(priced, Some(100));
            prop_assert_eq!(pool(&mut desk, &night.to_string()).unwrap().total, 5);
        }
    }
}
