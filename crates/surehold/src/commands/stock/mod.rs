//! `surehold stock`: stores, products, documents that move goods, cards and reports; and the import of documents from a
//! file. Quantities and amounts are read and shown as people write them; the API has base units and minor units.
//!
//! Start reading at `written.rs` (a line as somebody wrote it) and `forms.rs` (the documents that are typed).

mod about;
mod catalog;
mod document;
mod document_view;
mod forms;
mod import;
mod items;
mod place;
mod product;
mod quantity;
mod reports;
mod words;
mod written;

use clap::{Args, Subcommand};

use super::desk::Desk;
use super::input::TestMode;
use super::screen::Screen;
use super::{Act, Common};
use crate::client::{Client, ClientError};

/// Goods in stores: products, documents that move them, what there is and what it cost
#[derive(Args)]
pub(crate) struct StockCommand {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    mode: TestMode,
    #[command(flatten)]
    common: Common,
}

#[derive(Subcommand)]
enum Action {
    /// Put, show and list stores
    #[command(subcommand)]
    Store(place::StoreAction),
    /// Put, show and list products
    #[command(subcommand)]
    Product(product::ProductAction),
    /// Give products barcodes, and look one up
    #[command(subcommand)]
    Barcode(product::BarcodeAction),
    Purchase(forms::Purchase),
    Opening(forms::Opening),
    Sale(forms::Sale),
    WriteOff(forms::WriteOff),
    SupplierReturn(forms::SupplierReturn),
    Recount(forms::Recount),
    Transfer(forms::Transfer),
    Return(about::Return),
    Receive(about::Receive),
    Lose(about::Lose),
    Post(document::Post),
    Import(Box<import::Import>),
    /// Show, list, post and reverse documents
    #[command(subcommand)]
    Document(document::DocumentAction),
    Show(items::Show),
    Card(items::Card),
    CountSheet(items::CountSheet),
    Balances(reports::Balances),
    Turnover(reports::Turnover),
    Shortages(reports::Shortages),
    Books(reports::ShowBooks),
    CloseBooks(reports::CloseBooks),
}

impl Act for StockCommand {
    fn common(&self) -> &Common {
        &self.common
    }

    async fn act(&self, client: &Client, screen: &Screen) -> Result<(), ClientError> {
        let desk = Desk { client, screen: *screen, test: self.mode.test };
        match &self.action {
            Action::Store(action) => action.run(desk).await,
            Action::Product(action) => action.run(desk).await,
            Action::Barcode(action) => action.run(desk).await,
            Action::Purchase(form) => form.run(desk).await,
            Action::Opening(form) => form.run(desk).await,
            Action::Sale(form) => form.run(desk).await,
            Action::WriteOff(form) => form.run(desk).await,
            Action::SupplierReturn(form) => form.run(desk).await,
            Action::Recount(form) => form.run(desk).await,
            Action::Transfer(form) => form.run(desk).await,
            Action::Return(form) => form.run(desk).await,
            Action::Receive(form) => form.run(desk).await,
            Action::Lose(form) => form.run(desk).await,
            Action::Post(post) => post.run(desk).await,
            Action::Import(import) => import.run(desk).await,
            Action::Document(action) => action.run(desk).await,
            Action::Show(show) => show.run(desk).await,
            Action::Card(card) => card.run(desk).await,
            Action::CountSheet(sheet) => sheet.run(desk).await,
            Action::Balances(report) => report.run(desk).await,
            Action::Turnover(report) => report.run(desk).await,
            Action::Shortages(report) => report.run(desk).await,
            Action::Books(books) => books.run(desk).await,
            Action::CloseBooks(books) => books.run(desk).await,
        }
    }
}
