//! Events in the description, from their declarations in core.

use surehold_core::kernel::{self, DeclaredEvent, Shape};
use utoipa::openapi::schema::{
    ArrayBuilder, KnownFormat, Object, ObjectBuilder, OneOfBuilder, RefBuilder, SchemaFormat, SchemaType, Type,
};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use surehold_core::kernel::{ConvertMode, Currency, HoldId, KeyId, Slug, Timestamp};
use surehold_core::operations::{Actor, Reason};
use surehold_core::stays::{PropertyName, QuoteId, RatePlanCode, RoomTypeCode};
use surehold_core::stock::{BarcodeText, DocumentId, ProductCode, StoreName};

use crate::described::{Money, RepairedThing};
use crate::{CaseName, EventBody, Line, OperationName, Policy, PoolName};

/// The components that fields of events are described by.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it is only described")]
struct Mentioned {
    actor: Actor,
    barcode_text: BarcodeText,
    case_name: CaseName,
    convert_mode: ConvertMode,
    currency: Currency,
    document_id: DocumentId,
    hold_id: HoldId,
    key_id: KeyId,
    line: Line,
    money: Money,
    operation_name: OperationName,
    policy: Policy,
    pool_name: PoolName,
    product_code: ProductCode,
    property_name: PropertyName,
    quote_id: QuoteId,
    rate_plan_code: RatePlanCode,
    reason: Reason,
    repaired_thing: RepairedThing,
    room_type_code: RoomTypeCode,
    slug: Slug,
    store_name: StoreName,
    timestamp: Timestamp,
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
