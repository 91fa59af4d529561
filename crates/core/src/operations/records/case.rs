//! Something a person must look at. Opened once per kind and key; opened again when it happens again.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::kernel::{Column, ColumnType, Columns, Corrupt, JsonList, Record, Row, Table, Timestamp, Value, words};

use super::{number, versioned};
use crate::operations::{Actor, Correlation, Reason};

words!(CaseState {
    Open = "open",
    Resolved = "resolved",
});

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CaseKey {
    /// A word that can be counted, such as `effect-unknown`.
    pub kind: SmolStr,
    pub key: SmolStr,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    #[serde(flatten)]
    pub key: CaseKey,
    pub state: CaseState,
    /// What is wrong and what to do about it, in a sentence or two.
    pub summary: SmolStr,
    pub correlations: JsonList<Correlation>,
    /// How often it was reported.
    pub reports: u32,
    pub opened_at: Timestamp,
    pub reported_at: Timestamp,
    pub assigned_to: Option<Actor>,
    pub resolved_at: Option<Timestamp>,
    pub resolved_by: Option<Actor>,
    pub resolution: Option<Reason>,
    pub version: i64,
}

impl Record for Case {
    const TABLE: &'static Table = &Table {
        name: "cases",
        columns: &[
            Column::fixed("kind", ColumnType::Text),
            Column::fixed("key", ColumnType::Text),
            Column::changing("state", ColumnType::Text),
            Column::changing("summary", ColumnType::Text),
            Column::changing("correlations", ColumnType::Json),
            Column::changing("reports", ColumnType::Int),
            Column::changing("opened_at", ColumnType::Time),
            Column::changing("reported_at", ColumnType::Time),
            Column::changing("assigned_to", ColumnType::Text),
            Column::changing("resolved_at", ColumnType::Time),
            Column::changing("resolved_by", ColumnType::Text),
            Column::changing("resolution", ColumnType::Text),
        ],
        key_columns: 2,
        due: None,
    };

    type Key = CaseKey;

    fn key(&self) -> CaseKey {
        self.key.clone()
    }

    fn write_key<'a>(key: &'a CaseKey, out: &mut dyn Columns<'a>) {
        out.put(Value::Text(&key.kind));
        out.put(Value::Text(&key.key));
    }

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        Case::write_key(&self.key, out);
        out.put(Value::Text(self.state.as_str()));
        out.put(Value::Text(&self.summary));
        out.put_text(self.correlations.as_json());
        out.put(Value::Int(i64::from(self.reports)));
        out.put(Value::Time(self.opened_at));
        out.put(Value::Time(self.reported_at));
        out.put_text(self.assigned_to.as_ref().map(Actor::as_str));
        out.put_time(self.resolved_at);
        out.put_text(self.resolved_by.as_ref().map(Actor::as_str));
        out.put_text(self.resolution.as_ref().map(Reason::as_str));
    }

    fn read(row: &mut dyn Row) -> Result<Case, Corrupt> {
        let kind = row.text()?.into();
        let key = row.text()?.into();
        Ok(Case {
            key: CaseKey { kind, key },
            state: CaseState::stored(row.text()?)?,
            summary: row.text()?.into(),
            correlations: JsonList::stored(row.text_or_null()?)?,
            reports: number(row.int()?)?,
            opened_at: row.time()?,
            reported_at: row.time()?,
            assigned_to: row.text_or_null()?.map(Actor::stored),
            resolved_at: row.time_or_null()?,
            resolved_by: row.text_or_null()?.map(Actor::stored),
            resolution: row.text_or_null()?.map(Reason::stored),
            version: row.int()?,
        })
    }

    versioned!();
}
