//! The trap, and the audit of many rows.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use surehold_lab::bench::OwnDatabase;
use surehold_lab::bench::stock::{
    Basket, Shop, StockTextbook, Until, deadlocks_counted, fill_ledger, find_crosswise, product, sell,
};

use super::Measuring;
use crate::bench::audit::audit;
use crate::bench::figures::{Figures, Rounds};
use crate::bench::report::{Bar, Case};
use crate::bench::stores::{StoreKind, Target};

/// Postgres looks for a deadlock after a second of waiting: less would show none.
const TRAP_MIN: Duration = Duration::from_secs(3);
/// Products whose ledgers are audited.
const AUDITED_PRODUCTS: usize = 1_000;

impl Measuring<'_> {
    /// Counted is what Postgres itself counts: the engine would try again and tell nobody.
    pub(super) async fn deadlock(&self) -> Result<Case> {
        let (url, clients) = (self.stock.url.as_deref().context("--url is needed")?, self.clients()?);
        let store = surehold_core::stock::StoreName::new("shop")?;
        let baskets = find_crosswise(url, &store).await?.baskets;
        let products: Vec<_> = baskets.iter().flat_map(Basket::products).cloned().collect();

        let before = deadlocks_counted(url).await?;
        let textbook = StockTextbook::prepare(url, &store, &baskets, clients).await?;
        let deadlocks = textbook.deadlocks();
        let trapped = textbook.run_trap(TRAP_MIN.max(self.stock.timing.total())).await?;
        let between = deadlocks_counted(url).await?;

        let engine = self.target.engine().await?;
        let shop = Shop::open(&engine, &products, None).await?;
        let mut ours = Rounds::default();
        let documents = Until::Documents(self.stock.documents);
        ours.measure(async { Ok(sell(&engine, &shop, &baskets, clients, documents).await) }).await?;
        engine.stop().await;
        let after = deadlocks_counted(url).await?;

        let names = |basket: &Basket| basket.products().iter().map(ToString::to_string).collect::<Vec<_>>();
        let (ours_deadlocks, against_deadlocks) = (after - between, between - before);
        let (ours, theirs) = (ours.figures(), Rounds::of(&trapped).figures());
        let said = |side: &Figures, name: &str, deadlocks: i64| {
            format!("{name}: {} documents, {deadlocks} deadlocks", side.count.unwrap_or_default())
        };
        let count = |deadlocks: i64| i32::try_from(deadlocks).map_or(f64::INFINITY, f64::from);
        Ok(Case::new("deadlock", format!("trap: surehold, {clients} clients"), ours.clone())
            .against(format!("trap: textbook, {clients} clients"), theirs.clone())
            .field("baskets", baskets.iter().map(names).collect::<Vec<_>>())
            .field("deadlocks", ours_deadlocks)
            .field("against_deadlocks", against_deadlocks)
            .field("against_deadlocks_answered", deadlocks.load(Ordering::Relaxed))
            .note(said(&ours, "surehold", ours_deadlocks))
            .note(said(&theirs, "textbook", against_deadlocks))
            .bar(Bar::at_most("trap, deadlocks", count(ours_deadlocks), 0.0))
            .bar(Bar::no_errors("trap, errors", [&ours]))
            .bar(Bar::at_least("trap, deadlocks of the textbook", count(against_deadlocks), 1.0)))
    }

    /// In a store of its own: an audit looks at everything, also at what other cases have left.
    pub(super) async fn replay(&self) -> Result<Case> {
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

    async fn replay_in(&self, target: &Target) -> Result<Case> {
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
        let (seconds, rss_mib) = (audited.took.as_secs_f64(), audited.peak_rss_bytes >> 20);
        let read = format!("{} read with documents and all else", audited.rows_read);
        Ok(Case::new("replay", format!("audit of {rows} rows"), Figures::default())
            .field("rows", rows)
            .field("products", AUDITED_PRODUCTS)
            .field("fill_seconds", filled.as_secs_f64())
            .field("audit_seconds", seconds)
            .field("audit_rows_read", audited.rows_read)
            .field("audit_peak_rss_mib", rss_mib)
            .note(format!("audit: {seconds:.1} s, {rss_mib} MiB ({read})"))
            .bar(Bar::at_most("audit, seconds", seconds, 15.0)))
    }
}
