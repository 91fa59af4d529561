//! Attributes of handlers, query strings and types that travel. They say each thing once, and carry the description of the API
//! without compiling it into the product.
//!
//! The server sends a committed text, `docs/reference/openapi.json`. Only the unit tests of `surehold-http` compile the
//! derives of utoipa, and check that the text is what they produce. Depends on no crate: every build waits for this one.

mod handler;
mod tokens;
mod wire;

use proc_macro::TokenStream;

use handler::Handler;
use tokens::parsed;

/// Accepts the attributes of `utoipa::ToSchema` and generates nothing.
#[proc_macro_derive(ToSchema, attributes(schema))]
pub fn to_schema(_: TokenStream) -> TokenStream {
    TokenStream::new()
}

/// Accepts the attributes of `utoipa::IntoParams` and generates nothing.
#[proc_macro_derive(IntoParams, attributes(into_params, param))]
pub fn into_params(_: TokenStream) -> TokenStream {
    TokenStream::new()
}

/// `path(get, "/v1/{tenant}/stays/{hold}", tag = "Stays")` describes a handler in unit tests. What the handler takes and
/// answers is read from its signature: parameters from the extractors `InPath`, `Query` and those of the idempotency key, the
/// body from `Json<T>`, the response from `Answer<T>`. Its status is 200, unless `status(201)` or `status(200, 201)` says
/// otherwise. What no type says is said as `utoipa::path` has it: `params(…)`, `request_body = T`, `responses(…)`,
/// `security(…)`.
///
/// Always generates a module of the handler's name with its `METHOD` and `PATH`, from which the router is built.
#[proc_macro_attribute]
pub fn path(arguments: TokenStream, handler: TokenStream) -> TokenStream {
    let read = Handler::read(arguments, handler.clone());
    match read.and_then(|read| Ok((parsed(&read.description()?), parsed(&read.route())))) {
        Ok((description, route)) => [description, handler, route].into_iter().collect(),
        Err(message) => parsed(&format!("compile_error!({message:?});")),
    }
}

/// For a type that travels: it can be written, read and described, and a member that is absent is left out. `wire(Copy, Eq)`
/// derives more. `wire(page)` is for a part of a list: it adds where the next one begins, which `describe::query(page)` reads;
/// `wire(page after StoreName)` says what that is, if it is more than a text.
#[proc_macro_attribute]
pub fn wire(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let arguments = arguments.to_string();
    match cursor(&arguments) {
        Some(cursor) => wire::page(cursor, item),
        None => wire::wire(&arguments, item),
    }
}

/// For the struct of a query string: derives what reads and describes it, and refuses other parameters. `page` adds the
/// cursor and the limit of a list behind its own parameters; `page after StoreName` says what the cursor is, if it is more
/// than a text.
#[proc_macro_attribute]
pub fn query(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let arguments = arguments.to_string();
    match cursor(&arguments) {
        Some(cursor) => parsed(DERIVED).into_iter().chain(wire::with_member(item, &page_parameters(cursor))).collect(),
        None if arguments.is_empty() => parsed(DERIVED).into_iter().chain(item).collect(),
        None => parsed("compile_error!(\"`page`, `page after TYPE` or nothing\");"),
    }
}

const DERIVED: &str = "#[derive(::serde::Deserialize, crate::describe::IntoParams)]
    #[serde(deny_unknown_fields)]
    #[into_params(parameter_in = Query)]";

/// The type that says where a page begins, of an attribute that says `page`.
fn cursor(arguments: &str) -> Option<&str> {
    let after = arguments.strip_prefix("page")?;
    if after.is_empty() { Some("String") } else { after.trim().strip_prefix("after ") }
}

fn page_parameters(cursor: &str) -> String {
    format!(
        "/// The `next` of the page before.
        after: Option<{cursor}>,
        #[param(minimum = 1, maximum = 1000, default = 100)]
        limit: Option<u16>,"
    )
}
