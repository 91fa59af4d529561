//! Two engines on one database, for one tenant: turns meet in the database.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use surehold_core::kernel::commands::{AdjustPool, PlaceHold};
use surehold_core::kernel::{HoldId, Pool, TenantId};
use surehold_engine::{Engine, EngineConfig, Failure, Fault, new_hold_id};
use surehold_testkit::fixture::{Fixture, StoreKind, connect};
use surehold_testkit::hotel::{Hotel, one_of_each};
use tokio::time::sleep;

use super::alone;
use super::guests::{Hours, Patience, let_in, see_out};
use super::sound::{Snapshot, assert_sound};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_engines_share_few_units_on_postgres() {
    two_engines_share(Hotel { tenant: TenantId(1), nights: 2, rooms: 5 }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_engines_share_many_units_on_postgres() {
    two_engines_share(Hotel { tenant: TenantId(1), nights: 1, rooms: 1_000_000 }).await;
}

async fn two_engines_share(hotel: Hotel) {
    let _alone = alone().await;
    let fixture = Fixture::new(StoreKind::Postgres).await.unwrap();
    let config = EngineConfig { sweep_pause: Some(Duration::from_millis(300)), ..EngineConfig::default() };
    let engines = [fixture.engine_with(config).await.unwrap(), fixture.engine_with(config).await.unwrap()];
    hotel.open(&engines[0]).await.unwrap();
    let hotels = [hotel];
    let hours = Hours::visits(40);
    let [first, second] = &engines;
    let guests = [first, second].map(|engine| let_in(engine, &hotels, 24, Patience::LONG, &hours));
    let [first, second] = guests;
    let mut told = see_out(first).await;
    told.add(see_out(second).await);
    told.print("two engines");
    assert!(told.faults.is_empty(), "nothing was broken: {:?}", told.faults);
    for engine in engines {
        engine.stop().await;
    }
    let engine = fixture.engine().await.unwrap();
    assert_sound(&engine, &hotels, &told).await;
    engine.stop().await;
}

/// Whoever comes second is told that it is there already.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_id_through_two_engines_on_postgres() {
    let _alone = alone().await;
    let fixture = Fixture::new(StoreKind::Postgres).await.unwrap();
    let engines = [fixture.engine().await.unwrap(), fixture.engine().await.unwrap()];
    let hotel = Hotel { tenant: TenantId(1), nights: 1, rooms: 1_000 };
    hotel.open(&engines[0]).await.unwrap();
    let ids: Vec<HoldId> = (0..200).map(|_| new_hold_id()).collect();
    for chunk in ids.chunks(20) {
        let [first, second] = &engines;
        let (first, second) = tokio::join!(place_all(first, &hotel, chunk), place_all(second, &hotel, chunk));
        for (id, (first, second)) in chunk.iter().zip(first.into_iter().zip(second)) {
            assert!(first != second, "{id} was placed by one and replayed by the other");
        }
    }
    let there = Snapshot::read(&engines[0], hotel.tenant).await;
    there.assert_consistent();
    assert_eq!(there.holds.len(), ids.len());
    for engine in engines {
        engine.stop().await;
    }
}

/// The turn is a convention; a program that does not keep it must not be overwritten. It and the engine both add to one
/// total, and nothing that either added may be lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stranger_writes_outside_of_the_turn_on_postgres() {
    const STRANGER_UNITS: i64 = 100;
    let _alone = alone().await;
    let fixture = Fixture::new(StoreKind::Postgres).await.unwrap();
    let engine = fixture.engine().await.unwrap();
    let hotel = Hotel { tenant: TenantId(1), nights: 1, rooms: 0 };
    hotel.open(&engine).await.unwrap();
    let stranger = connect(fixture.url()).await.unwrap();
    let closed = AtomicBool::new(false);
    let adding = async {
        let mut added = 0;
        while !closed.load(Ordering::Relaxed) {
            match engine.run(hotel.tenant, AdjustPool::new(hotel.room(0), 1).unwrap()).await {
                Ok(_) => added += 1,
                Err(failure) => assert_eq!(failure, Failure::Fault(Fault::Busy)),
            }
        }
        added
    };
    let meddling = async {
        let sql = "update pools set total = total + 1, version = version + 1 where resource = 'room'";
        for _ in 0..STRANGER_UNITS {
            stranger.execute(sql, &[]).await.unwrap();
            sleep(Duration::from_millis(3)).await;
        }
        closed.store(true, Ordering::Relaxed);
    };
    let (added, ()) = tokio::join!(adding, meddling);
    assert!(added > 0);
    let pool: Pool = engine.views().record(hotel.tenant, &hotel.room(0)).await.unwrap().unwrap();
    assert_eq!(pool.total, added + STRANGER_UNITS);
    engine.stop().await;
}

/// For each, whether it was a replay.
async fn place_all(engine: &Engine, hotel: &Hotel, ids: &[HoldId]) -> Vec<bool> {
    let place = |id: &HoldId| PlaceHold::new(*id, one_of_each([hotel.room(0)]));
    let outcomes = engine.run_all(hotel.tenant, ids.iter().map(place).collect()).await;
    outcomes.into_iter().map(|outcome| outcome.unwrap().replayed).collect()
}
