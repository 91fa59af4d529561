//! What guests of the hotel asked and what they were told, written down like [`super::history`]: JSON lines in Jepsen's
//! shape. Apart from it, because guests have a tenant and a feed of their own.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::history::Kind;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GuestEntry {
    pub index: u64,
    pub process: u64,
    #[serde(rename = "type")]
    pub kind: Kind,
    #[serde(flatten)]
    pub ask: GuestAsk,
    /// With `ok`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<GuestAnswer>,
    /// With `fail` the problem's code, or `unreachable`; with `info` what is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    pub node: usize,
    /// Nanoseconds since the run began.
    pub time: u64,
}

/// Dates are written as the API has them: `2027-03-01`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Nights {
    pub checkin: String,
    pub checkout: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "f", content = "value", rename_all = "snake_case")]
pub enum GuestAsk {
    Quote {
        quote: Uuid,
        nights: Nights,
    },
    Stay {
        hold: Uuid,
        quote: Uuid,
        option: u64,
        lifetime_secs: Option<i64>,
    },
    /// A page to pay on.
    Checkout {
        hold: Uuid,
    },
    /// Paid at the desk.
    Confirm {
        hold: Uuid,
    },
    CancelStay {
        hold: Uuid,
    },
    WalkIn {
        hold: Uuid,
        nights: Nights,
        rate_plan: String,
    },
    ChangeReservation {
        hold: Uuid,
        nights: Nights,
        rate_plan: String,
        refund_excess: bool,
    },
    CancelReservation {
        hold: Uuid,
    },
    NoShow {
        hold: Uuid,
    },
    ReadStay {
        hold: Uuid,
    },
}

impl GuestAsk {
    /// The stay that it is about.
    pub fn hold(&self) -> Option<Uuid> {
        match self {
            GuestAsk::Quote { .. } => None,
            GuestAsk::Stay { hold, .. }
            | GuestAsk::Checkout { hold }
            | GuestAsk::Confirm { hold }
            | GuestAsk::CancelStay { hold }
            | GuestAsk::WalkIn { hold, .. }
            | GuestAsk::ChangeReservation { hold, .. }
            | GuestAsk::CancelReservation { hold }
            | GuestAsk::NoShow { hold }
            | GuestAsk::ReadStay { hold } => Some(*hold),
        }
    }
}

/// What an `ok` said, as far as it matters; what the answer does not have is left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GuestAnswer {
    /// It had been so before.
    #[serde(default)]
    pub replayed: bool,
    /// How many options a quote has.
    #[serde(default)]
    pub options: usize,
    /// Of the hold: `active`, `converted`, `cancelled` or `expired`.
    #[serde(default)]
    pub state: Option<String>,
    #[serde(default)]
    pub awaiting_payment: bool,
    /// Of the page: the provider's name for it, and where it is.
    #[serde(default)]
    pub session: Option<String>,
    #[serde(default)]
    pub page: Option<String>,
    #[serde(default)]
    pub reservation: Option<ReservationSeen>,
}

/// A reservation as the API shows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReservationSeen {
    /// `confirmed`, `cancelled` or `no_show`.
    pub state: String,
    /// `payment`, `late_payment`, `desk` or `walk_in`.
    pub source: String,
    pub booked_by: Uuid,
    pub checkin: String,
    pub checkout: String,
    pub paid: i64,
    pub refunded: i64,
    pub penalty: i64,
    /// Where it is looked at, if it was paid online.
    #[serde(default)]
    pub payment: Option<PaidBy>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PaidBy {
    pub session: String,
    /// By refunds that were asked for, done or not.
    pub refund_asked: i64,
}

/// Writes down what guests do, from many tasks at once.
#[derive(Debug)]
pub struct GuestBook {
    began: Instant,
    processes: AtomicU64,
    file: Mutex<(u64, BufWriter<File>)>,
}

impl GuestBook {
    /// `began` is that of the history.
    pub fn create(path: &Path, began: Instant) -> Result<GuestBook> {
        let file = File::create(path).with_context(|| format!("cannot write to {}", path.display()))?;
        Ok(GuestBook { began, processes: AtomicU64::new(0), file: Mutex::new((0, BufWriter::new(file))) })
    }

    pub fn new_process(&self) -> u64 {
        self.processes.fetch_add(1, Ordering::Relaxed)
    }

    /// Gives the entry its place and its time.
    pub fn record(&self, mut entry: GuestEntry) -> Result<()> {
        let mut guard = self.file.lock().expect("nothing panics while holding it");
        let (index, file) = &mut *guard;
        entry.index = *index;
        entry.time = u64::try_from(self.began.elapsed().as_nanos()).context("a run of centuries")?;
        *index += 1;
        serde_json::to_writer(&mut *file, &entry).context("cannot write down what guests do")?;
        file.write_all(b"\n").context("cannot write down what guests do")
    }

    pub fn flush(&self) -> Result<()> {
        let mut guard = self.file.lock().expect("nothing panics while holding it");
        guard.1.flush().context("cannot write down what guests do")
    }
}

pub fn read(path: &Path) -> Result<Vec<GuestEntry>> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut entries = Vec::new();
    for (number, line) in (1..).zip(BufReader::new(file).lines()) {
        let line = line.context("cannot read what guests did")?;
        entries.push(serde_json::from_str(&line).with_context(|| format!("line {number} is no entry"))?);
    }
    Ok(entries)
}
