//! Parameters in Stripe's bracket style, from a body or a query: `metadata[operation]=x&types[]=a&types[]=b`.

use std::collections::{BTreeMap, BTreeSet};

use super::answer::ApiError;

const METADATA_KEYS_MAX: usize = 50;
const METADATA_KEY_CHARS_MAX: usize = 40;
const METADATA_VALUE_CHARS_MAX: usize = 500;

/// Compared as a whole: the order in which they were written does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Params(BTreeMap<String, String>);

impl Params {
    pub(super) fn parse(text: &str) -> Params {
        let mut params = Params::default();
        for pair in text.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (name, value) = (decode(name), decode(value));
            let name = match name.strip_suffix("[]") {
                Some(list) => params.next_of(list),
                None => name,
            };
            params.0.insert(name, value);
        }
        params
    }

    fn next_of(&self, list: &str) -> String {
        let mut names = (0..).map(|index: usize| format!("{list}[{index}]"));
        names.find(|name| !self.0.contains_key(name)).expect("there is always a next number")
    }

    /// Refuses parameters whose first word is none of these.
    pub(super) fn only(&self, known: &[&str]) -> Result<(), ApiError> {
        let unknown = self.0.keys().find(|name| !known.contains(&first_word(name)));
        unknown.map_or(Ok(()), |name| {
            let message = format!("Received unknown parameter: {name}");
            Err(ApiError::invalid(Some("parameter_unknown"), name, message))
        })
    }

    /// An empty text is refused, as a text that nobody meant.
    pub(super) fn text(&self, name: &str) -> Result<Option<&str>, ApiError> {
        match self.0.get(name).map(String::as_str) {
            Some("") => {
                let message = format!("You passed an empty string for '{name}'.");
                Err(ApiError::invalid(Some("parameter_invalid_empty"), name, message))
            }
            found => Ok(found),
        }
    }

    pub(super) fn required(&self, name: &str) -> Result<&str, ApiError> {
        self.text(name)?.ok_or_else(|| ApiError::missing_param(name))
    }

    pub(super) fn integer(&self, name: &str) -> Result<Option<i64>, ApiError> {
        let read = |text: &str| text.parse().map_err(|_| not_an_integer(name, text));
        self.text(name)?.map(read).transpose()
    }

    pub(super) fn list(&self, name: &str) -> Vec<String> {
        let numbered = (0..).map_while(|index: usize| self.0.get(&format!("{name}[{index}]")));
        numbered.cloned().collect()
    }

    /// The numbers `n` for which there is `name[n]…`, in their order.
    pub(super) fn indexes(&self, name: &str) -> BTreeSet<usize> {
        let prefix = format!("{name}[");
        let indexes = self.0.keys().filter_map(|key| key.strip_prefix(&prefix)?.split(']').next()?.parse().ok());
        indexes.collect()
    }

    pub(super) fn metadata(&self, name: &str) -> Result<BTreeMap<String, String>, ApiError> {
        let prefix = format!("{name}[");
        let mut found = BTreeMap::new();
        for (key, value) in &self.0 {
            let Some(word) = key.strip_prefix(&prefix).and_then(|rest| rest.strip_suffix(']')) else { continue };
            if word.chars().count() > METADATA_KEY_CHARS_MAX || value.chars().count() > METADATA_VALUE_CHARS_MAX {
                let message = "Metadata keys have up to 40 characters, values up to 500.";
                return Err(ApiError::invalid(None, key, message));
            }
            found.insert(word.to_owned(), value.clone());
        }
        if found.len() > METADATA_KEYS_MAX {
            return Err(ApiError::invalid(None, name, "Metadata has up to 50 keys."));
        }
        Ok(found)
    }
}

pub(super) fn not_an_integer(name: &str, text: &str) -> ApiError {
    ApiError::invalid(Some("parameter_invalid_integer"), name, format!("Invalid integer: {text}"))
}

fn first_word(name: &str) -> &str {
    name.split('[').next().unwrap_or(name)
}

/// As forms are encoded: a plus is a blank. What is not an escape stands for itself.
fn decode(text: &str) -> String {
    let mut rest = text.as_bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let [first, behind @ ..] = rest {
        rest = behind;
        match (first, behind) {
            (b'+', _) => decoded.push(b' '),
            (b'%', [high, low, after @ ..]) => match escaped(*high, *low) {
                Some(byte) => {
                    decoded.push(byte);
                    rest = after;
                }
                None => decoded.push(b'%'),
            },
            _ => decoded.push(*first),
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

fn escaped(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoding() {
        let check = |text: &str, expected: &str| assert_eq!(decode(text), expected, "{text}");
        check("", "");
        check("a+b", "a b");
        check("a%2Bb%5b0%5D", "a+b[0]");
        check("S%C3%A3o", "São");
        check("50%", "50%");
        check("%zz%4", "%zz%4");
        check("%ff", "\u{fffd}");
    }

    #[test]
    fn brackets() {
        let params = Params::parse("types[]=a&types%5B%5D=b&types[2]=c&metadata[k]=v+w&metadata[e]=&n=7&x");
        assert_eq!(params.list("types"), ["a", "b", "c"]);
        assert_eq!(params.integer("n").unwrap(), Some(7));
        assert_eq!(params.integer("m").unwrap(), None);
        assert!(params.text("x").is_err());
        let metadata = params.metadata("metadata").unwrap();
        assert_eq!(metadata, BTreeMap::from([("k".to_owned(), "v w".to_owned()), ("e".to_owned(), String::new())]));
        assert!(params.only(&["types", "metadata", "n", "x"]).is_ok());
        assert!(params.only(&["types", "metadata", "n"]).is_err());
        assert_eq!(Params::parse("a=1&b=2"), Params::parse("b=2&a=1"));
        assert_eq!(Params::parse("i[3][q]=1&i[0][q]=1&i[0][r]=1&i[x]=1").indexes("i"), BTreeSet::from([0, 3]));
    }
}
