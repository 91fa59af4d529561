//! `surehold stock document` and `surehold stock post`.

use std::io::Read;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};
use serde_json::error::Category;
use serde_json::{Map, Value};
use surehold_api::stock::{self, Document, ReverseDocument};
use surehold_core::kernel::{Reference, Slug, Timestamp};
use surehold_core::stock::{DocumentId, DocumentNote, DocumentState, StoreName};
use uuid::Uuid;

use super::super::input::new_id;
use super::forms::{How, show_document};
use super::words::{document_id, moment};
use super::{Desk, document_view};
use crate::client::ClientError;

/// A document of 200 lines with a few hundred serial numbers is far smaller.
const BYTES_MAX: u64 = 4 << 20;

/// Names a document.
#[derive(Args)]
pub(super) struct IdArgs {
    /// The tenant's slug
    tenant: Slug,
    /// The document's id
    #[arg(id = "document", value_name = "DOCUMENT", value_parser = document_id)]
    id: DocumentId,
}

#[derive(Subcommand)]
pub(super) enum DocumentAction {
    /// Show a document with all its lines
    Show(IdArgs),
    List(List),
    /// Post a draft
    Post(IdArgs),
    Reverse(Reverse),
}

/// List documents, the newest first
#[derive(Args)]
pub(super) struct List {
    /// The tenant's slug
    tenant: Slug,
    /// Only those of this store
    #[arg(id = "place", long = "in", value_name = "STORE")]
    store: Option<StoreName>,
    /// Only those with this reference
    #[arg(long)]
    reference: Option<Reference>,
    /// Only those about this document: its returns, receipts, its reversal
    #[arg(long, value_name = "DOCUMENT", value_parser = document_id)]
    about: Option<DocumentId>,
}

/// Take a document back by a new one; what it moved moves back
#[derive(Args)]
pub(super) struct Reverse {
    #[command(flatten)]
    document: IdArgs,
    /// When it took effect, if not now: an instant, or a date (its beginning, UTC)
    #[arg(long, value_name = "WHEN", value_parser = moment)]
    at: Option<Timestamp>,
    /// The number of a credit note
    #[arg(long)]
    reference: Option<Reference>,
    /// For people
    #[arg(long)]
    note: Option<DocumentNote>,
    /// The id of the reversal, a UUIDv7; the same id finds the same document [default: a new one]
    #[arg(long, value_name = "UUID", value_parser = document_id)]
    id: Option<DocumentId>,
}

impl DocumentAction {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        match self {
            DocumentAction::Show(document) => show(desk, document).await,
            DocumentAction::List(list) => list.run(desk).await,
            DocumentAction::Post(IdArgs { tenant, id }) => {
                let answer = desk.send(&stock::post_document(tenant, *id)).await?;
                if let Some(document) = show_document(desk, tenant, &answer).await? {
                    note_posting(desk, tenant, &document);
                }
                Ok(())
            }
            DocumentAction::Reverse(reverse) => reverse.run(desk).await,
        }
    }
}

/// Machines get each part as it came; people all lines in one table.
async fn show(desk: Desk<'_>, IdArgs { tenant, id }: &IdArgs) -> Result<(), ClientError> {
    #[derive(Deserialize)]
    struct Place {
        next_part: Option<u32>,
    }
    let (mut whole, mut next): (Option<Document>, Option<u32>) = (None, Some(0));
    while let Some(part) = next {
        let answer = desk.send(&stock::document(tenant, *id).query("part", part)).await?;
        next = answer.read_as::<Place>().map_err(|error| ClientError::unreadable(&error, None))?.next_part;
        let Some(part) = desk.for_people(&answer).await? else { continue };
        match &mut whole {
            None => whole = Some(part),
            Some(whole) => whole.lines.get_or_insert_default().extend(part.lines.unwrap_or_default()),
        }
    }
    let Some(whole) = whole else { return Ok(()) };
    let catalog = document_view::catalog(desk, tenant, &whole).await?;
    desk.screen.print(&document_view::document(&whole, catalog))?;
    note_posting(desk, tenant, &whole);
    Ok(())
}

fn note_posting(desk: Desk<'_>, tenant: &Slug, document: &Document) {
    if document.state != DocumentState::Posting {
        return;
    }
    let who = if desk.client.has_workers() { "it is posted part by part" } else { "`surehold serve` posts it" };
    let id = document.id;
    desk.screen.note(&format!("{who}; `surehold stock document show {tenant} {id}` says how far it is"));
}

impl List {
    async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let call = stock::documents(&self.tenant).query_if("store", self.store.as_ref());
        let call = call.query_if("reference", self.reference.as_ref()).query_if("about", self.about);
        desk.list(call, document_view::DOCUMENT, "there are none").await
    }
}

impl Reverse {
    async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let (IdArgs { tenant, id: reversed }, id) = (&self.document, self.id.unwrap_or_else(new_id));
        let (effective_at, reference, note) = (self.at, self.reference.clone(), self.note.clone());
        let reversal = ReverseDocument { id: Some(id), effective_at, reference, note };
        let call = stock::reverse_document(tenant, *reversed, &reversal);
        let answer = desk.repeat_with(&format!("--id {id}")).send(&call).await?;
        show_document(desk, tenant, &answer).await.map(drop)
    }
}

/// Post a document as the API takes it, from a JSON file or from standard input
///
/// Quantities are base units and amounts minor units there. Without an `id` in it, one is made and told.
#[derive(Args)]
pub(super) struct Post {
    /// The tenant's slug
    tenant: Slug,
    /// The file, or `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    how: How,
}

/// Somebody else's JSON. What is not ours goes on as it is, so that the server says what is wrong with it.
#[derive(Serialize, Deserialize)]
struct Given {
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    post: Option<Value>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

impl Post {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let mut given = self.read()?;
        let id = given.id.get_or_insert_with(|| {
            let id = Uuid::now_v7().to_string();
            desk.screen.keep(&format!("document id: {id}"));
            id
        });
        let repeat_with = format!("\"id\": \"{id}\" in the document");
        if self.how.keeps_a_draft() {
            given.post = Some(false.into());
        }
        let (preview, create) = (stock::preview_given(&self.tenant, &given), stock::create_given(&self.tenant, &given));
        self.how.send(desk.repeat_with(&repeat_with), &self.tenant, preview, create).await
    }

    fn read(&self) -> Result<Given, ClientError> {
        let name = self.file.display();
        let wrong =
            |what: String, hint: &str| ClientError::File { what: format!("{name} {what}"), hint: hint.to_owned() };
        let mut bytes = Vec::new();
        let read = if self.file.as_os_str() == "-" {
            std::io::stdin().take(BYTES_MAX + 1).read_to_end(&mut bytes)
        } else {
            std::fs::File::open(&self.file).and_then(|file| file.take(BYTES_MAX + 1).read_to_end(&mut bytes))
        };
        read.map_err(|error| wrong(format!("cannot be read: {error}"), "check its name"))?;
        if u64::try_from(bytes.len()).is_ok_and(|bytes| bytes > BYTES_MAX) {
            let hint = "a document has 200 lines; `surehold stock import` takes longer ones from a CSV file";
            return Err(wrong(format!("has more than {} MiB", BYTES_MAX >> 20), hint));
        }
        let hint = "it looks like {\"kind\": \"sale\", \"store\": \"main\", \"lines\": [{\"product\": \"tea\", \"count\": 2}]}";
        serde_json::from_slice(&bytes).map_err(|error| match error.classify() {
            Category::Data => wrong(format!("is no document: {error}"), hint),
            Category::Io | Category::Syntax | Category::Eof => wrong(format!("is no JSON: {error}"), hint),
        })
    }
}
