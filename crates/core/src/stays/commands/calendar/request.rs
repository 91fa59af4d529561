//! A calendar for many room types and years, as commands that each fit into a batch.

use std::collections::BTreeSet;

use jiff::ToSpan;
use jiff::civil::Date;

use super::{InventoryChange, RateChange, SetCalendar};
use super::{NIGHTS_PER_CALENDAR_MAX, NightRange, PropertyName, RatePlanCode, RoomTypeCode, Weekdays};
use crate::kernel::Invalid;
use crate::stays::{Month, StayRefusal};

/// About three years.
pub const CALENDAR_REQUEST_NIGHTS_MAX: i64 = 1_100;

/// The same change for several room types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalendarRequest {
    pub property: PropertyName,
    pub room_types: Vec<RoomTypeCode>,
    pub from: Date,
    /// Not set any more.
    pub until: Date,
    pub weekdays: Weekdays,
    pub inventory: Option<InventoryChange>,
    pub rates: Vec<(RatePlanCode, RateChange)>,
}

impl CalendarRequest {
    /// Whether it can be carried out, whatever there is. Tells its nights, whatever their days of the week.
    pub fn check(&self) -> Result<NightRange, Invalid> {
        let whole = NightRange::within(self.from, self.until, CALENDAR_REQUEST_NIGHTS_MAX)?;
        let (items, items_max) =
            (self.room_types.len(), usize::try_from(super::ROOM_TYPES_MAX).expect("a small number"));
        if !(1..=items_max).contains(&items) {
            return Err(Invalid::ItemCount { what: "room types".to_owned(), items, items_max });
        }
        let mut seen = BTreeSet::new();
        if let Some(twice) = self.room_types.iter().find(|room_type| !seen.insert(*room_type)) {
            return Err(Invalid::ListedTwice { what: format!("room type {twice}") });
        }
        super::check_changes(whole, self.weekdays, self.inventory.as_ref(), &self.rates)?;
        Ok(whole)
    }

    /// If the property has what is named.
    pub fn with_known_names(
        self,
        room_types: &BTreeSet<RoomTypeCode>,
        rate_plans: &BTreeSet<RatePlanCode>,
    ) -> Result<CalendarRequest, StayRefusal> {
        let CalendarRequest { property, room_types: named, rates, .. } = &self;
        if let Some(room_type) = named.iter().find(|room_type| !room_types.contains(*room_type)).cloned() {
            return Err(StayRefusal::RoomTypeNotFound { property: property.clone(), room_type });
        }
        match rates.iter().find(|(plan, _)| !rate_plans.contains(plan)).cloned() {
            Some((rate_plan, _)) => Err(StayRefusal::RatePlanNotFound { property: property.clone(), rate_plan }),
            None => Ok(self),
        }
    }
}

/// The commands that together carry the request out, each asked night in exactly one of them. Each is all or nothing;
/// together they are not, so whoever runs them reports each. Ranges are cut between months, so that no record is written
/// by two of them; a piece without one of the days of the week is left out.
pub fn chunks(request: &CalendarRequest) -> Result<Vec<SetCalendar>, Invalid> {
    let whole = request.check()?;
    let CalendarRequest { property, room_types, weekdays, inventory, rates, .. } = request;
    let has_nights = |piece: &NightRange| piece.nights().take(7).any(|night| weekdays.contains(night));
    let pieces: Vec<NightRange> = pieces(whole).into_iter().filter(has_nights).collect();
    let command = |room_type: &RoomTypeCode, range: NightRange| {
        SetCalendar::new(property.clone(), room_type.clone(), range, *weekdays, *inventory, rates.clone())
    };
    room_types.iter().flat_map(|room_type| pieces.iter().map(move |range| command(room_type, *range))).collect()
}

fn pieces(whole: NightRange) -> Vec<NightRange> {
    let mut pieces = Vec::new();
    let mut from = whole.from();
    while from < whole.until() {
        let latest = from.saturating_add(NIGHTS_PER_CALENDAR_MAX.days());
        let until = if whole.until() <= latest { whole.until() } else { Month::of(latest).first() };
        pieces.push(NightRange::new(from, until).expect("a part of a range of nights"));
        from = until;
    }
    pieces
}
