//! Sales of one unit, ours and the textbook's in turns.

use std::time::Duration;

use anyhow::{Context, Result};
use surehold_lab::bench::stock::{Basket, Shop, StockTextbook, Until, product, sell, some_of};
use surehold_lab::bench::{Measured, fdatasync, vacuum};

use super::Measuring;
use super::report::{SalesReport, Side};
use crate::bench::{PROBE, ROUNDS};

/// The textbook is tried with so many clients, to find its best.
const TRIED_CLIENTS: [usize; 6] = [1, 2, 4, 8, 16, 32];

impl Measuring<'_> {
    pub(super) async fn sales(&self, products: usize) -> Result<SalesReport> {
        let (engine, clients, stock) = (self.target.engine().await?, self.clients()?, self.stock);
        let goods: Vec<_> = (0..products).map(product).collect();
        let (baskets, shop) = (some_of(products), Shop::open(&engine, &goods, None).await?);
        let mut rival = match &stock.url {
            Some(url) => Some(Rival::prepare(url, &shop, &baskets, clients).await?),
            None => None,
        };
        self.target.vacuum().await?;
        sell(&engine, &shop, &baskets, clients, Until::After(stock.warmup())).await;
        if let Some(rival) = &mut rival {
            rival.find_best(stock.warmup()).await?;
        }
        let (mut ours, mut disk, before) = (Measured::default(), Measured::default(), self.batches());
        for _ in 0..ROUNDS {
            disk.add(&fdatasync(&stock.dir, PROBE).context("cannot measure the disk; choose another --dir")?);
            if let Some(rival) = &mut rival {
                rival.measure(stock.slice()).await?;
            }
            ours.add(&sell(&engine, &shop, &baskets, clients, Until::After(stock.slice())).await);
        }
        let mean_batch = self.batches().since(&before);
        engine.stop().await;
        let (against, against_best) = rival.map(Rival::sides).unzip();
        let ours = Side::measured("surehold", clients, &ours);
        let fdatasync_per_s = disk.rate_per_s();
        Ok(SalesReport::new(products, ours, (against, against_best), mean_batch, fdatasync_per_s))
    }
}

/// The textbook, with as many clients as ours and with as many as suit it best.
struct Rival {
    textbook: StockTextbook,
    clients: usize,
    best_clients: usize,
    measured: Measured,
    best: Measured,
}

impl Rival {
    async fn prepare(url: &str, shop: &Shop, baskets: &[Basket], clients: usize) -> Result<Rival> {
        let most = TRIED_CLIENTS.into_iter().fold(clients, usize::max);
        let textbook = StockTextbook::prepare(url, &shop.store, baskets, most).await?;
        vacuum(url).await?;
        let (measured, best) = (Measured::default(), Measured::default());
        Ok(Rival { textbook, clients, best_clients: clients, measured, best })
    }

    async fn find_best(&mut self, duration: Duration) -> Result<()> {
        let mut best_rate = 0.0;
        for clients in TRIED_CLIENTS.into_iter().chain([self.clients]) {
            let rate = self.textbook.run(clients, duration).await?.rate_per_s();
            if rate > best_rate {
                (best_rate, self.best_clients) = (rate, clients);
            }
        }
        Ok(())
    }

    async fn measure(&mut self, duration: Duration) -> Result<()> {
        self.measured.add(&self.textbook.run(self.clients, duration).await?);
        self.best.add(&self.textbook.run(self.best_clients, duration).await?);
        Ok(())
    }

    fn sides(self) -> (Side, Side) {
        let same = Side::measured("textbook", self.clients, &self.measured);
        (same, Side::measured("textbook at its best", self.best_clients, &self.best))
    }
}
