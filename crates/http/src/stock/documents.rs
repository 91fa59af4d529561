//! Documents: keep, preview, post, look, list, reverse; and the sale of what a hold has.

use surehold_core::kernel::{HoldId, Reference, TenantId};
use surehold_core::stock::commands::{DocumentReply, PostDocument, SaveDraft, SellHold as SellHoldCommand};
use surehold_core::stock::{
    DocumentHeader, DocumentId, DocumentKind, DocumentLine, DocumentPart, StockDocument, StockRefusal, StoreName,
};
use surehold_engine::{DocumentsFilter, Done, Fault, Options, new_uuid_v7};

use super::caller::StockCaller;
use super::products::look_up;
use super::scales::with_scales;
use crate::api::{
    Answer, Api, Caller, FromPath, Idempotency, InPath, Json, Manage, Query, Read, Reply, Segments, Sell, from_path,
    malformed, next_page, page_items,
};
use crate::describe;
use crate::problem::{Code, Problem};
use crate::wire::stock::{
    Document, DocumentPage, DocumentPreview, ItemPreview, NewDocument, PartSeen, ReverseDocument, SaveLines, SellHold,
    SoldHold, barcodes_of,
};

from_path!(DocumentId: DocumentId::parse);

pub(crate) struct PartNumber(u32);

impl FromPath for PartNumber {
    fn from_path(segments: &mut Segments<'_>) -> Result<PartNumber, Problem> {
        segments.text().parse().map(PartNumber).map_err(|_| malformed("parts are numbered from 0 on"))
    }

    #[cfg(test)]
    fn schemas() -> Vec<utoipa::openapi::RefOr<utoipa::openapi::Schema>> {
        vec![crate::openapi::parameters::number(0, 49)]
    }
}

/// An id for a document whose caller chose none.
fn new_document_id() -> Result<DocumentId, Problem> {
    Ok(DocumentId::new(new_uuid_v7())?)
}

/// Post a document, or keep a draft
///
/// All lines or none; a refusal names every product that is short, every item that has moved, every line of which less is
/// left; of anything else the first. The `id` (a UUIDv7 of yours) is the document's
/// identity, or an `Idempotency-Key` is: repeated, it is still one. With `"post": false` it is kept as a draft, which other
/// content of the same kind replaces until it is posted. Sales and customers' returns need the scope `sell`, all others
/// `manage`.
#[describe::path(post, "/v1/{tenant}/documents", tag = "Documents", status(201))]
pub(super) async fn document_create(
    api: Api,
    caller: StockCaller,
    idempotency: Idempotency,
    Json(body): Json<NewDocument>,
) -> Answer<Document> {
    let tenant = caller.tenant_for(body.kind)?;
    let key = idempotency.key_unless(body.id.is_some(), &body, "document")?;
    let id = body.id.map_or_else(new_document_id, Ok)?;
    let (post, barcodes) = (body.post, look_up(&api, tenant, barcodes_of(&body.lines)).await?);
    let content = body.into_content(&barcodes)?;
    let (lines, options) = (content.lines().to_vec(), Options { key, ..Options::default() });
    let done = if post {
        api.engine().run_with(tenant, PostDocument::whole(id, content), options).await?
    } else {
        api.engine().run_with(tenant, SaveDraft { id, content }, options).await?
    };
    made(&api, tenant, &caller.slug, done, lines).await
}

/// A document that was made by this request, or by the same one before.
async fn made(
    api: &Api,
    tenant: TenantId,
    slug: &surehold_core::kernel::Slug,
    done: Done<DocumentReply>,
    lines: Vec<DocumentLine>,
) -> Answer<Document> {
    let location = format!("/v1/{slug}/documents/{}", done.reply.document.id);
    let document = told(api, tenant, done.reply, lines).await?;
    Ok(Reply { replayed: done.replayed, ..Reply::found(document).created(location) })
}

/// What a command did. It is done by now: if its lines cannot be told, that is no reason to say that nothing changed.
async fn told(
    api: &Api,
    tenant: TenantId,
    reply: DocumentReply,
    lines: Vec<DocumentLine>,
) -> Result<Document, Problem> {
    let named = named(api, tenant, &reply.document.header, 0, lines).await;
    Ok(Document::told(reply, named.map_err(|_| Fault::OutcomeUnknown)?))
}

/// The lines with their products, also where they name a line of another document instead. A reversal has none of its own.
async fn named(
    api: &Api,
    tenant: TenantId,
    header: &DocumentHeader,
    part: u32,
    lines: Vec<DocumentLine>,
) -> Result<Vec<DocumentLine>, Fault> {
    match header.about {
        None => Ok(lines),
        Some(reversed) if header.kind == DocumentKind::Reversal => lines_reversed(api, tenant, reversed, part).await,
        Some(about) => Ok(with_products(lines, &lines_of(api, tenant, about, 0).await?.1)),
    }
}

/// What a part of a reversal moves back. Its first part moves back the last one of the reversed document.
async fn lines_reversed(
    api: &Api,
    tenant: TenantId,
    reversed: DocumentId,
    part: u32,
) -> Result<Vec<DocumentLine>, Fault> {
    let Some(document) = api.views().record::<StockDocument>(tenant, &reversed).await? else { return Ok(Vec::new()) };
    let mirrored = document.parts.saturating_sub(1).saturating_sub(part);
    let (first_line, mut lines) = lines_of(api, tenant, reversed, mirrored).await?;
    if let Some(source) = document.header.about {
        lines = with_products(lines, &lines_of(api, tenant, source, 0).await?.1);
    }
    let back = |(number, line): (u32, DocumentLine)| DocumentLine {
        of_line: Some(number),
        cost: None,
        expires: None,
        against: None,
        ..line
    };
    Ok((first_line..).zip(lines).map(back).collect())
}

fn with_products(lines: Vec<DocumentLine>, sources: &[DocumentLine]) -> Vec<DocumentLine> {
    let product = |line: &DocumentLine| {
        let index = usize::try_from(line.of_line?).ok()?.checked_sub(1)?;
        sources.get(index)?.product.clone()
    };
    let name = |line: DocumentLine| DocumentLine { product: line.product.clone().or_else(|| product(&line)), ..line };
    lines.into_iter().map(name).collect()
}

/// The number of the first line of a part, and the lines.
async fn lines_of(api: &Api, tenant: TenantId, id: DocumentId, part: u32) -> Result<(u32, Vec<DocumentLine>), Fault> {
    let found = find_part(api, tenant, id, part).await?;
    Ok(found.map_or_else(|| (1, Vec::new()), |part| (part.first_line, part.lines.to_vec())))
}

async fn find_part(api: &Api, tenant: TenantId, id: DocumentId, part: u32) -> Result<Option<DocumentPart>, Fault> {
    let found = api.views().document_parts(tenant, id, part, 1).await?;
    Ok(found.into_iter().find(|found| found.key.number == part))
}

/// See what posting a document would come to
///
/// Goes through the same rows and changes nothing: the outcome of each line; for a key with the scope `read` also every item
/// before and after, and how many later rows would cost something else. Refused as posting would be. Needs the same scope
/// as posting.
#[describe::path(post, "/v1/{tenant}/documents/preview", tag = "Documents")]
pub(super) async fn document_preview(
    api: Api,
    caller: StockCaller,
    Json(body): Json<NewDocument>,
) -> Answer<DocumentPreview> {
    let tenant = caller.tenant_for(body.kind)?;
    let id = body.id.map_or_else(new_document_id, Ok)?;
    let barcodes = look_up(&api, tenant, barcodes_of(&body.lines)).await?;
    let content = body.into_content(&barcodes)?;
    let lines = named(&api, tenant, content.header(), 0, content.lines().to_vec()).await?;
    let preview = api.engine().preview_document(tenant, id, content).await?;
    let items = if caller.may_read() {
        Some(with_scales(&api, tenant, preview.items, |preview| &preview.item.product, ItemPreview::new).await?)
    } else {
        None
    };
    Ok(Reply::found(DocumentPreview { document: Document::told(preview.reply, lines), items }))
}

#[describe::query(page after DocumentId)]
pub(crate) struct ListDocuments {
    /// Only documents of this store.
    store: Option<StoreName>,
    /// Only documents with this number of yours.
    reference: Option<Reference>,
    /// Only documents about this one: returns of a sale, receipts of a transfer, a reversal.
    about: Option<DocumentId>,
}

/// List documents
///
/// The newest id first, without their lines.
#[describe::path(get, "/v1/{tenant}/documents", tag = "Documents")]
pub(super) async fn documents_list(
    api: Api,
    caller: Caller<Read>,
    Query(query): Query<ListDocuments>,
) -> Answer<DocumentPage> {
    let limit = page_items(query.limit)?;
    let ListDocuments { store, reference, about, after, limit: _ } = query;
    let filter = DocumentsFilter { store, reference, about, after };
    let found = api.views().stock_documents(caller.tenant, &filter, limit).await?;
    let next = next_page(&found, limit, |last| last.id);
    Ok(Reply::found(DocumentPage { documents: found.into_iter().map(Document::from).collect(), next }))
}

#[describe::query]
pub(crate) struct AskPart {
    /// Which part's lines are wanted.
    #[param(minimum = 0, maximum = 49, default = 0)]
    part: Option<u32>,
}

/// Look at a document
///
/// With the lines of one part (all of a document that was given as a whole) and what came of them.
#[describe::path(get, "/v1/{tenant}/documents/{document}", tag = "Documents")]
pub(super) async fn document_get(
    api: Api,
    caller: Caller<Read>,
    InPath(id): InPath<DocumentId>,
    Query(query): Query<AskPart>,
) -> Answer<Document> {
    let tenant = caller.tenant;
    let found = api.views().record::<StockDocument>(tenant, &id).await?;
    let found = found.ok_or(StockRefusal::DocumentNotFound { document: id })?;
    let number = query.part.unwrap_or(0);
    if number >= found.parts {
        let detail = format!("the document has {} parts, numbered from 0", found.parts);
        return Err(Problem::new(Code::NotFound, detail));
    }
    let part = find_part(&api, tenant, id, number).await?;
    let (first_line, lines, outcomes) = part.map_or_else(
        || (1, Vec::new(), Vec::new()),
        |part| (part.first_line, part.lines.to_vec(), part.outcomes.to_vec()),
    );
    let lines = named(&api, tenant, &found.header, number, lines).await?;
    Ok(Reply::found(Document::from(found).with_part(PartSeen { number, first_line, lines, outcomes })))
}

/// Put a part of a long draft
///
/// Purchases, openings and recounts may have up to 50 parts of 200 lines, numbered from 0 without gaps; the first one comes
/// with the draft. Safe to repeat.
#[describe::path(put, "/v1/{tenant}/documents/{document}/parts/{number}", tag = "Documents")]
pub(super) async fn part_put(
    api: Api,
    caller: Caller<Manage>,
    InPath((id, part)): InPath<(DocumentId, PartNumber)>,
    Json(body): Json<SaveLines>,
) -> Answer<Document> {
    let found = api.views().record::<StockDocument>(caller.tenant, &id).await?;
    let kind = found.ok_or(StockRefusal::DocumentNotFound { document: id })?.header.kind;
    let barcodes = look_up(&api, caller.tenant, barcodes_of(&body.lines)).await?;
    let command = body.into_command((id, kind, part.0), &barcodes)?;
    let done = api.engine().run(caller.tenant, command).await?;
    Ok(Reply { replayed: done.replayed, ..Reply::found(done.reply.document.into()) })
}

/// Post a draft
///
/// Takes no body. Safe to repeat. A document of several parts is `posting` until all of them are posted: look at it again.
/// Lines of it that cannot be posted are left out, and say why.
#[describe::path(post, "/v1/{tenant}/documents/{document}/post", tag = "Documents")]
pub(super) async fn document_post(
    api: Api,
    caller: StockCaller,
    InPath(id): InPath<DocumentId>,
    idempotency: Idempotency,
) -> Answer<Document> {
    let key = idempotency.key(&id)?;
    let (tenant, _) = caller.document(&api, id).await?;
    let options = Options { key, ..Options::default() };
    let done = api.engine().run_with(tenant, PostDocument::saved(id), options).await?;
    // Read when they cannot change any more.
    let lines = lines_of(&api, tenant, id, 0).await.map_err(|_| Fault::OutcomeUnknown)?.1;
    let document = told(&api, tenant, done.reply, lines).await?;
    Ok(Reply { replayed: done.replayed, ..Reply::found(document) })
}

/// Reverse a document
///
/// By a new document that moves back what this one moved. With an `id` of your own or an `Idempotency-Key` the request can
/// be repeated. A document that others are about is reversed after them. A reversal of several parts is `posting` until all
/// of them are posted.
#[describe::path(post, "/v1/{tenant}/documents/{document}/reverse", tag = "Documents", status(201))]
pub(super) async fn document_reverse(
    api: Api,
    caller: Caller<Manage>,
    InPath(reverses): InPath<DocumentId>,
    idempotency: Idempotency,
    Json(body): Json<ReverseDocument>,
) -> Answer<Document> {
    let key = idempotency.key_unless(body.id.is_some(), &(reverses, &body), "reversal")?;
    let id = body.id.map_or_else(new_document_id, Ok)?;
    let found = api.views().record::<StockDocument>(caller.tenant, &reverses).await?;
    let store = found.ok_or(StockRefusal::DocumentNotFound { document: reverses })?.header.store;
    let command = body.into_command(id, reverses, store)?;
    let done = api.engine().run_with(caller.tenant, command, Options { key, ..Options::default() }).await?;
    made(&api, caller.tenant, &caller.slug, done, Vec::new()).await
}

/// Sell what a hold has
///
/// What the hold holds, or has booked, leaves, and its sale is posted, both or neither. What the sale has more is taken from
/// what is available. What it has less is released if it was held, and stays booked if it was booked. With an `id` of your
/// own or an `Idempotency-Key` the request can be repeated.
#[describe::path(post, "/v1/{tenant}/holds/{hold}/sell", tag = "Documents", status(201))]
pub(super) async fn hold_sell(
    api: Api,
    caller: Caller<Sell>,
    InPath(hold): InPath<HoldId>,
    idempotency: Idempotency,
    Json(body): Json<SellHold>,
) -> Answer<SoldHold> {
    let key = idempotency.key_unless(body.id.is_some(), &(hold, &body), "sale")?;
    let id = body.id.map_or_else(new_document_id, Ok)?;
    let barcodes = look_up(&api, caller.tenant, barcodes_of(&body.lines)).await?;
    let content = body.into_content(&barcodes)?;
    let lines = content.lines().to_vec();
    let command = SellHoldCommand::new(hold, id, content)?;
    let done = api.engine().run_with(caller.tenant, command, Options { key, ..Options::default() }).await?;
    let location = format!("/v1/{}/documents/{}", caller.slug, done.reply.sale.document.id);
    let sold = SoldHold { hold: done.reply.hold.into(), document: Document::told(done.reply.sale, lines) };
    Ok(Reply { replayed: done.replayed, ..Reply::found(sold).created(location) })
}
