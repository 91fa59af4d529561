//! The server crashes and comes back.

use std::sync::Arc;
use std::time::Duration;

use surehold_core::kernel::TenantId;
use surehold_engine::{Engine, EngineConfig};
use surehold_postgres::{PostgresConfig, PostgresStore};
use surehold_testkit::fixture;
use surehold_testkit::hotel::Hotel;
use surehold_testkit::private_postgres::PrivatePostgres;
use tokio::task::spawn_blocking;

use super::alone;
use super::guests::{Hours, Patience, let_in, see_out};
use super::sound::assert_sound;

const CRASHES: usize = 3;
/// Before each crash and after the last.
const HOLDS_BETWEEN: usize = 400;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_server_crashes_under_load_on_postgres() {
    let _alone = alone().await;
    let server = Arc::new(spawn_blocking(fixture::own_postgres).await.unwrap());
    let engine = engine(&server, Some(Duration::from_millis(300))).await;
    let hotels = [1, 2, 3].map(|tenant| Hotel { tenant: TenantId(tenant), nights: 8, rooms: 10 });
    for hotel in &hotels {
        hotel.open(&engine).await.unwrap();
    }
    let hours = Hours::until_closed();
    let guests = let_in(&engine, &hotels, 24, Patience::MIXED, &hours);
    for _ in 0..CRASHES {
        hours.placed(HOLDS_BETWEEN).await;
        let server = Arc::clone(&server);
        let restarted = spawn_blocking(move || server.crash().and_then(|()| server.launch()));
        restarted.await.unwrap().unwrap();
    }
    hours.placed(HOLDS_BETWEEN).await;
    hours.close();
    let told = see_out(guests).await;
    told.print("crashed server");
    assert!(!told.faults.is_empty(), "the crashes were felt");
    engine.stop().await;
    let engine = self::engine(&server, None).await;
    assert_sound(&engine, &hotels, &told).await;
    engine.stop().await;
}

async fn engine(server: &PrivatePostgres, sweep_pause: Option<Duration>) -> Engine {
    let store = Arc::new(PostgresStore::connect(PostgresConfig::new(server.url())).await.unwrap());
    Engine::start(store, EngineConfig { sweep_pause, ..EngineConfig::default() }).unwrap()
}
