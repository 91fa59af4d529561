//! Macros that let handlers and wire types carry the description of the API without compiling it into the product.
//!
//! The server sends a committed text, `docs/reference/openapi.json`. Only the unit tests of `surehold-http` compile the
//! derives of utoipa, and check that the text is what they produce. Depends on no crate: every build waits for this one.

mod handler;
mod tokens;

use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

use handler::Handler;

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
/// otherwise. What no type says is said as `utoipa::path` has it: `params(…)`, `request_body = T`, `responses(…)`, `security(…)`.
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

/// For the struct of a query string: derives what reads and describes it, and refuses other parameters. `page` adds the
/// cursor and the limit of a list behind its own parameters; `page after StoreName` says what the cursor is, if it is more
/// than a text.
#[proc_macro_attribute]
pub fn query(arguments: TokenStream, item: TokenStream) -> TokenStream {
    match (page_parameters(&arguments.to_string()), item.into_iter().collect::<Vec<_>>().as_slice()) {
        (Some(page), [head @ .., TokenTree::Group(fields)]) => {
            let fields = Group::new(Delimiter::Brace, [fields.stream(), parsed(&page)].into_iter().collect());
            parsed(DERIVED).into_iter().chain(head.iter().cloned()).chain([fields.into()]).collect()
        }
        _ => parsed("compile_error!(\"a struct with named fields; `page`, `page after TYPE` or nothing\");"),
    }
}

const DERIVED: &str = "#[derive(::serde::Deserialize, crate::describe::IntoParams)]
    #[serde(deny_unknown_fields)]
    #[into_params(parameter_in = Query)]";

fn page_parameters(arguments: &str) -> Option<String> {
    let after = match arguments.strip_prefix("page") {
        None => return arguments.is_empty().then(String::new),
        Some("") => "after: Option<String>,".to_owned(),
        Some(after) => {
            let cursor = after.trim().strip_prefix("after ")?;
            format!("after: Option<{cursor}>,")
        }
    };
    Some(format!(
        "/// The `next` of the page before.
        {after}
        #[param(minimum = 1, maximum = 1000, default = 100)]
        limit: Option<u16>,"
    ))
}

fn parsed(code: &str) -> TokenStream {
    code.parse().expect("what is generated is made of tokens")
}
