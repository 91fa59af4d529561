//! Documents on the wire.

use std::mem::take;

use surehold_core::kernel::{Currency, HoldId, Invalid, Reference, Timestamp};
use surehold_core::stock::commands::{self, DocumentReply};
use surehold_core::stock::rules::shown;
use surehold_core::stock::{
    self, BarcodeText, DocumentContent, DocumentHeader, DocumentId, DocumentKind, DocumentLine, DocumentNote,
    DocumentState, Spread, StockDocument, StoreName,
};

use super::import::ImportHeader;
use super::line::{Barcodes, LineOutcome, NewLine, StockLine, into_lines};
use super::number::decimal;
use super::words;
use crate::describe::wire;
use crate::{Hold, described};

/// Freight, customs: part of what the goods of a purchase cost.
#[wire(Copy)]
pub struct ExtraCost {
    /// In minor units.
    #[schema(minimum = 0, maximum = 1_000_000_000_000_i64)]
    pub amount: i64,
    /// What it is spread over the lines by.
    #[serde(default = "by_value")]
    #[schema(default = "value")]
    pub by: Spread,
}

fn by_value() -> Spread {
    Spread::ByValue
}

/// What moves goods, or will. What each kind of document has is described in `docs/stock.md`.
#[wire]
#[schema(example = json!({
    "kind": "purchase", "store": "main", "in_transit": false, "effective_at": "2026-01-05T10:00:00Z",
    "reference": "INV-17", "note": "Came on Tuesday", "extra": {"amount": 1_000, "by": "value"}, "post": true,
    "lines": [{"product": "tea", "count": 3, "pack": "box", "price": "2490"},
        {"barcode": "4006381333931", "count": 1, "amount": 2_490}]
}))]
pub struct NewDocument {
    /// A UUIDv7 of your own: the identity of the document. Posted twice, it is still one. Without it an
    /// `Idempotency-Key` is needed.
    pub id: Option<DocumentId>,
    #[schema(value_type = words::NewDocumentKind)]
    pub kind: DocumentKind,
    pub store: StoreName,
    /// Where a transfer goes.
    pub to_store: Option<StoreName>,
    /// A transfer that takes its time: a receipt says when it has come.
    #[serde(default)]
    #[schema(default = false)]
    pub in_transit: bool,
    /// When it took effect: not in the future, not in closed books. When it is posted, unless told.
    pub effective_at: Option<Timestamp>,
    /// Your own number for it.
    pub reference: Option<Reference>,
    pub note: Option<DocumentNote>,
    /// The sale whose lines a customer's return names; the transfer whose lines a receipt or a loss names.
    pub about: Option<DocumentId>,
    pub extra: Option<ExtraCost>,
    /// `false` keeps it as a draft, which is replaced as often as wanted until it is posted.
    #[serde(default = "yes")]
    #[schema(default = true)]
    pub post: bool,
    #[schema(min_items = 1, max_items = 200)]
    pub lines: Vec<NewLine>,
}

fn yes() -> bool {
    true
}

impl NewDocument {
    /// To be posted now, with nothing but its lines.
    pub fn new(kind: DocumentKind, store: StoreName, lines: Vec<NewLine>) -> NewDocument {
        NewDocument {
            id: None,
            kind,
            store,
            to_store: None,
            in_transit: false,
            effective_at: None,
            reference: None,
            note: None,
            about: None,
            extra: None,
            post: true,
            lines,
        }
    }

    pub fn into_content(mut self, barcodes: &Barcodes) -> Result<DocumentContent, Invalid> {
        let lines = into_lines(take(&mut self.lines), barcodes)?;
        let header = DocumentHeader { about: self.about, ..ImportHeader::from(&self).into() };
        DocumentContent::new(header, lines)
    }
}

/// What has to be looked up before lines are understood.
pub fn barcodes_of(lines: &[NewLine]) -> impl Iterator<Item = &BarcodeText> {
    lines.iter().filter_map(|line| line.barcode.as_ref())
}

/// Further lines of a long draft.
#[wire]
#[schema(example = json!({
    "lines": [{"product": "tea", "count": 34, "against": {"seq": 7, "difference": true}}]
}))]
pub struct SaveLines {
    #[schema(min_items = 1, max_items = 200)]
    pub lines: Vec<NewLine>,
}

impl SaveLines {
    pub fn into_command(
        self,
        (id, kind, part): (DocumentId, DocumentKind, u32),
        barcodes: &Barcodes,
    ) -> Result<commands::SavePart, Invalid> {
        commands::SavePart::new(id, kind, part, into_lines(self.lines, barcodes)?)
    }
}

/// The document that moves back what another one moved.
#[wire]
#[schema(example = json!({
    "effective_at": "2026-01-05T10:00:00Z", "reference": "INV-17", "note": "Posted by mistake"
}))]
pub struct ReverseDocument {
    /// A UUIDv7 of your own: the identity of the reversal. Without it an `Idempotency-Key` is needed.
    pub id: Option<DocumentId>,
    pub effective_at: Option<Timestamp>,
    pub reference: Option<Reference>,
    pub note: Option<DocumentNote>,
}

impl ReverseDocument {
    /// The store is that of the reversed document.
    pub fn into_command(
        self,
        id: DocumentId,
        reverses: DocumentId,
        store: StoreName,
    ) -> Result<commands::ReverseDocument, Invalid> {
        let mut command = commands::ReverseDocument::new(id, reverses, store);
        let header = DocumentHeader {
            effective_at: self.effective_at,
            reference: self.reference,
            note: self.note,
            ..command.header
        };
        header.check()?;
        command.header = header;
        Ok(command)
    }
}

/// A sale whose goods are held.
#[wire]
#[schema(example = json!({
    "store": "main", "reference": "cart-7", "note": "With a receipt", "lines": [{"product": "tea", "count": 2}]
}))]
pub struct SellHold {
    /// A UUIDv7 of your own: the identity of the sale. Without it an `Idempotency-Key` is needed.
    pub id: Option<DocumentId>,
    pub store: StoreName,
    pub effective_at: Option<Timestamp>,
    pub reference: Option<Reference>,
    pub note: Option<DocumentNote>,
    #[schema(min_items = 1, max_items = 200)]
    pub lines: Vec<NewLine>,
}

/// Of a sale that says no more than such a one can.
impl From<NewDocument> for SellHold {
    fn from(sale: NewDocument) -> SellHold {
        let NewDocument { id, store, effective_at, reference, note, lines, .. } = sale;
        SellHold { id, store, effective_at, reference, note, lines }
    }
}

impl SellHold {
    pub fn into_content(self, barcodes: &Barcodes) -> Result<DocumentContent, Invalid> {
        let SellHold { effective_at, reference, note, .. } = self;
        let sale = NewDocument::new(DocumentKind::Sale, self.store, self.lines);
        NewDocument { effective_at, reference, note, ..sale }.into_content(barcodes)
    }
}

/// A document.
#[wire]
pub struct Document {
    pub id: DocumentId,
    pub kind: DocumentKind,
    pub state: DocumentState,
    pub store: StoreName,
    pub to_store: Option<StoreName>,
    /// Of transfers.
    pub in_transit: Option<bool>,
    #[schema(example = "EUR")]
    pub currency: Currency,
    pub reference: Option<Reference>,
    pub note: Option<DocumentNote>,
    /// The document that it is about.
    pub about: Option<DocumentId>,
    /// The hold that it sold.
    pub hold: Option<HoldId>,
    pub extra: Option<ExtraCost>,
    /// When it took effect; of a draft, when it is to.
    pub effective_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub posted_at: Option<Timestamp>,
    pub reversed_by: Option<DocumentId>,
    /// Documents about lines of this one, which are reversed before it is.
    pub followers: Option<u32>,
    /// What its lines cost together, as posted.
    #[schema(value_type = Option<described::Money>)]
    pub cost: Option<String>,
    /// In whole minor units, for people.
    pub cost_rounded: Option<i64>,
    pub part_count: u32,
    /// Of all parts, as soon as it is posted; of the first one before.
    pub line_count: u32,
    /// Lines of a long document that were left out.
    pub skipped_count: u32,
    pub version: i64,
    /// Which part's lines these are, from 0. Absent in lists.
    pub part: Option<u32>,
    /// Give it as `part` to get more lines; absent at the end.
    pub next_part: Option<u32>,
    pub lines: Option<Vec<StockLine>>,
}

impl From<StockDocument> for Document {
    fn from(document: StockDocument) -> Document {
        let header = document.header;
        let has_cost = document.state != DocumentState::Draft;
        Document {
            id: document.id,
            kind: header.kind,
            state: document.state,
            store: header.store,
            in_transit: header.to_store.is_some().then_some(header.in_transit),
            to_store: header.to_store,
            currency: document.currency,
            reference: header.reference,
            note: header.note,
            about: header.about,
            hold: document.hold,
            extra: header.extra.as_deref().map(|extra| ExtraCost { amount: extra.amount, by: extra.by }),
            effective_at: document.effective_at.or(header.effective_at),
            created_at: document.created_at,
            posted_at: document.posted_at,
            reversed_by: document.reversed_by,
            followers: Some(document.followers).filter(|followers| *followers > 0),
            cost: has_cost.then(|| decimal(document.cost)),
            cost_rounded: has_cost.then(|| shown(document.cost)),
            part_count: document.parts,
            line_count: document.lines,
            skipped_count: document.skipped,
            version: document.version,
            part: None,
            next_part: None,
            lines: None,
        }
    }
}

/// Lines of a part, and what came of them if they are posted.
#[derive(Clone, Debug)]
pub struct PartSeen {
    pub number: u32,
    pub first_line: u32,
    pub lines: Vec<DocumentLine>,
    pub outcomes: Vec<stock::LineOutcome>,
}

impl Document {
    #[must_use]
    pub fn with_part(self, part: PartSeen) -> Document {
        let followed = self.kind == DocumentKind::Sale || self.in_transit == Some(true);
        let mut outcomes = part.outcomes.into_iter();
        let numbered = (part.first_line..).zip(part.lines);
        let lines = numbered.map(|(number, line)| {
            let outcome = outcomes.next().map(|outcome| LineOutcome::new(outcome, followed));
            StockLine::new(number, line, outcome)
        });
        let lines = Some(lines.collect());
        let next_part = part.number.checked_add(1).filter(|next| *next < self.part_count);
        Document { part: Some(part.number), next_part, lines, ..self }
    }

    /// The first part, as a command tells of it.
    pub fn told(reply: DocumentReply, lines: Vec<DocumentLine>) -> Document {
        let outcomes = reply.outcomes.to_vec();
        // The lines of a reversal have the numbers of those that they move back.
        let is_reversal = reply.document.header.kind == DocumentKind::Reversal;
        let first_line = lines.first().and_then(|line| line.of_line).filter(|_| is_reversal).unwrap_or(1);
        Document::from(reply.document).with_part(PartSeen { number: 0, first_line, lines, outcomes })
    }
}

#[wire(page after DocumentId)]
pub struct DocumentPage {
    /// Without their lines.
    pub documents: Vec<Document>,
}

/// What was sold, and the hold that had it.
#[wire]
pub struct SoldHold {
    pub hold: Hold,
    pub document: Document,
}
