//! Documents in front of long histories: worked out in steps while goods are sold, whoever dies on the way.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use surehold_core::kernel::Timestamp;
use surehold_core::stock::commands::{DocumentReply, RevalueItem};
use surehold_core::stock::history::{HistoryQuestion, Later, ROWS_PER_STEP_MAX};
use surehold_core::stock::{DocumentContent, DocumentHeader, DocumentKind, DocumentLine, ItemKey, StockRefusal};
use surehold_engine::{EngineConfig, ItemsFilter};
use surehold_testkit::fixture::Fixture;

use super::shop::{Shop, costing, header, in_transit, line, new_document, on_hand, store, worth};

const PAGE: u16 = 200;

/// Bought, and from then on sold in so many rows, one unit each. Tells an instant between the two.
async fn sold_a_lot(shop: &Shop<'_>, fixture: &Fixture, documents: usize) -> Timestamp {
    shop.buy("tea", 10_000, 100_000).await;
    fixture.advance_secs(60);
    let between = shop.now().await;
    for _ in 0..documents {
        fixture.advance_secs(60);
        shop.post(header(DocumentKind::Sale, "a"), (0..200).map(|_| line("tea", 1)).collect()).await;
    }
    between
}

async fn buy_then(shop: &Shop<'_>, at: Timestamp, amount: i64) -> DocumentReply {
    let bought = DocumentHeader { effective_at: Some(at), ..header(DocumentKind::Purchase, "a") };
    shop.post(bought, vec![costing("tea", 10_000, amount)]).await
}

async fn sell_one(shop: &Shop<'_>) {
    shop.post(header(DocumentKind::Sale, "a"), vec![line("tea", 1)]).await;
}

/// One step, as the engine does it.
async fn step(shop: &Shop<'_>, key: &ItemKey) -> bool {
    let item = shop.item(key).await;
    let revaluing = item.revaluing.as_deref().copied().unwrap();
    let rows_max = u16::try_from(ROWS_PER_STEP_MAX).unwrap();
    let views = shop.world.engine.views();
    let (rows, complete) = views.effect_page(shop.world.tenant, &item, revaluing.point(), rows_max).await.unwrap();
    let before = revaluing.state.unwrap();
    let step = RevalueItem::new(key.clone(), revaluing.point(), before, rows, (item.seq, complete)).unwrap();
    shop.run(step).await.done
}

pub(super) async fn a_long_past_is_worked_out_in_steps(fixture: Fixture) {
    let mut shop = Shop::open(&fixture).await;
    let tea = on_hand("a", "tea");
    let between = sold_a_lot(&shop, &fixture, 6).await;
    shop.check(PAGE).await;
    let bought = DocumentHeader { effective_at: Some(between), ..header(DocumentKind::Purchase, "a") };
    let content = DocumentContent::new(bought, vec![costing("tea", 10_000, 300_000)]).unwrap();
    let seen = shop.world.engine.preview_document(shop.world.tenant, new_document(), content).await.unwrap();
    assert!(!seen.items[0].exact, "{seen:?}");
    buy_then(&shop, between, 300_000).await;
    assert!(shop.item(&tea).await.revaluing.is_some());
    // What is provisional says so, in every report.
    let (views, tenant) = (shop.world.engine.views().clone(), shop.world.tenant);
    let filter = ItemsFilter { product: Some(tea.product.clone()), ..ItemsFilter::default() };
    assert!(views.balances_at(tenant, &filter, between, 1).await.unwrap()[0].revaluing);
    let until = between.plus_secs(86_400);
    assert!(views.turnover(tenant, &filter, between, until, 1).await.unwrap()[0].revaluing);
    shop.check(PAGE).await;
    sell_one(&shop).await;
    assert!(!step(&shop, &tea).await);
    shop.check(PAGE).await;
    // The server dies; another one goes on where it was.
    shop.world.restart().await;
    sell_one(&shop).await;
    // In front of what is not worked out yet, and behind.
    buy_then(&shop, between.plus_secs(90), 200_000).await;
    buy_then(&shop, between.plus_secs(1), 200_000).await;
    sell_one(&shop).await;
    assert!(shop.revalue().await >= 3);
    assert!(shop.item(&tea).await.revaluing.is_none());
    // 1,203 were sold of 40,000.
    assert_eq!(shop.balance(&tea).await.quantity, 40_000 - 1_203);
    shop.check(PAGE).await;
    assert_eq!(shop.revalue().await, 0);
    let early = Some(between.plus_secs(-1));
    let sale = DocumentHeader { effective_at: early, ..header(DocumentKind::Sale, "a") };
    let refused = shop.try_post(new_document(), sale, vec![line("tea", 10_001)]).await;
    assert!(matches!(refused, Err(StockRefusal::InsufficientInPast { quantity: -1, .. })), "{refused:?}");
    shop.world.audit().await;
}

/// What a transfer gave away is worth that to the other store, and so is everything there that follows from it.
pub(super) async fn a_transfer_carries_its_cost(fixture: Fixture) {
    let shop = Shop::open(&fixture).await;
    let between = sold_a_lot(&shop, &fixture, 1).await;
    let to_b = DocumentHeader { to_store: Some(store("b")), ..header(DocumentKind::Transfer, "a") };
    fixture.advance_secs(60);
    shop.post(to_b.clone(), vec![line("tea", 100)]).await;
    let shipped = DocumentHeader { in_transit: true, ..to_b };
    let shipped = shop.post(shipped, vec![line("tea", 100)]).await;
    let receive = DocumentHeader { about: Some(shipped.document.id), ..header(DocumentKind::Receipt, "b") };
    shop.post(receive, vec![DocumentLine::of_line(1, 60)]).await;
    for _ in 0..3 {
        fixture.advance_secs(60);
        shop.post(header(DocumentKind::Sale, "b"), (0..50).map(|_| line("tea", 1)).collect()).await;
    }
    // Every unit cost 10 and costs 20 now.
    buy_then(&shop, between, 300_000).await;
    shop.revalue().await;
    shop.check(PAGE).await;
    assert_eq!(shop.balance(&on_hand("b", "tea")).await, worth(10, 200));
    assert_eq!(shop.balance(&in_transit("b", "tea")).await, worth(40, 800));
    assert_eq!(shop.balance(&on_hand("a", "tea")).await, worth(19_600, 392_000));
    shop.world.audit().await;
}

pub(super) async fn the_engine_works_it_out_by_itself(fixture: Fixture) {
    let shop = Shop::open_with(&fixture, EngineConfig { sweep_pause: None, ..EngineConfig::default() }).await;
    let between = sold_a_lot(&shop, &fixture, 3).await;
    buy_then(&shop, between, 300_000).await;
    while shop.item(&on_hand("a", "tea")).await.revaluing.is_some() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(shop.balance(&on_hand("a", "tea")).await, worth(19_400, 388_000));
    shop.check(PAGE).await;
}

/// Whoever sells meanwhile does not wait, and whoever looks into the past gets there all the same.
pub(super) async fn a_busy_item_is_backdated(fixture: Fixture) {
    let shop = Shop::open(&fixture).await;
    let between = sold_a_lot(&shop, &fixture, 4).await;
    let done = AtomicBool::new(false);
    let sell = async {
        let mut sold = 0_i64;
        while !done.load(Ordering::Relaxed) {
            sell_one(&shop).await;
            sold += 1;
        }
        sold
    };
    // In front of each other, while what the one has changed is being worked out.
    let backdate = async |first: i64| {
        for second in 0..3 {
            buy_then(&shop, between.plus_secs(first - second), 300_000).await;
            shop.revalue().await;
        }
    };
    let both = async {
        tokio::join!(backdate(30), backdate(20));
        done.store(true, Ordering::Relaxed);
    };
    let (sold, ()) = tokio::join!(sell, both);
    shop.revalue().await;
    let tea = shop.balance(&on_hand("a", "tea")).await;
    assert_eq!(tea.quantity, 70_000 - 800 - sold);
    shop.check(PAGE).await;
    let question = HistoryQuestion { item: on_hand("a", "tea"), at: between, sources: Vec::new() };
    let known = shop.world.engine.views().histories(shop.world.tenant, &[question]).await.unwrap();
    assert!(matches!(known[0].later, Later::Many { .. }));
}

/// Their clocks are all a little behind; nobody is told to come back.
pub(super) async fn many_tills_are_late_at_once(fixture: Fixture) {
    let shop = Shop::open(&fixture).await;
    let between = sold_a_lot(&shop, &fixture, 1).await;
    let sell = |till: i64| {
        let effective_at = Some(between.plus_secs(till % 50));
        let sale = DocumentHeader { effective_at, ..header(DocumentKind::Sale, "a") };
        shop.post(sale, vec![line("tea", 1)])
    };
    join_all((0..64).map(sell)).await;
    shop.revalue().await;
    assert_eq!(shop.balance(&on_hand("a", "tea")).await, worth(9_736, 97_360));
    shop.check(PAGE).await;
}

/// Nearly all of it is in one store today and in the other one tomorrow: each journey is revalued a few times, not once for
/// every journey before it.
pub(super) async fn goods_go_back_and_forth(fixture: Fixture) {
    const JOURNEYS: i64 = 40;
    let shop = Shop::open(&fixture).await;
    shop.buy("tea", 10, 100).await;
    let between = shop.now().await.plus_secs(30);
    for _ in 0..JOURNEYS {
        for (from, to) in [("a", "b"), ("b", "a")] {
            fixture.advance_secs(60);
            let journey = DocumentHeader { to_store: Some(store(to)), ..header(DocumentKind::Transfer, from) };
            shop.post(journey, vec![line("tea", 9)]).await;
        }
        // What stays there makes that a part of the difference stays, too.
        if shop.item(&on_hand("b", "tea")).await.quantity == 0 {
            let kept = costing("tea", 1, 33);
            shop.post(header(DocumentKind::Purchase, "b"), vec![kept]).await;
        }
    }
    let keys = [on_hand("a", "tea"), on_hand("b", "tea")];
    let rows = async || shop.item(&keys[0]).await.seq + shop.item(&keys[1]).await.seq;
    let before = rows().await;
    let late = DocumentHeader { effective_at: Some(between), ..header(DocumentKind::Purchase, "a") };
    shop.post(late, vec![costing("tea", 1, 999)]).await;
    shop.revalue().await;
    let written = rows().await - before;
    assert!(written <= 12 * JOURNEYS, "{written} rows");
    shop.check(PAGE).await;
}
