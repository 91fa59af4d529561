//! What a handler declares. Its attribute says the method, the path and the tag; its signature says what it takes and what
//! it answers. The signature is read as tokens, by the names of its types.

use proc_macro::{TokenStream, TokenTree};

use crate::tokens::{is_punct, is_word, parsed, separated, text, texts};

type Result<T> = std::result::Result<T, &'static str>;

/// Extractors that describe the parameters which they take, in `http/src/openapi/parameters.rs`.
const TAKE_PARAMETERS: [&str; 4] = ["InPath", "Query", "Idempotency", "IdempotencyNeeded"];
const TAKES_BODY: &str = "Json";
const ANSWERS: [&str; 2] = ["Answer", "Reply"];

pub(crate) struct Handler {
    attribute: Attribute,
    signature: Signature,
}

impl Handler {
    pub(crate) fn read(attribute: TokenStream, handler: TokenStream) -> Result<Handler> {
        Ok(Handler { attribute: Attribute::read(attribute)?, signature: Signature::read(handler)? })
    }

    /// The attribute that describes the handler in unit tests.
    pub(crate) fn description(&self) -> Result<String> {
        let Attribute { method, path, statuses, parameters, others } = &self.attribute;
        let (body, parameters) = (self.body(), [self.signature.parameters(), parameters.clone()].concat().join(", "));
        let responses = if self.says("responses") { String::new() } else { self.responses(statuses)? };
        let others = others.concat();
        Ok(format!(
            "#[cfg_attr(test, ::utoipa::path({method}, path = {path}, params({parameters}), {body} {responses} {others}))]"
        ))
    }

    fn says(&self, word: &str) -> bool {
        self.attribute.others.iter().any(|other| other.starts_with(word))
    }

    fn body(&self) -> String {
        let body = self.signature.inputs.iter().find(|input| input.name == TAKES_BODY);
        let body = body.filter(|_| !self.says("request_body"));
        // A limit of its own may stand behind what is read.
        let of = |body: &Type| text(separated(parsed(&body.argument)).first().map_or(&[], Vec::as_slice));
        body.map(|body| format!("request_body = {},", of(body))).unwrap_or_default()
    }

    fn responses(&self, statuses: &[String]) -> Result<String> {
        let answer = self.signature.output.as_ref().filter(|output| ANSWERS.contains(&output.name.as_str()));
        let answer = answer.ok_or("the handler's type does not say what it answers: say `responses(…)`")?;
        let response = |status: &String| format!("(status = {status}, body = {}),", answer.argument);
        Ok(format!("responses({}),", statuses.iter().map(response).collect::<String>()))
    }

    /// The module from which the router is built.
    pub(crate) fn route(&self) -> String {
        let (name, method, path) = (&self.signature.name, self.attribute.method.to_uppercase(), &self.attribute.path);
        format!(
            "pub(super) mod {name} {{
                pub(in super::super) const METHOD: &str = {method:?};
                pub(in super::super) const PATH: &str = {path};
            }}"
        )
    }
}

/// `get, "/v1/{tenant}/stays", status(200, 201), params(…), other, arguments = of_utoipa`
struct Attribute {
    method: String,
    path: String,
    statuses: Vec<String>,
    /// Beside those of the signature.
    parameters: Vec<String>,
    /// Each with its comma.
    others: Vec<String>,
}

impl Attribute {
    fn read(arguments: TokenStream) -> Result<Attribute> {
        let arguments = separated(arguments);
        let [method, path, said @ ..] = arguments.as_slice() else { return Err("the method and the path come first") };
        let (mut statuses, mut parameters, mut others) = (vec!["200".to_owned()], Vec::new(), Vec::new());
        for argument in said {
            match argument.as_slice() {
                [word, TokenTree::Group(list)] if is_word(word, "status") => statuses = texts(list.stream()),
                [word, TokenTree::Group(list)] if is_word(word, "params") => parameters = texts(list.stream()),
                other => others.push(text(other) + ","),
            }
        }
        Ok(Attribute { method: text(method), path: text(path), statuses, parameters, others })
    }
}

struct Signature {
    name: String,
    inputs: Vec<Type>,
    output: Option<Type>,
}

impl Signature {
    fn read(handler: TokenStream) -> Result<Signature> {
        let tokens: Vec<TokenTree> = handler.into_iter().skip_while(|token| !is_word(token, "fn")).collect();
        let [_, TokenTree::Ident(name), TokenTree::Group(inputs), output @ .., TokenTree::Group(_)] = tokens.as_slice()
        else {
            return Err("an attribute for functions that are not generic");
        };
        let inputs = separated(inputs.stream());
        let inputs = inputs.iter().filter_map(|input| Type::behind(':', input)).collect();
        Ok(Signature { name: name.to_string(), inputs, output: Type::behind('>', output) })
    }

    fn parameters(&self) -> Vec<String> {
        let takers = self.inputs.iter().filter(|input| TAKE_PARAMETERS.contains(&input.name.as_str()));
        takers.map(|taker| taker.text.clone()).collect()
    }
}

/// `InPath<HoldId>` has the name `InPath` and the argument `HoldId`.
struct Type {
    text: String,
    name: String,
    argument: String,
}

impl Type {
    fn behind(mark: char, tokens: &[TokenTree]) -> Option<Type> {
        let mark = tokens.iter().position(|token| is_punct(token, mark))?;
        let text = text(tokens.get(mark + 1..)?);
        let (name, argument) = text.split_once('<').unwrap_or((&text, ""));
        let argument = argument.trim().strip_suffix('>').unwrap_or_default();
        Some(Type { name: name.trim().to_owned(), argument: argument.trim().to_owned(), text })
    }
}
