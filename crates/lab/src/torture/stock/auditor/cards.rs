//! Ledgers, items and pools agree; and what goods cost that left is their part of what was there, to the last millionth.

use std::collections::BTreeMap;

use super::{Card, RowSeen, StockState, micros};
use crate::torture::auditor::findings::Verdict;

const ADDS_UP: &str = "stock-adds-up";
const COST: &str = "stock-cost";

pub(super) fn check(state: &StockState, verdict: &mut Verdict) {
    let mut tracked: BTreeMap<String, i64> = BTreeMap::new();
    for card in &state.cards {
        let name = format!("{}/{} {}", card.item.store, card.item.product, card.item.place);
        if let Some(wrong) = in_posting_order(card) {
            verdict.add(ADDS_UP, || format!("{name}: {wrong}"));
        }
        match in_order_of_effect(card) {
            Some(wrong) if !card.item.revaluing => verdict.add(COST, || format!("{name}: {wrong}")),
            Some(_) | None => {}
        }
        if card.item.place == "on_hand" {
            tracked.insert(format!("{}/{}", card.item.store, card.item.product), card.item.quantity);
        }
    }
    if state.stores.torn {
        return;
    }
    for (name, pool) in &state.stores.pools {
        let quantity = tracked.remove(name);
        if quantity != Some(pool.total) {
            verdict.add(ADDS_UP, || format!("pool {name} has {}, on hand are {quantity:?}", pool.total));
        }
    }
    for (name, quantity) in tracked {
        verdict.add(ADDS_UP, || format!("{quantity} of {name} are on hand, and there is no such pool"));
    }
}

fn in_posting_order(card: &Card) -> Option<String> {
    let (mut quantity, mut value) = (0_i64, 0_i64);
    for (seq, row) in (1..).zip(&card.posted) {
        if row.seq != seq {
            return Some(format!("row {seq} is missing"));
        }
        let Some(worth) = micros(&row.value) else { return Some(format!("no number: {row:?}")) };
        quantity += row.quantity;
        value += worth;
        if quantity < 0 || row.balance.quantity != quantity || micros(&row.balance.value) != Some(value) {
            return Some(format!("after row {seq} there are {quantity} worth {value}: {row:?}"));
        }
    }
    let item = &card.item;
    let rows = i64::try_from(card.posted.len()).unwrap_or(i64::MAX);
    let same = (item.quantity, item.seq) == (quantity, rows) && micros(&item.value) == Some(value);
    (!same).then(|| format!("its {rows} rows come to {quantity} worth {value}, and it is {item:?}"))
}

/// Rows that are not at the average are taken as they are. What purchases and openings bring is looked at in `papers.rs`;
/// what comes back for what it left with is not worked out anew.
fn in_order_of_effect(card: &Card) -> Option<String> {
    let (mut quantity, mut value) = (0_i64, 0_i64);
    for row in &card.by_effect {
        let Some(worth) = micros(&row.value) else { return Some(format!("no number: {row:?}")) };
        if let Some(expected) = at_average(row, quantity, value).filter(|expected| *expected != worth) {
            return Some(format!("{expected} is the part of {value} for {quantity}: {row:?}"));
        }
        quantity += row.quantity;
        value += worth;
        if quantity < 0 || value < 0 || (quantity == 0 && value != 0) {
            return Some(format!("there were {quantity} worth {value} after {row:?}"));
        }
    }
    let same = card.item.quantity == quantity && micros(&card.item.value) == Some(value);
    (!same).then(|| format!("by effect there are {quantity} worth {value}, and it is {:?}", card.item))
}

/// What a row at the average is worth, given what was there; `None` for any other.
fn at_average(row: &RowSeen, quantity: i64, value: i64) -> Option<i64> {
    if row.basis != "average" || quantity <= 0 {
        return None;
    }
    if row.quantity == -quantity {
        return Some(-value);
    }
    // Half to even, of whole millionths.
    let (part, whole) = (i128::from(value) * i128::from(row.quantity.abs()), i128::from(quantity));
    let (floor, rest) = (part / whole, part % whole);
    let up = 2 * rest > whole || (2 * rest == whole && floor % 2 == 1);
    let share = i64::try_from(floor + i128::from(up)).ok()?;
    Some(if row.quantity < 0 { -share } else { share })
}
