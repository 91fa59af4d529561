//! What can be offered to somebody who wishes to stay. Best effort: nothing is promised before rooms are held.

use std::collections::BTreeMap;

use jiff::civil::Date;

use super::rules::{NotForSale, ROOMS_PER_STAY_MAX, check_and_price, check_not_past};
use super::{
    Property, PropertyName, Quote, QuoteOption, RateMonth, RatePlan, RatePlanCode, RoomType, RoomTypeCode, StayDates,
    pool_of, today,
};
use crate::kernel::{Invalid, Pool, PoolKey, Slot, Timestamp};

pub const QUOTE_OPTIONS_MAX: usize = 200;
const GUESTS_MAX: u32 = 1_000;

/// Who wants to stay where, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuoteRequest {
    property: PropertyName,
    dates: StayDates,
    guests: u32,
    rooms: u32,
}

impl QuoteRequest {
    /// 1 to 1,000 guests in 1 to 100 rooms of one type.
    pub fn new(property: PropertyName, dates: StayDates, guests: u32, rooms: u32) -> Result<QuoteRequest, Invalid> {
        for (what, number, max) in [("guests", guests, GUESTS_MAX), ("rooms", rooms, ROOMS_PER_STAY_MAX)] {
            if !(1..=max).contains(&number) {
                let (what, amount, amount_max) = (what.to_owned(), i64::from(number), i64::from(max));
                return Err(Invalid::Amount { what, amount, amount_min: 1, amount_max });
            }
        }
        Ok(QuoteRequest { property, dates, guests, rooms })
    }

    pub fn property(&self) -> &PropertyName {
        &self.property
    }

    pub fn dates(&self) -> StayDates {
        self.dates
    }

    pub fn guests(&self) -> u32 {
        self.guests
    }

    pub fn rooms(&self) -> u32 {
        self.rooms
    }

    /// What all rooms cost, given what one costs per night.
    pub fn total_of(&self, prices: &[i64]) -> i64 {
        total_of(prices, self.rooms)
    }

    /// Whether the quote was made for this wish.
    pub fn is_of(&self, quote: &Quote) -> bool {
        let Quote { property, dates, guests, rooms, .. } = quote;
        (&self.property, &self.dates, &self.guests, &self.rooms) == (property, dates, guests, rooms)
    }
}

/// What so many rooms cost, given what one costs per night.
pub fn total_of(prices: &[i64], rooms: u32) -> i64 {
    prices.iter().fold(0_i64, |sum, price| sum.strict_add(*price)).strict_mul(i64::from(rooms))
}

/// What a quote is computed from, as read outside of any turn: of the property everything, of months and pools those of
/// the stay.
#[derive(Clone, Debug)]
pub struct QuoteBasis {
    pub property: Property,
    pub room_types: Vec<RoomType>,
    pub rate_plans: Vec<RatePlan>,
    pub months: Vec<RateMonth>,
    pub pools: Vec<Pool>,
}

/// What can be offered, and why the rest cannot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offers {
    /// The cheapest first, at most 200.
    pub options: Vec<QuoteOption>,
    /// More expensive ones beyond that.
    pub options_left_out: usize,
    pub not_for_sale: Vec<NotOffered>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotOffered {
    pub room_type: RoomTypeCode,
    /// `None` says it of every plan.
    pub rate_plan: Option<RatePlanCode>,
    pub reason: NotForSale,
}

/// Every room type in every plan, as an option or as a reason why not.
pub fn compute(basis: &QuoteBasis, request: &QuoteRequest, now: Timestamp) -> Offers {
    let shop = Shop::new(basis, request, today(&basis.property.time_zone, now));
    let mut offers = Offers::default();
    for room_type in &basis.room_types {
        let code = &room_type.key.code;
        match shop.rooms_left(room_type) {
            Ok(available) => shop.offer(code, available, &mut offers),
            Err(reason) => {
                offers.not_for_sale.push(NotOffered { room_type: code.clone(), rate_plan: None, reason });
            }
        }
    }
    offers.put_in_order();
    offers
}

impl Offers {
    fn put_in_order(&mut self) {
        self.options.sort_by(|one, other| {
            let order = |option: &QuoteOption| (option.total, option.room_type.clone(), option.rate_plan.clone());
            order(one).cmp(&order(other))
        });
        self.options_left_out = self.options.len().saturating_sub(QUOTE_OPTIONS_MAX);
        self.options.truncate(QUOTE_OPTIONS_MAX);
        for (number, option) in (1..).zip(&mut self.options) {
            option.number = number;
        }
    }
}

/// The basis, so that it is found quickly.
struct Shop<'a> {
    basis: &'a QuoteBasis,
    request: &'a QuoteRequest,
    today: Date,
    months: BTreeMap<(&'a RoomTypeCode, &'a RatePlanCode), Vec<&'a RateMonth>>,
    pools: BTreeMap<&'a PoolKey, &'a Pool>,
}

impl<'a> Shop<'a> {
    fn new(basis: &'a QuoteBasis, request: &'a QuoteRequest, today: Date) -> Shop<'a> {
        let mut months = BTreeMap::<_, Vec<_>>::new();
        for month in &basis.months {
            months.entry((&month.key.room_type, &month.key.rate_plan)).or_default().push(month);
        }
        let pools = basis.pools.iter().map(|pool| (&pool.key, pool)).collect();
        Shop { basis, request, today, months, pools }
    }

    /// Rooms that are free on every night, or why too few are; in the order of [`NotForSale`].
    fn rooms_left(&self, room_type: &RoomType) -> Result<i64, NotForSale> {
        check_not_past(self.request.dates, self.today)?;
        let guests_max = room_type.guests_max.saturating_mul(self.request.rooms);
        if guests_max < self.request.guests {
            return Err(NotForSale::TooFewPlaces { guests_max });
        }
        let mut fewest = i64::MAX;
        let mut short = None;
        let mut key = pool_of(&self.request.property, &room_type.key.code, self.request.dates.checkin());
        for night in self.request.dates.nights() {
            key.slot = Slot::night(night).expect("nights have years of four digits");
            let pool = self.pools.get(&key).ok_or(NotForSale::NoRooms { night })?;
            if pool.closed {
                return Err(NotForSale::Closed { night });
            }
            let available = pool.available();
            if available < i64::from(self.request.rooms) {
                short = short.or(Some(NotForSale::SoldOut { night, available }));
            }
            fewest = fewest.min(available);
        }
        short.map_or(Ok(fewest), Err)
    }

    fn offer(&self, room_type: &RoomTypeCode, available: i64, offers: &mut Offers) {
        for plan in &self.basis.rate_plans {
            let rate_plan = &plan.key.code;
            let months = self.months.get(&(room_type, rate_plan)).map_or(&[][..], Vec::as_slice);
            let (room_type, rate_plan) = (room_type.clone(), rate_plan.clone());
            match check_and_price(self.request.dates, self.today, months) {
                Ok(prices) => offers.options.push(QuoteOption {
                    number: 0,
                    room_type,
                    rate_plan,
                    total: self.request.total_of(&prices),
                    prices,
                    available,
                    cancellation: *plan.cancellation,
                }),
                Err(reason) => {
                    offers.not_for_sale.push(NotOffered { room_type, rate_plan: Some(rate_plan), reason });
                }
            }
        }
    }
}
