//! Bugs in what batches promise: keys, neighbours, order.

use surehold_core::kernel::commands::AdjustPool;
use surehold_engine::{Options, RequestKey};

use super::Harm;
use super::shop::{HOUR_SECS, Shop, TENANT, place, pool};

fn under_key(request: &[u8]) -> Options {
    Options { key: Some(RequestKey::new("k", request).unwrap()), ..Options::default() }
}

/// Both are on their way before the first is answered.
pub(super) async fn a_key_outside_the_transaction() -> Harm {
    let shop = Shop::open(&[("room", 1)]).await;
    let adjust = || shop.engine.run_with(TENANT, AdjustPool::new(pool("room"), 1).unwrap(), under_key(b"+1"));
    let (first, second) = tokio::join!(adjust(), adjust());
    let answers = (first.unwrap().reply.total, second.unwrap().reply.total);
    let total = shop.pool("room").await.total;
    shop.close().await;
    (total != 2).then(|| format!("one more than 1 is {total}; the answers were {answers:?}"))
}

pub(super) async fn a_key_for_two_requests() -> Harm {
    let shop = Shop::open(&[("room", 1)]).await;
    let adjust = async |delta: i64| {
        let request = delta.to_string();
        shop.engine.run_with(TENANT, AdjustPool::new(pool("room"), delta).unwrap(), under_key(request.as_bytes())).await
    };
    adjust(1).await.unwrap();
    let second = adjust(10).await;
    shop.close().await;
    second.ok().map(|done| format!("ten more than 2 is {}", done.reply.total))
}

/// The first of the second batch repeats a hold, which its lane finds out by an insert that does not fit.
pub(super) async fn neighbours_rolled_back() -> Harm {
    let shop = Shop::open(&[("room", 9)]).await;
    let (first, neighbour) = (place(&[("room", 1)]), place(&[("room", 1)]));
    shop.engine.run(TENANT, first.clone()).await.unwrap();
    let told = shop.engine.run_all(TENANT, vec![first, neighbour.clone()]).await;
    let found = shop.find(neighbour.id()).await;
    shop.close().await;
    (told[1].is_ok() && found.is_none()).then(|| "somebody was told of a hold that is not there".to_owned())
}

pub(super) async fn time_that_goes_back() -> Harm {
    let shop = Shop::open(&[("room", 9)]).await;
    for secs in [600, -300] {
        shop.advance_secs(secs);
        shop.hold(&[("room", 1)], HOUR_SECS).await;
    }
    let journal = shop.engine.views().journal(TENANT, 0, 100).await.unwrap();
    shop.close().await;
    let back = journal.windows(2).find(|rows| rows[1].at < rows[0].at);
    back.map(|rows| format!("row {} is of {}, before row {}", rows[1].seq, rows[1].at, rows[0].seq))
}
