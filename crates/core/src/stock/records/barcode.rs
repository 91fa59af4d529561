//! What a scanner reads, and what it means.

use serde::{Deserialize, Serialize};

use crate::kernel::{Column, ColumnType, Columns, Corrupt, Record, Row, Table, Value};
use crate::operations::versioned;
use crate::stock::{BarcodeText, PackName, ProductCode};

use super::stored;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Barcode {
    pub code: BarcodeText,
    pub product: ProductCode,
    /// `None` is one base unit.
    pub pack: Option<PackName>,
    pub version: i64,
}

impl Record for Barcode {
    const TABLE: &'static Table = &Table {
        name: "barcodes",
        columns: &[
            Column::fixed("code", ColumnType::Text),
            Column::changing("product", ColumnType::Text),
            Column::changing("pack", ColumnType::Text),
        ],
        key_columns: 1,
        due: None,
    };

    type Key = BarcodeText;

    fn key(&self) -> BarcodeText {
        self.code.clone()
    }

    fn write_key<'a>(code: &'a BarcodeText, out: &mut dyn Columns<'a>) {
        out.put(Value::Text(code.as_str()));
    }

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        out.put(Value::Text(self.code.as_str()));
        out.put(Value::Text(self.product.as_str()));
        out.put_text(self.pack.as_ref().map(PackName::as_str));
    }

    fn read(row: &mut dyn Row) -> Result<Barcode, Corrupt> {
        Ok(Barcode {
            code: stored(BarcodeText::new(row.text()?))?,
            product: stored(ProductCode::new(row.text()?))?,
            pack: row.text_or_null()?.map(PackName::new).map(stored).transpose()?,
            version: row.int()?,
        })
    }

    versioned!();
}
