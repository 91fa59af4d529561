//! What was found. What is wrong everywhere is counted, and kept only in part.

use std::collections::BTreeMap;

use surehold_core::kernel::TenantId;
use surehold_core::repairs::Repair;

use super::{Invariant, invariants};

/// Something that cannot be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The name of the rule that is broken.
    pub invariant: &'static str,
    pub tenant: TenantId,
    /// What it is about, as in `pool room on 2027-01-01`.
    pub key: String,
    pub detail: String,
    pub remedy: Remedy,
}

/// What can be done about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// It can be put right without anybody's judgement.
    Repair(Proposal),
    /// It cannot: why, and what a person should do.
    Person(&'static str),
}

/// A repair, and how often the thing had been repaired when it was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    pub repair: Repair,
    pub number: i64,
}

/// An invariant, and what breaks it.
#[derive(Clone, Debug)]
pub struct Checked {
    pub invariant: &'static Invariant,
    /// All of them.
    pub count: u64,
    /// The first of them.
    pub findings: Vec<Finding>,
}

/// As many of each invariant are kept.
pub(crate) const KEPT_MAX: usize = 1_000;

#[derive(Debug, Default)]
pub(crate) struct Findings {
    found: BTreeMap<&'static str, (u64, Vec<Finding>)>,
}

impl Findings {
    /// `finding` is asked for only if it is kept.
    pub(crate) fn add(
        &mut self,
        invariant: &'static str,
        tenant: TenantId,
        finding: impl FnOnce() -> (String, String, Remedy),
    ) {
        debug_assert!(invariants().any(|known| known.name == invariant), "{invariant} is in no module's list");
        let (count, kept) = self.found.entry(invariant).or_default();
        *count += 1;
        if kept.len() < KEPT_MAX {
            let (key, detail, remedy) = finding();
            kept.push(Finding { invariant, tenant, key, detail, remedy });
        }
    }

    /// More of what was added before, without a word about each.
    pub(crate) fn add_uncounted(&mut self, invariant: &'static str, more: u64) {
        if more > 0 {
            self.found.entry(invariant).or_default().0 += more;
        }
    }

    pub(crate) fn count_of(&self, invariants: &[&'static str]) -> u64 {
        invariants.iter().filter_map(|name| self.found.get(name)).map(|(count, _)| count).sum()
    }

    /// What is left under names that are in no list. Nothing is, but a broken rule must not be passed over in silence.
    pub(crate) fn take_unlisted(&mut self) -> impl Iterator<Item = Checked> + use<> {
        const UNLISTED: &Invariant = &Invariant { name: "unlisted", says: "every rule is in the list of its module" };
        let left = std::mem::take(&mut self.found).into_values();
        left.map(|(count, findings)| Checked { invariant: UNLISTED, count, findings })
    }

    pub(crate) fn take(&mut self, invariant: &'static Invariant) -> Checked {
        let (count, findings) = self.found.remove(invariant.name).unwrap_or_default();
        Checked { invariant, count, findings }
    }
}
