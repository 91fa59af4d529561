//! Rows that were posted after a history was read, put where they belong in it: many documents may take effect in the past
//! of one item at once, and none of them should have to read all of it again because another one was faster.

use std::collections::HashSet;

use super::{Derives, HistoryRow, ItemHistory, Later};
use crate::stock::rules::Balance;
use crate::stock::{Basis, Move};

impl ItemHistory {
    /// With rows that were posted after it was read, in that order; `None` if it has to be read again to know what they
    /// come to.
    pub(in crate::stock) fn continued(&self, newer: &[Move]) -> Option<ItemHistory> {
        let is_about_earlier = self.is_about_earlier();
        let mut history = self.clone();
        for row in newer {
            // What is left of a row before these cannot be told any more when a cost has changed.
            if row.basis == Basis::Revaluation && is_about_earlier {
                return None;
            }
            history.add(row)?;
        }
        Some(history)
    }

    /// With rows that were posted since it was read, in that order, up to the first one that others may be about.
    #[must_use]
    pub fn caught_up(mut self, newer: &[Move]) -> ItemHistory {
        for row in newer {
            let is_next = row.key.seq == self.upto_seq.strict_add(1);
            // What sources cost and have left stays as it was read: nothing that changes it is taken in.
            if !is_next || HistoryRow::alone(row).is_none() || self.add(row).is_none() {
                break;
            }
        }
        self
    }

    /// Whether the cost of one of the rows follows from one that is not among them.
    fn is_about_earlier(&self) -> bool {
        match &self.later {
            Later::Rows(rows) => are_about_others(rows),
            Later::Many { .. } => false,
        }
    }

    /// Changes nothing if it cannot be done.
    fn add(&mut self, row: &Move) -> Option<()> {
        match row.basis {
            Basis::Given | Basis::Average => self.add_alone(HistoryRow::alone(row)?)?,
            Basis::Revaluation => self.add_revaluation(row)?,
            Basis::Source | Basis::Undo => return None,
        }
        self.upto_seq = row.key.seq;
        Some(())
    }

    fn add_alone(&mut self, row: HistoryRow) -> Option<()> {
        let (at, there) = (self.at, self.sum().quantity.strict_add(row.quantity));
        match &mut self.later {
            Later::Rows(_) if row.effective_at <= at => add_to(&mut self.before, row.quantity, row.value),
            Later::Rows(rows) => {
                // Among those of the same instant, what was posted last comes last.
                let place = rows.partition_point(|known| known.effective_at <= row.effective_at);
                rows.insert(place, row);
            }
            Later::Many { lowest, .. } if row.effective_at <= at => {
                *lowest = lowest.strict_add(row.quantity);
                add_to(&mut self.before, row.quantity, row.value);
            }
            Later::Many { quantity, value, lowest, lowest_at, last_at } => {
                if *last_at <= row.effective_at {
                    (*lowest, *lowest_at) = (*lowest, *lowest_at).min((there, row.effective_at));
                    *last_at = row.effective_at;
                } else if row.quantity < 0 && row.effective_at < *lowest_at {
                    *lowest = lowest.strict_add(row.quantity);
                } else if row.quantity < 0 || row.effective_at < *lowest_at {
                    // Which instant has the least now is not known.
                    return None;
                }
                (*quantity, *value) = (quantity.strict_add(row.quantity), value.strict_add(row.value));
            }
        }
        Some(())
    }

    fn add_revaluation(&mut self, row: &Move) -> Option<()> {
        let is_earlier = row.effective_at <= self.at;
        match &mut self.later {
            Later::Rows(_) | Later::Many { .. } if is_earlier => add_to(&mut self.before, 0, row.value),
            Later::Rows(rows) => {
                let known = rows.iter_mut().find(|known| Some(known.seq) == row.source)?;
                known.value = known.value.strict_add(row.value);
            }
            Later::Many { value, .. } => *value = value.strict_add(row.value),
        }
        Some(())
    }
}

/// Whether the cost of one of these rows follows from one that is not among them.
pub(in crate::stock) fn are_about_others(rows: &[HistoryRow]) -> bool {
    let known: HashSet<i64> = rows.iter().map(|row| row.seq).collect();
    rows.iter().any(|row| match row.derives {
        Derives::Not | Derives::FromAverage => false,
        Derives::FromSource { source, .. } | Derives::FromUndone { source, .. } => !known.contains(&source),
    })
}

fn add_to(balance: &mut Balance, quantity: i64, value: i64) {
    *balance = Balance { quantity: balance.quantity.strict_add(quantity), value: balance.value.strict_add(value) };
}
