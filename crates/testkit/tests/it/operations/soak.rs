//! Everything at once: a provider with bad days, two workers on one database, and twenty kills.

use std::time::Duration;

use surehold_core::operations::commands::RedriveOperation;
use surehold_core::operations::{Actor, DeadLetter, Reason};
use surehold_engine::Engine;
use surehold_simulators::Dice;
use surehold_simulators::charge::nothing_is_left;
use surehold_simulators::charge::{CHARGE, CHARGE_WITH_FEE, charge};
use surehold_simulators::provider::{ProviderFault, RandomFaults};
use surehold_testkit::fixture::StoreKind;
use tokio::time::sleep;

use super::scene::{Scene, TENANT, assert_each_once, enqueue};
use super::until;

const KILLS: usize = 20;
const OPERATIONS_PER_KILL: usize = 15;
const SEED: usize = 11;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_and_bad_days_on_postgres() {
    let scene = Scene::new(StoreKind::Postgres).await;
    let engine = scene.engine().await;
    let late = ProviderFault::Late { delay_millis: 2_200 };
    let faults = [late].into_iter().chain(ProviderFault::ALL).filter(|fault| *fault != ProviderFault::LATE).collect();
    scene.provider.set_random_faults(&RandomFaults { seed: SEED, percent: 40, faults });
    let mut dice = Dice::new(SEED);
    let mut workers = vec![scene.worker(&[]), scene.worker(&[])];
    for worker in &mut workers {
        worker.says("working").await;
    }
    for kill in 0..KILLS {
        let charges = (0..OPERATIONS_PER_KILL).map(|index| {
            let kind = if dice.roll(2) == 0 { &CHARGE } else { &CHARGE_WITH_FEE };
            charge(kind, &format!("p{kill}-{index}"), 100)
        });
        enqueue(&engine, charges.collect()).await;
        sleep(Duration::from_millis(30 + u64::try_from(dice.roll(400)).unwrap())).await;
        workers.swap_remove(dice.roll(2)).kill().await;
        let mut worker = scene.worker(&[]);
        worker.says("working").await;
        workers.push(worker);
    }
    let mut redriven = 0;
    loop {
        until("all is done", async || nothing_is_left(engine.views()).await.then_some(())).await;
        let again = redrive(&engine).await;
        redriven += again;
        if again == 0 {
            break;
        }
    }
    for worker in workers {
        worker.stop().await;
    }
    let tally = assert_each_once(&engine, &scene.provider).await;
    engine.stop().await;
    let report = scene.provider.report();
    eprintln!(
        "{tally:?}, {redriven} redriven, {} requests, {} lists, {:?}",
        report.requests, report.lists, report.faults
    );
    assert!(tally.charges + tally.declined >= KILLS * OPERATIONS_PER_KILL);
    assert!(report.faults.len() >= 9, "every fault struck");
}

/// An operation that three kills in a row have hit is taken for poison. Somebody looks at it and says that it is not.
async fn redrive(engine: &Engine) -> usize {
    let letters: Vec<DeadLetter> = engine.views().all_records(TENANT).await.unwrap();
    let mut redriven = 0;
    for letter in letters.iter().filter(|letter| letter.resolved_at.is_none() && letter.code == "quarantined") {
        let kind = if letter.key.kind.as_str() == CHARGE.name { &CHARGE } else { &CHARGE_WITH_FEE };
        let (actor, reason) = (Actor::new("ann").unwrap(), Reason::new("the machine was at fault").unwrap());
        engine.run(TENANT, RedriveOperation { key: letter.key.clone(), kind, actor, reason }).await.unwrap();
        redriven += 1;
    }
    redriven
}
