//! A request to the API, whoever carries it.

use std::fmt::Write;

use axum::http::Method;
use serde_json::Value;

#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    /// Path and query, encoded.
    pub(crate) target: String,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Option<Value>,
    /// Whose data it is about, for hints.
    pub(crate) tenant: Option<String>,
    /// The flag that makes a repeat safe, for hints.
    pub(crate) repeat_with: Option<String>,
}

impl Request {
    fn new(method: Method, segments: &[&str]) -> Request {
        let mut target = String::new();
        for segment in segments {
            target.push('/');
            encode(&mut target, segment);
        }
        let tenant = (segments.first() == Some(&"v1")).then(|| segments.get(1)).flatten();
        let tenant = tenant.map(|&tenant| tenant.to_owned());
        Request { method, target, headers: Vec::new(), body: None, tenant, repeat_with: None }
    }

    pub(crate) fn get(segments: &[&str]) -> Request {
        Request::new(Method::GET, segments)
    }

    pub(crate) fn post(segments: &[&str]) -> Request {
        Request::new(Method::POST, segments)
    }

    pub(crate) fn put(segments: &[&str]) -> Request {
        Request::new(Method::PUT, segments)
    }

    pub(crate) fn delete(segments: &[&str]) -> Request {
        Request::new(Method::DELETE, segments)
    }

    pub(crate) fn query(mut self, name: &str, value: &str) -> Request {
        self.target.push(if self.target.contains('?') { '&' } else { '?' });
        self.target.push_str(name);
        self.target.push('=');
        encode(&mut self.target, value);
        self
    }

    /// A parameter that may be left out.
    pub(crate) fn query_if(self, name: &str, value: Option<&str>) -> Request {
        match value {
            Some(value) => self.query(name, value),
            None => self,
        }
    }

    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Request {
        self.headers.push((name, value.into()));
        self
    }

    /// Works on the data of the test twin.
    pub(crate) fn test(self, test: bool) -> Request {
        if test { self.header("surehold-mode", "test") } else { self }
    }

    pub(crate) fn json(mut self, body: Value) -> Request {
        self.body = Some(body);
        self
    }

    /// `flag` is what the user adds to send this very request again.
    pub(crate) fn repeat_with(mut self, flag: String) -> Request {
        self.repeat_with = Some(flag);
        self
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets() {
        let check = |request: Request, expected: &str| assert_eq!(request.target, expected);
        check(Request::get(&["v1", "casa", "pools", "a b/ü"]), "/v1/casa/pools/a%20b%2F%C3%BC");
        check(Request::get(&["p"]).query("after", "@a&b=c").query_if("x", None), "/p?after=%40a%26b%3Dc");
        check(Request::get(&["p"]).query("a", "1").query_if("b", Some("2")), "/p?a=1&b=2");
        assert_eq!(Request::get(&["v1", "casa", "pools"]).tenant.as_deref(), Some("casa"));
        assert_eq!(Request::get(&["admin", "tenants"]).tenant, None);
    }
}
