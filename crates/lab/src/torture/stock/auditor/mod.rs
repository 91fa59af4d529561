//! What clerks were told, what the ledgers say and what is there: all agree. Uses neither the core nor the engine: what
//! goods come in for is worked out anew from the documents, and what they leave for from what was there.
//!
//! | file | rules |
//! |---|---|
//! | `told.rs` | `clerk-told`: what a clerk was told of a document is true, and what was refused is nowhere |
//! | `papers.rs` | `posted-once`, `posted-as-asked`, `returned-twice`: every line moved what it says, once, for what was paid |
//! | `cards.rs` | `stock-adds-up`, `stock-cost`: ledgers, items and pools agree, to the last millionth |
//! | `promised.rs` | `promised-goods-sold`: nothing leaves that somebody was promised |

mod cards;
mod papers;
mod promised;
#[cfg(test)]
mod tests;
mod told;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::torture::auditor::findings::{Verdict, count_of};
use crate::torture::auditor::judge::replayed;
use crate::torture::auditor::state::FinalState;
use crate::torture::history::{Kind, UNREADABLE};
use crate::torture::stock::book::{ClerkAsk, ClerkEntry, DocumentSeen, ItemSeen, Paper, PaperLine};

/// Below this many requests, chance alone may leave something out: a reversal comes once in 35.
pub(super) const FLOORS_FROM_REQUESTS: u64 = 5_000;

/// What is judged beside what clerks wrote down.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct StockState {
    /// The tenant of the stores as any tenant is seen.
    pub stores: FinalState,
    /// Every document that was asked for, with all its lines; `None` if there is none.
    pub documents: BTreeMap<Uuid, Option<DocumentSeen>>,
    pub cards: Vec<Card>,
    /// What had not come to its end a minute after everything was healed.
    pub unfinished: Vec<String>,
}

/// An item and its whole ledger.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Card {
    pub item: ItemSeen,
    /// In the order of posting.
    pub posted: Vec<RowSeen>,
    /// In the order in which things took effect: what rows cost by now; revaluations are none.
    pub by_effect: Vec<RowSeen>,
}

/// A row of a ledger as the API shows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowSeen {
    pub seq: i64,
    pub document: Uuid,
    pub line: u32,
    pub kind: String,
    pub basis: String,
    pub quantity: i64,
    pub value: String,
    pub balance: BalanceSeen,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BalanceSeen {
    pub quantity: i64,
    pub value: String,
}

/// How much was looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StockChecked {
    pub requests: u64,
    pub documents: u64,
    /// Nobody knew whether they were posted, and they were.
    pub unknowns_posted: u64,
    pub rows: u64,
    pub revaluations: u64,
    pub reversals: u64,
    pub recounts: u64,
    pub held_and_sold: u64,
    pub events: u64,
}

impl StockChecked {
    /// For the report.
    pub(super) fn rows(&self) -> Vec<(&'static str, u64)> {
        let StockChecked {
            requests,
            documents,
            unknowns_posted,
            rows,
            revaluations,
            reversals,
            recounts,
            held_and_sold,
            events,
        } = *self;
        vec![
            ("requests of clerks", requests),
            ("documents that were posted", documents),
            ("of these, nobody was told so", unknowns_posted),
            ("of these, reversals", reversals),
            ("of these, recounts", recounts),
            ("goods that were held and sold", held_and_sold),
            ("rows of ledgers, added up", rows),
            ("of these, costs that changed later", revaluations),
            ("events of the feed, replayed", events),
        ]
    }

    /// A rule that had nothing to look at has proved nothing.
    pub fn never(&self) -> impl Iterator<Item = &'static str> {
        let counts = [
            ("documents", self.documents),
            ("rows of ledgers", self.rows),
            ("revaluations", self.revaluations),
            ("reversals", self.reversals),
            ("recounts", self.recounts),
            ("goods that were held and sold", self.held_and_sold),
            ("events of the stores", self.events),
        ];
        counts.into_iter().filter(|(_, count)| *count == 0).map(|(what, _)| what)
    }
}

/// Says what cannot be. Pure.
pub fn judge_stock(history: &[ClerkEntry], state: &StockState) -> (Verdict, StockChecked) {
    let mut verdict = Verdict::default();
    let requests = history.iter().filter(|entry| entry.kind == Kind::Invoke);
    let mut checked = StockChecked { requests: count_of(requests.count()), ..StockChecked::default() };
    for entry in history.iter().filter(|entry| is_defect(entry)) {
        verdict.add("defect-answers", || format!("{entry:?}"));
    }
    told::check(history, state, &mut checked, &mut verdict);
    papers::check(history, state, &mut checked, &mut verdict);
    let replay = replayed(&state.stores, &mut verdict);
    checked.events = count_of(replay.events.len());
    promised::check(state, &replay, &mut verdict);
    cards::check(state, &mut verdict);
    for what in &state.unfinished {
        verdict.add("converged", || format!("{what} had not come to its end a minute after everything was healed"));
    }
    if state.stores.torn || !state.stores.settled {
        verdict.add("converged", || "the stores had not come to rest a minute after everything was healed".to_owned());
    }
    (verdict, checked)
}

/// Nobody is to hear that somebody else was faster: it is asked again for them.
const NEVER_SAID: [&str; 2] = ["defect", "changed"];

fn is_defect(entry: &ClerkEntry) -> bool {
    let never = |error: &String| NEVER_SAID.contains(&error.as_str()) || error.starts_with(UNREADABLE);
    entry.error.as_ref().is_some_and(never)
}

/// What was asked to be posted, by document, with the lines of all parts of long ones. However often a part is asked for, it
/// is one.
fn papers(history: &[ClerkEntry]) -> BTreeMap<Uuid, Paper> {
    let mut papers: BTreeMap<Uuid, Paper> = BTreeMap::new();
    let mut parts: BTreeMap<(Uuid, u32), &[PaperLine]> = BTreeMap::new();
    for entry in history {
        match &entry.ask {
            ClerkAsk::Document { document, paper }
            | ClerkAsk::Draft { document, paper }
            | ClerkAsk::SellHold { document, paper, .. } => {
                papers.insert(*document, paper.clone());
            }
            ClerkAsk::Part { document, number, lines } => {
                parts.insert((*document, *number), lines);
            }
            ClerkAsk::Post { .. }
            | ClerkAsk::Reverse { .. }
            | ClerkAsk::HoldGoods { .. }
            | ClerkAsk::ReleaseHold { .. }
            | ClerkAsk::BookHold { .. }
            | ClerkAsk::ReadDocument { .. }
            | ClerkAsk::ReadItem { .. } => {}
        }
    }
    for ((document, _), lines) in parts {
        if let Some(paper) = papers.get_mut(&document) {
            paper.lines.extend_from_slice(lines);
        }
    }
    papers
}

/// Millionths of what is written as a decimal number; `None` if it is none.
fn micros(decimal: &str) -> Option<i64> {
    let (sign, digits) = decimal.strip_prefix('-').map_or((1, decimal), |digits| (-1, digits));
    let (whole, rest) = digits.split_once('.').unwrap_or((digits, ""));
    let is_written = whole.bytes().chain(rest.bytes()).all(|byte| byte.is_ascii_digit()) && rest.len() <= 6;
    if whole.is_empty() || !is_written {
        return None;
    }
    let rest: i64 = format!("{rest:0<6}").parse().ok()?;
    whole.parse::<i64>().ok()?.checked_mul(1_000_000)?.checked_add(rest)?.checked_mul(sign)
}
