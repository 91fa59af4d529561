//! What is typed about stays, one word at a time: names, ranges of nights, rooms, penalties. Pure.

use jiff::ToSpan;
use jiff::civil::Date;
use surehold_api::{Change, Penalty, WantedRooms, Weekday};
use surehold_core::kernel::HoldId;
use surehold_core::stays::{LocalTime, QuoteId, RatePlanCode, RoomTypeCode, StayDates};

use super::super::input::{date, id};
use super::super::money::{DecimalSign, Money};

pub(super) fn local_time(text: &str) -> Result<LocalTime, String> {
    LocalTime::parse(text).map_err(|_| "write a time like 15:00".to_owned())
}

pub(super) fn stay_id(text: &str) -> Result<HoldId, String> {
    id(text, "`stay hold` and `stay list` show it")
}

pub(super) fn quote_id(text: &str) -> Result<QuoteId, String> {
    id(text, "`stay quote` shows it")
}

/// Nights: the first, and the date after the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Nights {
    pub(super) from: Date,
    pub(super) until: Date,
}

impl Nights {
    /// `2026-12-24..2026-12-27`, `2026-12-24+3`, or one night: `2026-12-24`.
    pub(super) fn parse(text: &str) -> Result<Nights, String> {
        let wrong =
            || "write nights like 2026-12-24..2026-12-27 (the last date is not slept) or 2026-12-24+3".to_owned();
        let read = |text: &str| date(text).map_err(|_| wrong());
        let nights = if let Some((from, until)) = text.split_once("..") {
            Nights { from: read(from)?, until: read(until)? }
        } else if let Some((from, count)) = text.split_once('+') {
            let (from, count) = (read(from)?, count.parse::<u16>().map_err(|_| wrong())?);
            Nights { from, until: from.checked_add(i64::from(count).days()).map_err(|_| wrong())? }
        } else {
            let from = read(text)?;
            Nights { from, until: from.tomorrow().map_err(|_| wrong())? }
        };
        if nights.from < nights.until {
            return Ok(nights);
        }
        Err(format!("{} is not after {}; the second date is the one after the last night", nights.until, nights.from))
    }

    /// Of somebody who stays.
    pub(super) fn parse_stay(text: &str) -> Result<Nights, String> {
        let nights = Nights::parse(text)?;
        StayDates::new(nights.from, nights.until).map_err(|invalid| invalid.to_string())?;
        Ok(nights)
    }
}

impl std::fmt::Display for Nights {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}..{}", self.from, self.until)
    }
}

/// Rooms by name: `ROOM_TYPE:RATE_PLAN[=ROOMS]`.
pub(super) fn rooms(text: &str) -> Result<WantedRooms, String> {
    let (what, rooms) = counted(text)?;
    let (room, plan) = what.split_once(':').ok_or("write rooms like double:flexible or double:flexible=2")?;
    let room_type = RoomTypeCode::new(room).map_err(|invalid| invalid.to_string())?;
    let rate_plan = RatePlanCode::new(plan).map_err(|invalid| invalid.to_string())?;
    Ok(WantedRooms { room_type, rate_plan, rooms: rooms.unwrap_or(1) })
}

/// An option of a quote, and how many rooms of it: `OPTION[=ROOMS]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chosen {
    pub(super) option: u16,
    pub(super) rooms: Option<u32>,
}

impl Chosen {
    pub(super) fn parse(text: &str) -> Result<Chosen, String> {
        let (option, rooms) = counted(text)?;
        let option = option.parse().map_err(|_| "write an option like 1, or 1=2 for two rooms of it".to_owned())?;
        Ok(Chosen { option, rooms })
    }
}

fn counted(text: &str) -> Result<(&str, Option<u32>), String> {
    match text.split_once('=') {
        None => Ok((text, None)),
        Some((what, count)) => {
            let rooms = count.parse().map_err(|_| format!("`{count}` is no number of rooms, as in =2"))?;
            Ok((what, Some(rooms)))
        }
    }
}

/// What is kept of a reservation: `none`, `nights:1`, `percent:50`, `all`.
pub(super) fn penalty(text: &str) -> Result<Penalty, String> {
    let number = |text: &str| text.parse().ok();
    let penalty = match text.split_once(':') {
        None if text == "none" => Some(Penalty::None),
        None if text == "all" => Some(Penalty::All),
        Some(("nights", nights)) => number(nights).map(Penalty::Nights),
        Some(("percent", percent)) => number(percent).map(Penalty::Percent),
        Some(_) | None => None,
    };
    penalty.ok_or_else(|| "write none, nights:1, percent:50 or all".to_owned())
}

/// A number, or the word that takes it away.
pub(super) fn limit(text: &str) -> Result<Change<u16>, String> {
    if text == "none" {
        return Ok(Change::clear());
    }
    text.parse().map(Change::to).map_err(|_| "write a number, or none".to_owned())
}

/// The same for what a room costs.
pub(super) fn price(text: &str, money: Money, sign: DecimalSign) -> Result<Change<i64>, String> {
    if text == "none" { Ok(Change::clear()) } else { money.parse(text, sign).map(Change::to) }
}

pub(super) fn yes_no(text: &str) -> Result<bool, String> {
    match text.to_lowercase().as_str() {
        "yes" | "true" | "1" => Ok(true),
        "no" | "false" | "0" => Ok(false),
        _ => Err("write yes or no".to_owned()),
    }
}

/// `Friday` is as good as `fri`.
pub(super) fn weekday(text: &str) -> Result<Weekday, String> {
    let day = text.trim().to_ascii_lowercase();
    let known = [
        ("monday", Weekday::Mon),
        ("tuesday", Weekday::Tue),
        ("wednesday", Weekday::Wed),
        ("thursday", Weekday::Thu),
        ("friday", Weekday::Fri),
        ("saturday", Weekday::Sat),
        ("sunday", Weekday::Sun),
    ];
    let found = known.into_iter().find(|(name, _)| day.len() >= 3 && name.starts_with(&day));
    found.map(|(_, day)| day).ok_or_else(|| "write days like mon,tue,wed,thu,fri,sat,sun".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nights() {
        let good = |text: &str, expected: &str| assert_eq!(Nights::parse(text).unwrap().to_string(), expected);
        good("2026-12-24..2026-12-27", "2026-12-24..2026-12-27");
        good("2026-12-30+3", "2026-12-30..2027-01-02");
        good("2026-12-24", "2026-12-24..2026-12-25");
        for bad in
            ["", "2026-12-24..", "..2026-12-24", "2026-12-24..2026-12-24", "2026-12-24+0", "2026-12-24+x", "24.12."]
        {
            assert!(Nights::parse(bad).is_err(), "{bad}");
        }
        assert!(Nights::parse("2026-01-01+300").is_ok() && Nights::parse_stay("2026-01-01+300").is_err());
    }

    #[test]
    fn rooms_and_options() {
        let read = |text: &str| {
            rooms(text).map(|WantedRooms { room_type, rate_plan, rooms }| format!("{rooms} {room_type} {rate_plan}"))
        };
        assert_eq!(read("double:flexible=2").as_deref(), Ok("2 double flexible"));
        assert_eq!(read("double:flexible").as_deref(), Ok("1 double flexible"));
        for bad in ["double", "double:", ":flexible", "Double:flexible", "double:flexible=two", "double:flexible="] {
            assert!(rooms(bad).is_err(), "{bad}");
        }
        assert_eq!(Chosen::parse("2"), Ok(Chosen { option: 2, rooms: None }));
        assert_eq!(Chosen::parse("2=3"), Ok(Chosen { option: 2, rooms: Some(3) }));
        assert!(Chosen::parse("two").is_err());
    }

    #[test]
    fn penalties_and_days() {
        assert!(matches!(penalty("none"), Ok(Penalty::None)));
        assert!(matches!(penalty("nights:1"), Ok(Penalty::Nights(1))));
        assert!(matches!(penalty("percent:50"), Ok(Penalty::Percent(50))));
        for bad in ["", "some", "nights", "nights:", "nights:-1", "all:1", "percent:half"] {
            assert!(penalty(bad).is_err(), "{bad}");
        }
        let days = [("fri", Weekday::Fri), ("Friday", Weekday::Fri), (" SUN ", Weekday::Sun), ("thurs", Weekday::Thu)];
        for (text, day) in days {
            assert_eq!(weekday(text), Ok(day), "{text}");
        }
        for bad in ["", "fr", "frog", "sunny", "8"] {
            assert!(weekday(bad).is_err(), "{bad}");
        }
    }
}
