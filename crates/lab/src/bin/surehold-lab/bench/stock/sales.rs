//! Sales of one unit, ours and the textbook's in turns.

use std::time::Duration;

use anyhow::Result;
use surehold_lab::bench::stock::{Basket, Shop, StockTextbook, Until, product, sell, some_of};
use surehold_lab::bench::{Measured, vacuum};

use super::{Case, Measuring};
use crate::bench::figures::Rounds;
use crate::bench::report::{self, Bar};
use crate::bench::rival::{Rival, Textbook};

/// The textbook is tried with so many clients, to find its best.
const TRIED_CLIENTS: [usize; 6] = [1, 2, 4, 8, 16, 32];

/// How many products there are to choose from, and what is promised then.
pub(super) struct Goods {
    pub(super) case: Case,
    name: &'static str,
    products: usize,
    title: &'static str,
    bars: Option<GoodsBars>,
}

/// Names of the bars, each with its goal.
struct GoodsBars {
    ratio: (&'static str, f64),
    p99_ratio: Option<(&'static str, f64)>,
    errors: &'static str,
}

impl Goods {
    pub(super) const ALL: [Goods; 3] = [
        Goods {
            case: Case::Hot,
            name: "hot",
            products: 1,
            title: "one product",
            bars: Some(GoodsBars {
                ratio: ("one product, times the textbook", 10.0),
                p99_ratio: Some(("one product, p99 of the textbook", 5.0)),
                errors: "one product, errors",
            }),
        },
        Goods { case: Case::Hundred, name: "hundred", products: 100, title: "100 products", bars: None },
        Goods {
            case: Case::Uniform,
            name: "uniform",
            products: 1_000,
            title: "1000 products",
            bars: Some(GoodsBars {
                ratio: ("1,000 products, times the textbook", 2.0),
                p99_ratio: None,
                errors: "1,000 products, errors",
            }),
        },
    ];
}

impl GoodsBars {
    fn of(&self, case: &report::Case) -> Vec<Bar> {
        let rival = case.rival();
        let ratio = rival.and_then(|rival| rival.ratio);
        let ratio = ratio.map(|ratio| Bar::at_least(self.ratio.0, ratio, self.ratio.1));
        let p99_ratio = rival.and_then(|rival| rival.p99_ratio).zip(self.p99_ratio);
        let p99_ratio = p99_ratio.map(|(ratio, (what, goal))| Bar::at_least(what, ratio, goal));
        let errors = Bar::no_errors(self.errors, [&case.figures]);
        ratio.into_iter().chain(p99_ratio).chain([errors]).collect()
    }
}

impl Measuring<'_> {
    pub(super) async fn sales(&self, goods: &Goods) -> Result<report::Case> {
        let (engine, clients, stock) = (self.target.engine().await?, self.clients()?, self.stock);
        let products: Vec<_> = (0..goods.products).map(product).collect();
        let (baskets, shop) = (some_of(goods.products), Shop::open(&engine, &products, None).await?);
        let mut rival = match &stock.url {
            Some(url) => Some(prepare_rival(url, &shop, &baskets, clients).await?),
            None => None,
        };
        self.target.vacuum().await?;
        sell(&engine, &shop, &baskets, clients, Until::After(stock.warmup())).await;
        if let Some(rival) = &mut rival {
            rival.find_best(&TRIED_CLIENTS, stock.warmup()).await?;
        }
        let (mut ours, mut disk, before) = (Rounds::default(), Measured::default(), self.batches());
        let slice = stock.timing.slice();
        for _ in 0..stock.timing.rounds() {
            disk.add(&stock.timing.probe(&stock.dir)?);
            if let Some(rival) = &mut rival {
                rival.measure(slice).await?;
            }
            ours.measure(async { Ok(sell(&engine, &shop, &baskets, clients, Until::After(slice)).await) }).await?;
        }
        let mean_batch = self.batches().since(&before);
        engine.stop().await;
        let Goods { name, products, title, bars, .. } = goods;
        let mut case = report::Case::new(name, format!("{title}: surehold, {clients} clients"), ours.figures());
        for (side, rival) in rival.into_iter().flat_map(Rival::sides).zip(["textbook", "textbook at its best"]) {
            let name = format!("{title}: {rival}, {} clients", side.clients);
            case = case.against(name, side.rounds.figures());
        }
        let bars = bars.as_ref().map(|bars| bars.of(&case)).unwrap_or_default();
        let case = case.field("products", *products).field("clients", clients);
        Ok(case.mean_batch(Some(mean_batch)).fdatasync_per_s(disk.rate_per_s()).bars(bars))
    }
}

/// With as many clients as ours, and with as many as suit it best.
async fn prepare_rival(url: &str, shop: &Shop, baskets: &[Basket], clients: usize) -> Result<Rival<StockTextbook>> {
    let most = TRIED_CLIENTS.into_iter().fold(clients, usize::max);
    let textbook = StockTextbook::prepare(url, &shop.store, baskets, most).await?;
    vacuum(url).await?;
    Ok(Rival::new(textbook, clients))
}

impl Textbook for StockTextbook {
    async fn run(&mut self, clients: usize, duration: Duration) -> Result<Measured> {
        StockTextbook::run(self, clients, duration).await
    }
}
