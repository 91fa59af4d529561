//! Who stays. Personal data lives here and nowhere else, so that erasing it here erases it.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::kernel::{
    Column, ColumnType, Columns, Corrupt, HoldId, Invalid, Record, Row, Table, Timestamp, Value, check_name,
};
use crate::operations::versioned;

use super::stored;

/// As a caller says it; each part may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuestDetails {
    pub name: Option<SmolStr>,
    pub email: Option<SmolStr>,
    pub phone: Option<SmolStr>,
}

impl GuestDetails {
    /// Personal data is never repeated in a refusal.
    pub fn check(&self) -> Result<(), Invalid> {
        for (what, text) in
            [("the guest's name", &self.name), ("the guest's email", &self.email), ("the guest's phone", &self.phone)]
        {
            if let Some(text) = text {
                check_name(what, text)?;
            }
        }
        Ok(())
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guest {
    pub hold: HoldId,
    pub details: GuestDetails,
    pub erased_at: Option<Timestamp>,
    pub version: i64,
}

impl Record for Guest {
    const TABLE: &'static Table = &Table {
        name: "guests",
        columns: &[
            Column::fixed("hold", ColumnType::Uuid),
            Column::changing("name", ColumnType::Text),
            Column::changing("email", ColumnType::Text),
            Column::changing("phone", ColumnType::Text),
            Column::changing("erased_at", ColumnType::Time),
        ],
        key_columns: 1,
        due: None,
    };

    type Key = HoldId;

    fn key(&self) -> HoldId {
        self.hold
    }

    fn write_key<'a>(hold: &'a HoldId, out: &mut dyn Columns<'a>) {
        out.put(Value::Uuid(hold.uuid()));
    }

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        out.put(Value::Uuid(self.hold.uuid()));
        out.put_text(self.details.name.as_deref());
        out.put_text(self.details.email.as_deref());
        out.put_text(self.details.phone.as_deref());
        out.put_time(self.erased_at);
    }

    fn read(row: &mut dyn Row) -> Result<Guest, Corrupt> {
        Ok(Guest {
            hold: stored(HoldId::new(row.uuid()?))?,
            details: GuestDetails {
                name: row.text_or_null()?.map(SmolStr::new),
                email: row.text_or_null()?.map(SmolStr::new),
                phone: row.text_or_null()?.map(SmolStr::new),
            },
            erased_at: row.time_or_null()?,
            version: row.int()?,
        })
    }

    versioned!();
}
