//! How values are described to callers: what their checks allow, in words that generators of clients and of tests
//! understand. Only tests of the description compile this: the feature `schema`.

use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, Schema, SchemaFormat, Type};

/// What a text looks like.
#[derive(Clone, Copy)]
pub(crate) struct TextShape {
    /// A sentence for people; empty where nothing is left to say.
    pub(crate) rule: &'static str,
    pub(crate) chars_max: Option<usize>,
    /// Empty: any text.
    pub(crate) pattern: &'static str,
    /// As JSON Schema calls it, or empty.
    pub(crate) format: &'static str,
}

impl TextShape {
    pub(crate) const ANY: TextShape = TextShape { rule: "", chars_max: None, pattern: "", format: "" };

    /// What [`check_text`](super::check_text) takes, of up to so many bytes.
    pub(crate) const fn line(chars_max: usize, rule: &'static str) -> TextShape {
        let pattern = r"^[^\s\x00-\x1f\x7f-\x9f]([^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f])?$";
        TextShape { rule, chars_max: Some(chars_max), pattern, format: "" }
    }

    pub(crate) const fn pattern(chars_max: usize, pattern: &'static str, rule: &'static str) -> TextShape {
        TextShape { rule, chars_max: Some(chars_max), pattern, format: "" }
    }

    /// Without a bound of its own: the pattern has it.
    pub(crate) const fn exactly(pattern: &'static str) -> TextShape {
        TextShape { pattern, ..TextShape::ANY }
    }

    pub(crate) const fn format(format: &'static str) -> TextShape {
        TextShape { format, ..TextShape::ANY }
    }
}

pub(crate) const NAME: TextShape =
    TextShape::line(200, "At most 200 bytes of UTF-8, no control characters, no blank at either end.");
pub(crate) const SLUG: TextShape = TextShape::pattern(
    63,
    "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$",
    "1 to 63 lower-case letters, digits and inner dashes.",
);
pub(crate) const UUID_V7: TextShape = TextShape {
    rule: "A UUID of version 7.",
    chars_max: None,
    pattern: "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$",
    format: "uuid",
};

impl TextShape {
    pub(crate) fn schema(self, doc: &str, example: Option<&str>) -> RefOr<Schema> {
        let format = match self.format {
            "" => None,
            "date" => Some(SchemaFormat::KnownFormat(KnownFormat::Date)),
            "date-time" => Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)),
            "uuid" => Some(SchemaFormat::KnownFormat(KnownFormat::Uuid)),
            other => Some(SchemaFormat::Custom(other.to_owned())),
        };
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(described(doc, self.rule))
            .format(format)
            .min_length(self.chars_max.map(|_| 1))
            .max_length(self.chars_max)
            .pattern(Some(self.pattern).filter(|pattern| !pattern.is_empty()))
            .examples(example)
            .into()
    }
}

/// Comments begin their lines with a blank.
fn described(doc: &str, rule: &str) -> Option<String> {
    let text = [doc.trim(), rule].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    Some(text).filter(|text| !text.is_empty())
}

pub(crate) fn words_schema(doc: &str, words: &[&str]) -> RefOr<Schema> {
    let object = ObjectBuilder::new().schema_type(Type::String).description(described(doc, ""));
    object.enum_values(Some(words.iter().copied())).into()
}
