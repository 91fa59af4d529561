//! Wrong arguments: the caller gets a message that says what is possible, and exit code 2.

use std::fmt;

pub(crate) const EXIT_CODE: u8 = 2;

#[derive(Debug)]
pub(crate) struct Usage(String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

pub(crate) fn wrong(message: impl Into<String>) -> anyhow::Error {
    anyhow::Error::new(Usage(message.into()))
}

/// The number behind a flag.
pub(crate) fn number<T: std::str::FromStr>(flag: &str, text: Option<&String>) -> anyhow::Result<T> {
    let parsed = text.and_then(|text| text.parse().ok());
    parsed.ok_or_else(|| wrong(format!("{flag} needs a number")))
}
