//! Until when the books are closed, and what is still on its way into them. One for all stores of a tenant: a transfer
//! carries its cost from one store to another, so a period is closed everywhere or nowhere.

use serde::{Deserialize, Serialize};

use crate::kernel::{Column, ColumnType, Columns, Corrupt, Record, Row, Table, Timestamp, Value};
use crate::operations::versioned;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Books {
    /// No document takes effect before this instant any more.
    pub closed_until: Option<Timestamp>,
    /// Long documents that are being posted.
    pub posting: i64,
    /// Items whose costs are being worked out anew.
    pub revaluing: i64,
    pub version: i64,
}

impl Record for Books {
    const TABLE: &'static Table = &Table {
        name: "stock_books",
        columns: &[
            Column::changing("closed_until", ColumnType::Time),
            Column::changing("posting", ColumnType::Int),
            Column::changing("revaluing", ColumnType::Int),
        ],
        key_columns: 0,
        due: None,
    };

    const IS_REMEMBERED: bool = true;

    type Key = ();

    fn key(&self) {}

    fn write_key<'a>((): &'a (), _: &mut dyn Columns<'a>) {}

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        out.put_time(self.closed_until);
        out.put(Value::Int(self.posting));
        out.put(Value::Int(self.revaluing));
    }

    fn read(row: &mut dyn Row) -> Result<Books, Corrupt> {
        Ok(Books { closed_until: row.time_or_null()?, posting: row.int()?, revaluing: row.int()?, version: row.int()? })
    }

    versioned!();
}
