//! Up to 200 lines of a document, and what came of them.

use serde::{Deserialize, Serialize};

use crate::kernel::{Columnar, Json, JsonList, Record};
use crate::stock::{DocumentId, rules};

use super::{DocumentLine, LineOutcome, Spread};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Columnar)]
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

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(table = "stock_document_parts")]
pub struct DocumentPart {
    #[column(key)]
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
