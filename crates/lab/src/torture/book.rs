//! What somebody asked and what they were told, written down like [`super::history`]: JSON lines in Jepsen's shape. Apart
//! from it, because a crowd has a tenant and a feed of its own.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::{Context, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::history::Kind;

/// `Ask` is what was asked, `Answer` what an `ok` said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BookEntry<Ask, Answer> {
    pub index: u64,
    pub process: u64,
    #[serde(rename = "type")]
    pub kind: Kind,
    #[serde(flatten)]
    pub ask: Ask,
    /// With `ok`.
    #[serde(default = "nothing", skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// With `fail` the problem's code, or `unreachable`; with `info` what is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    pub node: usize,
    /// Nanoseconds since the run began.
    pub time: u64,
}

fn nothing<T>() -> Option<T> {
    None
}

/// Writes down what is done, from many tasks at once.
#[derive(Debug)]
pub struct Book {
    began: Instant,
    processes: AtomicU64,
    file: Mutex<(u64, BufWriter<File>)>,
}

impl Book {
    /// `began` is that of the history.
    pub fn create(path: &Path, began: Instant) -> Result<Book> {
        let file = File::create(path).with_context(|| format!("cannot write to {}", path.display()))?;
        Ok(Book { began, processes: AtomicU64::new(0), file: Mutex::new((0, BufWriter::new(file))) })
    }

    pub fn new_process(&self) -> u64 {
        self.processes.fetch_add(1, Ordering::Relaxed)
    }

    /// Gives the entry its place and its time.
    pub fn record<Ask: Serialize, Answer: Serialize>(&self, mut entry: BookEntry<Ask, Answer>) -> Result<()> {
        let mut guard = self.file.lock().expect("nothing panics while holding it");
        let (index, file) = &mut *guard;
        entry.index = *index;
        entry.time = u64::try_from(self.began.elapsed().as_nanos()).context("a run of centuries")?;
        *index += 1;
        serde_json::to_writer(&mut *file, &entry).context("cannot write down what is done")?;
        file.write_all(b"\n").context("cannot write down what is done")
    }

    pub fn flush(&self) -> Result<()> {
        let mut guard = self.file.lock().expect("nothing panics while holding it");
        guard.1.flush().context("cannot write down what is done")
    }
}

pub fn read<Ask: DeserializeOwned, Answer: DeserializeOwned>(path: &Path) -> Result<Vec<BookEntry<Ask, Answer>>> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut entries = Vec::new();
    for (number, line) in (1..).zip(BufReader::new(file).lines()) {
        let line = line.with_context(|| format!("cannot read {}", path.display()))?;
        entries.push(serde_json::from_str(&line).with_context(|| format!("line {number} is no entry"))?);
    }
    Ok(entries)
}
