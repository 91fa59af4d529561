//! What happened to stores and goods. Variants are only ever appended: their order is the stored format. What moved is
//! in the ledger; pools tell of their new totals by their own events.

use serde::{Deserialize, Serialize};

use super::{BarcodeText, DocumentId, DocumentKind, Place, ProductCode, StoreName};
use crate::kernel::Timestamp;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StockEvent {
    StoreChanged {
        store: StoreName,
        version: i64,
    },
    ProductChanged {
        product: ProductCode,
        version: i64,
    },
    BarcodeChanged {
        code: BarcodeText,
        product: ProductCode,
        version: i64,
    },
    BooksClosed {
        until: Timestamp,
    },
    DocumentSaved {
        document: DocumentId,
        version: i64,
    },
    /// A long document has begun to be posted.
    PostingBegan {
        document: DocumentId,
        parts: u32,
    },
    PartPosted {
        document: DocumentId,
        part: u32,
        lines: u32,
        skipped: u32,
    },
    /// All of it. `cost` in millionths, as posted.
    DocumentPosted {
        document: DocumentId,
        kind: DocumentKind,
        store: StoreName,
        effective_at: Timestamp,
        cost: i64,
    },
    DocumentReversed {
        document: DocumentId,
        by: DocumentId,
    },
    /// Costs of so many rows changed because something earlier did; the item's value by `value` in all.
    ItemRevalued {
        store: StoreName,
        place: Place,
        product: ProductCode,
        rows: u32,
        value: i64,
        /// Nothing is left to be worked out.
        done: bool,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Event;

    /// The stored format: a change here makes old journals unreadable.
    #[test]
    fn the_stored_format_is_fixed() {
        let packed = |event: StockEvent| postcard::to_stdvec(&Event::Stock(event)).unwrap();
        let store = StoreName::new("a").unwrap();
        assert_eq!(packed(StockEvent::StoreChanged { store: store.clone(), version: 1 }), b"\x13\x00\x01a\x02");
        let (place, product) = (Place::InTransit, ProductCode::new("tea").unwrap());
        let revalued = StockEvent::ItemRevalued { store, place, product, rows: 3, value: -1, done: true };
        assert_eq!(packed(revalued), b"\x13\x09\x01a\x01\x03tea\x03\x01\x01");
    }
}
