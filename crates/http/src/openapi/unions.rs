//! Unions that generators of clients understand. Where a structure has an enum flattened into it, utoipa describes both as
//! `allOf` of an unnamed union and an object. Here each variant becomes a component of its own, with what all have, and a
//! discriminator leads to it.

use serde_json::Value;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::schema::{AllOf, Discriminator, Object, ObjectBuilder, OneOf, OneOfBuilder, Type};
use utoipa::openapi::{Ref, RefOr, Schema};

use super::schemas::{Schemas, add, add_all};

const COMPONENTS: &str = "#/components/schemas/";

pub(super) fn name_variants(schemas: &mut Schemas) {
    let names: Vec<String> = schemas.keys().cloned().collect();
    for name in names {
        if let Some((union, renamed)) = variants_of(&name, schemas) {
            schemas.remove(&union);
            schemas.remove(&name);
            add_all(schemas, renamed);
        }
    }
}

/// The union that is part of the schema of this name, and what to describe instead of both.
fn variants_of(name: &str, schemas: &Schemas) -> Option<(String, Schemas)> {
    let RefOr::T(Schema::AllOf(whole)) = schemas.get(name)? else { return None };
    let [RefOr::Ref(union), RefOr::T(Schema::Object(common))] = whole.items.as_slice() else { return None };
    let union_name = union.ref_location.strip_prefix(COMPONENTS)?;
    let RefOr::T(Schema::OneOf(union)) = schemas.get(union_name)? else { return None };
    Some((union_name.to_owned(), named(name, whole, union, common)?))
}

fn named(name: &str, whole: &AllOf, union: &OneOf, common: &Object) -> Option<Schemas> {
    let suffix = &name[name.rfind(char::is_uppercase)?..];
    let mut schemas = Schemas::new();
    let mut references = OneOfBuilder::new().description(whole.description.as_ref());
    let mut mapping = Vec::new();
    let mut discriminator = None;
    for variant in &union.items {
        let RefOr::T(Schema::Object(variant)) = variant else { return None };
        let (tag, value) = tag_of(variant)?;
        let component = camel_case(value) + suffix;
        references = references.item(Ref::from_schema_name(&component));
        mapping.push((value.to_owned(), format!("{COMPONENTS}{component}")));
        discriminator = Some(tag);
        add(&mut schemas, component, Schema::Object(with_common(variant, tag, value, common)));
    }
    let discriminator = Discriminator::with_mapping(discriminator?, mapping);
    add(&mut schemas, name.to_owned(), references.discriminator(Some(discriminator)));
    Some(schemas)
}

/// The property that has one value only.
fn tag_of(variant: &Object) -> Option<(&str, &str)> {
    variant.properties.iter().find_map(|(name, schema)| match schema {
        RefOr::T(Schema::Object(Object { enum_values: Some(values), .. })) => match values.as_slice() {
            [Value::String(value)] => Some((name.as_str(), value.as_str())),
            _ => None,
        },
        RefOr::T(_) | RefOr::Ref(_) => None,
    })
}

/// An `enum` of one value costs generated clients a type; utoipa has no word for `const`.
fn with_common(variant: &Object, tag: &str, value: &str, common: &Object) -> Object {
    let constant = Extensions::from_iter([("const", value)]);
    let constant = ObjectBuilder::new().schema_type(Type::String).extensions(Some(constant));
    let mut object = variant.clone();
    object.properties.insert(tag.to_owned(), constant.into());
    object.properties.extend(common.properties.clone());
    object.required.splice(0..0, common.required.iter().cloned());
    object
}

fn camel_case(name: &str) -> String {
    let word = |word: &str| word[..1].to_uppercase() + &word[1..];
    name.split('_').map(word).collect()
}
