//! Many rows of a calendar at once, as a file has them.

use surehold_core::kernel::Invalid;
use surehold_core::stays::commands::{self, CalendarRequest};
use surehold_core::stays::{PropertyName, RoomTypeCode};

use super::CalendarChange;
use crate::describe::wire;
use crate::{Day, Problem};

pub const CALENDAR_ROWS_MAX: usize = 2_000;
/// Counted for each row and each of its room types: beyond this, setting them would take too long for one answer.
pub const CALENDAR_ROWS_NIGHTS_MAX: usize = 10_000;

/// How nights of a property are to be, in many rows.
#[wire]
#[schema(example = json!({
    "rows": [
        {"room_types": ["double"], "from": "2099-12-20", "until": "2099-12-31", "inventory": {"total": 10}},
        {"room_types": ["double"], "from": "2099-12-24", "until": "2099-12-27", "inventory": {"closed": false},
            "rates": [{"rate_plan": "flexible", "price": 45_000}]}
    ],
    "skip_refused": true
}))]
pub struct PutCalendarRows {
    /// Where several speak of a night, later ones win. Their nights, counted for each room type, are at most 10,000.
    #[schema(min_items = 1, max_items = 2000)]
    pub rows: Vec<CalendarChange>,
    /// Only checks the rows.
    #[serde(default)]
    pub dry_run: bool,
    /// Sets the other rows if some cannot be used; unless told, nothing is set then.
    #[serde(default)]
    pub skip_refused: bool,
}

impl PutCalendarRows {
    /// What each row says, or why it cannot be used.
    pub fn into_requests(self, property: &PropertyName) -> Result<Vec<Result<CalendarRequest, Invalid>>, Invalid> {
        let count = |what: &str, items, items_max| Invalid::ItemCount { what: what.to_owned(), items, items_max };
        if !(1..=CALENDAR_ROWS_MAX).contains(&self.rows.len()) {
            return Err(count("the rows of the request", self.rows.len(), CALENDAR_ROWS_MAX));
        }
        let mut nights = 0_usize;
        let request = |row: CalendarChange| {
            let (of_row, request) = (row.nights(), row.into_request(property.clone()));
            request.check()?;
            nights = nights.saturating_add(of_row);
            Ok(request)
        };
        let requests = self.rows.into_iter().map(request).collect();
        if nights > CALENDAR_ROWS_NIGHTS_MAX {
            return Err(count("the nights of all rows", nights, CALENDAR_ROWS_NIGHTS_MAX));
        }
        Ok(requests)
    }
}

/// What became of the rows.
#[wire]
pub struct CalendarRowsSet {
    /// Rows whose nights are as they say, or as a later row says.
    pub rows_set: usize,
    /// On how many nights of room types anything is different now.
    pub nights_changed: usize,
    /// Nights on which more rooms are promised than there are.
    pub oversold: Vec<OversoldRooms>,
    /// In the order of the request. What is found when the others are set concerns some nights of a row: those keep what they
    /// had, and the others are set.
    pub refused: Vec<RefusedRow>,
}

impl CalendarRowsSet {
    pub fn new(rows_set: usize, sets: Vec<commands::CalendarSet>, refused: Vec<RefusedRow>) -> CalendarRowsSet {
        let mut all = CalendarRowsSet { rows_set, nights_changed: 0, oversold: Vec::new(), refused };
        for commands::CalendarSet { room_type, nights_changed, oversold, .. } in sets {
            all.nights_changed += nights_changed;
            let rooms = |commands::OversoldNight { night, oversold: rooms }| OversoldRooms {
                room_type: room_type.clone(),
                night: Day(night),
                rooms,
            };
            all.oversold.extend(oversold.into_iter().map(rooms));
        }
        all
    }
}

#[wire]
pub struct OversoldRooms {
    pub room_type: RoomTypeCode,
    pub night: Day,
    /// Promised beyond what there is.
    pub rooms: i64,
}

#[wire]
pub struct RefusedRow {
    /// Its place in the request, from 0.
    pub row: usize,
    /// Of several the first.
    pub problem: Problem,
}
