//! A product: what it is counted in, and whether lots or single pieces of it are told apart.
//! Invariant: what is written in documents keeps its meaning, so scale, tracking and the size of a pack never change.

use serde::{Deserialize, Serialize};

use crate::kernel::{Column, ColumnType, Columns, Corrupt, JsonList, Record, Row, Table, Title, Value, words};
use crate::operations::{number, versioned};
use crate::stock::{PackName, ProductCode, UnitName};

use super::stored;

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

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Product {
    pub code: ProductCode,
    pub title: Title,
    /// The base unit, of which there are whole numbers only.
    pub unit: UnitName,
    /// Decimals with which quantities are shown and prices are meant: 3 shows 3,250 g as 3.250, at a price per 1,000.
    pub scale: u32,
    pub packs: JsonList<Pack>,
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

impl Record for Product {
    const TABLE: &'static Table = &Table {
        name: "products",
        columns: &[
            Column::fixed("code", ColumnType::Text),
            Column::changing("title", ColumnType::Text),
            Column::changing("unit", ColumnType::Text),
            Column::fixed("scale", ColumnType::Int),
            Column::changing("packs", ColumnType::Json),
            Column::fixed("tracking", ColumnType::Text),
        ],
        key_columns: 1,
        due: None,
    };

    const IS_REMEMBERED: bool = true;

    type Key = ProductCode;

    fn key(&self) -> ProductCode {
        self.code.clone()
    }

    fn write_key<'a>(code: &'a ProductCode, out: &mut dyn Columns<'a>) {
        out.put(Value::Text(code.as_str()));
    }

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        out.put(Value::Text(self.code.as_str()));
        out.put(Value::Text(self.title.as_str()));
        out.put(Value::Text(self.unit.as_str()));
        out.put(Value::Int(i64::from(self.scale)));
        out.put_text(self.packs.as_json());
        out.put(Value::Text(self.tracking.as_str()));
    }

    fn read(row: &mut dyn Row) -> Result<Product, Corrupt> {
        Ok(Product {
            code: stored(ProductCode::new(row.text()?))?,
            title: stored(Title::new(row.text()?))?,
            unit: stored(UnitName::new(row.text()?))?,
            scale: number(row.int()?)?,
            packs: JsonList::stored(row.text_or_null()?)?,
            tracking: Tracking::stored(row.text()?)?,
            version: row.int()?,
        })
    }

    versioned!();
}
