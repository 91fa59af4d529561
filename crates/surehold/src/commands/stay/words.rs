//! What is typed about stays, one word at a time: names, ranges of nights, rooms, penalties. Pure.

use jiff::ToSpan;
use jiff::civil::Date;
use serde_json::{Value, json};
use surehold_core::stays::{LocalTime, PropertyName, RatePlanCode, RoomTypeCode, StayDates};
use uuid::Uuid;

use super::super::input::date;

pub(super) fn property(text: &str) -> Result<String, String> {
    PropertyName::new(text).map(|name| name.to_string()).map_err(|invalid| invalid.to_string())
}

pub(super) fn room_type(text: &str) -> Result<String, String> {
    RoomTypeCode::new(text).map(|code| code.to_string()).map_err(|invalid| invalid.to_string())
}

pub(super) fn rate_plan(text: &str) -> Result<String, String> {
    RatePlanCode::new(text).map(|code| code.to_string()).map_err(|invalid| invalid.to_string())
}

pub(super) fn local_time(text: &str) -> Result<String, String> {
    LocalTime::parse(text).map(|time| time.to_string()).map_err(|_| "write a time like 15:00".to_owned())
}

pub(super) fn stay_id(text: &str) -> Result<Uuid, String> {
    text.parse().map_err(|_| "write a UUID, as `stay hold` and `stay list` show it".to_owned())
}

pub(super) fn quote_id(text: &str) -> Result<Uuid, String> {
    text.parse().map_err(|_| "write a UUID, as `stay quote` shows it".to_owned())
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rooms {
    room_type: String,
    rate_plan: String,
    count: u32,
}

impl Rooms {
    pub(super) fn parse(text: &str) -> Result<Rooms, String> {
        let (what, rooms) = counted(text)?;
        let wrong = || "write rooms like double:flexible or double:flexible=2".to_owned();
        let (room, plan) = what.split_once(':').ok_or_else(wrong)?;
        Ok(Rooms { room_type: room_type(room)?, rate_plan: rate_plan(plan)?, count: rooms.unwrap_or(1) })
    }

    pub(super) fn json(&self) -> Value {
        json!({"room_type": self.room_type, "rate_plan": self.rate_plan, "rooms": self.count})
    }
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
pub(super) fn penalty(text: &str) -> Result<Value, String> {
    let wrong = || "write none, nights:1, percent:50 or all".to_owned();
    match text.split_once(':') {
        None if matches!(text, "none" | "all") => Ok(json!(text)),
        Some((word @ ("nights" | "percent"), number)) => {
            let number: u32 = number.parse().map_err(|_| wrong())?;
            Ok(json!({ word: number }))
        }
        Some(_) | None => Err(wrong()),
    }
}

pub(super) fn weekday(text: &str) -> Result<String, String> {
    let day = text.trim().to_ascii_lowercase();
    let known = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    // `Friday` is as good as `fri`.
    let found = known.into_iter().find(|name| day.get(..3) == Some(*name) && is_a_day(&day));
    found.map(str::to_owned).ok_or_else(|| format!("write days like {}", known.join(",")))
}

fn is_a_day(day: &str) -> bool {
    const NAMES: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    NAMES.iter().any(|name| name.starts_with(day))
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
        let rooms = Rooms { room_type: "double".into(), rate_plan: "flexible".into(), count: 2 };
        assert_eq!(Rooms::parse("double:flexible=2"), Ok(rooms.clone()));
        assert_eq!(Rooms::parse("double:flexible"), Ok(Rooms { count: 1, ..rooms }));
        for bad in ["double", "double:", ":flexible", "Double:flexible", "double:flexible=two", "double:flexible="] {
            assert!(Rooms::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(Chosen::parse("2"), Ok(Chosen { option: 2, rooms: None }));
        assert_eq!(Chosen::parse("2=3"), Ok(Chosen { option: 2, rooms: Some(3) }));
        assert!(Chosen::parse("two").is_err());
    }

    #[test]
    fn penalties_and_days() {
        assert_eq!(penalty("none"), Ok(json!("none")));
        assert_eq!(penalty("nights:1"), Ok(json!({"nights": 1})));
        assert_eq!(penalty("percent:50"), Ok(json!({"percent": 50})));
        for bad in ["", "some", "nights", "nights:", "nights:-1", "all:1", "percent:half"] {
            assert!(penalty(bad).is_err(), "{bad}");
        }
        for (text, day) in [("fri", "fri"), ("Friday", "fri"), (" SUN ", "sun"), ("thurs", "thu")] {
            assert_eq!(weekday(text).as_deref(), Ok(day), "{text}");
        }
        for bad in ["", "fr", "frog", "sunny", "8"] {
            assert!(weekday(bad).is_err(), "{bad}");
        }
    }
}
