//! A line of a document, and what came of it.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::stock::rules::Balance;
use crate::stock::{LotCode, PackName, ProductCode, SerialCode};

/// What a line costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineCost {
    /// All of the line, in minor units.
    Amount(i64),
    /// Of one of what is counted (a pack, or what is shown as one), in millionths of a minor unit.
    Price(i64),
}

/// The row of the item's ledger that somebody had seen who counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Against {
    /// 0 for an item that never moved.
    pub seq: i64,
    /// If it has moved since: the difference to what was there then counts. Otherwise the line is refused.
    #[serde(default, skip_serializing_if = "is_false")]
    pub difference: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// Which of these a line has is said by the kind of its document; see `content.rs`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentLine {
    /// Left out where the line is about one of another document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product: Option<ProductCode>,
    /// Of base units, or of packs.
    pub count: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack: Option<PackName>,
    /// What it came for; of a supplier's return, what is credited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<LineCost>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lot: Option<LotCode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Date>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub serials: Vec<SerialCode>,
    /// The number of a line of the document that this one is about, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of_line: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<Against>,
}

impl DocumentLine {
    pub fn new(product: ProductCode, count: i64) -> DocumentLine {
        DocumentLine { product: Some(product), count, ..DocumentLine::default() }
    }

    /// Some of what a line of another document moved.
    pub fn of_line(line: u32, count: i64) -> DocumentLine {
        DocumentLine { of_line: Some(line), count, ..DocumentLine::default() }
    }
}

/// Units of a lot that a line moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LotPick {
    pub lot: LotCode,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expires: Option<Date>,
    pub quantity: i64,
}

/// Why a line of a long document was left out; those of a short one are refused as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct SkippedWhy {
    /// A refusal, in words.
    pub refusal: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineOutcome {
    /// Base units; less than zero went out.
    pub quantity: i64,
    /// As posted, in millionths; less than zero went out. Later revaluations are rows of the ledger.
    pub value: i64,
    /// The row in the ledger of the document's store; 0 if nothing moved.
    pub seq: i64,
    /// The row of the other side: of the store that it went to, or of what was in transit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counter_seq: Option<i64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub picks: Vec<LotPick>,
    /// What was not returned or received yet, and what it cost.
    #[serde(default)]
    pub left: Balance,
    /// Of which lots `left` is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_picks: Vec<LotPick>,
    /// `left` was right when its item's ledger had got to this row.
    #[serde(default)]
    pub left_as_of: i64,
    /// What the books say more (or less) than the document: of a credit note, of a reversal.
    #[serde(default)]
    pub variance: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<SkippedWhy>,
}
