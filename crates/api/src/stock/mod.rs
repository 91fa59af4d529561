//! Stores, products, documents and stock on the wire. Quantities are whole base units; money is never a floating-point
//! number: amounts are whole minor units, everything finer is text.

mod calls;
mod catalog;
mod document;
mod import;
mod item;
mod line;
mod number;
mod preview;
mod reports;
pub mod words;

pub use calls::*;
pub use catalog::{
    Barcode, BarcodeList, Books, CloseBooks, NewBarcode, Pack, Product, ProductPage, PutBarcodes, PutProduct, PutStore,
    Store, StorePage,
};
pub use document::{
    Document, DocumentPage, ExtraCost, NewDocument, PartSeen, ReverseDocument, SaveLines, SellHold, SoldHold,
    barcodes_of,
};
pub use import::{ImportDocument, ImportHeader, Imported};
pub use item::{Item, ItemName, ItemPage, StockBalance};
pub use line::{Against, Barcodes, LineOutcome, LotQuantity, NewLine, StockLine};
pub use preview::{DocumentPreview, ItemPreview};
pub use reports::{BalancePage, CardCounter, CardPage, CardRow, ItemBalance, ItemTurnover, TurnoverPage};
pub use surehold_core::stock::{ImportRow, Price, RowFault};
