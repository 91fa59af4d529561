//! The arguments of `cargo xtask prove planted`.

use anyhow::{Context, Result, bail, ensure};

use super::catalogue::Catalogue;
use super::{CONTROL, IN_PROCESS};

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Options {
    /// Empty: all.
    names: Vec<String>,
    /// The first one.
    pub(super) seed: u64,
    /// So many runs of each trial, to see how long they take; otherwise a trial ends with the first run that finds the bug.
    pub(super) seeds: Option<u64>,
}

impl Options {
    pub(super) fn parse(arguments: &[String], catalogue: &Catalogue) -> Result<Options> {
        let mut options = Options { names: Vec::new(), seed: 1, seeds: None };
        let mut words = arguments.iter().map(String::as_str);
        while let Some(word) = words.next() {
            match word {
                "--seed" => options.seed = number(word, words.next())?,
                "--seeds" => {
                    let seeds = number(word, words.next())?;
                    ensure!(seeds > 0, "--seeds needs at least one");
                    options.seeds = Some(seeds);
                }
                _ if word.starts_with('-') => bail!("`{word}` is no option; there are --seed N and --seeds N"),
                name => {
                    let is_known = [CONTROL, IN_PROCESS].contains(&name) || catalogue.has(name);
                    ensure!(
                        is_known,
                        "there is no planted bug `{name}`; also `{CONTROL}` and `{IN_PROCESS}` can be named"
                    );
                    options.names.push(name.to_owned());
                }
            }
        }
        Ok(options)
    }

    pub(super) fn wants(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|wanted| wanted == name)
    }
}

fn number(option: &str, word: Option<&str>) -> Result<u64> {
    let word = word.with_context(|| format!("{option} needs a number"))?;
    word.parse().with_context(|| format!("{option} needs a number, not `{word}`"))
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
            let expected = expected.map(|(names, seed, seeds)| Options {
                names: names.iter().map(|name| (*name).to_owned()).collect(),
                seed,
                seeds,
            });
            assert_eq!(read, expected, "{typed}");
        };
        check("", Some((&[], 1, None)));
        check("a-bug control --seed 7", Some((&["a-bug", "control"], 7, None)));
        check("--seeds 20 in-process", Some((&["in-process"], 1, Some(20))));
        check("another-bug", None);
        check("--seeds 0", None);
        check("--seed", None);
        check("--sed 1", None);
    }
}
