//! Why a command about stock says no. Each command documents the order in which it looks.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::history::HistoryQuestion;
use super::{
    BarcodeText, DocumentId, DocumentKind, DocumentState, ItemKey, LotCode, PackName, ProductCode, SerialCode,
    StoreName,
};
use crate::kernel::{Currency, Invalid, PoolKey, Refusal, Stop, Timestamp};

/// A product of which there is not enough.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ShortItem {
    pub item: ItemKey,
    pub asked: i64,
    /// Not promised to anybody.
    pub available: i64,
    pub on_hand: i64,
    /// Held, booked or granted.
    pub promised: i64,
}

/// A line about one of another document, of which less is left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftLine {
    pub line: u32,
    pub asked: i64,
    pub left: i64,
}

/// An item that moved after it was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MovedItem {
    pub item: ItemKey,
    pub against: i64,
    pub quantity_then: i64,
    pub seq: i64,
    pub quantity: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum StockRefusal {
    #[error(transparent)]
    Kernel(#[from] Refusal),
    #[error("there is no store {store}")]
    StoreNotFound { store: StoreName },
    #[error("costs of {store} are in {currency}; a store's currency cannot be changed")]
    CurrencyFixed { store: StoreName, currency: Currency },
    #[error("no such product: {}", join(products))]
    ProductNotFound { products: Vec<ProductCode> },
    #[error("{what} of {product} cannot be changed")]
    ProductFixed { product: ProductCode, what: String },
    #[error("{product} has no pack {pack}")]
    PackNotFound { product: ProductCode, pack: PackName },
    #[error("barcode {code} is {} of {product}", one_or(pack.as_ref()))]
    BarcodeTaken { code: BarcodeText, product: ProductCode, pack: Option<PackName> },
    #[error("the books are closed until {closed_until}")]
    BooksClosed { closed_until: Timestamp },
    #[error("{posting} documents are being posted and {revaluing} items revalued; close the books when that is done")]
    BooksBusy { posting: i64, revaluing: i64 },
    /// An id outside this window could be one whose document was purged.
    #[error("the id {id} was made outside of {made_after} to {made_before}")]
    DocumentIdOutsideWindow { id: DocumentId, made_after: Timestamp, made_before: Timestamp },
    #[error("document {id} exists with other content")]
    DocumentIdReused { id: DocumentId },
    #[error("there is no document {id}")]
    DocumentNotFound { id: DocumentId },
    #[error("document {id} is {state}")]
    DocumentState { id: DocumentId, state: DocumentState },
    #[error("part {part} of document {id} has no lines")]
    PartMissing { id: DocumentId, part: u32 },
    #[error("a {kind} has one part")]
    TooLong { kind: DocumentKind },
    #[error("nothing takes effect in the future: it is {now}")]
    EffectiveInFuture { now: Timestamp },
    #[error("{store} counts in {currency}, {to_store} in {to_currency}")]
    CurrenciesDiffer { store: StoreName, currency: Currency, to_store: StoreName, to_currency: Currency },
    #[error("document {about} is a {kind}, which cannot be meant")]
    AboutKind { about: DocumentId, kind: DocumentKind },
    #[error("transfer {about} was not in transit: it has arrived already")]
    AboutArrived { about: DocumentId },
    #[error("document {about} was about {store}")]
    AboutStore { about: DocumentId, store: StoreName },
    #[error("document {about} has no line {line}")]
    AboutLine { about: DocumentId, line: u32 },
    #[error("what is about document {about} takes effect from {effective_at} on")]
    EffectiveBefore { about: DocumentId, effective_at: Timestamp },
    #[error("{followers} documents are about document {id}; reverse them first")]
    HasFollowers { id: DocumentId, followers: u32 },
    #[error("less is left: {}", left(lines))]
    MoreThanLeft { about: DocumentId, lines: Vec<LeftLine> },
    #[error("moved since they were counted: {}", moved(items))]
    ItemsMoved { items: Vec<MovedItem> },
    #[error("a count says what is there now; it cannot take effect before {last_effective}")]
    CountBackdated { item: ItemKey, last_effective: Timestamp },
    #[error("{item} has moved already; only what never moved is opened")]
    AlreadyOpen { item: ItemKey },
    #[error("pool {pool} has {total} units that no document brought; open it with what is there")]
    NotOpened { pool: PoolKey, total: i64 },
    #[error("lots of {product} are told apart; name one")]
    LotNeeded { product: ProductCode },
    #[error("lots of {product} are not told apart")]
    LotUnwanted { product: ProductCode },
    #[error("lot {lot} of {item} has another date of expiry")]
    LotDiffers { item: ItemKey, lot: LotCode },
    #[error("lot {lot} of {product} has expired")]
    LotExpired { product: ProductCode, lot: LotCode },
    #[error("{item} has {lots} lots, the most allowed")]
    TooManyLots { item: ItemKey, lots: usize },
    #[error("only {left} of {asked} can be had of {}", lot.as_ref().map_or_else(|| format!("the lots of {item}"), |lot| format!("lot {lot} of {item}")))]
    LotShort { item: ItemKey, lot: Option<LotCode>, asked: i64, left: i64 },
    #[error("{asked} of {product} move, with {listed} serial numbers")]
    SerialsMissing { product: ProductCode, asked: i64, listed: usize },
    #[error("pieces of {product} are not told apart")]
    SerialsUnwanted { product: ProductCode },
    #[error("pieces of {product} are told apart; move those by documents that are missing or were found")]
    SerialsNotCounted { product: ProductCode },
    #[error("{product} {} in {}", join(serials), store.as_ref().map_or("no store", StoreName::as_str))]
    SerialsElsewhere { product: ProductCode, serials: Vec<SerialCode>, store: Option<StoreName> },
    #[error("{item} would have more than can be counted")]
    OutOfRange { item: ItemKey },
    #[error("the document costs more than can be counted")]
    DocumentOutOfRange,
    /// At some instant in the past there would have been less than nothing.
    #[error("at {at} there would have been {quantity} of {item}")]
    ShortInPast { item: ItemKey, at: Timestamp, quantity: i64 },
    #[error("the hold has nothing that is sold here")]
    HoldOfOthers,
    #[error("a {kind} cannot be reversed")]
    NotReversible { kind: DocumentKind },
    /// Every short product, sorted.
    #[error("short: {}", shortages(items))]
    Short { items: Vec<ShortItem> },
    /// Not for people: whoever runs the command looks these up, and asks again.
    #[error("the history of {} items has to be looked up", questions.len())]
    HistoryNeeded { questions: Vec<HistoryQuestion> },
    /// Somebody else was faster.
    #[error("{item} has changed meanwhile")]
    Changed { item: ItemKey },
}

impl From<Invalid> for StockRefusal {
    fn from(invalid: Invalid) -> StockRefusal {
        StockRefusal::Kernel(invalid.into())
    }
}

impl From<StockRefusal> for Stop<StockRefusal> {
    fn from(refusal: StockRefusal) -> Stop<StockRefusal> {
        Stop::Refused(refusal)
    }
}

impl From<Refusal> for Stop<StockRefusal> {
    fn from(refusal: Refusal) -> Stop<StockRefusal> {
        Stop::Refused(refusal.into())
    }
}

/// A command of the kernel was part of one of ours.
impl From<Stop<Refusal>> for Stop<StockRefusal> {
    fn from(stop: Stop<Refusal>) -> Stop<StockRefusal> {
        match stop {
            Stop::Refused(refusal) => Stop::Refused(refusal.into()),
            Stop::Halted(halt) => Stop::Halted(halt),
        }
    }
}

fn join<T: ToString>(items: &[T]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// What a barcode means of its product.
fn one_or(pack: Option<&PackName>) -> String {
    pack.map_or_else(|| "one".to_owned(), |pack| format!("a {pack}"))
}

fn left(lines: &[LeftLine]) -> String {
    let describe = |line: &LeftLine| format!("line {} ({} of {})", line.line, line.left, line.asked);
    lines.iter().map(describe).collect::<Vec<_>>().join(", ")
}

fn moved(items: &[MovedItem]) -> String {
    let describe = |moved: &MovedItem| format!("{} (from {} to {})", moved.item, moved.quantity_then, moved.quantity);
    items.iter().map(describe).collect::<Vec<_>>().join(", ")
}

fn shortages(items: &[ShortItem]) -> String {
    let describe = |short: &ShortItem| {
        let ShortItem { item, asked, available, promised, .. } = short;
        format!("{item} ({asked} asked, {available} available, {promised} promised to others)")
    };
    items.iter().map(describe).collect::<Vec<_>>().join(", ")
}
