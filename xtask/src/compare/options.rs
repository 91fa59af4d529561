//! The arguments of `cargo xtask compare`.

use anyhow::Result;

use super::{CASES, Case};
use crate::usage::{number, wrong};

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Options {
    /// What git calls the tree to compare with.
    pub(super) revision: String,
    pub(super) pairs: u32,
    /// Of each measurement that lasts a time.
    pub(super) seconds: u32,
    /// Empty: all.
    names: Vec<String>,
}

impl Options {
    pub(super) fn parse(arguments: &[String]) -> Result<Options> {
        let mut options = Options { revision: String::new(), pairs: 9, seconds: 3, names: Vec::new() };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--pairs" => options.pairs = number(word, words.next())?,
                "--seconds" => options.seconds = number(word, words.next())?,
                "--case" => options.names.push(case(words.next())?),
                _ if word.starts_with('-') || !options.revision.is_empty() => {
                    return Err(wrong(format!(
                        "compare takes one revision, --pairs N, --seconds N and --case NAME, not {word}"
                    )));
                }
                revision => revision.clone_into(&mut options.revision),
            }
        }
        if options.revision.is_empty() {
            return Err(wrong("compare needs the revision to compare with, such as HEAD~1"));
        }
        if options.pairs == 0 || options.seconds == 0 {
            return Err(wrong("--pairs and --seconds need at least 1"));
        }
        Ok(options)
    }

    pub(super) fn cases(&self) -> impl Iterator<Item = &'static Case> {
        CASES.iter().filter(|case| self.names.is_empty() || self.names.iter().any(|name| name == case.name))
    }
}

fn case(name: Option<&String>) -> Result<String> {
    let known = CASES.map(|case| case.name);
    match name {
        Some(name) if known.contains(&name.as_str()) => Ok(name.clone()),
        _ => Err(wrong(format!("--case needs one of {}", known.join(", ")))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read() {
        let check = |typed: &str, expected: Option<(&str, u32, u32, usize)>| {
            let words: Vec<String> = typed.split_whitespace().map(str::to_owned).collect();
            let read = Options::parse(&words);
            let read = read.as_ref().ok().map(|read| {
                let cases = read.cases().count();
                (read.revision.as_str(), read.pairs, read.seconds, cases)
            });
            assert_eq!(read, expected, "{typed}");
        };
        check("HEAD~1", Some(("HEAD~1", 9, 3, CASES.len())));
        check("--pairs 3 v1 --seconds 2", Some(("v1", 3, 2, CASES.len())));
        check("v1 --case http-64 --case sqlite-drain", Some(("v1", 9, 3, 2)));
        check("", None);
        check("v1 v2", None);
        check("v1 --pairs", None);
        check("v1 --pairs 0", None);
        check("v1 --case everything", None);
        check("v1 --fast", None);
    }
}
