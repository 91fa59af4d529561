//! The trap, and the audit of many rows.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use surehold_lab::bench::OwnDatabase;
use surehold_lab::bench::stock::{
    Basket, Shop, StockTextbook, Until, deadlocks_counted, fill_ledger, find_crosswise, product, sell,
};

use super::Measuring;
use super::report::{DeadlockReport, ReplayReport, Side};
use crate::bench::audit::audit;
use crate::bench::stores::{StoreKind, Target};

/// Postgres looks for a deadlock after a second of waiting: less would show none.
const TRAP_MIN: Duration = Duration::from_secs(5);
/// Products whose ledgers are audited.
const AUDITED_PRODUCTS: usize = 1_000;

impl Measuring<'_> {
    /// Counted is what Postgres itself counts: the engine would try again and tell nobody.
    pub(super) async fn deadlock(&self) -> Result<DeadlockReport> {
        let (url, clients) = (self.stock.url.as_deref().context("--url is needed")?, self.clients()?);
        let store = surehold_core::stock::StoreName::new("shop")?;
        let baskets = find_crosswise(url, &store).await?.baskets;
        let products: Vec<_> = baskets.iter().flat_map(Basket::products).cloned().collect();

        let before = deadlocks_counted(url).await?;
        let textbook = StockTextbook::prepare(url, &store, &baskets, clients).await?;
        let deadlocks = textbook.deadlocks();
        let trapped = textbook.run_trap(TRAP_MIN.max(Duration::from_secs(u64::from(self.stock.seconds)))).await?;
        let between = deadlocks_counted(url).await?;

        let engine = self.target.engine().await?;
        let shop = Shop::open(&engine, &products, None).await?;
        let ours = sell(&engine, &shop, &baskets, clients, Until::Documents(self.stock.documents)).await;
        engine.stop().await;
        let after = deadlocks_counted(url).await?;

        let names = |basket: &Basket| basket.products().iter().map(ToString::to_string).collect();
        Ok(DeadlockReport {
            baskets: baskets.iter().map(names).collect(),
            ours: Side::measured("surehold", clients, &ours),
            ours_deadlocks: after - between,
            against: Side::measured("textbook", clients, &trapped),
            against_deadlocks: between - before,
            against_deadlocks_answered: deadlocks.load(Ordering::Relaxed),
        })
    }

    /// In a store of its own: an audit looks at everything, also at what other cases have left.
    pub(super) async fn replay(&self) -> Result<ReplayReport> {
        let Some(url) = &self.stock.url else {
            return self.replay_in(&Target::new(StoreKind::Sqlite, None, &self.stock.dir)?).await;
        };
        let database = OwnDatabase::make(url).await?;
        let target = Target::Postgres { url: database.url().to_owned() };
        let replayed = self.replay_in(&target).await;
        // What was measured, or why not, says more than a database left behind.
        let removed = database.remove().await;
        let replayed = replayed?;
        removed.map(|()| replayed)
    }

    async fn replay_in(&self, target: &Target) -> Result<ReplayReport> {
        let engine = target.engine().await?;
        let products: Vec<_> = (0..AUDITED_PRODUCTS).map(product).collect();
        let began = Instant::now();
        let shop = Shop::open(&engine, &products, None).await?;
        let rows = fill_ledger(&engine, &shop, &products, self.stock.rows).await?;
        let filled = began.elapsed();
        engine.stop().await;
        target.vacuum().await?;
        let (audited, _) = audit(&target.store_url(), None).await?;
        ensure!(audited.rows_read >= rows, "the audit read {} rows, and there are {rows}", audited.rows_read);
        Ok(ReplayReport {
            rows,
            products: AUDITED_PRODUCTS,
            fill_seconds: filled.as_secs_f64(),
            audit_seconds: audited.took.as_secs_f64(),
            audit_rows_read: audited.rows_read,
            audit_peak_rss_mib: audited.peak_rss_bytes >> 20,
        })
    }
}
