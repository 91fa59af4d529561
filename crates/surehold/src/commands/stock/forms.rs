//! Documents of a few lines, as they are typed: purchase, opening, sale, write-off, supplier's return, recount, transfer.
//! Longer ones come from files.

use clap::{Args, ValueEnum};
use surehold_api::Call;
use surehold_api::stock::{self, Document, DocumentPreview, ExtraCost, NewDocument, NewLine, SellHold};
use surehold_core::kernel::{HoldId, Reference, Slug, Timestamp};
use surehold_core::stock::{DocumentId, DocumentKind, DocumentNote, Spread, StoreName};

use super::super::input::{hold_id, new_id};
use super::super::money::{DecimalSign, Money};
use super::Desk;
use super::catalog::Catalog;
use super::document_view;
use super::place::StoreArgs;
use super::words::{barcode, document_id, moment, product};
use super::written::{What, Written};
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
    let money = moved.place.money(desk).await?;
    let document = moved.document(desk, kind, &moved.lines, money).await?;
    moved.document.send(desk, &moved.place.tenant, document).await
}

impl Moved {
    async fn document(
        &self,
        desk: Desk<'_>,
        kind: DocumentKind,
        lines: &[Written],
        money: Money,
    ) -> Result<NewDocument, ClientError> {
        let StoreArgs { tenant, store } = &self.place;
        let catalog = Catalog::of_lines(desk, tenant, lines.iter()).await?;
        let read = |(number, line): (u32, &Written)| match line.read(kind, &catalog, money, DecimalSign::Point) {
            Ok(line) => Ok(NewLine::from(line)),
            Err(unusable) => {
                let hint = match &line.what {
                    What::Product(code) if catalog.product(code).is_none() => {
                        format!("; `surehold stock product put {tenant} CODE` makes one")
                    }
                    What::Product(_) | What::Barcode(_) => String::new(),
                };
                Err(ClientError::Usage(format!("line {number}: {}{hint}", unusable.reason)))
            }
        };
        let lines = (1..).zip(lines).map(read).collect::<Result<_, _>>()?;
        Ok(NewDocument::new(kind, store.clone(), lines))
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
        let Moved { place, lines, document } = &self.moved;
        let money = place.money(desk).await?;
        let extra = self.extra.cost(money)?;
        let purchase = self.moved.document(desk, DocumentKind::Purchase, lines, money).await?;
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
        let Some(hold) = self.hold else { return send(&self.moved, desk, DocumentKind::Sale).await };
        let Moved { place, lines, document } = &self.moved;
        let money = place.money(desk).await?;
        let mut sale = self.moved.document(desk, DocumentKind::Sale, lines, money).await?;
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
        let money = place.money(desk).await?;
        let mut lines = self.moved.lines.clone();
        for line in &mut lines {
            line.difference |= self.difference;
            if line.against.is_none() {
                line.against = seq_now(desk, place, line).await?;
            }
        }
        let recount = self.moved.document(desk, DocumentKind::Recount, &lines, money).await?;
        document.send(desk, &place.tenant, recount).await
    }
}

/// The last row of the product's card. What is not there is told when the line is read.
async fn seq_now(desk: Desk<'_>, place: &StoreArgs, line: &Written) -> Result<Option<String>, ClientError> {
    let StoreArgs { tenant, store } = place;
    let product = match &line.what {
        What::Product(code) => product(code).ok(),
        What::Barcode(code) => match barcode(code) {
            Ok(code) => desk.find(stock::barcode(tenant, &code)).await?.map(|found| found.product),
            Err(_) => None,
        },
    };
    let item = match product {
        Some(product) => desk.find(stock::item(tenant, store, &product)).await?,
        None => None,
    };
    Ok(Some(item.map_or(0, |item| item.seq).to_string()))
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
        let Moved { place, lines, document } = &self.moved;
        let money = place.money(desk).await?;
        let mut transfer = self.moved.document(desk, DocumentKind::Transfer, lines, money).await?;
        transfer.to_store = Some(self.to.clone());
        transfer.in_transit = self.in_transit;
        document.send(desk, &place.tenant, transfer).await
    }
}
