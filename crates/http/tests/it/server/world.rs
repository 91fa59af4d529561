//! A running server with a small router, and clients that speak bytes.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header::CONTENT_LENGTH;
use axum::http::{HeaderName, StatusCode};
use axum::routing::{get, post};
use axum::{Extension, Router};
use futures_util::StreamExt;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use surehold_http::server::{BodyTimeout, Drained, LocalSocket, Peer, Server, ServerConfig, Tls, bind_tcp};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Far beyond anything a test waits for; only a broken server takes it.
pub(super) const PATIENCE: Duration = Duration::from_mins(1);

pub(super) const BIG_BYTES: usize = 32 * 1_024 * 1_024;

/// Timeouts that a test can afford to wait for.
pub(super) fn brisk() -> ServerConfig {
    ServerConfig {
        header_timeout: Duration::from_secs(1),
        body_timeout: Duration::from_secs(1),
        write_stall_timeout: Duration::from_secs(1),
        ..patient()
    }
}

/// Timeouts that no test waits for.
pub(super) fn patient() -> ServerConfig {
    ServerConfig {
        connections_max: 1_000,
        header_timeout: PATIENCE,
        body_timeout: PATIENCE,
        idle_timeout: PATIENCE,
        write_stall_timeout: PATIENCE,
        drain_max: PATIENCE,
    }
}

pub(super) struct World {
    pub(super) address: SocketAddr,
    /// Handlers of `/slow` say here that they have begun, and wait there to be let go.
    pub(super) begun: Arc<Semaphore>,
    pub(super) go: Arc<Semaphore>,
    shutdown: CancellationToken,
    running: JoinHandle<Drained>,
    metrics: PrometheusHandle,
}

#[derive(Default)]
pub(super) struct Doors {
    pub(super) tls: Option<Tls>,
    pub(super) local: Option<LocalSocket>,
}

#[derive(Clone)]
struct Slow {
    begun: Arc<Semaphore>,
    go: Arc<Semaphore>,
}

impl World {
    pub(super) fn start(config: ServerConfig) -> World {
        World::start_with(config, Doors::default())
    }

    pub(super) fn start_with(config: ServerConfig, doors: Doors) -> World {
        let slow = Slow { begun: Arc::new(Semaphore::new(0)), go: Arc::new(Semaphore::new(0)) };
        let recorder = PrometheusBuilder::new().build_recorder();
        let metrics = recorder.handle();
        let mut server = metrics::with_local_recorder(&recorder, || Server::new(router(slow.clone()), config));
        let listener = bind_tcp("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = listener.local_addr().unwrap();
        server = server.listen_tcp(listener, doors.tls);
        if let Some(socket) = doors.local {
            server = server.listen_unix(socket);
        }
        let shutdown = CancellationToken::new();
        let running = tokio::spawn(server.run(shutdown.clone()));
        World { address, begun: slow.begun, go: slow.go, shutdown, running, metrics }
    }

    pub(super) async fn connect(&self) -> Client<TcpStream> {
        Client { io: TcpStream::connect(self.address).await.unwrap() }
    }

    pub(super) fn begin_shutdown(&self) {
        self.shutdown.cancel();
    }

    pub(super) async fn shut_down(self) -> Drained {
        self.shutdown.cancel();
        patiently(self.running).await.unwrap()
    }

    pub(super) async fn slow_has_begun(&self) {
        patiently(self.begun.acquire()).await.unwrap().forget();
    }

    /// The value of a metric, given its name and labels as `/metrics` shows them; 0 if it was never touched.
    pub(super) fn metric(&self, name: &str) -> u64 {
        let text = self.metrics.render();
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        value.map_or(0, |value| value.parse().unwrap_or_else(|_| panic!("{name} {value}")))
    }

    /// Waits for a metric to reach a value; metrics have no event to wait for.
    pub(super) async fn metric_reaches(&self, name: &str, value: u64) {
        patiently(async {
            while self.metric(name) != value {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
    }

    pub(super) fn timeouts(&self, kind: &str) -> u64 {
        self.metric(&format!("surehold_http_timeouts_total{{kind=\"{kind}\"}}"))
    }
}

fn router(slow: Slow) -> Router {
    Router::new()
        .route("/", get(|| async { "hello" }))
        .route("/peer", get(|Extension(peer): Extension<Peer>| async move { format!("{peer:?}") }))
        .route("/echo", post(echo))
        .route("/refused", post(|_unread: Request| async { (StatusCode::PAYLOAD_TOO_LARGE, "too large") }))
        .route("/panic", get(panics))
        .route("/big", get(big))
        .route("/page", get(|| async { vec![b'x'; BIG_BYTES] }))
        .route("/slow", get(slow_answer))
        .route("/trickle", get(trickle))
        .with_state(slow)
}

async fn echo(request: Request) -> (StatusCode, Bytes) {
    match axum::body::to_bytes(request.into_body(), usize::MAX).await {
        Ok(body) => (StatusCode::OK, body),
        Err(error) if BodyTimeout::caused(&error) => (StatusCode::REQUEST_TIMEOUT, Bytes::from_static(b"too slow")),
        Err(error) => (StatusCode::BAD_REQUEST, Bytes::from(error.to_string())),
    }
}

async fn panics() -> &'static str {
    panic!("a test asked for this panic")
}

async fn big() -> ([(HeaderName, usize); 1], Body) {
    const PART_BYTES: usize = 64 * 1_024;
    let part = Bytes::from(vec![b'x'; PART_BYTES]);
    let parts = (0..BIG_BYTES / PART_BYTES).map(move |_| Ok::<_, std::io::Error>(part.clone()));
    ([(CONTENT_LENGTH, BIG_BYTES)], Body::from_stream(futures_util::stream::iter(parts)))
}

/// One part at once, and another when it is let go.
async fn trickle(State(slow): State<Slow>) -> Body {
    let first = futures_util::stream::once(async { Ok::<_, std::io::Error>("one ") });
    let second = futures_util::stream::once(async move { Ok(slow_answer(State(slow)).await) });
    Body::from_stream(first.chain(second))
}

async fn slow_answer(State(slow): State<Slow>) -> &'static str {
    slow.begun.add_permits(1);
    slow.go.acquire().await.unwrap().forget();
    "at last"
}

pub(super) async fn patiently<F: Future>(work: F) -> F::Output {
    tokio::time::timeout(PATIENCE, work).await.expect("the server took too long")
}

/// A client that speaks HTTP/1.1 in bytes.
pub(super) struct Client<T> {
    pub(super) io: T,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: String,
}

impl<T: AsyncRead + AsyncWrite + Unpin> Client<T> {
    pub(super) async fn send(&mut self, bytes: &[u8]) {
        patiently(self.io.write_all(bytes)).await.unwrap();
    }

    pub(super) async fn get(&mut self, path: &str) -> Answer {
        self.send(format!("GET {path} HTTP/1.1\r\nhost: test\r\n\r\n").as_bytes()).await;
        self.answer().await
    }

    pub(super) async fn get_body(&mut self, path: &str) -> String {
        let answer = self.get(path).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.body
    }

    /// Reads the head of an answer.
    pub(super) async fn head(&mut self) -> String {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(patiently(self.io.read_u8()).await.unwrap_or_else(|error| {
                panic!("no answer: {error} after {:?}", String::from_utf8_lossy(&head));
            }));
        }
        String::from_utf8(head).unwrap().to_lowercase()
    }

    /// Reads one answer of known length.
    pub(super) async fn answer(&mut self) -> Answer {
        let head = self.head().await;
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
        patiently(self.io.read_exact(&mut body)).await.unwrap();
        Answer { status, body: String::from_utf8(body).unwrap() }
    }

    /// Reads until the server has closed, whether politely or not.
    pub(super) async fn rest(&mut self) -> String {
        let mut rest = Vec::new();
        let _reset = patiently(self.io.read_to_end(&mut rest)).await;
        String::from_utf8_lossy(&rest).into_owned()
    }
}
