//! Documents and their lines: what they tell of is what their rows come to.

use std::collections::HashMap;

use surehold_core::kernel::{ColumnType, Corrupt, Record, Row, TenantId};
use surehold_core::stock::operations::POST_DOCUMENT;
use surehold_core::stock::{
    DocumentId, DocumentKind, DocumentPart, DocumentState, ItemKey, LineOutcome, Place, StockDocument,
};
use uuid::Uuid;

use super::items::Items;
use super::moved::{DocumentRow, Moved, MovedBy, names_products};
use super::{ADDS_UP, BY_HAND, CARRIED, LEFT, MOVED, POSTING, READABLE, RESTORE, REVERSED};
use crate::audit::findings::Findings;
use crate::audit::{Auditing, Remedy};
use crate::views::{aliased_list, record_columns};
use crate::{OwnedValue, SnapshotError};

const STUCK: Remedy = Remedy::Person(
    "nothing goes on with it: `surehold op redrive TENANT POST_DOCUMENT DOCUMENT:PART` does, also where it was cancelled; \
     if there is no such operation, compare with a backup",
);

/// What the books must count.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counted {
    pub(super) posting: i64,
}

pub(super) fn check(
    audit: &mut Auditing<'_>,
    tenant: TenantId,
    moved: MovedBy,
    items: &Items,
) -> Result<Counted, SnapshotError> {
    let (documents, parts) = (StockDocument::TABLE, DocumentPart::TABLE);
    let sql = format!(
        "select {}, p.number, {} from stock_documents d left join stock_document_parts p \
         on p.tenant = d.tenant and p.document = d.id where d.tenant = $1 order by d.id, p.number",
        aliased_list("d", documents),
        aliased_list("p", parts)
    );
    let mut columns = record_columns(documents);
    columns.push(ColumnType::Int);
    columns.extend(record_columns(parts));
    let mut reading = Reading::new(tenant, moved);
    audit.each(&sql, &[OwnedValue::Int(tenant.0)], &columns, |findings, row| {
        if let Err(corrupt) = reading.read(findings, row) {
            findings.add(READABLE, tenant, || ("a document".to_owned(), corrupt.to_string(), RESTORE));
        }
    })?;
    reading.close(&mut audit.findings);
    let Reading { moved, reversals, left, on_their_way, posting, .. } = reading;
    for (id, moved) in moved {
        let detail = format!("has {} rows in ledgers, or revalued some, and is not there", moved.rows);
        audit.findings.add(MOVED, tenant, || (name(id), detail, BY_HAND));
    }
    reversals.check(&mut audit.findings, tenant);
    left.check(&mut audit.findings, tenant);
    items.check_transit(&mut audit.findings, tenant, on_their_way);
    for (id, part) in &posting {
        check_posting(audit, tenant, *id, *part)?;
    }
    Ok(Counted { posting: i64::try_from(posting.len()).unwrap_or(i64::MAX) })
}

fn name(id: Uuid) -> String {
    format!("document {id}")
}

/// The next part has an operation that will run, or one that a person knows of.
fn check_posting(audit: &mut Auditing<'_>, tenant: TenantId, id: DocumentId, part: u32) -> Result<(), SnapshotError> {
    let Ok(key) = POST_DOCUMENT.key(&[&id.to_string(), &part.to_string()]) else { return Ok(()) };
    let sql = "select count(*) from operations o where o.tenant = $1 and o.type = $2 and o.key = $3 and (exists \
               (select 1 from operation_runs r where r.tenant = o.tenant and r.type = o.type and r.key = o.key) \
               or exists (select 1 from operation_dead_letters l where l.tenant = o.tenant and l.type = o.type \
               and l.key = o.key and l.resolved_at is null) or exists (select 1 from cases c \
               where c.tenant = o.tenant and c.state = 'open' and c.key = o.type || ' ' || o.key))";
    let params = [
        OwnedValue::Int(tenant.0),
        OwnedValue::Text(key.kind.as_str().to_owned()),
        OwnedValue::Text(key.key.as_str().to_owned()),
    ];
    let mut operations = 0;
    audit.each(sql, &params, &[ColumnType::Int], |_, row| operations = row.int().unwrap_or(0))?;
    if operations == 0 {
        let detail = format!("is being posted, and nothing will post its part {part}");
        audit.findings.add(POSTING, tenant, || (name(id.uuid()), detail, STUCK));
    }
    Ok(())
}

/// A document whose parts are being read.
struct Open {
    document: StockDocument,
    parts: u32,
    /// From the first on.
    posted: u32,
    lines: u32,
    outcomes: u32,
    skipped: u32,
    cost: i64,
    told: Moved,
    wrong: Option<&'static str>,
}

struct Reading {
    tenant: TenantId,
    moved: MovedBy,
    open: Option<Open>,
    reversals: Reversals,
    left: Left,
    /// What is left of transfers.
    on_their_way: HashMap<ItemKey, i64>,
    /// Documents being posted, and the part that is next.
    posting: Vec<(DocumentId, u32)>,
}

impl Reading {
    fn new(tenant: TenantId, moved: MovedBy) -> Reading {
        Reading {
            tenant,
            moved,
            open: None,
            reversals: Reversals::default(),
            left: Left::default(),
            on_their_way: HashMap::new(),
            posting: Vec::new(),
        }
    }

    fn read(&mut self, findings: &mut Findings, row: &mut dyn Row) -> Result<(), Corrupt> {
        let document = StockDocument::read(row)?;
        if self.open.as_ref().is_none_or(|open| open.document.id != document.id) {
            self.close(findings);
            self.open = Some(Open::new(document));
        }
        if row.int_or_null()?.is_none() {
            return Ok(());
        }
        let part = DocumentPart::read(row)?;
        let Some(open) = &mut self.open else { return Ok(()) };
        open.add(&part);
        if part.posted {
            self.left.add(&open.document, &part);
            add_to_transit(&mut self.on_their_way, &open.document, &part);
        }
        Ok(())
    }

    /// All parts of the document were read.
    fn close(&mut self, findings: &mut Findings) {
        let Some(open) = self.open.take() else { return };
        let id = open.document.id.uuid();
        let moved = self.moved.remove(&id).unwrap_or_default();
        if (moved.rows, moved.print) != (open.told.rows, open.told.print) {
            let detail = if moved.rows == open.told.rows {
                format!("its {} rows are not those that it tells of", moved.rows)
            } else {
                format!("has {} rows in ledgers; it tells of {}", moved.rows, open.told.rows)
            };
            findings.add(MOVED, self.tenant, || (name(id), detail, BY_HAND));
        }
        if moved.across != 0 {
            let detail = "what it gave away did not arrive, or for another cost".to_owned();
            findings.add(CARRIED, self.tenant, || (name(id), detail, BY_HAND));
        }
        if let Some(detail) = open.adds_up_otherwise() {
            findings.add(ADDS_UP, self.tenant, || (name(id), detail, BY_HAND));
        }
        if open.document.state == DocumentState::Posting {
            self.posting.push((open.document.id, open.posted));
        }
        self.reversals.add(&open.document, moved.net);
        self.left.add_document(&open.document);
    }
}

impl Open {
    fn new(document: StockDocument) -> Open {
        Open {
            document,
            parts: 0,
            posted: 0,
            lines: 0,
            outcomes: 0,
            skipped: 0,
            cost: 0,
            told: Moved::default(),
            wrong: None,
        }
    }

    fn add(&mut self, part: &DocumentPart) {
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let is_draft = self.document.state == DocumentState::Draft;
        let reverses = self.document.header.kind == DocumentKind::Reversal;
        if part.key.number != self.parts {
            self.wrong = Some("one of its parts is missing");
        }
        if part.posted && self.posted != self.parts {
            self.wrong = Some("a part is posted, and one before it is not");
        }
        if part.posted == part.outcomes.is_empty() {
            self.wrong = Some("a part has outcomes, and is not posted; or the other way round");
        }
        if !is_draft && !reverses && part.first_line != self.lines.saturating_add(1) {
            self.wrong = Some("the lines of a part are not numbered on from those before");
        }
        if part.posted && !reverses && part.outcomes.len() != part.lines.len() {
            self.wrong = Some("a part has not as many outcomes as lines");
        }
        self.parts = self.parts.saturating_add(1);
        self.posted = self.posted.saturating_add(u32::from(part.posted));
        self.lines = self.lines.saturating_add(number(part.lines.len()));
        self.outcomes = self.outcomes.saturating_add(number(part.outcomes.len()));
        for (index, outcome) in part.outcomes.iter().enumerate() {
            self.skipped = self.skipped.saturating_add(u32::from(outcome.skipped.is_some()));
            self.cost = self.cost.saturating_add(outcome.value.saturating_abs());
            let line = part.first_line.saturating_add(number(index));
            let product = part.lines.get(index).and_then(|line| line.product.as_ref());
            let here = product.map(|product| ItemKey::on_hand(&self.document.header.store, product));
            tell(&mut self.told, &self.document, line, here.as_ref(), outcome);
        }
    }

    fn adds_up_otherwise(&self) -> Option<String> {
        let document = &self.document;
        if let Some(wrong) = self.wrong {
            return Some(wrong.to_owned());
        }
        let all = match document.state {
            DocumentState::Draft => self.posted == 0,
            DocumentState::Posting => self.posted < document.parts,
            DocumentState::Posted | DocumentState::Reversed => self.posted == document.parts,
        };
        // Parts of a draft are saved in any order.
        let is_draft = document.state == DocumentState::Draft;
        if !all || (!is_draft && self.parts != document.parts) {
            let (parts, posted, state) = (self.parts, self.posted, document.state);
            return Some(format!("is {state} and has {} parts; {parts} are there, {posted} posted", document.parts));
        }
        let reverses = document.header.kind == DocumentKind::Reversal;
        let lines = if reverses { self.outcomes } else { self.lines };
        // A reversal has no lines of its own: they are known when they are posted.
        let is_known = !is_draft && (!reverses || document.state != DocumentState::Posting);
        if is_known && lines != document.lines {
            return Some(format!("says that it has {} lines; there are {lines}", document.lines));
        }
        if (document.cost, document.skipped) != (self.cost, self.skipped) {
            return Some(format!(
                "says that it cost {} and left out {} lines; its lines say {} and {}",
                document.cost, document.skipped, self.cost, self.skipped
            ));
        }
        None
    }
}

/// The rows that a line tells of.
fn tell(told: &mut Moved, document: &StockDocument, line: u32, here: Option<&ItemKey>, outcome: &LineOutcome) {
    if outcome.seq == 0 {
        return;
    }
    let header = &document.header;
    let LineOutcome { seq, quantity, value, .. } = *outcome;
    let here = here.filter(|_| names_products(header.kind));
    told.tell(DocumentRow { kind: header.kind, line, item: here, seq, quantity, value });
    let Some(seq) = outcome.counter_seq else { return };
    let there = here.zip(header.to_store.as_ref()).map(|(here, store)| ItemKey {
        store: store.clone(),
        place: if header.in_transit { Place::InTransit } else { Place::OnHand },
        product: here.product.clone(),
    });
    // What comes back may be worth something else to the one that gives it.
    let value = value.saturating_sub(if header.kind == DocumentKind::Reversal { outcome.variance } else { 0 });
    let (quantity, value) = (quantity.saturating_neg(), value.saturating_neg());
    told.tell(DocumentRow { kind: header.kind, line, item: there.as_ref(), seq, quantity, value });
}

fn add_to_transit(on_their_way: &mut HashMap<ItemKey, i64>, document: &StockDocument, part: &DocumentPart) {
    let header = &document.header;
    let is_there = header.kind == DocumentKind::Transfer && header.in_transit;
    let Some(to_store) = header.to_store.as_ref() else { return };
    if !is_there || document.state != DocumentState::Posted {
        return;
    }
    for (line, outcome) in part.lines.iter().zip(part.outcomes.iter()) {
        let Some(product) = &line.product else { continue };
        let units = on_their_way.entry(ItemKey::in_transit(to_store, product)).or_insert(0);
        *units = units.saturating_add(outcome.left.quantity);
    }
}

/// Documents that were reversed, and those that did it.
#[derive(Default)]
struct Reversals {
    /// By the reversal: what both moved, and who says that it is one.
    by_reversal: HashMap<Uuid, Pair>,
}

#[derive(Default)]
struct Pair {
    net: u64,
    /// As the one that was reversed has it.
    reversed: Option<Uuid>,
    /// As the reversal has it.
    reverses: Option<Uuid>,
    /// No line of the reversal is still to come, or was left out.
    is_whole: bool,
}

impl Reversals {
    fn add(&mut self, document: &StockDocument, net: u64) {
        let id = document.id.uuid();
        if let Some(by) = document.reversed_by {
            let pair = self.by_reversal.entry(by.uuid()).or_default();
            pair.net = pair.net.wrapping_add(net);
            pair.reversed = Some(id);
        }
        if document.header.kind == DocumentKind::Reversal && document.state != DocumentState::Draft {
            let pair = self.by_reversal.entry(id).or_default();
            pair.net = pair.net.wrapping_add(net);
            pair.reverses = document.header.about.map(DocumentId::uuid);
            pair.is_whole = document.state == DocumentState::Posted && document.skipped == 0;
        }
    }

    fn check(self, findings: &mut Findings, tenant: TenantId) {
        for (by, Pair { net, reversed, reverses, is_whole }) in self.by_reversal {
            let wrong = match (reversed, reverses) {
                (Some(reversed), None) => Some((reversed, "was reversed by a document that is no reversal")),
                (None, _) => Some((by, "reverses a document that is not reversed by it")),
                (Some(reversed), Some(about)) if reversed != about => {
                    Some((by, "reverses another document than the one that says so"))
                }
                (Some(_), Some(_)) if is_whole && net != 0 => Some((by, "does not move back what was moved")),
                (Some(_), Some(_)) => None,
            };
            if let Some((id, detail)) = wrong {
                findings.add(REVERSED, tenant, || (name(id), detail.to_owned(), BY_HAND));
            }
        }
    }
}

/// What was taken from lines of sales and transfers, by those who took it and by the lines themselves.
#[derive(Default)]
struct Left {
    taken: HashMap<(Uuid, u32), i64>,
    gone: HashMap<(Uuid, u32), i64>,
    followers: HashMap<Uuid, (u32, u32)>,
}

impl Left {
    fn add(&mut self, document: &StockDocument, part: &DocumentPart) {
        match document.header.kind {
            DocumentKind::Sale | DocumentKind::Transfer => self.add_source(document, part),
            DocumentKind::CustomerReturn | DocumentKind::Receipt | DocumentKind::TransitLoss => {
                let Some(about) = document.header.about.filter(|_| document.state == DocumentState::Posted) else {
                    return;
                };
                for (line, outcome) in part.lines.iter().zip(part.outcomes.iter()) {
                    let taken = self.taken.entry((about.uuid(), line.of_line.unwrap_or(0))).or_insert(0);
                    *taken = taken.saturating_add(outcome.quantity.saturating_abs());
                }
            }
            DocumentKind::Purchase
            | DocumentKind::SupplierReturn
            | DocumentKind::WriteOff
            | DocumentKind::Opening
            | DocumentKind::Recount
            | DocumentKind::Reversal => {}
        }
    }

    /// Only what is gone from is kept: of most lines nothing is.
    fn add_source(&mut self, document: &StockDocument, part: &DocumentPart) {
        for (line, outcome) in (part.first_line..).zip(part.outcomes.iter()) {
            let gone = outcome.quantity.saturating_abs().saturating_sub(outcome.left.quantity);
            if gone != 0 {
                self.gone.insert((document.id.uuid(), line), gone);
            }
        }
    }

    fn add_document(&mut self, document: &StockDocument) {
        if document.followers > 0 {
            self.followers.entry(document.id.uuid()).or_default().0 = document.followers;
        }
        let follows = match document.header.kind {
            DocumentKind::CustomerReturn | DocumentKind::Receipt | DocumentKind::TransitLoss => true,
            DocumentKind::Reversal
            | DocumentKind::Sale
            | DocumentKind::Transfer
            | DocumentKind::Purchase
            | DocumentKind::SupplierReturn
            | DocumentKind::WriteOff
            | DocumentKind::Opening
            | DocumentKind::Recount => false,
        };
        if let Some(about) = document.header.about
            && follows
            && document.state == DocumentState::Posted
        {
            self.followers.entry(about.uuid()).or_default().1 += 1;
        }
    }

    fn check(mut self, findings: &mut Findings, tenant: TenantId) {
        self.taken.retain(|_, units| *units != 0);
        for ((id, line), gone) in self.gone {
            let taken = self.taken.remove(&(id, line)).unwrap_or(0);
            if taken != gone {
                let detail = format!("{gone} are gone of its line {line}; others took {taken}");
                findings.add(LEFT, tenant, || (name(id), detail, BY_HAND));
            }
        }
        for ((id, line), taken) in self.taken {
            let detail = format!("nothing is gone of its line {line}; others took {taken}");
            findings.add(LEFT, tenant, || (name(id), detail, BY_HAND));
        }
        for (id, (said, there_are)) in self.followers {
            if said != there_are {
                let detail = format!("says that {said} documents are about it; there are {there_are}");
                findings.add(LEFT, tenant, || (name(id), detail, BY_HAND));
            }
        }
    }
}
