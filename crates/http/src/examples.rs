//! Every operation with the examples of what it takes, as the description has them: for the fuzzer and for tests that try
//! them all. No build that is meant for use has it.

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::openapi::COMMITTED;

static DESCRIPTION: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(COMMITTED).expect("the committed description is one"));

/// An operation, and what it can be asked with.
#[derive(Clone, Debug)]
pub struct Operation {
    pub method: String,
    /// With names in braces.
    pub path: String,
    /// Whether it needs no key.
    pub open: bool,
    pub has_query: bool,
    pub body: Option<Body>,
    /// What may stand in the path for each name.
    parts: Vec<(String, String)>,
}

/// The body of a request: its type, as described, and the example that is declared there.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    /// The name of the type.
    pub request: &'static str,
    pub schema: &'static Value,
    pub example: &'static Value,
}

pub fn operations() -> Vec<Operation> {
    let described = |place: &'static Value| place.as_object().expect("an object");
    let paths = described(&DESCRIPTION["paths"]);
    let operations = paths.iter().flat_map(|(path, item)| described(item).iter().map(move |item| (path, item)));
    operations.map(|(path, (method, operation))| Operation::new(method, path, operation)).collect()
}

impl Operation {
    fn new(method: &str, path: &str, described: &'static Value) -> Operation {
        let parameters = described["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
        let inside = |place: &'static str| parameters.iter().filter(move |parameter| parameter["in"] == place);
        let body = described["requestBody"]["content"]["application/json"].get("schema").map(|reference| {
            let schema = resolved(reference);
            let request = reference["$ref"].as_str().and_then(|reference| reference.rsplit('/').next());
            Body { request: request.expect("bodies are types of their own"), schema, example: &schema["example"] }
        });
        Operation {
            method: method.to_uppercase(),
            path: path.to_owned(),
            open: described["security"] == json!([{}]),
            has_query: inside("query").next().is_some(),
            body,
            parts: inside("path").map(part).collect(),
        }
    }

    /// Beside the API, so not in its description.
    pub fn page(path: &str) -> Operation {
        Operation::new("get", path, &Value::Null)
    }

    pub fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// The path with what is told to stand there, or else with examples.
    pub fn address(&self, told: impl Fn(&str) -> Option<String>) -> String {
        let part = |name: &str, example: &str| told(name).unwrap_or_else(|| example.to_owned());
        let fill = |path: String, (name, example): &(String, String)| {
            path.replace(&format!("{{{name}}}"), &part(name, example).replace(' ', "%20"))
        };
        self.parts.iter().fold(self.path.clone(), fill)
    }
}

/// A parameter has an example, or its type has one, or it is a number that has a least one.
fn part(parameter: &'static Value) -> (String, String) {
    let schema = resolved(&parameter["schema"]);
    let given = [&parameter["example"], &schema["example"], &schema["examples"][0], &schema["minimum"]];
    let given = given.into_iter().find(|given| !given.is_null());
    let given = given.unwrap_or_else(|| panic!("give an example of {parameter}"));
    let name = parameter["name"].as_str().expect("a name");
    (name.to_owned(), given.as_str().map_or_else(|| given.to_string(), str::to_owned))
}

fn resolved(schema: &'static Value) -> &'static Value {
    let place = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    place.map_or(schema, |place| DESCRIPTION.pointer(place).expect("references are to what is there"))
}

/// Of the request of this name, or of what else the description calls so.
pub fn example(name: &str) -> &'static Value {
    let schema = &DESCRIPTION["components"]["schemas"][name];
    let given = schema.get("example").or_else(|| schema["examples"].get(0));
    given.unwrap_or_else(|| panic!("the description has no example of {name}"))
}
