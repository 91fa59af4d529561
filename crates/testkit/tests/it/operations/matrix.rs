//! Every place where a worker may die, under everything that a provider may do.

use futures_util::{StreamExt, stream};
use surehold_engine::Boundary;
use surehold_simulators::charge::{CHARGE, CHARGE_WITH_FEE, charge};
use surehold_simulators::provider::ProviderFault;
use surehold_testkit::fixture::StoreKind;

use super::scene::{Scene, Tally};

const CASES_AT_ONCE: usize = 8;

/// Longer than an attempt may take, so that it is given up and asked about.
const LATE: ProviderFault = ProviderFault::Late { delay_millis: 2_200 };

fn faults() -> impl Iterator<Item = Option<ProviderFault>> {
    let all = ProviderFault::ALL.map(|fault| match fault {
        ProviderFault::Late { .. } => LATE,
        ProviderFault::AcceptThenDrop
        | ProviderFault::AcceptThen500
        | ProviderFault::DropBefore
        | ProviderFault::Twice
        | ProviderFault::Reject { .. }
        | ProviderFault::Busy { .. }
        | ProviderFault::Garbage
        | ProviderFault::Unavailable => fault,
    });
    std::iter::once(None).chain(all.map(Some))
}

/// Where workers die, one after the other; after them one lives.
fn deaths(boundary: Boundary) -> Vec<String> {
    let death = |boundary: Boundary, visit: u32| format!("{}:{visit}", boundary.as_str());
    match boundary {
        // Asked is only who is in doubt, and a death after a call is what leaves doubt.
        Boundary::ProbeAnswered => vec![death(Boundary::CallAnswered, 1), death(boundary, 1)],
        // The three charges are under way together: at the second visit another one is a step further.
        Boundary::EffectFound | Boundary::EffectStarted | Boundary::CallAnswered | Boundary::EffectFinished => {
            vec![death(boundary, 2)]
        }
        Boundary::StateFound | Boundary::StateDone => vec![death(boundary, 1)],
    }
}

async fn die_and_finish(kind: StoreKind, boundary: Boundary, fault: Option<ProviderFault>) -> (usize, Tally) {
    let scene = Scene::new(kind).await;
    let charges = [charge(&CHARGE, "a", 100), charge(&CHARGE, "b", 200), charge(&CHARGE_WITH_FEE, "c", 300)];
    scene.enqueue(charges.to_vec()).await;
    if let Some(fault) = fault {
        scene.queue_fault(fault, 2);
    }
    let deaths = deaths(boundary);
    for place in &deaths {
        scene.worker_dies_at(place).await;
    }
    scene.work_until_idle().await;
    let tally = scene.assert_each_once().await;
    let declined = match fault {
        Some(ProviderFault::Reject { .. }) => 2,
        Some(_) | None => 0,
    };
    assert_eq!(tally.declined, declined, "{boundary:?} {fault:?}");
    assert!(declined > 0 || tally.charges == 4, "{boundary:?} {fault:?}: {tally:?}");
    assert!(declined > 0 || tally.dead == 0, "{boundary:?} {fault:?}: {tally:?}");
    let report = scene.provider.report();
    assert_eq!(report.faults_queued, 0, "{boundary:?} {fault:?}: every fault struck");
    (deaths.len(), tally)
}

async fn all(kind: StoreKind, cases: Vec<(Boundary, Option<ProviderFault>)>) {
    let count = cases.len();
    let ended = stream::iter(cases).map(|(boundary, fault)| die_and_finish(kind, boundary, fault));
    let ended: Vec<_> = ended.buffer_unordered(CASES_AT_ONCE).collect().await;
    let deaths: usize = ended.iter().map(|(deaths, _)| deaths).sum();
    let charges: usize = ended.iter().map(|(_, tally)| tally.charges).sum();
    eprintln!("{kind:?}: {count} cases, {deaths} deaths, {charges} charges, each once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_everywhere_under_everything() {
    let cases = Boundary::ALL.into_iter().flat_map(|boundary| faults().map(move |fault| (boundary, fault)));
    all(StoreKind::Sqlite, cases.collect()).await;
}

/// Every place and every fault, but not every pair of them: what differs is how the store is written to.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_everywhere_and_under_everything() {
    all(StoreKind::Postgres, Boundary::ALL.into_iter().cycle().zip(faults()).collect()).await;
}
