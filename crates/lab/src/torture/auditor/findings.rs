//! What was found, and how much was looked at.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// More of one rule tell nothing new.
const KEPT_PER_RULE: u64 = 20;

/// Something that cannot be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub rule: &'static str,
    pub detail: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.rule, self.detail)
    }
}

#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// At most 20 of each rule.
    pub violations: Vec<Violation>,
    /// How many of each rule there are.
    pub counts: BTreeMap<&'static str, u64>,
    pub checked: Checked,
}

impl Verdict {
    pub fn is_clean(&self) -> bool {
        self.counts.is_empty()
    }

    pub fn count(&self, rule: &str) -> u64 {
        self.counts.get(rule).copied().unwrap_or(0)
    }

    pub(crate) fn add(&mut self, rule: &'static str, detail: impl FnOnce() -> String) {
        let count = self.counts.entry(rule).or_default();
        *count += 1;
        if *count <= KEPT_PER_RULE {
            self.violations.push(Violation { rule, detail: detail() });
        }
    }
}

/// How much was looked at: a rule that had nothing to look at has proved nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    pub entries: u64,
    pub requests: u64,
    pub oks: u64,
    pub fails: u64,
    /// Requests that nobody knew the outcome of, and what became of them.
    pub unknowns: u64,
    pub unknowns_done: u64,
    /// Requests with the key of another tenant that were answered.
    pub strangers: u64,
    pub holds: u64,
    pub pools: u64,
    pub events: u64,
    /// Rows of the journal that told no event.
    pub rows_silent: u64,
    pub events_live: u64,
    pub pool_versions: u64,
    /// Effects that were found in the feed, by the one that asked for them.
    pub effects: u64,
    /// Of effects, compared with the clock of those who asked.
    pub instants: u64,
    pub versions_told: u64,
    pub reads: u64,
    /// Pairs of a thing and all that came before it.
    pub real_time: u64,
    pub keys: u64,
    /// Holds that were placed for an owner, whose holds were counted.
    #[serde(default)]
    pub owners: u64,
    pub refusals: u64,
    /// Too much could have happened meanwhile to say, or nobody knows what such a refusal means.
    pub refusals_undecided: u64,
    pub windows: u64,
    pub windows_undecided: u64,
    pub window_operations: u64,
    pub states_searched: u64,
    pub operations: u64,
    pub tasks: u64,
    pub charges: u64,
    /// Operations that were to charge and did.
    #[serde(default)]
    pub charges_done: u64,
}

/// A count for a report.
pub(crate) fn count_of(length: usize) -> u64 {
    u64::try_from(length).expect("a usize fits")
}
