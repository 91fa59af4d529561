//! What was done to whom, and what came of it: a line per fault in `faults.jsonl`, and counts for those who watch.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::{Value, json};

use super::fault::FaultKind;

/// Something that must not be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub rule: &'static str,
    pub detail: String,
}

/// How long a killed server was away.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Recovery {
    pub node: String,
    /// From the signal to the first answered write through that node.
    #[serde(rename = "took_ms", serialize_with = "millis")]
    pub took: Duration,
    /// The part of it before the process was started again, waiting for the end of the old one included.
    #[serde(rename = "restarted_after_ms", serialize_with = "millis")]
    pub restarted_after: Duration,
    /// No other fault was at work meanwhile.
    pub alone: bool,
}

fn millis<S: serde::Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}

/// A fault that was done.
#[derive(Clone, Debug, Default)]
pub(super) struct Deed {
    pub(super) target: String,
    pub(super) detail: Value,
    /// Processes that were killed.
    pub(super) kills: u32,
    /// Stopped while it had a transaction open.
    pub(super) caught_in_batch: bool,
    /// A worker that was frozen said, when it was woken, that its result is not written.
    pub(super) came_too_late: bool,
    pub(super) recovery: Option<Recovery>,
}

#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub done: BTreeMap<FaultKind, u32>,
    /// Tried, and nobody came to the point where it could be done.
    pub missed: BTreeMap<FaultKind, u32>,
    pub kills: u32,
    pub caught_in_batch: u32,
    /// Workers that were frozen and came too late with their results.
    pub came_too_late: u32,
    pub recoveries: Vec<Recovery>,
    pub findings: Vec<Finding>,
    /// Starts that failed, for instance because the database was down; each was tried again.
    pub failed_starts: u32,
}

impl Summary {
    pub fn faults(&self) -> u32 {
        self.done.values().sum()
    }
}

#[derive(Debug)]
pub struct Ledger {
    began: Instant,
    file: Mutex<File>,
    summary: Mutex<Summary>,
}

#[derive(Serialize)]
struct Line<'a> {
    /// Nanoseconds since the run began, as in the history.
    time: u64,
    kind: FaultKind,
    target: &'a str,
    done: bool,
    took_ms: u64,
    detail: &'a Value,
}

impl Ledger {
    /// `began` is that of the history.
    pub fn create(path: &Path, began: Instant) -> Result<Ledger> {
        let file = File::create(path).with_context(|| format!("cannot write to {}", path.display()))?;
        Ok(Ledger { began, file: Mutex::new(file), summary: Mutex::default() })
    }

    pub fn summary(&self) -> Summary {
        self.change(|summary| summary.clone())
    }

    pub fn find(&self, rule: &'static str, detail: impl Into<String>) {
        let finding = Finding { rule, detail: detail.into() };
        self.change(|summary| summary.findings.push(finding));
    }

    pub(super) fn failed_start(&self) {
        self.change(|summary| summary.failed_starts += 1);
    }

    pub(super) fn record(&self, kind: FaultKind, since: Instant, came_of_it: &Result<Deed>) -> Result<()> {
        let missed = |error: &anyhow::Error| Value::String(format!("{error:#}"));
        let (target, mut detail) = match came_of_it {
            Ok(deed) => (deed.target.as_str(), deed.detail.clone()),
            Err(error) => ("", missed(error)),
        };
        if let Ok(Deed { recovery: Some(recovery), .. }) = came_of_it {
            let mut both = detail.as_object().cloned().unwrap_or_default();
            both.insert("recovery".to_owned(), json!(recovery));
            detail = Value::Object(both);
        }
        let line = Line {
            time: u64::try_from(since.duration_since(self.began).as_nanos()).context("a run of centuries")?,
            kind,
            target,
            done: came_of_it.is_ok(),
            took_ms: u64::try_from(since.elapsed().as_millis()).context("a fault of centuries")?,
            detail: &detail,
        };
        let mut line = serde_json::to_vec(&line).context("a fault can be written")?;
        line.push(b'\n');
        self.file.lock().expect("nothing panics while holding it").write_all(&line).context("cannot write faults")?;
        self.change(|summary| match came_of_it {
            Ok(deed) => {
                *summary.done.entry(kind).or_default() += 1;
                summary.kills += deed.kills;
                summary.caught_in_batch += u32::from(deed.caught_in_batch);
                summary.came_too_late += u32::from(deed.came_too_late);
                summary.recoveries.extend(deed.recovery.clone());
            }
            Err(_missed) => *summary.missed.entry(kind).or_default() += 1,
        });
        Ok(())
    }

    fn change<T>(&self, change: impl FnOnce(&mut Summary) -> T) -> T {
        change(&mut self.summary.lock().expect("nothing panics while holding it"))
    }
}
