//! `surehold stock`: stores, products, documents that move goods, cards and reports; and the import of documents from a
//! file. Quantities and amounts are read and shown as people write them; the API has base units and minor units.
//!
//! Start reading at `written.rs` (a line as somebody wrote it) and `forms.rs` (the documents that are typed).

mod about;
mod catalog;
mod document;
mod document_view;
mod forms;
mod hints;
mod import;
mod items;
mod place;
mod product;
mod quantity;
mod reports;
mod words;
mod written;

use surehold_core::stock::DocumentKind;

use super::actions;
use super::desk::Desk;
use super::input::TenantArgs;

actions! {
    /// Goods in stores: products, documents that move them, what there is and what it cost
    StockCommand:
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
    /// What is there when the books begin, at what it cost
    Opening(forms::Moved) => forms::send(DocumentKind::Opening),
    Sale(forms::Sale),
    /// Goods that are spoilt or lost go out
    WriteOff(forms::Moved) => forms::send(DocumentKind::WriteOff),
    /// Goods go back to the supplier; the difference to what is credited is shown
    SupplierReturn(forms::Moved) => forms::send(DocumentKind::SupplierReturn),
    Recount(forms::Recount),
    Transfer(forms::Transfer),
    /// A customer brings goods back, at what they left for
    Return(about::AboutArgs) => about::send(DocumentKind::CustomerReturn),
    /// Goods of a transfer have come
    Receive(about::AboutArgs) => about::send(DocumentKind::Receipt),
    /// Goods of a transfer will not come
    Lose(about::AboutArgs) => about::send(DocumentKind::TransitLoss),
    Post(document::Post),
    Import(Box<import::Import>),
    /// Show, list, post and reverse documents
    #[command(subcommand)]
    Document(document::DocumentAction),
    /// Show what is there, held, available, and what it cost
    Show(items::ItemsArgs) => items::show,
    Card(items::Card),
    /// Print a CSV file to count with: fill in `count`, then `stock import recount`
    CountSheet(place::StoreArgs) => items::count_sheet,
    Balances(reports::Balances),
    Turnover(reports::Turnover),
    Shortages(reports::Shortages),
    /// Show until when the books are closed
    Books(TenantArgs) => reports::books,
    CloseBooks(reports::CloseBooks),
}
