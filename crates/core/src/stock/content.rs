//! What a document says, checked once: which lines each kind of document may have.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::{DocumentId, DocumentKind, DocumentLine, DocumentNote, ExtraCost, LineCost, StockInvalid, StoreName};
use crate::kernel::{AMOUNT_MAX, Invalid, Json, JsonList, Reference, Timestamp};

/// Of base units or packs, in one line.
pub const COUNT_MAX: i64 = 1_000_000_000;
/// Posted in one transaction.
pub const LINES_PER_PART_MAX: usize = 200;
pub const PARTS_MAX: u32 = 50;
/// Each is a record.
pub const SERIALS_PER_PART_MAX: usize = 400;

/// What a document says apart from its lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentHeader {
    pub kind: DocumentKind,
    pub store: StoreName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_store: Option<StoreName>,
    /// A transfer that takes its time: what has left has not come yet.
    #[serde(default)]
    pub in_transit: bool,
    /// When it took effect; `None` is when it is posted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effective_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<Reference>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<DocumentNote>,
    /// The document whose lines it returns, receives, gives up or reverses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<DocumentId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Option<Json<ExtraCost>>,
}

impl DocumentHeader {
    pub fn new(kind: DocumentKind, store: StoreName) -> DocumentHeader {
        DocumentHeader {
            kind,
            store,
            to_store: None,
            in_transit: false,
            effective_at: None,
            reference: None,
            note: None,
            about: None,
            extra: None,
        }
    }

    pub fn check(&self) -> Result<(), Invalid> {
        let shape = Shape::of(self.kind);
        let wrong = |reason: &str| Err(StockInvalid::Document { line: 0, reason: reason.to_owned() }.into());
        if shape.about != self.about.is_some() {
            return wrong(if shape.about {
                "it must say which document it is about"
            } else {
                "it is about no other document"
            });
        }
        if self.effective_at.is_some_and(|at| at < Timestamp::from_micros(0)) {
            return wrong("nothing took effect before 1970");
        }
        let transfers = self.kind == DocumentKind::Transfer;
        match &self.to_store {
            None if transfers => return wrong("a transfer names the store it goes to"),
            Some(_) if !transfers => return wrong("only a transfer goes to another store"),
            Some(to_store) if *to_store == self.store => return wrong("a transfer goes to another store"),
            Some(_) | None => {}
        }
        if self.in_transit && !transfers {
            return wrong("only a transfer is in transit");
        }
        match self.extra.as_deref() {
            Some(_) if self.kind != DocumentKind::Purchase => wrong("only a purchase has extra costs"),
            Some(extra) if !(0..=AMOUNT_MAX).contains(&extra.amount) => {
                Err(amount("the extra cost".to_owned(), extra.amount))
            }
            Some(_) | None => Ok(()),
        }
    }
}

fn amount(what: String, amount: i64) -> Invalid {
    Invalid::Amount { what, amount, amount_min: 0, amount_max: AMOUNT_MAX }
}

/// What lines of a kind must have, may have and must not have.
#[derive(Clone, Copy)]
struct Shape {
    about: bool,
    count_min: i64,
    cost: Has,
    lot: Has,
    expires: Has,
    serials: Has,
    against: Has,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Has {
    Always,
    Maybe,
    Never,
}

impl Shape {
    fn of(kind: DocumentKind) -> Shape {
        let out = Shape {
            about: false,
            count_min: 1,
            cost: Has::Never,
            lot: Has::Maybe,
            expires: Has::Never,
            serials: Has::Maybe,
            against: Has::Never,
        };
        let about_lines = Shape { about: true, lot: Has::Never, ..out };
        match kind {
            DocumentKind::Purchase | DocumentKind::Opening => Shape { cost: Has::Always, expires: Has::Maybe, ..out },
            DocumentKind::Sale | DocumentKind::WriteOff | DocumentKind::Transfer => out,
            DocumentKind::SupplierReturn => Shape { cost: Has::Maybe, ..out },
            DocumentKind::Recount => Shape {
                count_min: 0,
                cost: Has::Maybe,
                expires: Has::Maybe,
                serials: Has::Never,
                against: Has::Always,
                ..out
            },
            DocumentKind::CustomerReturn
            | DocumentKind::Receipt
            | DocumentKind::TransitLoss
            | DocumentKind::Reversal => about_lines,
        }
    }
}

/// Up to 200 lines, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartLines(JsonList<DocumentLine>);

impl PartLines {
    pub fn new(kind: DocumentKind, lines: Vec<DocumentLine>) -> Result<PartLines, Invalid> {
        if !(1..=LINES_PER_PART_MAX).contains(&lines.len()) {
            let what = "lines".to_owned();
            return Err(Invalid::ItemCount { what, items: lines.len(), items_max: LINES_PER_PART_MAX });
        }
        for (number, line) in (1..).zip(&lines) {
            check_said(kind, number, line)?;
        }
        if kind == DocumentKind::Recount {
            counted_once(&lines)?;
        }
        let serials = lines.iter().map(|line| line.serials.len()).sum();
        if serials > SERIALS_PER_PART_MAX {
            let what = "serial numbers".to_owned();
            return Err(Invalid::ItemCount { what, items: serials, items_max: SERIALS_PER_PART_MAX });
        }
        Ok(PartLines(lines.into()))
    }

    pub(super) fn list(&self) -> &JsonList<DocumentLine> {
        &self.0
    }
}

/// What a line must not say, whatever its product is. The number 0 is that of a line which stands alone.
pub(super) fn check_said(kind: DocumentKind, number: u32, line: &DocumentLine) -> Result<(), Invalid> {
    let shape = Shape::of(kind);
    let of_line = |what: &str| if number == 0 { what.to_owned() } else { format!("{what} of line {number}") };
    let wrong = |reason: &str| Err(StockInvalid::Document { line: number, reason: reason.to_owned() }.into());
    let (has_of_line, has_product) = (line.of_line.is_some(), line.product.is_some());
    if shape.about != has_of_line || shape.about == has_product {
        return wrong(if shape.about { "it names a line, and no product" } else { "it names a product, and no line" });
    }
    if !(shape.count_min..=COUNT_MAX).contains(&line.count) {
        let (what, amount) = (of_line("the count"), line.count);
        return Err(Invalid::Amount { what, amount, amount_min: shape.count_min, amount_max: COUNT_MAX });
    }
    for (what, rule, has) in [
        ("cost", shape.cost, line.cost.is_some()),
        ("lot", shape.lot, line.lot.is_some()),
        ("date of expiry", shape.expires, line.expires.is_some()),
        ("serial number", shape.serials, !line.serials.is_empty()),
        ("number of the row counted against", shape.against, line.against.is_some()),
        ("pack", if shape.about { Has::Never } else { Has::Maybe }, line.pack.is_some()),
    ] {
        match (rule, has) {
            (Has::Always, false) => return wrong(&format!("it needs a {what}")),
            (Has::Never, true) => return wrong(&format!("it has no {what}")),
            (Has::Always, true) | (Has::Never, false) | (Has::Maybe, _) => {}
        }
    }
    if line.expires.is_some() && line.lot.is_none() {
        return wrong("only a lot expires");
    }
    let distinct: HashSet<_> = line.serials.iter().collect();
    if distinct.len() != line.serials.len() {
        return wrong("a serial number is listed twice");
    }
    match line.cost {
        Some(LineCost::Amount(cost) | LineCost::Price(cost)) if cost < 0 => Err(amount(of_line("the cost"), cost)),
        Some(LineCost::Amount(cost)) if cost > AMOUNT_MAX => Err(amount(of_line("the cost"), cost)),
        Some(LineCost::Amount(_) | LineCost::Price(_)) | None => Ok(()),
    }
}

fn counted_once(lines: &[DocumentLine]) -> Result<(), Invalid> {
    let mut seen = HashSet::new();
    for line in lines {
        if !seen.insert((&line.product, &line.lot)) {
            let what = line.product.as_ref().map_or_else(String::new, ToString::to_string);
            return Err(Invalid::ListedTwice { what });
        }
    }
    Ok(())
}

/// A whole document of at most 200 lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentContent {
    pub(super) header: DocumentHeader,
    pub(super) lines: PartLines,
}

impl DocumentContent {
    pub fn new(header: DocumentHeader, lines: Vec<DocumentLine>) -> Result<DocumentContent, Invalid> {
        header.check()?;
        if header.kind == DocumentKind::Reversal {
            return Err(
                StockInvalid::Document { line: 0, reason: "a reversal has no lines of its own".to_owned() }.into()
            );
        }
        let lines = PartLines::new(header.kind, lines)?;
        Ok(DocumentContent { header, lines })
    }

    pub fn header(&self) -> &DocumentHeader {
        &self.header
    }

    pub fn lines(&self) -> &[DocumentLine] {
        self.lines.list()
    }
}

/// Kinds of which one line never stands in the way of another: they may be long, and are posted part by part.
pub fn may_be_long(kind: DocumentKind) -> bool {
    match kind {
        DocumentKind::Purchase | DocumentKind::Opening | DocumentKind::Recount => true,
        DocumentKind::Sale
        | DocumentKind::CustomerReturn
        | DocumentKind::SupplierReturn
        | DocumentKind::WriteOff
        | DocumentKind::Transfer
        | DocumentKind::Receipt
        | DocumentKind::TransitLoss
        | DocumentKind::Reversal => false,
    }
}
