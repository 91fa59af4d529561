//! Replays a ledger in both orders: that each row continues the one before it, and that each costs what everything that
//! took effect before it says. Rows come one by one and little is kept of each, so that a ledger may have millions.

use std::collections::HashMap;

use thiserror::Error;

use super::history::{Derives, Effect, Effects, Walk, WalkError, history_row};
use super::rules::{Balance, VALUE_MAX};
use super::{Basis, Move};
use crate::kernel::{Timestamp, UNITS_MAX};

/// What is wrong with a ledger, at which of its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LedgerFault {
    #[error("row {seq} is missing")]
    Missing { seq: i64 },
    #[error("after row {seq} there are {quantity} worth {value}, and it says something else")]
    After { seq: i64, quantity: i64, value: i64 },
    #[error("row {seq} is about a row that is not before it")]
    Source { seq: i64 },
    #[error("row {seq} took effect before the row that it is about")]
    Before { seq: i64 },
    #[error("row {seq} takes more than the {left} that are left of the row that it is about")]
    Left { seq: i64, left: i64 },
    #[error("when row {seq} took effect there were {quantity}")]
    Short { seq: i64, quantity: i64 },
    #[error("row {seq} is {delta} millionths off what history says")]
    Cost { seq: i64, delta: i64 },
    #[error("row {seq} brings more than can be counted")]
    OutOfRange { seq: i64 },
}

/// What a ledger comes to: all that its item must say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// Number of the last row.
    pub seq: i64,
    pub balance: Balance,
    pub last_effective: Option<Timestamp>,
    /// Number of the last row that changed the cost of another one.
    pub revalued_seq: i64,
    /// What was there when the last units left.
    pub known: Balance,
}

/// What is kept of a row.
#[derive(Clone, Copy, Debug)]
struct Kept {
    effective_at: Timestamp,
    quantity: i64,
    /// By now, revaluations included.
    value: i64,
    /// 0 if there is none.
    source: i64,
    basis: Basis,
    /// Other rows are about it.
    is_source: bool,
}

/// A replay under way: give it every row, in the order of posting, then let it [`finish`](Replay::finish).
#[derive(Debug, Default)]
pub struct Replay {
    /// The row with number n is at n − 1.
    rows: Vec<Kept>,
    come_to: Replayed,
}

impl Replay {
    /// Makes room for another ledger.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.come_to = Replayed::default();
    }

    /// The next row, which continues the one before it. After a fault, nothing more can be said of this ledger.
    pub fn add(&mut self, row: &Move) -> Result<(), LedgerFault> {
        let (seq, before) = (row.key.seq, self.come_to.balance);
        let expected = self.come_to.seq.saturating_add(1);
        if seq != expected {
            return Err(LedgerFault::Missing { seq: expected });
        }
        let fits = in_range(row.quantity, UNITS_MAX) && in_range(row.value, VALUE_MAX);
        let quantity = before.quantity.checked_add(row.quantity).filter(|_| fits);
        let value = before.value.checked_add(row.value);
        let (quantity, value) = quantity.zip(value).ok_or(LedgerFault::OutOfRange { seq })?;
        let balance = Balance { quantity, value };
        if balance != row.after() || quantity < 0 {
            return Err(LedgerFault::After { seq, quantity, value });
        }
        self.check_source(row)?;
        if quantity == 0 && before.quantity > 0 {
            // While costs are worked out anew, a value may be less than nothing.
            self.come_to.known = Balance { value: before.value.max(0), ..before };
        }
        if row.basis == Basis::Revaluation {
            self.come_to.revalued_seq = seq;
        }
        let last_effective = self.come_to.last_effective.max(Some(row.effective_at));
        self.come_to = Replayed { seq, balance, last_effective, ..self.come_to };
        self.keep(row)
    }

    fn check_source(&self, row: &Move) -> Result<(), LedgerFault> {
        let seq = row.key.seq;
        let needs_source = match row.basis {
            Basis::Source | Basis::Undo | Basis::Revaluation => true,
            Basis::Given | Basis::Average => false,
        };
        let source = match row.source {
            Some(source) if needs_source => self.at(source).ok_or(LedgerFault::Source { seq })?,
            Some(_) => return Err(LedgerFault::Source { seq }),
            None if needs_source => return Err(LedgerFault::Source { seq }),
            None => return Ok(()),
        };
        if source.basis == Basis::Revaluation {
            return Err(LedgerFault::Source { seq });
        }
        // A revaluation has the instant of its row, so that what was there at an instant is the sum of all rows up to it.
        let is_before = match row.basis {
            Basis::Revaluation => row.effective_at == source.effective_at,
            Basis::Source | Basis::Undo | Basis::Given | Basis::Average => row.effective_at >= source.effective_at,
        };
        if is_before { Ok(()) } else { Err(LedgerFault::Before { seq }) }
    }

    fn keep(&mut self, row: &Move) -> Result<(), LedgerFault> {
        let source = row.source.unwrap_or(0);
        if let Some(about) = self.place(source) {
            let about = &mut self.rows[about];
            if row.basis == Basis::Revaluation {
                let value = about.value.checked_add(row.value).filter(|value| in_range(*value, VALUE_MAX));
                about.value = value.ok_or(LedgerFault::OutOfRange { seq: row.key.seq })?;
            } else {
                about.is_source = true;
            }
        }
        let &Move { effective_at, quantity, value, basis, .. } = row;
        self.rows.push(Kept { effective_at, quantity, value, source, basis, is_source: false });
        Ok(())
    }

    fn place(&self, seq: i64) -> Option<usize> {
        usize::try_from(seq).ok()?.checked_sub(1).filter(|place| *place < self.rows.len())
    }

    fn at(&self, seq: i64) -> Option<&Kept> {
        self.place(seq).map(|place| &self.rows[place])
    }

    /// What a row is worth by now, revaluations included; 0 if there is none.
    pub fn value_now(&self, seq: i64) -> i64 {
        self.at(seq).map_or(0, |row| row.value)
    }

    /// No row is left. While the item is revalued (`provisional`), only the order of posting can be relied on.
    pub fn finish(&self, provisional: bool) -> Result<Replayed, LedgerFault> {
        if !provisional {
            self.replay_effects()?;
        }
        Ok(self.come_to)
    }

    fn replay_effects(&self) -> Result<(), LedgerFault> {
        let mut order: Vec<usize> =
            (0..self.rows.len()).filter(|place| self.rows[*place].basis != Basis::Revaluation).collect();
        // Stable: of those that took effect at once, the first to be posted is the first.
        order.sort_by_key(|place| self.rows[*place].effective_at);
        let (mut walk, mut left) = (Walk::new(Balance::NOTHING), HashMap::new());
        for place in order {
            let kept = &self.rows[place];
            let seq = i64::try_from(place).expect("rows in memory are few").strict_add(1);
            let &Kept { effective_at, quantity, basis, .. } = kept;
            let effect = Effect { seq, effective_at, quantity, basis, source: kept.source };
            let row = history_row(effect, self, &mut left);
            if let Derives::FromSource { left, .. } = row.derives
                && left.quantity < quantity.saturating_abs()
            {
                return Err(LedgerFault::Left { seq, left: left.quantity });
            }
            match walk.step(&row) {
                Ok(0) => {}
                Ok(delta) => return Err(LedgerFault::Cost { seq, delta }),
                Err(WalkError::Short { quantity }) => return Err(LedgerFault::Short { seq, quantity }),
                Err(WalkError::OutOfRange) => return Err(LedgerFault::OutOfRange { seq }),
            }
            if !kept.is_source {
                walk.forget(seq);
                left.remove(&seq);
            }
        }
        Ok(())
    }
}

impl Effects for Replay {
    fn value_now(&self, seq: i64) -> i64 {
        Replay::value_now(self, seq)
    }

    fn source_of(&self, seq: i64) -> Option<i64> {
        self.at(seq).filter(|row| row.basis == Basis::Source).map(|row| row.source)
    }
}

/// No command writes more; what is stored may be anything.
fn in_range(amount: i64, amount_max: i64) -> bool {
    (amount_max.strict_neg()..=amount_max).contains(&amount)
}

/// Replays a whole ledger that is at hand; tells what it comes to.
pub fn replay(ledger: &[Move], provisional: bool) -> Result<Balance, LedgerFault> {
    let mut replay = Replay::default();
    for row in ledger {
        replay.add(row)?;
    }
    replay.finish(provisional).map(|come_to| come_to.balance)
}
