//! What happened to stores and goods. What moved is in the ledger; pools tell of their new totals by their own events.

use super::{BarcodeText, DocumentId, DocumentKind, DocumentState, ItemKey, Micros, Place, ProductCode, StoreName};
use crate::kernel::{Shape, Timestamp, events, sent};

events! {
    /// As long as nothing has moved, or not all of it, nothing is offered.
    pub enum StockEvent {
        StoreChanged = "store_changed" { store: StoreName, version: i64 }, offered about "store:{store}";
        ProductChanged = "product_changed" { product: ProductCode, version: i64 }, offered about "product:{product}";
        BarcodeChanged = "barcode_changed" {
            code: BarcodeText,
            product: ProductCode,
            version: i64,
        }, offered about "product:{product}";
        /// Nothing takes effect before that instant any more, in any store.
        BooksClosed = "books_closed" { until: Timestamp }, offered about "books";
        /// A draft: nothing has moved.
        DocumentSaved = "document_saved" { document: DocumentId, version: i64 };
        /// A long document is posted part by part from now on.
        PostingBegan = "posting_began" { document: DocumentId, parts: u32 };
        PartPosted = "part_posted" {
            document: DocumentId,
            part: u32,
            lines: u32,
            /// Lines that could not be posted.
            skipped: u32,
        };
        /// All of the document: what it says has moved.
        DocumentPosted = "document_posted" {
            document: DocumentId,
            kind: DocumentKind,
            store: StoreName,
            effective_at: Timestamp,
            /// Of all lines, as posted.
            cost: i64 as Micros,
        }, offered about "document:{document}";
        DocumentReversed = "document_reversed" {
            document: DocumentId,
            by: DocumentId,
        }, offered about "document:{document}";
        /// Costs of so many earlier rows are others now, because something took effect before them.
        ItemRevalued = "item_revalued" {
            store: StoreName,
            place: Place,
            product: ProductCode,
            rows: u32,
            /// By how much the item's value changed in all.
            value: i64 as Micros,
            /// Nothing is left to be worked out.
            done: bool,
        }, offered about "item:{store}/{product}";
    }
}

sent! {
    Shape::Word("DocumentKind") => DocumentKind;
    Shape::Word("Place") => Place;
    Shape::Component("DocumentState") => DocumentState;
    Shape::Component("ItemName") => ItemKey;
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
