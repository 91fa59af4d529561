//! The parameters that extractors take, and the names of those in paths: `describe::path` lists the extractors of a handler.

use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, OneOfBuilder, SchemaFormat, Type};
use utoipa::openapi::{Ref, RefOr, Required, Schema};
use utoipa::{IntoParams, ToSchema};

use crate::api::{FromPath, Idempotency, IdempotencyNeeded, InPath, Query};
use crate::wire::described::{IdempotencyKey, Slug};

/// A mention of the component.
pub(crate) fn mention<T: ToSchema>() -> RefOr<Schema> {
    Ref::from_schema_name(T::name()).into()
}

pub(crate) fn number(min: u32, max: u32) -> RefOr<Schema> {
    let format = SchemaFormat::KnownFormat(KnownFormat::Int32);
    let number = ObjectBuilder::new().schema_type(Type::Integer).format(Some(format));
    number.minimum(Some(min)).maximum(Some(max)).into()
}

fn parameter(name: &str, place: ParameterIn, schema: RefOr<Schema>) -> Parameter {
    let parameter = ParameterBuilder::new().name(name).parameter_in(place).schema(Some(schema));
    parameter.required(Required::True).build()
}

fn in_path(schema: RefOr<Schema>) -> Parameter {
    parameter("", ParameterIn::Path, schema)
}

impl<T: FromPath> IntoParams for InPath<T> {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        T::schemas().into_iter().map(in_path).collect()
    }
}

impl<T: IntoParams> IntoParams for Query<T> {
    fn into_params(place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        T::into_params(place)
    }
}

const IDEMPOTENCY_KEY: &str = "Idempotency-Key";

impl IntoParams for Idempotency {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let null = ObjectBuilder::new().schema_type(Type::Null);
        let schema = OneOfBuilder::new().item(mention::<IdempotencyKey>()).item(null);
        let mut key = parameter(IDEMPOTENCY_KEY, ParameterIn::Header, schema.into());
        key.required = Required::False;
        vec![key]
    }
}

impl IntoParams for IdempotencyNeeded {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        vec![parameter(IDEMPOTENCY_KEY, ParameterIn::Header, mention::<IdempotencyKey>())]
    }
}

/// Those of the path come first and get their names from it. Its tenant is in no extractor: that one is the caller's.
pub(super) fn name_parameters(path: &str, operation: &mut Operation) {
    let mut parameters = operation.parameters.take().unwrap_or_default();
    let names: Vec<&str> = path.split('{').skip(1).filter_map(|rest| rest.split('}').next()).collect();
    if names.contains(&"tenant") {
        parameters.insert(0, in_path(mention::<Slug>()).into());
    }
    parameters.sort_by_key(|parameter| match parameter {
        RefOr::T(Parameter { parameter_in: ParameterIn::Path, .. }) => 0,
        RefOr::T(Parameter { parameter_in: ParameterIn::Query, .. }) => 1,
        RefOr::T(_) | RefOr::Ref(_) => 2,
    });
    let mut names = names.into_iter();
    for parameter in &mut parameters {
        if let RefOr::T(Parameter { parameter_in: ParameterIn::Path, name: in_path, .. }) = parameter {
            let name = names.next().expect("a path names what is taken from it");
            name.clone_into(in_path);
        }
    }
    assert!(names.next().is_none(), "nothing says what {path} names");
    operation.parameters = Some(parameters).filter(|parameters| !parameters.is_empty());
}
