//! Putting many rows together into few commands.

use std::collections::BTreeSet;

use jiff::ToSpan;
use jiff::civil::Weekday;
use proptest::prelude::*;
use surehold_core::kernel::Pool;
use surehold_core::stays::commands::{CalendarRequest, InventoryChange, RateChange, Set, chunks, put_together};
use surehold_core::stays::{RateMonth, Weekdays, pool_of, rate_month_keys};

use super::desk::{Desk, day, plan, price, room, sea, stay};

fn request(room_type: &str, first: i64, nights: i64, rooms: Option<i64>, rate: Option<(&str, i64)>) -> CalendarRequest {
    let from = day("2026-12-01").saturating_add(first.days());
    CalendarRequest {
        property: sea(),
        room_types: vec![room(room_type)],
        from,
        until: from.saturating_add(nights.days()),
        weekdays: Weekdays::ALL,
        inventory: rooms.map(|total| InventoryChange { total: Some(total), ..InventoryChange::default() }),
        rates: rate.into_iter().map(|(code, minor)| (plan(code), price(minor))).collect(),
    }
}

/// The nights of each command, with the rows that it comes from.
fn parts(rows: Vec<CalendarRequest>) -> Vec<(i64, Vec<usize>)> {
    let rows: Vec<_> = rows.into_iter().enumerate().collect();
    let parts = put_together(&rows).unwrap().into_iter();
    parts.map(|part| (part.command.range().nights_count(), part.rows.into_iter().collect())).collect()
}

fn nights(rows: Vec<CalendarRequest>) -> Vec<i64> {
    parts(rows).into_iter().map(|(nights, _)| nights).collect()
}

#[test]
fn nights_in_a_row_become_one_command() {
    let by_night = (0..365).flat_map(|day| {
        ["double", "single"].into_iter().flat_map(move |room_type| {
            ["flex", "fixed"].map(move |plan| request(room_type, day, 1, Some(3), Some((plan, 100))))
        })
    });
    assert_eq!(nights(by_night.collect()), [365, 365]);
    assert_eq!(nights(vec![request("double", 0, 1_100, Some(3), None)]), [400, 400, 300]);
    let holidays = request("double", 23, 3, None, Some(("flex", 900)));
    let with_holidays = parts(vec![request("double", 0, 31, Some(3), None), holidays]);
    assert_eq!(with_holidays, [(23, vec![0]), (3, vec![0, 1]), (5, vec![0])]);
    let mut weekends = request("double", 0, 14, Some(3), None);
    weekends.weekdays = Weekdays::of(&[Weekday::Friday, Weekday::Saturday]);
    weekends.room_types.push(room("single"));
    assert_eq!(nights(vec![weekends]), [2, 2, 2, 2]);
    let mut too_long = request("double", 0, 1_101, Some(3), None);
    assert!(put_together(&[(0, too_long.clone())]).is_err());
    too_long.until = too_long.from;
    assert!(put_together(&[(0, too_long)]).is_err());
    assert!(put_together(&[]).unwrap().is_empty());
}

/// Nights that have no rooms yet refuse rooms without a total, and nothing else.
#[test]
fn what_may_be_refused_on_some_nights_stays_alone() {
    let mut closing = request("double", 0, 2, None, Some(("flex", 100)));
    closing.inventory = Some(InventoryChange { closed: Some(true), ..InventoryChange::default() });
    assert_eq!(nights(vec![closing]), [2, 1, 1]);
}

#[test]
fn later_rows_win_cell_by_cell() {
    let mut first = request("double", 0, 1, Some(3), Some(("flex", 100)));
    first.rates[0].1.min_stay = Set::To(2);
    let mut second = request("double", 0, 1, None, Some(("flex", 200)));
    second.inventory = Some(InventoryChange { overbook: Some(1), ..InventoryChange::default() });
    second.rates[0].1.min_stay = Set::Clear;
    let mut both = request("double", 0, 1, None, None);
    both.inventory = Some(InventoryChange { total: Some(3), overbook: Some(1), closed: None });
    both.rates =
        vec![(plan("flex"), RateChange { price: Set::To(200), min_stay: Set::Clear, ..RateChange::default() })];
    let together = put_together(&[(0, first), (1, second)]).unwrap();
    assert_eq!(together[0].command, chunks(&both).unwrap()[0]);
    assert_eq!((together.len(), &together[0].rows), (1, &BTreeSet::from([0, 1])));
}

#[test]
fn names_that_are_not_known() {
    let check = |request: CalendarRequest, expected: &str| {
        let (room_types, rate_plans) = (BTreeSet::from([room("double")]), BTreeSet::from([plan("flex")]));
        let told = request.with_known_names(&room_types, &rate_plans);
        assert_eq!(told.err().map_or(String::new(), |refusal| refusal.to_string()), expected);
    };
    check(request("double", 0, 1, Some(1), Some(("flex", 1))), "");
    check(request("double", 0, 1, Some(1), Some(("fixed", 1))), "there is no rate plan fixed in sea");
    check(request("single", 0, 1, Some(1), Some(("fixed", 1))), "there is no room type single in sea");
}

fn any_request() -> impl Strategy<Value = CalendarRequest> {
    let room_type = prop_oneof![Just("double"), Just("single")];
    let rate = proptest::option::of((prop_oneof![Just("flex"), Just("fixed")], 0_i64..2));
    (room_type, 0_i64..6, 1_i64..5, proptest::option::of(0_i64..2), rate)
        .prop_filter("says something", |(.., rooms, rate)| rooms.is_some() || rate.is_some())
        .prop_map(|(room_type, first, nights, rooms, rate)| request(room_type, first, nights, rooms, rate))
}

/// Pools and rates, without their versions.
fn left(desk: &mut Desk) -> Vec<String> {
    let mut all = Vec::new();
    for room_type in ["double", "single"] {
        for night in 0..10 {
            let night = day("2026-12-01").saturating_add(night.days());
            let pool: Option<Pool> = desk.record(&pool_of(&sea(), &room(room_type), night));
            all.push(format!("{:?}", pool.map(|pool| pool.total)));
        }
        let plans = ["flex", "fixed"].map(|code| (room(room_type), plan(code)));
        for (room_type, rate_plan) in plans {
            for key in rate_month_keys(&sea(), &room_type, &rate_plan, stay("2026-12-01", "2026-12-11")) {
                all.push(format!("{:?}", desk.record::<RateMonth>(&key).map(|month| month.nights)));
            }
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    /// In whatever order rows come, nights end as if each row had been set by itself; each thing is said of a night once,
    /// and nothing changes the second time.
    #[test]
    fn together_as_one_by_one(rows in proptest::collection::vec(any_request(), 1..30)) {
        let (mut one_by_one, mut together) = (Desk::open(), Desk::open());
        for command in rows.iter().flat_map(|row| chunks(row).unwrap()) {
            one_by_one.run(&command).unwrap();
        }
        let rows: Vec<_> = rows.into_iter().enumerate().collect();
        let parts = put_together(&rows).unwrap();
        let mut nights = BTreeSet::new();
        for part in &parts {
            together.run(&part.command).unwrap();
            for night in part.command.range().nights() {
                prop_assert!(nights.insert((part.command.room_type().clone(), night)), "{} is set twice", night);
            }
        }
        prop_assert_eq!(left(&mut one_by_one), left(&mut together));
        for part in &parts {
            prop_assert!(together.run(&part.command).unwrap().replayed);
        }
    }
}
