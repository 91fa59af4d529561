//! `surehold stock import`: a document from a CSV file. `row.rs` reads rows, `identity.rs` says which document it is,
//! `send.rs` has the server check and post it, `report.rs` says what came of it.
//!
//! A file is one document, whose id follows from the file: however often it is imported, it is posted once.

mod columns;
mod identity;
mod report;
mod row;
mod send;

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use surehold_api::stock::{self, ImportDocument, ImportHeader, ImportRow, Imported};
use surehold_core::kernel::{Reference, Timestamp};
use surehold_core::stock::{DocumentId, DocumentKind, DocumentNote, LINES_PER_PART_MAX, StoreName, may_be_long};

use super::super::csv_file::{Refused, read_bytes};
use super::super::input::core_instant;
use super::super::money::Money;
use super::Desk;
use super::forms::ExtraArgs;
use super::place::StoreArgs;
use super::words::{document_id, moment};
use crate::client::ClientError;
use identity::Fingerprint;
use report::Report;
use row::{File, Sent};
use send::Sending;

/// Post a document from a CSV file; safe to run again
///
/// The first line names the columns: `product` or `barcode`, `count`, `pack`, `price` (of one) or `amount` (of all), `lot`,
/// `expires`, `serials` (with blanks between them), `against`. Every row is checked before anything is sent: if one cannot
/// be used, nothing is posted. Purchases, openings and recounts have up to 10,000 rows, other documents 200. The same
/// file is the same document: run again, it goes on where it was cut off, or shows what came of it.
#[derive(Args)]
pub(super) struct Import {
    #[command(flatten)]
    place: StoreArgs,
    /// What kind of document it is
    #[arg(value_name = "KIND", value_parser = kinds())]
    kind: DocumentKind,
    /// The file, separated by commas, semicolons or tabs
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The store that a transfer goes to
    #[arg(long, value_name = "STORE", value_parser = StoreName::new)]
    to: Option<StoreName>,
    /// A transfer that takes its time
    #[arg(long, requires = "to")]
    in_transit: bool,
    /// When it took effect, if not now: an instant, or a date (its beginning, UTC)
    #[arg(long, value_name = "WHEN", value_parser = moment)]
    at: Option<Timestamp>,
    /// The number of an invoice or delivery note [default: one that follows from the file]
    #[arg(long, value_parser = Reference::new)]
    reference: Option<Reference>,
    /// For people [default: the file's name]
    #[arg(long, value_parser = DocumentNote::new)]
    note: Option<DocumentNote>,
    #[command(flatten)]
    extra: ExtraArgs,
    /// Of a recount: where goods have moved since, the difference to what was there then counts
    #[arg(long)]
    difference: bool,
    /// The document's id, a UUIDv7 [default: one that follows from the file]
    #[arg(long, value_name = "UUID", value_parser = document_id)]
    id: Option<DocumentId>,
    /// Check everything, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Where rows are kept that cannot be used or were left out, with the reason
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

/// Kinds whose lines name products.
fn kinds() -> impl TypedValueParser<Value = DocumentKind> {
    let kinds = ["purchase", "opening", "recount", "sale", "write-off", "supplier-return", "transfer"];
    let parse = |text: String| DocumentKind::parse(&text.replace('-', "_")).ok_or("no kind of document");
    PossibleValuesParser::new(kinds).try_map(parse)
}

impl Import {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        if self.report.as_ref() == Some(&self.file) {
            return Err(ClientError::Usage("--report would overwrite the file that is imported".to_owned()));
        }
        let (kind, bytes) = (self.kind, read_bytes(&self.file)?);
        let file = File::parse(&self.file, &bytes)?;
        if !may_be_long(kind) && file.records.len() > LINES_PER_PART_MAX {
            let what = format!("is too long for one {}", kind.as_str().replace('_', " "));
            return Err(file.wrong(&what, "cut it: only a purchase, opening or recount has more than 200 rows"));
        }
        let money = self.place.money(desk).await?;
        let (header, fingerprint) = self.header(kind, money, &bytes)?;
        let id = match self.id {
            Some(id) => id,
            None => self.known_as(desk, &fingerprint, &header).await?,
        };
        let (sent, mut wrong) = self.read(&file, kind, money);
        let import = ImportDocument { id, header, rows: sent.rows.clone(), dry_run: false };
        let sending = Sending { desk, tenant: &self.place.tenant, file: &file, import: &import };
        let report = Report::new(&file, money, self.report.as_deref());
        if self.dry_run || !wrong.is_empty() || !desk.client.has_workers() {
            let checked = if sent.rows.is_empty() { Imported::default() } else { sending.check().await? };
            wrong.extend(sent.refused(&file, &checked.wrong));
            wrong.sort_by_key(|refused| refused.index);
            if !wrong.is_empty() {
                return report.wrong(desk, &wrong);
            }
            if self.dry_run {
                return report.would_be(desk);
            }
            if checked.part_count > 1 {
                let hint =
                    "start `surehold serve`: a document of more than 200 lines is posted by a server, part by part";
                return Err(file.wrong("has more than 200 rows, and no server runs here; nothing was sent", hint));
            }
        }
        report.posted(desk, &sent, &sending.run().await?)
    }

    /// The rows as they are sent, and those that cannot be.
    fn read(&self, file: &File, kind: DocumentKind, money: Money) -> (Sent, Vec<Refused>) {
        let (mut sent, mut wrong) = (Sent::default(), Vec::new());
        for (index, record) in file.records.iter().enumerate() {
            match row::read(file, record, money) {
                Ok(row) => {
                    let difference = kind == DocumentKind::Recount && self.difference;
                    sent.rows.push(ImportRow { difference, ..row });
                    sent.places.push(index);
                }
                Err(fault) => wrong.push(Refused::of(index, record.line, fault)),
            }
        }
        (sent, wrong)
    }

    /// Everything but the lines, and what the file is known by.
    fn header(
        &self,
        kind: DocumentKind,
        money: Money,
        bytes: &[u8],
    ) -> Result<(ImportHeader, Fingerprint), ClientError> {
        let mut header = ImportHeader {
            effective_at: self.at,
            extra: self.extra.cost(money)?,
            in_transit: self.in_transit,
            kind,
            note: self.note.clone(),
            reference: self.reference.clone(),
            store: self.place.store.clone(),
            to_store: self.to.clone(),
        };
        let fingerprint = Fingerprint::of(&header, bytes);
        header.reference.get_or_insert_with(|| fingerprint.reference());
        let name = || DocumentNote::new(&self.file.file_name()?.to_string_lossy()).ok();
        header.note = header.note.or_else(name);
        Ok((header, fingerprint))
    }

    /// The id of the document that an earlier run has made of this file, or the one that this run makes.
    async fn known_as(
        &self,
        desk: Desk<'_>,
        fingerprint: &Fingerprint,
        header: &ImportHeader,
    ) -> Result<DocumentId, ClientError> {
        let call = stock::documents(&self.place.tenant).query("store", &self.place.store);
        let found = desk.all(call.query_if("reference", header.reference.as_ref())).await?;
        let known = found.iter().map(|document| document.id).find(|id| fingerprint.is_of(*id));
        Ok(known.unwrap_or_else(|| fingerprint.id(core_instant(jiff::Timestamp::now()))))
    }
}
