//! Calls: a request and the type of its answer, whoever carries it. No I/O. Each module declares its own with `calls!`.

use std::fmt::{Debug, Display, Write};
use std::marker::PhantomData;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::PAGE_ITEMS_MAX;

/// What is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    pub method: &'static str,
    /// Path and query, encoded.
    pub target: String,
    /// JSON.
    pub body: Option<String>,
    /// Whose data it is about.
    pub tenant: Option<String>,
    /// It works on the data of the tenant's test twin.
    pub test: bool,
    pub idempotency_key: Option<String>,
}

impl Request {
    /// The headers that it needs, apart from those of whoever carries it.
    pub fn headers(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let test = self.test.then_some(("surehold-mode", "test"));
        let key = self.idempotency_key.as_deref().map(|key| ("idempotency-key", key));
        [("content-type", "application/json")].into_iter().chain(test).chain(key)
    }
}

/// A request whose answer is a `T`.
pub struct Call<T> {
    request: Request,
    answer: PhantomData<fn() -> T>,
}

impl<T> Call<T> {
    /// The names between braces in the path stand for the `parts`.
    pub(crate) fn new(method: &'static str, path: &str, parts: &[(&str, &dyn Display)]) -> Call<T> {
        let (mut target, mut tenant) = (String::new(), None);
        for segment in path.split('/').skip(1) {
            target.push('/');
            match segment.strip_prefix('{').and_then(|name| name.strip_suffix('}')) {
                None => target.push_str(segment),
                Some(name) => {
                    let part = parts.iter().find(|(part, _)| part.trim_start_matches("r#") == name);
                    let text = part.expect("a test looks at every path").1.to_string();
                    encode(&mut target, &text);
                    if name == "tenant" {
                        tenant = Some(text);
                    }
                }
            }
        }
        let request = Request { method, target, body: None, tenant, test: false, idempotency_key: None };
        Call { request, answer: PhantomData }
    }

    pub(crate) fn body<B: Serialize>(mut self, body: &B) -> Call<T> {
        self.request.body = Some(serde_json::to_string(body).expect("requests are plain data"));
        self
    }

    /// Adds a member that the type leaves out of its own JSON, because that is also the canonical form, which is kept.
    pub(crate) fn with<M: Serialize>(mut self, name: &str, member: &M) -> Call<T> {
        let body = self.request.body.take().unwrap_or_default();
        let mut body: Map<String, Value> = serde_json::from_str(&body).expect("requests are objects");
        body.insert(name.to_owned(), serde_json::to_value(member).expect("requests are plain data"));
        self.body(&body)
    }

    #[must_use]
    pub fn query(mut self, name: &str, value: impl Display) -> Call<T> {
        let target = &mut self.request.target;
        target.push(if target.contains('?') { '&' } else { '?' });
        target.push_str(name);
        target.push('=');
        encode(target, &value.to_string());
        self
    }

    /// A parameter that may be left out.
    #[must_use]
    pub fn query_if(self, name: &str, value: Option<impl Display>) -> Call<T> {
        match value {
            Some(value) => self.query(name, value),
            None => self,
        }
    }

    /// Works on the data of the tenant's test twin.
    #[must_use]
    pub fn test(mut self, test: bool) -> Call<T> {
        self.request.test |= test;
        self
    }

    /// Under which it is carried out once, however often it is sent.
    #[must_use]
    pub fn idempotency_key(mut self, key: &str) -> Call<T> {
        self.request.idempotency_key = Some(key.to_owned());
        self
    }

    pub fn request(&self) -> &Request {
        &self.request
    }
}

impl<P: Page> Call<P> {
    /// What follows after this place, as much as one page may have.
    #[must_use]
    pub fn page(&self, after: Option<&str>) -> Call<P> {
        let call = self.clone();
        if P::IS_WHOLE { call } else { call.query("limit", PAGE_ITEMS_MAX).query_if("after", after) }
    }
}

// A derive would ask the same of the answer.
impl<T> Clone for Call<T> {
    fn clone(&self) -> Call<T> {
        Call { request: self.request.clone(), answer: PhantomData }
    }
}

impl<T> Debug for Call<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.request.fmt(f)
    }
}

/// A part of a list, or all of one.
pub trait Page: DeserializeOwned {
    type Item;
    /// It has everything that there is, and takes no `limit`.
    const IS_WHOLE: bool = false;

    /// The items, and the place to go on after.
    fn into_parts(self) -> (Vec<Self::Item>, Option<String>);
}

/// Which field of a page has the items, and what they are.
macro_rules! pages {
    ($($page:ident { $items:ident: $item:ty })*) => {
        $(impl $crate::Page for $page {
            type Item = $item;

            fn into_parts(self) -> (Vec<$item>, Option<String>) {
                (self.$items, self.next.map(|next| next.to_string()))
            }
        })*
    };
}

/// The same for lists that come whole.
macro_rules! lists {
    ($($list:ident { $items:ident: $item:ty })*) => {
        $(impl $crate::Page for $list {
            type Item = $item;
            const IS_WHOLE: bool = true;

            fn into_parts(self) -> (Vec<$item>, Option<String>) {
                (self.$items, None)
            }
        })*
    };
}

/// The calls of a module: method, path, function, what stands in the path, the body behind a semicolon, with what its type
/// leaves out, and the answer.
macro_rules! calls {
    ($($method:ident $path:literal $name:ident($($part:ident: $type:ty),* $(; $body:ty $(, with $left_out:ident)?)?) -> $answer:ty;)*) => {
        $(
            #[doc = concat!("`", stringify!($method), " ", $path, "`")]
            pub fn $name($($part: $type,)* $(body: &$body)?) -> $crate::Call<$answer> {
                $crate::Call::new(stringify!($method), $path, &[$((stringify!($part), &$part)),*])
                    $(.body::<$body>(body)$(.with(stringify!($left_out), &body.$left_out))?)?
            }
        )*

        #[cfg(test)]
        pub(crate) const DECLARED: &[$crate::call::Declared] = &[$($crate::call::Declared {
            method: stringify!($method),
            path: $path,
            parts: &[$(stringify!($part)),*],
            body: &[$(stringify!($body))?],
            answer: stringify!($answer),
        }),*];
    };
}

pub(crate) use {calls, lists, pages};

/// Everything but what never means anything else.
fn encode(into: &mut String, text: &str) {
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => into.push(char::from(byte)),
            _ => {
                let _ = write!(into, "%{byte:02X}");
            }
        }
    }
}

/// A call, for tests.
#[cfg(test)]
pub(crate) struct Declared {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) parts: &'static [&'static str],
    /// One or none.
    pub(crate) body: &'static [&'static str],
    pub(crate) answer: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets() {
        let check = |call: Call<()>, expected: &str| assert_eq!(call.request().target, expected);
        let pools = || Call::new("GET", "/v1/{tenant}/pools/{pool}", &[("tenant", &"casa"), ("pool", &"a b/ü")]);
        check(pools(), "/v1/casa/pools/a%20b%2F%C3%BC");
        check(
            pools().query("after", "@a&b=c").query_if("x", None::<u8>),
            "/v1/casa/pools/a%20b%2F%C3%BC?after=%40a%26b%3Dc",
        );
        let plain = || Call::new("GET", "/p", &[]);
        check(plain().query("a", 1).query_if("b", Some("2")), "/p?a=1&b=2");
        assert_eq!((pools().request().tenant.as_deref(), plain().request().tenant.as_deref()), (Some("casa"), None));
    }

    /// The description has the routes of the server and their types; other tests see to that.
    #[test]
    fn calls_are_those_of_the_description() {
        let description: Value = serde_json::from_str(include_str!("../../../docs/reference/openapi.json")).unwrap();
        let modules =
            [crate::kernel::DECLARED, crate::operations::DECLARED, crate::stays::DECLARED, crate::stock::DECLARED];
        for Declared { method, path, parts, body, answer } in modules.into_iter().flatten() {
            let route = &description["paths"][path][method.to_lowercase()];
            assert!(route.is_object(), "{method} {path} is no route");
            let named: Vec<&str> = path.split(['{', '}']).skip(1).step_by(2).collect();
            let given: Vec<&str> = parts.iter().map(|part| part.trim_start_matches("r#")).collect();
            assert_eq!(given, named, "{method} {path}");
            assert_eq!(type_of(&route["requestBody"]).as_slice(), *body, "{method} {path}");
            let answers = route["responses"].as_object().unwrap().iter().filter(|(status, _)| status.starts_with('2'));
            for (status, described) in answers {
                assert_eq!(type_of(described).unwrap_or("()"), *answer, "{method} {path} {status}");
            }
        }
    }

    fn type_of(described: &Value) -> Option<&str> {
        described["content"]["application/json"]["schema"]["$ref"].as_str()?.rsplit('/').next()
    }
}
