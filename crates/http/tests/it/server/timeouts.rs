//! Clients that are slow, silent or deaf.

use std::time::{Duration, Instant};

use super::http2::{self, http2};
use super::world::{Answer, BIG_BYTES, Client, PATIENCE, World, brisk, patiently};
use surehold_http::server::ServerConfig;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Sends a byte at a time for as long as the server listens.
async fn dribble(client: &mut Client<TcpStream>) {
    patiently(async {
        while client.io.write_all(b"x").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_head_that_does_not_come_ends_the_connection() {
    let world = World::start(brisk());
    let cases: [(&str, &[u8]); 4] = [
        ("silence", b""),
        ("half a head", b"GET / HTTP/1.1\r\nho"),
        ("half a preface", b"PRI * HTTP/2.0\r\n"),
        ("half a second head", b"GET / HTTP/1.1\r\nhost: test\r\n\r\n"),
    ];
    for (number, (name, bytes)) in cases.into_iter().enumerate() {
        let mut client = world.connect().await;
        let began_at = Instant::now();
        client.send(bytes).await;
        if name == "half a second head" {
            assert_eq!(client.answer().await.status, 200);
            client.send(b"GET / HT").await;
        }
        assert_eq!(client.rest().await, "", "{name}");
        assert!(began_at.elapsed() >= brisk().header_timeout, "{name} was cut early");
        assert_eq!(world.timeouts("head"), u64::try_from(number).unwrap() + 1, "{name}");
    }
}

#[tokio::test]
async fn a_head_that_dribbles_ends_the_connection() {
    let world = World::start(brisk());
    let mut client = world.connect().await;
    client.send(b"GET / HTTP/1.1\r\nhost: ").await;
    dribble(&mut client).await;
    assert_eq!(world.timeouts("head"), 1);
}

#[tokio::test]
async fn a_slow_body_is_a_typed_error_and_ends_the_connection() {
    let world = World::start(brisk());
    for (number, sent) in ["", "some"].into_iter().enumerate() {
        let mut client = world.connect().await;
        let began_at = Instant::now();
        client.send(format!("POST /echo HTTP/1.1\r\nhost: test\r\ncontent-length: 100\r\n\r\n{sent}").as_bytes()).await;
        assert_eq!(client.answer().await, Answer { status: 408, body: "too slow".to_owned() });
        assert!(began_at.elapsed() >= brisk().body_timeout);
        assert_eq!(client.rest().await, "");
        assert_eq!(world.timeouts("body"), u64::try_from(number).unwrap() + 1);
    }
    assert_eq!(world.timeouts("head"), 0);
}

#[tokio::test]
async fn a_client_that_never_reads_is_cut() {
    let world = World::start(brisk());
    let mut client = world.connect().await;
    client.send(b"GET /big HTTP/1.1\r\nhost: test\r\n\r\n").await;
    world.metric_reaches("surehold_http_timeouts_total{kind=\"write\"}", 1).await;
    world.metric_reaches("surehold_http_connections_open{listener=\"network\"}", 0).await;
    assert!(client.rest().await.len() < BIG_BYTES);
}

/// Reads a big answer with pauses, for longer than all timeouts of [`brisk`].
async fn read_slowly(client: &mut Client<TcpStream>) {
    let began_at = Instant::now();
    let (mut unread, mut buffer) = (BIG_BYTES, vec![0; 512 * 1_024]);
    client.head().await;
    while unread > 0 {
        let bytes = patiently(client.io.read(&mut buffer)).await.unwrap();
        assert!(bytes > 0, "cut with {unread} bytes to go");
        unread -= bytes;
        tokio::time::sleep(Duration::from_millis(40)).await;
    }
    assert!(began_at.elapsed() > brisk().write_stall_timeout * 2, "it was not slow enough to prove anything");
}

#[tokio::test]
async fn a_client_that_reads_slowly_is_not_cut() {
    let world = World::start(brisk());
    for path in ["/big", "/page"] {
        let mut client = world.connect().await;
        client.send(format!("GET {path} HTTP/1.1\r\nhost: test\r\n\r\n").as_bytes()).await;
        read_slowly(&mut client).await;
        // What was blocked once is forgotten when it has moved.
        tokio::time::sleep(brisk().write_stall_timeout * 2).await;
        assert_eq!(client.get_body("/").await, "hello");
    }
    assert_eq!(world.timeouts("write"), 0);
}

/// hyper is done with an answer when it has it in its buffer; the client is not.
#[tokio::test]
async fn a_client_that_reads_slowly_is_neither_idle_nor_cut_by_a_drain() {
    for drains in [false, true] {
        let idle_timeout = if drains { PATIENCE } else { Duration::from_millis(300) };
        let world = World::start(ServerConfig { idle_timeout, header_timeout: PATIENCE, ..brisk() });
        let mut client = world.connect().await;
        client.send(b"GET /page HTTP/1.1\r\nhost: test\r\n\r\n").await;
        if drains {
            // The first byte shows that the request has begun.
            patiently(client.io.readable()).await.unwrap();
            world.begin_shutdown();
        }
        read_slowly(&mut client).await;
        assert_eq!(client.rest().await, "");
        assert_eq!(world.shut_down().await.cut, 0, "drains: {drains}");
    }
}

#[tokio::test]
async fn an_idle_connection_outlives_the_head_timeout() {
    let world = World::start(brisk());
    let mut client = world.connect().await;
    for _ in 0..3 {
        assert_eq!(client.get_body("/").await, "hello");
        tokio::time::sleep(brisk().header_timeout * 2).await;
    }
    assert_eq!(client.get_body("/").await, "hello");
    assert_eq!(world.timeouts("head") + world.timeouts("idle"), 0);
}

#[tokio::test]
async fn an_idle_connection_is_closed_in_the_end() {
    let world =
        World::start(ServerConfig { idle_timeout: Duration::from_secs(2), header_timeout: PATIENCE, ..brisk() });
    let mut client = world.connect().await;
    assert_eq!(client.get_body("/").await, "hello");
    let idle_since = Instant::now();
    assert_eq!(client.rest().await, "");
    assert!(idle_since.elapsed() >= Duration::from_secs(1), "closed after {:?}", idle_since.elapsed());
    assert_eq!((world.timeouts("idle"), world.timeouts("head")), (1, 0));
}

/// A request, or a part of its answer, may take longer than all timeouts that concern the client.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_handler_is_not_the_clients_fault() {
    let config = ServerConfig { idle_timeout: Duration::from_millis(300), ..brisk() };
    let world = World::start(config.clone());
    for (path, expected) in [("/slow", "at last"), ("/trickle", "one at last")] {
        let mut client = world.connect().await;
        client.send(format!("GET {path} HTTP/1.0\r\n\r\n").as_bytes()).await;
        let (mut http2_client, _connection) = http2(TcpStream::connect(world.address).await.unwrap()).await;
        let http2_answer = tokio::spawn(async move { http2::get(&mut http2_client, path).await });
        world.slow_has_begun().await;
        world.slow_has_begun().await;
        tokio::time::sleep(config.write_stall_timeout * 2).await;
        world.go.add_permits(2);
        let answer = client.rest().await;
        assert!(answer.ends_with(expected), "{answer:?}");
        assert_eq!(http2_answer.await.unwrap(), (200, expected.to_owned()));
    }
    assert_eq!((world.timeouts("write"), world.timeouts("head")), (0, 0));
}

/// As many attackers and sleepers as would exhaust a naive server, and everybody else is served.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crowd_of_slow_clients_hinders_nobody() {
    const SLOW: usize = 100;
    const IDLE: usize = 200;
    const REQUESTS: usize = 500;
    let world = World::start(ServerConfig { header_timeout: Duration::from_secs(3), ..brisk() });
    let mut idle = Vec::new();
    for _ in 0..IDLE {
        let mut client = world.connect().await;
        assert_eq!(client.get_body("/").await, "hello");
        idle.push(client);
    }
    let mut slow = tokio::task::JoinSet::new();
    for _ in 0..SLOW {
        let mut client = world.connect().await;
        client.send(b"GET / HTTP/1.1\r\nhost: ").await;
        slow.spawn(async move { dribble(&mut client).await });
    }
    let mut working = world.connect().await;
    for _ in 0..REQUESTS {
        assert_eq!(working.get_body("/").await, "hello");
    }
    assert_eq!(patiently(slow.join_all()).await.len(), SLOW);
    assert_eq!(world.timeouts("head"), u64::try_from(SLOW).unwrap());
    for client in &mut idle {
        assert_eq!(client.get_body("/").await, "hello");
    }
    let open = u64::try_from(IDLE).unwrap() + 1;
    world.metric_reaches("surehold_http_connections_open{listener=\"network\"}", open).await;
}
