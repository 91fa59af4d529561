//! A place with goods, whose cost is counted in one currency.

use serde::{Deserialize, Serialize};

use crate::kernel::{Column, ColumnType, Columns, Corrupt, Currency, Record, Row, Table, Title, Value};
use crate::operations::versioned;
use crate::stock::StoreName;

use super::stored;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Store {
    pub name: StoreName,
    pub title: Title,
    pub currency: Currency,
    pub version: i64,
}

impl Record for Store {
    const TABLE: &'static Table = &Table {
        name: "stores",
        columns: &[
            Column::fixed("name", ColumnType::Text),
            Column::changing("title", ColumnType::Text),
            Column::fixed("currency", ColumnType::Text),
        ],
        key_columns: 1,
        due: None,
    };

    const IS_REMEMBERED: bool = true;

    type Key = StoreName;

    fn key(&self) -> StoreName {
        self.name.clone()
    }

    fn write_key<'a>(name: &'a StoreName, out: &mut dyn Columns<'a>) {
        out.put(Value::Text(name.as_str()));
    }

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        out.put(Value::Text(self.name.as_str()));
        out.put(Value::Text(self.title.as_str()));
        out.put(Value::Text(self.currency.as_str()));
    }

    fn read(row: &mut dyn Row) -> Result<Store, Corrupt> {
        Ok(Store {
            name: stored(StoreName::new(row.text()?))?,
            title: stored(Title::new(row.text()?))?,
            currency: stored(Currency::parse(row.text()?))?,
            version: row.int()?,
        })
    }

    versioned!();
}
