//! Some rows of a history, read without those before them: what they need of these is brought along.

use std::collections::HashMap;

use super::{HistoryRow, KnownRows, row_of};
use crate::stock::rules::Balance;
use crate::stock::{Basis, Move};

/// A row with what it is worth by now, revaluations included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveNow {
    pub row: Move,
    pub value_now: i64,
}

/// What has to be known of a row that others of a page are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceBefore {
    pub seq: i64,
    /// Revaluations included.
    pub value_now: i64,
    /// The row whose leftovers it was taken from, if it was.
    pub taken_from: Option<i64>,
    /// What the rows before the page have left of it.
    pub left: Balance,
}

/// The rows that a page is about: what is to be looked up for [`page_rows`].
pub fn sources_of(page: &[MoveNow]) -> Vec<i64> {
    let is_about = |row: &&MoveNow| matches!(row.row.basis, Basis::Source | Basis::Undo);
    let mut sources: Vec<i64> = page.iter().filter(is_about).filter_map(|row| row.row.source).collect();
    sources.sort_unstable();
    sources.dedup();
    sources
}

/// What [`rows_of`](super::rows_of) says of these rows, which follow each other in the order of effect. No revaluations.
pub fn page_rows(page: &[MoveNow], sources: &[SourceBefore]) -> Vec<HistoryRow> {
    let mut known = KnownRows::default();
    let mut left: HashMap<i64, Balance> = HashMap::new();
    for source in sources {
        known.values.insert(source.seq, source.value_now);
        known.sources.extend(source.taken_from.map(|taken_from| (source.seq, taken_from)));
        left.insert(source.seq, source.left);
    }
    for MoveNow { row, value_now } in page {
        known.values.insert(row.key.seq, *value_now);
        if let (Basis::Source, Some(source)) = (row.basis, row.source) {
            known.sources.insert(row.key.seq, source);
        }
    }
    page.iter().map(|row| row_of(&row.row, &known, &mut left)).collect()
}
