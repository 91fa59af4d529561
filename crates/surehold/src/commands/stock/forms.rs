//! Documents of a few lines, as they are typed: purchase, opening, sale, write-off, supplier's return, recount, transfer.
//! Longer ones come from files.

use clap::{Args, ValueEnum};
use jiff::Timestamp;
use serde_json::{Value, json};
use surehold_core::stock::{DocumentKind, DocumentLine};
use uuid::Uuid;

use super::super::input::hold_id;
use super::super::money::{DecimalSign, Money};
use super::Desk;
use super::catalog::Catalog;
use super::document_view;
use super::place::StoreArgs;
use super::words::{document_id, moment, store};
use super::written::{What, Written, line_json};
use crate::client::{Answer, ClientError, Request};

/// What every document may say, and what is to be done with it.
#[derive(Args, Clone, Debug)]
pub(super) struct DocumentArgs {
    /// When it took effect, if not now: an instant, or a date (its beginning, UTC)
    #[arg(long, value_name = "WHEN", value_parser = moment)]
    at: Option<Timestamp>,
    /// The number of an invoice or delivery note; documents can be found by it
    #[arg(long)]
    reference: Option<String>,
    /// For people
    #[arg(long)]
    note: Option<String>,
    /// Its id, a UUIDv7; the same id finds the same document [default: a new one]
    #[arg(long, value_name = "UUID", value_parser = document_id)]
    id: Option<Uuid>,
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
    pub(super) fn id(&self) -> Uuid {
        self.id.unwrap_or_else(Uuid::now_v7)
    }

    /// Writes what is said into a document.
    pub(super) fn put_on(&self, body: &mut Value) {
        if let Some(at) = self.at {
            body["effective_at"] = at.to_string().into();
        }
        if let Some(reference) = &self.reference {
            body["reference"] = reference.as_str().into();
        }
        if let Some(note) = &self.note {
            body["note"] = note.as_str().into();
        }
    }

    /// Posts a document, keeps it or looks what it would come to.
    pub(super) async fn send(&self, desk: Desk<'_>, tenant: &str, mut body: Value) -> Result<(), ClientError> {
        self.put_on(&mut body);
        let id = self.id();
        body["id"] = id.to_string().into();
        self.how.send(desk, tenant, body, &format!("--id {id}")).await
    }
}

impl How {
    pub(super) async fn send(
        self,
        desk: Desk<'_>,
        tenant: &str,
        mut body: Value,
        repeat_with: &str,
    ) -> Result<(), ClientError> {
        if self.preview {
            let request = Request::post(&["v1", tenant, "documents", "preview"]).json(body);
            let answer = desk.ask(request).await?;
            return show_preview(desk, tenant, &answer).await;
        }
        if self.draft {
            body["post"] = false.into();
        }
        let request = Request::post(&["v1", tenant, "documents"]).json(body).repeat_with(repeat_with.to_owned());
        let answer = desk.ask(request).await?;
        show_document(desk, tenant, &answer).await?;
        if self.draft {
            let id = answer.value()?["id"].take();
            let id = id.as_str().unwrap_or_default();
            desk.screen.note(&format!("`surehold stock document post {tenant} {id}` posts it"));
        }
        Ok(())
    }
}

async fn show_preview(desk: Desk<'_>, tenant: &str, answer: &Answer) -> Result<(), ClientError> {
    if desk.screen.json {
        return desk.screen.raw(answer);
    }
    let preview = answer.value()?;
    let catalog = document_view::catalog(desk, tenant, &preview["document"]).await?;
    desk.screen.print(&document_view::preview(&preview, &catalog))?;
    desk.screen.note("nothing was changed");
    Ok(())
}

pub(super) async fn show_document(desk: Desk<'_>, tenant: &str, answer: &Answer) -> Result<(), ClientError> {
    let catalog = if desk.screen.json {
        Catalog::default()
    } else {
        document_view::catalog(desk, tenant, &answer.value()?).await?
    };
    desk.screen.show(answer, |document| document_view::document(document, &catalog))
}

/// The lines of a document about one store.
#[derive(Args)]
struct Moved {
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

impl Moved {
    async fn send(&self, desk: Desk<'_>, kind: DocumentKind, more: Value) -> Result<(), ClientError> {
        let money = self.place.money(desk).await?;
        self.send_in(desk, kind, &money, more).await
    }

    /// The same by somebody who has asked already what the store counts in.
    async fn send_in(&self, desk: Desk<'_>, kind: DocumentKind, money: &Money, more: Value) -> Result<(), ClientError> {
        let body = self.body(desk, kind, &self.lines, money, more).await?;
        self.document.send(desk, &self.place.tenant, body).await
    }

    async fn body(
        &self,
        desk: Desk<'_>,
        kind: DocumentKind,
        lines: &[Written],
        money: &Money,
        more: Value,
    ) -> Result<Value, ClientError> {
        let catalog = Catalog::of_lines(desk, &self.place.tenant, lines.iter()).await?;
        let lines = read_lines(lines, kind, &catalog, money, &self.place.tenant)?;
        let mut body = json!({"kind": kind.as_str(), "store": self.place.store, "lines": lines});
        if let (Some(body), Value::Object(more)) = (body.as_object_mut(), more) {
            body.extend(more);
        }
        Ok(body)
    }
}

fn read_lines(
    lines: &[Written],
    kind: DocumentKind,
    catalog: &Catalog,
    money: &Money,
    tenant: &str,
) -> Result<Vec<Value>, ClientError> {
    let mut read = Vec::new();
    for (number, line) in (1..).zip(lines) {
        let known = line.read(kind, catalog, money, DecimalSign::Point).map_err(|unusable| {
            let hint = match &line.what {
                What::Product(code) if catalog.product(code).is_none() => {
                    format!("; `surehold stock product put {tenant} CODE` makes one")
                }
                What::Product(_) | What::Barcode(_) => String::new(),
            };
            ClientError::Usage(format!("line {number}: {}{hint}", unusable.reason))
        });
        let known: DocumentLine = known?;
        read.push(line_json(&known));
    }
    Ok(read)
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
    pub(super) fn json(&self, money: &Money) -> Result<Value, ClientError> {
        let Some(extra) = &self.extra else { return Ok(json!({})) };
        let amount = money.parse(extra, DecimalSign::Point);
        let amount = amount.map_err(|why| ClientError::Usage(format!("--extra: {why}")))?;
        let by = match self.extra_by {
            SpreadBy::Value => "value",
            SpreadBy::Quantity => "quantity",
        };
        Ok(json!({"extra": {"amount": amount, "by": by}}))
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
        let money = self.moved.place.money(desk).await?;
        self.moved.send_in(desk, DocumentKind::Purchase, &money, self.extra.json(&money)?).await
    }
}

/// What is there when the books begin, at what it cost
#[derive(Args)]
pub(super) struct Opening {
    #[command(flatten)]
    moved: Moved,
}

impl Opening {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        self.moved.send(desk, DocumentKind::Opening, json!({})).await
    }
}

/// Goods are sold; never what a cart or a reservation holds
#[derive(Args)]
pub(super) struct Sale {
    #[command(flatten)]
    moved: Moved,
    /// Sell what this hold holds; what it has more is released
    #[arg(long, value_name = "HOLD", value_parser = hold_id, conflicts_with_all = ["preview", "draft"])]
    hold: Option<Uuid>,
}

impl Sale {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let Some(hold) = self.hold else { return self.moved.send(desk, DocumentKind::Sale, json!({})).await };
        let Moved { place, lines, document } = &self.moved;
        let money = place.money(desk).await?;
        let mut body = self.moved.body(desk, DocumentKind::Sale, lines, &money, json!({})).await?;
        document.put_on(&mut body);
        let id = document.id();
        body["id"] = id.to_string().into();
        if let Some(body) = body.as_object_mut() {
            body.remove("kind");
        }
        let path = ["v1", &place.tenant, "holds", &hold.to_string(), "sell"];
        let answer = desk.ask(Request::post(&path).json(body).repeat_with(format!("--id {id}"))).await?;
        if desk.screen.json {
            return desk.screen.raw(&answer);
        }
        let sold = answer.value()?;
        let catalog = document_view::catalog(desk, &place.tenant, &sold["document"]).await?;
        desk.screen.show(&answer, |sold| document_view::document(&sold["document"], &catalog))
    }
}

/// Goods that are spoilt or lost go out
#[derive(Args)]
pub(super) struct WriteOff {
    #[command(flatten)]
    moved: Moved,
}

impl WriteOff {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        self.moved.send(desk, DocumentKind::WriteOff, json!({})).await
    }
}

/// Goods go back to the supplier; the difference to what is credited is shown
#[derive(Args)]
pub(super) struct SupplierReturn {
    #[command(flatten)]
    moved: Moved,
}

impl SupplierReturn {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        self.moved.send(desk, DocumentKind::SupplierReturn, json!({})).await
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
        let body = self.moved.body(desk, DocumentKind::Recount, &lines, &money, json!({})).await?;
        document.send(desk, &place.tenant, body).await
    }
}

/// The last row of the product's card. What is not there is told when the line is read.
async fn seq_now(desk: Desk<'_>, place: &StoreArgs, line: &Written) -> Result<Option<String>, ClientError> {
    let StoreArgs { tenant, store } = place;
    let product = match &line.what {
        What::Product(code) => code.clone(),
        What::Barcode(code) => {
            let found = desk.find(Request::get(&["v1", tenant, "barcodes", code])).await?;
            found["product"].as_str().unwrap_or_default().to_owned()
        }
    };
    if super::words::product(&product).is_err() {
        return Ok(Some("0".to_owned()));
    }
    let item = desk.find(Request::get(&["v1", tenant, "stock", store, &product])).await?;
    Ok(Some(item["seq"].as_i64().unwrap_or(0).to_string()))
}

/// Goods go to another store, at what they cost here
#[derive(Args)]
pub(super) struct Transfer {
    #[command(flatten)]
    moved: Moved,
    /// The store that they go to
    #[arg(long, value_name = "STORE", value_parser = store)]
    to: String,
    /// They take their time: `stock receive` says that they have come
    #[arg(long)]
    in_transit: bool,
}

impl Transfer {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let mut more = json!({"to_store": self.to});
        if self.in_transit {
            more["in_transit"] = true.into();
        }
        self.moved.send(desk, DocumentKind::Transfer, more).await
    }
}
