//! Names given by callers: checked once, cheap to copy (short ones are stored inline).

use std::fmt;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::{Corrupt, Invalid, text_column};

pub const NAME_BYTES_MAX: usize = 200;
const SLUG_BYTES_MAX: usize = 63;
const METADATA_BYTES_MAX: usize = 16 * 1024;

pub(crate) fn check_name(what: &str, text: &str) -> Result<(), Invalid> {
    check_text(what, text, NAME_BYTES_MAX)
}

pub(crate) fn check_text(what: &str, text: &str, bytes_max: usize) -> Result<(), Invalid> {
    if text.is_empty() {
        return Err(Invalid::NameEmpty { what: what.to_owned() });
    }
    if text.len() > bytes_max {
        return Err(Invalid::NameTooLong { what: what.to_owned(), bytes: text.len(), bytes_max });
    }
    if text.trim() != text || text.chars().any(char::is_control) {
        return Err(Invalid::NameMalformed { what: what.to_owned() });
    }
    Ok(())
}

pub(crate) fn check_slug(_what: &str, text: &str) -> Result<(), Invalid> {
    let legal = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    let inner_hyphens = !text.starts_with('-') && !text.ends_with('-');
    let sized = (1..=SLUG_BYTES_MAX).contains(&text.len());
    if sized && inner_hyphens && text.bytes().all(legal) { Ok(()) } else { Err(Invalid::SlugMalformed) }
}

/// What a caller names, checked by a function of its text. Short texts are kept inline.
macro_rules! checked_text {
    ($(#[doc = $doc:literal])* $type:ident, $check:expr) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "SmolStr", into = "SmolStr")]
        pub struct $type(SmolStr);

        impl $type {
            pub fn new(text: &str) -> Result<$type, Invalid> {
                $check(text)?;
                Ok($type(SmolStr::new(text)))
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::str::FromStr for $type {
            type Err = Invalid;
            fn from_str(text: &str) -> Result<$type, Invalid> {
                $type::new(text)
            }
        }

        impl TryFrom<SmolStr> for $type {
            type Error = Invalid;
            fn try_from(text: SmolStr) -> Result<$type, Invalid> {
                $check(&text)?;
                Ok($type(text))
            }
        }

        impl From<$type> for SmolStr {
            fn from(text: $type) -> SmolStr {
                text.0
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

/// A name that is checked wherever it comes from, a store included. Its shape says the same as its check.
macro_rules! name {
    ($(#[doc = $doc:literal])* $type:ident, $what:literal, $check:ident, $shape:expr $(, $example:literal)?) => {
        $crate::kernel::checked_text!($(#[doc = $doc])* $type, |text: &str| $check($what, text));
        $crate::kernel::described!($type, concat!($($doc),*), $shape $(, $example)?);
        $crate::kernel::text_column!($type, Text, $type::new);
    };
}

/// A text that is checked when it comes from a caller, and believed when it comes from a store.
macro_rules! text {
    ($(#[doc = $doc:literal])* $type:ident, $check:expr) => {
        $crate::kernel::checked_text!($(#[doc = $doc])* $type, $check);
        $crate::kernel::text_column!($type, Text, |text| Ok::<_, $crate::kernel::Corrupt>($type::stored(text)));

        impl $type {
            /// Of a text that is ours.
            pub(crate) fn stored(text: &str) -> $type {
                $type(SmolStr::new(text))
            }
        }
    };
    // That callers see.
    ($(#[doc = $doc:literal])* $type:ident $(as $name:literal)?, $check:expr, $shape:expr $(, $example:literal)?) => {
        $crate::kernel::text!($(#[doc = $doc])* $type, $check);
        $crate::kernel::described!($type $(as $name)?, concat!($($doc),*), $shape $(, $example)?);
    };
}

pub(crate) use {checked_text, name, text};

name!(
    /// What is sold: a room type, a ticket type, a SKU in a store.
    ResourceName, "resource", check_name, NAME, "double"
);
name!(
    /// Who holds: a customer, a session, a channel. Limits are counted per owner.
    OwnerName, "owner", check_name, NAME
);
name!(
    /// The caller's own name for a hold: a cart, a conversation, an order.
    Reference, "reference", check_name, NAME
);
name!(
    /// What a caller writes on a request to be able to repeat it.
    IdempotencyKey, "idempotency key", check_name, NAME
);
name!(
    /// What a key is for: the till, the website, a person.
    KeyName, "name", check_name, NAME, "till"
);
name!(
    /// What people call a thing.
    Title, "title", check_name, NAME
);
name!(
    /// A tenant's name in addresses.
    Slug, "slug", check_slug, SLUG, "casa-azul"
);

/// A JSON object that the caller attached: kept as canonical text, never looked into.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "SmolStr", into = "SmolStr")]
pub struct Metadata(SmolStr);

impl Metadata {
    pub fn new(value: &serde_json::Value) -> Result<Metadata, Invalid> {
        if !value.is_object() {
            return Err(Invalid::MetadataNotObject);
        }
        // Object keys come out sorted, so equal objects have equal texts.
        let text = value.to_string();
        // What nests deeper than a parser allows could be written and never read again.
        if serde_json::from_str::<serde_json::Value>(&text).is_err() {
            return Err(Invalid::MetadataTooDeep);
        }
        if text.len() > METADATA_BYTES_MAX {
            return Err(Invalid::MetadataTooLong { bytes: text.len(), bytes_max: METADATA_BYTES_MAX });
        }
        Ok(Metadata(text.into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(feature = "schema")]
impl utoipa::PartialSchema for Metadata {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
        use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder};
        let object = ObjectBuilder::new().additional_properties(Some(AdditionalProperties::FreeForm(true)));
        object.description(Some("An object of your own, up to 16 KiB. It is never looked into.")).into()
    }
}

#[cfg(feature = "schema")]
impl utoipa::ToSchema for Metadata {}

text_column!(Metadata, Json, |text: &str| Ok::<_, Corrupt>(Metadata(text.into())));

impl TryFrom<SmolStr> for Metadata {
    type Error = Invalid;
    fn try_from(text: SmolStr) -> Result<Metadata, Invalid> {
        let value = serde_json::from_str(&text).map_err(|_| Invalid::MetadataNotObject)?;
        Metadata::new(&value)
    }
}

impl From<Metadata> for SmolStr {
    fn from(metadata: Metadata) -> SmolStr {
        metadata.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let check = |text: &str, expected: &str| {
            let verdict = ResourceName::new(text).map_or_else(|invalid| invalid.to_string(), |_| "ok".to_owned());
            assert_eq!(verdict, expected, "{text:?}");
        };
        check("room-deluxe", "ok");
        check("Zimmer mit Blick auf die Weser", "ok");
        check(&"x".repeat(200), "ok");
        check("", "resource must not be empty");
        check(&"x".repeat(10_000), "resource has 10000 bytes; at most 200 are allowed");
        check(" room", "resource contains a control character or starts or ends with a space");
        check("room\0", "resource contains a control character or starts or ends with a space");
        check("a\nb", "resource contains a control character or starts or ends with a space");
    }

    #[test]
    fn slugs() {
        for good in ["a", "casa-azul", "x1", &"a".repeat(63)] {
            assert!(Slug::new(good).is_ok(), "{good}");
        }
        for bad in ["", "-a", "a-", "A", "a_b", "ä", "a b", &"a".repeat(64)] {
            assert_eq!(Slug::new(bad), Err(Invalid::SlugMalformed), "{bad}");
        }
    }

    #[test]
    fn metadata_is_canonical() {
        let one = Metadata::new(&serde_json::json!({"b": 1, "a": 2})).unwrap();
        let two = Metadata::new(&serde_json::json!({"a": 2, "b": 1})).unwrap();
        assert_eq!(one, two);
        assert_eq!(Metadata::new(&serde_json::json!([1])), Err(Invalid::MetadataNotObject));
        let deep = (0..200).fold(serde_json::json!({}), |inner, _| serde_json::json!({ "a": inner }));
        assert_eq!(Metadata::new(&deep), Err(Invalid::MetadataTooDeep));
        assert!(serde_json::from_str::<Metadata>(r#""no object""#).is_err());
    }
}
