//! What many rows say about each night, as few commands: nights in a row that are to be alike become one. Each thing is
//! said of a night once, so that the same rows again change nothing, not even for a moment.

use std::collections::{BTreeMap, BTreeSet};

use jiff::ToSpan;
use jiff::civil::Date;

use super::{CalendarRequest, InventoryChange, RateChange, SetCalendar};
use crate::kernel::Invalid;
use crate::stays::{NightRange, PropertyName, RatePlanCode, RoomTypeCode, Weekdays};

/// A command, and the numbers of the rows that it came from.
#[derive(Clone, Debug)]
pub struct RowsPart {
    pub command: SetCalendar,
    pub rows: BTreeSet<usize>,
}

/// What is to be so on a night, and which rows say it.
#[derive(Clone, Debug, Default)]
struct Night {
    inventory: InventoryChange,
    inventory_rows: BTreeSet<usize>,
    rates: BTreeMap<RatePlanCode, RateChange>,
    rate_rows: BTreeSet<usize>,
}

impl Night {
    fn add(&mut self, row: usize, request: &CalendarRequest) {
        if let Some(inventory) = request.inventory {
            self.inventory = inventory.over(self.inventory);
            self.inventory_rows.insert(row);
        }
        for (plan, change) in &request.rates {
            let rate = self.rates.entry(plan.clone()).or_default();
            *rate = change.over(*rate);
            self.rate_rows.insert(row);
        }
    }
}

/// The commands that carry numbered rows of one property out, by room type and in the order of nights. Later rows win,
/// cell by cell.
pub fn put_together(rows: &[(usize, CalendarRequest)]) -> Result<Vec<RowsPart>, Invalid> {
    let mut houses = BTreeMap::<(&PropertyName, &RoomTypeCode), BTreeMap<Date, Night>>::new();
    for (row, request) in rows {
        let nights = request.check()?.nights().filter(|night| request.weekdays.contains(*night));
        for room_type in &request.room_types {
            let house = houses.entry((&request.property, room_type)).or_default();
            nights.clone().for_each(|night| house.entry(night).or_default().add(*row, request));
        }
    }
    let mut parts = Vec::new();
    for ((property, room_type), nights) in houses {
        parts.extend(runs(property, room_type, nights)?);
    }
    Ok(parts)
}

fn runs(
    property: &PropertyName,
    room_type: &RoomTypeCode,
    nights: BTreeMap<Date, Night>,
) -> Result<Vec<RowsPart>, Invalid> {
    let (mut parts, mut alone) = (Vec::new(), Vec::new());
    for (date, night) in nights {
        let range = NightRange::new(date, date.saturating_add(1.day()))?;
        let part = |inventory, rates, rows| {
            let (property, room_type) = (property.clone(), room_type.clone());
            let command = SetCalendar::new(property, room_type, range, Weekdays::ALL, inventory, rates)?;
            Ok::<_, Invalid>(RowsPart { command, rows })
        };
        let Night { inventory, inventory_rows, rates, rate_rows } = night;
        let rates: Vec<_> = rates.into_iter().collect();
        let inventory = Some(inventory).filter(|inventory| !inventory.is_blank());
        // Rooms without a total are refused on nights that have none yet, and must take nothing else with them.
        if inventory.is_some_and(|inventory| inventory.total.is_none()) {
            alone.push(part(inventory, Vec::new(), inventory_rows)?);
            if !rates.is_empty() {
                join(&mut parts, part(None, rates, rate_rows)?);
            }
        } else {
            join(&mut parts, part(inventory, rates, &inventory_rows | &rate_rows)?);
        }
    }
    parts.extend(alone);
    Ok(parts)
}

fn join(parts: &mut Vec<RowsPart>, next: RowsPart) {
    if let Some(last) = parts.last_mut() {
        let (one, other) = (&last.command, &next.command);
        let follows = one.range.until() == other.range.from();
        let whole = NightRange::new(one.range.from(), other.range.until());
        if let (true, Ok(whole)) = (follows && one.inventory == other.inventory && one.rates == other.rates, whole) {
            last.command.range = whole;
            last.rows.extend(next.rows);
            return;
        }
    }
    parts.push(next);
}
