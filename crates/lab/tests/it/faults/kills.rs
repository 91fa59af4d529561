//! Connections ended by the server in the middle of whatever they do.

use std::time::Duration;

use surehold_core::kernel::TenantId;
use surehold_engine::EngineConfig;
use surehold_simulators::Dice;
use surehold_testkit::fixture::{Fixture, StoreKind, connect};
use surehold_testkit::hotel::Hotel;
use tokio::time::sleep;

use super::alone;
use super::guests::{Hours, Patience, let_in, see_out};
use super::sound::assert_sound;

const KILLS: i64 = 150;
/// So much work goes on between the kills at least.
const HOLDS: usize = 30;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_connections_on_postgres() {
    let _alone = alone().await;
    let fixture = Fixture::new(StoreKind::Postgres).await.unwrap();
    let config = EngineConfig { sweep_pause: Some(Duration::from_millis(300)), ..EngineConfig::default() };
    let engine = fixture.engine_with(config).await.unwrap();
    let hotels = [1, 2, 3].map(|tenant| Hotel { tenant: TenantId(tenant), nights: 8, rooms: 10 });
    for hotel in &hotels {
        hotel.open(&engine).await.unwrap();
    }
    let hours = Hours::until_closed();
    let guests = let_in(&engine, &hotels, 32, Patience::MIXED, &hours);
    tokio::join!(kill_connections(fixture.url()), hours.placed(HOLDS));
    hours.close();
    let told = see_out(guests).await;
    told.print("killed connections");
    assert!(!told.faults.is_empty(), "the kills were felt");
    engine.stop().await;
    let engine = fixture.engine().await.unwrap();
    assert_sound(&engine, &hotels, &told).await;
    engine.stop().await;
}

/// One connection every 20 to 50 ms, rather one that works than one that waits.
async fn kill_connections(url: &str) {
    let client = connect(url).await.unwrap();
    let sql = "select count(pg_terminate_backend(pid)) from (select pid from pg_stat_activity \
               where application_name = 'surehold' and datname = current_database() \
               order by (state <> 'idle') desc, random() limit 1) victim";
    let mut dice = Dice::new(3);
    let mut kills = 0;
    while kills < KILLS {
        kills += client.query_one(sql, &[]).await.unwrap().get::<_, i64>(0);
        sleep(Duration::from_millis(20 + u64::try_from(dice.roll(31)).unwrap())).await;
    }
}
