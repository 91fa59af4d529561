//! Events in the description, from their declarations in core.

use surehold_core::kernel::{self, DeclaredEvent, Shape};
use utoipa::openapi::schema::{
    ArrayBuilder, KnownFormat, Object, ObjectBuilder, OneOfBuilder, RefBuilder, SchemaFormat, SchemaType, Type,
};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::wire::described::{
    ActText, BarcodeText, DocumentId, HoldId, Money, ProductCode, QuoteId, RepairedThing, ShortName, Slug, StoreName,
};
use crate::wire::{CaseName, ConvertMode, EventBody, Line, OperationName, Policy, PoolName};

/// The components that fields of events are described by.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it is only described")]
struct Mentioned {
    act_text: ActText,
    barcode_text: BarcodeText,
    case_name: CaseName,
    convert_mode: ConvertMode,
    document_id: DocumentId,
    hold_id: HoldId,
    line: Line,
    money: Money,
    operation_name: OperationName,
    policy: Policy,
    pool_name: PoolName,
    product_code: ProductCode,
    quote_id: QuoteId,
    repaired_thing: RepairedThing,
    short_name: ShortName,
    slug: Slug,
    store_name: StoreName,
}

impl PartialSchema for EventBody {
    fn schema() -> RefOr<Schema> {
        kernel::Event::declared().fold(OneOfBuilder::new(), |union, event| union.item(described(event))).into()
    }
}

impl ToSchema for EventBody {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        Mentioned::schemas(schemas);
    }
}

fn described(event: &DeclaredEvent) -> Object {
    let name = ObjectBuilder::new().schema_type(Type::String).enum_values(Some([event.name]));
    let mut object = ObjectBuilder::new().schema_type(Type::Object).description(sentence(event.description));
    for field in event.fields {
        if let Some(schema) = schema_of(field.shape, sentence(field.description)) {
            object = object.property(field.name, schema).required(field.name);
        }
    }
    object.property("type", name).required("type").build()
}

/// A comment, as Rust gives it.
fn sentence(comment: &str) -> Option<&str> {
    Some(comment.trim()).filter(|text| !text.is_empty())
}

fn schema_of(shape: &Shape, description: Option<&str>) -> Option<RefOr<Schema>> {
    let of = |kind: Type| ObjectBuilder::new().schema_type(kind).description(description);
    let formatted = |kind: Type, format: KnownFormat| of(kind).format(Some(SchemaFormat::KnownFormat(format)));
    Some(match shape {
        Shape::Component(name) => {
            RefBuilder::new().ref_location_from_schema_name(*name).description(description).into()
        }
        Shape::Text => of(Type::String).into(),
        Shape::Date => formatted(Type::String, KnownFormat::Date).into(),
        Shape::DateTime => formatted(Type::String, KnownFormat::DateTime).into(),
        Shape::Integer => formatted(Type::Integer, KnownFormat::Int64).into(),
        Shape::Count => formatted(Type::Integer, KnownFormat::Int64).minimum(Some(0)).into(),
        Shape::Boolean => of(Type::Boolean).into(),
        Shape::Any => ObjectBuilder::new().schema_type(SchemaType::AnyValue).description(description).into(),
        Shape::List(items) => ArrayBuilder::new().items(schema_of(items, None)?).description(description).into(),
        Shape::Optional(value) => {
            let null = ObjectBuilder::new().schema_type(Type::Null);
            OneOfBuilder::new().item(null).item(schema_of(value, None)?).description(description).into()
        }
        Shape::Absent => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use surehold_core::kernel::{Event, Timestamp};
    use surehold_samples::samples_of;

    use crate::openapi::COMMITTED;
    use crate::wire;

    /// Of what descriptions of events use, apart from patterns and bounds.
    fn fits(value: &Value, schema: &Value, components: &Value) -> bool {
        if let Some(reference) = schema["$ref"].as_str() {
            let name = reference.rsplit('/').next().unwrap();
            return fits(value, &components[name], components);
        }
        if let Some(either) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
            return either.iter().any(|schema| fits(value, schema, components));
        }
        match schema["type"].as_str() {
            Some("object") => {
                let (Some(object), Some(properties)) = (value.as_object(), schema["properties"].as_object()) else {
                    return false;
                };
                let mut required =
                    schema["required"].as_array().into_iter().flatten().map(|name| name.as_str().unwrap());
                required.all(|name| object.contains_key(name))
                    && object
                        .iter()
                        .all(|(name, value)| properties.get(name).is_some_and(|schema| fits(value, schema, components)))
            }
            Some("array") => {
                value.as_array().is_some_and(|items| items.iter().all(|item| fits(item, &schema["items"], components)))
            }
            Some("string") => value.is_string() && (schema["const"].is_null() || schema["const"] == *value),
            Some("integer") => value.is_i64(),
            Some("boolean") => value.is_boolean(),
            Some("null") => value.is_null(),
            Some(other) => panic!("{other} was not used before"),
            None => true,
        }
    }

    #[test]
    fn every_event_is_sent_as_it_is_described() {
        let description: Value = serde_json::from_str(COMMITTED).unwrap();
        let components = &description["components"]["schemas"];
        let mapping = components["Event"]["discriminator"]["mapping"].as_object().unwrap();
        let variants = components["Event"]["oneOf"].as_array().unwrap();
        let mut declared: Vec<&str> = Event::declared().map(|event| event.name).collect();
        declared.sort_unstable();
        assert_eq!(mapping.keys().collect::<Vec<_>>(), declared);
        assert_eq!(variants.len(), declared.len());
        for event in samples_of::<Event>() {
            let component = &mapping[event.name()];
            assert!(variants.iter().any(|variant| variant["$ref"] == *component), "{component}");
            let schema = serde_json::json!({ "$ref": component });
            let body = wire::EventBody(event);
            let sent = wire::Event { cursor: "12-0".to_owned(), at: Timestamp::from_micros(1), body };
            let sent = serde_json::to_value(sent).unwrap();
            assert!(fits(&sent, &schema, components), "{sent} is no {component}");
        }
    }
}
