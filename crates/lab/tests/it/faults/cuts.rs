//! Connections cut around COMMIT. The lane must find out what became of the batch, and never guess.

use std::sync::Arc;
use std::time::Duration;

use surehold_core::kernel::TenantId;
use surehold_engine::{Engine, EngineConfig};
use surehold_lab::proxy::{Harm, Proxy};
use surehold_postgres::{PostgresConfig, PostgresStore};
use surehold_simulators::Dice;
use surehold_testkit::fixture::{Fixture, StoreKind};
use surehold_testkit::hotel::Hotel;
use tokio::time::sleep;

use super::alone;
use super::commits::found_out;
use super::guests::{Hours, Patience, let_in, see_out};
use super::sound::assert_sound;

const CUTS: [(Harm, usize); 5] = [
    (Harm::CutAtBegin, 10),
    (Harm::CutInTransaction, 20),
    (Harm::CutBeforeCommit, 30),
    (Harm::CutWithLateCommit, 20),
    (Harm::CutAfterCommit, 30),
];

/// An engine behind the proxy, whose one lane carries both hotels, and one that reaches the server directly: a row of
/// the journal that an engine left free is then taken by the other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cut_around_commit_on_postgres() {
    let _alone = alone().await;
    let (committed_before, absent_before) = found_out();
    let fixture = Fixture::new(StoreKind::Postgres).await.unwrap();
    let direct = fixture.engine().await.unwrap();
    let hotels = [1, 2].map(|tenant| Hotel { tenant: TenantId(tenant), nights: 8, rooms: 10 });
    for hotel in &hotels {
        hotel.open(&direct).await.unwrap();
    }
    let proxy = Proxy::start(fixture.url()).await.unwrap();
    let proxied = engine_behind(&proxy, fixture.url()).await;
    let hours = Hours::until_closed();
    let cut_off = let_in(&proxied, &hotels, 24, Patience::MIXED, &hours);
    let undisturbed = let_in(&direct, &hotels, 4, Patience::LONG, &hours);
    cut(&proxy).await;
    hours.close();
    let (mut told, others) = (see_out(cut_off).await, see_out(undisturbed).await);
    told.print("cut around commit");
    assert!(others.faults.is_empty(), "cuts are felt only by who is cut: {:?}", others.faults);
    told.add(others);

    let (committed, absent) = found_out();
    let (committed, absent) = (committed - committed_before, absent - absent_before);
    eprintln!("{committed} lost answers were found committed, {absent} absent");
    assert!(committed >= 30 + 20, "every cut after a commit was found committed, not {committed}");
    // A few may be known to have failed before they were cut.
    assert!(absent >= 25, "cuts before a commit were found absent, not {absent}");
    proxied.stop().await;
    assert_sound(&direct, &hotels, &told).await;
    direct.stop().await;
}

pub(super) async fn engine_behind(proxy: &Proxy, url: &str) -> Engine {
    let config = PostgresConfig { lanes: 1, ..PostgresConfig::new(proxy.url(url).unwrap()) };
    let store = Arc::new(PostgresStore::connect(config).await.unwrap());
    Engine::start(
        store,
        EngineConfig { sweep_pause: None, schedule_pause: None, revalue_pause: None, ..EngineConfig::default() },
    )
    .unwrap()
}

/// All cuts in random order, half of them on a slow line.
async fn cut(proxy: &Proxy) {
    let mut harms: Vec<Harm> = CUTS.iter().flat_map(|(harm, count)| std::iter::repeat_n(*harm, *count)).collect();
    let mut dice = Dice::new(5);
    while !harms.is_empty() {
        let harm = harms.swap_remove(dice.roll(harms.len()));
        proxy.set_latency(Duration::from_millis(if dice.roll(2) == 0 { 0 } else { 2 }));
        sleep(Duration::from_millis(u64::try_from(dice.roll(60)).unwrap())).await;
        proxy.strike(harm).await.unwrap();
    }
    proxy.set_latency(Duration::ZERO);
}
