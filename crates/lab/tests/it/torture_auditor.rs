//! The auditor on a system that is real: clients that ask at the same time, and a final state that is read over HTTP.
//! Nothing is harmed here; what is shown is that the auditor's model is the system's.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use futures_util::future::join_all;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use surehold_core::kernel::Timestamp;
use surehold_engine::EngineConfig;
use surehold_http::server::Peer;
use surehold_http::{Api, ApiConfig};
use surehold_lab::torture::auditor::{CollectPlan, collect, judge};
use surehold_lab::torture::history::{Answer, Ask, Entry, HoldSeen, Kind, PoolSeen, Units};
use surehold_simulators::Dice;
use surehold_testkit::fixture::{Fixture, StoreKind};
use surehold_testkit::on_each_store;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;
use uuid::Uuid;

const POOLS: [&str; 4] = ["bike", "room@2026-12-24", "room@2026-12-25", "room-service"];
const CLIENTS: usize = 6;
const ASKS: usize = 150;

struct Till {
    router: Router,
    key: String,
    began: Instant,
    processes: AtomicU64,
    history: Mutex<Vec<Entry>>,
}

fn lines(units: &Units) -> Value {
    let line = |(pool, units): (&String, &i64)| {
        let (resource, slot) = pool.split_once('@').unwrap_or((pool, ""));
        json!({"resource": resource, "slot": slot, "quantity": units})
    };
    Value::Array(units.iter().map(line).collect())
}

fn units(lines: &Value) -> Units {
    let name = |line: &Value| match (line["resource"].as_str().unwrap(), line["slot"].as_str().unwrap()) {
        (resource, "") => resource.to_owned(),
        (resource, slot) => format!("{resource}@{slot}"),
    };
    lines.as_array().unwrap().iter().map(|line| (name(line), line["quantity"].as_i64().unwrap())).collect()
}

fn micros(value: &Value) -> i64 {
    let at: Timestamp = serde_json::from_value(value.clone()).unwrap();
    at.micros()
}

/// The pools that a command changes, in the order of its versions.
fn changed(ask: &Ask, hold: &Value) -> Vec<String> {
    let mut pools: Vec<String> = match ask {
        Ask::Move { from, to, .. } => {
            let all = from.keys().chain(to.keys().filter(|pool| !from.contains_key(*pool)));
            all.filter(|pool| from.get(*pool) != to.get(*pool)).cloned().collect()
        }
        Ask::GiveBack { part: Some(part), .. } => part.keys().cloned().collect(),
        _ => units(&hold["lines"]).into_keys().collect(),
    };
    pools.sort_by_key(|pool| pool.split('@').map(str::to_owned).collect::<Vec<_>>());
    pools
}

fn hold_seen(ask: &Ask, hold: &Value) -> HoldSeen {
    let versions = hold["pool_versions"].as_array().cloned().unwrap_or_default();
    let versions = versions.iter().map(|version| version.as_i64().unwrap());
    let kept = hold.get("kept").map(|kept| (kept["mode"].as_str().unwrap().to_owned(), units(&kept["lines"])));
    HoldSeen {
        id: hold["id"].as_str().unwrap().parse().unwrap(),
        state: hold["state"].as_str().unwrap().to_owned(),
        lines: units(&hold["lines"]),
        kept,
        owner: hold["owner"].as_str().map(str::to_owned),
        placed_at: micros(&hold["placed_at"]),
        expires_at: micros(&hold["expires_at"]),
        ended_at: hold.get("ended_at").map(micros),
        version: hold["version"].as_i64().unwrap(),
        pool_versions: changed(ask, hold).into_iter().zip(versions).collect(),
    }
}

fn pool_seen(name: &str, pool: &Value) -> PoolSeen {
    let number = |field: &str| pool[field].as_i64().unwrap();
    PoolSeen {
        name: name.to_owned(),
        total: number("total"),
        overbook: number("overbook"),
        held: number("held"),
        booked: number("booked"),
        granted: number("granted"),
        oversold: number("oversold"),
        closed: pool["closed"].as_bool().unwrap(),
        version: number("version"),
    }
}

/// Method, address and body of a request.
fn wire(ask: &Ask) -> (Method, String, Value) {
    let of_pool = |pool: &str, what: &str| match pool.split_once('@') {
        Some((resource, slot)) => format!("/v1/casa/pools/{resource}{what}?slot={slot}"),
        None => format!("/v1/casa/pools/{pool}{what}"),
    };
    let of_hold = |hold: &Uuid, what: &str| format!("/v1/casa/holds/{hold}{what}");
    let mut body = match ask {
        Ask::Place { hold, lines: wanted, lifetime_secs, owner } => {
            json!({"id": hold, "lines": lines(wanted), "lifetime_secs": lifetime_secs, "owner": owner})
        }
        Ask::Extend { until, by_secs, .. } => json!({"until": until, "by_secs": by_secs}),
        Ask::Convert { consume, part, .. } => {
            json!({"mode": if *consume { "consume" } else { "book" }, "lines": part.as_ref().map(lines)})
        }
        Ask::Move { from, to, .. } => json!({"from": lines(from), "to": lines(to)}),
        Ask::GiveBack { part, .. } => json!({"lines": part.as_ref().map(lines)}),
        Ask::PutPool { total, closed, expected_version, .. } => {
            json!({"total": total, "closed": closed, "expected_version": expected_version})
        }
        Ask::Adjust { total_delta, .. } => json!({"total_delta": total_delta}),
        _ => Value::Null,
    };
    if let Value::Object(fields) = &mut body {
        fields.retain(|_, value| !value.is_null());
    }
    let (method, path) = match ask {
        Ask::Place { .. } => (Method::POST, "/v1/casa/holds".to_owned()),
        Ask::Extend { hold, .. } => (Method::POST, of_hold(hold, "/extend")),
        Ask::Convert { hold, .. } => (Method::POST, of_hold(hold, "/convert")),
        Ask::Cancel { hold } => (Method::POST, of_hold(hold, "/cancel")),
        Ask::Move { hold, .. } => (Method::POST, of_hold(hold, "/move")),
        Ask::GiveBack { hold, .. } => (Method::POST, of_hold(hold, "/give-back")),
        Ask::PutPool { pool, .. } => (Method::PUT, of_pool(pool, "")),
        Ask::Adjust { pool, .. } => (Method::POST, of_pool(pool, "/adjust")),
        Ask::ReadHold { hold } => (Method::GET, of_hold(hold, "")),
        Ask::ReadPool { pool } => (Method::GET, of_pool(pool, "")),
        Ask::ExpireTask { .. } | Ask::ChargeTask { .. } => unreachable!("no worker is here"),
    };
    (method, path, body)
}

impl Till {
    fn write(&self, process: u64, kind: Kind, ask: &Ask, key: Option<&str>, told: (Option<Answer>, Option<String>)) {
        let mut history = self.history.lock().unwrap();
        let index = u64::try_from(history.len()).unwrap();
        let time = u64::try_from(self.began.elapsed().as_nanos()).unwrap();
        let (answer, error) = told;
        let (ask, key) = (ask.clone(), key.map(str::to_owned));
        history.push(Entry {
            index,
            process,
            kind,
            ask,
            answer,
            error,
            key,
            batch: None,
            stranger: false,
            node: 0,
            time,
        });
    }

    /// Asks, and writes down what was asked and answered.
    async fn ask(&self, ask: Ask, key: Option<&str>) {
        let process = self.processes.fetch_add(1, Ordering::Relaxed);
        let (method, path, body) = wire(&ask);
        self.write(process, Kind::Invoke, &ask, key, (None, None));
        let mut request = Request::builder().method(method).uri(path).header("content-type", "application/json");
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        let body = if body.is_null() { Body::empty() } else { Body::from(body.to_string()) };
        let request = request.header("authorization", format!("Bearer {}", self.key)).body(body).unwrap();
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (status, replayed) = (response.status(), response.headers().contains_key("idempotent-replayed"));
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        let value: Value = serde_json::from_slice(&bytes).unwrap();
        let is_read = matches!(ask, Ask::ReadHold { .. } | Ask::ReadPool { .. });
        let answer = match &ask {
            _ if status == StatusCode::NOT_FOUND && is_read => Some(Answer::Absent),
            _ if !status.is_success() => None,
            Ask::PutPool { pool, .. } | Ask::Adjust { pool, .. } | Ask::ReadPool { pool } => {
                Some(Answer::Pool { pool: pool_seen(pool, &value), replayed })
            }
            _ => Some(Answer::Hold { hold: hold_seen(&ask, &value), replayed }),
        };
        let kind = if answer.is_some() { Kind::Ok } else { Kind::Fail };
        let error = answer.is_none().then(|| value["code"].as_str().unwrap().to_owned());
        self.write(process, kind, &ask, key, (answer, error));
    }

    /// One client, with holds of its own and pools that everybody wants.
    async fn shop(&self, client: usize) {
        let mut dice = Dice::new(client);
        let mut holds: Vec<Uuid> = vec![Uuid::now_v7()];
        for number in 0..ASKS {
            let key = format!("{client}-{number}");
            let hold = holds[dice.roll(holds.len())];
            let pool = POOLS[dice.roll(POOLS.len())].to_owned();
            let other = POOLS[dice.roll(POOLS.len())].to_owned();
            let one = |pool: &str| Units::from([(pool.to_owned(), 1)]);
            let (ask, keyed) = match dice.roll(16) {
                0..5 => {
                    holds.push(Uuid::now_v7());
                    let lines = Units::from([(pool, 1), (other, 2)]);
                    let lifetime_secs = [None, Some(1), Some(3600)][dice.roll(3)];
                    (Ask::Place { hold: *holds.last().unwrap(), lines, lifetime_secs, owner: None }, false)
                }
                5 => (Ask::Extend { hold, until: None, by_secs: Some(60) }, true),
                6..8 => (Ask::Convert { hold, consume: dice.roll(4) == 0, part: None }, false),
                8 => (Ask::Cancel { hold }, false),
                9 => (Ask::Move { hold, from: one(&pool), to: one(&other) }, true),
                10 => (Ask::GiveBack { hold, part: Some(one(&pool)) }, true),
                11 => (Ask::GiveBack { hold, part: None }, true),
                12 => (Ask::PutPool { pool, total: Some(40), closed: None, expected_version: None }, false),
                13 => (Ask::Adjust { pool, total_delta: 2 }, true),
                14 => (Ask::ReadPool { pool }, false),
                _ => (Ask::ReadHold { hold }, false),
            };
            let key = keyed.then_some(key.as_str());
            self.ask(ask.clone(), key).await;
            if dice.roll(5) == 0 {
                self.ask(ask, key).await;
            }
        }
    }
}

async fn nothing_is_wrong(kind: StoreKind) {
    let fixture = Fixture::new(kind).await.unwrap();
    let config = EngineConfig { sweep_pause: Some(Duration::from_millis(100)), ..EngineConfig::default() };
    let engine = fixture.engine_with(config).await.unwrap();
    let router = Api::new(engine, ApiConfig::default(), None, CancellationToken::new()).router();
    let local = async |path: &str, body: Value| -> Value {
        let request = Request::post(path).header("content-type", "application/json").extension(Peer::Local);
        let response = router.clone().oneshot(request.body(Body::from(body.to_string())).unwrap()).await.unwrap();
        serde_json::from_slice(&response.into_body().collect().await.unwrap().to_bytes()).unwrap()
    };
    local("/admin/tenants", json!({"slug": "casa"})).await;
    let scopes = json!(["read", "sell", "manage"]);
    let made = local("/admin/keys", json!({"tenant": "casa", "name": "till", "scopes": scopes})).await;
    let key = made["key"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned();
    let (processes, history) = (AtomicU64::new(0), Mutex::default());
    let till = Till { router: router.clone(), key: key.clone(), began: Instant::now(), processes, history };
    for pool in POOLS {
        let put = Ask::PutPool { pool: pool.to_owned(), total: Some(30), closed: None, expected_version: Some(0) };
        till.ask(put, None).await;
    }
    join_all((0..CLIENTS).map(|client| till.shop(client))).await;

    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let node = format!("http://{}", listener.local_addr().unwrap());
    let server = tokio::spawn(async move { axum::serve(listener, router).await });
    let plan = CollectPlan { node, tenant: "casa".to_owned(), api_key: key, feed_path: None };
    let history = till.history.into_inner().unwrap();
    let state = collect(&plan, &history).await.unwrap();
    server.abort();
    let verdict = judge(&history, &state);
    assert!(verdict.is_clean(), "{:#?}\n{:?}", verdict.violations, verdict.counts);
    let checked = verdict.checked;
    assert!(checked.effects > 200 && checked.versions_told > 200 && checked.refusals > 10, "{checked:?}");
    assert!(checked.windows > 3 && checked.windows_undecided == 0 && checked.reads > 50, "{checked:?}");
}

on_each_store! { nothing_is_wrong }
