//! The header: which column means what.

use crate::config::Nearest;

macro_rules! columns {
    ($($column:ident = $name:literal),* $(,)?) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Column { $($column),* }

        impl Column {
            pub(super) const ALL: &'static [Column] = &[$(Column::$column),*];

            pub(super) fn name(self) -> &'static str {
                match self { $(Column::$column => $name),* }
            }
        }
    };
}

columns! {
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

/// In the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Columns(pub(super) Vec<Column>);

impl Columns {
    /// Names in any case, with blanks or dashes for underscores.
    pub(super) fn read<'h>(header: impl Iterator<Item = &'h str>) -> Result<Columns, String> {
        let mut columns = Vec::new();
        for name in header {
            let normal = name.trim().to_lowercase().replace([' ', '-'], "_");
            let found = Column::ALL.iter().copied().find(|column| column.name() == normal);
            let Some(column) = found else {
                let all = Column::ALL.iter().map(|column| column.name().to_owned()).collect();
                let name: String = name.trim().chars().take(40).collect();
                return Err(format!("there is no column `{name}`; {}", Nearest::to(&normal, all)));
            };
            if columns.contains(&column) {
                return Err(format!("the column {} is there twice", column.name()));
            }
            columns.push(column);
        }
        let has = |column: Column| columns.contains(&column);
        let missing = match (has(Column::RoomType), has(Column::Date), has(Column::From)) {
            (false, _, _) => "there is no column room_type",
            (true, false, false) => "there is no column date, nor from (with until)",
            (true, true, true) => "there is a column date and one called from; one of them is enough",
            (true, true, false) | (true, false, true) => "",
        };
        let missing = if missing.is_empty() && has(Column::Until) && !has(Column::From) {
            "there is a column until, and none called from"
        } else {
            missing
        };
        if missing.is_empty() { Ok(Columns(columns)) } else { Err(missing.to_owned()) }
    }

    pub(super) fn place(&self, column: Column) -> Option<usize> {
        self.0.iter().position(|one| *one == column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers() {
        let read = |header: &str| Columns::read(header.split(','));
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
