//! Costs that turn out to be others: rows behind a document of the past, and what was moved on to other stores.

use super::Decision;
use super::ledger::{Entry, Stamp, write_row};
use crate::kernel::{Facts, Timestamp};
use crate::stock::history::{HistoryRow, Walk, WalkError};
use crate::stock::rules::Balance;
use crate::stock::{Basis, Books, Counter, ItemKey, Revaluing, StockEvent, StockItem, StockRefusal};

/// What came of a walk.
#[derive(Debug)]
pub(in crate::stock) struct Revalued {
    pub(in crate::stock) state: Balance,
    /// Rows of other items, and by how much their values changed.
    pub(in crate::stock) counters: Vec<(ItemKey, i64, i64)>,
    /// So many rows were gone through.
    pub(in crate::stock) rows: usize,
}

/// How far a walk goes at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::stock) enum Stride {
    /// Over all rows.
    All,
    /// To the first row that makes another item's costs provisional: what comes back from there may cost something else.
    ToOthers,
}

/// Goes on with a walk over rows of an item, and writes down every cost that is another one now. What a transfer gave
/// away is worth that to whoever got it.
pub(in crate::stock) fn revalue(
    facts: &mut Facts,
    stamp: Stamp,
    key: &ItemKey,
    mut walk: Walk,
    (rows, stride): (&[HistoryRow], Stride),
) -> Decision<Revalued> {
    let other_of = |counter: &Counter| {
        let (store, place) = (counter.store.clone(), counter.place);
        ItemKey { store, place, product: key.product.clone() }
    };
    let others: Vec<ItemKey> = rows.iter().filter_map(|row| row.counter.as_ref()).map(other_of).collect();
    facts.require::<StockItem>(&others)?;
    let (mut revalued, mut change, mut counters, mut walked) = (0_u32, 0_i64, Vec::new(), 0_usize);
    for row in rows {
        walked = walked.strict_add(1);
        let delta = walk.step(row).map_err(|error| match error {
            WalkError::Short { quantity } => {
                StockRefusal::InsufficientInPast { item: key.clone(), at: row.effective_at, quantity }
            }
            WalkError::OutOfRange => StockRefusal::OutOfRange { item: key.clone() },
        })?;
        if delta == 0 {
            continue;
        }
        // Told only; the sum of many changes may be more than can be counted.
        (revalued, change) = (revalued.strict_add(1), change.saturating_add(delta));
        let entry = Entry::new(0, 0, delta, Basis::Revaluation).source(row.seq);
        write_row(facts, stamp, key, row.effective_at, entry)?;
        if let Some(counter) = &row.counter {
            let other = other_of(counter);
            let follows = revalue_counter(facts, stamp, &other, row.effective_at, counter.seq, delta.strict_neg())?;
            counters.push((other, counter.seq, delta.strict_neg()));
            if follows == Follows::More && stride == Stride::ToOthers {
                break;
            }
        }
    }
    if revalued > 0 {
        told(facts, key, revalued, change);
    }
    Ok(Revalued { state: walk.state(), counters, rows: walked })
}

/// Whether something follows from a cost that has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Follows {
    Nothing,
    More,
}

fn told(facts: &mut Facts, key: &ItemKey, rows: u32, value: i64) {
    let ItemKey { store, place, product } = key.clone();
    facts.emit(&StockEvent::ItemRevalued { store, place, product, rows, value, done: false }.into());
}

fn revalue_counter(
    facts: &mut Facts,
    stamp: Stamp,
    key: &ItemKey,
    effective_at: Timestamp,
    seq: i64,
    delta: i64,
) -> Decision<Follows> {
    // The last row to be posted need not be the last to take effect.
    let ends_with = |item: &StockItem| item.seq == seq && item.last_effective == Some(effective_at);
    let was_last = facts.get::<StockItem>(key)?.is_some_and(|item| ends_with(item) && item.revaluing.is_none());
    let entry = Entry::new(0, 0, delta, Basis::Revaluation).source(seq);
    write_row(facts, stamp, key, effective_at, entry)?;
    told(facts, key, 1, delta);
    if was_last {
        return Ok(Follows::Nothing);
    }
    mark(facts, key, stamp.point(effective_at, seq, None))?;
    Ok(Follows::More)
}

/// Rows behind the point have to be worked out anew.
pub(super) fn mark(facts: &mut Facts, key: &ItemKey, point: Revaluing) -> Decision<()> {
    let item = facts.get_mut::<StockItem>(key)?.expect("an item that was written is there");
    let known = item.revaluing.as_deref().copied();
    if let Some(known) = known.filter(|known| known.point() <= point.point()) {
        // The walk will come there. Whoever has read the rows there already has to read them again.
        // What was there at the point itself may have changed, too.
        let state = if known.point() == point.point() { point.state } else { known.state };
        item.revaluing = Some(Revaluing { others_seq: item.seq, state, ..known }.into());
        return Ok(());
    }
    item.revaluing = Some(point.into());
    if known.is_none() {
        count_revaluing(facts, 1)?;
    }
    Ok(())
}

pub(in crate::stock) fn count_revaluing(facts: &mut Facts, delta: i64) -> Decision<()> {
    change_books(facts, |books| books.revaluing = books.revaluing.strict_add(delta))
}

pub(in crate::stock) fn change_books(facts: &mut Facts, change: impl FnOnce(&mut Books)) -> Decision<()> {
    if facts.get::<Books>(&())?.is_none() {
        facts.insert(Books::default());
    }
    change(facts.get_mut::<Books>(&())?.expect("just looked at"));
    Ok(())
}
