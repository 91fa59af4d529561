//! `surehold serve` as a process: starting, stopping, listening, and what it does not say.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::json;
use surehold_testkit::fixture::fresh_database;
use uuid::Uuid;

use crate::canary::{self, assert_no_canary};
use crate::text;
use surehold_testkit::live::{Caller, Live, Place};

#[tokio::test]
async fn an_empty_folder_is_enough() {
    let folder = tempfile::tempdir().unwrap();
    let place = crate::place(folder.path());
    let live = place.serve();
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&place.data).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o700, "what is sold is nobody else's business");
    let caller = Caller::new(&live, &live.casa_key());
    assert_eq!(caller.get("/v1/casa").await.0, 200);
    assert_eq!(caller.get("/readyz").await.0, 200);
    assert_eq!(caller.get("/admin/tenants").await.0, 403);
}

#[test]
fn a_folder_has_one_server() {
    let folder = tempfile::tempdir().unwrap();
    let place = crate::place(folder.path());
    let live = place.serve();
    let second = place.command().output().unwrap();
    assert!(!second.status.success());
    let message = text(&second.stderr);
    assert!(message.contains("another process writes to") && message.contains("stop it"), "{message}");
    assert_eq!(text(&second.stdout), "");
    // The first does not notice, and its socket is still its own.
    live.local("GET", "/healthz", &json!(null));
    live.signal("TERM");
    assert_eq!(live.ended().code(), Some(0));
    assert!(!place.data.join("surehold.sock").exists());
    drop(place.serve());
}

#[test]
fn a_port_that_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let mut place = crate::place(folder.path());
    place.args = vec!["--set".to_owned(), format!("server.admin_listen=127.0.0.1:{port}")];
    let output = place.command().output().unwrap();
    assert!(!output.status.success());
    assert!(text(&output.stderr).contains(&port.to_string()), "{}", text(&output.stderr));
}

/// The head and a part of the body have arrived when the signal comes: the request is finished.
#[tokio::test]
async fn a_request_in_flight_is_finished() {
    for signal in ["TERM", "INT"] {
        let folder = tempfile::tempdir().unwrap();
        let place = crate::place(folder.path());
        let live = place.serve();
        let key = live.casa_key();
        live.local("PUT", "/v1/casa/pools/room", &json!({"total": 1}));
        let body = json!({"id": Uuid::now_v7(), "lines": [{"resource": "room"}]}).to_string();
        let mut socket = TcpStream::connect(live.address.trim_start_matches("http://")).unwrap();
        let head = format!(
            "POST /v1/casa/holds HTTP/1.1\r\nhost: test\r\nauthorization: Bearer {key}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        let (first, second) = body.split_at(10);
        socket.write_all(format!("{head}{first}").as_bytes()).unwrap();
        // The server has read the head when it answers somebody who came later.
        live.local("GET", "/healthz", &json!(null));
        // It may not have read all of it: that takes no answer. A second is far more than it needs.
        tokio::time::sleep(Duration::from_secs(1)).await;
        live.signal(signal);
        let signalled_at = Instant::now();
        while TcpStream::connect(live.address.trim_start_matches("http://")).is_ok() {
            assert!(signalled_at.elapsed() < Duration::from_mins(1), "it still takes connections");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        socket.write_all(second.as_bytes()).unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
        assert_eq!(live.ended().code(), Some(0));
        let live = place.serve();
        assert_eq!(live.local("GET", "/v1/casa/pools/room", &json!(null))["held"], 1);
    }
}

#[test]
fn administration_apart() {
    let folder = tempfile::tempdir().unwrap();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut place = crate::place(folder.path());
    place.args = vec!["--set".to_owned(), format!("server.admin_listen=127.0.0.1:{port}")];
    let live = place.serve();
    let key = live.local("POST", "/admin/keys", &json!({"name": "root", "scopes": ["admin"]}));
    let key = key["key"].as_str().unwrap();
    let status = |address: &str, path: &str| {
        let mut socket = TcpStream::connect(address).unwrap();
        let request =
            format!("GET {path} HTTP/1.1\r\nhost: test\r\nconnection: close\r\nauthorization: Bearer {key}\r\n\r\n");
        socket.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).unwrap();
        answer.split(' ').nth(1).unwrap().parse::<u16>().unwrap()
    };
    let public = live.address.trim_start_matches("http://");
    let admin = format!("127.0.0.1:{port}");
    for path in ["/admin/tenants", "/admin/keys"] {
        assert_eq!((status(public, path), status(&admin, path)), (404, 200), "{path}");
    }
    assert_eq!((status(public, "/healthz"), status(&admin, "/healthz")), (200, 200));
    live.signal("TERM");
    assert_eq!(live.ended().code(), Some(0), "both listeners end");
}

/// Requests that carry secrets in every place where there are some, answered well and badly.
async fn speak_secrets(live: &Live, key: &str) {
    let good = Caller::new(live, key);
    let metadata = json!({"card": canary::METADATA});
    let id = Uuid::now_v7();
    let place = json!({"id": id, "lines": [{"resource": "room"}], "metadata": metadata});
    assert_eq!(good.ask(Method::POST, "/v1/casa/holds", Some(&place)).await.unwrap().0, 201);
    let mut other = place.clone();
    other["metadata"] = json!({"card": format!("{}!", canary::METADATA)});
    assert_eq!(good.ask(Method::POST, "/v1/casa/holds", Some(&other)).await.unwrap().0, 422);
    let unknown = json!({"id": id, "lines": [], canary::METADATA: 1});
    assert_eq!(good.ask(Method::POST, "/v1/casa/holds", Some(&unknown)).await.unwrap().0, 422);
    for wrong in [canary::API_KEY.to_owned(), format!("sh_live_1_00000000000000ff_{}", canary::API_KEY)] {
        let bad = Caller::new(live, &wrong);
        assert_eq!(bad.get("/v1/casa").await.0, 401);
    }
}

async fn logs_nothing_secret(place: &mut Place) {
    for format in ["json", "human"] {
        place.args =
            ["--set", &format!("log.format={format}"), "--set", "log.filter=trace"].map(str::to_owned).to_vec();
        let live = place.serve();
        let key = live.casa_key();
        live.local("PUT", "/v1/casa/pools/room", &json!({"total": 100}));
        speak_secrets(&live, &key).await;
        live.signal("TERM");
        assert_eq!(live.ended().code(), Some(0));
        let log = place.log();
        assert!(log.contains("Stopped"), "there is something to look at: {log}");
        assert_no_canary(&log);
        let secret = key.rsplit_once('_').unwrap().1;
        assert!(!log.contains(secret) && !log.contains(&secret[..16]), "a real key is in the log");
    }
}

#[tokio::test]
async fn secrets_are_not_logged_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    logs_nothing_secret(&mut crate::place(folder.path())).await;
}

#[tokio::test]
async fn secrets_are_not_logged_on_postgres() {
    let folder = tempfile::tempdir().unwrap();
    // The test server trusts everybody, whatever the password.
    let url = fresh_database().await.unwrap();
    let (scheme, rest) = url.split_once("://").unwrap();
    let (user, rest) = rest.split_once('@').unwrap();
    let url = format!("{scheme}://{user}:{}@{rest}", canary::STORE_PASSWORD);
    let mut place = Place { store: Some(url.clone()), ..crate::place(folder.path()) };
    logs_nothing_secret(&mut place).await;
    // Also not when it cannot connect.
    place.store = Some(url.replace(rest.split_once('/').unwrap().0, "127.0.0.1:1"));
    let output = place.command().output().unwrap();
    assert!(!output.status.success());
    assert_no_canary(&text(&output.stderr));
    assert_no_canary(&text(&output.stdout));
}
