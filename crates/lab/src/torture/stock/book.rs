//! What clerks of two stores asked and what they were told, as it is written down in their
//! [`Book`](crate::torture::book::Book).

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::torture::book::BookEntry;
use crate::torture::history::Units;
use crate::torture::workload::Functions;

pub type ClerkEntry = BookEntry<ClerkAsk, ClerkAnswer>;

/// Documents that are posted at once go by their kinds.
pub(super) const FUNCTIONS: Functions = Functions {
    names: &[
        PURCHASE,
        "sale",
        "customer_return",
        "supplier_return",
        "write_off",
        "recount",
        "transfer",
        "receipt",
        "transit_loss",
        "draft",
        "part",
        "post",
        "reverse",
        "hold_goods",
        "sell_hold",
        "release_hold",
        "book_hold",
        "read_document",
        "read_item",
    ],
    reads: &["read_document", "read_item"],
    one_in: 150,
    rarer: &[("release_hold", 240)],
};
const PURCHASE: &str = "purchase";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "f", content = "value", rename_all = "snake_case")]
pub enum ClerkAsk {
    /// Posted at once.
    Document {
        document: Uuid,
        paper: Paper,
    },
    Draft {
        document: Uuid,
        paper: Paper,
    },
    Part {
        document: Uuid,
        number: u32,
        lines: Vec<PaperLine>,
    },
    Post {
        document: Uuid,
    },
    Reverse {
        document: Uuid,
        reverses: Uuid,
    },
    /// Of pools, called `store/product`.
    HoldGoods {
        hold: Uuid,
        goods: Units,
        lifetime_secs: i64,
    },
    SellHold {
        hold: Uuid,
        document: Uuid,
        paper: Paper,
    },
    ReleaseHold {
        hold: Uuid,
    },
    BookHold {
        hold: Uuid,
    },
    ReadDocument {
        document: Uuid,
    },
    ReadItem {
        store: String,
        product: String,
    },
}

impl ClerkAsk {
    /// The document that it makes or changes.
    pub fn document(&self) -> Option<Uuid> {
        match self {
            ClerkAsk::Document { document, .. }
            | ClerkAsk::Draft { document, .. }
            | ClerkAsk::Part { document, .. }
            | ClerkAsk::Post { document }
            | ClerkAsk::Reverse { document, .. }
            | ClerkAsk::SellHold { document, .. } => Some(*document),
            ClerkAsk::HoldGoods { .. }
            | ClerkAsk::ReleaseHold { .. }
            | ClerkAsk::BookHold { .. }
            | ClerkAsk::ReadDocument { .. }
            | ClerkAsk::ReadItem { .. } => None,
        }
    }

    /// One of [`FUNCTIONS`].
    pub(super) fn function(&self) -> &'static str {
        match self {
            // Stores are opened, which has a kind of its own, before anything is counted.
            ClerkAsk::Document { paper, .. } => {
                FUNCTIONS.names.iter().copied().find(|kind| *kind == paper.kind).unwrap_or(PURCHASE)
            }
            ClerkAsk::Draft { .. } => "draft",
            ClerkAsk::Part { .. } => "part",
            ClerkAsk::Post { .. } => "post",
            ClerkAsk::Reverse { .. } => "reverse",
            ClerkAsk::HoldGoods { .. } => "hold_goods",
            ClerkAsk::SellHold { .. } => "sell_hold",
            ClerkAsk::ReleaseHold { .. } => "release_hold",
            ClerkAsk::BookHold { .. } => "book_hold",
            ClerkAsk::ReadDocument { .. } => "read_document",
            ClerkAsk::ReadItem { .. } => "read_item",
        }
    }
}

/// What a document says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Paper {
    /// As the API calls it.
    pub kind: String,
    pub store: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_store: Option<String>,
    #[serde(default)]
    pub in_transit: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effective_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<Uuid>,
    /// In minor units, spread by value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Option<i64>,
    pub lines: Vec<PaperLine>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PaperLine {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of_line: Option<u32>,
    pub count: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lot: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub serials: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<CountedAgainst>,
}

/// The row that somebody had seen who counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountedAgainst {
    pub seq: i64,
    pub difference: bool,
}

/// What an `ok` said, as far as it matters; what the answer does not have is left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClerkAnswer {
    /// It had been so before.
    #[serde(default)]
    pub replayed: bool,
    #[serde(default)]
    pub document: Option<DocumentSeen>,
    #[serde(default)]
    pub item: Option<ItemSeen>,
}

/// A document as the API shows it, with the lines of one of its parts, or of all.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DocumentSeen {
    pub id: Uuid,
    pub kind: String,
    /// `draft`, `posting`, `posted` or `reversed`.
    pub state: String,
    #[serde(default)]
    pub about: Option<Uuid>,
    #[serde(default)]
    pub reversed_by: Option<Uuid>,
    #[serde(default)]
    pub posted_at: Option<String>,
    #[serde(default)]
    pub next_part: Option<u32>,
    #[serde(default)]
    pub lines: Vec<LineSeen>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LineSeen {
    pub line: u32,
    #[serde(default)]
    pub product: Option<String>,
    #[serde(default)]
    pub outcome: Option<OutcomeSeen>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OutcomeSeen {
    /// Less than zero went out.
    pub quantity: i64,
    /// A decimal number of minor units.
    pub value: String,
    pub seq: i64,
    #[serde(default)]
    pub counter_seq: Option<i64>,
    #[serde(default)]
    pub left: Option<LeftSeen>,
    #[serde(default)]
    pub skipped: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LeftSeen {
    pub quantity: i64,
}

/// An item as the API shows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ItemSeen {
    pub store: String,
    pub product: String,
    /// `on_hand` or `in_transit`.
    pub place: String,
    pub quantity: i64,
    pub value: String,
    pub seq: i64,
    #[serde(default)]
    pub revaluing: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_called_what_the_book_calls_them() {
        let (document, hold) = (Uuid::nil(), Uuid::nil());
        for ask in [
            ClerkAsk::Draft { document, paper: Paper::default() },
            ClerkAsk::Part { document, number: 1, lines: Vec::new() },
            ClerkAsk::Post { document },
            ClerkAsk::Reverse { document, reverses: hold },
            ClerkAsk::HoldGoods { hold, goods: Units::new(), lifetime_secs: 1 },
            ClerkAsk::SellHold { hold, document, paper: Paper::default() },
            ClerkAsk::ReleaseHold { hold },
            ClerkAsk::BookHold { hold },
            ClerkAsk::ReadDocument { document },
            ClerkAsk::ReadItem { store: String::new(), product: String::new() },
        ] {
            assert_eq!(serde_json::to_value(&ask).unwrap()["f"], ask.function());
            assert!(FUNCTIONS.names.contains(&ask.function()), "{ask:?}");
        }
        for (kind, expected) in [("transit_loss", "transit_loss"), ("opening", "purchase")] {
            let paper = Paper { kind: kind.to_owned(), ..Paper::default() };
            assert_eq!(ClerkAsk::Document { document, paper }.function(), expected);
        }
    }
}
