//! A row, understood: what it says about which nights, or which cell cannot be read and why. Whether the property has what
//! it names, and whether it can be so, the server says.

use surehold_api::stays::{CalendarChange, Change, InventoryChange, RateChange};
use surehold_api::{Day, Weekday};
use surehold_core::stays::{RatePlanCode, RoomTypeCode};

use super::super::super::csv_file::{self, Record};
use super::super::super::input::{date, shown};
use super::super::super::money::Money;
use super::super::words::{limit, price, weekday, yes_no};
use super::columns::Column;

pub(super) type File = csv_file::File<Column>;
pub(super) type Fault = csv_file::Fault<Column>;

/// What a rate plan says about a night.
const OF_RATES: [Column; 8] = [
    Column::Price,
    Column::MinStay,
    Column::MaxStay,
    Column::ClosedToArrival,
    Column::ClosedToDeparture,
    Column::StopSell,
    Column::MinAdvanceDays,
    Column::MaxAdvanceDays,
];

pub(super) fn read(file: &File, record: &Record, money: Money) -> Result<CalendarChange, Fault> {
    Cells { file, record, money }.read()
}

struct Cells<'a> {
    file: &'a File,
    record: &'a Record,
    money: Money,
}

fn fault(column: Column, reason: impl Into<String>) -> Fault {
    Fault { column: Some(column), reason: reason.into() }
}

impl Cells<'_> {
    fn read(&self) -> Result<CalendarChange, Fault> {
        self.file.check_cells(self.record)?;
        let room_types = match self.text(Column::RoomType)? {
            "" => return Err(fault(Column::RoomType, "every row needs a room type")),
            code => vec![RoomTypeCode::new(code).map_err(|invalid| fault(Column::RoomType, invalid.to_string()))?],
        };
        let (from, until) = self.nights()?;
        let (weekdays, inventory, rates) = (self.weekdays()?, self.inventory()?, self.rates()?);
        if inventory.is_none() && rates.is_empty() {
            let reason = "there is nothing to set: fill in rooms, or a rate_plan and its price";
            return Err(Fault { column: None, reason: reason.to_owned() });
        }
        Ok(CalendarChange { room_types, from, until, weekdays, inventory, rates })
    }

    fn text(&self, column: Column) -> Result<&str, Fault> {
        self.file.cell(self.record, column).map_err(|reason| fault(column, reason))
    }

    /// What is in a cell that may be empty.
    fn said<T>(&self, column: Column, read: impl FnOnce(&str) -> Result<T, String>) -> Result<Option<T>, Fault> {
        match self.text(column)? {
            "" => Ok(None),
            text => read(text).map(Some).map_err(|reason| fault(column, reason)),
        }
    }

    fn nights(&self) -> Result<(Day, Day), Fault> {
        let read = |column: Column| {
            let text = self.text(column)?;
            date(text).map_err(|_| fault(column, format!("`{}` is no date; write it like 2026-12-24", shown(text))))
        };
        let first = if self.file.columns.place(Column::Date).is_some() { Column::Date } else { Column::From };
        let from = read(first)?;
        let until = if self.text(Column::Until)?.is_empty() {
            from.tomorrow().map_err(|_| fault(first, "the calendar ends there"))?
        } else {
            read(Column::Until)?
        };
        if from < until {
            return Ok((Day(from), Day(until)));
        }
        Err(fault(Column::Until, format!("{until} is not after {from}; it is the date after the last night")))
    }

    fn weekdays(&self) -> Result<Option<Vec<Weekday>>, Fault> {
        let day = |word: &str| weekday(word).map_err(|why| format!("`{}` is no day; {why}", shown(word)));
        self.said(Column::Weekdays, |text| {
            text.split([' ', ',', '/', '+']).filter(|word| !word.is_empty()).map(day).collect()
        })
    }

    fn inventory(&self) -> Result<Option<InventoryChange>, Fault> {
        let inventory = InventoryChange {
            total: self.whole(Column::Rooms)?,
            overbook: self.whole(Column::Overbook)?,
            closed: self.flag(Column::Closed)?,
        };
        Ok(Some(inventory).filter(|inventory| *inventory != InventoryChange::default()))
    }

    fn rates(&self) -> Result<Vec<RateChange>, Fault> {
        let is_blank = OF_RATES.iter().all(|column| self.text(*column).is_ok_and(str::is_empty));
        match self.text(Column::RatePlan)? {
            _ if is_blank => Ok(Vec::new()),
            "" => Err(fault(Column::RatePlan, "prices and restrictions belong to a rate plan: name it here")),
            plan => Ok(vec![RateChange {
                rate_plan: RatePlanCode::new(plan).map_err(|invalid| fault(Column::RatePlan, invalid.to_string()))?,
                price: self
                    .said(Column::Price, |text| price(text, self.money, self.file.decimal_sign()))?
                    .unwrap_or_default(),
                min_stay: self.limit(Column::MinStay)?,
                max_stay: self.limit(Column::MaxStay)?,
                closed_to_arrival: self.flag(Column::ClosedToArrival)?,
                closed_to_departure: self.flag(Column::ClosedToDeparture)?,
                stop_sell: self.flag(Column::StopSell)?,
                min_advance_days: self.limit(Column::MinAdvanceDays)?,
                max_advance_days: self.limit(Column::MaxAdvanceDays)?,
            }]),
        }
    }

    fn whole(&self, column: Column) -> Result<Option<i64>, Fault> {
        self.said(column, |text| {
            let number = text.parse().ok().filter(|number: &i64| *number >= 0);
            number.ok_or_else(|| format!("`{}` is no number of rooms; write it like 10", shown(text)))
        })
    }

    fn limit(&self, column: Column) -> Result<Change<u16>, Fault> {
        let read = |text: &str| limit(text).map_err(|why| format!("`{}` cannot be used; {why}", shown(text)));
        Ok(self.said(column, read)?.unwrap_or_default())
    }

    fn flag(&self, column: Column) -> Result<Option<bool>, Fault> {
        self.said(column, |text| yes_no(text).map_err(|_| format!("`{}` is neither yes nor no", shown(text))))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use surehold_core::kernel::Currency;

    use super::*;

    fn check(header: &str, row: &str, expected: &str) {
        let file = File::parse(Path::new("f.csv"), format!("{header}\n{row}\n").as_bytes()).unwrap();
        let money = Money::of(Currency::parse("BRL").unwrap());
        let told = match read(&file, &file.records[0], money) {
            Ok(change) => serde_json::to_value(change).unwrap().to_string(),
            Err(Fault { column, reason }) => format!("{}: {reason}", column.map_or("row", Column::named)),
        };
        assert!(told.contains(expected), "{row}: {told}");
    }

    #[test]
    fn rows() {
        let header = "room_type,from,until,weekdays,rooms,closed,rate_plan,price,min_stay,stop_sell";
        let good = |row: &str, expected: &str| check(header, row, expected);
        good("double,2026-12-24,2026-12-27,,10,,,,,", r#""inventory":{"total":10}"#);
        good(
            "double,2026-12-24,,,10,,,,,",
            r#""from":"2026-12-24","inventory":{"total":10},"rates":[],"room_types":["double"]"#,
        );
        good("double,2026-12-24,,,10,,,,,", r#""until":"2026-12-25""#);
        good(
            "double,2026-12-24,,,,no,flexible,450.50,none,YES",
            r#""price":45050,"rate_plan":"flexible","stop_sell":true"#,
        );
        good("double,2026-12-24,,,,,flexible,none,3,", r#""min_stay":3,"price":null"#);
        good("double,2026-12-24,2026-12-31,fri sat,1,,,,,", r#""weekdays":["fri","sat"]"#);
        good("double,2026-12-24,,,1,,flexible,,,", r#""inventory""#);
        let bad = good;
        bad(",2026-12-24,,,1,,,,,", "room_type: every row");
        bad("Double,2026-12-24,,,1,,,,,", "room_type:");
        bad("double,24/12/2026,,,1,,,,,", "from: `24/12/2026` is no date; write it like 2026-12-24");
        bad("double,2026-12-24,2026-12-24,,1,,,,,", "until: 2026-12-24 is not after");
        bad("double,2026-12-24,,someday,1,,,,,", "weekdays: `someday` is no day");
        bad("double,2026-12-24,,,-1,,,,,", "rooms: `-1`");
        bad("double,2026-12-24,,,1,maybe,,,,", "closed: `maybe` is neither");
        bad("double,2026-12-24,,,,,,450,,", "rate_plan: prices");
        bad("double,2026-12-24,,,,,flexible,\"450,00\",,", "price: `450,00` is no amount");
        bad("double,2026-12-24,,,,,flexible,450,two,", "min_stay: `two` cannot be used; write a number, or none");
        bad("double,2026-12-24,,,,,,,,", "row: there is nothing to set");
        bad("double,2026-12-24,1", "row: the row has 3 cells, and the header 10");
        bad("double,2026-12-24,,,1,,,,,,x", "row: the row has 11 cells");
        check("room_type;date;rate_plan;price", "double;2026-12-24;flexible;450,00", r#""price":45000"#);
    }
}
