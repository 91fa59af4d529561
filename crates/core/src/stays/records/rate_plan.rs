//! Under which conditions rooms are sold.

use serde::{Deserialize, Serialize};

use crate::kernel::{Column, ColumnType, Columns, Corrupt, Json, Record, Row, Table, Title, Value};
use crate::operations::versioned;
use crate::stays::{PropertyName, RatePlanCode};

use super::{CancellationPolicy, stored};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RatePlanKey {
    pub property: PropertyName,
    pub code: RatePlanCode,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RatePlan {
    #[serde(flatten)]
    pub key: RatePlanKey,
    pub title: Title,
    pub cancellation: Json<CancellationPolicy>,
    pub version: i64,
}

impl Record for RatePlan {
    const TABLE: &'static Table = &Table {
        name: "rate_plans",
        columns: &[
            Column::fixed("property", ColumnType::Text),
            Column::fixed("code", ColumnType::Text),
            Column::changing("title", ColumnType::Text),
            Column::changing("cancellation", ColumnType::Json),
        ],
        key_columns: 2,
        due: None,
    };

    type Key = RatePlanKey;

    fn key(&self) -> RatePlanKey {
        self.key.clone()
    }

    fn write_key<'a>(key: &'a RatePlanKey, out: &mut dyn Columns<'a>) {
        out.put(Value::Text(key.property.as_str()));
        out.put(Value::Text(key.code.as_str()));
    }

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        RatePlan::write_key(&self.key, out);
        out.put(Value::Text(self.title.as_str()));
        out.put(Value::Text(self.cancellation.as_text()));
    }

    fn read(row: &mut dyn Row) -> Result<RatePlan, Corrupt> {
        let property = stored(PropertyName::new(row.text()?))?;
        let code = stored(RatePlanCode::new(row.text()?))?;
        Ok(RatePlan {
            key: RatePlanKey { property, code },
            title: stored(Title::new(row.text()?))?,
            cancellation: Json::stored(row.text()?)?,
            version: row.int()?,
        })
    }

    versioned!();
}
