//! A row of the ledger of an item: what moved, what it cost, and what was there afterwards.
//! Invariant: a row is never changed. A cost that turns out to be another one is a new row.

use serde::{Deserialize, Serialize};

use crate::kernel::{Columnar, Record, Timestamp, words};
use crate::stock::rules::Balance;
use crate::stock::{DocumentId, LotCode, StoreName};

use super::{DocumentKind, ItemKey, Place};

words!(
    /// Where the cost of a row comes from. Whether it has to be worked out anew when earlier rows change follows from it.
    Basis {
        /// Somebody said so.
        Given = "given",
        /// The average of what was there.
        Average = "average",
        /// What is left of the cost of the source row.
        Source = "source",
        /// What the source row came in for, as far as that is there.
        Undo = "undo",
        /// Changes what the source row cost.
        Revaluation = "revaluation",
    }
);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Columnar)]
pub struct MoveKey {
    pub item: ItemKey,
    /// From 1, without gaps, in the order of posting.
    pub seq: i64,
}

/// The row of the same product that takes what this one gives away.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Columnar)]
pub struct Counter {
    pub store: StoreName,
    pub place: Place,
    pub seq: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(table = "stock_moves", fixed)]
pub struct Move {
    #[column(key)]
    pub key: MoveKey,
    pub document: DocumentId,
    /// From 1, over all parts.
    pub line: u32,
    pub kind: DocumentKind,
    pub basis: Basis,
    /// A row of the same item.
    pub source: Option<i64>,
    /// Less than zero went out.
    pub quantity: i64,
    pub value: i64,
    /// In the order of posting. Provisional while the item is revalued.
    pub quantity_after: i64,
    pub value_after: i64,
    pub effective_at: Timestamp,
    pub posted_at: Timestamp,
    /// Where all of it is of one.
    pub lot: Option<LotCode>,
    #[column(name = "counter_store", name = "counter_place", name = "counter_seq")]
    pub counter: Option<Counter>,
    pub version: i64,
}

impl Move {
    pub fn after(&self) -> Balance {
        Balance { quantity: self.quantity_after, value: self.value_after }
    }
}
