//! Instants and slots. The clock itself is the store's.

use std::fmt;

use jiff::civil::Date;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{Invalid, described, text_column};

/// A UTC instant in microseconds, the resolution that every store keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

described!(Timestamp, "An instant, in UTC.", TextShape::format("date-time"));

impl Timestamp {
    pub const fn from_micros(micros: i64) -> Timestamp {
        Timestamp(micros)
    }

    pub fn from_millis(millis: i64) -> Timestamp {
        Timestamp(millis.saturating_mul(1_000))
    }

    pub const fn micros(self) -> i64 {
        self.0
    }

    /// Saturates: an instant beyond the calendar is as good as never.
    #[must_use]
    pub fn plus_secs(self, secs: i64) -> Timestamp {
        Timestamp(self.0.saturating_add(secs.saturating_mul(1_000_000)))
    }

    /// Whole seconds from `earlier` to here, rounded up: a lifetime is never counted shorter than it is.
    pub fn secs_since(self, earlier: Timestamp) -> i64 {
        self.0.saturating_sub(earlier.0).saturating_add(999_999).div_euclid(1_000_000)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_microsecond(self.0) {
            Ok(instant) => instant.fmt(f),
            Err(_) => write!(f, "{} µs", self.0),
        }
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() { serializer.collect_str(self) } else { serializer.serialize_i64(self.0) }
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
        if deserializer.is_human_readable() {
            let instant = jiff::Timestamp::deserialize(deserializer)?;
            Ok(Timestamp(instant.as_microsecond()))
        } else {
            i64::deserialize(deserializer).map(Timestamp)
        }
    }
}

pub(crate) const DATE_BYTES: usize = 10;

/// The date of a night, or nothing for things without a date. Kept as its ISO text, which sorts like the date.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(Option<[u8; DATE_BYTES]>);

impl Slot {
    pub const NONE: Slot = Slot(None);

    pub fn night(date: Date) -> Result<Slot, Invalid> {
        date_text(date).map(|text| Slot(Some(text))).ok_or(Invalid::SlotMalformed)
    }

    pub fn parse(text: &str) -> Result<Slot, Invalid> {
        if text.is_empty() {
            return Ok(Slot::NONE);
        }
        let bytes: [u8; DATE_BYTES] = text.as_bytes().try_into().map_err(|_| Invalid::SlotMalformed)?;
        // Only this spelling, so that one night is one slot.
        let _exists = date_from_text(bytes).ok_or(Invalid::SlotMalformed)?;
        Ok(Slot(Some(bytes)))
    }

    pub fn as_str(&self) -> &str {
        match &self.0 {
            Some(bytes) => std::str::from_utf8(bytes).expect("a slot holds the ASCII text of a date"),
            None => "",
        }
    }

    pub fn date(&self) -> Option<Date> {
        self.0.and_then(date_from_text)
    }
}

text_column!(Slot, Text, Slot::parse);

#[cfg(feature = "schema")]
impl utoipa::PartialSchema for Slot {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
        use utoipa::openapi::schema::{AnyOfBuilder, KnownFormat, ObjectBuilder, SchemaFormat, Type};
        let text = || ObjectBuilder::new().schema_type(Type::String);
        let night = text().format(Some(SchemaFormat::KnownFormat(KnownFormat::Date)));
        let either = AnyOfBuilder::new().item(night).item(text().max_length(Some(0))).examples(["2026-12-24"]);
        either.description(Some("The date of a night; empty for things without one.")).into()
    }
}

#[cfg(feature = "schema")]
impl utoipa::ToSchema for Slot {}

/// `2026-12-24`, if the year has four digits. By hand, like its counterpart below: a quote looks at thousands of nights,
/// a calendar at tens of thousands, and writing any date in any way takes ten times as long.
pub(crate) fn date_text(date: Date) -> Option<[u8; DATE_BYTES]> {
    let year = u16::try_from(date.year()).ok()?;
    let [[y1, y2], [y3, y4]] = [two_digits(year / 100), two_digits(year % 100)];
    let [m1, m2] = two_digits(date.month().unsigned_abs().into());
    let [d1, d2] = two_digits(date.day().unsigned_abs().into());
    Some([y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2])
}

fn two_digits(number: u16) -> [u8; 2] {
    let digit = |number: u16| u8::try_from(number % 10).map_or(b'?', |digit| digit.strict_add(b'0'));
    [digit(number / 10), digit(number)]
}

/// The date that is spelled so, if it exists.
pub(crate) fn date_from_text([y1, y2, y3, y4, dash, m1, m2, hyphen, d1, d2]: [u8; DATE_BYTES]) -> Option<Date> {
    if dash != b'-' || hyphen != b'-' {
        return None;
    }
    let number = |digits: &[u8]| {
        digits.iter().try_fold(0_i16, |number, digit| {
            let value = digit.is_ascii_digit().then(|| i16::from(digit.strict_sub(b'0')))?;
            Some(number.strict_mul(10).strict_add(value))
        })
    };
    let (month, day) = (i8::try_from(number(&[m1, m2])?).ok()?, i8::try_from(number(&[d1, d2])?).ok()?);
    Date::new(number(&[y1, y2, y3, y4])?, month, day).ok()
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Slot({:?})", self.as_str())
    }
}

impl Serialize for Slot {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Slot {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Slot, D::Error> {
        let text = smol_str::SmolStr::deserialize(deserializer)?;
        Slot::parse(&text).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots() {
        for good in ["", "2026-12-24", "2028-02-29"] {
            assert_eq!(Slot::parse(good).unwrap().as_str(), good);
        }
        let bad =
            ["2026-02-29", "2026-13-01", "2026-00-01", "2026-01-00", "24.12.2026", "2026-1-1", "2026-12-24T00", "x"];
        for bad in bad.into_iter().chain([" ", "2026/12/24", "2026-12+24", "+026-12-24", "-026-12-24", "2026-12- 4"]) {
            assert_eq!(Slot::parse(bad), Err(Invalid::SlotMalformed), "{bad}");
        }
        assert!(Slot::parse("2026-12-24").unwrap() < Slot::parse("2026-12-25").unwrap());
        assert_eq!(Slot::night(jiff::civil::date(2026, 3, 1)).unwrap().as_str(), "2026-03-01");
        assert_eq!(Slot::night(jiff::civil::date(-1, 3, 1)), Err(Invalid::SlotMalformed));
    }

    /// Every date is spelled as anybody would spell it, and read again.
    #[test]
    fn dates_and_their_texts() {
        let mut date = jiff::civil::date(1999, 12, 1);
        while date.year() < 2030 {
            let slot = Slot::night(date).unwrap();
            assert_eq!((slot.as_str(), slot.date()), (date.to_string().as_str(), Some(date)));
            date = date.tomorrow().unwrap();
        }
        for (year, text) in [(0, "0000-07-09"), (77, "0077-07-09"), (9_999, "9999-07-09")] {
            let date = jiff::civil::date(year, 7, 9);
            assert_eq!((Slot::night(date).unwrap().as_str(), Slot::parse(text).unwrap().date()), (text, Some(date)));
        }
    }

    #[test]
    fn seconds_round_up() {
        let start = Timestamp::from_micros(0);
        assert_eq!(Timestamp::from_micros(1).secs_since(start), 1);
        assert_eq!(Timestamp::from_micros(1_000_000).secs_since(start), 1);
        assert_eq!(Timestamp::from_micros(1_000_001).secs_since(start), 2);
    }

    #[test]
    fn text_and_binary_forms() {
        let instant = Timestamp::from_micros(1_798_000_000_123_456);
        let json = serde_json::to_string(&instant).unwrap();
        assert_eq!(serde_json::from_str::<Timestamp>(&json).unwrap(), instant);
        let bytes = postcard::to_stdvec(&instant).unwrap();
        assert_eq!(postcard::from_bytes::<Timestamp>(&bytes).unwrap(), instant);
    }
}
