//! Reversing: a new document that moves back what another one moved; part by part where that one is long, from the last to
//! the first.

use std::collections::{BTreeMap, HashMap};

use super::draft::first_part;
use super::post::{begin_long, keep_outcomes, parts_of};
use super::{Decision, DocumentReply, check_id_window, effective_at, finish_document, require_tenant};
use crate::kernel::{Command, Facts, Invalid, JsonList, Pool, Reads, Stop, Tenant, Timestamp};
use crate::stock::post::{About, Ledger, Pasts, Reversal, Stamp, brought_in, require_available, reverse_lines};
use crate::stock::{
    Books, DocumentHeader, DocumentId, DocumentKind, DocumentPart, DocumentState, ItemKey, LineOutcome, PartKey,
    StockDocument, StockEvent, StockInvalid, StockRefusal,
};

/// So many products of a long document are looked at before any of them moves.
const LOOKED_AT_MAX: usize = 1_000;

/// What went out comes in at the cost it left with; what came in goes out at the cost it came with, as far as that is
/// there. A repeat is answered with the reversal as it is now. A long document is reversed by operations, part by part: what
/// is short when that begins refuses it as a whole, among the first 1,000 products; what gets short later, and what is short
/// among the others, stays, with the reason.
///
/// Refuses, in this order: no such tenant; an id outside its window; the id of another document; no such document to be
/// reversed, or one that is not posted, is a reversal, or has others about it; an effect in the future, in closed books,
/// or before the reversed one's; of a long one, an effect that is not now; histories that have to be looked up; every
/// product that is short; lots and pieces; what was not there in the past.
#[derive(Clone, Debug)]
pub struct ReverseDocument {
    pub id: DocumentId,
    /// A reversal of this one, with its own time, reference and note.
    pub header: DocumentHeader,
}

impl ReverseDocument {
    /// The store is filled in when it is known.
    pub fn new(id: DocumentId, reverses: DocumentId, store: crate::stock::StoreName) -> ReverseDocument {
        let header = DocumentHeader { about: Some(reverses), ..DocumentHeader::new(DocumentKind::Reversal, store) };
        ReverseDocument { id, header }
    }

    fn reverses(&self) -> DocumentId {
        self.header.about.expect("a reversal is about a document")
    }

    fn known(&self, facts: &mut Facts) -> Decision<Option<DocumentReply>> {
        let Some(document) = facts.expect_absent::<StockDocument>(&self.id)?.cloned() else {
            check_id_window(facts, self.id)?;
            return Ok(None);
        };
        if document.header != self.header {
            return Err(StockRefusal::DocumentIdReused { document: self.id }.into());
        }
        let part = facts.get::<DocumentPart>(&first_part(self.id))?;
        let outcomes = part.map(|part| part.outcomes.clone()).unwrap_or_default();
        Ok(Some(DocumentReply { document, outcomes }))
    }

    fn reversed(&self, facts: &mut Facts) -> Decision<StockDocument> {
        let id = self.reverses();
        let document = facts.get::<StockDocument>(&id)?.ok_or(StockRefusal::DocumentNotFound { document: id })?.clone();
        let (kind, state, followers) = (document.header.kind, document.state, document.followers);
        if state != DocumentState::Posted {
            return Err(StockRefusal::DocumentState { document: id, document_state: state }.into());
        }
        if kind == DocumentKind::Reversal {
            return Err(StockRefusal::NotReversible { kind }.into());
        }
        if followers > 0 {
            return Err(StockRefusal::HasFollowers { document: id, followers }.into());
        }
        Ok(document)
    }

    fn save(&self, facts: &mut Facts, reversed: &StockDocument) {
        let now = facts.now();
        facts.insert(StockDocument {
            id: self.id,
            header: self.header.clone(),
            state: DocumentState::Draft,
            currency: reversed.currency,
            parts: reversed.parts,
            lines: reversed.lines,
            skipped: 0,
            cost: 0,
            effective_at: None,
            posted_at: None,
            reversed_by: None,
            followers: 0,
            followed_at: None,
            hold: None,
            created_at: now,
            version: 0,
        });
    }

    fn save_part(&self, facts: &mut Facts, number: u32, first_line: u32) {
        facts.insert(DocumentPart {
            key: PartKey { document: self.id, number },
            lines: JsonList::default(),
            cost: 0,
            quantity: 0,
            first_line,
            spread: None,
            outcomes: JsonList::default(),
            posted: false,
            version: 0,
        });
    }

    /// Looks at what has to leave before the first part moves.
    fn begin_long(&self, facts: &mut Facts, reversed: &StockDocument, at: Timestamp) -> Decision<DocumentReply> {
        if self.header.effective_at.is_some() {
            let reason = "a long document is reversed part by part, and not in the past".to_owned();
            return Err(StockRefusal::from(Invalid::from(StockInvalid::Document { line: 0, reason })).into());
        }
        let parts = parts_of(facts, reversed)?;
        // Everybody waits for this. What is short among the others is left out when its part is moved back.
        let leaving: BTreeMap<ItemKey, i64> =
            brought_in(&parts, &reversed.header.store).into_iter().take(LOOKED_AT_MAX).collect();
        let pools: Vec<_> = leaving.keys().filter_map(ItemKey::pool).collect();
        facts.require::<Pool>(&pools)?;
        require_available(facts, &leaving, &HashMap::new())?;
        self.save(facts, reversed);
        for part in &parts {
            self.save_part(facts, mirrored(reversed.parts, part.key.number), part.first_line);
        }
        self.mark_reversed(facts)?;
        begin_long(facts, self.id, reversed.lines, at)
    }

    fn mark_reversed(&self, facts: &mut Facts) -> Decision<()> {
        let (id, by) = (self.reverses(), self.id);
        let document = facts.get_mut::<StockDocument>(&id)?.expect("read before");
        document.state = DocumentState::Reversed;
        document.reversed_by = Some(by);
        facts.emit(&StockEvent::DocumentReversed { document: id, by }.into());
        Ok(())
    }
}

/// The first part moves back the last one, because what the last one found is there again.
fn mirrored(parts: u32, number: u32) -> u32 {
    parts.strict_sub(1).strict_sub(number)
}

/// Moves back a part of a long document. Lines that cannot be moved back are left out.
pub(in crate::stock) fn reverse_part(
    facts: &mut Facts,
    document: &StockDocument,
    part: &DocumentPart,
    effective_at: Timestamp,
) -> Decision<Vec<LineOutcome>> {
    let about = document.header.about.expect("a reversal is about a document");
    let number = mirrored(document.parts, part.key.number);
    let reversed = About::part(facts, PartKey { document: about, number })?;
    let stamp = Stamp { document: document.id, kind: DocumentKind::Reversal, effective_at };
    let ledger = Ledger::new(facts, stamp, Pasts::WorkedOutLater);
    let (document, first_line) = (document.id, part.first_line);
    let outcomes = reverse_lines(ledger, Reversal { document, reversed: &reversed, first_line, skips: true })?;
    keep_outcomes(facts, part.key, &outcomes)?;
    Ok(outcomes)
}

impl Command for ReverseDocument {
    const NAME: &'static str = "reverse_stock_document";
    type Reply = DocumentReply;
    type Refusal = StockRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Tenant>(&());
        reads.record::<Books>(&());
        reads.expect_absent::<StockDocument>(&self.id);
        reads.expect_absent::<DocumentPart>(&first_part(self.id));
        if let Some(about) = self.header.about {
            reads.record::<StockDocument>(&about);
            reads.record::<DocumentPart>(&first_part(about));
        }
    }

    fn decide(&self, facts: &mut Facts) -> Result<DocumentReply, Stop<StockRefusal>> {
        require_tenant(facts)?;
        if let Some(reply) = self.known(facts)? {
            facts.mark_replayed();
            return Ok(reply);
        }
        let reversed = self.reversed(facts)?;
        let effective_at = effective_at(facts, &self.header)?;
        let about = About::load(facts, &self.header, effective_at)?;
        if reversed.parts > 1 {
            return self.begin_long(facts, &reversed, effective_at);
        }
        self.save(facts, &reversed);
        self.save_part(facts, 0, 1);
        let stamp = Stamp { document: self.id, kind: DocumentKind::Reversal, effective_at };
        let pasts = Pasts::of(facts);
        let ledger = Ledger::new(facts, stamp, pasts);
        let reversal = Reversal { document: self.id, reversed: &about, first_line: 1, skips: false };
        let outcomes = reverse_lines(ledger, reversal)?;
        keep_outcomes(facts, first_part(self.id), &outcomes)?;
        let document = finish_document(facts, self.id, effective_at)?;
        self.mark_reversed(facts)?;
        Ok(DocumentReply { document, outcomes: outcomes.into() })
    }
}
