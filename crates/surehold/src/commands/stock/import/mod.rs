//! `surehold stock import`: a document from a CSV file. `row.rs` reads rows, `parts.rs` cuts them into parts,
//! `identity.rs` says which document it is, `send.rs` posts it, `report.rs` says what came of it.
//!
//! Everything that can be looked at before is looked at before: a file with a bad line changes nothing. A file is one
//! document, whose id follows from the file: however often it is imported, it is posted once.

mod columns;
mod identity;
mod parts;
mod report;
mod row;
mod send;

use std::collections::HashMap;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::Serialize;
use surehold_api::stock::{self, ExtraCost, NewDocument, NewLine};
use surehold_core::kernel::{Reference, Timestamp};
use surehold_core::stock::{
    DocumentId, DocumentKind, DocumentLine, DocumentNote, LINES_PER_PART_MAX, Place, ProductCode, StoreName,
    may_be_long,
};

use super::super::csv_file::{Refused, read_bytes};
use super::super::input::core_instant;
use super::super::money::Money;
use super::Desk;
use super::catalog::Catalog;
use super::forms::ExtraArgs;
use super::place::StoreArgs;
use super::words::{document_id, moment, product};
use super::written::{Unusable, What, Written};
use crate::client::ClientError;
use columns::Column;
use identity::Fingerprint;
use parts::{Places, parts};
use report::Report;
use row::{Fault, File, Seen};
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
    #[arg(value_name = "KIND")]
    kind: Kind,
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

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    Purchase,
    Opening,
    Recount,
    Sale,
    WriteOff,
    SupplierReturn,
    Transfer,
}

impl Kind {
    fn of_document(self) -> DocumentKind {
        match self {
            Kind::Purchase => DocumentKind::Purchase,
            Kind::Opening => DocumentKind::Opening,
            Kind::Recount => DocumentKind::Recount,
            Kind::Sale => DocumentKind::Sale,
            Kind::WriteOff => DocumentKind::WriteOff,
            Kind::SupplierReturn => DocumentKind::SupplierReturn,
            Kind::Transfer => DocumentKind::Transfer,
        }
    }
}

/// Everything but the lines. A file is known by it, so its JSON is a format: the order of fields is part of it.
#[derive(Clone, Serialize)]
struct Header {
    #[serde(skip_serializing_if = "Option::is_none")]
    effective_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extra: Option<ExtraCost>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    in_transit: bool,
    kind: DocumentKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<DocumentNote>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<Reference>,
    store: StoreName,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_store: Option<StoreName>,
}

impl Header {
    fn with_lines(&self, lines: Vec<NewLine>) -> NewDocument {
        let Header { effective_at, extra, in_transit, kind, note, reference, store, to_store } = self.clone();
        let document = NewDocument::new(kind, store, lines);
        NewDocument { effective_at, extra, in_transit, note, reference, to_store, ..document }
    }

    fn fingerprint(&self, bytes: &[u8]) -> Fingerprint {
        Fingerprint::of(&serde_json::to_string(self).expect("a header is plain data"), bytes)
    }
}

impl Import {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        if self.report.as_ref() == Some(&self.file) {
            return Err(ClientError::Usage("--report would overwrite the file that is imported".to_owned()));
        }
        let (kind, bytes) = (self.kind.of_document(), read_bytes(&self.file)?);
        let file = File::parse(&self.file, &bytes)?;
        let one_part = !may_be_long(kind);
        if one_part && file.records.len() > LINES_PER_PART_MAX {
            return Err(too_long(&file, kind));
        }
        let money = self.place.money(desk).await?;
        let (lines, wrong) = self.checked(desk, &file, kind, money).await?;
        let report = Report::new(&file, money, self.report.as_deref());
        if !wrong.is_empty() {
            return report.wrong(desk, &wrong);
        }
        let parts = parts(kind, &lines).filter(|parts| parts.len() == 1 || !one_part);
        let parts = parts.ok_or_else(|| too_long(&file, kind))?;
        let (header, fingerprint) = self.header(kind, money, &bytes)?;
        if self.dry_run {
            return report.would_be(desk);
        }
        let id = match self.id {
            Some(id) => id,
            None => self.known_as(desk, &fingerprint, &header).await?,
        };
        let lines: Vec<NewLine> = lines.into_iter().map(NewLine::from).collect();
        let sending = Sending {
            desk,
            tenant: &self.place.tenant,
            id,
            header: &header,
            lines: &lines,
            parts: &parts,
            file: &file,
        };
        let posted = sending.run().await?;
        report.posted(desk, &posted)
    }

    /// What every row means, and which cannot be used.
    async fn checked(
        &self,
        desk: Desk<'_>,
        file: &File,
        kind: DocumentKind,
        money: Money,
    ) -> Result<(Vec<DocumentLine>, Vec<Refused>), ClientError> {
        let mut written: Vec<Result<Written, Fault>> =
            file.records.iter().map(|record| row::read(file, record)).collect();
        let catalog = Catalog::of_lines(desk, &self.place.tenant, written.iter().flatten()).await?;
        if kind == DocumentKind::Recount {
            self.count_against_now(desk, &catalog, &mut written).await?;
        }
        let (mut lines, mut wrong, mut seen) = (Vec::new(), Vec::new(), Seen::default());
        for (index, (record, written)) in file.records.iter().zip(written).enumerate() {
            let usable = |Unusable { part, reason }| Fault { column: part.map(Column::of), reason };
            let line = written.and_then(|line| {
                let line = line.read(kind, &catalog, money, file.decimal_sign()).map_err(usable)?;
                seen.add(kind, record.line, &line)?;
                Ok(line)
            });
            match line {
                Ok(line) => lines.push(line),
                Err(fault) => wrong.push(Refused::of(index, record.line, fault)),
            }
        }
        Ok((lines, wrong))
    }

    /// Counts that do not say against which row they were made are of this moment.
    async fn count_against_now(
        &self,
        desk: Desk<'_>,
        catalog: &Catalog,
        written: &mut [Result<Written, Fault>],
    ) -> Result<(), ClientError> {
        let without = |line: &Written| line.against.is_none();
        let seqs = if written.iter().flatten().any(without) { self.seqs(desk).await? } else { HashMap::new() };
        for line in written.iter_mut().flatten() {
            line.difference = self.difference;
            if line.against.is_none() {
                let product = match &line.what {
                    What::Product(code) => product(code).ok(),
                    What::Barcode(code) => catalog.barcode(code).map(|barcode| barcode.product.clone()),
                };
                let seq = product.and_then(|product| seqs.get(&product)).copied().unwrap_or(0);
                line.against = Some(seq.to_string());
            }
        }
        Ok(())
    }

    /// Where the cards of the store have got to.
    async fn seqs(&self, desk: Desk<'_>) -> Result<HashMap<ProductCode, i64>, ClientError> {
        let StoreArgs { tenant, store } = &self.place;
        let items = desk.all(stock::items(tenant).query("store", store).query("place", Place::OnHand)).await?;
        Ok(items.into_iter().map(|item| (item.item.product, item.seq)).collect())
    }

    /// Everything but the lines, and what the file is known by.
    fn header(&self, kind: DocumentKind, money: Money, bytes: &[u8]) -> Result<(Header, Fingerprint), ClientError> {
        let mut header = Header {
            effective_at: self.at,
            extra: self.extra.cost(money)?,
            in_transit: self.in_transit,
            kind,
            note: self.note.clone(),
            reference: self.reference.clone(),
            store: self.place.store.clone(),
            to_store: self.to.clone(),
        };
        let fingerprint = header.fingerprint(bytes);
        let by_file = || Reference::new(&fingerprint.reference()).expect("hexadecimal digits are a reference");
        header.reference.get_or_insert_with(by_file);
        let name = || DocumentNote::new(&self.file.file_name()?.to_string_lossy()).ok();
        header.note = header.note.or_else(name);
        Ok((header, fingerprint))
    }

    /// The id of the document that an earlier run has made of this file, or the one that this run makes.
    async fn known_as(
        &self,
        desk: Desk<'_>,
        fingerprint: &Fingerprint,
        header: &Header,
    ) -> Result<DocumentId, ClientError> {
        let call = stock::documents(&self.place.tenant).query("store", &self.place.store);
        let found = desk.all(call.query_if("reference", header.reference.as_ref())).await?;
        let known = found.iter().map(|document| document.id).find(|id| fingerprint.is_of(*id));
        Ok(known.unwrap_or_else(|| fingerprint.id(core_instant(jiff::Timestamp::now()))))
    }
}

fn too_long(file: &File, kind: DocumentKind) -> ClientError {
    let kind = kind.as_str().replace('_', " ");
    file.wrong(&format!("is too long for one {kind}"), "cut it: a document has up to 200 lines and 400 serial numbers, and a purchase, opening or recount 50 times that")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Another fingerprint would make another document of a file that was imported before.
    #[test]
    fn headers_stay_as_they_are() {
        let mut header = Header {
            effective_at: None,
            extra: None,
            in_transit: false,
            kind: DocumentKind::Purchase,
            note: None,
            reference: None,
            store: StoreName::new("main").unwrap(),
            to_store: None,
        };
        let check = |header: &Header, expected: &str| assert_eq!(serde_json::to_string(header).unwrap(), expected);
        check(&header, r#"{"kind":"purchase","store":"main"}"#);
        header.extra = Some(ExtraCost { amount: 1_250, by: surehold_core::stock::Spread::ByValue });
        header.effective_at = Some(Timestamp::from_micros(1_790_000_000_000_000));
        header.reference = Some(Reference::new("INV-17").unwrap());
        header.note = Some(DocumentNote::new("late").unwrap());
        (header.to_store, header.in_transit) = (Some(StoreName::new("depot").unwrap()), true);
        check(
            &header,
            r#"{"effective_at":"2026-09-21T14:13:20Z","extra":{"amount":1250,"by":"value"},"in_transit":true,"kind":"purchase","note":"late","reference":"INV-17","store":"main","to_store":"depot"}"#,
        );
    }
}
