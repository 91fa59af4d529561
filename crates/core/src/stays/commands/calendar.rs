//! How many rooms there are and what they cost, over ranges of nights.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::{Decision, known_property};
use crate::kernel::{Command, Facts, Invalid, Pool, Reads, Stop, Tenant};
use crate::stays::{
    Month, NIGHTS_PER_CALENDAR_MAX, NightRange, Property, PropertyName, RateMonth, RateMonthKey, RatePlan,
    RatePlanCode, RatePlanKey, RoomType, RoomTypeCode, RoomTypeKey, StayRefusal, StaysEvent, Weekdays, pool_of,
};

use super::properties::{RATE_PLANS_MAX, ROOM_TYPES_MAX};

mod changes;
mod request;
mod rows;

pub use changes::{InventoryChange, RateChange, Set};
pub use request::{CALENDAR_REQUEST_NIGHTS_MAX, CalendarRequest, chunks};
pub use rows::{RowsPart, put_together};

/// Sets what is given on the nights of a range that fall on the given days of the week, for one room type; leaves the
/// rest. Pools that do not exist are created. A total below what is promised is the truth: accepted, and told as oversold.
///
/// Refuses, in this order: no such tenant; no such property; no such room type; no such rate plan, the first one; no such
/// pool, where the inventory has no total.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetCalendar {
    property: PropertyName,
    room_type: RoomTypeCode,
    range: NightRange,
    weekdays: Weekdays,
    inventory: Option<InventoryChange>,
    rates: Vec<(RatePlanCode, RateChange)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalendarSet {
    pub room_type: RoomTypeCode,
    #[serde(flatten)]
    pub range: NightRange,
    /// On which anything is different now.
    pub nights_changed: usize,
    /// Nights among the given ones on which more rooms are promised than there are.
    pub oversold: Vec<OversoldNight>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OversoldNight {
    pub night: Date,
    pub oversold: i64,
}

impl SetCalendar {
    /// At most 20 plans, each once, and at least something to set.
    pub fn new(
        property: PropertyName,
        room_type: RoomTypeCode,
        range: NightRange,
        weekdays: Weekdays,
        inventory: Option<InventoryChange>,
        rates: Vec<(RatePlanCode, RateChange)>,
    ) -> Result<SetCalendar, Invalid> {
        check_changes(range, weekdays, inventory.as_ref(), &rates)?;
        Ok(SetCalendar { property, room_type, range, weekdays, inventory, rates })
    }

    pub fn room_type(&self) -> &RoomTypeCode {
        &self.room_type
    }

    pub fn range(&self) -> NightRange {
        self.range
    }

    fn nights(&self) -> impl Iterator<Item = Date> + Clone + use<> {
        let weekdays = self.weekdays;
        self.range.nights().filter(move |night| weekdays.contains(*night))
    }

    fn room_type_key(&self) -> RoomTypeKey {
        RoomTypeKey { property: self.property.clone(), code: self.room_type.clone() }
    }

    fn rate_plan_keys(&self) -> impl Iterator<Item = RatePlanKey> {
        self.rates.iter().map(|(code, _)| RatePlanKey { property: self.property.clone(), code: code.clone() })
    }

    /// The nights that are set, by month.
    fn months(&self) -> BTreeMap<Month, Vec<Date>> {
        let mut months = BTreeMap::<Month, Vec<Date>>::new();
        for night in self.nights() {
            months.entry(Month::of(night)).or_default().push(night);
        }
        months
    }

    fn month_key(&self, rate_plan: &RatePlanCode, month: Month) -> RateMonthKey {
        let (property, room_type) = (self.property.clone(), self.room_type.clone());
        RateMonthKey { property, month, rate_plan: rate_plan.clone(), room_type }
    }

    fn month_keys(&self) -> Vec<RateMonthKey> {
        let months = self.months();
        let of_plan =
            |(plan, _): &(RatePlanCode, _)| months.keys().map(|month| self.month_key(plan, *month)).collect::<Vec<_>>();
        self.rates.iter().flat_map(of_plan).collect()
    }

    /// What is there on each night is known before anything changes, so that all of it is loaded in one round.
    fn require_all(&self, facts: &mut Facts) -> Decision<()> {
        if self.inventory.is_some() {
            let pools: Vec<_> = self.nights().map(|night| pool_of(&self.property, &self.room_type, night)).collect();
            facts.require::<Pool>(&pools)?;
        }
        Ok(facts.require::<RateMonth>(&self.month_keys())?)
    }

    fn set_inventory(&self, facts: &mut Facts, set: &mut Changed) -> Decision<()> {
        let Some(inventory) = &self.inventory else { return Ok(()) };
        for night in self.nights() {
            let put = inventory.put(pool_of(&self.property, &self.room_type, night));
            let (pool, changed) = put.map_err(StayRefusal::from)?.put(facts)?;
            if changed {
                set.nights.insert(night);
            }
            if pool.oversold > 0 {
                set.oversold.push(OversoldNight { night, oversold: pool.oversold });
            }
        }
        Ok(())
    }

    fn set_rates(&self, facts: &mut Facts, set: &mut Changed) -> Decision<()> {
        let months = self.months();
        for (plan, change) in &self.rates {
            let nights_before = set.rate_nights;
            for (month, nights) in &months {
                set.change_month(facts, self.month_key(plan, *month), nights, change)?;
            }
            if set.rate_nights > nights_before {
                set.plans.push(plan.clone());
            }
        }
        Ok(())
    }
}

/// What the command has done so far.
#[derive(Default)]
struct Changed {
    nights: BTreeSet<Date>,
    rate_nights: usize,
    plans: Vec<RatePlanCode>,
    oversold: Vec<OversoldNight>,
}

impl Changed {
    fn change_month(
        &mut self,
        facts: &mut Facts,
        key: RateMonthKey,
        nights: &[Date],
        change: &RateChange,
    ) -> Decision<()> {
        let known = facts.get::<RateMonth>(&key)?.cloned();
        let exists = known.is_some();
        let mut month = known.unwrap_or_else(|| RateMonth::new(key));
        let changed = month.change(nights, change);
        if changed.is_empty() {
            return Ok(());
        }
        self.rate_nights = self.rate_nights.strict_add(changed.len());
        self.nights.extend(changed);
        if exists {
            let stored = facts.get_mut::<RateMonth>(&month.key)?.expect("read before");
            stored.nights = month.nights;
        } else {
            facts.insert(month);
        }
        Ok(())
    }
}

impl Command for SetCalendar {
    const NAME: &'static str = "set_calendar";
    type Reply = CalendarSet;
    type Refusal = StayRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Tenant>(&());
        reads.record::<Property>(&self.property);
        reads.record::<RoomType>(&self.room_type_key());
        self.rate_plan_keys().for_each(|key| reads.record::<RatePlan>(&key));
        if self.inventory.is_some() {
            self.nights().for_each(|night| reads.record::<Pool>(&pool_of(&self.property, &self.room_type, night)));
        }
        self.month_keys().iter().for_each(|key| reads.record::<RateMonth>(key));
    }

    fn decide(&self, facts: &mut Facts) -> Result<CalendarSet, Stop<StayRefusal>> {
        known_property(facts, &self.property)?;
        if facts.get::<RoomType>(&self.room_type_key())?.is_none() {
            let (property, room_type) = (self.property.clone(), self.room_type.clone());
            return Err(StayRefusal::RoomTypeNotFound { property, room_type }.into());
        }
        for key in self.rate_plan_keys() {
            if facts.get::<RatePlan>(&key)?.is_none() {
                return Err(StayRefusal::RatePlanNotFound { property: key.property, rate_plan: key.code }.into());
            }
        }
        self.require_all(facts)?;
        let mut set = Changed::default();
        self.set_inventory(facts, &mut set)?;
        self.set_rates(facts, &mut set)?;
        if !set.plans.is_empty() {
            facts.emit(&self.rates_changed(set.plans).into());
        }
        if set.nights.is_empty() {
            facts.mark_replayed();
        }
        let (room_type, range) = (self.room_type.clone(), self.range);
        Ok(CalendarSet { room_type, range, nights_changed: set.nights.len(), oversold: set.oversold })
    }
}

impl SetCalendar {
    fn rates_changed(&self, rate_plans: Vec<RatePlanCode>) -> StaysEvent {
        StaysEvent::RatesChanged {
            property: self.property.clone(),
            room_type: self.room_type.clone(),
            from: self.range.from(),
            until: self.range.until(),
            rate_plans,
        }
    }
}

fn check_changes(
    range: NightRange,
    weekdays: Weekdays,
    inventory: Option<&InventoryChange>,
    rates: &[(RatePlanCode, RateChange)],
) -> Result<(), Invalid> {
    let says_something = inventory.is_some_and(|inventory| !inventory.is_blank()) || !rates.is_empty();
    let plans_max = usize::try_from(RATE_PLANS_MAX).expect("a small number");
    if rates.len() > plans_max || !says_something {
        return Err(Invalid::ItemCount { what: "what to set".to_owned(), items: rates.len(), items_max: plans_max });
    }
    if !range.nights().take(7).any(|night| weekdays.contains(night)) {
        return Err(Invalid::NameEmpty { what: "nights on the given days of the week".to_owned() });
    }
    let mut plans = BTreeSet::new();
    if let Some((twice, _)) = rates.iter().find(|(plan, _)| !plans.insert(plan)) {
        return Err(Invalid::ListedTwice { what: format!("rate plan {twice}") });
    }
    rates.iter().try_for_each(|(_, change)| change.check())?;
    inventory.map_or(Ok(()), InventoryChange::check)
}
