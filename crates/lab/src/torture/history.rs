//! What clients asked and what they were told: the one thing that generator and auditor share. A file of JSON lines in
//! Jepsen's shape (`process`, `type`, `f`, `value`, `time`), so that others can check it with tools of their own.
//!
//! A process asks one thing at a time: an `invoke`, then at most one `ok`, `fail` or `info` of the same process.
//! `ok`: the server says that it happened. `fail`: the server says that nothing changed, or was never reached. `info`:
//! nobody knows (no answer, `outcome-unknown`, or one that cannot be read); such a process is never heard of again, and
//! its repeat is a request of another process with the same id or key. Each command of a batch request is a process of
//! its own.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// How the `error` of an `info` begins when there was an answer, and nobody could read it.
pub const UNREADABLE: &str = "unreadable: ";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its place in the history.
    pub index: u64,
    pub process: u64,
    #[serde(rename = "type")]
    pub kind: Kind,
    #[serde(flatten)]
    pub ask: Ask,
    /// With `ok`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// With `fail` the problem's code, or `unreachable`; with `info` what is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The identity of the request beside an id in it: the same key is the same request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Commands of one batch request share it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<u64>,
    /// Asked with the key of another tenant: nothing may come of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stranger: bool,
    /// Which server was asked.
    pub node: usize,
    /// Nanoseconds since the run began, by the clock of the one who asks.
    pub time: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Invoke,
    Ok,
    Fail,
    Info,
}

/// Units by the name of their pool: `resource` or `resource@slot`.
pub type Units = BTreeMap<String, i64>;

/// A request. Its fields are those of the API.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "f", content = "value", rename_all = "snake_case")]
pub enum Ask {
    Place {
        hold: Uuid,
        lines: Units,
        lifetime_secs: Option<i64>,
        owner: Option<String>,
    },
    /// Either `until` (RFC 3339) or `by_secs`.
    Extend {
        hold: Uuid,
        until: Option<String>,
        by_secs: Option<i64>,
    },
    Convert {
        hold: Uuid,
        consume: bool,
        part: Option<Units>,
    },
    Cancel {
        hold: Uuid,
    },
    Move {
        hold: Uuid,
        from: Units,
        to: Units,
    },
    GiveBack {
        hold: Uuid,
        part: Option<Units>,
    },
    PutPool {
        pool: String,
        total: Option<i64>,
        closed: Option<bool>,
        expected_version: Option<i64>,
    },
    Adjust {
        pool: String,
        total_delta: i64,
    },
    ReadHold {
        hold: Uuid,
    },
    ReadPool {
        pool: String,
    },
    /// The task `expire-hold`, perhaps too early, perhaps twice.
    ExpireTask {
        task: String,
        hold: Uuid,
    },
    /// The lab's task `charge`: money is moved at a provider that lies.
    ChargeTask {
        task: String,
        purchase: String,
        amount: i64,
    },
}

/// What an `ok` said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Hold {
        hold: HoldSeen,
        /// The effect was there already.
        replayed: bool,
    },
    Pool {
        pool: PoolSeen,
        replayed: bool,
    },
    /// 404: there is no such hold or pool. An answer to reads.
    Absent,
    /// The task is kept.
    Task {
        replayed: bool,
    },
}

/// A hold as the API shows it. Instants are microseconds since 1970.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HoldSeen {
    pub id: Uuid,
    /// `active`, `converted`, `cancelled` or `expired`.
    pub state: String,
    pub lines: Units,
    /// `book` or `consume`, and what is kept as of now.
    pub kept: Option<(String, Units)>,
    pub owner: Option<String>,
    pub placed_at: i64,
    pub expires_at: i64,
    pub ended_at: Option<i64>,
    pub version: i64,
    /// After this command, of the pools that it changed; empty when it changed none. By the names of the pools, so that
    /// the order of lines does not matter.
    pub pool_versions: BTreeMap<String, i64>,
}

/// A pool as the API shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PoolSeen {
    pub name: String,
    pub total: i64,
    pub overbook: i64,
    pub held: i64,
    pub booked: i64,
    pub granted: i64,
    pub oversold: i64,
    pub closed: bool,
    pub version: i64,
}

/// An event as the feed tells it: its cursor, its instant, and the rest as it came.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventSeen {
    /// `seq-index`.
    pub cursor: String,
    /// Microseconds since 1970.
    pub at: i64,
    pub body: serde_json::Value,
}

/// Writes a history, from many tasks at once. What is written is in the order of `index`.
#[derive(Debug)]
pub struct Recorder {
    began: Instant,
    began_at: SystemTime,
    processes: AtomicU64,
    file: Mutex<(u64, BufWriter<File>)>,
}

impl Recorder {
    pub fn create(path: &Path) -> Result<Recorder> {
        let file = File::create(path).with_context(|| format!("cannot write the history to {}", path.display()))?;
        Ok(Recorder {
            began: Instant::now(),
            began_at: SystemTime::now(),
            processes: AtomicU64::new(0),
            file: Mutex::new((0, BufWriter::new(file))),
        })
    }

    /// From when the history counts time.
    pub fn began(&self) -> Instant {
        self.began
    }

    /// The same by the clock on the wall, in microseconds since 1970.
    pub fn began_at(&self) -> Result<i64> {
        let since_1970 = self.began_at.duration_since(UNIX_EPOCH).context("a clock before 1970")?;
        i64::try_from(since_1970.as_micros()).context("a clock beyond all times")
    }

    pub fn new_process(&self) -> u64 {
        self.processes.fetch_add(1, Ordering::Relaxed)
    }

    /// Gives the entry its place and its time.
    pub fn record(&self, mut entry: Entry) -> Result<()> {
        let mut guard = self.file.lock().expect("nothing panics while holding it");
        let (index, file) = &mut *guard;
        entry.index = *index;
        entry.time = u64::try_from(self.began.elapsed().as_nanos()).context("a run of centuries")?;
        *index += 1;
        serde_json::to_writer(&mut *file, &entry).context("cannot write the history")?;
        file.write_all(b"\n").context("cannot write the history")
    }

    pub fn flush(&self) -> Result<()> {
        self.file.lock().expect("nothing panics while holding it").1.flush().context("cannot write the history")
    }
}

/// Reads a whole history.
pub fn read(path: &Path) -> Result<Vec<Entry>> {
    let file = File::open(path).with_context(|| format!("cannot read the history {}", path.display()))?;
    let mut entries = Vec::new();
    for (number, line) in (1..).zip(BufReader::new(file).lines()) {
        let line = line.context("cannot read the history")?;
        entries.push(serde_json::from_str(&line).with_context(|| format!("line {number} is no entry"))?);
    }
    Ok(entries)
}
