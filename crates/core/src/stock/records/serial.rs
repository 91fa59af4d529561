//! Where a single piece is: in one store, or out.

use serde::{Deserialize, Serialize};

use crate::kernel::{Column, ColumnType, Columns, Corrupt, Record, Row, Table, Value};
use crate::operations::versioned;
use crate::stock::{DocumentId, ProductCode, SerialCode, StoreName};

use super::{Place, stored};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SerialKey {
    pub product: ProductCode,
    pub serial: SerialCode,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Serial {
    pub key: SerialKey,
    /// `None` is out.
    pub store: Option<StoreName>,
    pub place: Place,
    /// The one that moved it last.
    pub document: DocumentId,
    pub version: i64,
}

impl Record for Serial {
    const TABLE: &'static Table = &Table {
        name: "stock_serials",
        columns: &[
            Column::fixed("product", ColumnType::Text),
            Column::fixed("serial", ColumnType::Text),
            Column::changing("store", ColumnType::Text),
            Column::changing("place", ColumnType::Text),
            Column::changing("document", ColumnType::Uuid),
        ],
        key_columns: 2,
        due: None,
    };

    type Key = SerialKey;

    fn key(&self) -> SerialKey {
        self.key.clone()
    }

    fn write_key<'a>(key: &'a SerialKey, out: &mut dyn Columns<'a>) {
        out.put(Value::Text(key.product.as_str()));
        out.put(Value::Text(key.serial.as_str()));
    }

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        Serial::write_key(&self.key, out);
        out.put_text(self.store.as_ref().map(StoreName::as_str));
        out.put(Value::Text(self.place.as_str()));
        out.put(Value::Uuid(self.document.uuid()));
    }

    fn read(row: &mut dyn Row) -> Result<Serial, Corrupt> {
        let product = stored(ProductCode::new(row.text()?))?;
        let serial = stored(SerialCode::new(row.text()?))?;
        Ok(Serial {
            key: SerialKey { product, serial },
            store: row.text_or_null()?.map(StoreName::new).map(stored).transpose()?,
            place: Place::read(row.text()?)?,
            document: stored(DocumentId::new(row.uuid()?))?,
            version: row.int()?,
        })
    }

    versioned!();
}
