//! A document from all the rows of a file: checked as a whole, then posted, in parts where it is long. The id is its
//! identity: a request that was cut off is sent again, and goes on where it was.

use std::collections::BTreeSet;

use surehold_core::kernel::{Invalid, TenantId};
use surehold_core::stock::commands::{PostDocument, SaveDraft, SavePart};
use surehold_core::stock::{
    self, Against, BarcodeText, DocumentContent, DocumentHeader, DocumentId, DocumentKind, DocumentLine, DocumentState,
    ImportRow, ItemKey, PARTS_MAX, Places, ProductCode, RowsKnown, StockDocument, StockInvalid, StockItem,
    StockRefusal, parts, read_rows,
};
use surehold_engine::Fault;

use super::caller::StockCaller;
use super::stores::find_store;
use crate::api::{Answer, Api, Json, Reply};
use crate::describe;
use crate::problem::Problem;
use crate::wire::stock::{ImportDocument, Imported, NewLine};

/// As many as a document has lines.
const ROWS_MAX: usize = 10_000;
/// So many rows with all that a row can say.
const IMPORT_BYTES_MAX: usize = 4 << 20;

/// Import a document
///
/// All rows of a file in one request of up to 4 MiB, with names and counts as somebody wrote them. Every row is checked
/// first: if one cannot be used, nothing is changed, and the answer names each such row. Then the document is posted, part
/// by part if it is long: it is `posting` until all parts are posted, and rows that cannot be posted are left out. Imported
/// again with the same `id`, it goes on where it was cut off, or shows what came of it; other rows are refused. Needs the
/// same scope as posting.
#[describe::path(post, "/v1/{tenant}/documents/import", tag = "Documents")]
pub(super) async fn document_import(
    api: Api,
    caller: StockCaller,
    Json(body): Json<ImportDocument, IMPORT_BYTES_MAX>,
) -> Answer<Imported> {
    let ImportDocument { id, header, rows, dry_run } = body;
    let (tenant, header) = (caller.tenant_for(header.kind)?, DocumentHeader::from(header));
    header.check()?;
    if !(1..=ROWS_MAX).contains(&rows.len()) {
        return Err(Invalid::ItemCount { what: "rows".to_owned(), items: rows.len(), items_max: ROWS_MAX }.into());
    }
    let known = look_up(&api, tenant, &header, &rows).await?;
    let (lines, wrong) = read_rows(header.kind, &rows, &known);
    if !wrong.is_empty() {
        return Ok(Reply::found(Imported { wrong, ..Imported::default() }));
    }
    let parts = parts(header.kind, &lines).ok_or_else(too_long)?;
    let import = Import { api, tenant, id, header, lines, parts };
    Ok(Reply::found(if dry_run { import.would_be().await? } else { import.run().await? }))
}

fn too_long() -> Invalid {
    let reason =
        "a document has 1 to 200 lines and up to 400 serial numbers, a purchase, opening or recount 50 times that";
    StockInvalid::Document { line: 0, reason: reason.to_owned() }.into()
}

/// Everything that the rows name, as far as it is there.
async fn look_up(api: &Api, tenant: TenantId, header: &DocumentHeader, rows: &[ImportRow]) -> Result<RowsKnown, Fault> {
    let codes: BTreeSet<BarcodeText> = rows.iter().filter_map(ImportRow::barcode).collect();
    let found: Vec<stock::Barcode> = api.views().records_by_key(tenant, &codes).await?;
    let barcodes = found.into_iter().map(|barcode| (barcode.code.clone(), barcode)).collect();
    let codes: BTreeSet<ProductCode> = rows.iter().filter_map(|row| row.product(&barcodes)).collect();
    let products: Vec<stock::Product> = api.views().records_by_key(tenant, &codes).await?;
    let counted = codes.iter().filter(|_| header.kind == DocumentKind::Recount);
    let counted = counted.map(|code| ItemKey::on_hand(&header.store, code)).collect();
    let items: Vec<StockItem> = api.views().records_by_key(tenant, &counted).await?;
    let products = products.into_iter().map(|product| (product.code.clone(), product)).collect();
    let seqs = items.into_iter().map(|item| (item.key.product, item.seq)).collect();
    Ok(RowsKnown { products, barcodes, seqs })
}

struct Import {
    api: Api,
    tenant: TenantId,
    id: DocumentId,
    header: DocumentHeader,
    /// In the order of the rows.
    lines: Vec<DocumentLine>,
    parts: Vec<Places>,
}

impl Import {
    async fn would_be(self) -> Result<Imported, Problem> {
        find_store(&self.api, self.tenant, self.header.store).await?;
        let part_count = u32::try_from(self.parts.len()).unwrap_or(PARTS_MAX);
        let lines = self.lines.into_iter().map(NewLine::from).collect();
        Ok(Imported { part_count, lines, ..Imported::default() })
    }

    async fn run(&self) -> Result<Imported, Problem> {
        let known = self.find().await?.map(|document| document.state);
        if matches!(known, None | Some(DocumentState::Draft)) {
            self.post().await?;
        }
        let document = self.find().await?.ok_or(StockRefusal::DocumentNotFound { document: self.id })?;
        let repeated = matches!(known, Some(DocumentState::Posted | DocumentState::Reversed));
        Ok(Imported { repeated, ..self.seen(document).await? })
    }

    async fn find(&self) -> Result<Option<StockDocument>, Fault> {
        self.api.views().record(self.tenant, &self.id).await
    }

    fn lines_of(&self, part: &Places) -> Vec<DocumentLine> {
        part.iter().map(|place| self.lines[*place].clone()).collect()
    }

    /// What an earlier request has done of it is found done.
    async fn post(&self) -> Result<(), Problem> {
        let (engine, id, tenant) = (self.api.engine(), self.id, self.tenant);
        let mut parts = (0..).zip(self.parts.iter().map(|part| self.lines_of(part)));
        let first = parts.next().map(|(_, lines)| lines).unwrap_or_default();
        let content = DocumentContent::new(self.header.clone(), first)?;
        if self.parts.len() <= 1 {
            engine.run(tenant, PostDocument::whole(id, content)).await?;
            return Ok(());
        }
        let mut draft = engine.run(tenant, SaveDraft { id, content }).await?.reply.document;
        for (number, lines) in parts {
            let part = SavePart::new(id, self.header.kind, number, lines)?;
            draft = engine.run(tenant, part).await?.reply.document;
        }
        // A longer draft of the same id would be posted with lines that are in no row.
        if usize::try_from(draft.parts) != Ok(self.parts.len()) {
            return Err(StockRefusal::DocumentIdReused { document: id }.into());
        }
        engine.run(tenant, PostDocument::saved(id)).await?;
        Ok(())
    }

    /// What came of each row, if this is the document of these rows.
    async fn seen(&self, document: StockDocument) -> Result<Imported, Problem> {
        let kept = self.api.views().document_parts(self.tenant, self.id, 0, 50).await?;
        let (ours, theirs) = (&self.header, &document.header);
        let mut same = kept.len() == self.parts.len() && ours.kind == theirs.kind;
        same &= ours.store == theirs.store && ours.to_store == theirs.to_store;
        let mut outcomes = Vec::new();
        for (places, part) in self.parts.iter().zip(&kept) {
            let lines = self.lines_of(places);
            same &= lines.iter().map(without_seq).eq(part.lines.iter().map(without_seq));
            outcomes.extend(places.iter().zip(part.outcomes.iter()));
        }
        if !same {
            return Err(StockRefusal::DocumentIdReused { document: self.id }.into());
        }
        let row = |place: &usize| u32::try_from(place + 1).unwrap_or(u32::MAX);
        Ok(Imported::posted(document.into(), outcomes.into_iter().map(|(place, outcome)| (row(place), outcome))))
    }
}

/// Where a row does not say what was counted against, it is another one in every request.
fn without_seq(line: &DocumentLine) -> DocumentLine {
    let against = line.against.map(|Against { difference, .. }| Against { seq: 0, difference });
    DocumentLine { against, ..line.clone() }
}
