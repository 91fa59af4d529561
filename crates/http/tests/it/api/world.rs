//! An API on an SQLite file of its own, and rows to ask it with.
//!
//! A row is `METHOD PATH [Name:value …] [body]`, the body from the first `{` or `[`. `As:NAME` chooses a key: `casa` (all that
//! a tenant's key may do; the default), `admin` (the default below `/admin`), `other` (another tenant's), those that a
//! test has added, or `nobody`. `$a` in a row or an expectation is the id of a hold, made when first mentioned.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Method, Request, StatusCode};
use axum::response::Response;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use surehold_core::kernel::Timestamp;
use surehold_engine::{Engine, EngineConfig, Registry, builtin};
use surehold_http::server::Peer;
use surehold_http::{Api, ApiConfig};
use surehold_sqlite::SqliteStore;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;
use uuid::Uuid;

/// Far beyond anything a test waits for; only a broken server takes it.
pub(super) const PATIENCE: Duration = Duration::from_mins(2);

pub(super) async fn patiently<F: Future>(work: F) -> F::Output {
    tokio::time::timeout(PATIENCE, work).await.expect("it took too long")
}

pub(super) struct World {
    pub(super) api: Api,
    pub(super) engine: Engine,
    pub(super) stop: CancellationToken,
    router: Router,
    folder: TempDir,
    clock_offset_micros: Arc<AtomicI64>,
    keys: Mutex<BTreeMap<String, String>>,
    holds: Mutex<BTreeMap<String, String>>,
}

pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl Answer {
    pub(super) async fn of(response: Response) -> Answer {
        let (parts, body) = response.into_parts();
        let body = patiently(body.collect()).await.unwrap().to_bytes();
        Answer { status: parts.status, headers: parts.headers, body }
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8(self.body.to_vec()).unwrap()
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

impl World {
    pub(super) async fn new() -> World {
        World::with(ApiConfig::default()).await
    }

    /// The tenants `casa` and `other`, and the keys that a row may name.
    pub(super) async fn with(config: ApiConfig) -> World {
        let folder = tempfile::tempdir().unwrap();
        let clock_offset_micros = Arc::<AtomicI64>::default();
        let offset = Arc::clone(&clock_offset_micros);
        let clock = Arc::new(move || Timestamp::from_micros(system_micros() + offset.load(Ordering::Relaxed)));
        let store = SqliteStore::open_with_clock(&folder.path().join("surehold.db"), clock).unwrap();
        let settings = EngineConfig { sweep_pause: None, schedule_pause: None, ..EngineConfig::default() };
        let engine = Engine::start_with(Arc::new(store), settings, builtin(Registry::default())).unwrap();
        let stop = CancellationToken::new();
        let api = Api::new(engine.clone(), config, None, stop.clone());
        let router = api.router();
        let (keys, holds) = (Mutex::default(), Mutex::default());
        let world = World { api, engine, stop, router, folder, clock_offset_micros, keys, holds };
        world.make_key("admin", json!({"scopes": ["admin"]})).await;
        for slug in ["casa", "other"] {
            let made = world.local(Method::POST, "/admin/tenants", &json!({"slug": slug})).await;
            assert_eq!(made.status, 201, "{}", made.text());
            world.make_key(slug, json!({"tenant": slug, "scopes": ["read", "sell", "manage", "tasks"]})).await;
        }
        world
    }

    /// Asks as whoever may open the local socket.
    pub(super) async fn local(&self, method: Method, path: &str, body: &Value) -> Answer {
        let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
        let mut request = request.body(Body::from(body.to_string())).unwrap();
        request.extensions_mut().insert(Peer::Local);
        Answer::of(self.call(request).await).await
    }

    /// Makes a key that rows can name. Returns what was answered.
    pub(super) async fn make_key(&self, name: &str, mut wanted: Value) -> Value {
        wanted["name"] = name.into();
        let made = self.local(Method::POST, "/admin/keys", &wanted).await;
        assert_eq!(made.status, 201, "{}", made.text());
        let made = made.json();
        self.add_key(name, made["key"].as_str().unwrap());
        made
    }

    pub(super) fn add_key(&self, name: &str, key: &str) {
        self.keys.lock().unwrap().insert(name.to_owned(), key.to_owned());
    }

    pub(super) fn key(&self, name: &str) -> String {
        self.keys.lock().unwrap().get(name).unwrap_or_else(|| panic!("no key {name}")).clone()
    }

    pub(super) fn data_files(&self) -> Vec<PathBuf> {
        std::fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    /// Turns the store's clock forward.
    pub(super) fn advance_secs(&self, secs: i64) {
        self.clock_offset_micros.fetch_add(secs * 1_000_000, Ordering::Relaxed);
    }

    pub(super) async fn call(&self, request: Request<Body>) -> Response {
        self.router.clone().oneshot(request).await.unwrap()
    }

    /// The text with ids of holds in the place of their names.
    pub(super) fn named(&self, text: &str) -> String {
        let mut holds = self.holds.lock().unwrap();
        let mut parts = text.split('$');
        let mut named = parts.next().unwrap().to_owned();
        for part in parts {
            let name = part.split(|c: char| !c.is_ascii_lowercase()).next().unwrap();
            let id = holds.entry(name.to_owned()).or_insert_with(|| Uuid::now_v7().to_string());
            named.push_str(id);
            named.push_str(&part[name.len()..]);
        }
        named
    }

    pub(super) fn request(&self, row: &str) -> Request<Body> {
        let row = self.named(row);
        let (head, body) = match row.find(" {").or_else(|| row.find(" [")) {
            Some(at) => (&row[..at], Some(row[at + 1..].to_owned())),
            None => (row.as_str(), None),
        };
        let mut words = head.split(' ');
        let (method, path) = (words.next().unwrap(), words.next().unwrap());
        let mut key = if path.starts_with("/admin") { "admin" } else { "casa" };
        let mut request = Request::builder().method(method).uri(path);
        let mut typed = false;
        for word in words {
            let (name, value) = word.split_once(':').unwrap_or_else(|| panic!("{word:?} is no header"));
            typed |= name.eq_ignore_ascii_case("content-type");
            match name {
                "As" => key = value,
                name => request = request.header(name, value),
            }
        }
        if body.is_some() && !typed {
            request = request.header("content-type", "application/json");
        }
        if key != "nobody" {
            request = request.header("authorization", format!("Bearer {}", self.key(key)));
        }
        request.body(Body::from(body.unwrap_or_default())).unwrap()
    }

    pub(super) async fn ask(&self, row: &str) -> Answer {
        Answer::of(self.call(self.request(row)).await).await
    }

    /// The answer has this status and either this problem's code or, where a JSON value is expected, at least its
    /// members.
    #[track_caller]
    pub(super) fn check<'w>(
        &'w self,
        row: &'w str,
        status: u16,
        expected: &'w str,
    ) -> impl Future<Output = Answer> + 'w {
        let caller = std::panic::Location::caller();
        async move {
            let answer = self.ask(row).await;
            if let Err(difference) = self.compare(&answer, status, expected) {
                panic!("{caller}: {row}: {difference}\n answered {} {}", answer.status, answer.text());
            }
            answer
        }
    }

    pub(super) fn compare(&self, answer: &Answer, status: u16, expected: &str) -> Result<(), String> {
        if answer.status != status {
            return Err(format!("expected the status {status}"));
        }
        if status >= 400 {
            let problem = answer.json();
            let (code, title) = (problem["code"].as_str().unwrap_or_default(), problem["title"].is_string());
            let whole = problem["type"] == format!("/problems/{code}") && problem["status"] == status && title;
            if !whole || answer.header("content-type") != "application/problem+json" {
                return Err("not a whole problem".to_owned());
            }
        }
        if expected.starts_with('{') {
            let expected: Value = serde_json::from_str(&self.named(expected)).unwrap();
            return contains(&answer.json(), &expected, "");
        }
        let code = if expected.is_empty() { Value::Null } else { expected.into() };
        if expected.is_empty() || answer.json()["code"] == code { Ok(()) } else { Err(format!("expected {expected}")) }
    }
}

/// Objects may have more members than expected; everything else must be the same. `null` says that a member is absent.
fn contains(found: &Value, expected: &Value, place: &str) -> Result<(), String> {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => expected.iter().try_for_each(|(name, expected)| {
            contains(found.get(name).unwrap_or(&Value::Null), expected, &format!("{place}.{name}"))
        }),
        (Value::Array(found), Value::Array(expected)) if found.len() == expected.len() => {
            let mut pairs = found.iter().zip(expected).enumerate();
            pairs.try_for_each(|(index, (found, expected))| contains(found, expected, &format!("{place}[{index}]")))
        }
        (found, expected) if found == expected => Ok(()),
        (found, expected) => Err(format!("{place} is {found}, expected {expected}")),
    }
}

pub(super) fn system_micros() -> i64 {
    i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros()).unwrap()
}

/// The instant so many seconds from now, as it is written in a body.
pub(super) fn in_secs(secs: i64) -> String {
    Timestamp::from_micros(system_micros() + secs * 1_000_000).to_string()
}
