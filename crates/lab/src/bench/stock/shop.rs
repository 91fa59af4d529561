//! A store with goods that do not run out, and clients of it: each waits for its answer before it asks again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use surehold_core::kernel::commands::PlaceHold;
use surehold_core::kernel::{Currency, HoldId, HoldPolicy, Line, Lines, Slug, TenantId, Timestamp, Title};
use surehold_core::stock::commands::{PostDocument, PutProduct, PutStore};
use surehold_core::stock::{
    DocumentContent, DocumentHeader, DocumentId, DocumentKind, DocumentLine, LINES_PER_PART_MAX, LineCost, ProductCode,
    StoreName, UnitName, pool_of,
};
use surehold_engine::{Engine, Options};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::Basket;
use crate::bench::Measured;
use crate::bench::clients::Dice;

/// Of each product; sold one by one, they outlast every measurement.
const OPENING_COUNT: i64 = 1_000_000_000;
/// What they cost together: no whole number each, so that every sale is rounded.
const OPENING_AMOUNT: i64 = 19_999_999_937;

/// A tenant of its own, with one store.
#[derive(Clone, Debug)]
pub struct Shop {
    pub tenant: TenantId,
    pub store: StoreName,
}

impl Shop {
    /// A new one, also in a database where others were measured.
    pub async fn open(engine: &Engine, products: &[ProductCode], opened_at: Option<Timestamp>) -> Result<Shop> {
        let micros = SystemTime::now().duration_since(UNIX_EPOCH).context("the clock is wrong")?.as_micros();
        let candidate = TenantId(i64::try_from(micros)?);
        let slug = Slug::new(&format!("bench-{}", candidate.0))?;
        let tenant =
            engine.create_tenant(slug, HoldPolicy::default(), candidate).await.context("cannot make a tenant")?;
        let shop = Shop { tenant, store: StoreName::new("shop")? };
        let (name, title) = (shop.store.clone(), Title::new("Shop")?);
        let put = PutStore { name, title, currency: Currency::parse("BRL")? };
        engine.run(tenant, put).await.context("cannot make a store")?;
        shop.put_products(engine, products).await?;
        let line = |product: &ProductCode| DocumentLine {
            cost: Some(LineCost::Amount(OPENING_AMOUNT)),
            ..DocumentLine::new(product.clone(), OPENING_COUNT)
        };
        for part in products.chunks(LINES_PER_PART_MAX) {
            let lines = part.iter().map(line).collect();
            shop.post(engine, DocumentKind::Opening, opened_at, lines).await.context("cannot open the stock")?;
        }
        Ok(shop)
    }

    async fn put_products(&self, engine: &Engine, products: &[ProductCode]) -> Result<()> {
        let put = |product: &ProductCode| {
            anyhow::Ok(PutProduct::new(product.clone(), Title::new("Goods")?, UnitName::new("pcs")?))
        };
        for part in products.chunks(1_000) {
            let puts = part.iter().map(put).collect::<Result<Vec<_>>>()?;
            for outcome in engine.run_all(self.tenant, puts).await {
                outcome.context("cannot make a product")?;
            }
        }
        Ok(())
    }

    pub(super) fn document(
        &self,
        kind: DocumentKind,
        effective_at: Option<Timestamp>,
        lines: Vec<DocumentLine>,
    ) -> Result<PostDocument> {
        let header = DocumentHeader { effective_at, ..DocumentHeader::new(kind, self.store.clone()) };
        Ok(PostDocument::whole(new_id(), DocumentContent::new(header, lines)?))
    }

    pub(super) async fn post(
        &self,
        engine: &Engine,
        kind: DocumentKind,
        effective_at: Option<Timestamp>,
        lines: Vec<DocumentLine>,
    ) -> Result<()> {
        let document = self.document(kind, effective_at, lines)?;
        engine.run_with(self.tenant, document, Options::default()).await?;
        Ok(())
    }

    fn sale(&self, basket: &Basket) -> PostDocument {
        let lines = basket.products().iter().map(|product| DocumentLine::new(product.clone(), 1)).collect();
        self.document(DocumentKind::Sale, None, lines).expect("a few different products")
    }
}

pub(super) fn new_id() -> DocumentId {
    DocumentId::new(Uuid::now_v7()).expect("version 7")
}

/// How long clients go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    After(Duration),
    /// All of them together.
    Documents(u64),
}

/// So many clients sell baskets, each time one at random. Documents are counted as holds.
pub async fn sell(engine: &Engine, shop: &Shop, baskets: &[Basket], clients: usize, until: Until) -> Measured {
    let started = Instant::now();
    let (ends, left) = match until {
        Until::After(duration) => (Some(started + duration), u64::MAX),
        Until::Documents(documents) => (None, documents),
    };
    let (left, baskets): (Arc<AtomicU64>, Arc<[Basket]>) = (Arc::new(AtomicU64::new(left)), baskets.into());
    let selling: Vec<_> = (0..clients)
        .map(|index| {
            let seller = Seller { engine: engine.clone(), shop: shop.clone(), baskets: Arc::clone(&baskets) };
            tokio::spawn(seller.sell(index, ends, Arc::clone(&left)))
        })
        .collect();
    let mut measured = Measured::default();
    for seller in selling {
        measured.add(&seller.await.expect("a client does not panic"));
    }
    measured.elapsed = started.elapsed();
    measured
}

struct Seller {
    engine: Engine,
    shop: Shop,
    baskets: Arc<[Basket]>,
}

impl Seller {
    async fn sell(self, index: usize, ends: Option<Instant>, left: Arc<AtomicU64>) -> Measured {
        let mut dice = dice(index);
        let mut measured = Measured::default();
        let take_one = |left: u64| left.checked_sub(1);
        while ends.is_none_or(|ends| Instant::now() < ends)
            && left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take_one).is_ok()
        {
            let sale = self.shop.sale(&self.baskets[dice.roll(self.baskets.len())]);
            let asked = Instant::now();
            if self.engine.run_with(self.shop.tenant, sale, Options::default()).await.is_ok() {
                measured.latencies.record(asked.elapsed(), 1);
                measured.holds += 1;
            } else {
                measured.errors += 1;
            }
        }
        measured
    }
}

fn dice(index: usize) -> Dice {
    Dice(u64::try_from(index).expect("few clients") * 7_919 + 1)
}

/// Clients who hold goods, one unit at a time, until they are stopped.
#[derive(Debug)]
pub struct Holders {
    stop: Arc<AtomicBool>,
    started: Instant,
    at_work: JoinSet<Measured>,
}

impl Holders {
    pub fn start(engine: &Engine, shop: &Shop, products: &[ProductCode], clients: usize) -> Holders {
        let (stop, products): (Arc<AtomicBool>, Arc<[ProductCode]>) = (Arc::default(), products.into());
        let mut at_work = JoinSet::new();
        for index in 0..clients {
            at_work.spawn(hold(engine.clone(), shop.clone(), Arc::clone(&products), index, Arc::clone(&stop)));
        }
        Holders { stop, started: Instant::now(), at_work }
    }

    pub async fn stop(self) -> Measured {
        self.stop.store(true, Ordering::Relaxed);
        let mut measured = Measured::default();
        for part in self.at_work.join_all().await {
            measured.add(&part);
        }
        measured.elapsed = self.started.elapsed();
        measured
    }
}

async fn hold(
    engine: Engine,
    shop: Shop,
    products: Arc<[ProductCode]>,
    index: usize,
    stop: Arc<AtomicBool>,
) -> Measured {
    let mut dice = dice(index);
    let mut measured = Measured::default();
    while !stop.load(Ordering::Relaxed) {
        let pool = pool_of(&shop.store, &products[dice.roll(products.len())]);
        let lines = Lines::new(vec![Line { pool, quantity: 1 }]).expect("one line");
        let command = PlaceHold::new(HoldId::new(Uuid::now_v7()).expect("version 7"), lines);
        let asked = Instant::now();
        if engine.run(shop.tenant, command).await.is_ok() {
            measured.latencies.record(asked.elapsed(), 1);
            measured.holds += 1;
        } else {
            measured.errors += 1;
        }
    }
    measured
}
