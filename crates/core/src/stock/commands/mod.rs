//! What can be done to stores, products and documents. Each file states the order in which it refuses.

mod catalog;
mod draft;
mod post;
mod preview;
mod revalue;
mod reverse;
mod sell_hold;

pub use catalog::{BARCODES_PER_PUT_MAX, CloseBooks, PACKS_MAX, PutBarcodes, PutProduct, PutStore};
pub use draft::{SaveDraft, SavePart};
pub use post::PostDocument;
pub use preview::{DocumentPreview, ItemPreview, PreviewDocument};
pub use revalue::{Revaluation, RevalueItem};
pub use reverse::ReverseDocument;
pub use sell_hold::{SellHold, SellHoldReply};

pub(super) use post::{Mode, finish_document, post_part};
pub(super) use reverse::reverse_part;

use serde::{Deserialize, Serialize};

use super::post::Decision;
use super::{
    Books, DocumentHeader, DocumentId, DocumentPart, LineOutcome, StockDocument, StockRefusal, Store, StoreName,
};
use crate::kernel::commands::{ID_AGE_SECS_MAX, ID_AHEAD_SECS_MAX};
use crate::kernel::{Currency, Facts, JsonList, Reads, Refusal, Tenant, Timestamp};

/// A document after a command, and what came of the lines of its first part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentReply {
    pub document: StockDocument,
    pub outcomes: JsonList<LineOutcome>,
}

fn require_tenant(facts: &mut Facts) -> Decision<()> {
    facts.get::<Tenant>(&())?.ok_or(Refusal::TenantNotFound)?;
    Ok(())
}

fn currency_of(facts: &mut Facts, name: &StoreName) -> Decision<Currency> {
    let store = facts.get::<Store>(name)?.map(|store| store.currency);
    Ok(store.ok_or_else(|| StockRefusal::StoreNotFound { store: name.clone() })?)
}

/// Refuses, in this order: no such store; a transfer to a store that counts in another currency.
fn require_stores(facts: &mut Facts, header: &DocumentHeader) -> Decision<Currency> {
    facts.require::<Store>(header.to_store.iter().chain([&header.store]))?;
    let currency = currency_of(facts, &header.store)?;
    if let Some(to_store) = &header.to_store {
        let to_currency = currency_of(facts, to_store)?;
        if to_currency != currency {
            let (store, to_store) = (header.store.clone(), to_store.clone());
            return Err(StockRefusal::CurrenciesDiffer { store, currency, to_store, to_currency }.into());
        }
    }
    Ok(currency)
}

/// When the document takes effect. Refuses, in this order: the future; closed books.
fn effective_at(facts: &mut Facts, header: &DocumentHeader) -> Decision<Timestamp> {
    let now = facts.now();
    let effective_at = header.effective_at.unwrap_or(now);
    if effective_at > now {
        return Err(StockRefusal::EffectiveInFuture { now }.into());
    }
    match facts.get::<Books>(&())?.and_then(|books| books.closed_until) {
        Some(closed_until) if effective_at < closed_until => Err(StockRefusal::BooksClosed { closed_until }.into()),
        Some(_) | None => Ok(effective_at),
    }
}

fn check_id_window(facts: &Facts, id: DocumentId) -> Decision<()> {
    let made_after = facts.now().plus_secs(ID_AGE_SECS_MAX.strict_neg());
    let made_before = facts.now().plus_secs(ID_AHEAD_SECS_MAX);
    let inside = (made_after..=made_before).contains(&id.made_at());
    if inside {
        Ok(())
    } else {
        Err(StockRefusal::DocumentIdOutsideWindow { document: id, made_after, made_before }.into())
    }
}

fn read_header(reads: &mut Reads<'_>, header: &DocumentHeader) {
    reads.record::<Tenant>(&());
    reads.record::<Books>(&());
    for store in header.to_store.iter().chain([&header.store]) {
        reads.record::<Store>(store);
    }
    if let Some(about) = header.about {
        reads.record::<StockDocument>(&about);
        reads.record::<DocumentPart>(&super::PartKey { document: about, number: 0 });
    }
}
