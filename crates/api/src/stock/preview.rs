//! What posting a document would come to, on the wire.

use surehold_core::stock::commands;

use super::document::Document;
use super::item::{ItemName, StockBalance};
use super::number::decimal;
use crate::describe::wire;
use crate::described;

/// What posting would come to. Nothing has changed.
#[wire]
pub struct DocumentPreview {
    /// As posting would answer now.
    pub document: Document,
    /// Every item that it would change. Absent for a key that may post it but has no scope `read`: that one sees what its own
    /// document costs, not what there is.
    pub items: Option<Vec<ItemPreview>>,
}

#[wire]
pub struct ItemPreview {
    #[serde(flatten)]
    pub item: ItemName,
    /// Decimals with which quantities are shown.
    pub scale: u32,
    pub before: StockBalance,
    pub after: StockBalance,
    /// So many later rows would cost something else.
    pub revalued_rows: u64,
    /// By so much, all together.
    #[schema(value_type = described::Money)]
    pub revalued_by: String,
    /// Whether that is all: too many later rows are worked out after posting, not here.
    pub exact: bool,
}

impl ItemPreview {
    pub fn new(preview: commands::ItemPreview, scale: u32) -> ItemPreview {
        let commands::ItemPreview { item, before, after, revalued_rows, revalued_by, exact } = preview;
        ItemPreview {
            item: item.into(),
            scale,
            before: StockBalance::new(before, scale),
            after: StockBalance::new(after, scale),
            revalued_rows,
            revalued_by: decimal(revalued_by),
            exact,
        }
    }
}
