//! Lines of documents on the wire: as they are given, and what came of them.

use std::collections::HashMap;

use surehold_core::kernel::Invalid;
use surehold_core::stock::rules::shown;
use surehold_core::stock::{
    self, BarcodeText, DocumentLine, LineCost, LotCode, LotPick, PackName, Price, ProductCode, SerialCode, StockInvalid,
};

use super::number::decimal;
use crate::Day;
use crate::describe::wire;
use crate::described;

/// The row of the item's ledger that somebody had seen who counted.
#[wire(Copy)]
pub struct Against {
    /// The `seq` of the item when it was counted; 0 if it never moved.
    #[schema(minimum = 0)]
    pub seq: i64,
    /// If it has moved since: the difference to what was there then counts. Otherwise the line is refused.
    #[serde(default)]
    #[schema(default = false)]
    pub difference: bool,
}

impl From<stock::Against> for Against {
    fn from(stock::Against { seq, difference }: stock::Against) -> Against {
        Against { seq, difference }
    }
}

/// What moves. A line names a `product` or a `barcode`; in a document about another one, a line of that (`of_line`).
#[wire(Default)]
pub struct NewLine {
    pub product: Option<ProductCode>,
    /// Instead of a product and a pack.
    pub barcode: Option<BarcodeText>,
    /// Of base units, or of packs. Only a recount may say 0.
    #[schema(minimum = 0, maximum = 1_000_000_000)]
    pub count: i64,
    pub pack: Option<PackName>,
    /// What all of the line costs, in minor units. Purchases and openings need it or a `price`; recounts may say what is too
    /// much, returns to a supplier what is credited.
    #[schema(minimum = 0, maximum = 1_000_000_000_000_i64)]
    pub amount: Option<i64>,
    /// For one of what is counted: a pack, or what is shown as one. In minor units.
    pub price: Option<Price>,
    pub lot: Option<LotCode>,
    /// Of the lot.
    pub expires: Option<Day>,
    /// One for each unit, where pieces are told apart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 400)]
    pub serials: Vec<SerialCode>,
    /// The number of a line of the document that this one is about.
    #[schema(minimum = 1, maximum = 10_000)]
    pub of_line: Option<u32>,
    /// Of recounts.
    pub against: Option<Against>,
}

/// Barcodes that were looked up.
pub type Barcodes = HashMap<BarcodeText, stock::Barcode>;

impl From<DocumentLine> for NewLine {
    fn from(line: DocumentLine) -> NewLine {
        let DocumentLine { product, count, pack, cost, lot, expires, serials, of_line, against } = line;
        let (amount, price) = amount_and_price(cost);
        let (expires, against) = (expires.map(Day), against.map(Against::from));
        NewLine { product, barcode: None, count, pack, amount, price, lot, expires, serials, of_line, against }
    }
}

fn amount_and_price(cost: Option<LineCost>) -> (Option<i64>, Option<Price>) {
    match cost {
        Some(LineCost::Amount(amount)) => (Some(amount), None),
        Some(LineCost::Price(price)) => (None, Some(Price(price))),
        None => (None, None),
    }
}

impl NewLine {
    /// So much of a line of the document that this one is about.
    pub fn about(of_line: u32, count: i64, serials: Vec<SerialCode>) -> NewLine {
        NewLine { of_line: Some(of_line), count, serials, ..NewLine::default() }
    }

    /// The barcode of the line is one of `barcodes`.
    pub fn into_line(self, number: u32, barcodes: &Barcodes) -> Result<DocumentLine, Invalid> {
        let wrong = |reason: &str| Invalid::from(StockInvalid::Document { line: number, reason: reason.to_owned() });
        let (product, pack) = match self.barcode.as_ref().and_then(|code| barcodes.get(code)) {
            Some(_) if self.product.is_some() || self.pack.is_some() => {
                return Err(wrong("a barcode says by itself which product and pack it is"));
            }
            Some(barcode) => (Some(barcode.product.clone()), barcode.pack.clone()),
            None => (self.product, self.pack),
        };
        let cost = match (self.amount, self.price) {
            (Some(_), Some(_)) => return Err(wrong("it has an amount or a price, not both")),
            (Some(amount), None) => Some(LineCost::Amount(amount)),
            (None, Some(Price(price))) => Some(LineCost::Price(price)),
            (None, None) => None,
        };
        Ok(DocumentLine {
            product,
            count: self.count,
            pack,
            cost,
            lot: self.lot,
            expires: self.expires.map(|day| day.0),
            serials: self.serials,
            of_line: self.of_line,
            against: self.against.map(|Against { seq, difference }| stock::Against { seq, difference }),
        })
    }
}

/// Lines with their numbers, as the core takes them.
pub(super) fn into_lines(lines: Vec<NewLine>, barcodes: &Barcodes) -> Result<Vec<DocumentLine>, Invalid> {
    (1..).zip(lines).map(|(number, line)| line.into_line(number, barcodes)).collect()
}

/// A line of a document, and what came of it.
#[wire]
pub struct StockLine {
    /// Its number in the document; in a draft of several parts, in its part.
    pub line: u32,
    pub product: Option<ProductCode>,
    pub count: i64,
    #[schema(example = "box")]
    pub pack: Option<PackName>,
    pub amount: Option<i64>,
    pub price: Option<Price>,
    pub lot: Option<LotCode>,
    pub expires: Option<Day>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub serials: Vec<SerialCode>,
    pub of_line: Option<u32>,
    pub against: Option<Against>,
    /// As soon as its part is posted.
    pub outcome: Option<LineOutcome>,
}

impl StockLine {
    pub(super) fn new(line: u32, said: DocumentLine, outcome: Option<LineOutcome>) -> StockLine {
        let DocumentLine { product, count, pack, cost, lot, expires, serials, of_line, against } = said;
        let (amount, price) = amount_and_price(cost);
        let (expires, against) = (expires.map(Day), against.map(Against::from));
        StockLine { line, product, count, pack, amount, price, lot, expires, serials, of_line, against, outcome }
    }
}

/// Units of a lot.
#[wire]
pub struct LotQuantity {
    pub lot: LotCode,
    pub expires: Option<Day>,
    pub quantity: i64,
}

impl From<LotPick> for LotQuantity {
    fn from(LotPick { lot, expires, quantity }: LotPick) -> LotQuantity {
        LotQuantity { lot, expires: expires.map(Day), quantity }
    }
}

impl From<&stock::LotLeft> for LotQuantity {
    fn from(left: &stock::LotLeft) -> LotQuantity {
        LotQuantity { lot: left.lot.clone(), expires: left.expires.map(Day), quantity: left.quantity }
    }
}

/// What of a line can still be returned or received.
#[wire]
pub struct LineLeft {
    pub quantity: i64,
    #[schema(value_type = described::Money)]
    pub value: String,
    /// Of which lots that is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lots: Vec<LotQuantity>,
}

#[wire]
pub struct LineOutcome {
    /// Base units; less than zero went out.
    pub quantity: i64,
    /// What they cost, as posted; less than zero went out. Later revaluations are rows of the card.
    #[schema(value_type = described::Money)]
    pub value: String,
    /// In whole minor units, for people.
    pub value_rounded: i64,
    /// The row in the ledger of the document's store; 0 if nothing moved.
    pub seq: i64,
    /// The row of the other side: of the store that it went to, or of what was in transit.
    pub counter_seq: Option<i64>,
    /// Which lots moved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lots: Vec<LotQuantity>,
    /// Of sales and of transfers in transit.
    pub left: Option<LineLeft>,
    /// What a credit note, or what is reversed, says more (or less) than the books.
    #[schema(value_type = Option<described::Money>)]
    pub variance: Option<String>,
    /// Why this line of a long document was left out.
    pub skipped: Option<String>,
}

impl LineOutcome {
    /// `followed`: others may be about such lines.
    pub(super) fn new(outcome: stock::LineOutcome, followed: bool) -> LineOutcome {
        let lots = |picks: Vec<LotPick>| picks.into_iter().map(LotQuantity::from).collect();
        // How far `left` can be relied on is the core's own business.
        let stock::LineOutcome {
            quantity,
            value,
            seq,
            counter_seq,
            picks,
            left,
            left_picks,
            left_as_of: _,
            variance,
            skipped,
        } = outcome;
        let left = LineLeft { quantity: left.quantity, value: decimal(left.value), lots: lots(left_picks) };
        LineOutcome {
            quantity,
            value: decimal(value),
            value_rounded: shown(value),
            seq,
            counter_seq,
            lots: lots(picks),
            left: followed.then_some(left),
            variance: (variance != 0).then(|| decimal(variance)),
            skipped: skipped.map(|why| why.refusal),
        }
    }
}
