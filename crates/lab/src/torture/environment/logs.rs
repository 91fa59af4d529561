//! Reads what nodes have logged. A line that says `defect = true`, and a panic, must not be, whatever was done to them;
//! other errors are what faults look like from inside, and are only counted.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::ledger::Finding;

const PANIC: &str = "panicked at";
/// Said by a worker whose result came after its lease: the fence held.
pub(super) const STALE: &str = "its result is not written";
const EXAMPLES_MAX: u64 = 5;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogReport {
    /// A few of each rule.
    pub findings: Vec<Finding>,
    /// How many of each rule there are.
    pub counts: BTreeMap<&'static str, u64>,
    /// Errors that are no defects, by message without what changes from one to the next.
    pub errors: BTreeMap<String, u64>,
    /// Results that were refused because the lease was lost.
    pub stale_results: u64,
}

#[derive(Deserialize)]
struct Line {
    level: String,
    #[serde(default)]
    message: String,
    #[serde(default)]
    defect: bool,
}

impl LogReport {
    /// Adds what one node has logged.
    pub fn read(&mut self, name: &str, path: &Path) -> Result<()> {
        let file = std::fs::File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        for (number, line) in (1_u64..).zip(BufReader::new(file).split(b'\n')) {
            let line = line.context("cannot read a log")?;
            self.take(name, number, &String::from_utf8_lossy(&line));
        }
        Ok(())
    }

    fn take(&mut self, name: &str, number: u64, line: &str) {
        // What is no JSON was said by the runtime, or torn by a kill.
        let Ok(said) = serde_json::from_str::<Line>(line) else {
            if line.contains(PANIC) {
                self.find("no panics", name, number, line);
            }
            return;
        };
        if said.message.contains(STALE) {
            self.stale_results += 1;
        }
        if said.defect {
            self.find("no defects in the log", name, number, line);
        } else if said.level == "ERROR" {
            *self.errors.entry(general(&said.message)).or_default() += 1;
        }
    }

    fn find(&mut self, rule: &'static str, name: &str, number: u64, line: &str) {
        let count = self.counts.entry(rule).or_default();
        *count += 1;
        // The file has the rest.
        if *count <= EXAMPLES_MAX {
            self.findings.push(Finding { rule, detail: format!("{name}.log:{number}: {line}") });
        }
    }
}

/// Up to the first thing that is named in it.
fn general(message: &str) -> String {
    let end = message.find(['`', ':']).unwrap_or(message.len());
    message[..end].trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lines_mean() {
        let check = |line: &str, rules: &[&str], errors: &[&str], stale: u64| {
            let mut report = LogReport::default();
            report.take("server-0", 7, line);
            let found: Vec<&str> = report.findings.iter().map(|finding| finding.rule).collect();
            let counted: Vec<&str> = report.errors.keys().map(String::as_str).collect();
            assert_eq!((found.as_slice(), counted.as_slice(), report.stale_results), (rules, errors, stale), "{line}");
        };
        check(r#"{"level":"INFO","message":"Listening on http://x"}"#, &[], &[], 0);
        check(r#"{"level":"ERROR","message":"Cannot read: gone","error":"gone"}"#, &[], &["Cannot read"], 0);
        let guard = r#"{"level":"ERROR","message":"A row was changed outside of the turn","defect":true}"#;
        check(guard, &["no defects in the log"], &[], 0);
        check(
            r#"{"level":"WARN","message":"The lease of `CHARGE:1` was lost; its result is not written"}"#,
            &[],
            &[],
            1,
        );
        check("thread 'main' panicked at src/x.rs:1:2:", &["no panics"], &[], 0);
        check(r#"{"level":"ERR"#, &[], &[], 0);
        check("error: cannot connect to Postgres", &[], &[], 0);
    }
}
