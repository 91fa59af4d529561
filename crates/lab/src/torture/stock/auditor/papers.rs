//! Every line of a document moved what it says, and once.

use std::collections::BTreeMap;

use uuid::Uuid;

use super::{Card, RowSeen, StockChecked, StockState, micros, papers};
use crate::torture::auditor::findings::{Verdict, count_of};
use crate::torture::history::Kind;
use crate::torture::stock::book::{ClerkAsk, ClerkEntry, DocumentSeen, LineSeen, OutcomeSeen, Paper, PaperLine};

const ONCE: &str = "posted-once";
const ASKED: &str = "posted-as-asked";
const RETURNED: &str = "returned-twice";

pub(super) fn check(history: &[ClerkEntry], state: &StockState, checked: &mut StockChecked, verdict: &mut Verdict) {
    check_rows(state, checked, verdict);
    let papers = papers(history);
    for (id, document) in posted(state) {
        checked.reversals += u64::from(document.kind == "reversal");
        checked.recounts += u64::from(document.kind == "recount");
        match papers.get(&id) {
            Some(paper) => {
                check_lines(document, paper, state, verdict);
                check_paid(document, paper, verdict);
            }
            None if document.kind == "reversal" => check_reversal(document, state, verdict),
            None => verdict.add(ASKED, || format!("nobody asked for document {id}: {document:?}")),
        }
    }
    check_returns(state, &papers, verdict);
    let sold = history.iter().filter(|entry| entry.kind == Kind::Ok);
    checked.held_and_sold = count_of(sold.filter(|entry| matches!(entry.ask, ClerkAsk::SellHold { .. })).count());
}

fn posted(state: &StockState) -> impl Iterator<Item = (Uuid, &DocumentSeen)> {
    let there = state.documents.iter().filter_map(|(id, found)| Some((*id, found.as_ref()?)));
    there.filter(|(_, document)| document.state != "draft")
}

/// The rows of ledgers are those that documents tell of: none twice, none missing, none of anybody else.
fn check_rows(state: &StockState, checked: &mut StockChecked, verdict: &mut Verdict) {
    let mut rows: BTreeMap<Uuid, Vec<(u32, i64, i64)>> = BTreeMap::new();
    for row in state.cards.iter().flat_map(|card| &card.posted) {
        checked.rows += 1;
        if row.basis == "revaluation" {
            checked.revaluations += 1;
        } else {
            rows.entry(row.document).or_default().push((row.line, row.seq, row.quantity));
        }
    }
    for (id, document) in posted(state) {
        let mut found = rows.remove(&id).unwrap_or_default();
        let mut told: Vec<(u32, i64, i64)> = Vec::new();
        for (line, outcome) in outcomes(document) {
            if outcome.seq > 0 {
                told.push((line, outcome.seq, outcome.quantity));
                told.extend(outcome.counter_seq.map(|seq| (line, seq, -outcome.quantity)));
            }
        }
        found.sort_unstable();
        told.sort_unstable();
        if found != told {
            verdict.add(ONCE, || format!("document {id} tells of {told:?}; its rows are {found:?}"));
        }
    }
    for (id, rows) in rows {
        verdict.add(ONCE, || format!("document {id} was not posted, and has rows: {rows:?}"));
    }
}

fn outcomes(document: &DocumentSeen) -> impl Iterator<Item = (u32, &OutcomeSeen)> {
    document.lines.iter().filter_map(|line: &LineSeen| Some((line.line, line.outcome.as_ref()?)))
}

fn check_lines(document: &DocumentSeen, paper: &Paper, state: &StockState, verdict: &mut Verdict) {
    for (index, line) in (1..).zip(&paper.lines) {
        let outcome = outcomes(document).find(|(number, _)| *number == index).map(|(_, outcome)| outcome);
        let wrong = match outcome {
            None => Some("has no outcome".to_owned()),
            Some(outcome) if outcome.skipped.is_some() => None,
            Some(outcome) => moved_otherwise(paper, line, outcome, state),
        };
        if let Some(wrong) = wrong {
            verdict.add(ASKED, || format!("line {index} {wrong}: asked {paper:?}, there is {document:?}"));
        }
    }
}

/// What is bought or opened comes in for what its lines cost, with the extra costs, to the last millionth. Of what was left
/// out nobody knows here which part of the extra costs was its own.
fn check_paid(document: &DocumentSeen, paper: &Paper, verdict: &mut Verdict) {
    if paper.kind != "purchase" && paper.kind != "opening" {
        return;
    }
    let (mut paid, mut worth, mut left_out) = (0_i64, Some(0_i64), false);
    for (index, line) in (1..).zip(&paper.lines) {
        // One that is missing is found by `check_lines`.
        let Some((_, outcome)) = outcomes(document).find(|(number, _)| *number == index) else { return };
        if outcome.skipped.is_some() {
            left_out = true;
            continue;
        }
        paid += line.amount.unwrap_or(0) * 1_000_000;
        worth = worth.zip(micros(&outcome.value)).map(|(sum, value)| sum + value);
    }
    let extra = paper.extra.unwrap_or(0) * 1_000_000;
    let is_paid = |worth: i64| {
        if left_out { (paid..=paid + extra).contains(&worth) } else { worth == paid + extra }
    };
    if !worth.is_some_and(is_paid) {
        verdict.add(ASKED, || format!("{paid} and {extra} were paid, and {worth:?} came in: {paper:?}, {document:?}"));
    }
}

fn moved_otherwise(paper: &Paper, line: &PaperLine, outcome: &OutcomeSeen, state: &StockState) -> Option<String> {
    let expected = match paper.kind.as_str() {
        "purchase" | "opening" | "customer_return" | "receipt" => line.count,
        "sale" | "supplier_return" | "write_off" | "transfer" | "transit_loss" => -line.count,
        "recount" => return counted_otherwise(paper, line, outcome, state),
        kind => return Some(format!("is of the kind {kind}")),
    };
    (outcome.quantity != expected).then(|| format!("moved {}, not {expected}", outcome.quantity))
}

/// A count is compared with what was there when it was made, and stands as long as that is there: costs may change.
fn counted_otherwise(paper: &Paper, line: &PaperLine, outcome: &OutcomeSeen, state: &StockState) -> Option<String> {
    let (against, product) = (line.against?, line.product.as_deref()?);
    let card = card(state, &paper.store, product)?;
    let then = if against.seq == 0 { 0 } else { row(card, against.seq)?.balance.quantity };
    if outcome.quantity != line.count - then {
        return Some(format!("moved {}; {} were counted where {then} were", outcome.quantity, line.count));
    }
    let before = if outcome.seq > 0 { row(card, outcome.seq)?.balance.quantity - outcome.quantity } else { then };
    (before != then && !against.difference)
        .then(|| format!("counted where {then} were, and there were {before} when that was posted"))
}

fn card<'s>(state: &'s StockState, store: &str, product: &str) -> Option<&'s Card> {
    let is_it = |card: &&Card| card.item.store == store && card.item.product == product && card.item.place == "on_hand";
    state.cards.iter().find(is_it)
}

fn row(card: &Card, seq: i64) -> Option<&RowSeen> {
    card.posted.iter().find(|row| row.seq == seq)
}

fn check_reversal(reversal: &DocumentSeen, state: &StockState, verdict: &mut Verdict) {
    let reversed = reversal.about.and_then(|about| state.documents.get(&about)?.as_ref());
    let Some(reversed) = reversed else {
        return verdict.add(ASKED, || format!("what was reversed is not there: {reversal:?}"));
    };
    // What moved from one place to another moves back; which of the two rows is told first, nobody says.
    let moved = |document: &DocumentSeen, sign: i64| -> Vec<(u32, i64)> {
        let quantity = |outcome: &OutcomeSeen| match outcome.counter_seq {
            Some(_) => outcome.quantity.abs(),
            None => sign * outcome.quantity,
        };
        outcomes(document).map(|(line, outcome)| (line, quantity(outcome))).collect()
    };
    let moves_back = moved(reversal, 1) == moved(reversed, -1);
    if !moves_back || reversed.state != "reversed" || reversed.reversed_by != Some(reversal.id) {
        verdict.add(ASKED, || format!("{reversal:?} does not move back {reversed:?}"));
    }
}

/// No more comes back of a line than it moved, and what is left of it is the rest.
fn check_returns(state: &StockState, papers: &BTreeMap<Uuid, Paper>, verdict: &mut Verdict) {
    let mut taken: BTreeMap<(Uuid, u32), i64> = BTreeMap::new();
    for (id, document) in posted(state).filter(|(_, document)| document.state == "posted") {
        let Some(paper) = papers.get(&id).filter(|paper| paper.about.is_some()) else { continue };
        for (line, (_, outcome)) in paper.lines.iter().zip(outcomes(document)) {
            let of = (paper.about.unwrap_or_default(), line.of_line.unwrap_or(0));
            *taken.entry(of).or_default() += outcome.quantity.abs();
        }
    }
    for ((id, line), taken) in taken {
        let about = state.documents.get(&id).and_then(Option::as_ref);
        let outcome = about.and_then(|about| outcomes(about).find(|(number, _)| *number == line));
        let Some((_, outcome)) = outcome else {
            verdict.add(RETURNED, || format!("{taken} came back of line {line} of {id}, which is not there"));
            continue;
        };
        let left = outcome.left.as_ref().map_or(0, |left| left.quantity);
        if outcome.quantity.abs() != taken + left {
            verdict.add(RETURNED, || {
                format!(
                    "{taken} came back of line {line} of {id}, which moved {} and has {left} left",
                    outcome.quantity
                )
            });
        }
    }
}
