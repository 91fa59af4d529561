//! Stock: stores, products, documents that move goods, and the ledger of what they cost.
//! An item (a product in a store) is a kernel pool whose total is the quantity on hand; claims on it are the kernel's.
//! Knows nothing of prices that customers pay. Start reading at `rules.rs`, then `records/`, `post/lines.rs` and
//! `history.rs`.
//! Imports: kernel, operations.

pub mod commands;
mod content;
mod event;
pub mod history;
mod invalid;
mod micros;
mod names;
pub mod operations;
mod parts;
mod post;
mod records;
mod refusal;
mod replay;
mod rows;
pub mod rules;

pub use content::{
    COUNT_MAX, DocumentContent, DocumentHeader, LINES_PER_PART_MAX, PARTS_MAX, PartLines, SERIALS_PER_PART_MAX,
    may_be_long,
};
pub use event::StockEvent;
pub use invalid::StockInvalid;
use micros::Micros;
pub use micros::{Price, decimal};
pub use names::{
    BarcodeText, DocumentId, DocumentNote, LotCode, PackName, ProductCode, SerialCode, StoreName, UnitName, pool_of,
};
pub use parts::{Places, parts};
pub use records::{
    Against, Barcode, Basis, Books, Counter, DocumentKind, DocumentLine, DocumentPart, DocumentState, ExtraCost,
    ItemKey, LineCost, LineOutcome, LotLeft, LotPick, Move, MoveKey, Pack, PartKey, PartSpread, Place, Product,
    Revaluing, Serial, SerialKey, SkippedWhy, Spread, StockDocument, StockItem, Store, Tracking,
};
pub use refusal::{LeftLine, MovedItem, ShortItem, StockRefusal};
pub use rows::{ImportRow, RowFault, RowField, RowsKnown, parse_quantity, read_rows};

use crate::kernel::{Record, Table};

/// The tables of this module.
pub const TABLES: &[&Table] = &[
    Store::TABLE,
    Books::TABLE,
    Product::TABLE,
    Barcode::TABLE,
    StockItem::TABLE,
    Serial::TABLE,
    StockDocument::TABLE,
    DocumentPart::TABLE,
    Move::TABLE,
];
