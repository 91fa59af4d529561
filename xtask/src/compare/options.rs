//! The arguments of `cargo xtask compare`.

use std::fmt;

use anyhow::Result;

use super::{CASES, Case};
use crate::usage::{number, wrong};

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Options {
    pub(super) against: Against,
    pub(super) pairs: u32,
    /// Of each measurement that lasts a time.
    pub(super) seconds: u32,
    /// Empty: all.
    names: Vec<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Against {
    /// What git calls the tree to compare with.
    Revision(String),
    /// This tree as it is released, beside what `--release` builds every day.
    Dist,
}

impl fmt::Display for Against {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Against::Revision(revision) => f.write_str(revision),
            Against::Dist => f.write_str("its own `dist`"),
        }
    }
}

impl Options {
    pub(super) fn parse(arguments: &[String]) -> Result<Options> {
        let (mut pairs, mut seconds, mut names, mut against) = (9, 3, Vec::new(), None);
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--pairs" => pairs = number(word, words.next())?,
                "--seconds" => seconds = number(word, words.next())?,
                "--case" => names.push(case(words.next())?),
                "--everyday" if against.is_none() => against = Some(Against::Dist),
                _ if word.starts_with('-') || against.is_some() => {
                    return Err(wrong(format!(
                        "compare takes one revision or --everyday, --pairs N, --seconds N and --case NAME, not {word}"
                    )));
                }
                revision => against = Some(Against::Revision(revision.to_owned())),
            }
        }
        let Some(against) = against else {
            return Err(wrong("compare needs the revision to compare with, such as HEAD~1, or --everyday"));
        };
        if pairs == 0 || seconds == 0 {
            return Err(wrong("--pairs and --seconds need at least 1"));
        }
        Ok(Options { against, pairs, seconds, names })
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
                (read.against.to_string(), read.pairs, read.seconds, cases)
            });
            let expected = expected.map(|(against, pairs, seconds, cases)| (against.to_owned(), pairs, seconds, cases));
            assert_eq!(read, expected, "{typed}");
        };
        check("HEAD~1", Some(("HEAD~1", 9, 3, CASES.len())));
        check("--pairs 3 v1 --seconds 2", Some(("v1", 3, 2, CASES.len())));
        check("v1 --case http-64 --case sqlite-drain", Some(("v1", 9, 3, 2)));
        check("--everyday --pairs 3", Some(("its own `dist`", 3, 3, CASES.len())));
        check("--everyday v1", None);
        check("v1 --everyday", None);
        check("", None);
        check("v1 v2", None);
        check("v1 --pairs", None);
        check("v1 --pairs 0", None);
        check("v1 --case everything", None);
        check("v1 --fast", None);
    }
}
