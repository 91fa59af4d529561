//! From a hold to a signed message at somebody's door, through the worker inside of a server and through one beside it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use surehold_connect::webhooks::{Secret, verify};
use surehold_testkit::fixture::fresh_database;

use surehold_testkit::live::{Live, Place};

/// Far beyond anything a test waits for.
const PATIENCE: Duration = Duration::from_mins(2);

/// A door where messages arrive: their headers and bodies, in the order of their arrival.
fn door() -> (String, Receiver<(HeaderMap, Vec<u8>)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/hook", listener.local_addr().unwrap());
    let (tell, told) = channel();
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = BufReader::new(connection.unwrap());
            let (mut headers, mut line) = (HeaderMap::new(), String::new());
            while connection.read_line(&mut line).unwrap() > 2 {
                if let Some((name, value)) = line.trim_end().split_once(": ") {
                    let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
                    headers.insert(name, HeaderValue::from_str(value).unwrap());
                }
                line.clear();
            }
            let length = headers["content-length"].to_str().unwrap().parse().unwrap();
            let mut body = vec![0; length];
            connection.read_exact(&mut body).unwrap();
            let answer = "HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n";
            connection.get_mut().write_all(answer.as_bytes()).unwrap();
            if tell.send((headers, body)).is_err() {
                return;
            }
        }
    });
    (address, told)
}

/// A hold is placed; its message arrives, signed with the secret that was shown.
fn a_hold_is_told(live: &Live) {
    let (address, messages) = door();
    live.casa_key();
    let endpoint = json!({"url": address, "events": ["hold_placed"]});
    let shown = live.local("PUT", "/v1/casa/webhook-endpoints/erp", &endpoint);
    let secret = Secret::parse(shown["secret"].as_str().unwrap()).unwrap();
    live.local("PUT", "/v1/casa/pools/room", &json!({"total": 1}));
    let hold =
        live.local("POST", "/v1/casa/holds", &json!({"id": uuid::Uuid::now_v7(), "lines": [{"resource": "room"}]}));
    let (headers, body) = messages.recv_timeout(PATIENCE).expect("a message arrives");
    let now_secs = jiff::Timestamp::now().as_second();
    verify(&headers, &body, &[secret], now_secs).expect("it is signed");
    let body: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!((&body["type"], &body["data"]["hold"]), (&json!("hold_placed"), &hold["id"]));
}

#[test]
fn by_the_server_itself() {
    let folder = tempfile::tempdir().unwrap();
    let mut place = crate::place(folder.path());
    place.args = ["--set", "webhooks.reach=anywhere"].map(str::to_owned).to_vec();
    let live = place.serve();
    a_hold_is_told(&live);
    live.signal("TERM");
    assert!(live.ended().success(), "{}", place.log());
}

#[tokio::test(flavor = "multi_thread")]
async fn by_a_worker_beside_it_on_postgres() {
    let folder = tempfile::tempdir().unwrap();
    let url = fresh_database().await.unwrap();
    let mut place = Place { store: Some(url.clone()), ..crate::place(folder.path()) };
    let reach = ["--set", "webhooks.reach=anywhere"];
    place.args = reach.into_iter().chain(["--set", "worker.in_server=false"]).map(str::to_owned).collect();
    let live = place.serve();
    let mut worker = Command::new(env!("CARGO_BIN_EXE_surehold"));
    worker.args(["worker", "--store", &url, "--data"]).arg(folder.path().join("worker")).args(reach);
    let mut worker = worker.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut said = String::new();
    BufReader::new(worker.stdout.take().unwrap()).read_line(&mut said).unwrap();
    assert_eq!(said, "working\n");
    tokio::task::block_in_place(|| a_hold_is_told(&live));
    assert!(Command::new("kill").args(["-TERM", &worker.id().to_string()]).status().unwrap().success());
    assert!(worker.wait().unwrap().success(), "it stops when it is told to");
}
