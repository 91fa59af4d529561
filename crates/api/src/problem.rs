//! What goes wrong, as `application/problem+json` (RFC 9457).

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// A problem and what a caller needs to act on it: `type`, `title`, `status`, `code`, `detail`, then its own members.
#[derive(Clone, Debug)]
pub struct Problem {
    pub code: Cow<'static, str>,
    pub title: Cow<'static, str>,
    pub status: u16,
    pub detail: String,
    /// What the code declares.
    pub data: Vec<(Cow<'static, str>, Box<RawValue>)>,
}

impl Problem {
    /// A member of its own, if it has one of that name and type.
    pub fn member<'de, T: Deserialize<'de>>(&'de self, name: &str) -> Option<T> {
        let (_, json) = self.data.iter().find(|(member, _)| member == name)?;
        serde_json::from_str(json.get()).ok()
    }
}

impl Serialize for Problem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("type", &format_args!("/problems/{}", self.code))?;
        members.serialize_entry("title", &self.title)?;
        members.serialize_entry("status", &self.status)?;
        members.serialize_entry("code", &self.code)?;
        members.serialize_entry("detail", &self.detail)?;
        for (name, json) in &self.data {
            members.serialize_entry(name, json)?;
        }
        members.end()
    }
}

impl<'de> Deserialize<'de> for Problem {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Problem, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Problem;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a problem")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Problem, A::Error> {
                let (mut code, mut title, mut status, mut detail) = (None, None, None, None);
                let mut data = Vec::new();
                while let Some(name) = members.next_key::<String>()? {
                    match name.as_str() {
                        "type" => drop(members.next_value::<de::IgnoredAny>()?),
                        "code" => code = Some(members.next_value::<String>()?),
                        "title" => title = Some(members.next_value::<String>()?),
                        "status" => status = Some(members.next_value()?),
                        "detail" => detail = Some(members.next_value()?),
                        _ => data.push((name.into(), members.next_value()?)),
                    }
                }
                Ok(Problem {
                    code: code.ok_or_else(|| de::Error::missing_field("code"))?.into(),
                    title: title.ok_or_else(|| de::Error::missing_field("title"))?.into(),
                    status: status.ok_or_else(|| de::Error::missing_field("status"))?,
                    detail: detail.ok_or_else(|| de::Error::missing_field("detail"))?,
                    data,
                })
            }
        }

        deserializer.deserialize_map(Members)
    }
}
