//! Reading of tokens, as far as attributes, signatures and bodies of types need it.

use proc_macro::{TokenStream, TokenTree};

pub(crate) fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident.to_string() == word)
}

pub(crate) fn is_punct(token: &TokenTree, mark: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == mark)
}

/// The parts between commas that are in no brackets.
pub(crate) fn separated(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let (mut parts, mut depth) = (vec![Vec::new()], 0_usize);
    for token in tokens {
        if is_punct(&token, '<') {
            depth += 1;
        } else if is_punct(&token, '>') {
            depth = depth.saturating_sub(1);
        }
        if is_punct(&token, ',') && depth == 0 {
            parts.push(Vec::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(token);
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

pub(crate) fn texts(list: TokenStream) -> Vec<String> {
    separated(list).iter().map(|part| text(part)).collect()
}

pub(crate) fn text(tokens: &[TokenTree]) -> String {
    tokens.iter().cloned().collect::<TokenStream>().to_string()
}

pub(crate) fn parsed(code: &str) -> TokenStream {
    code.parse().expect("what is generated is made of tokens")
}
