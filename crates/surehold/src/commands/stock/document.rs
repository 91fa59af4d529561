//! `surehold stock document` and `surehold stock post`.

use std::io::Read;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use jiff::Timestamp;
use serde_json::{Value, json};
use uuid::Uuid;

use super::super::input::slug;
use super::super::pages::show_all;
use super::super::view::{list, text};
use super::forms::{How, show_document};
use super::words::{document_id, moment, store};
use super::{Desk, document_view};
use crate::client::{ClientError, Request};

/// A document of 200 lines with a few hundred serial numbers is far smaller.
const BYTES_MAX: u64 = 4 << 20;

/// Names a document.
#[derive(Args)]
pub(super) struct IdArgs {
    /// The tenant's slug
    #[arg(value_parser = slug)]
    tenant: String,
    /// The document's id
    #[arg(id = "document", value_name = "DOCUMENT", value_parser = document_id)]
    id: Uuid,
}

impl IdArgs {
    fn post(&self, what: &str) -> Request {
        Request::post(&["v1", &self.tenant, "documents", &self.id.to_string(), what])
    }
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
    #[arg(value_parser = slug)]
    tenant: String,
    /// Only those of this store
    #[arg(id = "place", long = "in", value_name = "STORE", value_parser = store)]
    store: Option<String>,
    /// Only those with this reference
    #[arg(long)]
    reference: Option<String>,
    /// Only those about this document: its returns, receipts, its reversal
    #[arg(long, value_name = "DOCUMENT", value_parser = document_id)]
    about: Option<Uuid>,
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
    reference: Option<String>,
    /// For people
    #[arg(long)]
    note: Option<String>,
    /// The id of the reversal, a UUIDv7; the same id finds the same document [default: a new one]
    #[arg(long, value_name = "UUID", value_parser = document_id)]
    id: Option<Uuid>,
}

impl DocumentAction {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        match self {
            DocumentAction::Show(document) => show(desk, document).await,
            DocumentAction::List(list) => list.run(desk).await,
            DocumentAction::Post(document) => {
                let answer = desk.ask(document.post("post")).await?;
                show_document(desk, &document.tenant, &answer).await?;
                note_posting(desk, &document.tenant, &answer.value()?);
                Ok(())
            }
            DocumentAction::Reverse(reverse) => reverse.run(desk).await,
        }
    }
}

/// Machines get each part as it came; people all lines in one table.
async fn show(desk: Desk<'_>, IdArgs { tenant, id }: &IdArgs) -> Result<(), ClientError> {
    let mut part = 0;
    let mut whole = Value::Null;
    let mut lines = Vec::new();
    loop {
        let request = Request::get(&["v1", tenant, "documents", &id.to_string()]).query("part", &part.to_string());
        let answer = desk.ask(request).await?;
        let document = answer.value()?;
        if desk.screen.json {
            desk.screen.raw(&answer)?;
        }
        lines.extend_from_slice(list(&document["lines"]));
        let next = document["next_part"].as_u64();
        if whole.is_null() {
            whole = document;
        }
        match next {
            Some(next) => part = next,
            None => break,
        }
    }
    if desk.screen.json {
        return Ok(());
    }
    whole["lines"] = lines.into();
    let catalog = document_view::catalog(desk, tenant, &whole).await?;
    desk.screen.print(&document_view::document(&whole, &catalog))?;
    note_posting(desk, tenant, &whole);
    Ok(())
}

fn note_posting(desk: Desk<'_>, tenant: &str, document: &Value) {
    if document["state"] != "posting" {
        return;
    }
    let id = document["id"].as_str().unwrap_or_default();
    let who = if desk.client.has_workers() { "it is posted part by part" } else { "`surehold serve` posts it" };
    desk.screen.note(&format!("{who}; `surehold stock document show {tenant} {id}` says how far it is"));
}

impl List {
    async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let about = self.about.map(|about| about.to_string());
        let request = Request::get(&["v1", &self.tenant, "documents"]).test(desk.test);
        let request = request.query_if("store", self.store.as_deref());
        let request = request.query_if("reference", self.reference.as_deref()).query_if("about", about.as_deref());
        show_all(desk.client, desk.screen, &request, "documents", document_view::documents, "there are none").await
    }
}

impl Reverse {
    async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let id = self.id.unwrap_or_else(Uuid::now_v7);
        let mut body = json!({ "id": id });
        let at = self.at.map(|at| at.to_string());
        for (name, said) in [("effective_at", &at), ("reference", &self.reference), ("note", &self.note)] {
            if let Some(said) = said {
                body[name] = said.as_str().into();
            }
        }
        let request = self.document.post("reverse").json(body).repeat_with(format!("--id {id}"));
        let answer = desk.ask(request).await?;
        show_document(desk, &self.document.tenant, &answer).await
    }
}

/// Post a document as the API takes it, from a JSON file or from standard input
///
/// Quantities are base units and amounts minor units there. Without an `id` in it, one is made and told.
#[derive(Args)]
pub(super) struct Post {
    /// The tenant's slug
    #[arg(value_parser = slug)]
    tenant: String,
    /// The file, or `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    how: How,
}

impl Post {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let mut body = self.read()?;
        if body["id"].is_null() {
            let id = Uuid::now_v7().to_string();
            desk.screen.keep(&format!("document id: {id}"));
            body["id"] = id.into();
        }
        let id = text(&body["id"]);
        let repeat_with = format!("\"id\": \"{id}\" in the document");
        self.how.send(desk, &self.tenant, body, &repeat_with).await
    }

    fn read(&self) -> Result<Value, ClientError> {
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
        let body: Value =
            serde_json::from_slice(&bytes).map_err(|error| wrong(format!("is no JSON: {error}"), hint))?;
        if body.is_object() { Ok(body) } else { Err(wrong("is no document".to_owned(), hint)) }
    }
}
