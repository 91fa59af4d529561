//! The description as the attributes of handlers and wire types give it, and the tests that compare it with what is sent.

use std::collections::BTreeSet;

use axum::http::StatusCode;
use utoipa::OpenApi as _;
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{AdditionalProperties, ArrayItems, OneOf, SchemaType, Type};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{Components, ContentBuilder, OpenApi, Ref, RefOr, ResponseBuilder, Schema};

use super::parameters::name_parameters;
use super::schemas::add_all;
use super::unions::name_variants;
use super::{ANY_PROBLEM, COMMITTED, described_path, document, mentioned, problems};
use crate::api::{admin_routes, health_routes, public_routes};
use crate::routes::Routes;
use crate::wire::Problem;

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Surehold",
        description = "Sells things that run out, and never sells one twice. [Problems](/problems) have a stable `code`, \
                       and a page of their own at their `type`.",
    ),
    // The server that sent it.
    servers((url = "/")),
    components(schemas(Problem)),
)]
struct Head;

pub(crate) fn head() -> OpenApi {
    Head::openapi()
}

const SCHEME: &str = "key";

fn finish(mut openapi: OpenApi) -> OpenApi {
    let scheme =
        HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some("An API key: sh_live_… or sh_test_…"));
    let components = openapi.components.get_or_insert_default();
    add_all(&mut components.schemas, problems::schemas());
    components.add_security_scheme(SCHEME, SecurityScheme::Http(scheme.build()));
    name_variants(&mut components.schemas);
    let paths = std::mem::take(&mut openapi.paths.paths);
    openapi.paths.paths = paths.into_iter().map(|(path, item)| (described_path(&path), item)).collect();
    for (path, item) in &mut openapi.paths.paths {
        let methods = [&mut item.get, &mut item.put, &mut item.post, &mut item.delete, &mut item.patch];
        for operation in methods.into_iter().flatten() {
            name_parameters(path, operation);
            finish_operation(operation);
            close_request(operation, components);
        }
    }
    openapi
}

/// Anything else than what the operation lists is a problem. A response needs a description, and one that says nothing
/// beyond its status has none in the source.
fn finish_operation(operation: &mut Operation) {
    for (status, response) in &mut operation.responses.responses {
        let RefOr::T(response) = response else { continue };
        let reason = status.parse::<StatusCode>().ok().and_then(|status| status.canonical_reason());
        if let (true, Some(reason)) = (response.description.is_empty(), reason) {
            reason.clone_into(&mut response.description);
        }
    }
    let content = ContentBuilder::new().schema(Some(RefOr::Ref(Ref::from_schema_name("Problem")))).build();
    let problem = ResponseBuilder::new().description("A problem").content("application/problem+json", content).build();
    operation.responses.responses.insert("default".to_owned(), RefOr::T(problem));
    // `security(())` on an operation says that it needs no key.
    if operation.security.is_none() {
        operation.security = Some(vec![SecurityRequirement::new(SCHEME, Vec::<String>::new())]);
    }
}

/// Requests may have the members that are described and no others. Types do not say so, because clients that read them must
/// understand newer servers.
fn close_request(operation: &Operation, components: &mut Components) {
    let Some(RefOr::T(body)) = &operation.request_body else { return };
    let mut mentioned = Vec::new();
    for content in body.content.values() {
        if let RefOr::T(content) = content
            && let Some(RefOr::Ref(schema)) = &content.schema
        {
            mentioned.extend(name_of(schema));
        }
    }
    let mut closed = BTreeSet::new();
    while let Some(name) = mentioned.pop() {
        if let Some(schema) = components.schemas.get_mut(&name)
            && closed.insert(name)
        {
            close(schema, &mut mentioned);
        }
    }
}

fn name_of(schema: &Ref) -> Option<String> {
    schema.ref_location.strip_prefix("#/components/schemas/").map(str::to_owned)
}

fn close(schema: &mut RefOr<Schema>, mentioned: &mut Vec<String>) {
    let schema = match schema {
        RefOr::Ref(schema) => return mentioned.extend(name_of(schema)),
        RefOr::T(schema) => schema,
    };
    match schema {
        Schema::Object(object) => {
            if !object.properties.is_empty() {
                object.additional_properties = Some(Box::new(AdditionalProperties::FreeForm(false)));
            }
            object.properties.values_mut().for_each(|member| close(member, mentioned));
        }
        Schema::Array(array) => {
            if let ArrayItems::RefOrSchema(item) = &mut array.items {
                close(item, mentioned);
            }
        }
        Schema::OneOf(union) => {
            check_union(union);
            union.items.iter_mut().for_each(|one| close(one, mentioned));
        }
        Schema::AllOf(_) => panic!("requests have no `#[serde(flatten)]`: their reader does not see into it (ADR 30)"),
        Schema::AnyOf(any) => any.items.iter_mut().for_each(|one| close(one, mentioned)),
        _ => {}
    }
}

/// Absent or something; or an enum, whose variants are texts and objects with one member, which has the variant's name.
fn check_union(union: &OneOf) {
    let is_null = |one: &RefOr<Schema>| match one {
        RefOr::T(Schema::Object(object)) => object.schema_type == SchemaType::Type(Type::Null),
        RefOr::T(_) | RefOr::Ref(_) => false,
    };
    let is_optional = union.items.iter().any(is_null);
    let is_seen_into = |one: &RefOr<Schema>| match one {
        RefOr::Ref(_) => is_optional,
        RefOr::T(Schema::Object(object)) => object.properties.len() <= 1,
        RefOr::T(_) => false,
    };
    assert!(
        union.items.iter().all(is_seen_into),
        "requests have no enums that are untagged or tagged inside: their reader does not see into them (ADR 30)"
    );
}

fn described(routes: Routes) -> OpenApi {
    finish(routes.described.into_openapi())
}

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/openapi.json");
const RENEW: &str = "SUREHOLD_RENEW";

#[test]
fn the_committed_description_is_the_present_one() {
    let present = described(public_routes().merge(admin_routes())).to_pretty_json().unwrap() + "\n";
    if std::env::var_os(RENEW).is_some() {
        return std::fs::write(FILE, &present).unwrap();
    }
    assert!(COMMITTED == present, "renew it: {RENEW}=1 cargo test -p surehold-http --lib committed_description");
}

#[test]
fn what_is_mentioned_is_described() {
    let document: serde_json::Value = serde_json::from_str(COMMITTED).unwrap();
    for name in mentioned(COMMITTED) {
        assert!(document["components"]["schemas"].get(name).is_some(), "{name} is mentioned and not described");
    }
}

/// Generators of clients do not understand it.
#[test]
fn no_union_is_part_of_an_object() {
    let document: serde_json::Value = serde_json::from_str(COMMITTED).unwrap();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    for (name, schema) in schemas {
        for part in schema["allOf"].as_array().into_iter().flatten() {
            for mentioned in mentioned(&part.to_string()) {
                assert!(schemas[mentioned].get("oneOf").is_none(), "{name} is allOf of the union {mentioned}");
            }
        }
    }
}

#[test]
fn the_description_of_all_routes_is_all_of_it() {
    let all = || public_routes().merge(admin_routes());
    assert!(
        document(&all().list) == described(all()).to_json().unwrap(),
        "a schema is described that nothing mentions"
    );
}

#[test]
fn every_server_sends_the_description_of_its_own_routes() {
    for routes in [public_routes, health_routes] {
        let sent = document(&routes().list);
        let [present, sent_json] = [described(routes()).to_json().unwrap(), sent.clone()]
            .map(|text| serde_json::from_str::<serde_json::Value>(&text).unwrap());
        assert!(sent_json["paths"] == present["paths"]);
        let schemas: BTreeSet<&str> =
            sent_json["components"]["schemas"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(schemas, mentioned(&sent).chain([ANY_PROBLEM]).collect());
    }
}

#[test]
fn every_group_of_routes_says_what_it_is() {
    let description = described(public_routes().merge(admin_routes()));
    let groups: BTreeSet<String> = description.tags.into_iter().flatten().map(|group| group.name).collect();
    for item in description.paths.paths.into_values() {
        let operations = [item.get, item.put, item.post, item.delete].into_iter().flatten();
        for group in operations.filter_map(|operation| operation.tags).flatten() {
            assert!(groups.contains(&group), "say what {group} is: `Routes::group`");
        }
    }
}
