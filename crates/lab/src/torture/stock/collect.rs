//! Asks a healed server what has become of the goods of clerks, and for every row of every ledger.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use futures_util::stream::iter;
use futures_util::{StreamExt, TryStreamExt};
use serde_json::Value;
use uuid::Uuid;

use crate::torture::auditor::collect::client::Client;
use crate::torture::auditor::collect::{LOOK_PAUSE, LOOKS_AT_ONCE, collect_healed};
use crate::torture::auditor::state::CollectPlan;
use crate::torture::stock::auditor::{Card, RowSeen, StockState};
use crate::torture::stock::book::{ClerkEntry, DocumentSeen, ItemSeen};

const CONVERGENCE_MAX: Duration = Duration::from_mins(1);

/// Reads what is there, once everything has come to rest or had a minute for it.
pub async fn collect_stock(plan: &CollectPlan, history: &[ClerkEntry], healed: Instant) -> Result<StockState> {
    let client = Client::new(plan)?;
    let unfinished = come_to_rest(&client, healed + CONVERGENCE_MAX).await?;
    let stores = collect_healed(plan, &[], healed).await?;
    let ids: BTreeSet<Uuid> = history.iter().filter_map(|entry| entry.ask.document()).collect();
    let documents = read_documents(&client, &ids).await?;
    let cards = read_cards(&client).await?;
    Ok(StockState { stores, documents, cards, unfinished })
}

/// What has not come to its end in time.
async fn come_to_rest(client: &Client, until: Instant) -> Result<Vec<String>> {
    loop {
        let books = client.get("/books").await?.context("there are no books")?;
        let left = |what: &str| books[what].as_i64().context("books that do not say what is left");
        let (posting, revaluing) = (left("posting")?, left("revaluing")?);
        if (posting, revaluing) == (0, 0) {
            return Ok(Vec::new());
        }
        if Instant::now() >= until {
            return Ok(vec![format!("the posting of {posting} documents, or the revaluation of {revaluing} items,")]);
        }
        tokio::time::sleep(LOOK_PAUSE).await;
    }
}

async fn read_documents(client: &Client, ids: &BTreeSet<Uuid>) -> Result<BTreeMap<Uuid, Option<DocumentSeen>>> {
    let look = |id: Uuid| async move { Ok((id, read_document(client, id).await?)) };
    iter(ids.iter().copied().map(look)).buffer_unordered(LOOKS_AT_ONCE).try_collect().await
}

async fn read_document(client: &Client, id: Uuid) -> Result<Option<DocumentSeen>> {
    let Some(first) = client.get(&format!("/documents/{id}")).await? else { return Ok(None) };
    let mut document: DocumentSeen = serde_json::from_value(first).context("what was answered is no document")?;
    while let Some(next) = document.next_part {
        let part = client.get(&format!("/documents/{id}?part={next}")).await?.context("a part that is not there")?;
        let part: DocumentSeen = serde_json::from_value(part).context("what was answered is no document")?;
        document.lines.extend(part.lines);
        document.next_part = part.next_part;
    }
    Ok(Some(document))
}

async fn read_cards(client: &Client) -> Result<Vec<Card>> {
    let mut cards = Vec::new();
    for item in client.pages("/stock?", "items").await? {
        let item: ItemSeen = serde_json::from_value(item).context("what was answered is no item")?;
        let path = format!("/stock/{}/{}/card?place={}&order=", item.store, item.product, item.place);
        let posted = client.pages(&format!("{path}posting&"), "rows").await?;
        let by_effect = client.pages(&format!("{path}effect&"), "rows").await?;
        cards.push(Card { item, posted: rows(posted)?, by_effect: rows(by_effect)? });
    }
    Ok(cards)
}

fn rows(rows: Vec<Value>) -> Result<Vec<RowSeen>> {
    rows.into_iter().map(|row| serde_json::from_value(row).context("what was answered is no row")).collect()
}
