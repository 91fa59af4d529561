//! How much an owner holds at this moment. Written only for holds that name an owner, gone when nothing is held.

use super::OwnerName;
use super::record::{Column, ColumnType, Columns, Corrupt, Record, Row, Table, Value};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    pub name: OwnerName,
    /// Active holds.
    pub holds: i64,
    /// Their lifetimes from placing to expiry, summed.
    pub lifetime_secs: i64,
    pub version: i64,
}

impl Record for Owner {
    const TABLE: &'static Table = &Table {
        name: "owners",
        columns: &[
            Column::fixed("owner", ColumnType::Text),
            Column::changing("holds", ColumnType::Int),
            Column::changing("lifetime_secs", ColumnType::Int),
        ],
        key_columns: 1,
        due: None,
    };

    type Key = OwnerName;

    fn key(&self) -> OwnerName {
        self.name.clone()
    }

    fn write_key<'a>(name: &'a OwnerName, out: &mut dyn Columns<'a>) {
        out.put(Value::Text(name.as_str()));
    }

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        out.put(Value::Text(self.name.as_str()));
        out.put(Value::Int(self.holds));
        out.put(Value::Int(self.lifetime_secs));
    }

    fn read(row: &mut dyn Row) -> Result<Owner, Corrupt> {
        Ok(Owner {
            name: OwnerName::new(row.text()?).map_err(|invalid| Corrupt::new(invalid.to_string()))?,
            holds: row.int()?,
            lifetime_secs: row.int()?,
            version: row.int()?,
        })
    }

    fn version(&self) -> i64 {
        self.version
    }

    fn set_version(&mut self, version: i64) {
        self.version = version;
    }
}
