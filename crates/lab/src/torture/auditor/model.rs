//! The auditor's own idea of pools and holds, from the documents. No I/O, no rules about requests.

use std::collections::BTreeMap;

use super::super::history::Units;

/// A pool's counters. `version` is what the events said, not what they should have said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pool {
    pub(crate) total: i64,
    pub(crate) overbook: i64,
    pub(crate) held: i64,
    pub(crate) booked: i64,
    pub(crate) granted: i64,
    pub(crate) closed: bool,
    pub(crate) version: i64,
}

impl Pool {
    pub(crate) fn promised(&self) -> i64 {
        self.held + self.booked + self.granted
    }

    pub(crate) fn capacity(&self) -> i64 {
        self.total + self.overbook
    }

    /// Below zero when something was taken away that had been promised.
    pub(crate) fn left(&self) -> i64 {
        self.capacity() - self.promised()
    }

    pub(crate) fn oversold(&self) -> i64 {
        (-self.left()).max(0)
    }

    pub(crate) fn is_sane(&self) -> bool {
        [self.total, self.overbook, self.held, self.booked, self.granted].iter().all(|units| *units >= 0)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HoldState {
    Active,
    Converted,
    Cancelled,
    Expired,
}

impl HoldState {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            HoldState::Active => "active",
            HoldState::Converted => "converted",
            HoldState::Cancelled => "cancelled",
            HoldState::Expired => "expired",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) consume: bool,
    pub(crate) units: Units,
}

impl Kept {
    pub(crate) fn mode(&self) -> &'static str {
        if self.consume { "consume" } else { "book" }
    }
}

/// In the order in which events give versions: by resource, then by slot.
pub(crate) fn in_order<'a>(names: impl Iterator<Item = &'a String>) -> Vec<&'a str> {
    let mut names: Vec<&str> = names.map(String::as_str).collect();
    names.sort_by_key(|name| name.rsplit_once('@').unwrap_or((name, "")));
    names
}

/// `units − minus + plus`, without what comes to nothing. `None` if something would be below zero.
pub(crate) fn exchanged(units: &Units, minus: &Units, plus: &Units) -> Option<Units> {
    let mut result: Units = units.clone();
    for (pool, change) in differences(minus, plus) {
        let left = result.entry(pool.to_owned()).or_default();
        *left += change;
    }
    // What is taken must have been there, also where as much comes back.
    let was_there = minus.iter().all(|(pool, taken)| units.get(pool).is_some_and(|had| had >= taken));
    result.retain(|_, left| *left != 0);
    was_there.then_some(result)
}

/// Per pool, what `plus − minus` changes; without those where nothing does.
pub(crate) fn differences<'a>(minus: &'a Units, plus: &'a Units) -> BTreeMap<&'a str, i64> {
    let mut changes: BTreeMap<&str, i64> = BTreeMap::new();
    for (pool, units) in minus {
        *changes.entry(pool).or_default() -= units;
    }
    for (pool, units) in plus {
        *changes.entry(pool).or_default() += units;
    }
    changes.retain(|_, change| *change != 0);
    changes
}
