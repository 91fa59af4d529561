//! HTTP/2 by prior knowledge.

use std::time::{Duration, Instant};

use super::world::{World, brisk, patient, patiently};
use bytes::Bytes;
use futures_util::future::join_all;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::Request;
use hyper::body::{Body, Frame};
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use surehold_http::server::ServerConfig;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

pub(super) type Connection = JoinHandle<hyper::Result<()>>;

pub(super) async fn http2<T>(io: T) -> (SendRequest<Full<Bytes>>, Connection)
where
    T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    http2_with(io, &Builder::new(TokioExecutor::new())).await
}

async fn http2_with<T, B>(io: T, builder: &Builder<TokioExecutor>) -> (SendRequest<B>, Connection)
where
    T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    B: Body<Data = Bytes> + Unpin + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let (client, connection) = patiently(builder.handshake(TokioIo::new(io))).await.unwrap();
    (client, tokio::spawn(connection))
}

pub(super) async fn get(client: &mut SendRequest<Full<Bytes>>, path: &str) -> (u16, String) {
    let request = Request::get(format!("http://test{path}")).body(Full::default()).unwrap();
    let response = patiently(client.send_request(request)).await.unwrap();
    let status = response.status().as_u16();
    let body = patiently(response.into_body().collect()).await.unwrap().to_bytes();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_requests_share_a_connection() {
    let world = World::start(patient());
    let (client, _connection) = http2(TcpStream::connect(world.address).await.unwrap()).await;
    let answers = (0..1_000).map(|_| {
        let mut client = client.clone();
        async move { get(&mut client, "/").await }
    });
    assert!(join_all(answers).await.into_iter().all(|answer| answer == (200, "hello".to_owned())));
    assert_eq!(world.metric("surehold_http_connections_accepted_total{listener=\"network\"}"), 1);
}

#[tokio::test]
async fn a_panic_ends_its_stream_only() {
    let world = World::start(patient());
    let (mut client, _connection) = http2(TcpStream::connect(world.address).await.unwrap()).await;
    let request = Request::get("http://test/panic").body(Full::default()).unwrap();
    assert!(patiently(client.send_request(request)).await.is_err());
    assert_eq!(get(&mut client, "/").await, (200, "hello".to_owned()));
}

#[tokio::test]
async fn idle_time_is_counted_from_the_last_request() {
    let idle_timeout = Duration::from_secs(3);
    let world = World::start(ServerConfig { idle_timeout, ..brisk() });
    let (mut client, connection) = http2(TcpStream::connect(world.address).await.unwrap()).await;
    // The preface counts as a beginning, so that no head is awaited; and a connection is idle between requests.
    for _ in 0..2 {
        tokio::time::sleep(brisk().header_timeout * 2).await;
        assert_eq!(get(&mut client, "/").await, (200, "hello".to_owned()));
    }
    let idle_since = Instant::now();
    patiently(connection).await.unwrap().unwrap();
    assert!(idle_since.elapsed() >= idle_timeout / 2, "{:?}", idle_since.elapsed());
    assert_eq!((world.timeouts("idle"), world.timeouts("head")), (1, 0));
}

#[tokio::test]
async fn a_slow_body_is_a_typed_error() {
    let world = World::start(brisk());
    let io = TcpStream::connect(world.address).await.unwrap();
    let (mut client, _connection) = http2_with(io, &Builder::new(TokioExecutor::new())).await;
    let never = StreamBody::new(futures_util::stream::pending::<Result<Frame<Bytes>, std::io::Error>>());
    let request = Request::post("http://test/echo").body(never).unwrap();
    let response = patiently(client.send_request(request)).await.unwrap();
    assert_eq!(response.status(), 408);
    assert_eq!(world.timeouts("body"), 1);
}

#[tokio::test]
async fn a_client_that_grants_no_window_is_cut() {
    let world = World::start(brisk());
    let io = TcpStream::connect(world.address).await.unwrap();
    let mut builder = Builder::new(TokioExecutor::new());
    builder.initial_stream_window_size(0);
    let (mut client, connection) = http2_with(io, &builder).await;
    let request = Request::get("http://test/big").body(Full::<Bytes>::default()).unwrap();
    let _unread = patiently(client.send_request(request)).await.unwrap();
    let _cut = patiently(connection).await.unwrap();
    assert_eq!(world.timeouts("write"), 1);
}

/// Streams that are opened and reset in one breath cost the client nothing and the server a request each.
#[tokio::test]
async fn rapid_resets_end_the_connection() {
    const ENHANCE_YOUR_CALM: [u8; 4] = [0, 0, 0, 11];
    let world = World::start(patient());
    let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0".to_vec();
    for stream in (1..2_000_u32).step_by(2).map(u32::to_be_bytes) {
        // HEADERS with END_STREAM and END_HEADERS: GET http / of authority "x"; then RST_STREAM with CANCEL.
        bytes.extend([&[0, 0, 6, 1, 5][..], &stream, &[0x82, 0x86, 0x84, 0x41, 1, b'x']].concat());
        bytes.extend([&[0, 0, 4, 3, 0][..], &stream, &[0, 0, 0, 8]].concat());
    }
    let mut client = world.connect().await;
    client.send(&bytes).await;
    let mut answer = Vec::new();
    let _reset = patiently(tokio::io::AsyncReadExt::read_to_end(&mut client.io, &mut answer)).await;
    let mut frames = answer.as_slice();
    let mut goaway = None;
    while let [a, b, c, kind, rest @ ..] = frames {
        let length = usize::from(*a) << 16 | usize::from(*b) << 8 | usize::from(*c);
        let payload = &rest[5..5 + length];
        if *kind == 7 {
            goaway = Some(payload[4..8].to_vec());
        }
        frames = &rest[5 + length..];
    }
    assert_eq!(goaway, Some(ENHANCE_YOUR_CALM.to_vec()));
    assert_eq!(world.connect().await.get_body("/").await, "hello");
}
