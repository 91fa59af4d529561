//! The load generator against the bare endpoint, and against servers that misbehave.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use surehold_lab::bench::http::{
    Crowd, CrowdSize, Expected, HoldAsks, HoldShape, HttpLoad, HttpMeasured, Pace, Target, bare, run,
};

const ANSWER: &[u8] = b"HTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\n{}";

async fn bare_endpoint() -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(bare::serve(listener));
    address
}

/// A server that sees requests in order, and decides what each of them gets; `false` ends the connection.
/// One connection at a time, which is all that these tests open.
fn server(answer: impl Fn(u32, &mut TcpStream) -> bool + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let mut seen = 0;
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 8 * 1024];
            while stream.read(&mut request).is_ok_and(|count| count > 0) {
                seen += 1;
                if !answer(seen, &mut stream) {
                    break;
                }
            }
        }
    });
    address
}

const PLACED: HoldAsks =
    HoldAsks { shape: HoldShape { pools: 20, nights: 3, batch: None }, expected: Expected::Placed };

fn load(address: SocketAddr, pace: Pace) -> HttpLoad<HoldAsks> {
    HttpLoad { target: Target { address, tenant: "bench".to_owned(), key: None }, connections: 1, asks: PLACED, pace }
}

async fn measure(load: &HttpLoad<HoldAsks>, millis: u64) -> HttpMeasured {
    run(load, Duration::from_millis(millis)).await.unwrap()
}

#[tokio::test]
async fn closed_loop() {
    let load = HttpLoad { connections: 8, ..load(bare_endpoint().await, Pace::Closed) };
    let seen = measure(&load, 300).await;
    assert!(seen.measured.holds >= 8, "{seen:?}");
    assert_eq!((seen.measured.errors, seen.reconnects), (0, 0), "{:?}", seen.errors_by_status);
    let bytes = seen.answer_bytes / seen.measured.holds;
    assert!((400..1_200).contains(&bytes), "an answer has {bytes} bytes");
}

#[tokio::test]
async fn open_loop_sends_what_was_scheduled() {
    let load = HttpLoad { connections: 4, ..load(bare_endpoint().await, Pace::Open { rate_per_s: 500 }) };
    let seen = measure(&load, 400).await;
    assert_eq!((seen.measured.holds, seen.measured.errors), (200, 0), "{:?}", seen.errors_by_status);
}

/// 100 of 500 requests fall into the stall. A loop that stops asking meanwhile sees one slow answer of many.
#[tokio::test]
async fn a_stall_of_the_server_shows() {
    let address = server(|seen, stream| {
        if seen == 100 {
            std::thread::sleep(Duration::from_millis(200));
        }
        stream.write_all(ANSWER).is_ok()
    });
    let open = measure(&load(address, Pace::Open { rate_per_s: 500 }), 1_000).await.measured;
    assert_eq!((open.holds, open.errors), (500, 0));
    assert!(open.micros_at(0.99) >= 150_000, "p99 {} µs", open.micros_at(0.99));
    assert!(open.micros_at(0.5) < open.micros_at(0.99), "not all of them waited for it");
}

#[tokio::test]
async fn wrong_answers_are_counted_by_status() {
    let full = server(|seen, stream| {
        let answer: &[u8] = match seen % 3 {
            0 => b"HTTP/1.1 409 Conflict\r\ncontent-length: 19\r\n\r\n{\"code\":\"sold-out\"}",
            1 => b"HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n",
            _ => ANSWER,
        };
        stream.write_all(answer).is_ok()
    });
    let open = Pace::Open { rate_per_s: 1_000 };
    let load = HttpLoad { asks: HoldAsks { expected: Expected::SoldOut, ..PLACED }, ..load(full, open) };
    let seen = measure(&load, 90).await;
    assert_eq!((seen.measured.holds, seen.measured.errors), (30, 60));
    assert_eq!(seen.errors_by_status, [(201, 30), (503, 30)].into());
    assert_eq!(seen.reconnects, 0);
}

#[tokio::test]
async fn a_dead_connection_is_opened_again() {
    let open = Pace::Open { rate_per_s: 1_000 };
    let dies = server(|seen, stream| seen % 10 != 0 && stream.write_all(ANSWER).is_ok());
    let seen = measure(&load(dies, open), 100).await;
    assert_eq!((seen.measured.holds, seen.measured.errors, seen.reconnects), (90, 10, 10));
    assert!(seen.errors_by_status.is_empty(), "no status came");

    let closes = server(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 201 x\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
        false
    });
    let seen = measure(&load(closes, open), 50).await;
    assert_eq!((seen.measured.holds, seen.measured.errors, seen.reconnects), (50, 0, 50));
}

#[tokio::test]
async fn batches_count_each_hold() {
    let address = server(|_, stream| {
        let body = r#"{"results":[{"status":201},{"status":409},{"status":201}]}"#;
        let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        stream.write_all(answer.as_bytes()).is_ok()
    });
    let shape = HoldShape { pools: 1, nights: 1, batch: Some(3) };
    let load = HttpLoad { asks: HoldAsks { shape, ..PLACED }, ..load(address, Pace::Open { rate_per_s: 100 }) };
    let seen = measure(&load, 100).await;
    assert_eq!((seen.measured.holds, seen.measured.errors), (20, 10));
}

#[tokio::test]
async fn a_crowd_stays_at_the_door() {
    let load = HttpLoad { connections: 2, ..load(bare_endpoint().await, Pace::Closed) };
    let crowd = Crowd::gather(&load.target, CrowdSize { idle: 50, slow: 5 }).await.unwrap();
    let seen = measure(&load, 200).await;
    assert!(seen.measured.holds > 0 && seen.measured.errors == 0, "{seen:?}");
    assert_eq!(crowd.cuts(), 0, "the bare endpoint cuts nobody off");
}

#[tokio::test]
async fn the_bare_endpoint_reads_what_it_gets() {
    let target = load(bare_endpoint().await, Pace::Closed).target;
    let check = async |body: &str, status: u16, part: &str| {
        let answer = target.ask("POST", "/v1/bench/holds", body).await.unwrap();
        assert_eq!(answer.status, status, "{body}: {}", answer.body);
        assert!(answer.body.contains(part), "{body}: {}", answer.body);
    };
    let id = "019a8000-0000-7000-8000-000000000000";
    let line = r#"{"resource":"room-0","slot":"2027-01-01","quantity":1}"#;
    check(&format!(r#"{{"id":"{id}","lines":[{line}]}}"#), 201, line).await;
    check(&format!(r#"{{"id":"{id}","lines":[{line}],"colour":1}}"#), 400, "colour").await;
    check(&format!(r#"{{"id":"{id}"}}"#), 400, "lines").await;
    check("{", 400, "EOF").await;
}
