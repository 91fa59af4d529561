//! HTTP/1.1: many requests on a connection, and what is no request at all.

use super::world::{Answer, World, brisk, patient};

#[tokio::test]
async fn a_connection_is_kept_and_may_be_used_ahead_of_answers() {
    let world = World::start(patient());
    let mut client = world.connect().await;
    let hello = || Answer { status: 200, body: "hello".to_owned() };
    let ask = "GET / HTTP/1.1\r\nhost: test\r\n\r\n";
    let echo = "POST /echo HTTP/1.1\r\nhost: test\r\ncontent-length: 4\r\n\r\nbody";

    client.send(format!("{ask}{echo}{ask}").as_bytes()).await;
    assert_eq!(client.answer().await, hello());
    assert_eq!(client.answer().await, Answer { status: 200, body: "body".to_owned() });
    assert_eq!(client.answer().await, hello());

    // A head that comes in two parts, its first one behind another request.
    let (front, back) = ask.split_at(10);
    client.send(format!("{ask}{front}").as_bytes()).await;
    assert_eq!(client.answer().await, hello());
    client.send(back.as_bytes()).await;
    assert_eq!(client.answer().await, hello());

    assert_eq!(world.metric("surehold_http_connections_accepted_total{listener=\"network\"}"), 1);
    assert_eq!(world.metric("surehold_http_connections_open{listener=\"network\"}"), 1);
}

#[tokio::test]
async fn every_request_knows_its_peer() {
    let world = World::start(patient());
    let mut client = world.connect().await;
    let address = client.io.local_addr().unwrap();
    assert_eq!(client.get_body("/peer").await, format!("Network({address})"));
}

#[tokio::test]
async fn garbage_is_answered_or_closed_and_hurts_nobody() {
    let world = World::start(brisk());
    let mut bystander = world.connect().await;
    assert_eq!(bystander.get_body("/").await, "hello");
    let long_head = format!("GET / HTTP/1.1\r\nhost: {}\r\n\r\n", "x".repeat(200_000));
    let many_headers = format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(1_000));
    let cases: [(&str, &[u8], &str); 8] = [
        ("zeros", &[0; 64], "HTTP/1.1 400"),
        ("a TLS greeting", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "HTTP/1.1 400"),
        ("another protocol", b"SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 400"),
        ("no version", b"GET /\r\n\r\n", "HTTP/1.1 400"),
        ("two lengths", b"POST / HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx", "HTTP/1.1 400"),
        ("a broken preface", b"PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n", ""),
        ("a long head", long_head.as_bytes(), "HTTP/1.1 431"),
        ("many headers", many_headers.as_bytes(), "HTTP/1.1 431"),
    ];
    for (name, bytes, expected) in cases {
        let mut client = world.connect().await;
        client.send(bytes).await;
        let rest = client.rest().await;
        assert!(rest.starts_with(expected), "{name}: {rest:?}");
        assert!(!rest.starts_with("HTTP/1.1 2"), "{name}: {rest:?}");
    }
    assert_eq!(bystander.get_body("/").await, "hello");
}

#[tokio::test]
async fn a_panic_ends_its_connection_only() {
    let world = World::start(patient());
    let mut bystander = world.connect().await;
    assert_eq!(bystander.get_body("/").await, "hello");
    let mut client = world.connect().await;
    client.send(b"GET /panic HTTP/1.1\r\nhost: test\r\n\r\n").await;
    assert_eq!(client.rest().await, "");
    world.metric_reaches("surehold_http_connections_panicked_total{listener=\"network\"}", 1).await;
    world.metric_reaches("surehold_http_connections_open{listener=\"network\"}", 1).await;
    assert_eq!(bystander.get_body("/").await, "hello");
    assert_eq!(world.connect().await.get_body("/").await, "hello");
}

/// Without lingering, the kernel resets the connection because the body was not read, and the reset overtakes the
/// answer.
#[tokio::test]
async fn an_answer_reaches_a_client_that_is_still_sending() {
    const BODY_BYTES: usize = 8 * 1_024 * 1_024;
    let world = World::start(patient());
    let mut client = world.connect().await;
    client
        .send(format!("POST /refused HTTP/1.1\r\nhost: test\r\ncontent-length: {BODY_BYTES}\r\n\r\n").as_bytes())
        .await;
    client.send(&vec![0; BODY_BYTES]).await;
    assert_eq!(client.answer().await, Answer { status: 413, body: "too large".to_owned() });
    assert_eq!(client.rest().await, "");
}
