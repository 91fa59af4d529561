//! What is kept of stores, products, documents and the ledger.

mod barcode;
mod books;
mod document;
mod item;
mod line;
mod moves;
mod part;
mod product;
mod serial;
mod store;

pub use barcode::Barcode;
pub use books::Books;
pub use document::{DocumentKind, DocumentState, ExtraCost, Spread, StockDocument};
pub use item::{ItemKey, LotLeft, Place, Revaluing, StockItem};
pub use line::{Against, DocumentLine, LineCost, LineOutcome, LotPick, SkippedWhy};
pub use moves::{Basis, Counter, Move, MoveKey};
pub use part::{DocumentPart, PartKey, PartSpread};
pub use product::{Pack, Product, Tracking};
pub use serial::{Serial, SerialKey};
pub use store::Store;
