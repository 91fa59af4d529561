//! Problems in the description: what every problem has, and a schema with the data of each code.

use surehold_api::schema::{schema_of, sentence};
use surehold_core::kernel::{FieldSpec, Shape};
use utoipa::openapi::schema::{AllOfBuilder, ArrayBuilder, Discriminator, ObjectBuilder, OneOfBuilder, Schema, Type};
use utoipa::openapi::{Ref, RefOr};

use super::ANY_PROBLEM;
use super::schemas::{Schemas, add};
use crate::problem::{ProblemType, fields_by_code, parts};

/// The schema of each code, of all together, and of the structs that only problems have.
pub(super) fn schemas() -> Schemas {
    let mut schemas = Schemas::new();
    for known in ProblemType::all() {
        add(&mut schemas, name_of(known.code), of_code(known));
    }
    for part in parts() {
        let object = object(part.fields.iter().map(|field| (field, true)));
        add(&mut schemas, part.name.to_owned(), object.description(Some(part.about.trim())));
    }
    add(&mut schemas, ANY_PROBLEM.to_owned(), any_problem());
    schemas
}

/// `sold-out` is `SoldOutProblem`.
fn name_of(code: &str) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    code.split('-').map(capital).collect::<String>() + "Problem"
}

fn any_problem() -> RefOr<Schema> {
    let names: Vec<(&str, Ref)> =
        ProblemType::all().iter().map(|known| (known.code, Ref::from_schema_name(name_of(known.code)))).collect();
    let mapping = names.iter().map(|(code, schema)| (*code, schema.ref_location.clone()));
    let discriminator = Discriminator::with_mapping("code", mapping);
    let any = names.iter().fold(OneOfBuilder::new(), |any, (_, schema)| any.item(schema.clone()));
    any.description(Some("Any problem, told apart by its code.")).discriminator(Some(discriminator)).into()
}

fn of_code(known: &ProblemType) -> RefOr<Schema> {
    let declarations = fields_by_code(known.code);
    let has = |fields: &[FieldSpec], name: &str| fields.iter().any(|field| field.name == name);
    let mut fields: Vec<(&FieldSpec, bool)> = Vec::new();
    for field in declarations.iter().copied().flatten() {
        if fields.iter().all(|(known, _)| known.name != field.name) {
            fields.push((field, declarations.iter().all(|fields| has(fields, field.name))));
        }
    }
    let code = ObjectBuilder::new().schema_type(Type::String).enum_values(Some([known.code]));
    let own = object(fields.into_iter()).property("code", code).required("code");
    let about = format!("{}: {}", known.status.as_u16(), known.title);
    AllOfBuilder::new().item(Ref::from_schema_name("Problem")).item(own).description(Some(about)).into()
}

/// An object with these fields, each of which may be in every declaration.
fn object<'a>(fields: impl Iterator<Item = (&'a FieldSpec, bool)>) -> ObjectBuilder {
    fields.fold(ObjectBuilder::new(), |object, (field, always)| {
        let (schema, required) = of_field(field);
        let object = object.property(field.name, schema);
        if required && always { object.required(field.name) } else { object }
    })
}

/// The schema of a field, and whether it is always there: what is absent or empty is left out.
fn of_field(field: &FieldSpec) -> (RefOr<Schema>, bool) {
    let about = sentence(field.about);
    let of = |shape: &Shape, about: Option<&str>| {
        let named = match shape {
            Shape::Word(name) => &Shape::Component(name),
            Shape::Date => &Shape::Component("Day"),
            other => other,
        };
        schema_of(named, about).expect("fields of refusals are sent")
    };
    let list = |items: &Shape| ArrayBuilder::new().items(of(items, None)).min_items(Some(1)).description(about);
    match field.shape {
        Shape::Optional(value) => (of(value, about), false),
        Shape::List(items) => (list(items).into(), false),
        Shape::Single(item) => (list(item).max_items(Some(1)).into(), true),
        always => (of(always, about), true),
    }
}
