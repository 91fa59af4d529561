//! A type that travels: what it derives, and that a member which is absent is left out.

use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

use crate::tokens::{is_punct, is_word, parsed, separated};

const LEFT_OUT: &str = "#[serde(skip_serializing_if = \"Option::is_none\")]";

pub(crate) fn wire(derived: &str, item: TokenStream) -> TokenStream {
    let derive = format!(
        "#[derive(Clone, Debug, ::serde::Serialize, ::serde::Deserialize, crate::describe::ToSchema, {derived})]"
    );
    parsed(&derive).into_iter().chain(item.into_iter().map(members_left_out)).collect()
}

/// A part of a list, whose cursor has this type.
pub(crate) fn page(cursor: &str, item: TokenStream) -> TokenStream {
    let next = format!(
        "/// Give it as `after` to get what follows; absent at the end.
        pub next: Option<{cursor}>,"
    );
    wire("", with_member(item, &next))
}

/// The struct with a member behind its own.
pub(crate) fn with_member(item: TokenStream, member: &str) -> TokenStream {
    let extended = |token: TokenTree| match token {
        TokenTree::Group(body) if body.delimiter() == Delimiter::Brace => {
            in_braces(&body, [body.stream(), parsed(member)].into_iter().collect())
        }
        other => other,
    };
    item.into_iter().map(extended).collect()
}

/// A body in braces is that of a struct, an enum, or a variant of one.
fn members_left_out(token: TokenTree) -> TokenTree {
    match token {
        TokenTree::Group(body) if body.delimiter() == Delimiter::Brace => {
            in_braces(&body, separated(body.stream()).into_iter().flat_map(member).collect())
        }
        other => other,
    }
}

fn member(tokens: Vec<TokenTree>) -> impl Iterator<Item = TokenTree> {
    let ty = tokens.iter().skip_while(|token| !is_punct(token, ':')).nth(1);
    let left_out = if ty.is_some_and(|ty| is_word(ty, "Option")) { parsed(LEFT_OUT) } else { TokenStream::new() };
    left_out.into_iter().chain(tokens.into_iter().map(members_left_out)).chain(parsed(","))
}

fn in_braces(body: &Group, content: TokenStream) -> TokenTree {
    let mut group = Group::new(Delimiter::Brace, content);
    group.set_span(body.span());
    group.into()
}
