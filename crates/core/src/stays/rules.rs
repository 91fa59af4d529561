//! Whether nights are sold, and for how much. The one implementation of these rules: quotes ask it to show a price, and
//! whoever holds rooms asks it again in the turn that decides.
//!
//! Knows nothing of how many rooms are left; that is for pools to say.

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::dates::nights_between;
use super::{
    Property, PropertyName, RateMonth, RateMonthKey, RateNight, RatePlanCode, RoomTypeCode, StayDates, StayInvalid,
    StayRoom, pool_of, today,
};
use crate::kernel::{Facts, Halt, Invalid, LINES_MAX, Line, Lines};

/// No stay has more rooms of one type.
pub const ROOMS_PER_STAY_MAX: u32 = 100;

/// In the order in which it is looked for.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum NotForSale {
    #[error("it is {today} at the property; nobody can arrive before that")]
    InThePast { today: Date },
    #[error("so many of these rooms have places for {guests_max} only")]
    TooFewPlaces { guests_max: u32 },
    #[error("there are no rooms on {night}")]
    NoRooms { night: Date },
    #[error("closed on {night}")]
    Closed { night: Date },
    #[error("{available} rooms are left on {night}")]
    SoldOut { night: Date, available: i64 },
    #[error("nobody may arrive on {checkin}")]
    ClosedToArrival { checkin: Date },
    #[error("nobody may leave on {checkout}")]
    ClosedToDeparture { checkout: Date },
    #[error("who arrives then stays at least {nights_min} nights")]
    StayTooShort { nights_min: u16 },
    #[error("who arrives then stays at most {nights_max} nights")]
    StayTooLong { nights_max: u16 },
    #[error("sold only {days_min} days before arrival and earlier")]
    TooLate { days_min: u16 },
    #[error("not sold earlier than {days_max} days before arrival")]
    TooEarly { days_max: u16 },
    #[error("not sold on {night}")]
    StopSell { night: Date },
    #[error("{night} has no price")]
    NoPrice { night: Date },
}

/// The price of one room per night, in the order of nights; or why the stay is not sold in that plan, the first reason
/// in the order of [`NotForSale`]. `months` are those of [`StayDates::months`] for one plan and room type, as far as they
/// exist; `today` is the date at the property.
pub fn check_and_price(dates: StayDates, today: Date, months: &[&RateMonth]) -> Result<Vec<i64>, NotForSale> {
    check_not_past(dates, today)?;
    let arrival = said_of(months, dates.checkin());
    if arrival.closed_to_arrival {
        return Err(NotForSale::ClosedToArrival { checkin: dates.checkin() });
    }
    check_departure(dates, months)?;
    check_not_too_short(dates, &arrival)?;
    check_not_too_long(dates, &arrival)?;
    check_advance(dates, today, &arrival)?;
    price(dates.nights(), months)
}

/// The same for guests who are in the house and stay longer: the price of the nights from `until` on, on which they would
/// have left. They have arrived: the rules about that are behind them.
pub fn check_and_price_longer(dates: StayDates, until: Date, months: &[&RateMonth]) -> Result<Vec<i64>, NotForSale> {
    check_departure(dates, months)?;
    check_not_too_long(dates, &said_of(months, dates.checkin()))?;
    price(dates.nights().filter(|night| *night >= until), months)
}

fn said_of(months: &[&RateMonth], date: Date) -> RateNight {
    months.iter().find_map(|month| month.night(date)).copied().unwrap_or_default()
}

fn price(nights: impl Iterator<Item = Date> + Clone, months: &[&RateMonth]) -> Result<Vec<i64>, NotForSale> {
    if let Some(night) = nights.clone().find(|night| said_of(months, *night).stop_sell) {
        return Err(NotForSale::StopSell { night });
    }
    nights.map(|night| said_of(months, night).price.ok_or(NotForSale::NoPrice { night })).collect()
}

/// The day of departure is not slept, so it need not have a price; but it may be one on which nobody leaves.
fn check_departure(dates: StayDates, months: &[&RateMonth]) -> Result<(), NotForSale> {
    let closed = said_of(months, dates.checkout()).closed_to_departure;
    if closed { Err(NotForSale::ClosedToDeparture { checkout: dates.checkout() }) } else { Ok(()) }
}

/// Who arrives today is welcome.
pub fn check_not_past(dates: StayDates, today: Date) -> Result<(), NotForSale> {
    if dates.checkin() < today { Err(NotForSale::InThePast { today }) } else { Ok(()) }
}

fn check_not_too_short(dates: StayDates, arrival: &RateNight) -> Result<(), NotForSale> {
    let nights = dates.nights_count();
    match arrival.min_stay.filter(|min| nights < i64::from(*min)) {
        Some(nights_min) => Err(NotForSale::StayTooShort { nights_min }),
        None => Ok(()),
    }
}

fn check_not_too_long(dates: StayDates, arrival: &RateNight) -> Result<(), NotForSale> {
    let nights = dates.nights_count();
    match arrival.max_stay.filter(|max| nights > i64::from(*max)) {
        Some(nights_max) => Err(NotForSale::StayTooLong { nights_max }),
        None => Ok(()),
    }
}

fn check_advance(dates: StayDates, today: Date, arrival: &RateNight) -> Result<(), NotForSale> {
    let days = nights_between(today, dates.checkin());
    if let Some(days_min) = arrival.min_advance_days.filter(|min| days < i64::from(*min)) {
        return Err(NotForSale::TooLate { days_min });
    }
    match arrival.max_advance_days.filter(|max| days > i64::from(*max)) {
        Some(days_max) => Err(NotForSale::TooEarly { days_max }),
        None => Ok(()),
    }
}

/// The records that [`check_and_price`] looks at.
pub fn rate_month_keys(
    property: &PropertyName,
    room_type: &RoomTypeCode,
    rate_plan: &RatePlanCode,
    dates: StayDates,
) -> Vec<RateMonthKey> {
    let key = |month| RateMonthKey {
        property: property.clone(),
        month,
        rate_plan: rate_plan.clone(),
        room_type: room_type.clone(),
    };
    dates.months().into_iter().map(key).collect()
}

/// [`check_and_price`] on what is true in this turn.
pub fn price_now(
    facts: &mut Facts,
    property: &Property,
    room_type: &RoomTypeCode,
    rate_plan: &RatePlanCode,
    dates: StayDates,
) -> Result<Result<Vec<i64>, NotForSale>, Halt> {
    let months = months_now(facts, &rate_month_keys(&property.name, room_type, rate_plan, dates))?;
    let today = today(&property.time_zone, facts.now());
    Ok(check_and_price(dates, today, &months.iter().collect::<Vec<_>>()))
}

/// [`check_and_price_longer`] on what is true in this turn.
pub(super) fn price_longer_now(
    facts: &mut Facts,
    property: &PropertyName,
    room: &StayRoom,
    dates: StayDates,
    until: Date,
) -> Result<Result<Vec<i64>, NotForSale>, Halt> {
    let months = months_now(facts, &rate_month_keys(property, &room.room_type, &room.rate_plan, dates))?;
    Ok(check_and_price_longer(dates, until, &months.iter().collect::<Vec<_>>()))
}

fn months_now(facts: &mut Facts, keys: &[RateMonthKey]) -> Result<Vec<RateMonth>, Halt> {
    facts.require::<RateMonth>(keys)?;
    let mut months = Vec::with_capacity(keys.len());
    for key in keys {
        months.extend(facts.get::<RateMonth>(key)?.cloned());
    }
    Ok(months)
}

/// What a hold for these rooms claims. Rooms of one type may be listed several times, in different plans.
pub fn stay_lines(property: &PropertyName, rooms: &[(RoomTypeCode, u32)], dates: StayDates) -> Result<Lines, Invalid> {
    let mut rooms_by_type = BTreeMap::<&RoomTypeCode, i64>::new();
    for (room_type, count) in rooms {
        let sum = rooms_by_type.entry(room_type).or_default();
        *sum = sum.strict_add(i64::from(*count));
    }
    let nights = dates.nights().count();
    let (room_types, lines) = (rooms_by_type.len(), rooms_by_type.len().strict_mul(nights));
    if lines > LINES_MAX {
        return Err(StayInvalid::TooLarge { room_types, nights, lines, lines_max: LINES_MAX }.into());
    }
    let lines = rooms_by_type.into_iter().flat_map(|(room_type, quantity)| {
        dates.nights().map(move |night| Line { pool: pool_of(property, room_type, night), quantity })
    });
    Lines::new(lines.collect())
}
