//! Endpoints of customers, and the sender that calls them.

use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::extract::connect_info::{ConnectInfo, Connected};
use axum::http::{HeaderMap, Response, Uri};
use axum::serve::{IncomingStream, Listener};
use bytes::Bytes;
use futures_util::StreamExt;
use surehold_connect::webhooks::{Answer, Delivery, Lookup, Reach, Secret, SendError, Sender, SenderConfig};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;

/// Far beyond anything a test waits for; only a broken sender takes it.
const PATIENCE: Duration = Duration::from_mins(2);
pub(super) const NOW_SECS: i64 = 1_790_000_000;

pub(super) async fn patiently<F: Future>(work: F) -> F::Output {
    tokio::time::timeout(PATIENCE, work).await.expect("it took too long")
}

pub(super) fn secret() -> Secret {
    Secret::from_bytes(&[7; 32]).unwrap()
}

/// A request as the endpoint saw it.
pub(super) struct Received {
    pub(super) uri: Uri,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
    /// Where it came from: the same for requests over the same connection.
    pub(super) from: SocketAddr,
}

pub(super) struct Endpoint {
    pub(super) address: SocketAddr,
    received: mpsc::UnboundedReceiver<Received>,
}

impl Endpoint {
    pub(super) async fn start() -> Endpoint {
        Endpoint::start_at(IpAddr::from([127, 0, 0, 1]), 0).await
    }

    pub(super) async fn start_at(ip: IpAddr, port: u16) -> Endpoint {
        Endpoint::serve(Door { tcp: TcpListener::bind((ip, port)).await.unwrap(), tls: None })
    }

    pub(super) async fn start_tls(acceptor: TlsAcceptor) -> Endpoint {
        let tcp = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Endpoint::serve(Door { tcp, tls: Some(acceptor) })
    }

    fn serve(door: Door) -> Endpoint {
        let address = door.local_addr().unwrap();
        let (seen, received) = mpsc::unbounded_channel();
        let app = Router::new().fallback(answer).with_state(seen);
        let app = app.into_make_service_with_connect_info::<Peer>();
        tokio::spawn(async move { axum::serve(door, app).await });
        Endpoint { address, received }
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(super) async fn next(&mut self) -> Received {
        patiently(self.received.recv()).await.unwrap()
    }

    pub(super) fn is_untouched(&mut self) -> bool {
        self.received.try_recv().is_err()
    }
}

/// The other end of a connection.
#[derive(Clone, Copy)]
struct Peer(SocketAddr);

impl Connected<IncomingStream<'_, Door>> for Peer {
    fn connect_info(stream: IncomingStream<'_, Door>) -> Peer {
        Peer(*stream.remote_addr())
    }
}

/// The path says how the endpoint behaves.
async fn answer(
    State(seen): State<mpsc::UnboundedSender<Received>>,
    ConnectInfo(Peer(from)): ConnectInfo<Peer>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    seen.send(Received { uri: uri.clone(), headers, body, from }).ok();
    let endless = || futures_util::stream::repeat_with(|| Ok::<_, std::io::Error>(Bytes::from(vec![b'x'; 4096])));
    let (builder, body) = (Response::builder(), Body::from);
    let answer = match uri.path() {
        "/silent" => std::future::pending().await,
        "/redirect" => builder.status(302).header("location", "/elsewhere").body(Body::empty()),
        "/gone" => builder.status(410).body(body("no more")),
        "/slower" => builder.status(429).header("retry-after", "120").body(Body::empty()),
        "/later" => builder.status(503).header("retry-after", "Mon, 21 Sep 2026 14:13:50 GMT").body(Body::empty()),
        "/endless" => builder.status(200).body(Body::from_stream(endless())),
        "/endless-failure" => builder.status(500).body(Body::from_stream(endless())),
        "/hanging" => {
            let silence = futures_util::stream::pending();
            builder.status(200).body(Body::from_stream(endless().take(1).chain(silence)))
        }
        _ => builder.status(200).body(body("thank you")),
    };
    answer.unwrap()
}

struct Door {
    tcp: TcpListener,
    tls: Option<TlsAcceptor>,
}

trait Io: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Io for T {}

impl Listener for Door {
    type Io = Box<dyn Io>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            let (stream, from) = self.tcp.accept().await.unwrap();
            let Some(tls) = &self.tls else { return (Box::new(stream), from) };
            // Whoever does not trust us hangs up; the next one may.
            if let Ok(stream) = tls.accept(stream).await {
                return (Box::new(stream), from);
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        self.tcp.local_addr()
    }
}

/// An address where nobody is expected: it can tell whether anybody knocked.
pub(super) struct Trap(std::net::TcpListener);

impl Trap {
    pub(super) fn set() -> Trap {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        Trap(listener)
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.0.local_addr().unwrap()
    }

    pub(super) fn is_untouched(&self) -> bool {
        matches!(self.0.accept(), Err(error) if error.kind() == ErrorKind::WouldBlock)
    }
}

pub(super) fn anywhere() -> SenderConfig {
    SenderConfig { reach: Reach::Anywhere, ..SenderConfig::default() }
}

pub(super) fn sender(config: SenderConfig) -> Sender {
    Sender::new(config).unwrap()
}

pub(super) fn sender_with(config: SenderConfig, lookup: &Arc<impl Lookup>) -> Sender {
    Sender::with_lookup(config, lookup.clone()).unwrap()
}

pub(super) async fn post(sender: &Sender, url: &str) -> Result<Answer, SendError> {
    let secrets = [secret()];
    let body = Bytes::from_static(br#"{"type": "hold.placed"}"#);
    let delivery = Delivery { url, id: "msg_1", timestamp_secs: NOW_SECS, body, secrets: &secrets };
    patiently(sender.post(&delivery)).await
}
