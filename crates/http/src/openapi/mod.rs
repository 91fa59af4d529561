//! The description of the API that a server sends: the committed text, cut down to the routes that the server has.
//! `described.rs` generates the text from the attributes of handlers and wire types, in tests only.

#[cfg(test)]
pub(crate) mod described;
#[cfg(test)]
mod events;
#[cfg(test)]
mod examples;
#[cfg(test)]
mod fits;
#[cfg(test)]
pub(crate) mod parameters;
#[cfg(test)]
mod problems;
#[cfg(test)]
mod schemas;
#[cfg(test)]
mod unions;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::routes::Route;

/// The description of every route, as committed.
pub const COMMITTED: &str = include_str!("../../../../docs/reference/openapi.json");

/// Any problem, told apart by its code. Every description has it, and no operation mentions it: clients of every operation
/// would have to know every code, and a newer server may have more.
const ANY_PROBLEM: &str = "AnyProblem";

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Document<'a> {
    #[serde(borrow)]
    openapi: &'a RawValue,
    info: &'a RawValue,
    servers: &'a RawValue,
    paths: BTreeMap<&'a str, Operations<'a>>,
    components: Components<'a>,
    tags: &'a RawValue,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Operations<'a> {
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    get: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    put: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    post: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delete: Option<&'a RawValue>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Components<'a> {
    #[serde(borrow)]
    schemas: BTreeMap<&'a str, &'a RawValue>,
    #[serde(rename = "securitySchemes")]
    security_schemes: &'a RawValue,
}

impl<'a> Operations<'a> {
    fn retain(&mut self, mut is_routed: impl FnMut(&str) -> bool) {
        let operations =
            [("GET", &mut self.get), ("PUT", &mut self.put), ("POST", &mut self.post), ("DELETE", &mut self.delete)];
        for (method, operation) in operations {
            operation.take_if(|_| !is_routed(method));
        }
    }

    fn each(&self) -> impl Iterator<Item = &'a RawValue> {
        [self.get, self.put, self.post, self.delete].into_iter().flatten()
    }
}

/// The description of these routes, as compact JSON.
pub(crate) fn document(routes: &[Route]) -> String {
    let mut document: Document = serde_json::from_str(COMMITTED).expect("the committed description is one");
    let routed: BTreeSet<(String, &str)> =
        routes.iter().map(|route| (described_path(route.path), route.method)).collect();
    document.paths.retain(|path, operations| {
        operations.retain(|method| routed.contains(&((*path).to_owned(), method)));
        operations.each().next().is_some()
    });
    let operations = document.paths.values().flat_map(Operations::each);
    let schemas = reachable(operations.map(RawValue::get), &document.components.schemas);
    document.components.schemas.retain(|name, _| schemas.contains(name));
    let text = serde_json::to_string(&document).expect("a description is plain data");
    without_blanks(&text)
}

/// A description has no word for the rest of an address.
pub(crate) fn described_path(path: &str) -> String {
    path.replace("{*", "{")
}

/// The schemas that these texts mention, those that these schemas mention in turn, and the problems.
fn reachable<'a>(texts: impl Iterator<Item = &'a str>, schemas: &BTreeMap<&'a str, &'a RawValue>) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut pending: Vec<&str> = texts.flat_map(mentioned).chain([ANY_PROBLEM]).collect();
    while let Some(name) = pending.pop() {
        if let Some((name, schema)) = schemas.get_key_value(name)
            && reached.insert(*name)
        {
            pending.extend(mentioned(schema.get()));
        }
    }
    reached
}

fn mentioned(text: &str) -> impl Iterator<Item = &str> {
    let rests = text.split("\"#/components/schemas/").skip(1);
    rests.filter_map(|rest| rest.split('"').next())
}

/// JSON without the blanks between its tokens.
fn without_blanks(json: &str) -> String {
    let (mut in_string, mut escaped) = (false, false);
    let is_kept = |character: &char| {
        let kept = in_string || !character.is_ascii_whitespace();
        in_string ^= *character == '"' && !escaped;
        escaped = in_string && !escaped && *character == '\\';
        kept
    };
    json.chars().filter(is_kept).collect()
}
