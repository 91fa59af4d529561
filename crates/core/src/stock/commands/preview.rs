//! What posting a document would come to: it is posted, looked at, and taken back before anybody can see it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{DocumentReply, PostDocument};
use crate::kernel::{Command, Facts, Reads, Stop};
use crate::stock::content::DocumentContent;
use crate::stock::rules::Balance;
use crate::stock::{Basis, DocumentId, ItemKey, Move, StockItem, StockRefusal};

/// Refuses as [`PostDocument`] does; changes nothing.
#[derive(Clone, Debug)]
pub struct PreviewDocument(PostDocument);

/// What posting would come to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentPreview {
    /// As posting now would answer.
    pub reply: DocumentReply,
    /// Every item that would change, in the order of their keys.
    pub items: Vec<ItemPreview>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ItemPreview {
    pub item: ItemKey,
    pub before: Balance,
    pub after: Balance,
    /// Rows that would cost something else, and by how much the item's value changes with them.
    pub revalued_rows: u64,
    pub revalued_by: i64,
    /// False if more rows follow than are gone through at once: what they cost would be worked out afterwards.
    pub exact: bool,
}

impl PreviewDocument {
    pub fn new(id: DocumentId, content: DocumentContent) -> PreviewDocument {
        PreviewDocument(PostDocument::whole(id, content))
    }

    /// Of a draft that is saved.
    pub fn saved(id: DocumentId) -> PreviewDocument {
        PreviewDocument(PostDocument::saved(id))
    }
}

impl Command for PreviewDocument {
    const NAME: &'static str = "preview_stock_document";
    type Reply = DocumentPreview;
    type Refusal = StockRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        self.0.reads(reads);
    }

    fn decide(&self, facts: &mut Facts) -> Result<DocumentPreview, Stop<StockRefusal>> {
        let reply = self.0.decide(facts)?;
        let items = changed_items(facts);
        // Also looks up what was only assumed: nothing is written that would tell.
        facts.drop_refused()?;
        Ok(DocumentPreview { reply, items })
    }
}

fn changed_items(facts: &mut Facts) -> Vec<ItemPreview> {
    let mut revalued: BTreeMap<ItemKey, (u64, i64)> = BTreeMap::new();
    for (_, row) in facts.changed_by_command::<Move>() {
        let Some(row) = row.filter(|row| row.basis == Basis::Revaluation) else { continue };
        let (rows, value) = revalued.entry(row.key.item.clone()).or_default();
        (*rows, *value) = (rows.strict_add(1), value.saturating_add(row.value));
    }
    let balance = |item: &StockItem| Balance { quantity: item.quantity, value: item.value };
    let changed = facts.changed_by_command::<StockItem>();
    let mut items: Vec<ItemPreview> = changed
        .into_iter()
        .filter_map(|(before, after)| {
            let after = after?;
            let (revalued_rows, revalued_by) = revalued.get(&after.key).copied().unwrap_or_default();
            Some(ItemPreview {
                item: after.key.clone(),
                before: before.map_or(Balance::NOTHING, balance),
                after: balance(after),
                revalued_rows,
                revalued_by,
                exact: after.revaluing.is_none(),
            })
        })
        .collect();
    items.sort_by(|one, other| one.item.cmp(&other.item));
    items
}
