//! Moving back what a document moved: a new document with rows of its own. A long one is moved back part by part, and what
//! cannot be moved back of it stays, with the reason.

use std::collections::{BTreeMap, HashMap};

use super::Decision;
use super::about::{About, Follower, Questions};
use super::check::{require_available, require_unclaimed};
use super::ledger::{Entry, Ledger, require_fits};
use super::lines::or_left_out;
use super::lots::{Dates, Whereabouts, check_lots, move_serials, put_lots, require_lots, require_pieces, take_lots};
use crate::kernel::Facts;
use crate::stock::history::SourceNow;
use crate::stock::rules::Balance;
use crate::stock::{
    Basis, DocumentHeader, DocumentId, DocumentKind, DocumentLine, DocumentPart, ItemKey, LineOutcome, LotPick,
    PartKey, Place, Product, StockDocument, StoreName,
};

/// A row that is moved back.
#[derive(Clone, Debug)]
struct Undone {
    /// As it moved; it moves the other way now.
    quantity: i64,
    key: ItemKey,
    seq: i64,
    now: SourceNow,
}

/// Item, number of the row, and the quantity as it moved.
type MovedRow = (ItemKey, i64, i64);

/// The rows that a line wrote: those that came in before those that went out, so that goods go back before they come.
fn rows_of(header: &DocumentHeader, product_key: &ItemKey, outcome: &LineOutcome) -> Vec<MovedRow> {
    let units = outcome.quantity.saturating_abs();
    let transit = ItemKey { place: Place::InTransit, ..product_key.clone() };
    let counter_seq = outcome.counter_seq.unwrap_or(0);
    match header.kind {
        DocumentKind::Transfer => {
            let store = header.to_store.clone().expect("a transfer has one");
            let place = if header.in_transit { Place::InTransit } else { Place::OnHand };
            let to = ItemKey { store, place, product: product_key.product.clone() };
            vec![(to, counter_seq, units), (product_key.clone(), outcome.seq, units.strict_neg())]
        }
        DocumentKind::Receipt => {
            vec![(product_key.clone(), outcome.seq, units), (transit, counter_seq, units.strict_neg())]
        }
        DocumentKind::TransitLoss => vec![(transit, outcome.seq, units.strict_neg())],
        DocumentKind::Purchase
        | DocumentKind::Sale
        | DocumentKind::CustomerReturn
        | DocumentKind::SupplierReturn
        | DocumentKind::WriteOff
        | DocumentKind::Opening
        | DocumentKind::Recount
        | DocumentKind::Reversal => vec![(product_key.clone(), outcome.seq, outcome.quantity)],
    }
}

/// The document that the reversed one is about, if it is about one.
fn followed(facts: &mut Facts, reversed: &About) -> Decision<Option<(About, DocumentPart)>> {
    let Some(id) = reversed.document.header.about else { return Ok(None) };
    let key = PartKey { document: id, number: 0 };
    let (document, part) = (facts.require::<StockDocument>([&id]), facts.require::<DocumentPart>([&key]));
    document.and(part)?;
    let document = facts.get::<StockDocument>(&id)?.expect("a document with followers stays").clone();
    let part = facts.get::<DocumentPart>(&key)?.expect("a posted document has its parts").clone();
    let about = About { document, lines: part.lines.to_vec(), outcomes: part.outcomes.to_vec() };
    Ok(Some((about, part)))
}

/// Lines that are moved back.
#[derive(Clone, Copy, Debug)]
pub(in crate::stock) struct Reversal<'a> {
    /// The one that moves them back.
    pub(in crate::stock) document: DocumentId,
    /// A part of the one that moved them.
    pub(in crate::stock) reversed: &'a About,
    /// Of the first line of that part.
    pub(in crate::stock) first_line: u32,
    /// A line that cannot be moved back is left out, instead of all of them.
    pub(in crate::stock) skips: bool,
}

/// Refuses, in this order: an effect before others that are about the same document; histories that have to be looked up;
/// every product that is short; what was not there in the past. Where lines are left out instead, nothing of this.
pub(in crate::stock) fn reverse_lines(mut ledger: Ledger<'_>, reversal: Reversal<'_>) -> Decision<Vec<LineOutcome>> {
    let reversed = reversal.reversed;
    let (effective_at, mut followed) = (ledger.effective_at(), followed(ledger.facts, reversed)?);
    if let Some((about, _)) = &followed {
        about.require_order(effective_at)?;
    }
    let header = &reversed.document.header;
    let mut lines: Vec<(usize, Vec<MovedRow>)> = Vec::new();
    for (index, outcome) in reversed.outcomes.iter().enumerate() {
        let moved = outcome.seq != 0;
        let product = match &followed {
            Some((about, _)) => about.product(about.index(reversed.lines[index].of_line.unwrap_or(0))?),
            None => reversed.product(index),
        };
        let key = ItemKey::on_hand(&header.store, product);
        lines.push((index, if moved { rows_of(header, &key, outcome) } else { Vec::new() }));
    }
    let mut keys: Vec<ItemKey> = lines.iter().flat_map(|(_, rows)| rows.iter().map(|row| row.0.clone())).collect();
    keys.sort();
    keys.dedup();
    let moved = lines.iter().filter_map(|(index, rows)| Some((&rows.first()?.0.product, &reversed.lines[*index])));
    require_pieces(ledger.facts, moved)?;
    ledger.open(&keys)?;
    if !reversal.skips {
        require_available(ledger.facts, &leaving(&lines), &HashMap::new())?;
    }
    let undone = costs_by_now(&mut ledger, reversed, &lines)?;

    let mut outcomes = vec![LineOutcome::default(); reversed.outcomes.len()];
    // The last line first: what it found is there again.
    for (index, rows) in undone.into_iter().rev() {
        let undone = undo_line(&mut ledger, reversal, index, &rows);
        outcomes[index] = if reversal.skips { or_left_out(undone)? } else { undone? };
        if let (Some((about, _)), Some(row)) = (&mut followed, rows.last()) {
            let line = about.index(reversed.lines[index].of_line.unwrap_or(0))?;
            about.put_back(line, row.quantity.saturating_abs(), row.now.cost, &reversed.outcomes[index].picks);
        }
    }
    if let Some((about, _)) = followed {
        about.keep(ledger.facts, Follower::Goes, effective_at)?;
    }
    ledger.finish()?;
    Ok(outcomes)
}

/// What goes out of the store again, by item, of parts that came in.
pub(in crate::stock) fn brought_in(parts: &[DocumentPart], store: &StoreName) -> BTreeMap<ItemKey, i64> {
    let mut brought: BTreeMap<ItemKey, i64> = BTreeMap::new();
    for (line, outcome) in parts.iter().flat_map(|part| part.lines.iter().zip(&*part.outcomes)) {
        let Some(product) = line.product.as_ref().filter(|_| outcome.quantity > 0) else { continue };
        let sum = brought.entry(ItemKey::on_hand(store, product)).or_insert(0);
        *sum = sum.strict_add(outcome.quantity);
    }
    brought
}

/// What leaves each item, less what comes back to it.
fn leaving(lines: &[(usize, Vec<MovedRow>)]) -> BTreeMap<ItemKey, i64> {
    let mut wanted: BTreeMap<ItemKey, i64> = BTreeMap::new();
    for (key, _, quantity) in lines.iter().flat_map(|(_, rows)| rows) {
        let sum = wanted.entry(key.clone()).or_insert(0);
        *sum = sum.strict_add(*quantity);
    }
    wanted.retain(|_, quantity| *quantity > 0);
    wanted
}

fn costs_by_now(
    ledger: &mut Ledger<'_>,
    reversed: &About,
    lines: &[(usize, Vec<MovedRow>)],
) -> Decision<Vec<(usize, Vec<Undone>)>> {
    let mut questions = Questions::default();
    let mut all = Vec::with_capacity(lines.len());
    // What was stated is never worked out anew.
    let is_stated = matches!(reversed.document.header.kind, DocumentKind::Purchase | DocumentKind::Opening);
    for (index, rows) in lines {
        let outcome = &reversed.outcomes[*index];
        let cost = outcome.value.saturating_abs();
        let mut undone = Vec::with_capacity(rows.len());
        for (key, seq, quantity) in rows {
            let units = quantity.saturating_abs();
            let written = SourceNow { seq: *seq, cost, left: Balance { quantity: units, value: cost } };
            let now = if is_stated { Ok(written) } else { ledger.source_now(key, written, *seq)? };
            match now {
                Ok(now) => undone.push(Undone { quantity: *quantity, key: key.clone(), seq: *seq, now }),
                Err(question) => questions.add(question),
            }
        }
        all.push((*index, undone));
    }
    questions.ask(ledger.facts)?;
    Ok(all)
}

/// What can be refused comes before the first row: a line of a long document is left out as a whole.
fn require_undoable(
    ledger: &mut Ledger<'_>,
    reversal: Reversal<'_>,
    rows: &[Undone],
    picks: &[LotPick],
) -> Decision<()> {
    for row in rows {
        let item = ledger.item(&row.key)?;
        if row.quantity > 0 {
            if reversal.skips {
                require_unclaimed(ledger.facts, &row.key, row.quantity)?;
            }
            require_lots(&item, picks)?;
        } else {
            require_fits(&item, row.quantity.strict_neg(), row.now.cost)?;
            check_lots(&item, picks, Dates::AsBefore)?;
        }
    }
    Ok(())
}

/// What came in goes out for what it came for, as far as that is there; what went out comes in for what it left for.
fn undo_line(ledger: &mut Ledger<'_>, reversal: Reversal<'_>, index: usize, rows: &[Undone]) -> Decision<LineOutcome> {
    let (line, before) = (&reversal.reversed.lines[index], &reversal.reversed.outcomes[index]);
    let number = reversal.first_line.strict_add(u32::try_from(index).expect("few lines"));
    require_undoable(ledger, reversal, rows, &before.picks)?;
    move_pieces_back(ledger, reversal.document, line, rows)?;
    let mut outcome = LineOutcome { picks: before.picks.clone(), ..LineOutcome::default() };
    for row in rows {
        let (entry, cost) = if row.quantity > 0 {
            let in_transit = row.key.place == Place::InTransit;
            // Each transfer has its own cost in transit.
            let cost =
                if in_transit { row.now.cost } else { ledger.cost_of_undone(&row.key, row.quantity, row.now.cost)? };
            let basis = if in_transit { Basis::Source } else { Basis::Undo };
            outcome.variance = row.now.cost.strict_sub(cost);
            (Entry::new(number, row.quantity.strict_neg(), cost.strict_neg(), basis), cost)
        } else {
            (Entry::new(number, row.quantity.strict_neg(), row.now.cost, Basis::Source), row.now.cost)
        };
        let seq = ledger.append(&row.key, entry.source(row.seq))?;
        if row.quantity > 0 {
            take_lots(ledger.facts, &row.key, &before.picks)?;
        } else {
            put_lots(ledger.facts, &row.key, &before.picks, Dates::AsBefore)?;
        }
        // The document's own store is the last one.
        outcome.counter_seq = (outcome.seq != 0).then_some(outcome.seq);
        outcome.seq = seq;
        outcome.quantity = row.quantity.strict_neg();
        outcome.value = if row.quantity > 0 { cost.strict_neg() } else { cost };
    }
    Ok(outcome)
}

fn move_pieces_back(
    ledger: &mut Ledger<'_>,
    document: DocumentId,
    line: &DocumentLine,
    rows: &[Undone],
) -> Decision<()> {
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Ok(()) };
    let product = ledger.facts.get::<Product>(&first.key.product)?.expect("products are never removed").clone();
    let place = |row: &Undone| (row.key.store.clone(), row.key.place);
    let (from, to) = ((first.quantity > 0).then(|| place(first)), (last.quantity < 0).then(|| place(last)));
    let ways: (Whereabouts<'_>, Whereabouts<'_>) =
        (from.as_ref().map(|(store, place)| (store, *place)), to.as_ref().map(|(store, place)| (store, *place)));
    move_serials(ledger.facts, document, &product, &line.serials, ways)
}
