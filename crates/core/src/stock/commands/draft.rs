//! Drafts: documents that move nothing yet. They are replaced as often as wanted, until they are posted.

use super::{Decision, DocumentReply, check_id_window, read_header, require_stores, require_tenant};
use crate::kernel::{Command, Facts, Invalid, JsonList, Reads, Stop};
use crate::stock::content::{DocumentContent, PARTS_MAX, PartLines, may_be_long};
use crate::stock::post::{resolve, weigh};
use crate::stock::{
    DocumentId, DocumentKind, DocumentLine, DocumentPart, DocumentState, PartKey, Product, StockDocument, StockEvent,
    StockRefusal,
};

/// Saves a document with its first part. Other content than before is another document: further parts are dropped. A
/// draft keeps its kind, because the kind says who may replace it. What a posted document says cannot be changed; a repeat
/// is answered with the document as it is now.
///
/// Refuses, in this order: no such tenant; no such document and an id outside its window; posted with other content, or a
/// draft of another kind; no such store; lines that cannot be meant.
#[derive(Clone, Debug)]
pub struct SaveDraft {
    pub id: DocumentId,
    pub content: DocumentContent,
}

impl Command for SaveDraft {
    const NAME: &'static str = "save_stock_draft";
    type Reply = DocumentReply;
    type Refusal = StockRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        read_header(reads, &self.content.header);
        reads.record::<StockDocument>(&self.id);
        reads.record::<DocumentPart>(&first_part(self.id));
        read_products(reads, self.content.lines());
    }

    fn decide(&self, facts: &mut Facts) -> Result<DocumentReply, Stop<StockRefusal>> {
        require_tenant(facts)?;
        if let Some(known) = known(facts, self.id, Given::FirstPart(&self.content))? {
            facts.mark_replayed();
            return Ok(known);
        }
        save(facts, self.id, &self.content)?;
        let (document, outcomes) = (told(facts, self.id)?, JsonList::default());
        Ok(DocumentReply { document, outcomes })
    }
}

fn told(facts: &mut Facts, id: DocumentId) -> Decision<StockDocument> {
    let document = facts.get::<StockDocument>(&id)?.expect("just written").clone();
    facts.emit(&StockEvent::DocumentSaved { document: id, version: document.version }.into());
    Ok(document)
}

pub(super) fn first_part(document: DocumentId) -> PartKey {
    PartKey { document, number: 0 }
}

pub(super) fn read_products(reads: &mut Reads<'_>, lines: &[DocumentLine]) {
    for product in lines.iter().filter_map(|line| line.product.as_ref()) {
        reads.record::<Product>(product);
    }
}

/// What a request says about the content of a document.
#[derive(Clone, Copy)]
pub(super) enum Given<'a> {
    Nothing,
    /// There may be more parts.
    FirstPart(&'a DocumentContent),
    Whole(&'a DocumentContent),
}

impl Given<'_> {
    fn content(&self) -> Option<&DocumentContent> {
        match self {
            Given::Nothing => None,
            Given::FirstPart(content) | Given::Whole(content) => Some(content),
        }
    }

    fn fits(&self, document: &StockDocument, part: Option<&DocumentPart>) -> bool {
        let parts_fit = match self {
            Given::Nothing | Given::FirstPart(_) => true,
            Given::Whole(_) => document.parts == 1,
        };
        let lines = part.map(|part| &part.lines);
        let same = |content: &DocumentContent| content.header == document.header && lines == Some(content.lines.list());
        parts_fit && self.content().is_none_or(same)
    }
}

/// The document, if nothing is to be saved: it is posted, or a draft that says exactly this. Refuses other content of a
/// posted one, and another kind of a draft.
pub(super) fn known(facts: &mut Facts, id: DocumentId, given: Given<'_>) -> Decision<Option<DocumentReply>> {
    let (key, content) = (first_part(id), given.content());
    let (document, part) = match content {
        // Whoever posts a whole document makes its id, so it is new.
        Some(_) => {
            (facts.expect_absent::<StockDocument>(&id)?.cloned(), facts.expect_absent::<DocumentPart>(&key)?.cloned())
        }
        None => (facts.get::<StockDocument>(&id)?.cloned(), facts.get::<DocumentPart>(&key)?.cloned()),
    };
    let Some(document) = document else {
        if content.is_some() {
            check_id_window(facts, id)?;
        }
        return Ok(None);
    };
    let same = given.fits(&document, part.as_ref());
    let outcomes = part.as_ref().map(|part| part.outcomes.clone()).unwrap_or_default();
    let other_kind = content.is_some_and(|content| content.header.kind != document.header.kind);
    match document.state {
        // Who may save documents of one kind must not replace those of another.
        DocumentState::Draft if other_kind => Err(StockRefusal::DocumentIdReused { document: id }.into()),
        DocumentState::Draft if same && content.is_some() => Ok(Some(DocumentReply { document, outcomes })),
        DocumentState::Draft => Ok(None),
        DocumentState::Posting | DocumentState::Posted | DocumentState::Reversed if same => {
            Ok(Some(DocumentReply { document, outcomes }))
        }
        DocumentState::Posting | DocumentState::Posted | DocumentState::Reversed => {
            Err(StockRefusal::DocumentIdReused { document: id }.into())
        }
    }
}

/// Writes the document and its first part, new or instead of what was there.
pub(super) fn save(facts: &mut Facts, id: DocumentId, content: &DocumentContent) -> Decision<()> {
    let currency = require_stores(facts, &content.header)?;
    let part = weighed(facts, first_part(id), content.header.kind, &content.lines)?;
    let lines = u32::try_from(part.lines.len()).expect("few lines");
    let now = facts.now();
    let known = facts.expect_absent::<StockDocument>(&id)?.cloned();
    let document = StockDocument {
        id,
        header: content.header.clone(),
        state: DocumentState::Draft,
        currency,
        parts: 1,
        lines,
        skipped: 0,
        cost: 0,
        effective_at: None,
        posted_at: None,
        reversed_by: None,
        followers: 0,
        followed_at: None,
        hold: None,
        created_at: known.as_ref().map_or(now, |known| known.created_at),
        version: 0,
    };
    put_document(facts, document)?;
    put_part(facts, part)?;
    let others: Vec<PartKey> =
        (1..known.map_or(1, |known| known.parts)).map(|number| PartKey { document: id, number }).collect();
    facts.require::<DocumentPart>(&others)?;
    for key in &others {
        if facts.get::<DocumentPart>(key)?.is_some() {
            facts.remove::<DocumentPart>(key);
        }
    }
    Ok(())
}

fn put_document(facts: &mut Facts, wanted: StockDocument) -> Decision<()> {
    let id = wanted.id;
    if facts.expect_absent::<StockDocument>(&id)?.is_none() {
        facts.insert(wanted);
        return Ok(());
    }
    let document = facts.get_mut::<StockDocument>(&id)?.expect("just looked at");
    *document = StockDocument { version: document.version, ..wanted };
    Ok(())
}

fn put_part(facts: &mut Facts, wanted: DocumentPart) -> Decision<()> {
    let key = wanted.key;
    if facts.expect_absent::<DocumentPart>(&key)?.is_none() {
        facts.insert(wanted);
        return Ok(());
    }
    let part = facts.get_mut::<DocumentPart>(&key)?.expect("just looked at");
    *part = DocumentPart { version: part.version, ..wanted };
    Ok(())
}

fn weighed(facts: &mut Facts, key: PartKey, kind: DocumentKind, lines: &PartLines) -> Decision<DocumentPart> {
    let resolved = resolve(facts, kind, lines.list())?;
    let weight = weigh(lines.list(), &resolved)?;
    Ok(DocumentPart {
        key,
        lines: lines.list().clone(),
        cost: weight.cost,
        quantity: weight.quantity,
        first_line: 1,
        spread: None,
        outcomes: JsonList::default(),
        posted: false,
        version: 0,
    })
}

/// Saves a part of a long document that is a draft. The parts of a document are numbered from 0, without gaps.
///
/// Refuses, in this order: no such tenant; no such document; one that is no draft; a kind that has one part; lines that
/// cannot be meant.
#[derive(Clone, Debug)]
pub struct SavePart {
    id: DocumentId,
    number: u32,
    lines: Vec<DocumentLine>,
}

impl SavePart {
    /// What lines may say depends on the kind of the document.
    pub fn new(id: DocumentId, kind: DocumentKind, number: u32, lines: Vec<DocumentLine>) -> Result<SavePart, Invalid> {
        if !(0..PARTS_MAX).contains(&number) {
            let (what, amount, amount_max) = ("the number of the part".to_owned(), i64::from(number), 49);
            return Err(Invalid::Amount { what, amount, amount_min: 0, amount_max });
        }
        PartLines::new(kind, lines.clone())?;
        Ok(SavePart { id, number, lines })
    }

    fn key(&self) -> PartKey {
        PartKey { document: self.id, number: self.number }
    }
}

impl Command for SavePart {
    const NAME: &'static str = "save_stock_part";
    type Reply = DocumentReply;
    type Refusal = StockRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<crate::kernel::Tenant>(&());
        reads.record::<StockDocument>(&self.id);
        reads.record::<DocumentPart>(&self.key());
        read_products(reads, &self.lines);
    }

    fn decide(&self, facts: &mut Facts) -> Result<DocumentReply, Stop<StockRefusal>> {
        require_tenant(facts)?;
        let missing = StockRefusal::DocumentNotFound { document: self.id };
        let document = facts.get::<StockDocument>(&self.id)?.ok_or(missing)?.clone();
        if document.state != DocumentState::Draft {
            return Err(StockRefusal::DocumentState { document: self.id, document_state: document.state }.into());
        }
        let kind = document.header.kind;
        if !may_be_long(kind) {
            return Err(StockRefusal::TooLong { kind }.into());
        }
        // Nothing but the document itself says for certain what kind it is.
        let lines = PartLines::new(kind, self.lines.clone()).map_err(StockRefusal::from)?;
        let outcomes = JsonList::default();
        let known = facts.get::<DocumentPart>(&self.key())?.map(|part| part.lines.clone());
        if known.as_ref() == Some(lines.list()) {
            facts.mark_replayed();
            return Ok(DocumentReply { document, outcomes });
        }
        let part = weighed(facts, self.key(), kind, &lines)?;
        put_part(facts, part)?;
        let parts = self.number.strict_add(1);
        let document = facts.get_mut::<StockDocument>(&self.id)?.expect("just read");
        document.parts = document.parts.max(parts);
        Ok(DocumentReply { document: told(facts, self.id)?, outcomes })
    }
}
