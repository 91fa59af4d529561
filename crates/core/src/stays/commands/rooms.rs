//! What commands that sell rooms share: asking for rooms, pricing them, and writing down what is held.

use serde::{Deserialize, Serialize};

use super::Decision;
use crate::kernel::{Facts, HoldId, Invalid, Lines, Pool, Reference};
use crate::stays::records::{lines_of, total_of};
use crate::stays::{
    Guest, GuestDetails, Property, PropertyName, QuoteId, ROOMS_PER_STAY_MAX, RateMonth, RatePlan, RatePlanCode,
    RatePlanKey, RoomType, RoomTypeCode, RoomTypeKey, Stay, StayDates, StayRefusal, StayRoom, StaysEvent, price_now,
    rate_month_keys, stay_lines,
};

/// Rooms that are asked for by name, without a quote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WantedRooms {
    pub room_type: RoomTypeCode,
    pub rate_plan: RatePlanCode,
    pub rooms: u32,
}

pub(super) const WANTED_MAX: usize = 20;

impl WantedRooms {
    pub(super) fn check(wanted: &[WantedRooms]) -> Result<(), Invalid> {
        check_rooms(wanted.iter().map(|wanted| wanted.rooms), WANTED_MAX)?;
        for (index, one) in wanted.iter().enumerate() {
            let same = |other: &WantedRooms| (&other.room_type, &other.rate_plan) == (&one.room_type, &one.rate_plan);
            if wanted.iter().take(index).any(same) {
                return Err(Invalid::ListedTwice { what: format!("{} of {}", one.rate_plan, one.room_type) });
            }
        }
        Ok(())
    }

    pub(super) fn parts(&self) -> (&RoomTypeCode, &RatePlanCode, u32) {
        (&self.room_type, &self.rate_plan, self.rooms)
    }

    pub(super) fn is_of(wanted: &[WantedRooms], rooms: &[StayRoom]) -> bool {
        let held = rooms.iter().map(|room| (&room.room_type, &room.rate_plan, room.rooms));
        wanted.iter().map(|wanted| (&wanted.room_type, &wanted.rate_plan, wanted.rooms)).eq(held)
    }
}

/// Some kinds of rooms, and of each a sane number.
pub(super) fn check_rooms(counts: impl ExactSizeIterator<Item = u32>, items_max: usize) -> Result<(), Invalid> {
    let items = counts.len();
    if !(1..=items_max).contains(&items) {
        return Err(Invalid::ItemCount { what: "the list of rooms".to_owned(), items, items_max });
    }
    for rooms in counts {
        if !(1..=ROOMS_PER_STAY_MAX).contains(&rooms) {
            let (amount, amount_max) = (i64::from(rooms), i64::from(ROOMS_PER_STAY_MAX));
            return Err(Invalid::Amount { what: "the number of rooms".to_owned(), amount, amount_min: 1, amount_max });
        }
    }
    Ok(())
}

/// Asks for all that selling these rooms looks at, so that it comes in one round instead of one for each kind.
pub(super) fn ask_for_rooms<'r>(
    facts: &mut Facts,
    property: &PropertyName,
    rooms: impl Iterator<Item = (&'r RoomTypeCode, &'r RatePlanCode, u32)>,
    dates: StayDates,
) {
    facts.ask::<Property>(property);
    let mut counts = Vec::new();
    for (room_type, rate_plan, count) in rooms {
        facts.ask::<RoomType>(&RoomTypeKey { property: property.clone(), code: room_type.clone() });
        facts.ask::<RatePlan>(&RatePlanKey { property: property.clone(), code: rate_plan.clone() });
        for month in rate_month_keys(property, room_type, rate_plan, dates) {
            facts.ask::<RateMonth>(&month);
        }
        counts.push((room_type.clone(), count));
    }
    // Too many are refused when it is their turn.
    let lines = stay_lines(property, &counts, dates);
    lines.iter().flat_map(Lines::pools).for_each(|pool| facts.ask::<Pool>(pool));
}

/// One room as it is sold now, with the plan's present conditions.
///
/// Refuses, in this order: no such room type; no such rate plan; not for sale.
pub(super) fn priced(
    facts: &mut Facts,
    property: &Property,
    room_type: &RoomTypeCode,
    rate_plan: &RatePlanCode,
    dates: StayDates,
) -> Decision<StayRoom> {
    let name = &property.name;
    let key = RoomTypeKey { property: name.clone(), code: room_type.clone() };
    if facts.get::<RoomType>(&key)?.is_none() {
        return Err(StayRefusal::RoomTypeNotFound { property: name.clone(), room_type: room_type.clone() }.into());
    }
    let key = RatePlanKey { property: name.clone(), code: rate_plan.clone() };
    let Some(cancellation) = facts.get::<RatePlan>(&key)?.map(|plan| *plan.cancellation) else {
        return Err(StayRefusal::RatePlanNotFound { property: name.clone(), rate_plan: rate_plan.clone() }.into());
    };
    let (room_type, rate_plan) = (room_type.clone(), rate_plan.clone());
    match price_now(facts, property, &room_type, &rate_plan, dates)? {
        Ok(prices) => Ok(StayRoom { room_type, rate_plan, rooms: 1, prices, cancellation }),
        Err(why) => Err(StayRefusal::NotForSale { room_type, rate_plan, why }.into()),
    }
}

pub(super) fn priced_all(
    facts: &mut Facts,
    property: &Property,
    wanted: &[WantedRooms],
    dates: StayDates,
) -> Decision<Vec<StayRoom>> {
    let mut rooms = Vec::with_capacity(wanted.len());
    for wanted in wanted {
        let room = priced(facts, property, &wanted.room_type, &wanted.rate_plan, dates)?;
        rooms.push(StayRoom { rooms: wanted.rooms, ..room });
    }
    Ok(rooms)
}

pub(super) struct NewStay {
    pub(super) hold: HoldId,
    pub(super) property: Property,
    pub(super) quote: Option<QuoteId>,
    pub(super) conversation: Option<Reference>,
    pub(super) dates: StayDates,
    pub(super) rooms: Vec<StayRoom>,
    pub(super) guest: GuestDetails,
}

impl NewStay {
    pub(super) fn lines(&self) -> Decision<Lines> {
        Ok(lines_of(&self.property.name, self.dates, &self.rooms).map_err(StayRefusal::from)?)
    }
}

/// Its hold has been placed.
pub(super) fn insert_stay(facts: &mut Facts, new: NewStay) -> Stay {
    let now = facts.now();
    let NewStay { hold, property, quote, conversation, dates, rooms, guest } = new;
    let (total, currency) = (total_of(&rooms), property.currency);
    facts.emit(&StaysEvent::StayCreated { hold, property: property.name.clone(), total, currency }.into());
    facts.insert(Guest { hold, details: guest, erased_at: None, version: 0 });
    let stay = facts.insert(Stay {
        hold,
        property: property.name,
        quote,
        conversation,
        dates,
        rooms: rooms.into(),
        total,
        currency,
        checkout: None,
        awaiting_payment: false,
        created_at: now,
        updated_at: now,
        version: 0,
    });
    stay.clone()
}
