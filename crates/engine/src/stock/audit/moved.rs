//! What the rows of a document come to, in a few bytes: sums of prints, in which order does not matter. Two documents that
//! moved something else have the same sums almost never.

use std::collections::HashMap;

use surehold_core::stock::{DocumentKind, ItemKey, Move};
use uuid::Uuid;

use super::print_of;

/// By document. One that only revalued something has no rows here, and is known.
pub(super) type MovedBy = HashMap<Uuid, Moved>;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Moved {
    pub(super) rows: u64,
    /// Of all rows.
    pub(super) print: u64,
    /// Of items, as often as units moved: nothing, if as many came as went.
    pub(super) net: u64,
    /// What was given away less what arrived: nothing, if each arrived for what it left for.
    pub(super) across: u64,
}

/// A row as a document tells of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct DocumentRow<'a> {
    pub(super) kind: DocumentKind,
    pub(super) line: u32,
    /// Where lines name a product; lines about other lines do not.
    pub(super) item: Option<&'a ItemKey>,
    pub(super) seq: i64,
    pub(super) quantity: i64,
    pub(super) value: i64,
}

impl Moved {
    pub(super) fn add(&mut self, row: &Move) {
        let item = names_products(row.kind).then_some(&row.key.item);
        let Move { kind, line, quantity, value, .. } = *row;
        self.tell(DocumentRow { kind, line, item, seq: row.key.seq, quantity, value });
        let units = u64::from_ne_bytes(quantity.to_ne_bytes());
        self.net = self.net.wrapping_add(print_of(&row.key.item).wrapping_mul(units));
    }

    pub(super) fn tell(&mut self, told: DocumentRow<'_>) {
        let DocumentRow { kind, line, item, seq, quantity, value } = told;
        self.rows += 1;
        self.print = self.print.wrapping_add(print_of(&(kind.as_str(), line, item, seq, quantity, value)));
    }

    /// One side of a pair of rows.
    pub(super) fn carry(&mut self, print: u64, side: Side, value: i64) {
        let both = print_of(&(print, value.saturating_abs()));
        self.across = match side {
            Side::Gives => self.across.wrapping_add(both),
            Side::Takes => self.across.wrapping_sub(both),
        };
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Gives,
    Takes,
}

pub(super) fn across_print(to: &ItemKey, seq: i64, line: u32, units: i64) -> u64 {
    print_of(&(to, seq, line, units))
}

/// Whether lines of such a document name products, and not lines of another one.
pub(super) fn names_products(kind: DocumentKind) -> bool {
    match kind {
        DocumentKind::Purchase
        | DocumentKind::Sale
        | DocumentKind::SupplierReturn
        | DocumentKind::WriteOff
        | DocumentKind::Opening
        | DocumentKind::Recount
        | DocumentKind::Transfer => true,
        DocumentKind::CustomerReturn | DocumentKind::Receipt | DocumentKind::TransitLoss | DocumentKind::Reversal => {
            false
        }
    }
}
