//! A step of a long revaluation: works out what the next rows of an item cost now. Sales go on between the steps, at the
//! average of the moment; the walk reaches them in the end.

use serde::{Deserialize, Serialize};

use super::Decision;
use crate::kernel::{Command, Facts, Invalid, Reads, Stop, Timestamp};
use crate::stock::history::{HistoryRow, ROWS_PER_STEP_MAX, Walk, are_about_others};
use crate::stock::post::{Revalued, Stamp, Stride, count_revaluing, newer_rows, revalue};
use crate::stock::rules::Balance;
use crate::stock::{ItemKey, Revaluing, StockEvent, StockItem, StockRefusal};

/// Brings the next rows along, as they were read outside of the turn. Rows never change, and the item knows when others
/// came among them. Should one be missing all the same, that shows at the end, when the walk must come to what the item
/// has; it starts over then.
///
/// The next rows may be read while a step is carried out, if none of them is about a row before them.
///
/// Refuses: an item that has got to another point meanwhile, or has rows whose cost changed after they were read.
#[derive(Clone, Debug)]
pub struct RevalueItem {
    item: ItemKey,
    from: (Timestamp, i64),
    before: Balance,
    rows: Vec<HistoryRow>,
    upto_seq: i64,
    complete: bool,
    stride: Stride,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revaluation {
    /// Nothing is left to be worked out.
    pub done: bool,
}

impl RevalueItem {
    /// `rows` are those behind `from`, in the order in which they took effect, at most 500 of them, read when the ledger
    /// had got to `upto_seq`; `complete` says that these are all. `before` is what was there at `from`, and counts where
    /// the item does not know better.
    pub fn new(
        item: ItemKey,
        from: (Timestamp, i64),
        before: Balance,
        rows: Vec<HistoryRow>,
        (upto_seq, complete): (i64, bool),
    ) -> Result<RevalueItem, Invalid> {
        if rows.len() > ROWS_PER_STEP_MAX {
            let (what, items) = ("rows".to_owned(), rows.len());
            return Err(Invalid::ItemCount { what, items, items_max: ROWS_PER_STEP_MAX });
        }
        Ok(RevalueItem { item, from, before, rows, upto_seq, complete, stride: Stride::All })
    }

    /// Stops where another item's costs become provisional. Where goods go back and forth between stores, and always the
    /// item is taken whose walk is earliest, each row is reached when everything before it is settled, and is revalued once.
    #[must_use]
    pub fn up_to_others(self) -> RevalueItem {
        RevalueItem { stride: Stride::ToOthers, ..self }
    }

    /// Whether the cost of one of the rows follows from one that is not among them.
    pub fn is_about_earlier(&self) -> bool {
        are_about_others(&self.rows)
    }

    /// The rows, and whether they are all by now: those that were posted since they were read are added.
    fn all_rows(&self, facts: &mut Facts, item: &StockItem) -> Decision<(Vec<HistoryRow>, bool)> {
        let last = self.rows.last().map_or(self.from, |row| (row.effective_at, row.seq));
        let newer = if self.complete { newer_rows(facts, item, self.upto_seq, ROWS_PER_STEP_MAX)? } else { None };
        match newer {
            Some(newer) if newer.first().is_none_or(|first| last < (first.effective_at, first.seq)) => {
                Ok((self.rows.iter().cloned().chain(newer).collect(), true))
            }
            Some(_) | None => Ok((self.rows.clone(), false)),
        }
    }
}

impl Command for RevalueItem {
    const NAME: &'static str = "revalue_stock_item";
    type Reply = Revaluation;
    type Refusal = StockRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<StockItem>(&self.item);
    }

    fn decide(&self, facts: &mut Facts) -> Result<Revaluation, Stop<StockRefusal>> {
        let changed = || StockRefusal::Changed { item: self.item.clone() };
        let item = facts.get::<StockItem>(&self.item)?.ok_or_else(changed)?.clone();
        let point = item.revaluing.as_deref().copied().filter(|point| point.point() == self.from);
        let point = point.ok_or_else(changed)?;
        // A document may have taken effect among these rows after they were read, or another item's walk have changed what
        // one is worth. This walk has changed only rows before these, which matters where one of these is about one of them.
        let others_seq = point.changed_by_others(item.revalued_seq);
        let read_before = if self.is_about_earlier() { others_seq.max(item.revalued_seq) } else { others_seq };
        if read_before > self.upto_seq {
            return Err(changed().into());
        }
        let (rows, all) = self.all_rows(facts, &item)?;
        let stamp = Stamp { document: point.document, kind: point.kind, effective_at: point.effective_at };
        let walk = Walk::new(point.state.unwrap_or(self.before));
        let Revalued { state, rows: walked, .. } = revalue(facts, stamp, &self.item, walk, (&rows, self.stride))?;
        let (walked, rest) = rows.split_at(walked);
        let all = all && rest.is_empty();
        let stored = facts.get_mut::<StockItem>(&self.item)?.expect("just read");
        let comes_out = (state.quantity, state.value) == (stored.quantity, stored.value);
        let done = all && comes_out;
        let point = Revaluing { own_seq: stored.revalued_seq, others_seq, ..point };
        stored.revaluing = match walked.last() {
            _ if done => None,
            // Something was missing: from the start, and with what was there then read anew.
            _ if all => {
                Some(Revaluing { effective_at: Timestamp::from_micros(0), seq: 0, state: None, ..point }.into())
            }
            Some(last) => {
                let (effective_at, seq) = (last.effective_at, last.seq);
                Some(Revaluing { effective_at, seq, state: Some(state), ..point }.into())
            }
            None => Some(Revaluing { state: Some(state), ..point }.into()),
        };
        if done {
            count_revaluing(facts, -1)?;
            let ItemKey { store, place, product } = self.item.clone();
            facts.emit(&StockEvent::ItemRevalued { store, place, product, rows: 0, value: 0, done }.into());
        }
        Ok(Revaluation { done })
    }
}
