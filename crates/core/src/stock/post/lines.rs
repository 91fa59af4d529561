//! What each kind of document does with a line.

use std::collections::{BTreeMap, HashMap};

use super::Decision;
use super::about::{About, Follower};
use super::check::{Resolved, require_available, stated_cost, weigh_line};
use super::ledger::{Entry, Ledger, require_fits};
use super::lots::{Dates, check_lots, move_serials, named_lot, pick_lots, put_lots, require_pieces, take_lots};
use crate::kernel::{PoolKey, Stop, Timestamp};
use crate::stock::rules::Balance;
use crate::stock::{
    Basis, Counter, DocumentHeader, DocumentId, DocumentKind, DocumentLine, ItemKey, LineOutcome, LotCode, LotPick,
    Move, MoveKey, PartSpread, Place, Product, SkippedWhy, StockRefusal,
};

#[derive(Debug)]
pub(in crate::stock) struct Poster<'a, 'f> {
    pub(in crate::stock) ledger: Ledger<'f>,
    pub(in crate::stock) document: DocumentId,
    pub(in crate::stock) header: &'a DocumentHeader,
    pub(in crate::stock) effective_at: Timestamp,
    /// Of the first line.
    pub(in crate::stock) first_line: u32,
    pub(in crate::stock) spread: Option<PartSpread>,
    pub(in crate::stock) about: Option<About>,
    /// Units that have left the pools already, with the hold that had them.
    pub(in crate::stock) taken: HashMap<PoolKey, i64>,
    /// A line that cannot be posted is left out, instead of all of them.
    pub(in crate::stock) skips: bool,
    /// Where the ledgers had got to before this document.
    pub(in crate::stock) seq_before: HashMap<ItemKey, i64>,
}

/// Posts all lines, or none of them; of a part of a long document, all that can be.
pub(in crate::stock) fn post_lines(
    mut poster: Poster<'_, '_>,
    lines: &[DocumentLine],
    resolved: &[Resolved],
) -> Decision<Vec<LineOutcome>> {
    let keys = poster.items(lines, resolved)?;
    poster.require_pieces(lines, resolved)?;
    poster.ledger.open(&keys)?;
    for key in keys {
        let seq = poster.ledger.item(&key)?.seq;
        poster.seq_before.insert(key, seq);
    }
    poster.prepare(lines, resolved)?;
    let mut outcomes = Vec::with_capacity(lines.len());
    for (index, line) in lines.iter().enumerate() {
        let number = poster.first_line.strict_add(u32::try_from(index).expect("few lines"));
        let outcome = poster.post_line(number, line, resolved.get(index));
        outcomes.push(if poster.skips { or_left_out(outcome)? } else { outcome? });
    }
    let Poster { ledger, about, effective_at, .. } = poster;
    if let Some(about) = about {
        about.keep(ledger.facts, Follower::Comes, effective_at)?;
    }
    ledger.finish()?;
    Ok(outcomes)
}

/// A line of a long document that is refused is left out, and says why. Nothing of it may have been written.
pub(super) fn or_left_out(line: Decision<LineOutcome>) -> Decision<LineOutcome> {
    match line {
        Err(Stop::Refused(refusal)) => {
            let skipped = Some(SkippedWhy { refusal: refusal.to_string() });
            Ok(LineOutcome { skipped, ..LineOutcome::default() })
        }
        other => other,
    }
}

impl Poster<'_, '_> {
    pub(super) fn on_hand(&self, product: &Product) -> ItemKey {
        ItemKey::on_hand(&self.header.store, &product.code)
    }

    fn arrives_at(&self, product: &Product) -> ItemKey {
        let to_store = self.header.to_store.as_ref().expect("checked with the header");
        let place = if self.header.in_transit { Place::InTransit } else { Place::OnHand };
        ItemKey { place, ..ItemKey::on_hand(to_store, &product.code) }
    }

    /// All items that the lines move.
    fn items(&mut self, lines: &[DocumentLine], resolved: &[Resolved]) -> Decision<Vec<ItemKey>> {
        let mut keys = Vec::new();
        for resolved in resolved {
            keys.push(self.on_hand(&resolved.product));
            if self.header.kind == DocumentKind::Transfer {
                keys.push(self.arrives_at(&resolved.product));
            }
        }
        if let Some(about) = &self.about {
            for line in lines {
                let product = about.product(about.index(line.of_line.unwrap_or(0))?);
                match self.header.kind {
                    DocumentKind::TransitLoss => keys.push(ItemKey::in_transit(&self.header.store, product)),
                    DocumentKind::Receipt => {
                        keys.push(ItemKey::in_transit(&self.header.store, product));
                        keys.push(ItemKey::on_hand(&self.header.store, product));
                    }
                    DocumentKind::CustomerReturn
                    | DocumentKind::Purchase
                    | DocumentKind::Sale
                    | DocumentKind::SupplierReturn
                    | DocumentKind::WriteOff
                    | DocumentKind::Opening
                    | DocumentKind::Recount
                    | DocumentKind::Transfer
                    | DocumentKind::Reversal => keys.push(ItemKey::on_hand(&self.header.store, product)),
                }
            }
        }
        keys.sort();
        keys.dedup();
        Ok(keys)
    }

    fn require_pieces(&mut self, lines: &[DocumentLine], resolved: &[Resolved]) -> Decision<()> {
        let Some(about) = &self.about else {
            let products = resolved.iter().map(|resolved| &resolved.product.code);
            return require_pieces(self.ledger.facts, products.zip(lines));
        };
        let indices = lines.iter().map(|line| about.index(line.of_line.unwrap_or(0))).collect::<Decision<Vec<_>>>()?;
        let products = indices.into_iter().map(|index| about.product(index));
        require_pieces(self.ledger.facts, products.zip(lines))
    }

    /// What is refused for the document as a whole: with all products that are short, all that have moved.
    fn prepare(&mut self, lines: &[DocumentLine], resolved: &[Resolved]) -> Decision<()> {
        match self.header.kind {
            DocumentKind::Sale | DocumentKind::SupplierReturn | DocumentKind::WriteOff | DocumentKind::Transfer => {
                let mut wanted: BTreeMap<ItemKey, i64> = BTreeMap::new();
                for Resolved { product, quantity } in resolved {
                    let sum = wanted.entry(self.on_hand(product)).or_insert(0);
                    *sum = sum.strict_add(*quantity);
                }
                require_available(self.ledger.facts, &wanted, &self.taken)
            }
            DocumentKind::Recount => self.prepare_counts(lines, resolved),
            DocumentKind::CustomerReturn => self.catch_up(lines, |about, index| {
                let key = ItemKey::on_hand(&about.document.header.store, about.product(index));
                (key, about.outcomes[index].seq)
            }),
            DocumentKind::Receipt | DocumentKind::TransitLoss => self.catch_up(lines, |about, index| {
                let to_store = about.document.header.to_store.as_ref().expect("a transfer has one");
                let seq = about.outcomes[index].counter_seq.unwrap_or(0);
                (ItemKey::in_transit(to_store, about.product(index)), seq)
            }),
            DocumentKind::Opening => self.ask_openings(resolved),
            DocumentKind::Purchase | DocumentKind::Reversal => Ok(()),
        }
    }

    /// Asks for the first and the last row of every item that has moved.
    fn ask_openings(&mut self, resolved: &[Resolved]) -> Decision<()> {
        let mut rows = Vec::new();
        for item in resolved.iter().map(|resolved| self.on_hand(&resolved.product)) {
            if let Some(last) = self.seq_before.get(&item).copied().filter(|seq| *seq > 0) {
                rows.extend([1, last].map(|seq| MoveKey { item: item.clone(), seq }));
            }
        }
        Ok(self.ledger.facts.require::<Move>(&rows)?)
    }

    /// Refuses to open what has moved, unless this document has opened it in a part before, or all of it was taken back.
    fn require_unmoved(&mut self, key: &ItemKey) -> Decision<()> {
        let last = self.seq_before.get(key).copied().unwrap_or(0);
        if last == 0 {
            return Ok(());
        }
        let row = |seq| MoveKey { item: key.clone(), seq };
        let opened_here = self.ledger.facts.get::<Move>(&row(1))?.is_some_and(|row| row.document == self.document);
        let document = self.document;
        let is_gone = |row: &Move| row.kind == DocumentKind::Reversal && row.quantity_after == 0;
        // An item that was opened anew has other rows in front of this document's.
        let may_open = |row: Move| is_gone(&row) || row.document == document;
        let moved_last = self.moved_last(key, last)?;
        let may = opened_here || moved_last.is_some_and(|(row, _)| may_open(row));
        if may { Ok(()) } else { Err(StockRefusal::AlreadyOpen { item: key.clone() }.into()) }
    }

    fn catch_up(
        &mut self,
        lines: &[DocumentLine],
        source_of: impl Fn(&About, usize) -> (ItemKey, i64),
    ) -> Decision<()> {
        let mut about = self.about.take().expect("a document about another one");
        about.bring_up_to_date(&mut self.ledger, lines, source_of)?;
        self.about = Some(about);
        Ok(())
    }

    fn post_line(&mut self, number: u32, line: &DocumentLine, resolved: Option<&Resolved>) -> Decision<LineOutcome> {
        let resolved = || resolved.expect("a line with a product");
        match self.header.kind {
            DocumentKind::Purchase | DocumentKind::Opening => self.receive(number, line, resolved()),
            DocumentKind::Sale | DocumentKind::SupplierReturn | DocumentKind::WriteOff => {
                self.issue(number, line, resolved())
            }
            DocumentKind::Recount => self.count(number, line, resolved()),
            DocumentKind::Transfer => self.transfer(number, line, resolved()),
            DocumentKind::CustomerReturn => self.take_back(number, line),
            DocumentKind::Receipt => self.arrive(number, line),
            DocumentKind::TransitLoss => self.give_up(number, line),
            DocumentKind::Reversal => unreachable!("reversals have no lines of their own"),
        }
    }

    /// In, at what it came for and its part of the extra costs.
    fn receive(&mut self, number: u32, line: &DocumentLine, resolved: &Resolved) -> Decision<LineOutcome> {
        let Resolved { product, quantity } = resolved;
        let key = self.on_hand(product);
        if self.header.kind == DocumentKind::Opening {
            self.require_unmoved(&key)?;
        }
        let weight = weigh_line(line, resolved)?;
        // Also of a line that is left out: its part of the freight is nobody else's.
        let extra = self.spread.as_mut().map_or(0, |spread| spread.next(weight.by(spread.by)));
        self.ledger.require_opened(&key)?;
        let picks = named_lot(product, line, *quantity)?;
        let cost = weight.cost.checked_add(extra).ok_or(StockRefusal::DocumentOutOfRange)?;
        // What can be refused comes before the row: a line of a long document is left out as a whole.
        let (item, quantity) = (self.ledger.item(&key)?, *quantity);
        require_fits(&item, quantity, cost)?;
        check_lots(&item, &picks, Dates::Stated)?;
        let to = Some((&key.store, key.place));
        move_serials(self.ledger.facts, self.document, product, &line.serials, (None, to))?;
        let entry = Entry { lot: only_lot(&picks), ..Entry::new(number, quantity, cost, Basis::Given) };
        let seq = self.ledger.append(&key, entry)?;
        put_lots(self.ledger.facts, &key, &picks, Dates::Stated)?;
        Ok(LineOutcome { quantity, value: cost, seq, left_as_of: seq, picks, ..LineOutcome::default() })
    }

    /// Out, at the average.
    pub(super) fn issue(&mut self, number: u32, line: &DocumentLine, resolved: &Resolved) -> Decision<LineOutcome> {
        let Resolved { product, quantity } = resolved;
        let key = self.on_hand(product);
        let item = self.ledger.item(&key)?;
        let picks = pick_lots(&item, product, line, *quantity, (self.header.kind, self.effective_at))?;
        let cost = self.ledger.cost_of(&key, *quantity)?;
        let entry = Entry {
            lot: only_lot(&picks),
            ..Entry::new(number, quantity.strict_neg(), cost.strict_neg(), Basis::Average)
        };
        let seq = self.ledger.append(&key, entry)?;
        take_lots(self.ledger.facts, &key, &picks)?;
        let from = Some((&key.store, key.place));
        move_serials(self.ledger.facts, self.document, product, &line.serials, (from, None))?;
        let credited = stated_cost(line, resolved).map_err(|_| StockRefusal::DocumentOutOfRange)?;
        let is_sale = self.header.kind == DocumentKind::Sale;
        Ok(LineOutcome {
            quantity: quantity.strict_neg(),
            value: cost.strict_neg(),
            seq,
            left_picks: if is_sale { picks.clone() } else { Vec::new() },
            picks,
            left: Balance { quantity: *quantity, value: cost },
            left_as_of: seq,
            variance: credited.map_or(0, |credited| credited.strict_sub(cost)),
            ..LineOutcome::default()
        })
    }

    /// Out here and in there, at what it leaves for.
    fn transfer(&mut self, number: u32, line: &DocumentLine, resolved: &Resolved) -> Decision<LineOutcome> {
        let product = &resolved.product;
        let (from, to) = (self.on_hand(product), self.arrives_at(product));
        let item = self.ledger.item(&from)?;
        let quantity = resolved.quantity;
        let picks = pick_lots(&item, product, line, quantity, (self.header.kind, self.effective_at))?;
        let cost = self.ledger.cost_of(&from, quantity)?;
        let (seq, counter_seq) = self.move_across(number, (&from, &to), quantity, cost, (Basis::Average, None))?;
        take_lots(self.ledger.facts, &from, &picks)?;
        put_lots(self.ledger.facts, &to, &picks, Dates::Stated)?;
        let ways = (Some((&from.store, from.place)), Some((&to.store, to.place)));
        move_serials(self.ledger.facts, self.document, product, &line.serials, ways)?;
        let in_transit = self.header.in_transit;
        Ok(LineOutcome {
            quantity: quantity.strict_neg(),
            value: cost.strict_neg(),
            seq,
            counter_seq: Some(counter_seq),
            left_picks: if in_transit { picks.clone() } else { Vec::new() },
            picks,
            left: Balance { quantity, value: cost },
            left_as_of: if in_transit { counter_seq } else { seq },
            ..LineOutcome::default()
        })
    }

    /// Two rows, one of which knows the other.
    fn move_across(
        &mut self,
        number: u32,
        (from, to): (&ItemKey, &ItemKey),
        quantity: i64,
        cost: i64,
        (basis, source): (Basis, Option<i64>),
    ) -> Decision<(i64, i64)> {
        let counter_seq = self.ledger.item(to)?.seq.strict_add(1);
        let counter = Counter { store: to.store.clone(), place: to.place, seq: counter_seq };
        let entry = Entry::new(number, quantity.strict_neg(), cost.strict_neg(), basis);
        let seq = self.ledger.append(from, Entry { source, counter: Some(counter), ..entry })?;
        let arrived = self.ledger.append(to, Entry::new(number, quantity, cost, Basis::Given))?;
        debug_assert_eq!(arrived, counter_seq, "one row after the other");
        Ok((seq, counter_seq))
    }

    /// Which line it is about, and its product in this store. Pieces are told apart here where they were there.
    fn about_line(&mut self, number: u32, line: &DocumentLine) -> Decision<(usize, Product, ItemKey)> {
        let about = self.about.as_ref().expect("a document about another one");
        let index = about.index(line.of_line.unwrap_or(0))?;
        let key = ItemKey::on_hand(&self.header.store, about.product(index));
        let product = self.ledger.facts.get::<Product>(&key.product)?.expect("products are never removed").clone();
        super::lots::check_tracking(&product, line, line.count)?;
        about.require_pieces_of(index, number, line)?;
        Ok((index, product, key))
    }

    /// In, at what it left for.
    fn take_back(&mut self, number: u32, line: &DocumentLine) -> Decision<LineOutcome> {
        let (index, product, key) = self.about_line(number, line)?;
        let about = self.about.as_mut().expect("a document about another one");
        let source = about.outcomes[index].seq;
        let (cost, picks) = about.take(index, line.count);
        let entry = Entry::new(number, line.count, cost, Basis::Source).source(source);
        let seq = self.ledger.append(&key, Entry { lot: only_lot(&picks), ..entry })?;
        self.about.as_mut().expect("just there").outcomes[index].left_as_of = seq;
        put_lots(self.ledger.facts, &key, &picks, Dates::AsBefore)?;
        let to = Some((&key.store, key.place));
        move_serials(self.ledger.facts, self.document, &product, &line.serials, (None, to))?;
        Ok(LineOutcome { quantity: line.count, value: cost, seq, left_as_of: seq, picks, ..LineOutcome::default() })
    }

    /// From transit into the store, at what it left for.
    fn arrive(&mut self, number: u32, line: &DocumentLine) -> Decision<LineOutcome> {
        let (index, product, to) = self.about_line(number, line)?;
        let from = ItemKey { place: Place::InTransit, ..to.clone() };
        let about = self.about.as_mut().expect("a document about another one");
        let source = about.outcomes[index].counter_seq;
        let (cost, picks) = about.take(index, line.count);
        let (seq, arrived) = self.move_across(number, (&from, &to), line.count, cost, (Basis::Source, source))?;
        self.about.as_mut().expect("just there").outcomes[index].left_as_of = seq;
        take_lots(self.ledger.facts, &from, &picks)?;
        put_lots(self.ledger.facts, &to, &picks, Dates::AsBefore)?;
        let ways = (Some((&from.store, from.place)), Some((&to.store, to.place)));
        move_serials(self.ledger.facts, self.document, &product, &line.serials, ways)?;
        Ok(LineOutcome {
            quantity: line.count,
            value: cost,
            seq: arrived,
            counter_seq: Some(seq),
            left_as_of: arrived,
            picks,
            ..LineOutcome::default()
        })
    }

    /// Out of transit, and nowhere.
    fn give_up(&mut self, number: u32, line: &DocumentLine) -> Decision<LineOutcome> {
        let (index, product, to) = self.about_line(number, line)?;
        let key = ItemKey { place: Place::InTransit, ..to };
        let about = self.about.as_mut().expect("a document about another one");
        let source = about.outcomes[index].counter_seq;
        let (cost, picks) = about.take(index, line.count);
        let entry = Entry::new(number, line.count.strict_neg(), cost.strict_neg(), Basis::Source);
        let seq = self.ledger.append(&key, Entry { source, lot: only_lot(&picks), ..entry })?;
        self.about.as_mut().expect("just there").outcomes[index].left_as_of = seq;
        take_lots(self.ledger.facts, &key, &picks)?;
        let from = Some((&key.store, key.place));
        move_serials(self.ledger.facts, self.document, &product, &line.serials, (from, None))?;
        Ok(LineOutcome {
            quantity: line.count.strict_neg(),
            value: cost.strict_neg(),
            seq,
            left_as_of: seq,
            picks,
            ..LineOutcome::default()
        })
    }
}

pub(super) fn only_lot(picks: &[LotPick]) -> Option<LotCode> {
    match picks {
        [only] => Some(only.lot.clone()),
        [] | [_, _, ..] => None,
    }
}
