//! Up to 200 lines of a document, and what came of them.

use serde::{Deserialize, Serialize};

use crate::kernel::{Column, ColumnType, Columns, Corrupt, Json, JsonList, Record, Row, Table, Value};
use crate::operations::{number, versioned};
use crate::stock::{DocumentId, rules};

use super::{DocumentLine, LineOutcome, Spread, stored};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PartKey {
    pub document: DocumentId,
    /// From 0.
    pub number: u32,
}

/// How the extra costs of a document fall on the lines of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartSpread {
    /// In millionths, of the whole document.
    pub extra: i64,
    pub by: Spread,
    /// What the lines of the parts before weigh, and what all lines do.
    pub before: i64,
    pub total: i64,
}

impl PartSpread {
    /// For the next line, which has this weight.
    pub fn next(&mut self, weight: i64) -> i64 {
        let part = rules::spread(self.extra, self.before, weight, self.total);
        self.before = self.before.strict_add(weight);
        part
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentPart {
    pub key: PartKey,
    pub lines: JsonList<DocumentLine>,
    /// What the lines say that they cost together, and how many units they have: what extra costs are spread by.
    pub cost: i64,
    pub quantity: i64,
    /// Of the document; known when it is posted.
    pub first_line: u32,
    pub spread: Option<Json<PartSpread>>,
    /// One for each line, as soon as it is posted.
    pub outcomes: JsonList<LineOutcome>,
    pub posted: bool,
    pub version: i64,
}

impl Record for DocumentPart {
    const TABLE: &'static Table = &Table {
        name: "stock_document_parts",
        columns: &[
            Column::fixed("document", ColumnType::Uuid),
            Column::fixed("number", ColumnType::Int),
            Column::changing("lines", ColumnType::Json),
            Column::changing("cost", ColumnType::Int),
            Column::changing("quantity", ColumnType::Int),
            Column::changing("first_line", ColumnType::Int),
            Column::changing("spread", ColumnType::Json),
            Column::changing("outcomes", ColumnType::Json),
            Column::changing("posted", ColumnType::Bool),
        ],
        key_columns: 2,
        due: None,
    };

    type Key = PartKey;

    fn key(&self) -> PartKey {
        self.key
    }

    fn write_key<'a>(key: &'a PartKey, out: &mut dyn Columns<'a>) {
        out.put(Value::Uuid(key.document.uuid()));
        out.put(Value::Int(i64::from(key.number)));
    }

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        DocumentPart::write_key(&self.key, out);
        out.put_text(self.lines.as_json());
        out.put(Value::Int(self.cost));
        out.put(Value::Int(self.quantity));
        out.put(Value::Int(i64::from(self.first_line)));
        out.put_text(self.spread.as_ref().map(Json::as_text));
        out.put_text(self.outcomes.as_json());
        out.put(Value::Bool(self.posted));
    }

    fn read(row: &mut dyn Row) -> Result<DocumentPart, Corrupt> {
        let document = stored(DocumentId::new(row.uuid()?))?;
        let key = PartKey { document, number: number(row.int()?)? };
        Ok(DocumentPart {
            key,
            lines: JsonList::stored(row.text_or_null()?)?,
            cost: row.int()?,
            quantity: row.int()?,
            first_line: number(row.int()?)?,
            spread: row.text_or_null()?.map(Json::stored).transpose()?,
            outcomes: JsonList::stored(row.text_or_null()?)?,
            posted: row.bool()?,
            version: row.int()?,
        })
    }

    versioned!();
}
