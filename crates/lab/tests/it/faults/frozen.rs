//! Somebody has the turn and does not go on.

use std::time::Duration;

use surehold_core::kernel::TenantId;
use surehold_core::kernel::commands::{CancelHold, PlaceHold};
use surehold_engine::{Engine, Options, new_hold_id};
use surehold_lab::proxy::{Harm, Proxy};
use surehold_testkit::fixture::{Fixture, StoreKind, connect};
use surehold_testkit::hotel::{Hotel, one_of_each};
use tokio::time::{sleep, timeout};
use tokio_postgres::Client;

use super::alone;
use super::cuts::engine_behind;
use super::guests::{Hours, Patience, let_in, see_out};
use super::sound::{Snapshot, assert_sound};

const PATIENT: Duration = Duration::from_mins(1);

/// A session that is not ours keeps the tenant's turn for two seconds. Callers wait; nobody is told of a fault.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_kept_by_a_stranger_on_postgres() {
    let _alone = alone().await;
    let fixture = Fixture::new(StoreKind::Postgres).await.unwrap();
    let engine = fixture.engine().await.unwrap();
    let hotel = Hotel { tenant: TenantId(1), nights: 4, rooms: 10 };
    hotel.open(&engine).await.unwrap();
    let stranger = connect(fixture.url()).await.unwrap();
    let watcher = connect(fixture.url()).await.unwrap();
    let key = turn_key(&engine, &hotel, &stranger, &watcher).await;

    stranger.batch_execute(&format!("begin; select pg_advisory_xact_lock({key})")).await.unwrap();
    let hours = Hours::visits(10);
    let guests = let_in(&engine, std::slice::from_ref(&hotel), 16, Patience::LONG, &hours);
    wait_for(&watcher, "select count(*) from pg_locks where locktype = 'advisory' and not granted").await;
    sleep(Duration::from_secs(2)).await;
    stranger.batch_execute("rollback").await.unwrap();
    let told = see_out(guests).await;
    assert!(told.faults.is_empty(), "waiting is not a fault: {:?}", told.faults);
    // One hold stood in front of the turn when its key was looked up.
    assert!(told.holds.len() > 16);
    engine.stop().await;
    let engine = fixture.engine().await.unwrap();
    assert_sound(&engine, &[hotel], &told).await;
    engine.stop().await;
}

/// Stops a batch inside its turn by a lock on the journal, and looks which advisory lock it has.
async fn turn_key(engine: &Engine, hotel: &Hotel, stranger: &Client, watcher: &Client) -> i64 {
    stranger.batch_execute("begin; lock table journal in access exclusive mode").await.unwrap();
    let (asking, tenant) = (engine.clone(), hotel.tenant);
    let blocked = tokio::spawn(async move { asking.run(tenant, CancelHold { id: new_hold_id() }).await });
    wait_for(watcher, "select count(*) from pg_locks where relation = 'journal'::regclass and not granted").await;
    let sql = "select (classid::bigint << 32) | objid::bigint from pg_locks where locktype = 'advisory' \
               and database = (select oid from pg_database where datname = current_database())";
    let key = watcher.query_one(sql, &[]).await.unwrap().get(0);
    stranger.batch_execute("rollback").await.unwrap();
    blocked.await.unwrap().unwrap_err();
    key
}

/// Polls until the count is not zero.
async fn wait_for(watcher: &Client, sql: &str) {
    let there = async {
        while watcher.query_one(sql, &[]).await.unwrap().get::<_, i64>(0) == 0 {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(Duration::from_secs(20), there).await.unwrap();
}

/// A node that freezes in the middle of a batch loses its turn to the session timeout. The other node goes on; the late
/// writes of the first have no effect until it has asked and begun anew.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_frozen_in_its_turn_on_postgres() {
    let _alone = alone().await;
    let fixture = Fixture::new(StoreKind::Postgres).await.unwrap();
    let direct = fixture.engine().await.unwrap();
    let hotel = Hotel { tenant: TenantId(1), nights: 1, rooms: 10 };
    hotel.open(&direct).await.unwrap();
    let proxy = Proxy::start(fixture.url()).await.unwrap();
    let frozen = engine_behind(&proxy, fixture.url()).await;
    let place = || PlaceHold::new(new_hold_id(), one_of_each([hotel.room(0)]));
    let (to_cancel, second, third) = (place(), place(), place());
    let first = frozen.run(hotel.tenant, to_cancel.clone()).await.unwrap();
    assert!(!first.replayed);

    // Cancelling loads the hold, then its pools: the turn is lost between the two. Placing loads once: it is lost
    // before writing.
    let id = to_cancel.id();
    let cancelled = freeze_and_thaw(&proxy, &direct, &hotel, second, {
        let (frozen, tenant) = (frozen.clone(), hotel.tenant);
        async move { frozen.run_with(tenant, CancelHold { id }, patiently()).await.unwrap().replayed }
    });
    assert!(!cancelled.await, "the late cancel was carried out, once");
    let placed = freeze_and_thaw(&proxy, &direct, &hotel, place(), {
        let (frozen, tenant) = (frozen.clone(), hotel.tenant);
        async move { frozen.run_with(tenant, third, patiently()).await.unwrap().replayed }
    });
    assert!(!placed.await, "the late hold was placed, once");

    frozen.stop().await;
    let there = Snapshot::read(&direct, hotel.tenant).await;
    there.assert_consistent();
    assert_eq!((there.holds.len(), there.pools[&hotel.room(0)].held), (4, 3));
    direct.stop().await;
}

fn patiently() -> Options {
    Options { deadline: Some(PATIENT), ..Options::default() }
}

/// Freezes the node in the request's transaction until another node has placed a hold.
async fn freeze_and_thaw(
    proxy: &Proxy,
    direct: &Engine,
    hotel: &Hotel,
    meanwhile: PlaceHold,
    request: impl Future<Output = bool> + Send + 'static,
) -> bool {
    // The harm is armed before the request is made.
    let mut late = None;
    let (struck, ()) =
        tokio::join!(proxy.strike(Harm::FreezeInTransaction), async { late = Some(tokio::spawn(request)) });
    struck.unwrap();
    let done = direct.run_with(hotel.tenant, meanwhile, patiently()).await.unwrap();
    assert!(!done.replayed);
    proxy.thaw();
    late.unwrap().await.unwrap()
}
