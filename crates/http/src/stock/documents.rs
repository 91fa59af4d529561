//! Documents: keep, preview, post, look, list, reverse; and the sale of what a hold has.

use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use surehold_core::kernel::{Reference, TenantId};
use surehold_core::stock::commands::{DocumentReply, PostDocument, SaveDraft, SellHold as SellHoldCommand};
use surehold_core::stock::{
    DocumentHeader, DocumentId, DocumentKind, DocumentLine, DocumentPart, StockDocument, StockRefusal, StoreName,
};
use surehold_engine::{DocumentsWish, Done, Fault, Options, new_uuid_v7};

use super::mover::Mover;
use super::products::look_up;
use super::scales::Scales;
use crate::api::{
    Api, ApiState, Caller, DocumentPath, HoldPath, Idempotency, Json, Manage, PartPath, Query, Read, Reply, Sell,
    page_items,
};
use crate::describe::{self, IntoParams};
use crate::problem::{Code, Problem};
use crate::wire::described;
use crate::wire::stock::{
    Document, DocumentPage, DocumentPreview, ItemPreview, NewDocument, PartSeen, ReverseDocument, SaveLines, SellHold,
    SoldHold,
};

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
#[describe::path(post, path = "/v1/{tenant}/documents", tag = "Documents",
    params(("tenant" = described::Slug, Path), ("Idempotency-Key" = Option<described::IdempotencyKey>, Header)),
    request_body = NewDocument, responses((status = 201, body = Document)))]
pub(super) async fn document_create(
    State(api): ApiState,
    mover: Mover,
    idempotency: Idempotency,
    Json(body): Json<NewDocument>,
) -> Result<Reply<Document>, Problem> {
    let tenant = mover.tenant_for(body.kind)?;
    let key = match body.id {
        Some(_) => idempotency.key(&body)?,
        None => idempotency.needed_key(&body, ", or give the document an id of your own (a UUIDv7)")?,
    };
    let id = body.id.map_or_else(new_document_id, Ok)?;
    let (post, barcodes) = (body.post, look_up(&api, tenant, body.barcodes()).await?);
    let content = body.into_content(&barcodes)?;
    let (lines, options) = (content.lines().to_vec(), Options { key, ..Options::default() });
    let done = if post {
        api.engine().run_stock(tenant, PostDocument::whole(id, content), options).await?
    } else {
        api.engine().run_with(tenant, SaveDraft { id, content }, options).await?
    };
    made(&api, tenant, &mover.slug, done, lines).await
}

/// A document that was made by this request, or by the same one before.
async fn made(
    api: &Api,
    tenant: TenantId,
    slug: &surehold_core::kernel::Slug,
    done: Done<DocumentReply>,
    lines: Vec<DocumentLine>,
) -> Result<Reply<Document>, Problem> {
    let location = format!("/v1/{slug}/documents/{}", done.reply.document.id);
    let document = told(api, tenant, done.reply, lines).await?;
    let reply = Reply::found(document);
    Ok(Reply { status: StatusCode::CREATED, replayed: done.replayed, location: Some(location), ..reply })
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
#[describe::path(post, path = "/v1/{tenant}/documents/preview", tag = "Documents",
    params(("tenant" = described::Slug, Path)),
    request_body = NewDocument, responses((status = 200, body = DocumentPreview)))]
pub(super) async fn document_preview(
    State(api): ApiState,
    mover: Mover,
    Json(body): Json<NewDocument>,
) -> Result<Reply<DocumentPreview>, Problem> {
    let tenant = mover.tenant_for(body.kind)?;
    let id = body.id.map_or_else(new_document_id, Ok)?;
    let barcodes = look_up(&api, tenant, body.barcodes()).await?;
    let content = body.into_content(&barcodes)?;
    let lines = named(&api, tenant, content.header(), 0, content.lines().to_vec()).await?;
    let preview = api.engine().preview_document(tenant, id, content).await?;
    let items = if mover.may_read() { Some(item_previews(&api, tenant, preview.items).await?) } else { None };
    Ok(Reply::found(DocumentPreview { document: Document::told(preview.reply, lines), items }))
}

async fn item_previews(
    api: &Api,
    tenant: TenantId,
    previews: Vec<surehold_engine::ItemPreview>,
) -> Result<Vec<ItemPreview>, Fault> {
    let products = previews.iter().map(|preview| preview.item.product.clone()).collect();
    let scales = Scales::of(api, tenant, products).await?;
    let shown = |preview: surehold_engine::ItemPreview| {
        let scale = scales.scale(&preview.item.product);
        ItemPreview::new(preview, scale)
    };
    Ok(previews.into_iter().map(shown).collect())
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListDocuments {
    /// Only documents of this store.
    #[param(value_type = Option<described::StoreName>)]
    store: Option<StoreName>,
    /// Only documents with this number of yours.
    #[param(value_type = Option<described::Name>)]
    reference: Option<Reference>,
    /// Only documents about this one: returns of a sale, receipts of a transfer, a reversal.
    #[param(value_type = Option<described::DocumentId>)]
    about: Option<DocumentId>,
    /// The `next` of the page before.
    #[param(value_type = Option<described::DocumentId>)]
    after: Option<DocumentId>,
    #[param(minimum = 1, maximum = 1000, default = 100)]
    limit: Option<u16>,
}

/// List documents
///
/// The newest id first, without their lines.
#[describe::path(get, path = "/v1/{tenant}/documents", tag = "Documents",
    params(("tenant" = described::Slug, Path), ListDocuments), responses((status = 200, body = DocumentPage)))]
pub(super) async fn documents_list(
    State(api): ApiState,
    caller: Caller<Read>,
    Query(query): Query<ListDocuments>,
) -> Result<Reply<DocumentPage>, Problem> {
    let limit = page_items(query.limit)?;
    let ListDocuments { store, reference, about, after, limit: _ } = query;
    let wish = DocumentsWish { store, reference, about, after };
    let found = api.views().stock_documents(caller.tenant, &wish, limit).await?;
    let full = found.len() == usize::from(limit);
    let next = found.last().filter(|_| full).map(|last| last.id);
    Ok(Reply::found(DocumentPage { documents: found.into_iter().map(Document::from).collect(), next }))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct AskPart {
    /// Which part's lines are wanted.
    #[param(minimum = 0, maximum = 49, default = 0)]
    part: Option<u32>,
}

/// Look at a document
///
/// With the lines of one part (all of a document that was given as a whole) and what came of them.
#[describe::path(get, path = "/v1/{tenant}/documents/{document}", tag = "Documents",
    params(("tenant" = described::Slug, Path), ("document" = described::DocumentId, Path), AskPart),
    responses((status = 200, body = Document)))]
pub(super) async fn document_get(
    State(api): ApiState,
    caller: Caller<Read>,
    DocumentPath(id): DocumentPath,
    Query(query): Query<AskPart>,
) -> Result<Reply<Document>, Problem> {
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
#[describe::path(put, path = "/v1/{tenant}/documents/{document}/parts/{number}", tag = "Documents",
    params(("tenant" = described::Slug, Path), ("document" = described::DocumentId, Path),
        ("number" = u32, Path, minimum = 0, maximum = 49)),
    request_body = SaveLines, responses((status = 200, body = Document)))]
pub(super) async fn part_put(
    State(api): ApiState,
    caller: Caller<Manage>,
    PartPath(id, number): PartPath,
    Json(body): Json<SaveLines>,
) -> Result<Reply<Document>, Problem> {
    let found = api.views().record::<StockDocument>(caller.tenant, &id).await?;
    let kind = found.ok_or(StockRefusal::DocumentNotFound { document: id })?.header.kind;
    let barcodes = look_up(&api, caller.tenant, body.barcodes()).await?;
    let command = body.into_command((id, kind, number), &barcodes)?;
    let done = api.engine().run(caller.tenant, command).await?;
    Ok(Reply { replayed: done.replayed, ..Reply::found(done.reply.document.into()) })
}

/// Post a draft
///
/// Takes no body. Safe to repeat. A document of several parts is `posting` until all of them are posted: look at it again.
/// Lines of it that cannot be posted are left out, and say why.
#[describe::path(post, path = "/v1/{tenant}/documents/{document}/post", tag = "Documents",
    params(("tenant" = described::Slug, Path), ("document" = described::DocumentId, Path),
        ("Idempotency-Key" = Option<described::IdempotencyKey>, Header)),
    responses((status = 200, body = Document)))]
pub(super) async fn document_post(
    State(api): ApiState,
    mover: Mover,
    DocumentPath(id): DocumentPath,
    idempotency: Idempotency,
) -> Result<Reply<Document>, Problem> {
    let key = idempotency.key(&id)?;
    let (tenant, _) = mover.document(&api, id).await?;
    let options = Options { key, ..Options::default() };
    let done = api.engine().run_stock(tenant, PostDocument::saved(id), options).await?;
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
#[describe::path(post, path = "/v1/{tenant}/documents/{document}/reverse", tag = "Documents",
    params(("tenant" = described::Slug, Path), ("document" = described::DocumentId, Path),
        ("Idempotency-Key" = Option<described::IdempotencyKey>, Header)),
    request_body = ReverseDocument, responses((status = 201, body = Document)))]
pub(super) async fn document_reverse(
    State(api): ApiState,
    caller: Caller<Manage>,
    DocumentPath(reverses): DocumentPath,
    idempotency: Idempotency,
    Json(body): Json<ReverseDocument>,
) -> Result<Reply<Document>, Problem> {
    let key = match body.id {
        Some(_) => idempotency.key(&(reverses, &body))?,
        None => idempotency.needed_key(&(reverses, &body), ", or give the reversal an id of your own (a UUIDv7)")?,
    };
    let id = body.id.map_or_else(new_document_id, Ok)?;
    let found = api.views().record::<StockDocument>(caller.tenant, &reverses).await?;
    let store = found.ok_or(StockRefusal::DocumentNotFound { document: reverses })?.header.store;
    let command = body.into_command(id, reverses, store)?;
    let done = api.engine().run_stock(caller.tenant, command, Options { key, ..Options::default() }).await?;
    made(&api, caller.tenant, &caller.slug, done, Vec::new()).await
}

/// Sell what a hold has
///
/// What the hold holds, or has booked, leaves, and its sale is posted, both or neither. What the sale has more is taken from
/// what is available. What it has less is released if it was held, and stays booked if it was booked. With an `id` of your
/// own or an `Idempotency-Key` the request can be repeated.
#[describe::path(post, path = "/v1/{tenant}/holds/{hold}/sell", tag = "Documents",
    params(("tenant" = described::Slug, Path), ("hold" = described::HoldId, Path),
        ("Idempotency-Key" = Option<described::IdempotencyKey>, Header)),
    request_body = SellHold, responses((status = 201, body = SoldHold)))]
pub(super) async fn hold_sell(
    State(api): ApiState,
    caller: Caller<Sell>,
    HoldPath(hold): HoldPath,
    idempotency: Idempotency,
    Json(body): Json<SellHold>,
) -> Result<Reply<SoldHold>, Problem> {
    let key = match body.id {
        Some(_) => idempotency.key(&(hold, &body))?,
        None => idempotency.needed_key(&(hold, &body), ", or give the sale an id of your own (a UUIDv7)")?,
    };
    let id = body.id.map_or_else(new_document_id, Ok)?;
    let barcodes = look_up(&api, caller.tenant, body.barcodes()).await?;
    let content = body.into_content(&barcodes)?;
    let lines = content.lines().to_vec();
    let command = SellHoldCommand::new(hold, id, content)?;
    let done = api.engine().run_stock(caller.tenant, command, Options { key, ..Options::default() }).await?;
    let location = format!("/v1/{}/documents/{}", caller.slug, done.reply.sale.document.id);
    let sold = SoldHold { hold: done.reply.hold.into(), document: Document::told(done.reply.sale, lines) };
    let reply = Reply::found(sold);
    Ok(Reply { status: StatusCode::CREATED, replayed: done.replayed, location: Some(location), ..reply })
}
