//! One connection from its first byte to its last: handshake, requests, end.

use std::future::poll_fn;
use std::ops::ControlFlow;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncWrite};

use super::Peer;
use super::io::{Metered, Socket, Spoken};
use super::service::Answering;
use super::tls::Tls;
use super::watch::{Verdict, Watch, Watcher};

/// Bounds what a connection may hold in memory, and with it the size of a request head.
const HTTP1_BUFFER_BYTES_MAX: usize = 64 * 1_024;

const HTTP2_STREAMS_MAX: u32 = 256;
const HTTP2_HEADER_LIST_BYTES_MAX: u32 = 16 * 1_024;
const HTTP2_STREAM_WINDOW_BYTES: u32 = 64 * 1_024;
const HTTP2_CONNECTION_WINDOW_BYTES: u32 = 1_024 * 1_024;
/// Of answers that the client has not granted a window for, per stream.
const HTTP2_SEND_BUFFER_BYTES_MAX: usize = 64 * 1_024;
const HTTP2_PING_INTERVAL: Duration = Duration::from_secs(20);
const HTTP2_PING_TIMEOUT: Duration = Duration::from_secs(20);
/// Streams that were opened and reset before we looked at them ("rapid reset"); more end the connection.
const HTTP2_RESETS_PENDING_MAX: usize = 20;
/// Streams that we had to reset because of the peer's mistakes; more end the connection.
const HTTP2_ERRORS_MAX: usize = 256;

/// What all connections of a server share.
#[derive(Debug)]
pub(super) struct Host {
    pub(super) router: Router,
    pub(super) watcher: Arc<Watcher>,
    pub(super) http: auto::Builder<TokioExecutor>,
}

/// Settings of the protocols. hyper's own head timeout is off: it would also end idle connections, and it allocates a
/// timer for every request (ADR 10).
pub(super) fn http() -> auto::Builder<TokioExecutor> {
    let mut http = auto::Builder::new(TokioExecutor::new());
    http.http1().timer(TokioTimer::new()).header_read_timeout(None).max_buf_size(HTTP1_BUFFER_BYTES_MAX);
    http.http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(HTTP2_STREAMS_MAX)
        .max_header_list_size(HTTP2_HEADER_LIST_BYTES_MAX)
        .initial_stream_window_size(HTTP2_STREAM_WINDOW_BYTES)
        .initial_connection_window_size(HTTP2_CONNECTION_WINDOW_BYTES)
        .max_send_buf_size(HTTP2_SEND_BUFFER_BYTES_MAX)
        .keep_alive_interval(HTTP2_PING_INTERVAL)
        .keep_alive_timeout(HTTP2_PING_TIMEOUT)
        .max_pending_accept_reset_streams(HTTP2_RESETS_PENDING_MAX)
        .max_local_error_reset_streams(HTTP2_ERRORS_MAX);
    http
}

/// Serves a connection until it ends, by itself or because its watch says so.
pub(super) async fn serve<S: Socket>(host: &Host, watch: &Arc<Watch>, socket: S, peer: Peer, tls: Option<&Tls>) {
    socket.send_at_once();
    let socket = Metered::new(socket, Arc::clone(watch));
    let Some(tls) = tls else {
        return converse(host, watch, socket, peer).await;
    };
    let handshake = pin!(tls.acceptor().accept(socket));
    // Nothing was asked yet, so a server that drains ends the handshake at once.
    match attend(watch, handshake, |_| ControlFlow::Break(())).await {
        Some(Ok(socket)) => converse(host, watch, socket, peer).await,
        Some(Err(error)) => tracing::debug!(?peer, %error, "A TLS handshake failed"),
        None => {}
    }
}

async fn converse<T>(host: &Host, watch: &Arc<Watch>, io: T, peer: Peer)
where
    T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = Answering { router: host.router.clone(), watch: Arc::clone(watch), peer };
    let io = TokioIo::new(Spoken::new(io, Arc::clone(watch)));
    let connection = pin!(host.http.serve_connection(io, service));
    let ended = attend(watch, connection, |connection| {
        connection.graceful_shutdown();
        ControlFlow::Continue(())
    });
    if let Some(Err(error)) = ended.await {
        // Clients go away in the middle of things all the time; it is their connection.
        tracing::debug!(?peer, error, "A connection ended early");
    }
}

/// Polls `work` to its end, or to the watch's. `leave` is called when the connection shall take nothing new, and may
/// end it at once.
async fn attend<F: Future>(
    watch: &Watch,
    mut work: Pin<&mut F>,
    leave: impl Fn(Pin<&mut F>) -> ControlFlow<()>,
) -> Option<F::Output> {
    poll_fn(|cx| {
        if watch.take_nudge(cx.waker()) {
            match watch.verdict() {
                Verdict::Stay => {}
                Verdict::Leave => {
                    watch.told_to_leave();
                    if leave(work.as_mut()).is_break() {
                        return Poll::Ready(None);
                    }
                }
                Verdict::Cut(timeout) => {
                    watch.was_cut(timeout);
                    return Poll::Ready(None);
                }
            }
        }
        work.as_mut().poll(cx).map(Some)
    })
    .await
}
