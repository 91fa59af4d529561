//! The arguments of `cargo xtask prove planted`.

use anyhow::Result;

use super::catalogue::Catalogue;
use super::{CONTROL, IN_PROCESS};
use crate::usage::{number, wrong};

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Options {
    /// Empty: all.
    names: Vec<String>,
    /// The first one.
    pub(super) seed: u64,
    /// So many searches for each bug, to see how long they take; otherwise one.
    pub(super) searches: Option<u64>,
}

impl Options {
    pub(super) fn parse(arguments: &[String], catalogue: &Catalogue) -> Result<Options> {
        let mut options = Options { names: Vec::new(), seed: 1, searches: None };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--seed" => options.seed = number(word, words.next())?,
                "--searches" => match number(word, words.next())? {
                    0 => return Err(wrong("--searches needs at least one")),
                    searches => options.searches = Some(searches),
                },
                _ if word.starts_with('-') => {
                    return Err(wrong(format!("planted has no flag {word}; it has --seed N and --searches N")));
                }
                name if [CONTROL, IN_PROCESS].contains(&name) || catalogue.has(name) => {
                    options.names.push(name.to_owned());
                }
                name => {
                    let others = format!("also `{CONTROL}` and `{IN_PROCESS}` can be named");
                    return Err(wrong(format!("there is no planted bug `{name}`; {others}")));
                }
            }
        }
        Ok(options)
    }

    pub(super) fn wants(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|wanted| wanted == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read() {
        let toml = "[[bug]]\nname = 'a-bug'\nwhat = 'It is one.'\nelsewhere = 'there'\nedit = []";
        let catalogue: Catalogue = toml::from_str(toml).unwrap();
        let check = |typed: &str, expected: Option<(&[&str], u64, Option<u64>)>| {
            let words: Vec<String> = typed.split_whitespace().map(str::to_owned).collect();
            let read = Options::parse(&words, &catalogue).ok();
            let expected = expected.map(|(names, seed, searches)| Options {
                names: names.iter().map(|name| (*name).to_owned()).collect(),
                seed,
                searches,
            });
            assert_eq!(read, expected, "{typed}");
        };
        check("", Some((&[], 1, None)));
        check("a-bug control --seed 7", Some((&["a-bug", "control"], 7, None)));
        check("--searches 20 in-process", Some((&["in-process"], 1, Some(20))));
        check("another-bug", None);
        check("--searches 0", None);
        check("--seed", None);
        check("--sed 1", None);
    }
}
