//! The schemas of the description by their names. A name that two things have would describe one of them as the other.

use std::collections::BTreeMap;

use utoipa::openapi::{RefOr, Schema};

pub(super) type Schemas = BTreeMap<String, RefOr<Schema>>;

/// What is mentioned twice is added twice, and says the same.
pub(super) fn add(schemas: &mut Schemas, name: String, schema: impl Into<RefOr<Schema>>) {
    let schema = schema.into();
    if let Some(known) = schemas.get(&name) {
        assert!(*known == schema, "two schemas are called {name}");
    }
    schemas.insert(name, schema);
}

pub(super) fn add_all(schemas: &mut Schemas, more: impl IntoIterator<Item = (String, RefOr<Schema>)>) {
    more.into_iter().for_each(|(name, schema)| add(schemas, name, schema));
}

#[test]
#[should_panic(expected = "two schemas are called Line")]
fn a_name_describes_one_thing() {
    use utoipa::openapi::schema::{ObjectBuilder, Type};

    let mut schemas = Schemas::new();
    for kind in [Type::String, Type::String, Type::Integer] {
        add(&mut schemas, "Line".to_owned(), ObjectBuilder::new().schema_type(kind));
    }
}
