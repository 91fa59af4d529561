//! The header: which column means what.

use super::super::super::csv_file::{self, column_names};

column_names! {
    RoomType = "room_type",
    Date = "date",
    From = "from",
    Until = "until",
    Weekdays = "weekdays",
    Rooms = "rooms",
    Overbook = "overbook",
    Closed = "closed",
    RatePlan = "rate_plan",
    Price = "price",
    MinStay = "min_stay",
    MaxStay = "max_stay",
    ClosedToArrival = "closed_to_arrival",
    ClosedToDeparture = "closed_to_departure",
    StopSell = "stop_sell",
    MinAdvanceDays = "min_advance_days",
    MaxAdvanceDays = "max_advance_days",
    // Of a report: what was wrong the last time.
    Reason = "reason",
}

impl csv_file::Column for Column {
    const ALL: &'static [Column] = Column::NAMED;
    const HEADER_SHOWN: &'static str = "room_type,from,until,rooms,rate_plan,price";
    const ROWS_HINT: &'static str = "add a row for each room type and range of nights";
    const ROWS_MAX: usize = 1_000_000;
    const REASON: Column = Column::Reason;

    fn name(self) -> &'static str {
        self.named()
    }

    fn check(columns: &[Column]) -> Result<(), String> {
        let has = |column: Column| columns.contains(&column);
        let wrong = match (has(Column::RoomType), has(Column::Date), has(Column::From), has(Column::Until)) {
            (false, ..) => "there is no column room_type",
            (true, false, false, _) => "there is no column date, nor from (with until)",
            (true, true, true, _) => "there is a column date and one called from; one of them is enough",
            (true, true, false, true) => "there is a column until, and none called from",
            (true, true, false, false) | (true, false, true, _) => return Ok(()),
        };
        Err(wrong.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::csv_file::Columns;
    use super::*;

    #[test]
    fn headers() {
        let read = |header: &str| Columns::<Column>::read(header.split(','));
        let columns = read("Room Type,date,rooms,rate-plan, PRICE ").unwrap();
        assert_eq!(columns.0, [Column::RoomType, Column::Date, Column::Rooms, Column::RatePlan, Column::Price]);
        assert!(read("room_type,from,until,price,rate_plan,reason").is_ok());
        let check = |header: &str, expected: &str| {
            let told = read(header).unwrap_err();
            assert!(told.contains(expected), "{header}: {told}");
        };
        check("date,rooms", "no column room_type");
        check("room_type,rooms", "no column date");
        check("room_type,date,from,until", "one of them");
        check("room_type,date,until", "none called from");
        check("room_type,date,date", "date is there twice");
        check("room_type,date,prise", "price");
        check("", "no column ``");
    }
}
