//! Items on the wire: a product in a store.

use surehold_core::kernel::{self, Timestamp};
use surehold_core::stock::rules::{Balance, shown};
use surehold_core::stock::{ItemKey, Place, ProductCode, StockItem, StoreName};

use super::line::LotQuantity;
use super::number::{average, decimal};
use crate::describe::wire;
use crate::described;

/// A product in a store, or on its way to it.
#[wire]
pub struct ItemName {
    pub store: StoreName,
    pub product: ProductCode,
    pub place: Place,
}

impl From<ItemKey> for ItemName {
    fn from(ItemKey { store, place, product }: ItemKey) -> ItemName {
        ItemName { store, product, place }
    }
}

/// How much, and what it cost.
#[wire]
pub struct StockBalance {
    /// Base units.
    pub quantity: i64,
    /// What they cost together.
    #[schema(value_type = described::Money)]
    pub value: String,
    /// In whole minor units, for people.
    pub value_rounded: i64,
    /// The cost of what is shown as one, with four decimals. For people: nothing is reckoned with it.
    #[schema(value_type = Option<described::Money>, example = "120.0000")]
    pub average: Option<String>,
}

impl StockBalance {
    pub fn new(balance: Balance, scale: u32) -> StockBalance {
        StockBalance {
            quantity: balance.quantity,
            value: decimal(balance.value),
            value_rounded: shown(balance.value),
            average: average(balance, scale),
        }
    }
}

/// What there is of a product in a store.
#[wire]
pub struct Item {
    #[serde(flatten)]
    pub item: ItemName,
    /// Decimals with which quantities are shown.
    pub scale: u32,
    #[serde(flatten)]
    pub balance: StockBalance,
    /// What a document may take: quantity − held − booked − granted, never below zero; overbooking is for promises. This
    /// and the claims are absent of what is in transit, which cannot be claimed, and of what never moved.
    pub available: Option<i64>,
    pub held: Option<i64>,
    pub booked: Option<i64>,
    pub granted: Option<i64>,
    /// Units promised that a recount did not find.
    pub oversold: Option<i64>,
    pub closed: Option<bool>,
    /// The last row of its ledger: give it as `against` of a recount. 0 if it never moved.
    pub seq: i64,
    /// The latest instant at which a row took effect.
    pub last_effective_at: Option<Timestamp>,
    /// Its value is provisional: costs are being worked out anew. Absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub revaluing: bool,
    /// Where lots are told apart, those that are there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lots: Vec<LotQuantity>,
}

impl Item {
    /// `available` is what is left of its pool.
    pub fn new(item: StockItem, pool: Option<kernel::Pool>, available: i64, scale: u32) -> Item {
        // Before its first document the pool's total is nobody's quantity.
        let pool = pool.filter(|pool| pool.tracked);
        let pool = pool.as_ref();
        let balance = Balance { quantity: item.quantity, value: item.value };
        Item {
            scale,
            balance: StockBalance::new(balance, scale),
            available: pool.map(|_| available),
            held: pool.map(|pool| pool.held),
            booked: pool.map(|pool| pool.booked),
            granted: pool.map(|pool| pool.granted),
            oversold: pool.map(|pool| pool.oversold),
            closed: pool.map(|pool| pool.closed),
            seq: item.seq,
            last_effective_at: item.last_effective,
            revaluing: item.revaluing.is_some(),
            lots: item.lots.iter().map(LotQuantity::from).collect(),
            item: item.key.into(),
        }
    }
}

#[wire(page)]
pub struct ItemPage {
    pub items: Vec<Item>,
}
