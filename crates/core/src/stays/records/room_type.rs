//! Rooms that are sold as equals.

use serde::{Deserialize, Serialize};

use crate::kernel::{Column, ColumnType, Columns, Corrupt, Record, Row, Table, Title, Value};
use crate::operations::{number, versioned};
use crate::stays::{PropertyName, RoomTypeCode};

use super::stored;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RoomTypeKey {
    pub property: PropertyName,
    pub code: RoomTypeCode,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoomType {
    #[serde(flatten)]
    pub key: RoomTypeKey,
    pub title: Title,
    /// How many people one room takes.
    pub guests_max: u32,
    pub version: i64,
}

impl Record for RoomType {
    const TABLE: &'static Table = &Table {
        name: "room_types",
        columns: &[
            Column::fixed("property", ColumnType::Text),
            Column::fixed("code", ColumnType::Text),
            Column::changing("title", ColumnType::Text),
            Column::changing("guests_max", ColumnType::Int),
        ],
        key_columns: 2,
        due: None,
    };

    type Key = RoomTypeKey;

    fn key(&self) -> RoomTypeKey {
        self.key.clone()
    }

    fn write_key<'a>(key: &'a RoomTypeKey, out: &mut dyn Columns<'a>) {
        out.put(Value::Text(key.property.as_str()));
        out.put(Value::Text(key.code.as_str()));
    }

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        RoomType::write_key(&self.key, out);
        out.put(Value::Text(self.title.as_str()));
        out.put(Value::Int(i64::from(self.guests_max)));
    }

    fn read(row: &mut dyn Row) -> Result<RoomType, Corrupt> {
        let property = stored(PropertyName::new(row.text()?))?;
        let code = stored(RoomTypeCode::new(row.text()?))?;
        Ok(RoomType {
            key: RoomTypeKey { property, code },
            title: stored(Title::new(row.text()?))?,
            guests_max: number(row.int()?)?,
            version: row.int()?,
        })
    }

    versioned!();
}
