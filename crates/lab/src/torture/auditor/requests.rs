//! Requests from entries: each invocation with what became of it. A history that is none is noticed here.

use std::collections::HashMap;

use super::findings::{Verdict, count_of};
use super::strangers;
use crate::torture::history::{Answer, Ask, Entry, HoldSeen, Kind, PoolSeen, UNREADABLE};

/// Nobody was there, or had time to look: it says nothing about what was asked.
const TURNED_AWAY: [&str; 7] =
    ["unreachable", "busy", "not-executed", "unavailable", "stopping", "too-many-requests", "request-timeout"];
/// Something is wrong with the server or what it has stored, also if it does not say what.
const DEFECTS: [&str; 3] = ["defect", "corrupt", "status-500"];
/// Something is wrong with the request itself, or with the key that was shown: not said to those who ask as the
/// documents tell them to.
const NOT_FOR_THE_HONEST: [&str; 13] = [
    "malformed-json",
    "malformed-request",
    "idempotency-key-missing",
    "idempotency-key-malformed",
    "task-id-missing",
    "unauthenticated",
    "signature-invalid",
    "scope-missing",
    "not-found",
    "method-not-allowed",
    "body-too-large",
    "unsupported-media-type",
    "invalid",
];
/// How the history writes an answer without a code: the server took it for no HTTP at all.
const WITHOUT_CODE: &str = "status-";

pub(super) fn is_turned_away(code: &str) -> bool {
    TURNED_AWAY.contains(&code)
}

pub(super) fn is_defect(code: &str) -> bool {
    DEFECTS.contains(&code)
}

pub(super) fn is_for_the_dishonest(code: &str) -> bool {
    NOT_FOR_THE_HONEST.contains(&code) || code.starts_with(WITHOUT_CODE)
}

/// What the one who asked knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Ok,
    Fail,
    /// No answer, or one that says nothing; also what was still open when the history ended.
    Unknown,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Request<'a> {
    pub(super) asked: &'a Entry,
    pub(super) told: Option<&'a Entry>,
    pub(super) fate: Fate,
}

impl<'a> Request<'a> {
    pub(super) fn ask(&self) -> &'a Ask {
        &self.asked.ask
    }

    pub(super) fn begun(&self) -> u64 {
        self.asked.time
    }

    /// When its effect was certainly there; never, as far as anybody knows, if there was no answer.
    pub(super) fn done(&self) -> u64 {
        match (self.fate, self.told) {
            (Fate::Ok | Fate::Fail, Some(told)) => told.time,
            (Fate::Ok | Fate::Fail, None) | (Fate::Unknown, _) => u64::MAX,
        }
    }

    pub(super) fn key(&self) -> Option<&'a str> {
        self.asked.key.as_deref()
    }

    pub(super) fn answer(&self) -> Option<&'a Answer> {
        match self.fate {
            Fate::Ok => self.told.and_then(|told| told.answer.as_ref()),
            Fate::Fail | Fate::Unknown => None,
        }
    }

    pub(super) fn hold_told(&self) -> Option<(&'a HoldSeen, bool)> {
        match self.answer()? {
            Answer::Hold { hold, replayed } => Some((hold, *replayed)),
            Answer::Pool { .. } | Answer::Absent | Answer::Task { .. } => None,
        }
    }

    pub(super) fn pool_told(&self) -> Option<(&'a PoolSeen, bool)> {
        match self.answer()? {
            Answer::Pool { pool, replayed } => Some((pool, *replayed)),
            Answer::Hold { .. } | Answer::Absent | Answer::Task { .. } => None,
        }
    }

    /// Whether the answer says that this very request did it.
    pub(super) fn is_news(&self) -> bool {
        match self.answer() {
            Some(Answer::Hold { replayed, .. } | Answer::Pool { replayed, .. } | Answer::Task { replayed }) => {
                !replayed
            }
            Some(Answer::Absent) | None => false,
        }
    }

    pub(super) fn refusal(&self) -> Option<&'a str> {
        match self.fate {
            Fate::Fail => self.told.and_then(|told| told.error.as_deref()),
            Fate::Ok | Fate::Unknown => None,
        }
    }

    /// For messages.
    pub(super) fn name(&self) -> String {
        let Entry { index, process, .. } = self.asked;
        format!("{} (entry {index}, process {process}, {:?})", function(self.ask()), self.fate)
    }
}

/// The function's name, as the history writes it.
pub(super) fn function(ask: &Ask) -> &'static str {
    match ask {
        Ask::Place { .. } => "place",
        Ask::Extend { .. } => "extend",
        Ask::Convert { .. } => "convert",
        Ask::Cancel { .. } => "cancel",
        Ask::Move { .. } => "move",
        Ask::GiveBack { .. } => "give_back",
        Ask::PutPool { .. } => "put_pool",
        Ask::Adjust { .. } => "adjust",
        Ask::ReadHold { .. } => "read_hold",
        Ask::ReadPool { .. } => "read_pool",
        Ask::ExpireTask { .. } => "expire_task",
        Ask::ChargeTask { .. } => "charge_task",
    }
}

#[derive(Clone, Copy)]
enum Process {
    Free,
    /// Waits for the answer to the request at this place.
    Asking(usize),
    /// Nothing was known of its last request: it must not be heard of again.
    Gone,
}

/// In the order of their invocations. What strangers asked is judged apart: it explains nothing of what happened.
pub(super) fn pair<'a>(history: &'a [Entry], verdict: &mut Verdict) -> Vec<Request<'a>> {
    let requests = all(history, verdict);
    let (strangers, requests): (Vec<_>, Vec<_>) = requests.into_iter().partition(|request| request.asked.stranger);
    strangers::check(&strangers, verdict);
    count(history, &requests, verdict);
    requests
}

fn all<'a>(history: &'a [Entry], verdict: &mut Verdict) -> Vec<Request<'a>> {
    let mut requests: Vec<Request<'a>> = Vec::with_capacity(history.len() / 2);
    let mut processes: HashMap<u64, Process> = HashMap::new();
    let mut before: Option<&Entry> = None;
    for entry in history {
        if before.is_some_and(|before| entry.index != before.index + 1 || entry.time < before.time) {
            verdict.add("history", || format!("entry {} does not follow the one before it", entry.index));
        }
        before = Some(entry);
        check_shape(entry, verdict);
        let process = processes.entry(entry.process).or_insert(Process::Free);
        match (*process, entry.kind) {
            (Process::Free, Kind::Invoke) => {
                *process = Process::Asking(requests.len());
                requests.push(Request { asked: entry, told: None, fate: Fate::Unknown });
            }
            (Process::Asking(place), Kind::Ok | Kind::Fail | Kind::Info) => {
                let request = &mut requests[place];
                if request.asked.ask != entry.ask || request.asked.key != entry.key {
                    verdict.add("history", || format!("entry {} answers something else than was asked", entry.index));
                }
                request.told = Some(entry);
                request.fate = fate(entry.kind);
                *process = if entry.kind == Kind::Info { Process::Gone } else { Process::Free };
            }
            (Process::Asking(_) | Process::Gone, Kind::Invoke)
            | (Process::Free | Process::Gone, Kind::Ok | Kind::Fail | Kind::Info) => {
                let Entry { index, process, kind, .. } = entry;
                verdict.add("history", || format!("entry {index}: process {process} cannot {kind:?} now"));
            }
        }
    }
    requests
}

fn fate(kind: Kind) -> Fate {
    match kind {
        Kind::Ok => Fate::Ok,
        Kind::Fail => Fate::Fail,
        Kind::Info | Kind::Invoke => Fate::Unknown,
    }
}

fn count(history: &[Entry], requests: &[Request<'_>], verdict: &mut Verdict) {
    let of = |fate: Fate| count_of(requests.iter().filter(|request| request.fate == fate).count());
    let (oks, fails, unknowns) = (of(Fate::Ok), of(Fate::Fail), of(Fate::Unknown));
    let checked = &mut verdict.checked;
    (checked.entries, checked.requests) = (count_of(history.len()), count_of(requests.len()));
    (checked.oks, checked.fails, checked.unknowns) = (oks, fails, unknowns);
}

fn check_shape(entry: &Entry, verdict: &mut Verdict) {
    let index = entry.index;
    match entry.kind {
        Kind::Ok if !answers(&entry.ask, entry.answer.as_ref()) => {
            verdict.add("history", || format!("entry {index}: an ok without the answer that belongs to it"));
        }
        Kind::Fail if entry.error.is_none() => {
            verdict.add("history", || format!("entry {index}: a fail that does not say why"));
        }
        Kind::Fail | Kind::Info if entry.error.as_deref().is_some_and(|error| is_mistaken(entry, error)) => {
            let (what, error) = (function(&entry.ask), entry.error.as_deref().unwrap_or_default());
            verdict.add("defect-answers", || format!("entry {index}: {what} was answered {error}"));
        }
        Kind::Invoke | Kind::Ok | Kind::Fail | Kind::Info => {}
    }
}

/// Whether nobody should have been answered this, or not the one who asked.
fn is_mistaken(entry: &Entry, error: &str) -> bool {
    let to_the_honest = entry.kind == Kind::Fail && !entry.stranger;
    is_defect(error) || error.starts_with(UNREADABLE) || (to_the_honest && is_for_the_dishonest(error))
}

/// Whether it is an answer to this, and about what was asked for.
fn answers(ask: &Ask, answer: Option<&Answer>) -> bool {
    match (ask, answer) {
        (
            Ask::Place { hold, .. }
            | Ask::Extend { hold, .. }
            | Ask::Convert { hold, .. }
            | Ask::Cancel { hold }
            | Ask::Move { hold, .. }
            | Ask::GiveBack { hold, .. }
            | Ask::ReadHold { hold },
            Some(Answer::Hold { hold: seen, .. }),
        ) => seen.id == *hold,
        (
            Ask::PutPool { pool, .. } | Ask::Adjust { pool, .. } | Ask::ReadPool { pool },
            Some(Answer::Pool { pool: seen, .. }),
        ) => seen.name == *pool,
        (Ask::ReadHold { .. } | Ask::ReadPool { .. }, Some(Answer::Absent))
        | (Ask::ExpireTask { .. } | Ask::ChargeTask { .. }, Some(Answer::Task { .. })) => true,
        (_, Some(Answer::Hold { .. } | Answer::Pool { .. } | Answer::Absent | Answer::Task { .. }) | None) => false,
    }
}
