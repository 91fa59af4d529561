//! Ledgers that have grown long, row by row as documents write them, and a document that comes late.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use surehold_core::kernel::Timestamp;
use surehold_core::stock::commands::PostDocument;
use surehold_core::stock::history::replay;
use surehold_core::stock::{
    Basis, DocumentContent, DocumentHeader, DocumentId, DocumentKind, DocumentLine, ItemKey, LINES_PER_PART_MAX,
    LineCost, Move, ProductCode, StockItem,
};
use surehold_engine::{Engine, Options};

use super::shop::{Shop, new_id};

/// Documents in a request: enough that a commit is shared, few enough that no turn lasts.
const DOCUMENTS_PER_REQUEST: usize = 10;
/// Of each product in a document; returns bring back one.
const COUNT: i64 = 3;
const PRICE_MICROS: i64 = 17_333_333;

/// Posts documents of 200 lines over all products until there are so many more rows in the ledgers: of twenty documents
/// two are purchases, one brings back something of a sale, the rest are sales. Returns how many rows there are more.
pub async fn fill_ledger(engine: &Engine, shop: &Shop, products: &[ProductCode], rows: u64) -> Result<u64> {
    let mut filler = Filler { shop, products, next: 0, posted: 0, sold: None };
    let mut written = 0;
    while written < rows {
        let mut documents = Vec::with_capacity(DOCUMENTS_PER_REQUEST);
        while documents.len() < DOCUMENTS_PER_REQUEST && written < rows {
            let left = usize::try_from(rows - written).unwrap_or(usize::MAX);
            let (document, lines) = filler.document(left)?;
            documents.push(document);
            written += lines;
        }
        post_all(engine, shop, documents).await?;
    }
    Ok(written)
}

/// Posts sales of one product, a row for each unit. None of them changes the average by more than rounding, all of them
/// follow from it.
pub async fn fill_one_product(engine: &Engine, shop: &Shop, product: &ProductCode, rows: u64) -> Result<()> {
    let mut left = usize::try_from(rows)?;
    while left > 0 {
        let mut documents = Vec::with_capacity(DOCUMENTS_PER_REQUEST);
        while documents.len() < DOCUMENTS_PER_REQUEST && left > 0 {
            let lines = left.min(LINES_PER_PART_MAX);
            let sold = (0..lines).map(|_| DocumentLine::new(product.clone(), 1)).collect();
            documents.push(shop.document(DocumentKind::Sale, None, sold)?);
            left -= lines;
        }
        post_all(engine, shop, documents).await?;
    }
    Ok(())
}

async fn post_all(engine: &Engine, shop: &Shop, documents: Vec<PostDocument>) -> Result<()> {
    for outcome in engine.run_all(shop.tenant, documents).await {
        outcome.context("cannot post a document beforehand")?;
    }
    Ok(())
}

struct Filler<'a> {
    shop: &'a Shop,
    products: &'a [ProductCode],
    next: usize,
    posted: usize,
    /// A sale and how many lines it has.
    sold: Option<(DocumentId, usize)>,
}

impl Filler<'_> {
    /// The next document, and how many rows it writes.
    fn document(&mut self, lines_max: usize) -> Result<(PostDocument, u64)> {
        let turn = self.posted % 20;
        self.posted += 1;
        let lines = LINES_PER_PART_MAX.min(self.products.len()).min(lines_max);
        let (document, lines) = match (turn, self.sold) {
            (19, Some((sale, sold))) => (self.take_back(sale, sold.min(lines))?, sold.min(lines)),
            (0 | 10, _) => {
                (self.shop.document(DocumentKind::Purchase, None, self.goods(lines, Some(PRICE_MICROS)))?, lines)
            }
            _ => {
                let sale = self.shop.document(DocumentKind::Sale, None, self.goods(lines, None))?;
                self.sold = Some((sale.id, lines));
                (sale, lines)
            }
        };
        Ok((document, u64::try_from(lines)?))
    }

    fn goods(&mut self, lines: usize, price: Option<i64>) -> Vec<DocumentLine> {
        let first = self.next;
        self.next = (first + lines) % self.products.len();
        let product = |line: usize| self.products[(first + line) % self.products.len()].clone();
        let cost = price.map(LineCost::Price);
        (0..lines).map(|line| DocumentLine { cost, ..DocumentLine::new(product(line), COUNT) }).collect()
    }

    fn take_back(&self, sale: DocumentId, lines: usize) -> Result<PostDocument> {
        let store = self.shop.store.clone();
        let header = DocumentHeader { about: Some(sale), ..DocumentHeader::new(DocumentKind::CustomerReturn, store) };
        let lines = (1..=u32::try_from(lines)?).map(|line| DocumentLine::of_line(line, 1)).collect();
        Ok(PostDocument::whole(new_id(), DocumentContent::new(header, lines)?))
    }
}

/// What came of a document that took effect before many others.
#[derive(Clone, Debug)]
pub struct Late {
    /// Until it was answered.
    pub posted: Duration,
    /// Until no cost was provisional any more.
    pub worked_out: Duration,
    /// Rows that cost something else since.
    pub revalued_rows: u64,
    /// As it is then.
    pub item: StockItem,
}

/// A purchase at another price than before, of more than there were.
const LATE_COUNT: i64 = 1_000_000_000;
const LATE_AMOUNT: i64 = 59_999_999_981;
/// How often is looked whether all costs are worked out.
const LOOK: Duration = Duration::from_millis(5);
const PATIENCE: Duration = Duration::from_mins(10);

/// Posts a purchase that took effect at `effective_at`, and waits until the costs of everything behind it are known.
pub async fn post_late(engine: &Engine, shop: &Shop, product: &ProductCode, effective_at: Timestamp) -> Result<Late> {
    let cost = Some(LineCost::Amount(LATE_AMOUNT));
    let lines = vec![DocumentLine { cost, ..DocumentLine::new(product.clone(), LATE_COUNT) }];
    let document = shop.document(DocumentKind::Purchase, Some(effective_at), lines)?;
    let item = ItemKey::on_hand(&shop.store, product);
    let before = item_of(engine, shop, &item).await?;
    let began = Instant::now();
    engine.run_with(shop.tenant, document, Options::default()).await.context("cannot post the late document")?;
    let posted = began.elapsed();
    let after = loop {
        let after = item_of(engine, shop, &item).await?;
        if after.revaluing.is_none() {
            break after;
        }
        ensure!(began.elapsed() < PATIENCE, "the costs are not worked out after {PATIENCE:?}");
        tokio::time::sleep(LOOK).await;
    };
    let worked_out = began.elapsed();
    // One of the new rows is the purchase itself.
    let revalued_rows = u64::try_from(after.seq - before.seq - 1)?;
    Ok(Late { posted, worked_out, revalued_rows, item: after })
}

/// What was worked out is right. Apart from the posting, whose measurement it would disturb.
pub async fn check_late(engine: &Engine, shop: &Shop, late: &Late) -> Result<()> {
    let (replayed, revalued_rows) = (replay_all(engine, shop, &late.item).await?, late.revalued_rows);
    ensure!(replayed == revalued_rows, "{replayed} rows say that they revalue others, and {revalued_rows} are new");
    Ok(())
}

async fn item_of(engine: &Engine, shop: &Shop, item: &ItemKey) -> Result<StockItem> {
    engine.views().record::<StockItem>(shop.tenant, item).await?.context("the item is gone")
}

/// Reads the whole ledger and replays it in both orders: to the last millionth it must come to what the item has. Returns
/// how many rows revalue others.
async fn replay_all(engine: &Engine, shop: &Shop, item: &StockItem) -> Result<u64> {
    const PAGE: u16 = 1_000;
    let mut ledger: Vec<Move> = Vec::new();
    loop {
        let after = ledger.last().map_or(0, |row| row.key.seq);
        let page = engine.views().moves(shop.tenant, &item.key, after, PAGE).await?;
        if page.is_empty() {
            break;
        }
        ledger.extend(page);
    }
    let balance = replay(&ledger, false)?;
    ensure!(
        (balance.quantity, balance.value) == (item.quantity, item.value),
        "the ledger of {} comes to {} worth {}, and the item has {} worth {}",
        item.key,
        balance.quantity,
        balance.value,
        item.quantity,
        item.value
    );
    let revalued = ledger.iter().filter(|row| row.basis == Basis::Revaluation).count();
    Ok(u64::try_from(revalued)?)
}
