//! Calendars on the wire. A calendar that is read is written in columns, with one value for each night: a year of 50
//! room types is a few hundred kilobytes that way, and many megabytes as an object per night.

use std::collections::BTreeMap;
use std::iter;

use jiff::civil::Date;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use surehold_core::kernel::{Currency, Invalid, Pool, Slot, Title};
use surehold_core::stays::commands::{self, CalendarRequest, Set, chunks};
use surehold_core::stays::{self, NightRange, PropertyName, RateNight, RatePlanCode, RoomTypeCode, Weekdays};

use crate::Day;
use crate::Problem;
use crate::describe::wire;

/// A request is carried out in parts, one after the other; beyond this it would take too long for one answer.
pub const CALENDAR_PARTS_MAX: usize = 1_000;

/// What is to be different on nights of a property.
#[wire]
#[schema(example = json!({"changes": [{
    "room_types": ["double"], "from": "2099-12-20", "until": "2099-12-31", "weekdays": ["thu", "fri", "sat", "sun"],
    "inventory": {"total": 10, "overbook": 1, "closed": false},
    "rates": [{"rate_plan": "flexible", "price": 45_000, "min_stay": 1, "max_stay": null}]
}]}))]
pub struct PutCalendar {
    #[schema(min_items = 1, max_items = 1000)]
    pub changes: Vec<CalendarChange>,
}

/// The same for several room types and all nights of a range.
#[wire]
pub struct CalendarChange {
    #[schema(min_items = 1, max_items = 100)]
    pub room_types: Vec<RoomTypeCode>,
    /// The first night.
    pub from: Day,
    /// The night after the last one, at most 1,100 nights later.
    pub until: Day,
    /// Only nights that begin on these days; all of them unless told.
    #[schema(min_items = 1)]
    pub weekdays: Option<Vec<Weekday>>,
    pub inventory: Option<InventoryChange>,
    #[serde(default)]
    #[schema(max_items = 20)]
    pub rates: Vec<RateChange>,
}

#[wire(Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Weekday {
    Mon,
    Tue,
    Wed,
    Thu,
    Fri,
    Sat,
    Sun,
}

impl From<Weekday> for jiff::civil::Weekday {
    fn from(day: Weekday) -> jiff::civil::Weekday {
        match day {
            Weekday::Mon => jiff::civil::Weekday::Monday,
            Weekday::Tue => jiff::civil::Weekday::Tuesday,
            Weekday::Wed => jiff::civil::Weekday::Wednesday,
            Weekday::Thu => jiff::civil::Weekday::Thursday,
            Weekday::Fri => jiff::civil::Weekday::Friday,
            Weekday::Sat => jiff::civil::Weekday::Saturday,
            Weekday::Sun => jiff::civil::Weekday::Sunday,
        }
    }
}

/// Rooms there are. What is left out stays as it is.
#[wire(Copy, Default, PartialEq, Eq)]
pub struct InventoryChange {
    /// Needed for nights that have no rooms yet.
    #[schema(minimum = 0, maximum = 1_000_000_000_000_i64)]
    pub total: Option<i64>,
    /// Rooms that may be promised beyond the total, on purpose.
    #[schema(minimum = 0, maximum = 1_000_000_000_000_i64)]
    pub overbook: Option<i64>,
    /// Takes no new guests, whatever the plan.
    pub closed: Option<bool>,
}

/// What is left out stays as it is; `null` takes it away.
#[derive(Clone, Copy, Debug, Default)]
pub struct Change<T>(Set<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Change<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Change<T>, D::Error> {
        let value = Option::<T>::deserialize(deserializer)?;
        Ok(Change(value.map_or(Set::Clear, Set::To)))
    }
}

impl<T: Copy + Serialize> Serialize for Change<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Set::Leave | Set::Clear => serializer.serialize_none(),
            Set::To(value) => serializer.serialize_some(&value),
        }
    }
}

impl<T> Change<T> {
    pub fn to(value: T) -> Change<T> {
        Change(Set::To(value))
    }

    pub fn clear() -> Change<T> {
        Change(Set::Clear)
    }

    fn leaves(&self) -> bool {
        matches!(self.0, Set::Leave)
    }
}

/// What one room costs a night in a plan, and under which restrictions it is sold. What is left out stays as it is; `null`
/// takes a price or a limit away.
#[wire]
pub struct RateChange {
    pub rate_plan: RatePlanCode,
    /// In minor units. Without a price a night is not for sale.
    #[serde(default, skip_serializing_if = "Change::leaves")]
    #[schema(value_type = Option<i64>, minimum = 0, maximum = 1_000_000_000_000_i64)]
    pub price: Change<i64>,
    /// In nights, for those who arrive on this one.
    #[serde(default, skip_serializing_if = "Change::leaves")]
    #[schema(value_type = Option<u16>, minimum = 1, maximum = 90)]
    pub min_stay: Change<u16>,
    #[serde(default, skip_serializing_if = "Change::leaves")]
    #[schema(value_type = Option<u16>, minimum = 1, maximum = 90)]
    pub max_stay: Change<u16>,
    /// Nobody may arrive on this day.
    pub closed_to_arrival: Option<bool>,
    /// Nobody may leave on this day.
    pub closed_to_departure: Option<bool>,
    pub stop_sell: Option<bool>,
    /// Days between the sale and an arrival on this day.
    #[serde(default, skip_serializing_if = "Change::leaves")]
    #[schema(value_type = Option<u16>, maximum = 3650)]
    pub min_advance_days: Change<u16>,
    #[serde(default, skip_serializing_if = "Change::leaves")]
    #[schema(value_type = Option<u16>, maximum = 3650)]
    pub max_advance_days: Change<u16>,
}

impl From<RateChange> for (RatePlanCode, commands::RateChange) {
    fn from(change: RateChange) -> (RatePlanCode, commands::RateChange) {
        let set = commands::RateChange {
            price: change.price.0,
            min_stay: change.min_stay.0,
            max_stay: change.max_stay.0,
            closed_to_arrival: change.closed_to_arrival,
            closed_to_departure: change.closed_to_departure,
            stop_sell: change.stop_sell,
            min_advance_days: change.min_advance_days.0,
            max_advance_days: change.max_advance_days.0,
        };
        (change.rate_plan, set)
    }
}

impl CalendarChange {
    /// How many nights of room types it is about, or more: days of the week are not looked at.
    pub fn nights(&self) -> usize {
        usize::try_from(days_between(self.from.0, self.until.0)).unwrap_or(0).saturating_mul(self.room_types.len())
    }

    pub(super) fn into_request(self, property: PropertyName) -> CalendarRequest {
        let days: Option<Vec<jiff::civil::Weekday>> =
            self.weekdays.map(|days| days.into_iter().map(Into::into).collect());
        let inventory = self.inventory.map(|InventoryChange { total, overbook, closed }| commands::InventoryChange {
            total,
            overbook,
            closed,
        });
        CalendarRequest {
            property,
            room_types: self.room_types,
            from: self.from.0,
            until: self.until.0,
            weekdays: days.map_or(Weekdays::ALL, |days| Weekdays::of(&days)),
            inventory,
            rates: self.rates.into_iter().map(Into::into).collect(),
        }
    }
}

impl PutCalendar {
    /// The parts of all changes, each with the number of its change.
    pub fn into_commands(self, property: &PropertyName) -> Result<Vec<(usize, commands::SetCalendar)>, Invalid> {
        let mut all = Vec::new();
        for (number, change) in self.changes.into_iter().enumerate() {
            all.extend(chunks(&change.into_request(property.clone()))?.into_iter().map(|part| (number, part)));
            if all.len() > CALENDAR_PARTS_MAX {
                break;
            }
        }
        if (1..=CALENDAR_PARTS_MAX).contains(&all.len()) {
            return Ok(all);
        }
        let what = "the parts of the request".to_owned();
        Err(Invalid::ItemCount { what, items: all.len(), items_max: CALENDAR_PARTS_MAX })
    }
}

#[wire(Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum CalendarOutcome {
    /// Durably.
    Done,
    /// Nothing of this part was changed; `problem` says why. After `outcome-unknown` all of it may be.
    Refused,
    /// Not tried, because the store or the server was in trouble before it.
    Skipped,
}

/// One room type over a range of nights: all of it or nothing.
#[wire]
pub struct CalendarPart {
    /// The place of its change in the request, from 0.
    pub change: usize,
    pub room_type: RoomTypeCode,
    pub from: Day,
    pub until: Day,
    pub outcome: CalendarOutcome,
    /// On how many nights anything is different now.
    pub nights_changed: usize,
    /// Nights on which more rooms are promised than there are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub oversold: Vec<OversoldNight>,
    pub problem: Option<Box<Problem>>,
}

impl CalendarPart {
    /// Not tried yet.
    pub fn of(change: usize, command: &commands::SetCalendar) -> CalendarPart {
        let range = command.range();
        CalendarPart {
            change,
            room_type: command.room_type().clone(),
            from: Day(range.from()),
            until: Day(range.until()),
            outcome: CalendarOutcome::Skipped,
            nights_changed: 0,
            oversold: Vec::new(),
            problem: None,
        }
    }

    #[must_use]
    pub fn done(self, set: commands::CalendarSet) -> CalendarPart {
        let oversold =
            |night: commands::OversoldNight| OversoldNight { night: Day(night.night), rooms: night.oversold };
        let oversold = set.oversold.into_iter().map(oversold).collect();
        CalendarPart { outcome: CalendarOutcome::Done, nights_changed: set.nights_changed, oversold, ..self }
    }

    #[must_use]
    pub fn refused(self, problem: Problem) -> CalendarPart {
        CalendarPart { outcome: CalendarOutcome::Refused, problem: Some(Box::new(problem)), ..self }
    }
}

#[wire(Copy)]
pub struct OversoldNight {
    pub night: Day,
    /// Promised beyond what there is.
    pub rooms: i64,
}

/// What became of a calendar request. The whole is not atomic: each part is all or nothing by itself.
#[wire]
pub struct CalendarSet {
    /// Whether every part is done. If not, the same request may be sent again: what is done stays done.
    pub complete: bool,
    /// In the order in which they were carried out.
    pub parts: Vec<CalendarPart>,
}

/// Rooms and rates over a range of nights. Lists of numbers have one entry for each night from `from` on, `null` where
/// nothing was ever said about it.
#[wire]
pub struct Calendar {
    pub property: PropertyName,
    pub currency: Currency,
    pub from: Day,
    /// Not part of the range.
    pub until: Day,
    pub room_types: Vec<CalendarRoomType>,
}

#[wire]
pub struct CalendarRoomType {
    #[schema(example = "double")]
    pub code: RoomTypeCode,
    pub title: Title,
    pub guests_max: u32,
    #[schema(example = json!([10, 10, null]))]
    pub total: Vec<Option<i64>>,
    /// What can be held now; zero where it is closed.
    #[schema(example = json!([7, 8, null]))]
    pub available: Vec<Option<i64>>,
    #[schema(example = json!([1, 0, null]))]
    pub held: Vec<Option<i64>>,
    #[schema(example = json!([2, 2, null]))]
    pub booked: Vec<Option<i64>>,
    /// Nights that take no new guests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub closed: Vec<Day>,
    /// Nights on which more rooms are promised than there are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub oversold: Vec<OversoldNight>,
    /// Of the plans that say something about these nights.
    pub rates: Vec<CalendarRates>,
}

#[wire]
pub struct CalendarRates {
    #[schema(example = "flexible")]
    pub rate_plan: RatePlanCode,
    /// Of one room.
    #[schema(example = json!([45_000, 45_000, null]))]
    pub prices: Vec<Option<i64>>,
    /// Nights that have any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restrictions: Vec<NightRestrictions>,
}

/// What does not restrict is left out.
#[wire]
pub struct NightRestrictions {
    pub night: Day,
    pub min_stay: Option<u16>,
    pub max_stay: Option<u16>,
    pub closed_to_arrival: Option<bool>,
    pub closed_to_departure: Option<bool>,
    pub stop_sell: Option<bool>,
    pub min_advance_days: Option<u16>,
    pub max_advance_days: Option<u16>,
}

impl NightRestrictions {
    fn of(date: Date, night: &RateNight) -> Option<NightRestrictions> {
        let restricts = !RateNight { price: None, ..*night }.is_blank();
        let set = |flag: bool| flag.then_some(true);
        restricts.then(|| NightRestrictions {
            night: Day(date),
            min_stay: night.min_stay,
            max_stay: night.max_stay,
            closed_to_arrival: set(night.closed_to_arrival),
            closed_to_departure: set(night.closed_to_departure),
            stop_sell: set(night.stop_sell),
            min_advance_days: night.min_advance_days,
            max_advance_days: night.max_advance_days,
        })
    }
}

impl Calendar {
    /// `room_types` in the order of their codes.
    pub fn new(
        property: &stays::Property,
        range: NightRange,
        room_types: Vec<stays::RoomType>,
        pools: &[Pool],
        months: &[stays::RateMonth],
    ) -> Calendar {
        let nights = Nights::new(range);
        let mut rates = nights.rates(months);
        let pools: BTreeMap<&str, &[Pool]> = pools
            .chunk_by(|one, other| one.key.resource == other.key.resource)
            .filter_map(|pools| Some((pools.first()?.key.resource.as_str(), pools)))
            .collect();
        let row = |room_type: stays::RoomType| {
            let resource = format!("{}/{}", property.name, room_type.key.code);
            let pools = pools.get(resource.as_str()).copied().unwrap_or_default();
            let rates = rates.remove(&room_type.key.code).unwrap_or_default();
            nights.row(room_type, pools, rates.into_values().collect())
        };
        let room_types = room_types.into_iter().map(row).collect();
        let (from, until) = (Day(range.from()), Day(range.until()));
        Calendar { property: property.name.clone(), currency: property.currency, from, until, room_types }
    }
}

type RatesByPlan<'a> = BTreeMap<&'a RatePlanCode, CalendarRates>;

/// The columns of a calendar.
struct Nights {
    dates: Vec<Date>,
    slots: Vec<Slot>,
}

impl Nights {
    fn new(range: NightRange) -> Nights {
        let dates: Vec<Date> = range.nights().collect();
        let slot = |night: &Date| Slot::night(*night).expect("nights have years of four digits");
        Nights { slots: dates.iter().map(slot).collect(), dates }
    }

    fn blank(&self) -> Vec<Option<i64>> {
        vec![None; self.dates.len()]
    }

    fn row(&self, room_type: stays::RoomType, pools: &[Pool], rates: Vec<CalendarRates>) -> CalendarRoomType {
        let mut row = CalendarRoomType {
            code: room_type.key.code,
            title: room_type.title,
            guests_max: room_type.guests_max,
            total: self.blank(),
            available: self.blank(),
            held: self.blank(),
            booked: self.blank(),
            closed: Vec::new(),
            oversold: Vec::new(),
            rates,
        };
        for pool in pools {
            let Ok(index) = self.slots.binary_search(&pool.key.slot) else { continue };
            let night = Day(self.dates[index]);
            row.total[index] = Some(pool.total);
            row.available[index] = Some(if pool.closed { 0 } else { pool.available() });
            row.held[index] = Some(pool.held);
            row.booked[index] = Some(pool.booked);
            if pool.closed {
                row.closed.push(night);
            }
            if pool.oversold > 0 {
                row.oversold.push(OversoldNight { night, rooms: pool.oversold });
            }
        }
        row
    }

    fn rates<'a>(&self, months: &'a [stays::RateMonth]) -> BTreeMap<&'a RoomTypeCode, RatesByPlan<'a>> {
        let mut all = BTreeMap::<_, RatesByPlan<'a>>::new();
        for month in months {
            let days_before = self.dates.first().map_or(0, |from| days_between(*from, month.key.month.first()));
            // Whole months are read: what lies around the range is left out.
            let mut nights = month.nights.iter().filter_map(|night| {
                let index = usize::try_from(days_before + i64::from(night.day) - 1).ok()?;
                Some((index, *self.dates.get(index)?, night))
            });
            let Some(first) = nights.next() else { continue };
            let plan = &month.key.rate_plan;
            let blank = || CalendarRates { rate_plan: plan.clone(), prices: self.blank(), restrictions: Vec::new() };
            let rates = all.entry(&month.key.room_type).or_default().entry(plan).or_insert_with(blank);
            for (index, date, night) in iter::once(first).chain(nights) {
                rates.prices[index] = night.price;
                rates.restrictions.extend(NightRestrictions::of(date, night));
            }
        }
        all
    }
}

/// Below zero if `later` is earlier.
fn days_between(from: Date, later: Date) -> i64 {
    later.duration_since(from).as_hours() / 24
}
