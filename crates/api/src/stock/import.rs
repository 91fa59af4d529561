//! Documents from files on the wire: rows as somebody wrote them, and what came of each.

use surehold_core::kernel::{Reference, Timestamp};
use surehold_core::stock::{
    self, DocumentHeader, DocumentId, DocumentKind, DocumentNote, ImportRow, LineOutcome, RowFault, SkippedWhy,
    StoreName,
};

use super::document::{Document, ExtraCost, NewDocument};
use super::line::NewLine;
use super::words;
use crate::describe::wire;

/// What a document says apart from its lines.
#[wire]
pub struct ImportHeader {
    pub effective_at: Option<Timestamp>,
    pub extra: Option<ExtraCost>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schema(default = false)]
    pub in_transit: bool,
    #[schema(value_type = words::NewDocumentKind)]
    pub kind: DocumentKind,
    pub note: Option<DocumentNote>,
    pub reference: Option<Reference>,
    pub store: StoreName,
    pub to_store: Option<StoreName>,
}

/// Of a document whose lines are somewhere else.
impl From<&NewDocument> for ImportHeader {
    fn from(document: &NewDocument) -> ImportHeader {
        let NewDocument { effective_at, extra, in_transit, kind, note, reference, store, to_store, .. } =
            document.clone();
        ImportHeader { effective_at, extra, in_transit, kind, note, reference, store, to_store }
    }
}

impl From<ImportHeader> for DocumentHeader {
    fn from(header: ImportHeader) -> DocumentHeader {
        let ImportHeader { effective_at, extra, in_transit, kind, note, reference, store, to_store } = header;
        let extra = extra.map(|ExtraCost { amount, by }| stock::ExtraCost { amount, by }.into());
        let header = DocumentHeader::new(kind, store);
        DocumentHeader { to_store, in_transit, effective_at, reference, note, extra, ..header }
    }
}

/// A document with all its rows.
#[wire]
#[schema(example = json!({
    "id": "019a8d1e-6f00-7000-8000-000000000001", "header": {"kind": "purchase", "store": "main", "reference": "INV-17"},
    "rows": [{"product": "tea", "count": "3", "price": "490"}, {"product": "tea", "count": "12", "amount": 5_880}]
}))]
pub struct ImportDocument {
    /// A UUIDv7 of your own: the identity of the document. Imported twice, it is still one.
    pub id: DocumentId,
    pub header: ImportHeader,
    /// Purchases, openings and recounts may have 10,000, other documents 200.
    #[schema(min_items = 1, max_items = 10_000)]
    pub rows: Vec<ImportRow>,
    /// Check everything, and change nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schema(default = false)]
    pub dry_run: bool,
}

/// What became of an import.
#[wire(Default)]
pub struct Imported {
    /// Without its lines; `posting` where it has several parts: import it again to see what came of all rows. Absent where
    /// nothing was changed: in a dry run, or because of `wrong` rows.
    pub document: Option<Document>,
    /// Whether it was posted before.
    pub repeated: bool,
    /// Rows that cannot be used. If there are any, nothing was changed.
    pub wrong: Vec<RowFault>,
    /// Rows of a long document that were left out when it was posted.
    pub left_out: Vec<RowFault>,
    /// Rows that brought something in, and rows that took something out.
    pub rows_in: u32,
    pub rows_out: u32,
    /// So many parts it has, or would have.
    pub part_count: u32,
    /// Of a dry run: what the rows mean, if all can be used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<NewLine>,
}

impl Imported {
    /// Each row with what came of it, as soon as that is known.
    pub fn posted<'o>(document: Document, outcomes: impl Iterator<Item = (u32, &'o LineOutcome)>) -> Imported {
        let mut imported = Imported { part_count: document.part_count, ..Imported::default() };
        for (row, outcome) in outcomes {
            imported.rows_in += u32::from(outcome.quantity > 0);
            imported.rows_out += u32::from(outcome.quantity < 0);
            if let Some(SkippedWhy { refusal }) = &outcome.skipped {
                imported.left_out.push(RowFault { row, field: None, reason: refusal.clone(), other_row: None });
            }
        }
        imported.left_out.sort_by_key(|left| left.row);
        Imported { document: Some(document), ..imported }
    }
}
