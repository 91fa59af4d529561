//! The public reference of a key: the key without `sh_` and the secret.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use thiserror::Error;

use super::{KeyId, TenantId, described};

/// Whether a key works on the tenant's data or on that of its test twin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum KeyMode {
    Live,
    Test,
}

impl KeyMode {
    fn as_str(self) -> &'static str {
        match self {
            KeyMode::Live => "live",
            KeyMode::Test => "test",
        }
    }
}

impl fmt::Display for KeyMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Names a key without opening anything: the key without `sh_` and the secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyRef {
    pub tenant: TenantId,
    pub id: KeyId,
}

#[derive(Debug, Error, PartialEq, Eq)]
#[error("a key is named like live_1_00ff00ff00ff00ff, as `key list` shows it")]
pub struct KeyRefMalformed;

impl KeyRef {
    pub fn mode(self) -> KeyMode {
        if self.tenant.is_test() { KeyMode::Test } else { KeyMode::Live }
    }

    pub fn parse(text: &str) -> Result<KeyRef, KeyRefMalformed> {
        let mut parts = text.splitn(3, '_');
        let mode = match parts.next() {
            Some("live") => KeyMode::Live,
            Some("test") => KeyMode::Test,
            _ => return Err(KeyRefMalformed),
        };
        let number = parts.next().filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()));
        let number: i64 = number.and_then(|digits| digits.parse().ok()).ok_or(KeyRefMalformed)?;
        let tenant = match mode {
            KeyMode::Live => TenantId(number),
            KeyMode::Test if number > 0 => TenantId(number).twin(),
            KeyMode::Test => return Err(KeyRefMalformed),
        };
        let id = parts.next().and_then(|id| KeyId::parse(id).ok()).ok_or(KeyRefMalformed)?;
        Ok(KeyRef { tenant, id })
    }
}

described!(
    KeyRef,
    "The reference of a key: the key without `sh_` and the secret.",
    TextShape::exactly("^(live_[0-9]{1,18}|test_[1-9][0-9]{0,17})_[0-9a-f]{16}$"),
    "live_1_00ff00ff00ff00ff"
);

impl fmt::Display for KeyRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}_{}", self.mode().as_str(), self.tenant.0.unsigned_abs(), self.id)
    }
}

impl Serialize for KeyRef {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for KeyRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<KeyRef, D::Error> {
        let text = smol_str::SmolStr::deserialize(deserializer)?;
        KeyRef::parse(&text).map_err(de::Error::custom)
    }
}
