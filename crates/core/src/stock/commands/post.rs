//! Posting a document: whole where it is short, part by part where it is long.

use std::collections::HashMap;

use super::draft::{Given, first_part, known, read_products, save};
use super::{Decision, DocumentReply, effective_at, read_header, require_stores, require_tenant};
use crate::kernel::{Command, Facts, Pool, PoolKey, Reads, Stop, Timestamp};
use crate::operations::enqueue;
use crate::stock::content::{DocumentContent, may_be_long};
use crate::stock::operations::post_document;
use crate::stock::post::{About, Ledger, Pasts, Poster, Stamp, change_books, post_lines, resolve};
use crate::stock::rules::{MICROS, VALUE_MAX};
use crate::stock::{
    DocumentId, DocumentPart, DocumentState, ItemKey, LineOutcome, PartKey, PartSpread, Serial, SerialKey, Spread,
    StockDocument, StockEvent, StockItem, StockRefusal,
};

/// Posts a document that is saved, or one that is given here as a whole. The id is its identity: a repeat is answered with
/// the document as it is now. A document of more than one part is posted by an operation, part by part.
///
/// Refuses, in this order: no such tenant; no such document, or an id outside its window; posted with other content; no
/// such store; lines that cannot be meant; parts without lines; an effect in the future or in closed books; the document
/// that it is about; histories that have to be looked up; every product that is short, or has moved since it was
/// counted, or every line of which less is left; lots and pieces; what was not there in the past.
#[derive(Clone, Debug)]
pub struct PostDocument {
    pub id: DocumentId,
    pub content: Option<DocumentContent>,
}

impl PostDocument {
    /// What is given here, or what was saved before.
    fn save(&self, facts: &mut Facts) -> Decision<()> {
        if let Some(content) = &self.content {
            return save(facts, self.id, content);
        }
        facts.get::<StockDocument>(&self.id)?.ok_or(StockRefusal::DocumentNotFound { document: self.id })?;
        Ok(())
    }

    pub fn whole(id: DocumentId, content: DocumentContent) -> PostDocument {
        PostDocument { id, content: Some(content) }
    }

    pub fn saved(id: DocumentId) -> PostDocument {
        PostDocument { id, content: None }
    }
}

impl Command for PostDocument {
    const NAME: &'static str = "post_stock_document";
    type Reply = DocumentReply;
    type Refusal = StockRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        let Some(content) = &self.content else {
            reads.record::<StockDocument>(&self.id);
            reads.record::<DocumentPart>(&first_part(self.id));
            return;
        };
        reads.expect_absent::<StockDocument>(&self.id);
        reads.expect_absent::<DocumentPart>(&first_part(self.id));
        read_content(reads, content);
    }

    fn decide(&self, facts: &mut Facts) -> Result<DocumentReply, Stop<StockRefusal>> {
        require_tenant(facts)?;
        match known(facts, self.id, self.content.as_ref().map_or(Given::Nothing, Given::Whole))? {
            Some(reply) if reply.document.state != DocumentState::Draft => {
                facts.mark_replayed();
                return Ok(reply);
            }
            Some(_) => {}
            None => self.save(facts)?,
        }
        post_draft(facts, self.id, HashMap::new())
    }
}

pub(super) fn read_content(reads: &mut Reads<'_>, content: &DocumentContent) {
    read_header(reads, &content.header);
    read_products(reads, content.lines());
    let header = &content.header;
    for line in content.lines() {
        let Some(product) = &line.product else { continue };
        let item = ItemKey::on_hand(&header.store, product);
        if let Some(pool) = item.pool() {
            reads.record::<Pool>(&pool);
        }
        reads.record::<StockItem>(&item);
        for serial in &line.serials {
            reads.record::<Serial>(&SerialKey { product: product.clone(), serial: serial.clone() });
        }
        if let Some(to_store) = &header.to_store {
            let place = if header.in_transit { ItemKey::in_transit } else { ItemKey::on_hand };
            let arrives = place(to_store, product);
            if let Some(pool) = arrives.pool() {
                reads.record::<Pool>(&pool);
            }
            reads.record::<StockItem>(&arrives);
        }
    }
}

/// The document is saved, and a draft.
pub(super) fn post_draft(facts: &mut Facts, id: DocumentId, taken: HashMap<PoolKey, i64>) -> Decision<DocumentReply> {
    let document = facts.get::<StockDocument>(&id)?.expect("saved before").clone();
    require_stores(facts, &document.header)?;
    let parts = parts_of(facts, &document)?;
    let kind = document.header.kind;
    if parts.len() > 1 && !may_be_long(kind) {
        return Err(StockRefusal::TooLong { kind }.into());
    }
    let effective_at = effective_at(facts, &document.header)?;
    let parts = spread_over(&document, parts)?;
    for part in &parts {
        let (spread, first_line) = (part.spread.clone(), part.first_line);
        let stored = facts.get::<DocumentPart>(&part.key)?.expect("just read");
        if stored.spread != spread || stored.first_line != first_line {
            let stored = facts.get_mut::<DocumentPart>(&part.key)?.expect("just read");
            (stored.spread, stored.first_line) = (spread, first_line);
        }
    }
    if let [only] = parts.as_slice() {
        let outcomes = post_part(facts, &document, only, effective_at, Mode::Whole { taken })?;
        let document = finish_document(facts, id, effective_at)?;
        return Ok(DocumentReply { document, outcomes: outcomes.into() });
    }
    let lines = parts.iter().map(|part| u32::try_from(part.lines.len()).expect("few lines")).sum();
    begin_long(facts, id, lines, effective_at)
}

/// Refuses parts that were never saved.
pub(super) fn parts_of(facts: &mut Facts, document: &StockDocument) -> Decision<Vec<DocumentPart>> {
    let keys: Vec<PartKey> = (0..document.parts).map(|number| PartKey { document: document.id, number }).collect();
    facts.require::<DocumentPart>(&keys)?;
    let mut parts = Vec::with_capacity(keys.len());
    for key in &keys {
        let missing = StockRefusal::PartMissing { document: document.id, part: key.number };
        parts.push(facts.get::<DocumentPart>(key)?.ok_or(missing)?.clone());
    }
    Ok(parts)
}

/// Says where the lines of each part begin, and which share of the extra costs falls to them.
fn spread_over(document: &StockDocument, mut parts: Vec<DocumentPart>) -> Decision<Vec<DocumentPart>> {
    let sum = |of: fn(&DocumentPart) -> i64| parts.iter().map(of).try_fold(0_i64, i64::checked_add);
    let extra = document.header.extra.as_deref().map_or(0, |extra| extra.amount.strict_mul(MICROS));
    let cost = sum(|part| part.cost).and_then(|cost| cost.checked_add(extra)).filter(|cost| *cost <= VALUE_MAX);
    let cost = cost.ok_or(StockRefusal::DocumentOutOfRange)?.strict_sub(extra);
    let quantity = sum(|part| part.quantity).ok_or(StockRefusal::DocumentOutOfRange)?;
    // What costs nothing cannot be spread by value.
    let by = document.header.extra.as_deref().map(|extra| if cost == 0 { Spread::ByQuantity } else { extra.by });
    let (mut before, mut first_line) = (0_i64, 1_u32);
    for part in &mut parts {
        part.first_line = first_line;
        first_line = first_line.strict_add(u32::try_from(part.lines.len()).expect("few lines"));
        let Some(by) = by else { continue };
        let (weight, total) = match by {
            Spread::ByValue => (part.cost, cost),
            Spread::ByQuantity => (part.quantity, quantity),
        };
        part.spread = Some(PartSpread { extra, by, before, total }.into());
        before = before.strict_add(weight);
    }
    Ok(parts)
}

/// How a part is posted.
pub(in crate::stock) enum Mode {
    /// It is the whole document.
    Whole { taken: HashMap<PoolKey, i64> },
    /// One of several: lines that cannot be posted are left out.
    One,
}

/// Posts the lines of a part and writes down what came of them.
pub(in crate::stock) fn post_part(
    facts: &mut Facts,
    document: &StockDocument,
    part: &DocumentPart,
    effective_at: Timestamp,
    mode: Mode,
) -> Decision<Vec<LineOutcome>> {
    let header = &document.header;
    let resolved = resolve(facts, header.kind, &part.lines)?;
    let about = header.about.is_some().then(|| About::load(facts, header, effective_at)).transpose()?;
    let (pasts, taken, skips) = match mode {
        Mode::Whole { taken } => (Pasts::of(facts), taken, false),
        Mode::One => (Pasts::WorkedOutLater, HashMap::new(), true),
    };
    let stamp = Stamp { document: document.id, kind: header.kind, effective_at };
    let poster = Poster {
        ledger: Ledger::new(facts, stamp, pasts),
        document: document.id,
        header,
        effective_at,
        first_line: part.first_line,
        spread: part.spread.as_deref().copied(),
        about,
        taken,
        skips,
        seq_before: HashMap::new(),
    };
    let outcomes = post_lines(poster, &part.lines, &resolved)?;
    keep_outcomes(facts, part.key, &outcomes)?;
    Ok(outcomes)
}

pub(super) fn keep_outcomes(facts: &mut Facts, key: PartKey, outcomes: &[LineOutcome]) -> Decision<()> {
    let cost = outcomes.iter().map(|outcome| outcome.value.saturating_abs()).try_fold(0_i64, i64::checked_add);
    let skipped = outcomes.iter().filter(|outcome| outcome.skipped.is_some()).count();
    let part = facts.get_mut::<DocumentPart>(&key)?.expect("read before");
    part.outcomes = outcomes.to_vec().into();
    part.posted = true;
    let document = facts.get_mut::<StockDocument>(&key.document)?.expect("read before");
    document.cost = match cost.and_then(|cost| document.cost.checked_add(cost)) {
        Some(sum) => sum,
        // What a long document has begun must not end because of a sum that is only shown.
        None if document.parts > 1 => i64::MAX,
        None => return Err(StockRefusal::DocumentOutOfRange.into()),
    };
    document.skipped = document.skipped.strict_add(u32::try_from(skipped).expect("few lines"));
    Ok(())
}

/// All parts are posted.
pub(in crate::stock) fn finish_document(
    facts: &mut Facts,
    id: DocumentId,
    effective_at: Timestamp,
) -> Decision<StockDocument> {
    let now = facts.now();
    let document = facts.get_mut::<StockDocument>(&id)?.expect("read before");
    document.state = DocumentState::Posted;
    document.effective_at.get_or_insert(effective_at);
    document.posted_at = Some(now);
    let document = document.clone();
    facts.emit(
        &StockEvent::DocumentPosted {
            document: id,
            kind: document.header.kind,
            store: document.header.store.clone(),
            effective_at: document.effective_at.unwrap_or(now),
            cost: document.cost,
        }
        .into(),
    );
    Ok(document)
}

/// From now on it is posted part by part.
pub(super) fn begin_long(
    facts: &mut Facts,
    id: DocumentId,
    lines: u32,
    effective_at: Timestamp,
) -> Decision<DocumentReply> {
    let stored = facts.get_mut::<StockDocument>(&id)?.expect("read before");
    stored.state = DocumentState::Posting;
    stored.lines = lines;
    stored.effective_at = Some(effective_at);
    let document = stored.clone();
    change_books(facts, |books| books.posting = books.posting.strict_add(1))?;
    facts.emit(&StockEvent::PostingBegan { document: id, parts: document.parts }.into());
    enqueue(facts, &post_document(first_part(id)))?;
    Ok(DocumentReply { document, outcomes: Vec::new().into() })
}
