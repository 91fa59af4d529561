//! A row, understood: what it says about which nights, or which cell cannot be used and why.

use jiff::civil::Date;
use surehold_core::kernel::Slug;
use surehold_core::stays::commands::{CalendarRequest, InventoryChange, RateChange, Set, chunks};
use surehold_core::stays::{PropertyName, RatePlanCode, RoomTypeCode, Weekdays};

use super::super::super::csv_file::{self, Record};
use super::super::super::input::{date, shown};
use super::super::super::money::{DecimalSign, Money};
use super::super::words::weekday;
use super::columns::Column;
use crate::config::Nearest;

type File = csv_file::File<Column>;
pub(super) type Fault = csv_file::Fault<Column>;

pub(super) type Wanted = CalendarRequest;

/// What the property has.
pub(super) struct Known {
    pub(super) tenant: Slug,
    pub(super) property: PropertyName,
    pub(super) room_types: Vec<RoomTypeCode>,
    pub(super) rate_plans: Vec<RatePlanCode>,
}

pub(super) fn read(file: &File, record: &Record, money: Money, known: &Known) -> Result<Wanted, Fault> {
    Cells { file, record, money, known }.read()
}

struct Cells<'a> {
    file: &'a File,
    record: &'a Record,
    money: Money,
    known: &'a Known,
}

fn fault(column: Column, reason: impl Into<String>) -> Fault {
    Fault { column: Some(column), reason: reason.into() }
}

impl Cells<'_> {
    fn read(&self) -> Result<Wanted, Fault> {
        self.file.check_cells(self.record)?;
        let room_type = self.room_type()?;
        let (from, until) = self.nights()?;
        let (weekdays, inventory, rates) = (self.weekdays()?, self.inventory()?, self.rates()?);
        if inventory.is_none() && rates.is_empty() {
            let reason = "there is nothing to set: fill in rooms, or a rate_plan and its price";
            return Err(Fault { column: None, reason: reason.to_owned() });
        }
        let property = self.known.property.clone();
        let wanted = CalendarRequest { property, room_types: vec![room_type], from, until, weekdays, inventory, rates };
        // The API's own rules: one row that breaks them would have the whole request refused.
        match chunks(&wanted) {
            Ok(_) => Ok(wanted),
            Err(invalid) => Err(Fault { column: None, reason: invalid.to_string() }),
        }
    }

    fn text(&self, column: Column) -> Result<&str, Fault> {
        self.file.cell(self.record, column).map_err(|reason| fault(column, reason))
    }

    fn room_type(&self) -> Result<RoomTypeCode, Fault> {
        let text = self.text(Column::RoomType)?;
        let Known { tenant, property, room_types, .. } = self.known;
        if text.is_empty() {
            return Err(fault(Column::RoomType, "every row needs a room type"));
        }
        let code = RoomTypeCode::new(text).map_err(|invalid| fault(Column::RoomType, invalid.to_string()))?;
        if room_types.contains(&code) {
            return Ok(code);
        }
        let make = format!("`surehold stay room-type put {tenant} {property} {text} --guests N` makes it");
        Err(fault(Column::RoomType, unknown("room type", text, room_types, &make)))
    }

    fn plan(&self, text: &str) -> Result<RatePlanCode, Fault> {
        let Known { tenant, property, rate_plans, .. } = self.known;
        let code = RatePlanCode::new(text).map_err(|invalid| fault(Column::RatePlan, invalid.to_string()))?;
        if rate_plans.contains(&code) {
            return Ok(code);
        }
        let make = format!("`surehold stay rate-plan put {tenant} {property} {text} --penalty PENALTY` makes it");
        Err(fault(Column::RatePlan, unknown("rate plan", text, rate_plans, &make)))
    }

    fn nights(&self) -> Result<(Date, Date), Fault> {
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
            return Ok((from, until));
        }
        Err(fault(Column::Until, format!("{until} is not after {from}; it is the date after the last night")))
    }

    fn weekdays(&self) -> Result<Weekdays, Fault> {
        let text = self.text(Column::Weekdays)?;
        let mut days = Vec::new();
        for word in text.split([' ', ',', '/', '+']).filter(|word| !word.is_empty()) {
            let day =
                weekday(word).map_err(|why| fault(Column::Weekdays, format!("`{}` is no day; {why}", shown(word))))?;
            days.push(day.into());
        }
        Ok(if days.is_empty() { Weekdays::ALL } else { Weekdays::of(&days) })
    }

    fn inventory(&self) -> Result<Option<InventoryChange>, Fault> {
        let inventory = InventoryChange {
            total: self.whole(Column::Rooms)?,
            overbook: self.whole(Column::Overbook)?,
            closed: self.flag(Column::Closed)?,
        };
        Ok(Some(inventory).filter(|inventory| *inventory != InventoryChange::default()))
    }

    fn rates(&self) -> Result<Vec<(RatePlanCode, RateChange)>, Fault> {
        let change = RateChange {
            price: self.price()?,
            min_stay: self.limit(Column::MinStay, 1)?,
            max_stay: self.limit(Column::MaxStay, 1)?,
            closed_to_arrival: self.flag(Column::ClosedToArrival)?,
            closed_to_departure: self.flag(Column::ClosedToDeparture)?,
            stop_sell: self.flag(Column::StopSell)?,
            min_advance_days: self.limit(Column::MinAdvanceDays, 0)?,
            max_advance_days: self.limit(Column::MaxAdvanceDays, 0)?,
        };
        let plan = self.text(Column::RatePlan)?;
        match (plan.is_empty(), change == RateChange::default()) {
            (true, true) => Ok(Vec::new()),
            (true, false) => {
                Err(fault(Column::RatePlan, "prices and restrictions belong to a rate plan: name it here"))
            }
            (false, is_blank) => {
                let plan = self.plan(plan)?;
                Ok(if is_blank { Vec::new() } else { vec![(plan, change)] })
            }
        }
    }

    fn whole(&self, column: Column) -> Result<Option<i64>, Fault> {
        let text = self.text(column)?;
        if text.is_empty() {
            return Ok(None);
        }
        let number = text.parse::<i64>().ok().filter(|number| *number >= 0);
        number
            .map(Some)
            .ok_or_else(|| fault(column, format!("`{}` is no number of rooms; write it like 10", shown(text))))
    }

    fn limit(&self, column: Column, least: u16) -> Result<Set<u16>, Fault> {
        let text = self.text(column)?;
        let number = text.parse::<u16>().ok().filter(|number| *number >= least);
        match (text, number) {
            ("", _) => Ok(Set::Leave),
            ("none", _) => Ok(Set::Clear),
            (_, Some(number)) => Ok(Set::To(number)),
            (_, None) => {
                Err(fault(column, format!("`{}` cannot be used; write a number from {least} on, or none", shown(text))))
            }
        }
    }

    fn price(&self) -> Result<Set<i64>, Fault> {
        match self.text(Column::Price)? {
            "" => Ok(Set::Leave),
            "none" => Ok(Set::Clear),
            text => {
                let sign: DecimalSign = self.file.decimal_sign();
                self.money.parse(text, sign).map(Set::To).map_err(|why| fault(Column::Price, why))
            }
        }
    }

    fn flag(&self, column: Column) -> Result<Option<bool>, Fault> {
        let text = self.text(column)?;
        match text.to_lowercase().as_str() {
            "" => Ok(None),
            "yes" | "true" | "1" => Ok(Some(true)),
            "no" | "false" | "0" => Ok(Some(false)),
            _ => Err(fault(column, format!("`{}` is neither yes nor no", shown(text)))),
        }
    }
}

fn unknown(what: &str, text: &str, known: &[impl ToString], make: &str) -> String {
    if known.is_empty() {
        return format!("there is no {what} `{text}`, nor any other; {make}");
    }
    let known = known.iter().map(ToString::to_string).collect();
    format!("there is no {what} `{text}`; {}; {make}", Nearest::to(text, known))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use surehold_api::CalendarChange;
    use surehold_core::kernel::Currency;

    use super::*;

    fn check(header: &str, row: &str, expected: &str) {
        let file = File::parse(Path::new("f.csv"), format!("{header}\n{row}\n").as_bytes()).unwrap();
        let known = Known {
            tenant: Slug::new("casa").unwrap(),
            property: PropertyName::new("mar").unwrap(),
            room_types: ["double", "suite"].map(|code| RoomTypeCode::new(code).unwrap()).to_vec(),
            rate_plans: vec![RatePlanCode::new("flexible").unwrap()],
        };
        let money = Money::of(Currency::parse("BRL").unwrap());
        let told = match read(&file, &file.records[0], money, &known) {
            Ok(wanted) => serde_json::to_value(CalendarChange::from(wanted)).unwrap().to_string(),
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
        bad(
            "duoble,2026-12-24,,,1,,,,,",
            "room_type: there is no room type `duoble`; did you mean `double`?; `surehold stay",
        );
        bad("Double,2026-12-24,,,1,,,,,", "room_type:");
        bad("double,24/12/2026,,,1,,,,,", "from: `24/12/2026` is no date; write it like 2026-12-24");
        bad("double,2026-12-24,2026-12-24,,1,,,,,", "until: 2026-12-24 is not after");
        bad("double,2026-12-24,2036-12-24,,1,,,,,", "row:");
        bad("double,2026-12-24,,someday,1,,,,,", "weekdays: `someday` is no day");
        bad("double,2026-12-24,2026-12-25,mon,1,,,,,", "row:");
        bad("double,2026-12-24,,,-1,,,,,", "rooms: `-1`");
        bad("double,2026-12-24,,,1,maybe,,,,", "closed: `maybe` is neither");
        bad("double,2026-12-24,,,,,,450,,", "rate_plan: prices");
        bad("double,2026-12-24,,,,,flex,450,,", "rate_plan: there is no rate plan `flex`");
        bad("double,2026-12-24,,,,,flexible,\"450,00\",,", "price: `450,00` is no amount");
        bad("double,2026-12-24,,,,,flexible,450,0,", "min_stay: `0`");
        bad("double,2026-12-24,,,,,flexible,450,91,", "row:");
        bad("double,2026-12-24,,,,,,,,", "row: there is nothing to set");
        bad("double,2026-12-24,1", "row: the row has 3 cells, and the header 10");
        bad("double,2026-12-24,,,1,,,,,,x", "row: the row has 11 cells");
        check("room_type;date;rate_plan;price", "double;2026-12-24;flexible;450,00", r#""price":45000"#);
    }
}
