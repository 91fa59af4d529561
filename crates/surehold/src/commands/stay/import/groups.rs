//! What all rows together say about each night, as few changes: nights in a row that are to be alike become one. Each
//! thing is said of a night once, so that importing a file again changes nothing, not even for a moment.

use std::collections::{BTreeMap, BTreeSet};

use jiff::ToSpan;
use jiff::civil::Date;
use surehold_core::stays::commands::{InventoryChange, RateChange, Set};
use surehold_core::stays::{NIGHTS_PER_CALENDAR_MAX, PropertyName, RatePlanCode, RoomTypeCode, Weekdays};

use super::row::Wanted;

/// Beyond this a file is to be imported in parts: 100 room types, three years and five plans.
const NIGHTS_MAX: i64 = 600_000;

/// A change, and the rows that it came from.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) wanted: Wanted,
    pub(super) rows: BTreeSet<usize>,
}

impl Group {
    pub(super) fn nights(&self) -> u64 {
        u64::try_from(nights_between(self.wanted.from, self.wanted.until)).unwrap_or(0)
    }
}

fn nights_between(from: Date, until: Date) -> i64 {
    until.duration_since(from).as_hours() / 24
}

/// What is to be so on a night, and who said it.
#[derive(Clone, Debug, Default)]
struct Night {
    inventory: InventoryChange,
    inventory_rows: BTreeSet<usize>,
    rates: BTreeMap<RatePlanCode, RateChange>,
    rate_rows: BTreeSet<usize>,
}

impl Night {
    /// Later rows win, cell by cell.
    fn add(&mut self, row: usize, wanted: &Wanted) {
        if let Some(InventoryChange { total, overbook, closed }) = wanted.inventory {
            let was = &mut self.inventory;
            was.total = total.or(was.total);
            was.overbook = overbook.or(was.overbook);
            was.closed = closed.or(was.closed);
            self.inventory_rows.insert(row);
        }
        for (plan, change) in &wanted.rates {
            overlay(self.rates.entry(plan.clone()).or_default(), change);
            self.rate_rows.insert(row);
        }
    }
}

fn overlay(was: &mut RateChange, now: &RateChange) {
    fn set<T: Copy>(was: &mut Set<T>, now: Set<T>) {
        match now {
            Set::Leave => {}
            Set::Clear | Set::To(_) => *was = now,
        }
    }
    set(&mut was.price, now.price);
    set(&mut was.min_stay, now.min_stay);
    set(&mut was.max_stay, now.max_stay);
    set(&mut was.min_advance_days, now.min_advance_days);
    set(&mut was.max_advance_days, now.max_advance_days);
    was.closed_to_arrival = now.closed_to_arrival.or(was.closed_to_arrival);
    was.closed_to_departure = now.closed_to_departure.or(was.closed_to_departure);
    was.stop_sell = now.stop_sell.or(was.stop_sell);
}

/// By room type, in the order of nights. `None`: more nights than anybody means.
pub(super) fn grouped(rows: &[(usize, Wanted)]) -> Option<Vec<Vec<Group>>> {
    let nights: i64 = rows.iter().map(|(_, wanted)| nights_between(wanted.from, wanted.until)).sum();
    if nights > NIGHTS_MAX {
        return None;
    }
    let mut houses = BTreeMap::<&RoomTypeCode, BTreeMap<Date, Night>>::new();
    for (row, wanted) in rows {
        let Some(room_type) = wanted.room_types.first() else { continue };
        let nights = houses.entry(room_type).or_default();
        let mut night = wanted.from;
        while night < wanted.until {
            if wanted.weekdays.contains(night) {
                nights.entry(night).or_default().add(*row, wanted);
            }
            night = night.saturating_add(1.day());
        }
    }
    let Some((_, any)) = rows.first() else { return Some(Vec::new()) };
    let of_house = |(room_type, nights)| runs(&any.property, room_type, nights);
    Some(houses.into_iter().map(of_house).collect())
}

/// Nights in a row that are to be alike.
fn runs(property: &PropertyName, room_type: &RoomTypeCode, nights: BTreeMap<Date, Night>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut alone = Vec::new();
    for (date, night) in nights {
        let one = |inventory, rates, rows| {
            let (property, room_types) = (property.clone(), vec![room_type.clone()]);
            let (from, until, weekdays) = (date, date.saturating_add(1.day()), Weekdays::ALL);
            Group { wanted: Wanted { property, room_types, from, until, weekdays, inventory, rates }, rows }
        };
        let Night { inventory, inventory_rows, rates, rate_rows } = night;
        let rates: Vec<_> = rates.into_iter().collect();
        let inventory = Some(inventory).filter(|_| !inventory_rows.is_empty());
        // Rooms without a total are refused on nights that have none yet, and must take nothing else with them.
        if inventory.is_some_and(|inventory| inventory.total.is_none()) {
            alone.push(one(inventory, Vec::new(), inventory_rows));
            if !rates.is_empty() {
                join(&mut groups, one(None, rates, rate_rows));
            }
        } else {
            join(&mut groups, one(inventory, rates, &inventory_rows | &rate_rows));
        }
    }
    groups.extend(alone);
    groups
}

fn join(groups: &mut Vec<Group>, next: Group) {
    if let Some(last) = groups.last_mut() {
        let (one, other) = (&last.wanted, &next.wanted);
        let fits = one.until == other.from && nights_between(one.from, other.until) <= NIGHTS_PER_CALENDAR_MAX;
        if fits && one.inventory == other.inventory && one.rates == other.rates {
            last.wanted.until = next.wanted.until;
            last.rows.extend(next.rows);
            return;
        }
    }
    groups.push(next);
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn wanted(room_type: &str, day: i64, nights: i64, rooms: Option<i64>, rate: Option<(&str, i64)>) -> Wanted {
        let from = date(2026, 12, 1).saturating_add(day.days());
        let rates = rate.into_iter().map(|(plan, price)| {
            (RatePlanCode::new(plan).unwrap(), RateChange { price: Set::To(price), ..RateChange::default() })
        });
        Wanted {
            property: PropertyName::new("mar").unwrap(),
            room_types: vec![RoomTypeCode::new(room_type).unwrap()],
            from,
            until: from.saturating_add(nights.days()),
            weekdays: Weekdays::ALL,
            inventory: rooms.map(|total| InventoryChange { total: Some(total), ..InventoryChange::default() }),
            rates: rates.collect(),
        }
    }

    fn sizes(rows: Vec<Wanted>) -> Vec<Vec<u64>> {
        let groups = grouped(&rows.into_iter().enumerate().collect::<Vec<_>>()).unwrap();
        groups.iter().map(|of| of.iter().map(Group::nights).collect()).collect()
    }

    #[test]
    fn nights_in_a_row_become_one_change() {
        let by_night = (0..365).flat_map(|day| {
            ["double", "suite"].into_iter().flat_map(move |room_type| {
                ["flexible", "fixed"].map(move |plan| wanted(room_type, day, 1, Some(3), Some((plan, 100))))
            })
        });
        assert_eq!(sizes(by_night.collect()), [[365], [365]]);
        assert_eq!(sizes(vec![wanted("double", 0, 1_100, Some(3), None)]), [[400, 400, 300]]);
        let holidays = wanted("double", 23, 3, None, Some(("flexible", 900)));
        assert_eq!(sizes(vec![wanted("double", 0, 31, Some(3), None), holidays]), [[23, 3, 5]]);
        let mut weekends = wanted("double", 0, 14, Some(3), None);
        weekends.weekdays = Weekdays::of(&[jiff::civil::Weekday::Friday, jiff::civil::Weekday::Saturday]);
        assert_eq!(sizes(vec![weekends]), [[2, 2]]);
    }

    #[test]
    fn what_may_be_refused_on_some_nights_stays_alone() {
        let mut closing = wanted("double", 0, 2, None, Some(("flexible", 100)));
        closing.inventory = Some(InventoryChange { closed: Some(true), ..InventoryChange::default() });
        assert_eq!(sizes(vec![closing]), [[2, 1, 1]]);
    }

    #[test]
    fn more_than_anybody_means() {
        let rows: Vec<_> = (0..1_000).map(|row| (row, wanted("double", 0, 1_100, Some(1), None))).collect();
        assert!(grouped(&rows).is_none() && grouped(&rows[..10]).is_some());
    }

    /// What is set on each night, in order.
    fn carried_out<'w>(changes: impl Iterator<Item = &'w Wanted>) -> BTreeMap<(String, Date, String), Vec<i64>> {
        let mut nights = BTreeMap::<_, Vec<i64>>::new();
        for change in changes {
            let mut night = change.from;
            while night < change.until {
                let mut set = |what: &str, value: i64| {
                    nights.entry((change.room_types[0].to_string(), night, what.to_owned())).or_default().push(value);
                };
                change.inventory.into_iter().filter_map(|inventory| inventory.total).for_each(|total| set("", total));
                for (plan, rate) in &change.rates {
                    if let Set::To(price) = rate.price {
                        set(plan.as_str(), price);
                    }
                }
                night = night.tomorrow().unwrap();
            }
        }
        nights
    }

    /// In whatever order rows come, each night ends as the last of them said, and is set once.
    #[test]
    fn later_rows_win() {
        let mut dice = surehold_simulators::Dice::new(7);
        for _ in 0..300 {
            let mut roll = |sides: usize| i64::try_from(dice.roll(sides)).unwrap();
            let rows: Vec<(usize, Wanted)> = (0..40)
                .map(|row| {
                    let room_type = if roll(3) == 0 { "suite" } else { "double" };
                    let plan = if roll(2) == 0 { "fixed" } else { "flexible" };
                    let rooms = (roll(2) == 0).then(|| roll(2));
                    let rate = (rooms.is_none() || roll(2) == 0).then(|| (plan, roll(2)));
                    (row, wanted(room_type, roll(6), 1 + roll(4), rooms, rate))
                })
                .collect();
            let mut expected = carried_out(rows.iter().map(|(_, wanted)| wanted));
            for said in expected.values_mut() {
                *said = said.split_off(said.len() - 1);
            }
            let groups = grouped(&rows).unwrap();
            assert_eq!(carried_out(groups.iter().flatten().map(|group| &group.wanted)), expected);
        }
    }
}
