//! Nights and months. A night is the date on which it begins; time zones matter only for what is today and when
//! somebody checks in.

use std::fmt;

use jiff::ToSpan;
use jiff::civil::{Date, Time, Weekday};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use smol_str::SmolStr;

use super::StayInvalid;
use crate::kernel::{
    Column, ColumnType, Columnar, Columns, Corrupt, Invalid, Row, Slot, Timestamp, date_from_text, date_text,
    described, text_column,
};
use crate::operations::TimeZoneName;

pub const NIGHTS_PER_STAY_MAX: i64 = 90;
pub const NIGHTS_PER_CALENDAR_MAX: i64 = 400;

/// Dates outside of this have no nights: their text would not sort like the date, or a day after them would not exist.
const YEARS: std::ops::RangeInclusive<i16> = 1970..=9000;

pub(super) fn nights_between(from: Date, until: Date) -> i64 {
    let days = until.duration_since(from).as_hours();
    days.checked_div(24).expect("a day has hours")
}

fn is_legal(from: Date, until: Date, nights_max: i64) -> bool {
    let within = YEARS.contains(&from.year()) && YEARS.contains(&until.year());
    within && (1..=nights_max).contains(&nights_between(from, until))
}

fn nights_of(from: Date, until: Date) -> impl Iterator<Item = Date> + Clone {
    std::iter::successors(Some(from), |night| night.tomorrow().ok()).take_while(move |night| *night < until)
}

/// Nights of a stay, half-open and never empty: the night of `checkout` is not slept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "RawStayDates", into = "RawStayDates")]
pub struct StayDates {
    checkin: Date,
    checkout: Date,
    /// Their texts, because records are written by reference.
    slots: [Slot; 2],
}

#[derive(Serialize, Deserialize)]
struct RawStayDates {
    checkin: Date,
    checkout: Date,
}

impl From<StayDates> for RawStayDates {
    fn from(StayDates { checkin, checkout, .. }: StayDates) -> RawStayDates {
        RawStayDates { checkin, checkout }
    }
}

impl TryFrom<RawStayDates> for StayDates {
    type Error = Invalid;
    fn try_from(raw: RawStayDates) -> Result<StayDates, Invalid> {
        StayDates::new(raw.checkin, raw.checkout)
    }
}

impl StayDates {
    /// 1 to 90 nights.
    pub fn new(checkin: Date, checkout: Date) -> Result<StayDates, Invalid> {
        if is_legal(checkin, checkout, NIGHTS_PER_STAY_MAX) {
            let slots = [Slot::night(checkin)?, Slot::night(checkout)?];
            return Ok(StayDates { checkin, checkout, slots });
        }
        let nights_max = NIGHTS_PER_STAY_MAX;
        Err(StayInvalid::Dates { checkin: checkin.to_string(), checkout: checkout.to_string(), nights_max }.into())
    }

    pub fn checkin(&self) -> Date {
        self.checkin
    }

    pub fn checkout(&self) -> Date {
        self.checkout
    }

    pub fn nights(&self) -> impl Iterator<Item = Date> + Clone + use<> {
        nights_of(self.checkin, self.checkout)
    }

    pub fn nights_count(&self) -> i64 {
        nights_between(self.checkin, self.checkout)
    }

    /// Months that have something to say about the stay: those of its nights, and that of the day of departure.
    pub fn months(&self) -> Vec<Month> {
        Month::of(self.checkin).through(Month::of(self.checkout))
    }
}

impl Columnar for StayDates {
    const COLUMNS: &'static [Column] =
        &[Column::changing("checkin", ColumnType::Text), Column::changing("checkout", ColumnType::Text)];
    const MAY_BE_NULL: bool = false;

    fn put<'a>(&'a self, out: &mut dyn Columns<'a>) {
        self.slots.iter().for_each(|slot| slot.put(out));
    }

    fn take(row: &mut dyn Row) -> Result<StayDates, Corrupt> {
        of_slots((Slot::take(row)?, Slot::take(row)?))
    }

    fn take_or_null(row: &mut dyn Row) -> Result<Option<StayDates>, Corrupt> {
        let slots = (Slot::take_or_null(row)?, Slot::take_or_null(row)?);
        slots.0.zip(slots.1).map(of_slots).transpose()
    }
}

fn of_slots((checkin, checkout): (Slot, Slot)) -> Result<StayDates, Corrupt> {
    let date = |slot: Slot| slot.date().ok_or_else(|| Corrupt::new("a stay without a date"));
    Ok(StayDates::new(date(checkin)?, date(checkout)?)?)
}

impl fmt::Display for StayDates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {}", self.checkin, self.checkout)
    }
}

/// Nights of a calendar, half-open and never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NightRange {
    from: Date,
    until: Date,
}

impl NightRange {
    /// 1 to 400 nights.
    pub fn new(from: Date, until: Date) -> Result<NightRange, Invalid> {
        NightRange::within(from, until, NIGHTS_PER_CALENDAR_MAX)
    }

    pub(super) fn within(from: Date, until: Date, nights_max: i64) -> Result<NightRange, Invalid> {
        let malformed =
            || StayInvalid::NightRange { from: from.to_string(), until: until.to_string(), nights_max }.into();
        is_legal(from, until, nights_max).then_some(NightRange { from, until }).ok_or_else(malformed)
    }

    pub fn from(&self) -> Date {
        self.from
    }

    pub fn until(&self) -> Date {
        self.until
    }

    pub fn nights(&self) -> impl Iterator<Item = Date> + Clone + use<> {
        nights_of(self.from, self.until)
    }

    pub fn nights_count(&self) -> i64 {
        nights_between(self.from, self.until)
    }

    pub fn months(&self) -> Vec<Month> {
        let last_night = self.until.yesterday().expect("the years of nights have days before them");
        Month::of(self.from).through(Month::of(last_night))
    }
}

impl From<StayDates> for NightRange {
    fn from(StayDates { checkin, checkout, .. }: StayDates) -> NightRange {
        NightRange { from: checkin, until: checkout }
    }
}

/// A month of a year, written `2026-12`, which sorts like the month.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month([u8; MONTH_BYTES]);

const MONTH_BYTES: usize = 7;

impl Month {
    /// The date is one of a [`StayDates`] or a [`NightRange`].
    pub fn of(date: Date) -> Month {
        let text = date_text(date).expect("nights have years of four digits");
        Month(*text.first_chunk().expect("it begins with the month"))
    }

    pub fn parse(text: &str) -> Result<Month, Invalid> {
        let month = Month(text.as_bytes().try_into().map_err(|_| StayInvalid::MonthMalformed)?);
        let is_ours = month.try_first().is_some_and(|first| YEARS.contains(&first.year()));
        is_ours.then_some(month).ok_or(StayInvalid::MonthMalformed.into())
    }

    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("a month is ASCII")
    }

    pub fn first(&self) -> Date {
        self.try_first().expect("every month has a first day")
    }

    fn try_first(self) -> Option<Date> {
        let [y1, y2, y3, y4, dash, m1, m2] = self.0;
        date_from_text([y1, y2, y3, y4, dash, m1, m2, b'-', b'0', b'1'])
    }

    fn through(self, last: Month) -> Vec<Month> {
        let next = |month: &Month| month.first().checked_add(1.month()).ok().map(Month::of);
        std::iter::successors(Some(self), next).take_while(|month| *month <= last).collect()
    }
}

text_column!(Month, Text, Month::parse);

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Month({self})")
    }
}

impl Serialize for Month {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Month {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Month, D::Error> {
        let text = SmolStr::deserialize(deserializer)?;
        Month::parse(&text).map_err(de::Error::custom)
    }
}

/// Some days of the week.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Weekdays(u8);

impl Weekdays {
    pub const ALL: Weekdays = Weekdays(0b0111_1111);

    pub fn of(days: &[Weekday]) -> Weekdays {
        Weekdays(days.iter().fold(0, |bits, day| bits | Weekdays::bit(*day)))
    }

    fn bit(day: Weekday) -> u8 {
        1_u8.strict_shl(u32::from(day.to_monday_zero_offset().unsigned_abs()))
    }

    pub fn contains(self, date: Date) -> bool {
        self.has(date.weekday())
    }

    pub fn has(self, day: Weekday) -> bool {
        self.0 & Weekdays::bit(day) != 0
    }

    pub fn is_empty(self) -> bool {
        self.0 & Weekdays::ALL.0 == 0
    }
}

/// A time of the day at the property, to the minute: `15:00`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "SmolStr", into = "SmolStr")]
pub struct LocalTime([u8; LOCAL_TIME_BYTES]);

const LOCAL_TIME_BYTES: usize = 5;

impl LocalTime {
    /// In the afternoon, when rooms are ready in most places.
    pub const CHECK_IN: LocalTime = LocalTime(*b"15:00");

    pub fn parse(text: &str) -> Result<LocalTime, Invalid> {
        let bytes: [u8; LOCAL_TIME_BYTES] = text.as_bytes().try_into().map_err(|_| StayInvalid::LocalTimeMalformed)?;
        let [h1, h2, b':', m1, m2] = bytes else { return Err(StayInvalid::LocalTimeMalformed.into()) };
        let digits = [h1, h2, m1, m2].iter().all(u8::is_ascii_digit);
        let exists = text.parse::<Time>().is_ok();
        (digits && exists).then_some(LocalTime(bytes)).ok_or(StayInvalid::LocalTimeMalformed.into())
    }

    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("a time is ASCII")
    }

    fn time(self) -> Time {
        self.as_str().parse().expect("checked when it was made")
    }
}

text_column!(LocalTime, Text, LocalTime::parse);
described!(
    LocalTime,
    "A time of the day at the property, to the minute.",
    TextShape::exactly("^([01][0-9]|2[0-3]):[0-5][0-9]$"),
    "15:00"
);

impl fmt::Display for LocalTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for LocalTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LocalTime({self})")
    }
}

impl TryFrom<SmolStr> for LocalTime {
    type Error = Invalid;
    fn try_from(text: SmolStr) -> Result<LocalTime, Invalid> {
        LocalTime::parse(&text)
    }
}

impl From<LocalTime> for SmolStr {
    fn from(time: LocalTime) -> SmolStr {
        time.as_str().into()
    }
}

/// The earliest arrival of a stay that has this night.
pub fn earliest_arrival(night: Date) -> Date {
    night.saturating_sub(NIGHTS_PER_STAY_MAX.strict_sub(1).days())
}

/// The date at the property. Instants beyond the calendar count as its ends.
pub fn today(zone: &TimeZoneName, now: Timestamp) -> Date {
    let instant = jiff::Timestamp::from_microsecond(now.micros());
    instant.map_or(Date::MAX, |instant| zone.zone().to_datetime(instant).date())
}

/// When guests may check in. An hour that the clock skips is the one after it; of one that comes twice, the first.
pub fn check_in_at(zone: &TimeZoneName, night: Date, time: LocalTime) -> Timestamp {
    let local = night.to_datetime(time.time());
    let instant = zone.zone().to_timestamp(local).expect("the years of nights are within the calendar");
    Timestamp::from_micros(instant.as_microsecond())
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::kernel::Value;

    fn day(text: &str) -> Date {
        text.parse().unwrap()
    }

    #[test]
    fn stays() {
        let check = |checkin: &str, checkout: &str, expected: &str| {
            let told = StayDates::new(day(checkin), day(checkout)).map_or("refused".to_owned(), |dates| {
                let months: Vec<_> = dates.months().iter().map(Month::to_string).collect();
                format!("{} nights, {}", dates.nights_count(), months.join(" "))
            });
            assert_eq!(told, expected, "{checkin} to {checkout}");
        };
        check("2026-12-24", "2026-12-26", "2 nights, 2026-12");
        check("2026-12-31", "2027-01-01", "1 nights, 2026-12 2027-01");
        check("2028-02-28", "2028-03-01", "2 nights, 2028-02 2028-03");
        check("2026-10-01", "2026-12-30", "90 nights, 2026-10 2026-11 2026-12");
        check("2026-10-01", "2026-12-31", "refused");
        check("2026-12-24", "2026-12-24", "refused");
        check("2026-12-24", "2026-12-23", "refused");
        check("1969-12-31", "1970-01-02", "refused");
        check("9999-12-30", "9999-12-31", "refused");
    }

    #[test]
    fn who_sleeps_there() {
        let (night, next) = (day("2026-12-24"), day("2026-12-25"));
        let earliest = earliest_arrival(night);
        assert!(StayDates::new(earliest, next).is_ok());
        assert!(StayDates::new(earliest.yesterday().unwrap(), next).is_err());
        assert_eq!(earliest_arrival(Date::MIN), Date::MIN);
    }

    #[test]
    fn stays_in_columns() {
        let [checkin, checkout, other, null] =
            [Value::Text("2026-12-24"), Value::Text("2026-12-26"), Value::Text(""), Value::Null];
        let check = |checkin: Value<'_>, checkout: Value<'_>, expected: &str| {
            let mut row = vec![checkin, checkout].into_iter();
            let read = <Option<StayDates> as Columnar>::take(&mut row);
            let read = read.map(|dates| dates.map_or("none".to_owned(), |dates| dates.to_string()));
            assert_eq!(read.unwrap_or_else(|corrupt| corrupt.what), expected, "{checkin:?} to {checkout:?}");
        };
        check(checkin, checkout, "2026-12-24 to 2026-12-26");
        check(null, null, "none");
        check(checkin, null, "null in a column whose neighbours have a value");
        check(null, checkout, "null in a column whose neighbours have a value");
        check(checkin, other, "a stay without a date");
        assert!(StayDates::take(&mut vec![null, null].into_iter()).is_err());
    }

    #[test]
    fn stays_as_text() {
        let dates = StayDates::new(day("2026-12-24"), day("2026-12-26")).unwrap();
        let json = serde_json::to_string(&dates).unwrap();
        assert_eq!(json, r#"{"checkin":"2026-12-24","checkout":"2026-12-26"}"#);
        assert_eq!(serde_json::from_str::<StayDates>(&json).unwrap(), dates);
        assert_eq!(dates.slots.map(|slot| slot.to_string()), ["2026-12-24", "2026-12-26"]);
        assert!(serde_json::from_str::<StayDates>(r#"{"checkin":"2026-12-24","checkout":"2026-12-24"}"#).is_err());
        let bytes = postcard::to_stdvec(&dates).unwrap();
        assert_eq!(postcard::from_bytes::<StayDates>(&bytes).unwrap(), dates);
    }

    #[test]
    fn months() {
        for good in ["2026-12", "1970-01", "9000-12"] {
            assert_eq!(Month::parse(good).unwrap().as_str(), good);
        }
        for bad in ["", "2026-13", "2026-1", "26-12", "2026-12-01", "2026/12", "0999-12", "-026-12", "2026-1ä"] {
            assert_eq!(Month::parse(bad), Err(StayInvalid::MonthMalformed.into()), "{bad}");
        }
    }

    #[test]
    fn days_of_the_week() {
        let weekend = Weekdays::of(&[Weekday::Saturday, Weekday::Sunday]);
        let nights = NightRange::new(date(2026, 11, 9), date(2026, 11, 23)).unwrap().nights();
        let days: Vec<i8> = nights.clone().filter(|night| weekend.contains(*night)).map(Date::day).collect();
        assert_eq!(days, [14, 15, 21, 22]);
        assert_eq!(nights.filter(|night| Weekdays::ALL.contains(*night)).count(), 14);
        assert!(Weekdays::of(&[]).is_empty() && !weekend.is_empty());
    }

    #[test]
    fn local_times() {
        for good in ["15:00", "00:00", "23:59"] {
            assert_eq!(LocalTime::parse(good).unwrap().as_str(), good);
        }
        for bad in ["", "24:00", "15:60", "3:00", "15:00:00", "15.00", "+1:00"] {
            assert_eq!(LocalTime::parse(bad), Err(StayInvalid::LocalTimeMalformed.into()), "{bad}");
        }
    }

    #[test]
    fn today_is_the_property_s() {
        let now = Timestamp::from_micros(1_796_083_200_000_000); // 2026-12-01T00:00:00Z
        for (zone, expected) in
            [("America/Sao_Paulo", "2026-11-30"), ("UTC", "2026-12-01"), ("Pacific/Kiritimati", "2026-12-01")]
        {
            assert_eq!(today(&TimeZoneName::parse(zone).unwrap(), now).to_string(), expected, "{zone}");
        }
        assert_eq!(today(&TimeZoneName::utc(), Timestamp::from_micros(i64::MAX)), Date::MAX);
    }

    /// Also in the nights in which clocks are changed.
    #[test]
    fn checking_in() {
        for (zone, night, time, expected) in [
            ("America/Sao_Paulo", "2026-12-24", "15:00", "2026-12-24T18:00:00Z"),
            ("Europe/Berlin", "2026-03-29", "02:30", "2026-03-29T01:30:00Z"),
            ("Europe/Berlin", "2026-10-25", "02:30", "2026-10-25T00:30:00Z"),
            ("Europe/Berlin", "2026-10-25", "15:00", "2026-10-25T14:00:00Z"),
        ] {
            let time = LocalTime::parse(time).unwrap();
            let at = check_in_at(&TimeZoneName::parse(zone).unwrap(), day(night), time);
            assert_eq!(at.to_string(), expected, "{zone} {night} {time}");
        }
    }
}
