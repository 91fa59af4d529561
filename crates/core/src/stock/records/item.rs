//! A product in a store: how much, what it cost, and where its ledger has got to. What is on its way to the store is an
//! item of its own: nobody can sell it yet.

use std::fmt;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::kernel::{Columnar, Json, JsonList, PoolKey, Record, Timestamp, words};
use crate::stock::rules::Balance;
use crate::stock::{DocumentId, LotCode, ProductCode, StoreName, pool_of};

use super::DocumentKind;

words!(
    /// Where in a store, or on the way to it.
    Place {
        OnHand = "on_hand",
        InTransit = "in_transit",
    }
);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Columnar)]
pub struct ItemKey {
    pub store: StoreName,
    pub place: Place,
    pub product: ProductCode,
}

impl ItemKey {
    pub fn on_hand(store: &StoreName, product: &ProductCode) -> ItemKey {
        ItemKey { store: store.clone(), place: Place::OnHand, product: product.clone() }
    }

    pub fn in_transit(store: &StoreName, product: &ProductCode) -> ItemKey {
        ItemKey { place: Place::InTransit, ..ItemKey::on_hand(store, product) }
    }

    /// What is in transit cannot be claimed.
    pub fn pool(&self) -> Option<PoolKey> {
        match self.place {
            Place::OnHand => Some(pool_of(&self.store, &self.product)),
            Place::InTransit => None,
        }
    }
}

impl fmt::Display for ItemKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::OnHand => write!(f, "{}/{}", self.store, self.product),
            Place::InTransit => write!(f, "{}/{} in transit", self.store, self.product),
        }
    }
}

/// Units of a lot that are there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LotLeft {
    pub lot: LotCode,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expires: Option<Date>,
    pub quantity: i64,
}

/// Rows behind this point, in the order in which they took effect, may have the wrong cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revaluing {
    pub effective_at: Timestamp,
    pub seq: i64,
    /// What was there at that point, where that is known.
    pub state: Option<Balance>,
    /// Because of which it is done.
    pub document: DocumentId,
    pub kind: DocumentKind,
    /// The last row that the walk itself has written, and the last one by which others changed the past.
    #[serde(default)]
    pub own_seq: i64,
    #[serde(default)]
    pub others_seq: i64,
}

impl Revaluing {
    pub fn point(&self) -> (Timestamp, i64) {
        (self.effective_at, self.seq)
    }

    /// Whose turn it is where goods go back and forth: the item with the earliest point; of those at one instant the one
    /// that another item's walk has got to it, because what it gives back is what that other walk will find next.
    pub fn turn(&self) -> (Timestamp, bool, i64) {
        (self.effective_at, self.state.is_some(), self.seq)
    }

    /// The last row by which others than this walk changed the past: rows behind the point that were read before it have to
    /// be read again. `revalued_seq` is the last row by which anybody changed a cost.
    pub(in crate::stock) fn changed_by_others(&self, revalued_seq: i64) -> i64 {
        if revalued_seq == self.own_seq { self.others_seq } else { self.others_seq.max(revalued_seq) }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(table = "stock_items", remembered)]
pub struct StockItem {
    #[column(key)]
    pub key: ItemKey,
    pub quantity: i64,
    /// In millionths of a minor unit. Provisional while the item is revalued.
    pub value: i64,
    /// Number of the last row of the ledger.
    pub seq: i64,
    /// The latest instant at which a row took effect.
    pub last_effective: Option<Timestamp>,
    /// Number of the last row that changed the cost of an earlier one; 0 if none did.
    pub revalued_seq: i64,
    /// What was there when the last units left: its average outlives it.
    #[column(name = "known_quantity", name = "known_value")]
    pub known: Balance,
    pub lots: JsonList<LotLeft>,
    pub revaluing: Option<Json<Revaluing>>,
    pub version: i64,
}

impl StockItem {
    pub fn new(key: ItemKey) -> StockItem {
        StockItem {
            key,
            quantity: 0,
            value: 0,
            seq: 0,
            last_effective: None,
            revalued_seq: 0,
            known: Balance::NOTHING,
            lots: JsonList::default(),
            revaluing: None,
            version: 0,
        }
    }

    /// What it may be reckoned with: a value that is provisional may be less than nothing for a while.
    pub fn balance(&self) -> Balance {
        Balance { quantity: self.quantity, value: self.value.max(0) }
    }

    pub fn is_backdated(&self, effective_at: Timestamp) -> bool {
        self.last_effective.is_some_and(|last| effective_at < last)
    }
}
