//! Bugs that take a database and more than one node, or a connection that is cut.

use std::sync::Arc;

use futures_util::future::join_all;
use surehold_core::kernel::commands::ConvertHold;
use surehold_core::kernel::{ConvertMode, Hold, HoldState, Pool};
use surehold_engine::{Engine, EngineConfig, Failure, Fault};
use surehold_lab::proxy::{Harm as Cut, Proxy};
use surehold_postgres::{PostgresConfig, PostgresStore};
use surehold_testkit::fixture::{Fixture, StoreKind};

use super::Harm;
use super::log::take_errors;
use super::shop::{TENANT, HoldOutcome, fill, place, pool};

const ROOMS: i64 = 1_000;
/// Enough for the nodes to meet many times.
const ROUNDS: usize = 40;
const CALLERS: usize = 4;

/// A place, while its connection is cut: what was told, and whether the hold is there then.
async fn place_and_cut(cut: Cut) -> (HoldOutcome, bool) {
    let fixture = Fixture::new(StoreKind::Postgres).await.unwrap();
    let direct = fixture.engine().await.unwrap();
    fill(&direct, &[("room", ROOMS)]).await;
    let proxy = Proxy::start(fixture.url()).await.unwrap();
    let config = PostgresConfig { lanes: 1, ..PostgresConfig::new(proxy.url(fixture.url()).unwrap()) };
    let store = Arc::new(PostgresStore::connect(config).await.unwrap());
    let config = EngineConfig { sweep_pause: None, schedule_pause: None, ..EngineConfig::default() };
    let engine = Engine::start(store, config).unwrap();
    let place = place(&[("room", 1)]);
    let id = place.id();
    // The harm is armed before the request is made.
    let (struck, told) = tokio::join!(proxy.strike(cut), engine.run(TENANT, place));
    struck.unwrap();
    engine.stop().await;
    let found = direct.views().record::<Hold>(TENANT, &id).await.unwrap();
    direct.stop().await;
    (told, found.is_some())
}

pub(super) async fn a_reply_before_the_commit() -> Harm {
    let (told, is_there) = place_and_cut(Cut::CutBeforeCommit).await;
    (told.is_ok() && !is_there).then(|| "somebody was told of a hold that is not there".to_owned())
}

pub(super) async fn an_unknown_commit_called_a_failure() -> Harm {
    let (told, is_there) = place_and_cut(Cut::CutAfterCommit).await;
    let denied = matches!(told, Err(Failure::Fault(Fault::Unavailable)));
    (denied && is_there).then(|| "nothing was changed, it was said, and the hold is there".to_owned())
}

/// Two nodes place holds in the same pool at the same time: how many there are, and what the pool says.
async fn race() -> (usize, Pool) {
    let fixture = Fixture::new(StoreKind::Postgres).await.unwrap();
    let nodes = [fixture.engine().await.unwrap(), fixture.engine().await.unwrap()];
    fill(&nodes[0], &[("room", ROOMS)]).await;
    let sell = async |node: &Engine| {
        for _ in 0..ROUNDS {
            // Who is told to come back later was not served.
            let _ = node.run(TENANT, place(&[("room", 1)])).await;
        }
    };
    join_all((0..CALLERS).flat_map(|_| &nodes).map(sell)).await;
    let holds: Vec<Hold> = nodes[0].views().all_records(TENANT).await.unwrap();
    let active = holds.iter().filter(|hold| hold.state == HoldState::Active).count();
    let pool: Pool = nodes[0].views().record(TENANT, &pool("room")).await.unwrap().unwrap();
    for node in nodes {
        node.stop().await;
    }
    (active, pool)
}

/// Versions and the journal's key still stand in the way: what is left is that they say so.
pub(super) async fn a_turn_that_is_not_taken() -> Harm {
    take_errors();
    let (active, pool) = race().await;
    assert_eq!(i64::try_from(active).unwrap(), pool.held, "the guards behind the turn hold");
    let errors = take_errors();
    let fired = errors.iter().filter(|line| line.contains("outside of the turn")).count();
    (fired > 0).then(|| format!("a guard fired {fired} times"))
}

pub(super) async fn a_lost_update() -> Harm {
    let (active, pool) = race().await;
    (pool.held != i64::try_from(active).unwrap()).then(|| format!("{} units are held by {active} holds", pool.held))
}

/// The database is a minute ahead of the node.
pub(super) async fn a_clock_of_the_node() -> Harm {
    let fixture = Fixture::new(StoreKind::Postgres).await.unwrap();
    let engine = fixture.engine().await.unwrap();
    fill(&engine, &[("room", 1)]).await;
    let hold = engine.run(TENANT, place(&[("room", 1)]).lifetime_secs(60).unwrap()).await.unwrap().reply.hold;
    fixture.advance_secs(61);
    let convert = ConvertHold { id: hold.id, mode: ConvertMode::Book, part: None };
    let told = engine.run(TENANT, convert).await;
    engine.stop().await;
    told.ok().map(|done| format!("has expired, and is {:?}", done.reply.hold.state))
}
