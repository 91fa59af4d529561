//! Bugs in what holds do to pools.

use surehold_core::kernel::HoldState;
use surehold_core::kernel::commands::ExpireLapsedHolds;

use super::Harm;
use super::shop::{HOUR_SECS, Shop, TENANT, lines};

pub(super) async fn a_removed_guard() -> Harm {
    let shop = Shop::open(&[("room", 1)]).await;
    for _ in 0..2 {
        // The second is refused, or should be.
        let _ = shop.place(&[("room", 1)], HOUR_SECS).await;
    }
    let pool = shop.pool("room").await;
    shop.close().await;
    (pool.held > pool.total).then(|| format!("{} of {} rooms are held", pool.held, pool.total))
}

pub(super) async fn an_expiry_that_is_not_half_open() -> Harm {
    let shop = Shop::open(&[("room", 1)]).await;
    let id = shop.hold(&[("room", 1)], 60).await;
    shop.advance_secs(60);
    let told = shop.book(id, None).await;
    shop.close().await;
    let hold = told.ok()?.reply.hold;
    Some(format!("expires at {} and was converted at {:?}", hold.expires_at, hold.ended_at))
}

pub(super) async fn units_that_a_refused_hold_leaves() -> Harm {
    let shop = Shop::open(&[("a", 5), ("b", 0)]).await;
    shop.place(&[("a", 1), ("b", 1)], HOUR_SECS).await.unwrap_err();
    // Whatever was left behind goes into the batch of somebody else.
    shop.hold(&[("a", 1)], HOUR_SECS).await;
    let held = shop.pool("a").await.held;
    shop.close().await;
    (held != 1).then(|| format!("{held} units are held by one hold of one"))
}

pub(super) async fn a_sweep_that_frees_twice() -> Harm {
    let shop = Shop::open(&[("room", 2)]).await;
    let cancelled = shop.hold(&[("room", 1)], 60).await;
    let kept = shop.hold(&[("room", 1)], HOUR_SECS).await;
    shop.cancel(cancelled).await.unwrap();
    shop.advance_secs(61);
    shop.engine.run(TENANT, ExpireLapsedHolds).await.unwrap();
    let (pool, hold) = (shop.pool("room").await, shop.find(kept).await.unwrap());
    shop.close().await;
    (pool.held != 1).then(|| format!("{} rooms are held, and a hold of one is {:?}", pool.held, hold.state))
}

pub(super) async fn a_partial_convert_that_loses_the_rest() -> Harm {
    let shop = Shop::open(&[("room", 3)]).await;
    let id = shop.hold(&[("room", 3)], HOUR_SECS).await;
    shop.book(id, Some(lines(&[("room", 1)]))).await.unwrap();
    let pool = shop.pool("room").await;
    shop.close().await;
    (pool.held != 0).then(|| format!("{} rooms are held by nobody", pool.held))
}

pub(super) async fn a_cancelled_hold_that_is_converted() -> Harm {
    let shop = Shop::open(&[("room", 1)]).await;
    let first = shop.hold(&[("room", 1)], HOUR_SECS).await;
    shop.cancel(first).await.unwrap();
    let second = shop.hold(&[("room", 1)], HOUR_SECS).await;
    let _ = shop.book(first, None).await;
    shop.book(second, None).await.unwrap();
    let pool = shop.pool("room").await;
    shop.close().await;
    (pool.booked > pool.total).then(|| format!("{} of {} rooms are booked", pool.booked, pool.total))
}

pub(super) async fn lines_behind_the_first() -> Harm {
    let shop = Shop::open(&[("a", 5), ("b", 1)]).await;
    let mut active = 0;
    for _ in 0..2 {
        let told = shop.place(&[("a", 1), ("b", 1)], HOUR_SECS).await;
        active += usize::from(told.is_ok_and(|done| done.reply.hold.state == HoldState::Active));
    }
    shop.close().await;
    (active > 1).then(|| format!("{active} holds have the same unit"))
}

pub(super) async fn lapsed_holds_that_block() -> Harm {
    let shop = Shop::open(&[("room", 1)]).await;
    shop.hold(&[("room", 1)], 60).await;
    shop.advance_secs(61);
    let told = shop.place(&[("room", 1)], HOUR_SECS).await;
    shop.close().await;
    told.err().map(|failure| format!("the only claim has lapsed, and the next is told {failure:?}"))
}
