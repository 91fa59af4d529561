//! A document that takes effect before many others, while clients hold other goods of the same tenant.

use std::time::Duration;

use anyhow::Result;
use surehold_lab::bench::stock::{Holders, Shop, check_late, fill_one_product, post_late, product};

use super::Measuring;
use super::report::{BackdatedReport, Side};
use crate::bench::audit::audit;

/// Products that are held meanwhile.
const HELD_PRODUCTS: usize = 100;
const HOUR_SECS: i64 = 3_600;

impl Measuring<'_> {
    pub(super) async fn backdated(&self) -> Result<BackdatedReport> {
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
        tokio::time::sleep(Duration::from_secs(u64::from(stock.seconds))).await;
        let before = holding.stop().await;

        let holding = Holders::start(&engine, &shop, held, holders);
        let posted = post_late(&engine, &shop, late, now.plus_secs(-HOUR_SECS)).await;
        let meanwhile = holding.stop().await;
        let posted = posted?;
        check_late(&engine, &shop, &posted).await?;
        engine.stop().await;
        // Everything else that must hold, too.
        audit(&self.target.store_url(), None).await?;
        Ok(BackdatedReport::new(
            stock.later_rows,
            &posted,
            Side::measured("holds before", holders, &before),
            Side::measured("holds meanwhile", holders, &meanwhile),
        ))
    }
}
