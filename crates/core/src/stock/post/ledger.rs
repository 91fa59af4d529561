//! Writing rows: the item, its ledger, and the pool that has its quantity, always together.
//!
//! A document that takes effect before the last row of an item ("backdated") costs what it would have cost then, and rows
//! behind it may cost something else by that. Few of them are worked out at once; many are left to
//! [`RevalueItem`](crate::stock::commands::RevalueItem), and the item is marked until that is done.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::Decision;
use super::revalue::{Stride, mark, revalue};
use crate::kernel::commands::set_tracked_total;
use crate::kernel::{Facts, Pool, Timestamp, UNITS_MAX};
use crate::stock::history::{
    Histories, HistoryQuestion, HistoryRow, ItemHistory, Later, ROWS_PER_STEP_MAX, SourceNow, Walk,
};
use crate::stock::rules::{Balance, VALUE_MAX};
use crate::stock::{
    Basis, Counter, DocumentId, DocumentKind, ItemKey, LotCode, Move, MoveKey, Revaluing, StockItem, StockRefusal,
};

/// What all rows of a posting have in common.
#[derive(Clone, Copy, Debug)]
pub(in crate::stock) struct Stamp {
    pub(in crate::stock) document: DocumentId,
    pub(in crate::stock) kind: DocumentKind,
    pub(in crate::stock) effective_at: Timestamp,
}

impl Stamp {
    pub(super) fn point(self, effective_at: Timestamp, seq: i64, state: Option<Balance>) -> Revaluing {
        let (document, kind) = (self.document, self.kind);
        Revaluing { effective_at, seq, state, document, kind, own_seq: 0, others_seq: 0 }
    }
}

#[derive(Clone, Debug)]
pub(in crate::stock) struct Entry {
    pub(in crate::stock) line: u32,
    pub(in crate::stock) quantity: i64,
    pub(in crate::stock) value: i64,
    pub(in crate::stock) basis: Basis,
    pub(in crate::stock) source: Option<i64>,
    pub(in crate::stock) lot: Option<LotCode>,
    pub(in crate::stock) counter: Option<Counter>,
}

impl Entry {
    pub(in crate::stock) fn new(line: u32, quantity: i64, value: i64, basis: Basis) -> Entry {
        Entry { line, quantity, value, basis, source: None, lot: None, counter: None }
    }

    pub(in crate::stock) fn source(self, seq: i64) -> Entry {
        Entry { source: Some(seq), ..self }
    }
}

/// What can be known about the past of items.
#[derive(Clone, Debug)]
pub(in crate::stock) enum Pasts {
    /// What was asked for, and what will be.
    Prepared(Arc<Histories>),
    /// Part of a long document: nothing is asked for.
    WorkedOutLater,
}

impl Pasts {
    /// What was prepared for the running command.
    pub(in crate::stock) fn of(facts: &Facts) -> Pasts {
        Pasts::Prepared(facts.prepared())
    }

    fn histories(&self) -> Option<Arc<Histories>> {
        match self {
            Pasts::Prepared(histories) => Some(Arc::clone(histories)),
            Pasts::WorkedOutLater => None,
        }
    }
}

/// Asks for what has to be known; nothing if that is nothing.
pub(super) fn ask(facts: &mut Facts, questions: Vec<HistoryQuestion>) -> Decision<()> {
    if questions.is_empty() { Ok(()) } else { Err(facts.prepare::<Histories>(questions).into()) }
}

/// Where an item stands for rows that take effect in its past.
#[derive(Debug)]
struct Past {
    /// What was there then, if that is known.
    state: Option<Balance>,
    later: Option<Vec<HistoryRow>>,
    lowest: Option<(i64, Timestamp)>,
    /// The last row that was there before.
    seq_before: i64,
}

#[derive(Debug)]
pub(in crate::stock) struct Ledger<'f> {
    pub(in crate::stock) facts: &'f mut Facts,
    stamp: Stamp,
    pasts: Pasts,
    /// How many more rows of histories may be looked at in this transaction.
    spare_rows: usize,
    /// Items that are written, with their past where the document takes effect in it.
    open: BTreeMap<ItemKey, Option<Past>>,
    /// Items with rows whose cost is not known for certain, and where their ledgers had got to.
    unsure: BTreeMap<ItemKey, i64>,
}

impl<'f> Ledger<'f> {
    pub(in crate::stock) fn new(facts: &'f mut Facts, stamp: Stamp, pasts: Pasts) -> Ledger<'f> {
        let (open, unsure) = (BTreeMap::new(), BTreeMap::new());
        Ledger { facts, stamp, pasts, spare_rows: ROWS_PER_STEP_MAX, open, unsure }
    }

    pub(in crate::stock) fn effective_at(&self) -> Timestamp {
        self.stamp.effective_at
    }

    pub(in crate::stock) fn item(&mut self, key: &ItemKey) -> Decision<StockItem> {
        let item = self.facts.get::<StockItem>(key)?.cloned();
        Ok(item.unwrap_or_else(|| StockItem::new(key.clone())))
    }

    /// Gets items ready to be written: all are asked for at once, and so are the histories that are wanted.
    pub(in crate::stock) fn open(&mut self, keys: &[ItemKey]) -> Decision<()> {
        let pools: Vec<_> = keys.iter().filter_map(ItemKey::pool).collect();
        let (items, pools) = (self.facts.require::<StockItem>(keys), self.facts.require::<Pool>(&pools));
        items.and(pools)?;
        self.ask_newer(keys)?;
        let mut questions = Vec::new();
        for key in keys {
            if self.open.contains_key(key) {
                continue;
            }
            match self.pasts {
                Pasts::Prepared(_) => self.require_opened(key)?,
                // Of a long document each line is looked at for itself.
                Pasts::WorkedOutLater => {}
            }
            match self.past_of(key)? {
                Ok(past) => drop(self.open.insert(key.clone(), past)),
                Err(question) => questions.push(question),
            }
        }
        ask(self.facts, questions)
    }

    /// Asks for the rows of all items at once that were posted after their histories were read.
    fn ask_newer(&mut self, keys: &[ItemKey]) -> Decision<()> {
        let Some(histories) = self.pasts.histories() else { return Ok(()) };
        let mut newer = Vec::new();
        for history in histories.iter().filter(|history| keys.contains(&history.item)) {
            let item = self.item(&history.item)?;
            newer.extend(row_keys(&item, history.upto_seq, self.spare_rows).unwrap_or_default());
        }
        // More than are looked at are not loaded.
        newer.truncate(self.spare_rows);
        Ok(self.facts.require::<Move>(&newer)?)
    }

    /// Units that no document brought can only become stock by saying what they cost.
    pub(in crate::stock) fn require_opened(&mut self, key: &ItemKey) -> Decision<()> {
        let Some(pool) = key.pool() else { return Ok(()) };
        let total = match self.facts.get::<Pool>(&pool)? {
            Some(pool) if !pool.tracked => pool.total,
            Some(_) | None => 0,
        };
        if total > 0 && self.stamp.kind != DocumentKind::Opening {
            return Err(StockRefusal::NotOpened { pools: [pool], total }.into());
        }
        Ok(())
    }

    fn past_of(&mut self, key: &ItemKey) -> Decision<Result<Option<Past>, HistoryQuestion>> {
        let item = self.item(key)?;
        let at = self.stamp.effective_at;
        if !item.is_backdated(at) {
            return Ok(Ok(None));
        }
        let unknown = Past { state: None, later: None, lowest: None, seq_before: item.seq };
        let Some(histories) = self.pasts.histories() else { return Ok(Ok(Some(unknown))) };
        let question = HistoryQuestion { item: key.clone(), at, sources: Vec::new() };
        let known = histories.iter().find(|history| history.item == *key && history.at == at);
        let Some(history) = known else { return Ok(Err(question)) };
        let Some(history) = self.brought_up_to_date(&item, history)? else { return Ok(Err(question)) };
        let sum = history.sum();
        // What was looked up is not so any more.
        if (sum.quantity, sum.value) != (item.quantity, item.value) {
            return Ok(Err(question));
        }
        let lowest = Some(history.lowest());
        // While costs are worked out anew, nobody knows what was there then.
        if item.revaluing.is_some() {
            return Ok(Ok(Some(Past { lowest, ..unknown })));
        }
        let later = match history.later {
            // Nobody waits for more than so many: what is beyond goes on in steps.
            Later::Rows(rows) if rows.len() <= self.spare_rows => {
                self.spare_rows = self.spare_rows.strict_sub(rows.len());
                Some(rows)
            }
            Later::Rows(_) | Later::Many { .. } => None,
        };
        Ok(Ok(Some(Past { state: Some(history.before), later, lowest, seq_before: item.seq })))
    }

    /// The history with rows that were posted after it was read; `None` if they are too many, or it has to be read again.
    fn brought_up_to_date(&mut self, item: &StockItem, history: &ItemHistory) -> Decision<Option<ItemHistory>> {
        let newer = newer_moves(self.facts, item, history.upto_seq, self.spare_rows)?;
        let Some(newer) = newer else { return Ok(None) };
        self.spare_rows = self.spare_rows.strict_sub(newer.len());
        Ok(history.continued(&newer))
    }

    /// What a row of the item costs by now and what is left of it, given what its document wrote down when the ledger had
    /// got to row `as_of`. Asked for where it was revalued since; where nobody can be asked, it is worked out later.
    pub(in crate::stock) fn source_now(
        &mut self,
        key: &ItemKey,
        written: SourceNow,
        as_of: i64,
    ) -> Decision<Result<SourceNow, HistoryQuestion>> {
        let item = self.item(key)?;
        if item.revalued_seq <= as_of {
            return Ok(Ok(written));
        }
        let at = self.stamp.effective_at;
        let Some(histories) = self.pasts.histories() else {
            self.unsure.entry(key.clone()).or_insert(item.seq);
            return Ok(Ok(written));
        };
        let fresh = histories.iter().filter(|history| history.item == *key && item.revalued_seq <= history.upto_seq);
        let now = fresh.flat_map(|history| &history.sources).find(|source| source.seq == written.seq);
        // What is left is counted by documents, in this turn; only its cost comes from outside.
        Ok(match now {
            Some(now) if now.left.quantity == written.left.quantity => Ok(*now),
            Some(_) | None => Err(HistoryQuestion { item: key.clone(), at, sources: vec![written.seq] }),
        })
    }

    /// What a row would find that is written now.
    pub(in crate::stock) fn state(&mut self, key: &ItemKey) -> Decision<Balance> {
        let past = self.open.get(key).expect("opened before it is written");
        if let Some(state) = past.as_ref().and_then(|past| past.state) {
            return Ok(state);
        }
        Ok(self.item(key)?.balance())
    }

    /// Refuses to take what was not there at some time since.
    fn require_in_past(&mut self, key: &ItemKey, quantity: i64) -> Decision<()> {
        let Some(Some(past)) = self.open.get_mut(key) else { return Ok(()) };
        let Some((lowest, at)) = past.lowest.as_mut() else { return Ok(()) };
        *lowest = lowest.strict_add(quantity);
        if *lowest < 0 {
            return Err(StockRefusal::InsufficientInPast { item: key.clone(), at: *at, quantity: *lowest }.into());
        }
        Ok(())
    }

    /// What units of the item cost that leave now.
    pub(in crate::stock) fn cost_of(&mut self, key: &ItemKey, quantity: i64) -> Decision<i64> {
        self.require_there(key, quantity)?;
        Ok(self.state(key)?.cost_of(quantity))
    }

    /// What units cost that came in for so much and go back.
    pub(in crate::stock) fn cost_of_undone(&mut self, key: &ItemKey, quantity: i64, came_for: i64) -> Decision<i64> {
        self.require_there(key, quantity)?;
        Ok(self.state(key)?.cost_of_undone(quantity, came_for))
    }

    fn require_there(&mut self, key: &ItemKey, quantity: i64) -> Decision<()> {
        let there = self.state(key)?.quantity;
        if there < quantity {
            let (at, quantity) = (self.stamp.effective_at, there.strict_sub(quantity));
            return Err(StockRefusal::InsufficientInPast { item: key.clone(), at, quantity }.into());
        }
        Ok(())
    }

    /// Writes a row; tells its number.
    pub(in crate::stock) fn append(&mut self, key: &ItemKey, entry: Entry) -> Decision<i64> {
        self.require_in_past(key, entry.quantity)?;
        if let Some(Some(Past { state: Some(state), .. })) = self.open.get_mut(key) {
            let past = state.plus(entry.quantity, entry.value);
            *state = past.map_err(|_| StockRefusal::OutOfRange { item: key.clone() })?;
        }
        let effective_at = self.stamp.effective_at;
        write_row(self.facts, self.stamp, key, effective_at, entry)
    }

    /// Works out what follows from rows in the past, and tells the pools.
    pub(in crate::stock) fn finish(mut self) -> Decision<()> {
        let open = std::mem::take(&mut self.open);
        let mut changed_by_others: HashMap<(ItemKey, i64), i64> = HashMap::new();
        for (key, past) in open {
            match past {
                Some(Past { state: Some(state), later: Some(mut later), .. }) => {
                    for row in &mut later {
                        let delta = changed_by_others.get(&(key.clone(), row.seq)).copied().unwrap_or(0);
                        row.value = row.value.strict_add(delta);
                    }
                    let revalued = revalue(self.facts, self.stamp, &key, Walk::new(state), (&later, Stride::All))?;
                    let (item, state) = (self.item(&key)?, revalued.state);
                    assert_eq!(
                        (item.quantity, item.value),
                        (state.quantity, state.value),
                        "both orders come to the same"
                    );
                    for (other, seq, delta) in revalued.counters {
                        let change = changed_by_others.entry((other, seq)).or_insert(0);
                        *change = change.strict_add(delta);
                    }
                }
                Some(Past { state: Some(state), later: None, .. }) => {
                    let seq = self.item(&key)?.seq;
                    mark(self.facts, &key, self.stamp.point(self.stamp.effective_at, seq, Some(state)))?;
                }
                Some(Past { state: None, seq_before, .. }) => {
                    mark(self.facts, &key, self.stamp.point(self.stamp.effective_at, seq_before, None))?;
                }
                None => {}
            }
            if let Some(seq_before) = self.unsure.remove(&key) {
                mark(self.facts, &key, self.stamp.point(self.stamp.effective_at, seq_before, None))?;
            }
            settle(self.facts, &key)?;
        }
        Ok(())
    }
}

/// The keys of rows after `upto_seq`, if they are few.
fn row_keys(item: &StockItem, upto_seq: i64, rows_max: usize) -> Option<Vec<MoveKey>> {
    let few = i64::try_from(rows_max).expect("small");
    let is_few = (0..=few).contains(&item.seq.strict_sub(upto_seq));
    let key = |seq| MoveKey { item: item.key.clone(), seq };
    is_few.then(|| (upto_seq.strict_add(1)..=item.seq).map(key).collect())
}

/// Rows that were posted after `upto_seq`, if they are few.
fn newer_moves(facts: &mut Facts, item: &StockItem, upto_seq: i64, rows_max: usize) -> Decision<Option<Vec<Move>>> {
    let Some(keys) = row_keys(item, upto_seq, rows_max) else { return Ok(None) };
    facts.require::<Move>(&keys)?;
    let mut rows = Vec::with_capacity(keys.len());
    for key in &keys {
        rows.extend(facts.get::<Move>(key)?.cloned());
    }
    Ok(Some(rows).filter(|rows| rows.len() == keys.len()))
}

/// The same, if each can be understood alone and took effect no earlier than the one before it.
pub(in crate::stock) fn newer_rows(
    facts: &mut Facts,
    item: &StockItem,
    upto_seq: i64,
    rows_max: usize,
) -> Decision<Option<Vec<HistoryRow>>> {
    let newer = newer_moves(facts, item, upto_seq, rows_max)?.unwrap_or_default();
    let is_all = i64::try_from(newer.len()).is_ok_and(|rows| rows == item.seq.strict_sub(upto_seq));
    let rows: Option<Vec<HistoryRow>> = newer.iter().map(HistoryRow::alone).collect();
    let in_order = |rows: &Vec<HistoryRow>| rows.is_sorted_by_key(|row| row.effective_at);
    Ok(rows.filter(|rows| is_all && in_order(rows)))
}

/// What the item would have. While costs are worked out anew, its value may be less than nothing.
pub(in crate::stock) fn require_fits(item: &StockItem, quantity: i64, value: i64) -> Decision<(i64, i64)> {
    let quantity = item.quantity.checked_add(quantity).filter(|sum| (0..=UNITS_MAX).contains(sum));
    let value = item.value.checked_add(value).filter(|sum| (VALUE_MAX.strict_neg()..=VALUE_MAX).contains(sum));
    Ok(quantity.zip(value).ok_or_else(|| StockRefusal::OutOfRange { item: item.key.clone() })?)
}

pub(super) fn write_row(
    facts: &mut Facts,
    stamp: Stamp,
    key: &ItemKey,
    effective_at: Timestamp,
    entry: Entry,
) -> Decision<i64> {
    let now = facts.now();
    if facts.get::<StockItem>(key)?.is_none() {
        facts.insert(StockItem::new(key.clone()));
    }
    let item = facts.get_mut::<StockItem>(key)?.expect("just looked at");
    let before = item.balance();
    let (quantity, value) = require_fits(item, entry.quantity, entry.value)?;
    item.seq = item.seq.strict_add(1);
    (item.quantity, item.value) = (quantity, value);
    if quantity == 0 && before.quantity > 0 {
        item.known = before;
    }
    if entry.basis == Basis::Revaluation {
        item.revalued_seq = item.seq;
    }
    item.last_effective = item.last_effective.max(Some(effective_at));
    let seq = item.seq;
    facts.insert(Move {
        key: MoveKey { item: key.clone(), seq },
        document: stamp.document,
        line: entry.line,
        kind: stamp.kind,
        basis: entry.basis,
        source: entry.source,
        quantity: entry.quantity,
        value: entry.value,
        quantity_after: quantity,
        value_after: value,
        effective_at,
        posted_at: now,
        lot: entry.lot,
        counter: entry.counter,
        version: 0,
    });
    Ok(seq)
}

/// The pool has what the item has.
fn settle(facts: &mut Facts, key: &ItemKey) -> Decision<()> {
    let Some(item) = facts.get::<StockItem>(key)? else { return Ok(()) };
    let (quantity, value, provisional) = (item.quantity, item.value, item.revaluing.is_some());
    let sound = value >= 0 && (quantity > 0 || value == 0);
    assert!(sound || provisional, "nothing costs nothing: {quantity} for {value} of {key}");
    if let Some(pool) = key.pool() {
        set_tracked_total(facts, &pool, quantity)?;
    }
    Ok(())
}
