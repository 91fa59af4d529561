//! The past of an item, in the order in which things took effect: what was there at an instant, and what everything
//! after it costs now that something before it has changed.
//!
//! Rows of the ledger never change, so whoever runs a command may read them outside of its turn and bring them along. The
//! command checks that they add up to what the item has, and loads the few rows that are newer. A revaluation has the
//! instant of the row it is about, so that what was there at an instant is the sum of all rows up to it.

mod newer;
mod page;

use std::collections::HashMap;

pub(in crate::stock) use newer::are_about_others;
pub use page::{MoveNow, SourceBefore, page_rows, sources_of};

use super::rules::Balance;
use super::{Basis, Counter, ItemKey, Move};
use crate::kernel::{Preparation, Timestamp};

pub use super::replay::{LedgerFault, Replay, Replayed, replay};

/// So many later rows are worked out in the transaction of the document itself, and in each step of a long revaluation.
pub const ROWS_PER_STEP_MAX: usize = 500;

/// What a command has to know about the past of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryQuestion {
    pub item: ItemKey,
    /// What was there when everything up to this instant had taken effect, and what came later.
    pub at: Timestamp,
    /// Rows of which it has to be known what they cost by now, and what is left of them.
    pub sources: Vec<i64>,
}

/// The answer to a [`HistoryQuestion`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemHistory {
    pub item: ItemKey,
    pub at: Timestamp,
    /// The ledger had got to this row when it was read.
    pub upto_seq: i64,
    pub before: Balance,
    pub later: Later,
    pub sources: Vec<SourceNow>,
}

/// The pasts that a command asks for: see [`Facts::prepare`](crate::kernel::Facts::prepare).
#[derive(Clone, Debug, Default)]
pub struct Histories(Vec<ItemHistory>);

impl Preparation for Histories {
    type Question = Vec<HistoryQuestion>;
}

impl Histories {
    pub fn new(histories: Vec<ItemHistory>) -> Histories {
        Histories(histories)
    }

    /// With answers in the place of older ones: what was asked for again had got too old.
    #[must_use]
    pub fn with(&self, answers: Vec<ItemHistory>) -> Histories {
        let is_answered = |item: &ItemKey| answers.iter().any(|answer| answer.item == *item);
        let kept: Vec<ItemHistory> = self.0.iter().filter(|known| !is_answered(&known.item)).cloned().collect();
        Histories(kept.into_iter().chain(answers).collect())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &ItemHistory> {
        self.0.iter()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Later {
    /// All of them, in the order in which they took effect.
    Rows(Vec<HistoryRow>),
    /// Too many to be looked at at once.
    Many {
        quantity: i64,
        value: i64,
        /// The least that was there from then on, and when.
        lowest: i64,
        lowest_at: Timestamp,
        /// When the last of them took effect.
        last_at: Timestamp,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceNow {
    pub seq: i64,
    /// What the row cost, revaluations included; not less than zero.
    pub cost: i64,
    /// What has not been returned or received of it.
    pub left: Balance,
}

/// A row with what it is worth by now, revaluations included. Revaluations are no rows here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryRow {
    pub seq: i64,
    pub effective_at: Timestamp,
    pub quantity: i64,
    pub value: i64,
    pub derives: Derives,
    /// The row whose leftovers this one adds to: it undoes one that took from them.
    pub puts_back: Option<i64>,
    pub counter: Option<Counter>,
}

/// How a row's cost follows from what was before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derives {
    /// It does not.
    Not,
    FromAverage,
    /// From what was left of a row.
    FromSource {
        source: i64,
        left: Balance,
    },
    /// Undoes a row that came in for so much.
    FromUndone {
        source: i64,
        came_for: i64,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkError {
    /// There would have been less than nothing.
    Short {
        quantity: i64,
    },
    OutOfRange,
}

/// Goes through later rows and says what each costs now.
#[derive(Clone, Debug)]
pub struct Walk {
    state: Balance,
    costs: HashMap<i64, i64>,
    left: HashMap<i64, Balance>,
    /// By how much more was put back to a row, before this walk took from it, than the stored values say.
    put_back: HashMap<i64, i64>,
}

impl Walk {
    pub fn new(state: Balance) -> Walk {
        Walk { state, costs: HashMap::new(), left: HashMap::new(), put_back: HashMap::new() }
    }

    pub fn state(&self) -> Balance {
        self.state
    }

    /// By how much the row's value changes.
    pub fn step(&mut self, row: &HistoryRow) -> Result<i64, WalkError> {
        let quantity = self.state.quantity.checked_add(row.quantity).ok_or(WalkError::OutOfRange)?;
        if quantity < 0 {
            return Err(WalkError::Short { quantity });
        }
        let cost = self.cost(row);
        let value = if row.quantity < 0 { cost.strict_neg() } else { cost };
        // How much there may be is looked at when documents are posted. A past that is written down must stay walkable,
        // whatever it comes to in between.
        let value_then = self.state.value.checked_add(value).filter(|sum| *sum >= 0).ok_or(WalkError::OutOfRange)?;
        let change = value.checked_sub(row.value).ok_or(WalkError::OutOfRange)?;
        self.state = Balance { quantity, value: value_then };
        self.put_back(row, cost);
        self.costs.insert(row.seq, cost);
        self.left.insert(row.seq, Balance { quantity: units(row), value: cost });
        Ok(change)
    }

    /// Nobody will ask for what this row cost, or what is left of it.
    pub(super) fn forget(&mut self, seq: i64) {
        self.costs.remove(&seq);
        self.left.remove(&seq);
    }

    fn cost(&mut self, row: &HistoryRow) -> i64 {
        let (units, known) = (units(row), row.value.saturating_abs());
        match row.derives {
            Derives::Not => known,
            Derives::FromAverage if row.quantity < 0 => self.state.cost_of(units),
            // Found on top of something that, as is known by now, was not there.
            Derives::FromAverage => self.state.at_average(units).unwrap_or(0),
            Derives::FromSource { source, left } => {
                let left = self.left_of(source, left);
                if left.quantity < units {
                    return known;
                }
                let (cost, rest) = left.take(units);
                self.left.insert(source, rest);
                cost
            }
            Derives::FromUndone { source, came_for } => {
                let came_for = self.costs.get(&source).copied().unwrap_or(came_for);
                self.state.cost_of_undone(units, came_for)
            }
        }
    }

    /// What is left of a row; `stored` is what the stored values of all rows say, those of this walk included.
    fn left_of(&self, source: i64, stored: Balance) -> Balance {
        let put_back = self.put_back.get(&source).copied().unwrap_or(0);
        let as_stored = || Balance { value: stored.value.saturating_add(put_back), ..stored };
        self.left.get(&source).copied().unwrap_or_else(as_stored)
    }

    fn put_back(&mut self, row: &HistoryRow, cost: i64) {
        let Some(source) = row.puts_back else { return };
        let (taken, stored) = match row.derives {
            Derives::FromUndone { source, came_for } => {
                (self.costs.get(&source).copied().unwrap_or(came_for), came_for)
            }
            Derives::FromSource { .. } | Derives::FromAverage | Derives::Not => (cost, row.value.saturating_abs()),
        };
        if let Some(left) = self.left.get_mut(&source) {
            left.quantity = left.quantity.saturating_add(units(row));
            left.value = left.value.saturating_add(taken);
        } else {
            // The source is before this walk. A later row that takes from it brings what is left by the stored values.
            let change = self.put_back.entry(source).or_insert(0);
            *change = change.saturating_add(taken.saturating_sub(stored));
        }
    }
}

fn units(row: &HistoryRow) -> i64 {
    row.quantity.saturating_abs()
}

impl HistoryRow {
    /// A row whose cost needs no other row to be worked out; `None` for any other.
    pub(super) fn alone(row: &Move) -> Option<HistoryRow> {
        let derives = match row.basis {
            Basis::Given => Derives::Not,
            Basis::Average => Derives::FromAverage,
            Basis::Source | Basis::Undo | Basis::Revaluation => return None,
        };
        Some(HistoryRow {
            seq: row.key.seq,
            effective_at: row.effective_at,
            quantity: row.quantity,
            value: row.value,
            derives,
            puts_back: None,
            counter: row.counter.clone(),
        })
    }
}

/// What of a row says how its cost follows from others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effect {
    pub(super) seq: i64,
    pub(super) effective_at: Timestamp,
    pub(super) quantity: i64,
    pub(super) basis: Basis,
    /// 0 if there is none.
    pub(super) source: i64,
}

/// What has to be known of other rows of a ledger.
pub(super) trait Effects {
    /// What a row is worth by now, revaluations included.
    fn value_now(&self, seq: i64) -> i64;

    /// The row whose leftovers a row took from.
    fn source_of(&self, seq: i64) -> Option<i64>;
}

/// Rows that are looked up by their numbers.
#[derive(Debug, Default)]
struct KnownRows {
    values: HashMap<i64, i64>,
    sources: HashMap<i64, i64>,
}

impl Effects for KnownRows {
    fn value_now(&self, seq: i64) -> i64 {
        self.values.get(&seq).copied().unwrap_or(0)
    }

    fn source_of(&self, seq: i64) -> Option<i64> {
        self.sources.get(&seq).copied()
    }
}

/// All rows of a ledger, which is given in the order of posting, in the order in which they took effect.
pub fn rows_of(ledger: &[Move]) -> Vec<HistoryRow> {
    let mut known = KnownRows::default();
    for row in ledger {
        let seq = if row.basis == Basis::Revaluation { row.source.unwrap_or(row.key.seq) } else { row.key.seq };
        let value = known.values.entry(seq).or_insert(0);
        *value = value.strict_add(row.value);
        if let (Basis::Source, Some(source)) = (row.basis, row.source) {
            known.sources.insert(row.key.seq, source);
        }
    }
    let mut rows: Vec<&Move> = ledger.iter().filter(|row| row.basis != Basis::Revaluation).collect();
    rows.sort_by_key(|row| (row.effective_at, row.key.seq));
    let mut left: HashMap<i64, Balance> = HashMap::new();
    rows.into_iter().map(|row| row_of(row, &known, &mut left)).collect()
}

fn row_of(row: &Move, known: &KnownRows, left: &mut HashMap<i64, Balance>) -> HistoryRow {
    let &Move { effective_at, quantity, basis, .. } = row;
    let effect = Effect { seq: row.key.seq, effective_at, quantity, basis, source: row.source.unwrap_or(0) };
    HistoryRow { counter: row.counter.clone(), ..history_row(effect, known, left) }
}

/// A row as history sees it, given what is left of those before it; the counter is left out.
pub(super) fn history_row(row: Effect, known: &impl Effects, left: &mut HashMap<i64, Balance>) -> HistoryRow {
    let Effect { seq, effective_at, quantity, basis, source } = row;
    let (value, units) = (known.value_now(seq), quantity.saturating_abs());
    let (derives, puts_back) = match basis {
        Basis::Given | Basis::Revaluation => (Derives::Not, None),
        Basis::Average => (Derives::FromAverage, None),
        Basis::Source => {
            let left = left.entry(source).or_default();
            let before = *left;
            left.quantity = left.quantity.saturating_sub(units);
            left.value = left.value.saturating_sub(value.saturating_abs());
            (Derives::FromSource { source, left: before }, known.source_of(source))
        }
        Basis::Undo => {
            let came_for = known.value_now(source).saturating_abs();
            (Derives::FromUndone { source, came_for }, known.source_of(source))
        }
    };
    if let Some(left) = puts_back.and_then(|source| left.get_mut(&source)) {
        let taken = match derives {
            Derives::FromUndone { came_for, .. } => came_for,
            Derives::FromSource { .. } | Derives::FromAverage | Derives::Not => value.saturating_abs(),
        };
        left.quantity = left.quantity.saturating_add(units);
        left.value = left.value.saturating_add(taken);
    }
    left.insert(seq, Balance { quantity: units, value: value.saturating_abs() });
    HistoryRow { seq, effective_at, quantity, value, derives, puts_back, counter: None }
}

impl ItemHistory {
    /// From the whole ledger of the item.
    pub fn of(question: &HistoryQuestion, ledger: &[Move]) -> ItemHistory {
        let rows = rows_of(ledger);
        let sources = question.sources.iter().filter_map(|seq| source_now(&rows, *seq)).collect();
        let (before, later): (Vec<HistoryRow>, Vec<HistoryRow>) =
            rows.into_iter().partition(|row| row.effective_at <= question.at);
        let before = sum(&before);
        let later =
            if later.len() <= ROWS_PER_STEP_MAX { Later::Rows(later) } else { many(before, question.at, &later) };
        let upto_seq = ledger.last().map_or(0, |row| row.key.seq);
        ItemHistory { item: question.item.clone(), at: question.at, upto_seq, before, later, sources }
    }

    /// All that is there, early and late.
    pub(super) fn sum(&self) -> Balance {
        let (quantity, value) = match &self.later {
            Later::Rows(rows) => (sum(rows).quantity, sum(rows).value),
            Later::Many { quantity, value, .. } => (*quantity, *value),
        };
        Balance { quantity: self.before.quantity.strict_add(quantity), value: self.before.value.strict_add(value) }
    }

    /// The least that was there from `at` on.
    pub(super) fn lowest(&self) -> (i64, Timestamp) {
        match &self.later {
            Later::Rows(rows) => lowest(self.before, self.at, rows),
            Later::Many { lowest, lowest_at, .. } => (*lowest, *lowest_at),
        }
    }
}

pub fn sum(rows: &[HistoryRow]) -> Balance {
    rows.iter().fold(Balance::NOTHING, |sum, row| Balance {
        quantity: sum.quantity.strict_add(row.quantity),
        value: sum.value.strict_add(row.value),
    })
}

fn lowest(before: Balance, at: Timestamp, rows: &[HistoryRow]) -> (i64, Timestamp) {
    let mut lowest = (before.quantity, at);
    let mut quantity = before.quantity;
    for row in rows {
        quantity = quantity.strict_add(row.quantity);
        lowest = lowest.min((quantity, row.effective_at));
    }
    lowest
}

fn many(before: Balance, at: Timestamp, rows: &[HistoryRow]) -> Later {
    let Balance { quantity, value } = sum(rows);
    let (lowest, lowest_at) = lowest(before, at, rows);
    let last_at = rows.last().map_or(at, |row| row.effective_at);
    Later::Many { quantity, value, lowest, lowest_at, last_at }
}

fn source_now(rows: &[HistoryRow], seq: i64) -> Option<SourceNow> {
    let row = rows.iter().find(|row| row.seq == seq)?;
    let cost = row.value.saturating_abs();
    let mut left = Balance { quantity: units(row), value: cost };
    for other in rows {
        let is_take = matches!(other.derives, Derives::FromSource { source, .. } if source == seq);
        if is_take {
            left.quantity = left.quantity.strict_sub(units(other));
            left.value = left.value.strict_sub(other.value.saturating_abs());
        }
        if other.puts_back == Some(seq) {
            let taken = match other.derives {
                Derives::FromUndone { came_for, .. } => came_for,
                Derives::FromSource { .. } | Derives::FromAverage | Derives::Not => other.value.saturating_abs(),
            };
            left.quantity = left.quantity.strict_add(units(other));
            left.value = left.value.strict_add(taken);
        }
    }
    // While the row and those that took from it are worked out anew, they may not fit each other.
    left.value = left.value.max(0);
    Some(SourceNow { seq, cost, left })
}

/// A row that somebody thinks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewRow {
    /// Less than zero goes out.
    pub quantity: i64,
    /// Of goods that come in; `None` takes the average.
    pub cost: Option<i64>,
}

/// What would change if rows took effect at an instant: before they are posted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// Of the new rows.
    pub values: Vec<i64>,
    /// Rows that would cost something else, and by how much their values change.
    pub revalued: Vec<(i64, i64)>,
    pub after: Balance,
}

/// The same walk that posting does. `before` is what was there at `at`, `later` are the rows behind it.
pub fn preview(before: Balance, later: &[HistoryRow], new: &[NewRow], at: Timestamp) -> Result<Preview, WalkError> {
    let mut walk = Walk::new(before);
    let mut values = Vec::with_capacity(new.len());
    for NewRow { quantity, cost } in new {
        let (derives, value) = cost.map_or((Derives::FromAverage, 0), |cost| (Derives::Not, cost));
        let quantity = *quantity;
        let row = HistoryRow { seq: 0, effective_at: at, quantity, value, derives, puts_back: None, counter: None };
        values.push(value.strict_add(walk.step(&row)?));
    }
    let mut revalued = Vec::new();
    for row in later {
        let delta = walk.step(row)?;
        if delta != 0 {
            revalued.push((row.seq, delta));
        }
    }
    Ok(Preview { values, revalued, after: walk.state() })
}
