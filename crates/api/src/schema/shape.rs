//! Schemas of the fields that events and refusals declare.

use surehold_core::kernel::Shape;
use utoipa::openapi::schema::{
    ArrayBuilder, KnownFormat, ObjectBuilder, OneOfBuilder, RefBuilder, SchemaFormat, SchemaType, Type,
};
use utoipa::openapi::{RefOr, Schema};

/// `None` where nothing is sent.
pub fn schema_of(shape: &Shape, description: Option<&str>) -> Option<RefOr<Schema>> {
    let of = |kind: Type| ObjectBuilder::new().schema_type(kind).description(description);
    let formatted = |kind: Type, format: KnownFormat| of(kind).format(Some(SchemaFormat::KnownFormat(format)));
    let list = |items: &Shape| Some(ArrayBuilder::new().items(schema_of(items, None)?).description(description));
    Some(match shape {
        Shape::Component(name) => {
            RefBuilder::new().ref_location_from_schema_name(*name).description(description).into()
        }
        Shape::Text | Shape::Word(_) => of(Type::String).into(),
        Shape::Date => formatted(Type::String, KnownFormat::Date).into(),
        Shape::Integer => formatted(Type::Integer, KnownFormat::Int64).into(),
        Shape::Count => formatted(Type::Integer, KnownFormat::Int64).minimum(Some(0)).into(),
        Shape::Boolean => of(Type::Boolean).into(),
        Shape::Any => ObjectBuilder::new().schema_type(SchemaType::AnyValue).description(description).into(),
        Shape::List(items) => list(items)?.into(),
        Shape::Single(item) => list(item)?.min_items(Some(1)).max_items(Some(1)).into(),
        Shape::Optional(value) => {
            let null = ObjectBuilder::new().schema_type(Type::Null);
            OneOfBuilder::new().item(null).item(schema_of(value, None)?).description(description).into()
        }
        Shape::Absent => return None,
    })
}

/// A comment, as Rust gives it.
pub fn sentence(comment: &str) -> Option<&str> {
    Some(comment.trim()).filter(|text| !text.is_empty())
}
