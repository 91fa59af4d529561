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

use clap::Args;

use super::desk::Desk;
use super::input::TestMode;
use super::{Act, Common, actions};
use crate::client::ClientError;

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

actions! {
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
    Show(items::ShowItems),
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

    fn test(&self) -> bool {
        self.mode.test
    }

    async fn act(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        self.action.run(desk).await
    }
}
