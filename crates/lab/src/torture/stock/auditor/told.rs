//! What a clerk was told of a document is true at the end: it is there, with the same outcome; and what was refused is
//! nowhere.

use std::collections::BTreeMap;

use uuid::Uuid;

use super::{StockChecked, StockState};
use crate::torture::auditor::findings::Verdict;
use crate::torture::history::Kind;
use crate::torture::stock::book::{ClerkAsk, ClerkEntry, DocumentSeen, OutcomeSeen};

const RULE: &str = "clerk-told";

/// Whether a document was posted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Posted {
    #[default]
    No,
    /// Nobody knows.
    Perhaps,
    Yes,
}

/// What is certain of one document, from what clerks were told.
#[derive(Debug, Default)]
struct CertainOfDocument<'a> {
    posted: Posted,
    /// It may be there, and a draft.
    drafted: bool,
    /// By this one.
    reversed_by: Option<Uuid>,
    /// Of each line, as somebody was told.
    outcomes: BTreeMap<u32, &'a OutcomeSeen>,
    /// Two were told something else.
    told_twice: bool,
}

pub(super) fn check(history: &[ClerkEntry], state: &StockState, checked: &mut StockChecked, verdict: &mut Verdict) {
    for (id, known) in known(history) {
        let found = state.documents.get(&id).and_then(Option::as_ref);
        let is_posted = found.is_some_and(|found| found.state != "draft");
        checked.documents += u64::from(is_posted);
        checked.unknowns_posted += u64::from(is_posted && known.posted == Posted::Perhaps);
        if let Some(wrong) = known.contradiction(found) {
            verdict.add(RULE, || format!("document {id} {wrong}: clerks know {known:?}, there is {found:?}"));
        }
    }
}

fn known(history: &[ClerkEntry]) -> BTreeMap<Uuid, CertainOfDocument<'_>> {
    let mut all: BTreeMap<Uuid, CertainOfDocument<'_>> = BTreeMap::new();
    for entry in history {
        let about = match &entry.ask {
            ClerkAsk::ReadDocument { document } => Some(*document),
            ask => ask.document(),
        };
        let Some(id) = about else { continue };
        let known = all.entry(id).or_default();
        match entry.kind {
            Kind::Ok => known.learn(entry),
            Kind::Info => known.doubt(&entry.ask),
            Kind::Invoke | Kind::Fail => {}
        }
        if let (Kind::Ok, ClerkAsk::Reverse { document, reverses }) = (entry.kind, &entry.ask) {
            all.entry(*reverses).or_default().reversed_by = Some(*document);
        }
    }
    all
}

/// Whether it posts a document if it is done.
fn posts(ask: &ClerkAsk) -> bool {
    match ask {
        ClerkAsk::Document { .. } | ClerkAsk::Post { .. } | ClerkAsk::Reverse { .. } | ClerkAsk::SellHold { .. } => {
            true
        }
        ClerkAsk::Draft { .. }
        | ClerkAsk::Part { .. }
        | ClerkAsk::HoldGoods { .. }
        | ClerkAsk::ReleaseHold { .. }
        | ClerkAsk::BookHold { .. }
        | ClerkAsk::ReadDocument { .. }
        | ClerkAsk::ReadItem { .. } => false,
    }
}

impl<'a> CertainOfDocument<'a> {
    fn learn(&mut self, entry: &'a ClerkEntry) {
        let seen = entry.answer.as_ref().and_then(|answer| answer.document.as_ref());
        let is_posted = seen.is_some_and(|seen| seen.state != "draft");
        if posts(&entry.ask) || is_posted {
            self.posted = Posted::Yes;
        }
        self.drafted |= matches!(entry.ask, ClerkAsk::Draft { .. } | ClerkAsk::Part { .. });
        for line in seen.iter().flat_map(|seen| &seen.lines) {
            let Some(outcome) = &line.outcome else { continue };
            let before = self.outcomes.insert(line.line, outcome);
            self.told_twice |= before.is_some_and(|before| !is_same(before, outcome));
        }
    }

    fn doubt(&mut self, ask: &ClerkAsk) {
        self.drafted |= matches!(ask, ClerkAsk::Draft { .. } | ClerkAsk::Part { .. });
        if posts(ask) && self.posted == Posted::No {
            self.posted = Posted::Perhaps;
        }
    }

    /// What is wrong, if anything is.
    fn contradiction(&self, found: Option<&DocumentSeen>) -> Option<&'static str> {
        let Some(found) = found else {
            return (self.posted == Posted::Yes || self.reversed_by.is_some()).then_some("is not there");
        };
        match (self.posted, found.state.as_str()) {
            (_, "draft") if !self.drafted => return Some("was left behind as a draft"),
            (Posted::Yes | Posted::Perhaps, "posted" | "reversed") | (Posted::Perhaps | Posted::No, "draft") => {}
            (Posted::No, _) => return Some("is posted, though that was refused"),
            (Posted::Yes | Posted::Perhaps, _) => return Some("is not posted"),
        }
        if self.reversed_by.is_some() && found.reversed_by != self.reversed_by {
            return Some("is not reversed, or by another one");
        }
        if self.told_twice {
            return Some("was told in two ways");
        }
        let differs = |(line, told): (&u32, &&OutcomeSeen)| {
            let found = found.lines.iter().find(|seen| seen.line == *line);
            found.and_then(|seen| seen.outcome.as_ref()).is_none_or(|outcome| !is_same(outcome, told))
        };
        self.outcomes.iter().any(differs).then_some("has another outcome than was told")
    }
}

/// What is left of a line changes; what moved does not.
fn is_same(one: &OutcomeSeen, other: &OutcomeSeen) -> bool {
    let of = |outcome: &OutcomeSeen| (outcome.quantity, outcome.seq, outcome.counter_seq);
    of(one) == of(other) && one.value == other.value && one.skipped == other.skipped
}
