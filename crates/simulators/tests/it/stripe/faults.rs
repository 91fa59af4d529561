//! Bad days of the API: what the client sees, and what was done.

use std::collections::BTreeMap;

use surehold_simulators::stripe::{RandomStripeFaults, StripeFault};

use super::scene::{Response, SESSION, Scene};

const SESSIONS: &str = "/v1/checkout/sessions";

fn summary(told: Option<&Response>) -> String {
    let Some(told) = told else { return "nothing".to_owned() };
    let retry_after = told.headers.get("retry-after").map(|secs| format!(" after {}", secs.to_str().unwrap()));
    told.summary() + &retry_after.unwrap_or_default()
}

/// Asks under the fault and once more with the same key; after each, what was seen and how many sessions there are.
#[tokio::test]
async fn each_fault_does_what_it_says() {
    let check = async |fault: StripeFault, expected: [&str; 2]| {
        let scene = Scene::new().await;
        scene.sim.queue_faults(&[fault]);
        let mut seen = Vec::new();
        for _ in 0..2 {
            let told = scene.post_with_key("k", SESSIONS, SESSION).await;
            seen.push(format!("{}; {}", summary(told.as_ref()), scene.sim.report().sessions.len()));
        }
        assert_eq!(seen, expected, "{fault:?}");
        let report = scene.sim.report();
        assert_eq!(report.faults, BTreeMap::from([(fault.name().to_owned(), 1)]), "{fault:?}");
        assert_eq!(report.faults_queued, 0, "{fault:?}");
    };
    let replayed = "200 open unpaid replayed; 1";
    check(StripeFault::DropAfter, ["nothing; 1", replayed]).await;
    check(StripeFault::ResetAfter, ["nothing; 1", replayed]).await;
    check(StripeFault::ResetBefore, ["nothing; 0", "200 open unpaid; 1"]).await;
    check(StripeFault::ErrorAfter, ["500 api_error; 1", "500 api_error replayed; 1"]).await;
    check(StripeFault::ErrorBefore, ["500 api_error; 0", "200 open unpaid; 1"]).await;
    check(StripeFault::ErrorInstead, ["500 api_error; 0", "500 api_error replayed; 0"]).await;
    check(StripeFault::Late { delay_millis: 1 }, ["200 open unpaid; 1", replayed]).await;
    check(StripeFault::LateAnswer { delay_millis: 1 }, ["200 open unpaid; 1", replayed]).await;
    let busy = "429 invalid_request_error rate_limit after 7; 0";
    check(StripeFault::Busy { retry_after_secs: 7 }, [busy, "200 open unpaid; 1"]).await;
    let conflict = "409 idempotency_error idempotency_key_in_use; 0";
    check(StripeFault::Conflict, [conflict, "200 open unpaid; 1"]).await;
}

/// A client that left before its time: it is done all the same.
#[tokio::test]
async fn leaving_cancels_nothing() {
    let scene = Scene::new().await;
    scene.sim.queue_faults(&[StripeFault::Late { delay_millis: 60_000 }]);
    {
        let asking = scene.post_with_key("k", SESSIONS, SESSION);
        tokio::select! {
            _ = asking => panic!("it is late"),
            () = scene.sim.waiting(1) => {}
        }
    }
    assert_eq!(scene.sim.report().sessions.len(), 0);
    scene.sim.release();
    scene.sim.waiting(0).await;
    assert_eq!(scene.sim.report().sessions.len(), 1);
}

/// Only what is answered is late: meanwhile everybody can see what was done.
#[tokio::test]
async fn a_late_answer_is_of_something_done() {
    let scene = Scene::new().await;
    scene.sim.queue_faults(&[StripeFault::LateAnswer { delay_millis: 60_000 }]);
    let other = async {
        scene.sim.waiting(1).await;
        let listed = scene.get(SESSIONS).await.body["data"].as_array().unwrap().len();
        scene.sim.release();
        listed
    };
    let (told, listed) = tokio::join!(scene.post_with_key("k", SESSIONS, SESSION), other);
    assert_eq!((told.unwrap().summary().as_str(), listed), ("200 open unpaid", 1));
}

/// With one key for each thing that is wanted, however often it must be asked for: nobody pays back twice.
#[tokio::test]
async fn by_chance() {
    let scene = Scene::new().await;
    let mut intents = Vec::new();
    for _ in 0..10 {
        intents.push(scene.paid().await.0);
    }
    let faults: Vec<_> = StripeFault::ALL
        .into_iter()
        .filter(|fault| !matches!(fault, StripeFault::Late { .. } | StripeFault::LateAnswer { .. }))
        .collect();
    scene.sim.set_random_faults(&RandomStripeFaults { seed: 3, percent: 50, faults });
    for (number, intent) in intents.iter().enumerate() {
        let form = format!("payment_intent={intent}&metadata[operation]=op-{number}");
        let mut kept = false;
        while !kept {
            let told = scene.post_with_key(&format!("op-{number}"), "/v1/refunds", &form).await;
            kept = told.is_some_and(|told| told.status == 200 || told.headers.contains_key("idempotent-replayed"));
        }
    }
    let report = scene.sim.report();
    assert!(report.faults_total() > 5, "{:?}", report.faults);
    assert!(report.refunds_by("operation").values().all(|count| *count == 1), "{:?}", report.refunds);
    assert_eq!(report.refunded_too_much().count(), 0);
}
