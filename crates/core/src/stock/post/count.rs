//! Counts: compared with what the books said when they were made.

use super::Decision;
use super::check::Resolved;
use super::ledger::{Entry, require_fits};
use super::lines::{Poster, only_lot};
use super::lots::{Dates, check_lots, named_lot, put_lots};
use crate::stock::refusal::MovedItem;
use crate::stock::rules::{Balance, MICROS, priced};
use crate::stock::{
    Basis, DocumentLine, ItemKey, LineCost, LineOutcome, LotCode, Move, MoveKey, Product, StockItem, StockRefusal,
};

/// So many rows that were posted since a count are looked at, for all of its lines.
const ROWS_SINCE_MAX: usize = 1_000;
/// So many revaluations are passed over to find what moved last.
const REVALUED_SINCE_MAX: i64 = 200;

impl Poster<'_, '_> {
    /// Asks for all rows that were counted against at once, then refuses all items that have moved since.
    pub(super) fn prepare_counts(&mut self, lines: &[DocumentLine], resolved: &[Resolved]) -> Decision<()> {
        let mut rows = Vec::new();
        for (line, resolved) in lines.iter().zip(resolved) {
            let item = self.on_hand(&resolved.product);
            let against = line.against.map_or(0, |against| against.seq);
            let is_last = self.seq_before.get(&item) == Some(&against);
            if is_last {
                continue;
            }
            let since = line.lot.as_ref().and_then(|_| self.rows_since(&item, against, rows.len()));
            rows.extend(since.unwrap_or_default());
            if against > 0 {
                rows.push(MoveKey { item, seq: against });
            }
        }
        self.ledger.facts.require::<Move>(&rows)?;
        if self.skips {
            return Ok(());
        }
        let mut items = Vec::new();
        for (line, resolved) in lines.iter().zip(resolved) {
            items.extend(self.difference(line, resolved)?.err());
        }
        if items.is_empty() { Ok(()) } else { Err(StockRefusal::ItemsMoved { moved: items }.into()) }
    }

    /// How many more (or less) there are than the books say; or that they say something else by now.
    fn difference(&mut self, line: &DocumentLine, resolved: &Resolved) -> Decision<Result<i64, MovedItem>> {
        let key = self.on_hand(&resolved.product);
        let item = self.ledger.item(&key)?;
        if let Some(last_effective) = item.last_effective.filter(|last| self.effective_at < *last) {
            return Err(StockRefusal::CountBackdated { item: key, effective_at: last_effective }.into());
        }
        let against = line.against.expect("checked with the line");
        let seq = self.seq_before.get(&key).copied().unwrap_or(item.seq);
        let (lot, counted) = (line.lot.as_ref(), resolved.quantity);
        if against.seq == seq {
            return Ok(Ok(counted.strict_sub(on_hand_of(&item, lot))));
        }
        let quantity_then = self.quantity_after(&key, against.seq)?;
        // A count is against a quantity, and stands while that is there: costs may have changed.
        let is_same = match lot {
            None => quantity_then == Some(item.quantity),
            // Which lots moved is not known from quantities.
            Some(_) => quantity_then.is_some() && self.is_only_revalued(&key, against.seq)?,
        };
        if is_same {
            return Ok(Ok(counted.strict_sub(on_hand_of(&item, lot))));
        }
        let ItemKey { store, place, product } = key.clone();
        let (against_seq, quantity) = (against.seq, item.quantity);
        let moved =
            |quantity_then| MovedItem { store, product, place, against: against_seq, quantity_then, seq, quantity };
        match quantity_then {
            // Which lots moved since is not known.
            Some(then) if against.difference && lot.is_none() && item.quantity.strict_add(counted) >= then => {
                Ok(Ok(counted.strict_sub(then)))
            }
            Some(then) => Ok(Err(moved(then))),
            None => Ok(Err(moved(0))),
        }
    }

    /// The rows that were posted since, if they are not too many to be looked at besides so many others.
    fn rows_since(&self, key: &ItemKey, seq: i64, others: usize) -> Option<Vec<MoveKey>> {
        let last = self.seq_before.get(key).copied().unwrap_or(0);
        let rows = usize::try_from(last.checked_sub(seq)?).ok()?;
        let row = |seq| MoveKey { item: key.clone(), seq };
        (rows.strict_add(others) <= ROWS_SINCE_MAX).then(|| (seq.strict_add(1)..=last).map(row).collect())
    }

    fn is_only_revalued(&mut self, key: &ItemKey, seq: i64) -> Decision<bool> {
        let Some(since) = self.rows_since(key, seq, 0) else { return Ok(false) };
        self.ledger.facts.require::<Move>(&since)?;
        for row in &since {
            if self.ledger.facts.get::<Move>(row)?.is_none_or(|row| row.basis != Basis::Revaluation) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn quantity_after(&mut self, key: &ItemKey, seq: i64) -> Decision<Option<i64>> {
        if seq == 0 {
            return Ok(Some(0));
        }
        let row = self.ledger.facts.get::<Move>(&MoveKey { item: key.clone(), seq })?;
        Ok(row.map(|row| row.quantity_after))
    }

    /// To what was counted: what is too much comes in at the average, what is missing goes out at it.
    pub(super) fn count(&mut self, number: u32, line: &DocumentLine, resolved: &Resolved) -> Decision<LineOutcome> {
        let difference = match self.difference(line, resolved)? {
            Ok(difference) => difference,
            Err(moved) => return Err(StockRefusal::ItemsMoved { moved: vec![moved] }.into()),
        };
        let product = &resolved.product;
        let key = self.on_hand(product);
        self.ledger.require_opened(&key)?;
        if difference == 0 {
            return Ok(LineOutcome::default());
        }
        if difference < 0 {
            let missing = Resolved { product: product.clone(), quantity: difference.strict_neg() };
            let line = DocumentLine { cost: None, ..line.clone() };
            return self.issue(number, &line, &missing);
        }
        let item = self.ledger.item(&key)?;
        let expires = item
            .lots
            .iter()
            .find(|left| Some(&left.lot) == line.lot.as_ref())
            .map_or(line.expires, |left| left.expires);
        let line = DocumentLine { expires, ..line.clone() };
        let picks = named_lot(product, &line, difference)?;
        let (cost, basis) = self.surplus(&key, &item, &line, product, difference)?;
        require_fits(&item, difference, cost)?;
        check_lots(&item, &picks, Dates::Stated)?;
        let entry = Entry { lot: only_lot(&picks), ..Entry::new(number, difference, cost, basis) };
        let seq = self.ledger.append(&key, entry)?;
        put_lots(self.ledger.facts, &key, &picks, Dates::Stated)?;
        Ok(LineOutcome { quantity: difference, value: cost, seq, left_as_of: seq, picks, ..LineOutcome::default() })
    }

    /// What units cost that nobody knew of: as stated, or the average, or the last one that was known, or nothing.
    fn surplus(
        &mut self,
        key: &ItemKey,
        item: &StockItem,
        line: &DocumentLine,
        product: &Product,
        units: i64,
    ) -> Decision<(i64, Basis)> {
        let out_of_range = |_| StockRefusal::DocumentOutOfRange;
        match line.cost {
            Some(LineCost::Amount(amount)) => {
                Ok((amount.checked_mul(MICROS).ok_or(StockRefusal::DocumentOutOfRange)?, Basis::Given))
            }
            Some(LineCost::Price(price)) => {
                let pack = line.pack.as_ref().and_then(|name| product.pack(name));
                let of_units = pack.map_or_else(|| product.units_shown(), |pack| pack.factor);
                Ok((priced(price, units, of_units).map_err(out_of_range)?, Basis::Given))
            }
            None => match self.ledger.state(key)?.at_average(units) {
                Some(cost) => Ok((cost, Basis::Average)),
                None => Ok((self.known_now(key, item)?.at_average(units).unwrap_or(0), Basis::Given)),
            },
        }
    }

    /// What the last units had cost when they left, as far as that is known by now.
    fn known_now(&mut self, key: &ItemKey, item: &StockItem) -> Decision<Balance> {
        if item.revalued_seq < item.seq {
            return Ok(item.known);
        }
        // They took all of it, so that what they cost is what was there.
        let change = self.moved_last(key, item.seq)?.map_or(0, |(_, change)| change);
        Ok(Balance { value: item.known.value.saturating_sub(change).max(0), ..item.known })
    }

    /// The last row up to this one that moved something, and by how much it was revalued: what was posted behind it moved
    /// nothing. `None` if too much was.
    pub(super) fn moved_last(&mut self, key: &ItemKey, last: i64) -> Decision<Option<(Move, i64)>> {
        let row = |seq| MoveKey { item: key.clone(), seq };
        let is_move = |row: &Move| row.basis != Basis::Revaluation;
        if let Some(row) = self.ledger.facts.get::<Move>(&row(last))?.filter(|row| is_move(row)) {
            return Ok(Some((row.clone(), 0)));
        }
        let first = last.saturating_sub(REVALUED_SINCE_MAX).max(1);
        let keys: Vec<MoveKey> = (first..=last).rev().map(row).collect();
        self.ledger.facts.require::<Move>(&keys)?;
        let mut revalued: Vec<Move> = Vec::new();
        for key in &keys {
            let Some(row) = self.ledger.facts.get::<Move>(key)?.cloned() else { return Ok(None) };
            if is_move(&row) {
                let of_it = revalued.iter().filter(|revalued| revalued.source == Some(row.key.seq));
                let change = of_it.fold(0_i64, |sum, revalued| sum.saturating_add(revalued.value));
                return Ok(Some((row, change)));
            }
            revalued.push(row);
        }
        Ok(None)
    }
}

fn on_hand_of(item: &StockItem, lot: Option<&LotCode>) -> i64 {
    match lot {
        None => item.quantity,
        Some(lot) => item.lots.iter().find(|left| left.lot == *lot).map_or(0, |left| left.quantity),
    }
}
