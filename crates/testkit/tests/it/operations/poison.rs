//! Operations that take their worker with them.

use surehold_core::operations::{Case, CaseState, DeadLetter, Operation, Outcome};
use surehold_simulators::charge::{CHARGE, POISON, charge};
use surehold_testkit::fixture::StoreKind;
use surehold_testkit::on_each_store;

use super::scene::{Scene, TENANT};

const OTHERS: usize = 5;

async fn poison_is_quarantined(kind: StoreKind) {
    let scene = Scene::new(kind).await;
    let mut charges: Vec<_> = (0..OTHERS).map(|index| charge(&CHARGE, &format!("p{index}"), 100)).collect();
    charges.insert(OTHERS / 2, charge(&POISON, "poison", 100));
    scene.enqueue(charges).await;
    for _ in 0..3 {
        scene.worker(&[]).aborts().await;
    }
    scene.work_until_idle().await;

    let engine = scene.engine().await;
    let views = engine.views();
    let letters: Vec<DeadLetter> = views.all_records(TENANT).await.unwrap();
    let letters: Vec<_> = letters.iter().map(|letter| (letter.key.to_string(), letter.code.as_str())).collect();
    assert_eq!(letters, [("POISON poison".to_owned(), "quarantined")]);
    // Nobody knows what it did before it took its worker down.
    let cases: Vec<Case> = views.all_records(TENANT).await.unwrap();
    let cases: Vec<_> = cases.iter().map(|case| (case.key.kind.as_str(), case.key.key.as_str(), case.state)).collect();
    assert_eq!(cases, [("effect-unknown", "POISON poison", CaseState::Open)]);
    let operations: Vec<Operation> = views.all_records(TENANT).await.unwrap();
    let charged = operations.iter().filter(|operation| operation.key.kind.as_str() == CHARGE.name);
    assert!(charged.clone().all(|operation| operation.outcome == Some(Outcome::Succeeded)), "the others went on");
    assert_eq!(charged.count(), OTHERS);
    engine.stop().await;
    let report = scene.provider.report();
    assert_eq!((report.charges.len(), report.charges_per_operation_max), (OTHERS, 1));
}

on_each_store! { poison_is_quarantined }
