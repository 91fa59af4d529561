//! Cards, balances and turnover on the wire.

use surehold_core::kernel::Timestamp;
use surehold_core::stock::rules::{Balance, shown};
use surehold_core::stock::{Basis, Counter, DocumentId, DocumentKind, ItemKey, LotCode, Move, Place, StoreName};

use super::item::{ItemName, StockBalance};
use super::number::decimal;
use super::words;
use crate::describe::wire;
use crate::described;

/// The row of the same product that takes what this one gives away.
#[wire]
pub struct CardCounter {
    pub store: StoreName,
    pub place: Place,
    pub seq: i64,
}

impl From<Counter> for CardCounter {
    fn from(Counter { store, place, seq }: Counter) -> CardCounter {
        CardCounter { store, place, seq }
    }
}

/// A row of the card of an item.
#[wire]
pub struct CardRow {
    /// From 1, without gaps, in the order of posting.
    pub seq: i64,
    pub document: DocumentId,
    pub line: u32,
    pub kind: DocumentKind,
    pub basis: Basis,
    /// The row of this card that its cost comes from, or is about.
    pub source: Option<i64>,
    /// Base units; less than zero went out.
    pub quantity: i64,
    /// As posted; in the order of effect, as it is by now. Less than zero went out.
    #[schema(value_type = described::Money)]
    pub value: String,
    /// In whole minor units, for people.
    pub value_rounded: i64,
    /// What was there after it, in the order of the card.
    pub balance: StockBalance,
    pub effective_at: Timestamp,
    pub posted_at: Timestamp,
    /// Where all of it is of one.
    pub lot: Option<LotCode>,
    pub counter: Option<CardCounter>,
}

impl CardRow {
    pub fn posted(row: Move, scale: u32) -> CardRow {
        let (value, balance) = (row.value, row.after());
        CardRow::new(row, value, StockBalance::new(balance, scale))
    }

    pub fn in_effect(row: Move, value_now: i64, balance: Balance, scale: u32) -> CardRow {
        CardRow::new(row, value_now, StockBalance::new(balance, scale))
    }

    fn new(row: Move, value: i64, balance: StockBalance) -> CardRow {
        CardRow {
            seq: row.key.seq,
            document: row.document,
            line: row.line,
            kind: row.kind,
            basis: row.basis,
            source: row.source,
            quantity: row.quantity,
            value: decimal(value),
            value_rounded: shown(value),
            balance,
            effective_at: row.effective_at,
            posted_at: row.posted_at,
            lot: row.lot,
            counter: row.counter.map(CardCounter::from),
        }
    }
}

#[wire(page)]
pub struct CardPage {
    pub order: words::CardOrder,
    /// Decimals with which quantities are shown.
    pub scale: u32,
    pub rows: Vec<CardRow>,
}

/// What there was of an item at an instant.
#[wire]
pub struct ItemBalance {
    #[serde(flatten)]
    pub item: ItemName,
    /// Decimals with which quantities are shown.
    pub scale: u32,
    #[serde(flatten)]
    pub balance: StockBalance,
    /// Values are provisional: costs are being worked out anew. Absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub revaluing: bool,
}

impl ItemBalance {
    pub fn new(item: ItemKey, balance: Balance, revaluing: bool, scale: u32) -> ItemBalance {
        ItemBalance { item: item.into(), scale, balance: StockBalance::new(balance, scale), revaluing }
    }
}

#[wire(page)]
pub struct BalancePage {
    pub at: Timestamp,
    /// With everything that took effect up to then, as it is known by now.
    pub balances: Vec<ItemBalance>,
}

/// What came and went of an item in a time.
#[wire]
pub struct ItemTurnover {
    #[serde(flatten)]
    pub item: ItemName,
    /// Decimals with which quantities are shown.
    pub scale: u32,
    pub opening: StockBalance,
    pub incoming: StockBalance,
    pub outgoing: StockBalance,
    /// By how much its value changed beside that.
    #[schema(value_type = described::Money)]
    pub revalued: String,
    pub closing: StockBalance,
    /// Values are provisional: costs are being worked out anew. Absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub revaluing: bool,
}

#[wire(page)]
pub struct TurnoverPage {
    pub from: Timestamp,
    /// Not part of it.
    pub until: Timestamp,
    pub items: Vec<ItemTurnover>,
}
