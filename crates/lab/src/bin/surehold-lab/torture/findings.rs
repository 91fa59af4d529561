//! What must not be: how often each rule was broken, and examples.

use std::collections::BTreeMap;

use surehold_lab::torture::auditor::{Verdict, Violation};
use surehold_lab::torture::environment::Finding;

#[derive(Debug, Default)]
pub(super) struct Findings {
    by_rule: BTreeMap<&'static str, Broken>,
}

#[derive(Debug, Default)]
pub(super) struct Broken {
    pub(super) times: u64,
    /// Not of each time.
    pub(super) details: Vec<String>,
}

impl Findings {
    pub(super) fn add(&mut self, rule: &'static str, detail: impl Into<String>) {
        let broken = self.by_rule.entry(rule).or_default();
        broken.times += 1;
        broken.details.push(detail.into());
    }

    /// Of those who keep a few of each rule, and count all.
    pub(super) fn add_counted(
        &mut self,
        kept: impl IntoIterator<Item = Finding>,
        counts: &BTreeMap<&'static str, u64>,
    ) {
        for Finding { rule, detail } in kept {
            self.by_rule.entry(rule).or_default().details.push(detail);
        }
        for (&rule, times) in counts {
            self.by_rule.entry(rule).or_default().times += times;
        }
    }

    pub(super) fn add_verdict(&mut self, verdict: &Verdict) {
        let kept = verdict.violations.iter().cloned().map(|Violation { rule, detail }| Finding { rule, detail });
        self.add_counted(kept, &verdict.counts);
    }

    pub(super) fn total(&self) -> u64 {
        self.by_rule.values().map(|broken| broken.times).sum()
    }

    pub(super) fn by_rule(&self) -> &BTreeMap<&'static str, Broken> {
        &self.by_rule
    }
}

/// As in `1 violation` and `2 violations`.
pub(super) fn counted(count: u64, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

pub(super) fn times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_counted_and_not_kept_counts() {
        let mut findings = Findings::default();
        findings.add("a", "x");
        let kept = [Finding { rule: "b", detail: "y".to_owned() }];
        findings.add_counted(kept, &BTreeMap::from([("b", 4_000)]));
        let shown: Vec<(&str, u64, usize)> =
            findings.by_rule().iter().map(|(rule, broken)| (*rule, broken.times, broken.details.len())).collect();
        assert_eq!((findings.total(), shown), (4_001, vec![("a", 1, 1), ("b", 4_000, 1)]));
    }
}
