//! Many clients, few units, nothing broken.

use std::time::Duration;

use surehold_core::kernel::commands::PlaceHold;
use surehold_core::kernel::{HoldState, Refusal, TenantId};
use surehold_engine::{Engine, EngineConfig, Failure, new_hold_id};
use surehold_simulators::Dice;
use surehold_testkit::fixture::{Fixture, StoreKind};
use surehold_testkit::hotel::{Hotel, one_of_each};
use surehold_testkit::on_each_store;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::alone;
use super::guests::{Hours, Patience, let_in, see_out};
use super::sound::{Snapshot, assert_sound};
use super::told::{Answers, Ending, Nothing, Promise};

const CLIENTS: usize = 200;
const LIFETIME_SECS: i64 = 900;

on_each_store! {
    ten_units_go_to_ten_of_many
    overlapping_stays_fill_every_room
    guests_come_and_go
}

async fn ten_units_go_to_ten_of_many(kind: StoreKind) {
    let _alone = alone().await;
    let fixture = Fixture::new(kind).await.unwrap();
    let engine = fixture.engine().await.unwrap();
    let hotel = Hotel { tenant: TenantId(1), nights: 1, rooms: 10 };
    hotel.open(&engine).await.unwrap();
    let told = everybody_wants(&engine, &hotel, 3).await;
    assert_eq!(told.holds.len(), 10);
    assert_eq!(told.nothing.len(), 3 * CLIENTS - 10);
    assert_sound(&engine, &[hotel], &told).await;
    engine.stop().await;
}

/// Nobody lets go, so what was refused must be short for ever.
async fn overlapping_stays_fill_every_room(kind: StoreKind) {
    let _alone = alone().await;
    let fixture = Fixture::new(kind).await.unwrap();
    let engine = fixture.engine().await.unwrap();
    let hotel = Hotel { tenant: TenantId(1), nights: 12, rooms: 10 };
    hotel.open(&engine).await.unwrap();
    let told = everybody_wants(&engine, &hotel, 5).await;
    let there = Snapshot::read(&engine, hotel.tenant).await;
    for refused in &told.nothing {
        assert!(refused.sold_out);
        let short = refused.lines.pools().any(|pool| there.pools[pool].available() == 0);
        assert!(short, "{} was refused although there is room", refused.id);
    }
    assert!(told.holds.len() >= 12 * 10 / 3);
    assert_sound(&engine, &[hotel], &told).await;
    engine.stop().await;
}

/// All clients place at the same time and keep what they get.
async fn everybody_wants(engine: &Engine, hotel: &Hotel, attempts: usize) -> Answers {
    let mut clients = JoinSet::new();
    for client in 0..CLIENTS {
        let (engine, hotel, mut dice) = (engine.clone(), hotel.clone(), Dice::new(client + 1));
        clients.spawn(async move {
            let mut told = Answers::default();
            for _ in 0..attempts {
                want_one(&engine, &hotel, &mut dice, &mut told).await;
            }
            told
        });
    }
    see_out(clients).await
}

async fn want_one(engine: &Engine, hotel: &Hotel, dice: &mut Dice, told: &mut Answers) {
    let (id, tenant) = (new_hold_id(), hotel.tenant);
    let lines = if hotel.nights == 1 { one_of_each([hotel.room(0)]) } else { hotel.stay(dice) };
    match engine.run(tenant, PlaceHold::new(id, lines.clone())).await {
        Ok(done) => {
            let (versions, ending) = (Some(done.reply.pool_versions), Ending::Left);
            let promise = Promise { tenant, lines, owner: None, lifetime_secs: LIFETIME_SECS, versions, ending };
            told.holds.insert(id, promise);
        }
        Err(Failure::Refused(Refusal::SoldOut { .. })) => {
            told.nothing.push(Nothing { tenant, id, lines, sold_out: true });
        }
        Err(failure) => panic!("placing {id}: {failure:?}"),
    }
}

async fn guests_come_and_go(kind: StoreKind) {
    let _alone = alone().await;
    let fixture = Fixture::new(kind).await.unwrap();
    let config = EngineConfig { sweep_pause: Some(Duration::from_millis(300)), ..EngineConfig::default() };
    let engine = fixture.engine_with(config).await.unwrap();
    let hotels = [1, 2].map(|tenant| Hotel { tenant: TenantId(tenant), nights: 8, rooms: 10 });
    for hotel in &hotels {
        hotel.open(&engine).await.unwrap();
    }
    let hours = Hours::until_closed();
    let guests = let_in(&engine, &hotels, CLIENTS, Patience::LONG, &hours);
    for _ in 0..20 {
        hours.placed(50).await;
        sleep(Duration::from_millis(20)).await;
        fixture.advance_secs(1);
    }
    hours.close();
    let told = see_out(guests).await;
    told.print("crowd");
    assert!(told.faults.is_empty(), "nothing was broken: {:?}", told.faults);
    assert!(told.holds.len() > CLIENTS && told.nothing.len() > CLIENTS, "a crowd of both kinds");
    engine.stop().await;
    let engine = fixture.engine().await.unwrap();
    let there = Snapshot::read(&engine, hotels[0].tenant).await;
    assert!(there.holds.values().any(|hold| hold.state == HoldState::Expired), "the clock went on");
    assert_sound(&engine, &hotels, &told).await;
    engine.stop().await;
}
