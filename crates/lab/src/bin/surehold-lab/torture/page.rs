//! What a run came to, on one page of Markdown.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Duration;

use anyhow::{Context, Result};
use surehold_lab::torture::auditor::Checked;
use surehold_lab::torture::crowd::CrowdEnd;
use surehold_lab::torture::environment::{FaultKind, Recovery};

use super::Plan;
use super::findings::{Findings, counted, times};
use super::run::Outcome;
use surehold_lab::torture::workload::Tally;

/// Of each rule.
const EXAMPLES_MAX: usize = 3;

pub(super) fn print(page: &str) -> Result<()> {
    std::io::stdout().lock().write_all(page.as_bytes()).context("cannot print the report")
}

pub(super) fn page(plan: &Plan, outcome: &Outcome) -> String {
    let mut page = Page::default();
    page.head(plan, outcome);
    page.violations(&outcome.findings);
    page.operations(outcome);
    page.faults(plan, outcome);
    page.recoveries(plan, &outcome.summary.recoveries);
    page.checked(&outcome.checked);
    outcome.crowds.iter().for_each(|crowd| page.crowd(crowd));
    page.notes(outcome);
    page.0
}

#[derive(Default)]
struct Page(String);

impl Page {
    fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    fn title(&mut self, title: &str) {
        self.line(&format!("\n## {title}\n"));
    }

    fn head(&mut self, plan: &Plan, outcome: &Outcome) {
        let verdict = match outcome.findings.total() {
            0 => "no violations".to_owned(),
            count => counted(count, "VIOLATION", "VIOLATIONS"),
        };
        let early = if outcome.interrupted { ", stopped early" } else { "" };
        self.line(&format!("# Torture on {}, seed {}: {verdict}{early}\n", plan.store.name(), plan.seed));
        self.line(&format!("    {}\n", plan.command_line()));
        let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        let build = if cfg!(debug_assertions) { " (debug build)" } else { "" };
        self.line(&format!(
            "surehold {}{build}, {}, Linux {}; {} s, {}",
            env!("CARGO_PKG_VERSION"),
            outcome.store_version,
            kernel.trim(),
            outcome.took.as_secs(),
            counted(u64::try_from(plan.clients).unwrap_or(u64::MAX), "client", "clients")
        ));
    }

    fn violations(&mut self, findings: &Findings) {
        if findings.total() == 0 {
            return;
        }
        self.title("Violations");
        for (rule, broken) in findings.by_rule() {
            self.line(&format!("- {rule}: {}", times(broken.times)));
            for detail in broken.details.iter().take(EXAMPLES_MAX) {
                self.line(&format!("  - {}", detail.replace('\n', "\n    ")));
            }
        }
    }

    fn operations(&mut self, outcome: &Outcome) {
        self.title("Operations");
        let total = outcome.workload.total();
        self.line(&format!(
            "{} asked: {} ok, {} fail, {} info; useful {} % of the changes that were not turned away\n",
            total.asked(),
            total.ok(),
            total.fail(),
            total.unknown,
            outcome.workload.changes().useful_percent()
        ));
        self.line("| request | useful | repeated | refused | turned away | unknown |");
        self.line("|---|---:|---:|---:|---:|---:|");
        for (name, Tally { useful, repeated, refused, turned_away, unknown }) in &outcome.workload.by_function {
            self.line(&format!("| {name} | {useful} | {repeated} | {refused} | {turned_away} | {unknown} |"));
        }
        if !outcome.workload.fails.is_empty() {
            self.line(&format!("\nRefused or turned away with: {}", codes(&outcome.workload.fails)));
        }
    }

    fn faults(&mut self, plan: &Plan, outcome: &Outcome) {
        let summary = &outcome.summary;
        self.title("Faults");
        self.line("| fault | done | at least | missed |");
        self.line("|---|---:|---:|---:|");
        for (kind, least) in &plan.possible.faults.0 {
            let count = |counts: &BTreeMap<FaultKind, u32>| counts.get(kind).copied().unwrap_or(0);
            self.line(&format!("| {kind} | {} | {least} | {} |", count(&summary.done), count(&summary.missed)));
        }
        let mut line = format!("\nProcesses killed: {}", summary.kills);
        let _ = write!(line, "; servers frozen in mid-batch: {}", summary.caught_in_batch);
        let _ = write!(line, "; starts that failed and were tried again: {}", summary.failed_starts);
        self.line(&line);
        for (kind, reason) in &plan.possible.impossible {
            self.line(&format!("- not possible: {kind}, because {reason}"));
        }
    }

    fn recoveries(&mut self, plan: &Plan, recoveries: &[Recovery]) {
        if recoveries.is_empty() {
            return;
        }
        self.title("Recovery after SIGKILL");
        self.line("From the signal to the first answered write through the same server.\n");
        self.line("| | times | median | max | restarted after (median) |");
        self.line("|---|---:|---:|---:|---:|");
        let alone: Vec<&Recovery> = recoveries.iter().filter(|recovery| recovery.alone).collect();
        let others: Vec<&Recovery> = recoveries.iter().filter(|recovery| !recovery.alone).collect();
        for (name, group) in [("no other fault at work", &alone), ("among other faults", &others)] {
            let took: Vec<Duration> = group.iter().map(|recovery| recovery.took).collect();
            let restarted: Vec<Duration> = group.iter().map(|recovery| recovery.restarted_after).collect();
            let Some((median, max)) = median_and_max(took) else { continue };
            let restarted = median_and_max(restarted).map_or(Duration::ZERO, |(median, _)| median);
            let times = group.len();
            let [median, max, restarted] = [median, max, restarted].map(|duration| duration.as_millis());
            self.line(&format!("| {name} | {times} | {median} ms | {max} ms | {restarted} ms |"));
        }
        let goal = plan.store.recovery_goal();
        let late = alone.iter().filter(|recovery| recovery.took > goal).count();
        self.line(&format!("\nThe goal is {goal:?}; {late} of {} took longer.", alone.len()));
    }

    fn checked(&mut self, checked: &Checked) {
        self.title("What the auditor looked at");
        self.line("| | |");
        self.line("|---|---:|");
        for (what, count) in [
            ("lines of the history", checked.entries),
            ("requests of unknown outcome, settled", checked.unknowns),
            ("of these, done after all", checked.unknowns_done),
            ("strangers, sent away", checked.strangers),
            ("holds, read by their ids", checked.holds),
            ("events of the feed, replayed", checked.events),
            ("events told to a live reader, compared", checked.events_live),
            ("versions of pools", checked.pool_versions),
            ("effects that somebody was told of, found in the feed", checked.effects),
            ("instants of events, compared with the clock of those who asked", checked.instants),
            ("pool versions in answers, compared", checked.versions_told),
            ("moments, compared with all that came before", checked.real_time),
            ("reads", checked.reads),
            ("idempotency keys", checked.keys),
            ("holds placed for owners, whose holds were counted", checked.owners),
            ("refusals, compared with what was there", checked.refusals),
            ("of these, could not be decided", checked.refusals_undecided),
            ("windows searched for a linear order", checked.windows),
            ("of these, given up", checked.windows_undecided),
            ("operations in these windows", checked.window_operations),
            ("states searched", checked.states_searched),
            ("tasks", checked.tasks),
            ("charges", checked.charges),
            ("charges that were done", checked.charges_done),
        ] {
            self.line(&format!("| {what} | {count} |"));
        }
    }

    fn crowd(&mut self, CrowdEnd { title, rows, .. }: &CrowdEnd) {
        self.title(title);
        self.line("| | |");
        self.line("|---|---:|");
        for (what, count) in rows {
            self.line(&format!("| {what} | {count} |"));
        }
    }

    fn notes(&mut self, outcome: &Outcome) {
        self.title("Notes");
        for note in &outcome.notes {
            self.line(&format!("- {}", note.trim_end().replace('\n', "\n  ")));
        }
        let provider = &outcome.provider;
        self.line(&format!(
            "- requests to the provider: {}; harmed by it: {}; charges made: {}",
            provider.requests,
            provider.faults_total(),
            provider.charges.len()
        ));
        self.line(&format!("- results that were refused because the lease was lost: {}", outcome.logs.stale_results));
        for (message, count) in &outcome.logs.errors {
            self.line(&format!("- logged {} as an error: {message}", times(*count)));
        }
    }
}

/// The most frequent first.
fn codes(fails: &BTreeMap<String, u64>) -> String {
    let mut fails: Vec<(&String, &u64)> = fails.iter().collect();
    fails.sort_by_key(|(code, count)| (Reverse(**count), *code));
    let shown: Vec<String> = fails.iter().map(|(code, count)| format!("{code} {count}")).collect();
    shown.join(", ")
}

fn median_and_max(mut durations: Vec<Duration>) -> Option<(Duration, Duration)> {
    durations.sort_unstable();
    Some((*durations.get(durations.len() / 2)?, *durations.last()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_by_how_often_they_came() {
        let check = |fails: &[(&str, u64)], expected: &str| {
            let fails = fails.iter().map(|(code, count)| ((*code).to_owned(), *count)).collect();
            assert_eq!(codes(&fails), expected);
        };
        check(&[("busy", 2), ("hold-ended", 40), ("sold-out", 40)], "hold-ended 40, sold-out 40, busy 2");
        check(&[], "");
    }
}
