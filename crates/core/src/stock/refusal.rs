//! Why a command about stock says no. Each command documents the order in which it looks.

use super::{
    BarcodeText, DocumentId, DocumentKind, DocumentState, ItemKey, LotCode, PackName, Place, ProductCode, SerialCode,
    StoreName,
};
use crate::kernel::{Currency, PoolKey, Timestamp, refusals};

refusals! {
    pub enum StockRefusal: Kernel(Refusal) {
        StoreNotFound { store: StoreName }
            = (NotFound, "store-not-found", "There is no such store") "there is no store {store}";
        ProductNotFound { products: Vec<ProductCode> }
            = (NotFound, "product-not-found", "There is no such product") "no such product: {}", join(products);
        PackNotFound { products: [ProductCode; 1], pack: PackName }
            = (NotFound, "pack-not-found", "The product has no such pack") "{} has no pack {pack}", products[0];
        DocumentNotFound { document: DocumentId }
            = (NotFound, "document-not-found", "There is no such document") "there is no document {document}";
        AboutLine { document: DocumentId, line: u32 }
            = (NotFound, "line-not-found", "The document has no such line") "document {document} has no line {line}";

        /// An id outside this window could be one whose document was purged.
        DocumentIdOutsideWindow { document: DocumentId, made_after: Timestamp, made_before: Timestamp }
            = (Invalid, "document-id-outside-window", "The document's id is too old or from the future")
            "the id {document} was made outside of {made_after} to {made_before}";
        DocumentIdReused { document: DocumentId }
            = (Invalid, "document-id-reused", "The document's id was used for another request")
            "document {document} exists with other content";

        CurrencyFixed {
            store: StoreName,
            /// The currency of the store's costs.
            currency: Currency,
        } = (Conflict, "store-currency-fixed", "A store's currency cannot be changed")
            "costs of {store} are in {currency}; a store's currency cannot be changed";
        ProductFixed {
            products: [ProductCode; 1],
            /// What of the product.
            what: String,
        } = (Conflict, "product-fixed", "What documents count in cannot be changed")
            "{what} of {} cannot be changed", products[0];
        BarcodeTaken { products: [ProductCode; 1], barcodes: [BarcodeText; 1], pack: Option<PackName> }
            = (Conflict, "barcode-taken", "The barcode means something else")
            "barcode {} is {} of {}", barcodes[0], one_or(pack.as_ref()), products[0];
        BooksClosed {
            /// The books are closed up to here.
            closed_until: Timestamp,
        } = (Conflict, "books-closed", "The books are closed") "the books are closed until {closed_until}";
        BooksBusy {
            /// Documents that are being posted.
            posting: i64,
            /// Items whose costs are being worked out anew.
            revaluing: i64,
        } = (Conflict, "books-busy", "Something is still on its way into the books")
            "{posting} documents are being posted and {revaluing} items revalued; close the books when that is done";
        DocumentState {
            document: DocumentId,
            /// What the document is.
            document_state: DocumentState,
        } = (Conflict, "document-state", "The document's state does not allow it")
            "document {document} is {document_state}";
        PartMissing { document: DocumentId, part: u32 }
            = (Conflict, "part-missing", "A part of the document has no lines")
            "part {part} of document {document} has no lines";
        TooLong { kind: DocumentKind }
            = (Invalid, "document-too-long", "Such a document has one part") "a {kind} has one part";
        EffectiveInFuture {
            /// The store's clock.
            now: Timestamp,
        } = (Invalid, "effective-in-future", "Nothing takes effect in the future")
            "nothing takes effect in the future: it is {now}";
        CurrenciesDiffer { store: StoreName, currency: Currency, to_store: StoreName, to_currency: Currency }
            = (Conflict, "currencies-differ", "The stores count in different currencies")
            "{store} counts in {currency}, {to_store} in {to_currency}";

        AboutKind {
            document: DocumentId,
            /// The kind of the document.
            kind: DocumentKind,
        } = (Conflict, "about-other-kind", "The document is about one of another kind")
            "document {document} is a {kind}, which cannot be meant";
        /// A transfer without a time in transit.
        AboutArrived {
            document: DocumentId,
            /// The kind of the document.
            kind: DocumentKind,
        } = (Conflict, "about-other-kind", "The document is about one of another kind")
            "transfer {document} was not in transit: it has arrived already";
        AboutStore { store: StoreName, document: DocumentId }
            = (Conflict, "about-other-store", "The document is about one of another store")
            "document {document} was about {store}";
        EffectiveBefore {
            document: DocumentId,
            /// The earliest instant at which it could take effect.
            effective_at: Timestamp,
        } = (Conflict, "effective-too-early", "It takes effect before what it is about")
            "what is about document {document} takes effect from {effective_at} on";
        HasFollowers {
            document: DocumentId,
            /// Documents that are about the document.
            followers: u32,
        } = (Conflict, "document-has-followers", "Other documents are about it")
            "{followers} documents are about document {document}; reverse them first";
        MoreThanLeft {
            /// Every line of which less is left.
            left: Vec<LeftLine>,
            document: DocumentId,
        } = (Conflict, "more-than-left", "Less is left of the line") "less is left: {}", lines_left(left);

        ItemsMoved {
            /// Every item that has moved since it was counted.
            moved: Vec<MovedItem>,
        } = (Conflict, "items-moved", "It has moved since it was counted")
            "moved since they were counted: {}", items_moved(moved);
        CountBackdated {
            item: ItemKey,
            /// The earliest instant at which it could take effect.
            effective_at: Timestamp,
        } = (Conflict, "count-backdated", "A count says what is there now")
            "a count says what is there now; it cannot take effect before {effective_at}";
        AlreadyOpen { item: ItemKey }
            = (Conflict, "already-open", "It has moved already")
            "{item} has moved already; only what never moved is opened";
        NotOpened {
            pools: [PoolKey; 1],
            /// The units in the pool.
            total: i64,
        } = (Conflict, "not-opened", "The pool has units that no document brought")
            "pool {} has {total} units that no document brought; open it with what is there", pools[0];

        LotNeeded { products: [ProductCode; 1] }
            = (Invalid, "lot-needed", "The line has to name a lot") "lots of {} are told apart; name one", products[0];
        LotUnwanted { products: [ProductCode; 1] }
            = (Invalid, "lot-unwanted", "Lots of the product are not told apart")
            "lots of {} are not told apart", products[0];
        LotDiffers { item: ItemKey, lot: LotCode }
            = (Conflict, "lot-differs", "The lot has another date of expiry")
            "lot {lot} of {item} has another date of expiry";
        LotExpired { products: [ProductCode; 1], lot: LotCode }
            = (Conflict, "lot-expired", "The lot has expired") "lot {lot} of {} has expired", products[0];
        TooManyLots { item: ItemKey, max: usize }
            = (Conflict, "too-many-lots", "The item has too many lots") "{item} has {max} lots, the most allowed";
        InsufficientLot {
            item: ItemKey,
            /// Absent, all lots of the item together are short.
            lot: Option<LotCode>,
            /// Units that were asked for.
            asked: i64,
            /// Units that can be had.
            left_of_lot: i64,
        } = (Conflict, "insufficient-lot", "Not enough of the lot is there")
            "only {left_of_lot} of {asked} can be had of {}", lot_or_lots(lot.as_ref(), item);
        SerialsMissing {
            products: [ProductCode; 1],
            /// Units that move.
            asked: i64,
            /// Serial numbers that the line lists.
            listed: usize,
        } = (Invalid, "serials-missing", "A serial number is needed for each unit")
            "{asked} of {} move, with {listed} serial numbers", products[0];
        SerialsUnwanted { products: [ProductCode; 1] }
            = (Invalid, "serials-unwanted", "Pieces of the product are not told apart")
            "pieces of {} are not told apart", products[0];
        SerialsNotCounted { products: [ProductCode; 1] }
            = (Invalid, "serials-not-counted", "Pieces are not counted")
            "pieces of {} are told apart; move those by documents that are missing or were found", products[0];
        SerialsElsewhere {
            /// Absent, the pieces are in no store.
            store: Option<StoreName>,
            products: [ProductCode; 1],
            serials: Vec<SerialCode>,
        } = (Conflict, "serials-elsewhere", "The pieces are somewhere else")
            "{} {} in {}", products[0], join(serials), store.as_ref().map_or("no store", StoreName::as_str);

        OutOfRange { item: ItemKey }
            = (Invalid, "item-out-of-range", "The item would have more than can be counted")
            "{item} would have more than can be counted";
        DocumentOutOfRange
            = (Invalid, "document-out-of-range", "The document costs more than can be counted")
            "the document costs more than can be counted";
        InsufficientInPast {
            item: ItemKey,
            /// When there would have been so much.
            at: Timestamp,
            quantity: i64,
        } = (Conflict, "insufficient-in-past", "There would have been less than nothing")
            "at {at} there would have been {quantity} of {item}";
        HoldOfOthers
            = (Conflict, "hold-of-others", "The hold has nothing that is sold here")
            "the hold has nothing that is sold here";
        NotReversible { kind: DocumentKind }
            = (Conflict, "not-reversible", "A reversal is not reversed") "a {kind} cannot be reversed";
        InsufficientStock {
            /// Every product of which there is not enough, sorted.
            short: Vec<ShortItem>,
        } = (Conflict, "insufficient-stock", "Not enough is there") "not enough: {}", shortages(short);
        Changed { item: ItemKey }
            = (Conflict, "changed", "Somebody else was faster") "{item} has changed meanwhile";
    }

    /// A product of which there is not enough.
    pub struct ShortItem {
        pub store: StoreName,
        pub product: ProductCode,
        pub place: Place,
        pub asked: i64,
        /// Not promised to anybody.
        pub available: i64,
        pub on_hand: i64,
        /// Held, booked or granted.
        pub promised: i64,
    }

    /// An item that has moved after it was counted.
    pub struct MovedItem {
        pub store: StoreName,
        pub product: ProductCode,
        pub place: Place,
        /// The row that was counted against.
        pub against: i64,
        /// What was there then.
        pub quantity_then: i64,
        /// The last row.
        pub seq: i64,
        /// What is there now.
        pub quantity: i64,
    }

    /// A line about one of another document, of which less is left.
    pub struct LeftLine {
        /// The line of the other document.
        pub line: u32,
        pub asked: i64,
        pub left: i64,
    }
}

fn join<T: ToString>(items: &[T]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// What a barcode means of its product.
fn one_or(pack: Option<&PackName>) -> String {
    pack.map_or_else(|| "one".to_owned(), |pack| format!("a {pack}"))
}

fn lot_or_lots(lot: Option<&LotCode>, item: &ItemKey) -> String {
    lot.map_or_else(|| format!("the lots of {item}"), |lot| format!("lot {lot} of {item}"))
}

fn lines_left(lines: &[LeftLine]) -> String {
    let describe = |line: &LeftLine| format!("line {} ({} of {})", line.line, line.left, line.asked);
    lines.iter().map(describe).collect::<Vec<_>>().join(", ")
}

fn items_moved(items: &[MovedItem]) -> String {
    let describe = |MovedItem { store, product, place, quantity_then, quantity, .. }: &MovedItem| {
        let item = ItemKey { store: store.clone(), place: *place, product: product.clone() };
        format!("{item} (from {quantity_then} to {quantity})")
    };
    items.iter().map(describe).collect::<Vec<_>>().join(", ")
}

fn shortages(items: &[ShortItem]) -> String {
    let describe = |ShortItem { store, product, place, asked, available, promised, .. }: &ShortItem| {
        let item = ItemKey { store: store.clone(), place: *place, product: product.clone() };
        format!("{item} ({asked} asked, {available} available, {promised} promised to others)")
    };
    items.iter().map(describe).collect::<Vec<_>>().join(", ")
}
