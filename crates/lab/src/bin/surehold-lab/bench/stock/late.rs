//! A document that takes effect before many others, while clients hold other goods of the same tenant.

use anyhow::Result;
use surehold_lab::bench::stock::{Holders, Shop, check_late, fill_one_product, post_late, product};

use super::Measuring;
use crate::bench::audit::audit;
use crate::bench::figures::Rounds;
use crate::bench::report::{Bar, Case, times};

/// Products that are held meanwhile.
const HELD_PRODUCTS: usize = 100;
const HOUR_SECS: i64 = 3_600;

impl Measuring<'_> {
    pub(super) async fn backdated(&self) -> Result<Case> {
        let (engine, stock) = (self.target.engine().await?, self.stock);
        let holders = usize::try_from(stock.holders)?;
        let products: Vec<_> = (0..=HELD_PRODUCTS).map(product).collect();
        let (late, held) = (&products[0], &products[1..]);
        let now = engine.views().clock().await?;
        let shop = Shop::open(&engine, &products, Some(now.plus_secs(-2 * HOUR_SECS))).await?;
        fill_one_product(&engine, &shop, late, stock.later_rows).await?;
        self.target.vacuum().await?;

        let holding = Holders::start(&engine, &shop, held, holders);
        tokio::time::sleep(stock.warmup()).await;
        holding.stop().await;
        let holding = Holders::start(&engine, &shop, held, holders);
        tokio::time::sleep(stock.timing.total()).await;
        let before = holding.stop().await;

        let holding = Holders::start(&engine, &shop, held, holders);
        let posted = post_late(&engine, &shop, late, now.plus_secs(-HOUR_SECS)).await;
        let meanwhile = holding.stop().await;
        let posted = posted?;
        check_late(&engine, &shop, &posted).await?;
        engine.stop().await;
        // Everything else that must hold, too.
        audit(&self.target.store_url(), None).await?;
        let (before, meanwhile) = (Rounds::of(&before).figures(), Rounds::of(&meanwhile).figures());
        let (posted_seconds, worked_out) = (posted.posted.as_secs_f64(), posted.worked_out.as_secs_f64());
        let (later_rows, revalued_rows) = (stock.later_rows, posted.revalued_rows);
        let p99_ratio = times(meanwhile.p99_us, before.p99_us);
        let p99_bar = p99_ratio.map(|ratio| Bar::at_most("late document, times the p99 of holds", ratio, 5.0));
        Ok(Case::new("backdated", format!("late document: holds meanwhile, {holders} clients"), meanwhile.clone())
            .against(format!("late document: holds before, {holders} clients"), before.clone())
            .field("later_rows", later_rows)
            // Until the document was answered, and until no cost was provisional any more. The ledger was then replayed
            // in both orders, to the last millionth.
            .field("posted_seconds", posted_seconds)
            .field("worked_out_seconds", worked_out)
            .field("revalued_rows", revalued_rows)
            .field("holds_p99_ratio", p99_ratio)
            .note(format!(
                "{later_rows} later rows: answered in {posted_seconds:.2} s, {revalued_rows} worked out in {worked_out:.2} s"
            ))
            .bar(Bar::at_most("late document, seconds", worked_out, 5.0))
            .bar(p99_bar)
            .bar(Bar::no_errors("late document, errors of holds", [&before, &meanwhile])))
    }
}
