//! A product: what it is counted in, and whether lots or single pieces of it are told apart.
//! Invariant: what is written in documents keeps its meaning, so scale, tracking and the size of a pack never change.

use serde::{Deserialize, Serialize};

use crate::kernel::{JsonList, Record, Title, words};
use crate::stock::{PackName, ProductCode, UnitName};

words!(
    /// What is told apart among the units of a product.
    Tracking {
        Nothing = "none",
        Lots = "lots",
        Serials = "serials",
    }
);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pack {
    pub name: PackName,
    /// Base units in it.
    pub factor: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(table = "products", remembered)]
pub struct Product {
    #[column(key)]
    pub code: ProductCode,
    pub title: Title,
    /// The base unit, of which there are whole numbers only.
    pub unit: UnitName,
    /// Decimals with which quantities are shown and prices are meant: 3 shows 3,250 g as 3.250, at a price per 1,000.
    #[column(fixed)]
    pub scale: u32,
    pub packs: JsonList<Pack>,
    #[column(fixed)]
    pub tracking: Tracking,
    pub version: i64,
}

impl Product {
    /// Base units in what is shown as one.
    pub fn units_shown(&self) -> i64 {
        10_i64.strict_pow(self.scale)
    }

    pub fn pack(&self, name: &PackName) -> Option<&Pack> {
        self.packs.iter().find(|pack| pack.name == *name)
    }
}
