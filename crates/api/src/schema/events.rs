//! Events in the description, from their declarations in core.

use surehold_core::kernel::{self, DeclaredEvent};
use utoipa::openapi::schema::{Object, ObjectBuilder, OneOfBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::{schema_of, sentence};
use crate::EventBody;

impl PartialSchema for EventBody {
    fn schema() -> RefOr<Schema> {
        kernel::Event::declared().fold(OneOfBuilder::new(), |union, event| union.item(described(event))).into()
    }
}

impl ToSchema for EventBody {}

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
