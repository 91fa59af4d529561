//! What is to be different on a night.

use jiff::civil::Date;

use crate::kernel::commands::PutPool;
use crate::kernel::{AMOUNT_MAX, Invalid, PoolKey, ResourceName, Slot};
use crate::stays::{NIGHTS_PER_STAY_MAX, RateMonth, RateNight};

/// Ten years.
const ADVANCE_DAYS_MAX: i64 = 3_650;

/// What becomes of one field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Set<T> {
    #[default]
    Leave,
    Clear,
    To(T),
}

impl<T: Copy> Set<T> {
    /// What is said now wins over what was said before.
    fn over(self, before: Set<T>) -> Set<T> {
        match self {
            Set::Leave => before,
            Set::Clear | Set::To(_) => self,
        }
    }

    fn apply(self, field: &mut Option<T>) {
        match self {
            Set::Leave => {}
            Set::Clear => *field = None,
            Set::To(value) => *field = Some(value),
        }
    }

    fn check(self, what: &str, min: i64, max: i64) -> Result<(), Invalid>
    where
        i64: From<T>,
    {
        let Set::To(value) = self else { return Ok(()) };
        let amount = i64::from(value);
        let sane = (min..=max).contains(&amount);
        let out_of_range = || Invalid::Amount { what: what.to_owned(), amount, amount_min: min, amount_max: max };
        if sane { Ok(()) } else { Err(out_of_range()) }
    }
}

/// Of the rates of a night.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RateChange {
    pub price: Set<i64>,
    pub min_stay: Set<u16>,
    pub max_stay: Set<u16>,
    pub closed_to_arrival: Option<bool>,
    pub closed_to_departure: Option<bool>,
    pub stop_sell: Option<bool>,
    pub min_advance_days: Set<u16>,
    pub max_advance_days: Set<u16>,
}

impl RateChange {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        if *self == RateChange::default() {
            return Err(Invalid::NameEmpty { what: "a change of rates".to_owned() });
        }
        self.price.check("price", 0, AMOUNT_MAX)?;
        self.min_stay.check("min_stay", 1, NIGHTS_PER_STAY_MAX)?;
        self.max_stay.check("max_stay", 1, NIGHTS_PER_STAY_MAX)?;
        self.min_advance_days.check("min_advance_days", 0, ADVANCE_DAYS_MAX)?;
        self.max_advance_days.check("max_advance_days", 0, ADVANCE_DAYS_MAX)
    }

    pub(super) fn over(&self, before: RateChange) -> RateChange {
        RateChange {
            price: self.price.over(before.price),
            min_stay: self.min_stay.over(before.min_stay),
            max_stay: self.max_stay.over(before.max_stay),
            closed_to_arrival: self.closed_to_arrival.or(before.closed_to_arrival),
            closed_to_departure: self.closed_to_departure.or(before.closed_to_departure),
            stop_sell: self.stop_sell.or(before.stop_sell),
            min_advance_days: self.min_advance_days.over(before.min_advance_days),
            max_advance_days: self.max_advance_days.over(before.max_advance_days),
        }
    }

    fn apply(&self, night: &mut RateNight) {
        self.price.apply(&mut night.price);
        self.min_stay.apply(&mut night.min_stay);
        self.max_stay.apply(&mut night.max_stay);
        self.min_advance_days.apply(&mut night.min_advance_days);
        self.max_advance_days.apply(&mut night.max_advance_days);
        night.closed_to_arrival = self.closed_to_arrival.unwrap_or(night.closed_to_arrival);
        night.closed_to_departure = self.closed_to_departure.unwrap_or(night.closed_to_departure);
        night.stop_sell = self.stop_sell.unwrap_or(night.stop_sell);
    }
}

impl RateMonth {
    /// Changes these nights, which are of this month, and tells which are different now.
    pub(super) fn change(&mut self, dates: &[Date], change: &RateChange) -> Vec<Date> {
        let mut nights = self.nights.to_vec();
        let mut changed = Vec::new();
        for date in dates {
            let place = nights.binary_search_by_key(&date.day(), |night| night.day);
            let before = place.map_or(RateNight { day: date.day(), ..RateNight::default() }, |index| nights[index]);
            let mut after = before;
            change.apply(&mut after);
            if after == before {
                continue;
            }
            changed.push(*date);
            match place {
                Ok(index) => nights[index] = after,
                Err(index) => nights.insert(index, after),
            }
        }
        nights.retain(|night| !night.is_blank());
        self.nights = nights.into();
        changed
    }
}

/// Of the rooms on a night. What is not given is left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InventoryChange {
    pub total: Option<i64>,
    pub overbook: Option<i64>,
    pub closed: Option<bool>,
}

impl InventoryChange {
    pub(super) fn over(self, before: InventoryChange) -> InventoryChange {
        InventoryChange {
            total: self.total.or(before.total),
            overbook: self.overbook.or(before.overbook),
            closed: self.closed.or(before.closed),
        }
    }

    pub(super) fn is_blank(&self) -> bool {
        *self == InventoryChange::default()
    }

    pub(super) fn check(&self) -> Result<(), Invalid> {
        if self.is_blank() {
            return Err(Invalid::NameEmpty { what: "a change of rooms".to_owned() });
        }
        let any_pool = PoolKey { resource: ResourceName::new("any").expect("a legal name"), slot: Slot::NONE };
        self.put(any_pool).map(drop)
    }

    pub(super) fn put(&self, pool: PoolKey) -> Result<PutPool, Invalid> {
        let mut put = match self.total {
            Some(total) => PutPool::new(pool, total)?,
            None => PutPool::leaving_total(pool),
        };
        if let Some(overbook) = self.overbook {
            put = put.overbook(overbook)?;
        }
        Ok(self.closed.into_iter().fold(put, PutPool::closed))
    }
}
