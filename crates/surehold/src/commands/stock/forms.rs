//! Documents of a few lines, as they are typed: purchase, opening, sale, write-off, supplier's return, recount, transfer.
//! Longer ones come from files.

use clap::{Args, ValueEnum};
use surehold_api::Call;
use surehold_api::stock::{
    self, Document, DocumentPreview, ExtraCost, ImportDocument, ImportHeader, NewDocument, SellHold,
};
use surehold_core::kernel::{HoldId, Reference, Slug, Timestamp};
use surehold_core::stock::{DocumentId, DocumentKind, DocumentNote, RowField, Spread, StoreName};

use super::super::input::{hold_id, new_id};
use super::super::money::{DecimalSign, Money};
use super::Desk;
use super::document_view;
use super::place::StoreArgs;
use super::words::{document_id, moment};
use super::written::Written;
use crate::client::{Answer, ClientError};

/// What every document may say, and what is to be done with it.
#[derive(Args, Clone, Debug)]
pub(super) struct DocumentArgs {
    /// When it took effect, if not now: an instant, or a date (its beginning, UTC)
    #[arg(long, value_name = "WHEN", value_parser = moment)]
    at: Option<Timestamp>,
    /// The number of an invoice or delivery note; documents can be found by it
    #[arg(long)]
    reference: Option<Reference>,
    /// For people
    #[arg(long)]
    note: Option<DocumentNote>,
    /// Its id, a UUIDv7; the same id finds the same document [default: a new one]
    #[arg(long, value_name = "UUID", value_parser = document_id)]
    id: Option<DocumentId>,
    #[command(flatten)]
    how: How,
}

/// What is to be done with a document.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct How {
    /// Show what it would come to, and change nothing
    #[arg(long, conflicts_with = "draft")]
    preview: bool,
    /// Keep it as a draft; `stock document post` posts it
    #[arg(long)]
    draft: bool,
}

impl DocumentArgs {
    /// Writes what is said into a document; gives its id.
    fn put_on(&self, document: &mut NewDocument) -> DocumentId {
        let id = self.id.unwrap_or_else(new_id);
        document.id = Some(id);
        document.effective_at = self.at;
        document.reference.clone_from(&self.reference);
        document.note.clone_from(&self.note);
        id
    }

    /// Posts a document, keeps it or looks what it would come to.
    pub(super) async fn send(
        &self,
        desk: Desk<'_>,
        tenant: &Slug,
        mut document: NewDocument,
    ) -> Result<(), ClientError> {
        let id = self.put_on(&mut document);
        document.post = !self.how.draft;
        let preview = stock::preview(tenant, &document);
        let create = stock::create_document(tenant, &document);
        self.how.send(desk.repeat_with(&format!("--id {id}")), tenant, preview, create).await
    }
}

impl How {
    pub(super) fn keeps_a_draft(self) -> bool {
        self.draft
    }

    pub(super) async fn send(
        self,
        desk: Desk<'_>,
        tenant: &Slug,
        preview: Call<DocumentPreview>,
        create: Call<Document>,
    ) -> Result<(), ClientError> {
        if self.preview {
            let answer = desk.send(&preview).await?;
            return show_preview(desk, tenant, &answer).await;
        }
        let answer = desk.send(&create).await?;
        if let Some(document) = show_document(desk, tenant, &answer).await?
            && self.draft
        {
            desk.screen.note(&format!("`surehold stock document post {tenant} {}` posts it", document.id));
        }
        Ok(())
    }
}

async fn show_preview(desk: Desk<'_>, tenant: &Slug, answer: &Answer<DocumentPreview>) -> Result<(), ClientError> {
    let Some(preview) = desk.for_people(answer).await? else { return Ok(()) };
    let catalog = document_view::catalog(desk, tenant, &preview.document).await?;
    desk.screen.print(&document_view::preview(&preview, catalog))?;
    desk.screen.note("nothing was changed");
    Ok(())
}

/// Gives what was shown to people.
pub(super) async fn show_document(
    desk: Desk<'_>,
    tenant: &Slug,
    answer: &Answer<Document>,
) -> Result<Option<Document>, ClientError> {
    let Some(document) = desk.for_people(answer).await? else { return Ok(None) };
    let catalog = document_view::catalog(desk, tenant, &document).await?;
    desk.screen.print(&document_view::document(&document, catalog))?;
    Ok(Some(document))
}

/// The lines of a document about one store.
#[derive(Args)]
pub(super) struct Moved {
    #[command(flatten)]
    place: StoreArgs,
    /// As in `tea=10@4.90` (each), `tea=2/box@@98.00` (all), `rice=3.250`, `milk=5,lot=L7`; `--help` says more
    ///
    /// `PRODUCT=COUNT`, or `PRODUCT=COUNT/PACK`, or `barcode:CODE=COUNT`. Behind it, where it has a cost, `@PRICE` of one
    /// (of a pack if packs are counted) or `@@AMOUNT` of all of it; then `,lot=LOT`, `,expires=DATE` and
    /// `,serial=NUMBER` for products that are tracked so.
    #[arg(value_name = "LINE", required = true, value_parser = Written::parse, verbatim_doc_comment)]
    lines: Vec<Written>,
    #[command(flatten)]
    document: DocumentArgs,
}

/// A document with nothing but its lines.
pub(super) async fn send(moved: &Moved, desk: Desk<'_>, kind: DocumentKind) -> Result<(), ClientError> {
    moved.send(desk, moved.of_kind(kind)).await
}

impl Moved {
    /// Without lines.
    fn of_kind(&self, kind: DocumentKind) -> NewDocument {
        NewDocument::new(kind, self.place.store.clone(), Vec::new())
    }

    async fn send(&self, desk: Desk<'_>, document: NewDocument) -> Result<(), ClientError> {
        let (document, _) = self.filled(desk, document).await?;
        self.document.send(desk, &self.place.tenant, document).await
    }

    /// With lines, of which the server says what they mean.
    async fn filled(&self, desk: Desk<'_>, document: NewDocument) -> Result<(NewDocument, Money), ClientError> {
        let (tenant, money) = (&self.place.tenant, self.place.money(desk).await?);
        let read = |(number, line): (u32, &Written)| {
            let row = line.to_row(money, DecimalSign::Point);
            row.map_err(|(_, why)| ClientError::Usage(format!("line {number}: {why}")))
        };
        let rows = (1..).zip(&self.lines).map(read).collect::<Result<_, _>>()?;
        let import = ImportDocument { id: new_id(), header: ImportHeader::from(&document), rows, dry_run: true };
        let meant = desk.ask(stock::import(tenant, &import)).await?;
        let Some(wrong) = meant.wrong.first() else {
            return Ok((NewDocument { lines: meant.lines, ..document }, money));
        };
        let hint = match wrong.field {
            Some(RowField::Product) if wrong.other_row.is_none() => {
                format!("; `surehold stock product put {tenant} CODE` makes one")
            }
            Some(_) | None => String::new(),
        };
        Err(ClientError::Usage(format!("line {}: {}{hint}", wrong.row, wrong.reason)))
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum SpreadBy {
    Value,
    Quantity,
}

/// What goods cost besides their price.
#[derive(Args, Clone, Debug)]
pub(super) struct ExtraArgs {
    /// Freight, customs: spread over the lines, as in 12.50
    #[arg(long, value_name = "AMOUNT")]
    extra: Option<String>,
    /// What it is spread by
    #[arg(long, value_name = "WHAT", default_value = "value", requires = "extra")]
    extra_by: SpreadBy,
}

impl ExtraArgs {
    pub(super) fn cost(&self, money: Money) -> Result<Option<ExtraCost>, ClientError> {
        let Some(extra) = &self.extra else { return Ok(None) };
        let amount = money.parse(extra, DecimalSign::Point);
        let amount = amount.map_err(|why| ClientError::Usage(format!("--extra: {why}")))?;
        let by = match self.extra_by {
            SpreadBy::Value => Spread::ByValue,
            SpreadBy::Quantity => Spread::ByQuantity,
        };
        Ok(Some(ExtraCost { amount, by }))
    }
}

/// Goods come in, at what was paid for them
#[derive(Args)]
pub(super) struct Purchase {
    #[command(flatten)]
    moved: Moved,
    #[command(flatten)]
    extra: ExtraArgs,
}

impl Purchase {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let Moved { place, document, .. } = &self.moved;
        let (purchase, money) = self.moved.filled(desk, self.moved.of_kind(DocumentKind::Purchase)).await?;
        let extra = self.extra.cost(money)?;
        document.send(desk, &place.tenant, NewDocument { extra, ..purchase }).await
    }
}

/// Goods are sold; never what a cart or a reservation holds
#[derive(Args)]
pub(super) struct Sale {
    #[command(flatten)]
    moved: Moved,
    /// Sell what this hold holds; what it has more is released
    #[arg(long, value_name = "HOLD", value_parser = hold_id, conflicts_with_all = ["preview", "draft"])]
    hold: Option<HoldId>,
}

impl Sale {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let sale = self.moved.of_kind(DocumentKind::Sale);
        let Some(hold) = self.hold else { return self.moved.send(desk, sale).await };
        let Moved { place, document, .. } = &self.moved;
        let (mut sale, _) = self.moved.filled(desk, sale).await?;
        let flag = format!("--id {}", document.put_on(&mut sale));
        let sell = stock::sell_hold(&place.tenant, hold, &SellHold::from(sale));
        let answer = desk.repeat_with(&flag).send(&sell).await?;
        let Some(sold) = desk.for_people(&answer).await? else { return Ok(()) };
        let catalog = document_view::catalog(desk, &place.tenant, &sold.document).await?;
        desk.screen.print(&document_view::document(&sold.document, catalog))
    }
}

/// Put right what was counted, as in `tea=8`, or `tea=8,against=7` if it was counted when the card ended with row 7
///
/// `stock show` and `stock count-sheet` tell the number of the last row. Without `against` the count is taken to be of
/// this moment. If the product has moved since, the line is refused, or, with `difference`, what was missing then is
/// missing now.
#[derive(Args)]
pub(super) struct Recount {
    #[command(flatten)]
    moved: Moved,
    /// Where goods have moved since, the difference to what was there then counts
    #[arg(long)]
    difference: bool,
}

impl Recount {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let Moved { place, document, .. } = &self.moved;
        let (mut recount, _) = self.moved.filled(desk, self.moved.of_kind(DocumentKind::Recount)).await?;
        for against in recount.lines.iter_mut().filter_map(|line| line.against.as_mut()) {
            against.difference |= self.difference;
        }
        document.send(desk, &place.tenant, recount).await
    }
}

/// Goods go to another store, at what they cost here
#[derive(Args)]
pub(super) struct Transfer {
    #[command(flatten)]
    moved: Moved,
    /// The store that they go to
    #[arg(long, value_name = "STORE")]
    to: StoreName,
    /// They take their time: `stock receive` says that they have come
    #[arg(long)]
    in_transit: bool,
}

impl Transfer {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let (to_store, in_transit) = (Some(self.to.clone()), self.in_transit);
        let transfer = self.moved.of_kind(DocumentKind::Transfer);
        self.moved.send(desk, NewDocument { to_store, in_transit, ..transfer }).await
    }
}
