//! What clerks of two stores asked and what they were told, as it is written down in their
//! [`Book`](crate::torture::book::Book).

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::torture::book::BookEntry;
use crate::torture::history::Units;

pub type ClerkEntry = BookEntry<ClerkAsk, ClerkAnswer>;

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
