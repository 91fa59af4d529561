//! Names of time zones. The rules behind a name come from the database compiled into the program, never from the
//! machine: two nodes must agree on when a schedule fires.

use std::fmt;
use std::hash::{Hash, Hasher};

use jiff::tz::{TimeZone, TimeZoneDatabase};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::OperationInvalid;
use crate::kernel::{Invalid, described, text_column};

// The longest name in the database has 32 bytes.
const ZONE_BYTES_MAX: usize = 64;

/// A time zone known to the IANA database, in its spelling there: `america/sao_paulo` becomes `America/Sao_Paulo`.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "SmolStr", into = "SmolStr")]
pub struct TimeZoneName {
    name: SmolStr,
    zone: TimeZone,
}

impl TimeZoneName {
    pub fn utc() -> TimeZoneName {
        TimeZoneName { name: SmolStr::new_static("UTC"), zone: TimeZone::UTC }
    }

    pub fn parse(text: &str) -> Result<TimeZoneName, Invalid> {
        if text.len() > ZONE_BYTES_MAX {
            let what = "time zone".to_owned();
            return Err(Invalid::NameTooLong { what, bytes: text.len(), bytes_max: ZONE_BYTES_MAX });
        }
        let unknown = || OperationInvalid::TimeZoneUnknown { name: text.to_owned() };
        let zone = TimeZoneDatabase::bundled().get(text).map_err(|_| unknown())?;
        // `Etc/Unknown` is a name for having none.
        if zone.is_unknown() {
            return Err(unknown().into());
        }
        let name = SmolStr::new(zone.iana_name().ok_or_else(unknown)?);
        Ok(TimeZoneName { name, zone })
    }

    pub fn as_str(&self) -> &str {
        &self.name
    }

    pub(crate) fn zone(&self) -> &TimeZone {
        &self.zone
    }
}

text_column!(TimeZoneName, Text, TimeZoneName::parse);
described!(
    TimeZoneName,
    "A time zone of the IANA database.",
    TextShape { chars_max: Some(ZONE_BYTES_MAX), ..TextShape::ANY },
    "America/Sao_Paulo"
);

// Two names are one zone only if they are spelled alike: what an alias stands for may change with the database.
impl PartialEq for TimeZoneName {
    fn eq(&self, other: &TimeZoneName) -> bool {
        self.name == other.name
    }
}

impl Eq for TimeZoneName {}

impl Hash for TimeZoneName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl fmt::Display for TimeZoneName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name.fmt(f)
    }
}

impl fmt::Debug for TimeZoneName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TimeZoneName({:?})", self.name)
    }
}

impl TryFrom<SmolStr> for TimeZoneName {
    type Error = Invalid;
    fn try_from(text: SmolStr) -> Result<TimeZoneName, Invalid> {
        TimeZoneName::parse(&text)
    }
}

impl From<TimeZoneName> for SmolStr {
    fn from(zone: TimeZoneName) -> SmolStr {
        zone.name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (given, name) in [
            ("America/Sao_Paulo", "America/Sao_Paulo"),
            ("europe/LISBON", "Europe/Lisbon"),
            ("US/Eastern", "US/Eastern"),
            ("UTC", "UTC"),
            ("utc", "UTC"),
            ("Etc/GMT+3", "Etc/GMT+3"),
        ] {
            let zone = TimeZoneName::parse(given).unwrap();
            assert_eq!(zone.as_str(), name, "{given}");
            let json = serde_json::to_string(&zone).unwrap();
            assert_eq!(serde_json::from_str::<TimeZoneName>(&json).unwrap(), zone);
            let bytes = postcard::to_stdvec(&zone).unwrap();
            assert_eq!(postcard::from_bytes::<TimeZoneName>(&bytes).unwrap(), zone);
        }
        assert_eq!(TimeZoneName::parse("UTC").unwrap(), TimeZoneName::utc());
    }

    #[test]
    fn what_is_no_name() {
        for bad in ["", " ", "Mars/Olympus", "+03:00", "BRT3", "Etc/Unknown", "../../etc/passwd", "America/Sao_Paulo "]
        {
            let unknown = OperationInvalid::TimeZoneUnknown { name: bad.to_owned() };
            assert_eq!(TimeZoneName::parse(bad), Err(unknown.into()), "{bad:?}");
        }
        let long = "x".repeat(ZONE_BYTES_MAX + 1);
        assert!(matches!(TimeZoneName::parse(&long), Err(Invalid::NameTooLong { .. })));
        assert!(serde_json::from_str::<TimeZoneName>("\"Mars/Olympus\"").is_err());
    }

    /// Every name of the database fits and reads back as itself.
    #[test]
    fn the_whole_database() {
        let database = TimeZoneDatabase::bundled();
        let mut names = 0;
        for name in database.available().filter(|name| name.as_str() != "Etc/Unknown") {
            assert_eq!(TimeZoneName::parse(name.as_str()).unwrap().as_str(), name.as_str());
            names += 1;
        }
        assert!(names > 400, "only {names} zones are compiled in");
    }
}
