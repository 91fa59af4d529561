//! One statement, taken apart: `verb object flag option:value pool=units`, after the verb in any order.

use std::fmt::Display;
use std::str::FromStr;

use surehold_core::kernel::{HoldPolicy, Invalid, Line, Lines, PoolKey, ResourceName, Slot};

#[derive(Debug)]
pub(crate) struct Statement<'a> {
    pub(crate) text: &'a str,
    pub(crate) verb: &'a str,
    pub(crate) words: Vec<&'a str>,
}

impl<'a> Statement<'a> {
    pub(crate) fn parse(text: &'a str) -> Statement<'a> {
        let mut words = text.split(' ');
        Statement { text, verb: words.next().unwrap_or_default(), words: words.collect() }
    }

    pub(crate) fn object(&self) -> &'a str {
        self.words.first().unwrap_or_else(|| panic!("{} has no object", self.verb))
    }

    pub(crate) fn flag(&self, name: &str) -> bool {
        self.words.contains(&name)
    }

    pub(crate) fn option(&self, name: &str) -> Option<&'a str> {
        self.words.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix(':'))
    }

    pub(crate) fn parsed<T: FromStr<Err: Display>>(&self, name: &str) -> Option<T> {
        self.option(name).map(|text| text.parse().unwrap_or_else(|error| panic!("{name}:{text}: {error}")))
    }

    pub(crate) fn required<T: FromStr<Err: Display>>(&self, name: &str) -> T {
        self.parsed(name).unwrap_or_else(|| panic!("{:?} lacks {name}", self.text))
    }

    pub(crate) fn parsed_object<T: FromStr<Err: Display>>(&self) -> T {
        self.object().parse().unwrap_or_else(|error| panic!("{:?}: {error}", self.text))
    }

    pub(crate) fn policy(&self) -> HoldPolicy {
        let default = HoldPolicy::default();
        let or = |name: &str, default: i64| self.parsed(name).unwrap_or(default);
        HoldPolicy {
            lifetime_secs_default: or("default", default.lifetime_secs_default),
            lifetime_secs_max: or("max", default.lifetime_secs_max),
            owner_holds_max: or("holds", default.owner_holds_max),
            owner_lifetime_secs_max: or("owner_secs", default.owner_lifetime_secs_max),
        }
    }

    pub(crate) fn lines(&self) -> Result<Lines, Invalid> {
        lines(&self.words)
    }

    /// A statement without lines means all of them.
    pub(crate) fn part(&self) -> Result<Option<Lines>, Invalid> {
        if self.words.iter().any(|word| is_line(word)) { self.lines().map(Some) } else { Ok(None) }
    }

    /// The lines before and after the word `to`.
    pub(crate) fn lines_moved(&self) -> Result<(Lines, Lines), Invalid> {
        let to = self.words.iter().position(|word| *word == "to");
        let (from, to) = self.words.split_at(to.unwrap_or_else(|| panic!("{:?} lacks `to`", self.text)));
        Ok((lines(from)?, lines(to)?))
    }
}

pub(crate) fn is_line(word: &str) -> bool {
    word.contains('=') && !word.contains(':')
}

fn lines(words: &[&str]) -> Result<Lines, Invalid> {
    Lines::new(words.iter().filter(|word| is_line(word)).map(|word| line(word)).collect::<Result<_, _>>()?)
}

pub(crate) fn line(word: &str) -> Result<Line, Invalid> {
    let (name, units) = word.split_once('=').unwrap_or_else(|| panic!("{word:?} is not pool=units"));
    Ok(Line { pool: pool(name)?, quantity: units.parse().unwrap_or_else(|error| panic!("{word}: {error}")) })
}

/// `resource` or `resource@date`.
pub fn pool(name: &str) -> Result<PoolKey, Invalid> {
    let (resource, slot) = name.split_once('@').unwrap_or((name, ""));
    Ok(PoolKey { resource: ResourceName::new(resource)?, slot: Slot::parse(slot)? })
}

/// `room=1 bar=2`.
pub fn parse_lines(text: &str) -> Result<Lines, Invalid> {
    lines(&text.split(' ').collect::<Vec<_>>())
}
