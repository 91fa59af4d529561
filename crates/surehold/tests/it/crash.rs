//! What was acknowledged over HTTP stays true, however the process ends.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};
use surehold_testkit::fixture::fresh_database;
use tempfile::TempDir;
use uuid::Uuid;

use surehold_testkit::live::{Caller, Live, Place};

const CLIENTS: usize = 8;
const ROOMS: i64 = 1_000_000;
/// The server says that it drains for this long at most.
/// Far beyond anything that a busy machine makes the first answers wait.
const STANDSTILL: Duration = Duration::from_mins(2);
const DRAIN_MAX: Duration = Duration::from_secs(10);

/// What is known of a hold: what was acknowledged last, and what was asked afterwards without an answer.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    acknowledged: Option<&'static str>,
    asked: Option<&'static str>,
}

#[derive(Clone, Default)]
struct Ledger(Arc<Mutex<BTreeMap<Uuid, Known>>>);

impl Ledger {
    fn asked(&self, id: Uuid, state: &'static str) {
        self.0.lock().unwrap().entry(id).or_default().asked = Some(state);
    }

    fn acknowledged(&self, id: Uuid, state: &'static str) {
        self.0.lock().unwrap().insert(id, Known { acknowledged: Some(state), asked: None });
    }

    fn all(&self) -> BTreeMap<Uuid, Known> {
        self.0.lock().unwrap().clone()
    }
}

fn place(id: Uuid) -> Value {
    json!({"id": id, "lines": [{"resource": "room"}], "lifetime_secs": 3_600})
}

/// Places, cancels, converts and batches until there is no answer. Any answer but a good one is a failure, except
/// that the server says it is stopping.
async fn press(caller: Caller, ledger: Ledger) -> Result<(), String> {
    let stopped = |body: &Value| body["code"] == "stopping";
    for turn in 0_u32.. {
        let ids: Vec<Uuid> = (0..if turn % 3 == 2 { 5 } else { 1 }).map(|_| Uuid::now_v7()).collect();
        for id in &ids {
            ledger.asked(*id, "active");
        }
        let answer = if let [id] = ids[..] {
            caller.ask(Method::POST, "/v1/casa/holds", Some(&place(id))).await
        } else {
            let commands: Vec<Value> = ids.iter().map(|id| json!({"place": place(*id)})).collect();
            caller.ask(Method::POST, "/v1/casa/holds/batch", Some(&json!({"commands": commands}))).await
        };
        let Ok((status, body, _)) = answer else { return Ok(()) };
        if stopped(&body) {
            return Ok(());
        }
        if !status.is_success() {
            return Err(format!("placed: {status} {body}"));
        }
        let results = body["results"].as_array().cloned().unwrap_or_default();
        if results.iter().any(|result| result["status"] != 201) {
            return if results.iter().any(|result| stopped(&result["problem"])) {
                Ok(())
            } else {
                Err(body.to_string())
            };
        }
        for id in &ids {
            ledger.acknowledged(*id, "active");
        }
        let (id, verb, state) = match turn % 4 {
            0 => (ids[0], "cancel", "cancelled"),
            1 => (ids[0], "convert", "converted"),
            _ => continue,
        };
        ledger.asked(id, state);
        let body = (verb == "convert").then(|| json!({"mode": "book"}));
        let answer = caller.ask(Method::POST, &format!("/v1/casa/holds/{id}/{verb}"), body.as_ref()).await;
        let Ok((status, body, _)) = answer else { return Ok(()) };
        if stopped(&body) {
            return Ok(());
        }
        if !status.is_success() || body["state"] != state {
            return Err(format!("{verb}: {status} {body}"));
        }
        ledger.acknowledged(id, state);
    }
    Ok(())
}

/// Everything that was acknowledged is there, and nothing is there twice.
async fn verify(caller: &Caller, ledger: &Ledger) {
    let (mut active, mut converted, mut present) = (0_i64, 0_i64, BTreeSet::new());
    let mut repeated = 0;
    for (id, known) in ledger.all() {
        let (status, hold) = caller.get(&format!("/v1/casa/holds/{id}")).await;
        let state = hold["state"].as_str();
        assert!(status == 200 || hold["code"] == "hold-not-found", "{id}: {status} {hold}");
        let allowed = [known.acknowledged, known.asked];
        assert!(state.is_none() || allowed.contains(&state), "{id} is {state:?}, known was {known:?}");
        assert!(state.is_some() || known.acknowledged.is_none(), "{id} is lost, known was {known:?}");
        let Some(state) = state else { continue };
        present.insert(id.to_string());
        active += i64::from(state == "active");
        converted += i64::from(state == "converted");
        if repeated < 20 && known.acknowledged.is_some() {
            repeated += 1;
            let again = caller.ask(Method::POST, "/v1/casa/holds", Some(&place(id))).await.unwrap();
            assert!(again.0 == 201 && again.2, "{id} was made again: {} {}", again.0, again.1);
        }
    }
    let (_, pool) = caller.get("/v1/casa/pools/room").await;
    assert_eq!((pool["held"].as_i64(), pool["booked"].as_i64()), (Some(active), Some(converted)), "{pool}");
    assert_eq!(pool["available"], ROOMS - active - converted);
    let mut placed = BTreeSet::new();
    let mut after = "0-0".to_owned();
    loop {
        let (_, page) = caller.get(&format!("/v1/casa/events?limit=1000&after={after}")).await;
        for event in page["events"].as_array().unwrap().iter().filter(|event| event["type"] == "hold_placed") {
            let id = event["hold"].as_str().unwrap().to_owned();
            assert!(placed.insert(id.clone()), "{id} was placed twice");
        }
        page["next"].as_str().unwrap().clone_into(&mut after);
        if page["more"] == false {
            break;
        }
    }
    assert_eq!(placed, present);
}

/// Load for a while, then the signal; how long it took to end, and how.
async fn load_and_end(live: Live, key: &str, ledger: &Ledger, signal: &str) -> (Duration, std::process::ExitStatus) {
    let acknowledged = || ledger.all().values().filter(|known| known.acknowledged.is_some()).count();
    let before = acknowledged();
    let clients: Vec<_> = (0..CLIENTS).map(|_| tokio::spawn(press(Caller::new(&live, key), ledger.clone()))).collect();
    // The signal comes in the middle of load, however long that takes to begin.
    let loaded = async {
        while acknowledged() <= before + CLIENTS {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(STANDSTILL, loaded).await.expect("there is load");
    tokio::time::sleep(Duration::from_millis(300)).await;
    live.signal(signal);
    let signalled_at = Instant::now();
    let status = tokio::task::spawn_blocking(move || live.ended()).await.unwrap();
    let took = signalled_at.elapsed();
    for client in clients {
        assert_eq!(client.await.unwrap(), Ok(()));
    }
    (took, status)
}

async fn survive(place: &Place, signals: &[&str]) {
    let live = place.serve();
    let key = live.casa_key();
    live.local("PUT", "/v1/casa/pools/room", &json!({"total": ROOMS}));
    let ledger = Ledger::default();
    let mut live = live;
    for signal in signals {
        let (took, status) = load_and_end(live, &key, &ledger, signal).await;
        if *signal != "KILL" {
            assert_eq!(status.code(), Some(0), "{signal}: {}", place.log());
            assert!(took < 3 * DRAIN_MAX, "{signal} took {took:?}");
        }
        live = place.serve();
        verify(&Caller::new(&live, &key), &ledger).await;
    }
}

fn sqlite(folder: &TempDir) -> Place {
    crate::place(folder.path())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_under_load_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    survive(&sqlite(&folder), &["KILL", "KILL", "KILL"]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn asked_to_stop_under_load_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    survive(&sqlite(&folder), &["TERM", "INT"]).await;
}

async fn postgres(folder: &Path) -> Place {
    Place { store: Some(fresh_database().await.unwrap()), ..crate::place(folder) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_under_load_on_postgres() {
    let folder = tempfile::tempdir().unwrap();
    survive(&postgres(folder.path()).await, &["KILL", "KILL", "TERM"]).await;
}
