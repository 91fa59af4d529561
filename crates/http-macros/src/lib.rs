//! Macros that let handlers and wire types carry the description of the API without compiling it into the product.
//!
//! The server sends a committed text, `docs/reference/openapi.json`. Only the unit tests of `surehold-http` compile the
//! derives of utoipa, and check that the text is what they produce. Depends on no crate: every build waits for this one.

use proc_macro::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

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

/// Takes the arguments of `utoipa::path`, without the tenant in the path. Applies them in unit tests; always generates a
/// module of the handler's name with its `METHOD` and `PATH`, from which the router is built.
#[proc_macro_attribute]
pub fn path(arguments: TokenStream, handler: TokenStream) -> TokenStream {
    match route(&arguments, &handler) {
        Ok(route) => [described_in_tests(with_tenant(arguments)), handler, route].into_iter().collect(),
        Err(message) => format!("compile_error!({message:?});").parse().expect("a call of a macro"),
    }
}

/// For the struct of a query string: derives what reads and describes it, and refuses other parameters. `page` adds the
/// cursor and the limit of a list behind its own parameters; `page after StoreName` says what the cursor is, if it is more
/// than a text.
#[proc_macro_attribute]
pub fn query(arguments: TokenStream, item: TokenStream) -> TokenStream {
    match (page_parameters(&arguments.to_string()), item.into_iter().collect::<Vec<_>>().as_slice()) {
        (Some(page), [head @ .., TokenTree::Group(fields)]) => {
            let page: TokenStream = page.parse().expect("fields of a struct");
            let fields = Group::new(Delimiter::Brace, [fields.stream(), page].into_iter().collect());
            let derived: TokenStream = DERIVED.parse().expect("attributes");
            derived.into_iter().chain(head.iter().cloned()).chain([fields.into()]).collect()
        }
        _ => "compile_error!(\"a struct with named fields; `page`, `page after TYPE` or nothing\");"
            .parse()
            .expect("a call of a macro"),
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

/// The tenant is the same in every path that has one, and comes before the other parameters.
fn with_tenant(arguments: TokenStream) -> TokenStream {
    if !literal_of("path", &arguments).is_some_and(|path| path.to_string().contains("{tenant}")) {
        return arguments;
    }
    let tenant: TokenStream = "(\"tenant\" = crate::wire::described::Slug, Path),".parse().expect("a parameter");
    let mut arguments: Vec<TokenTree> = arguments.into_iter().collect();
    let params =
        arguments.iter().position(|token| matches!(token, TokenTree::Ident(word) if word.to_string() == "params"));
    if let Some(TokenTree::Group(params)) = params.and_then(|params| arguments.get_mut(params + 1)) {
        *params = Group::new(Delimiter::Parenthesis, [tenant, params.stream()].into_iter().collect());
    } else {
        let params = Group::new(Delimiter::Parenthesis, tenant);
        let comma = TokenTree::from(Punct::new(',', Spacing::Alone));
        arguments.extend([comma, Ident::new("params", Span::call_site()).into(), params.into()]);
    }
    arguments.into_iter().collect()
}

/// `#[cfg_attr(test, ::utoipa::path(arguments))]`
fn described_in_tests(arguments: TokenStream) -> TokenStream {
    let mut attribute: TokenStream = "test, ::utoipa::path".parse().expect("a path");
    attribute.extend([TokenTree::from(Group::new(Delimiter::Parenthesis, arguments))]);
    let attribute = [
        TokenTree::from(Ident::new("cfg_attr", Span::call_site())),
        Group::new(Delimiter::Parenthesis, attribute).into(),
    ];
    let attribute = Group::new(Delimiter::Bracket, attribute.into_iter().collect());
    [TokenTree::from(Punct::new('#', Spacing::Alone)), attribute.into()].into_iter().collect()
}

fn route(arguments: &TokenStream, handler: &TokenStream) -> Result<TokenStream, &'static str> {
    let name = name_after_fn(handler).ok_or("an attribute for functions")?;
    let method = match arguments.clone().into_iter().next() {
        Some(TokenTree::Ident(method)) => method.to_string().to_uppercase(),
        Some(_) | None => return Err("the method comes first"),
    };
    let path = literal_of("path", arguments).ok_or("`path = \"/…\"` is missing")?;
    let route = format!(
        "pub(super) mod {name} {{
            pub(in super::super) const METHOD: &str = {method:?};
            pub(in super::super) const PATH: &str = {path};
        }}"
    );
    route.parse().map_err(|_| "the method or the path cannot be read")
}

fn name_after_fn(item: &TokenStream) -> Option<Ident> {
    let mut tokens = item.clone().into_iter();
    tokens.find(|token| matches!(token, TokenTree::Ident(word) if word.to_string() == "fn"))?;
    match tokens.next()? {
        TokenTree::Ident(name) => Some(name),
        TokenTree::Group(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => None,
    }
}

/// The value of `name = "…"`.
fn literal_of(name: &str, arguments: &TokenStream) -> Option<Literal> {
    let mut tokens = arguments.clone().into_iter();
    tokens.find(|token| matches!(token, TokenTree::Ident(word) if word.to_string() == name))?;
    match tokens.nth(1)? {
        TokenTree::Literal(text) => Some(text),
        TokenTree::Group(_) | TokenTree::Ident(_) | TokenTree::Punct(_) => None,
    }
}
