//! Request bodies that arrive in time, or fail with [`BodyTimeout`].

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use axum::BoxError;
use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use tokio::time::Sleep;

use super::metrics::Timeout;
use super::watch::Watch;

/// The client did not send its whole body in time. Found in the source chain of whatever reading the body returned;
/// answer 408, and the connection closes by itself because the rest of the body is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the request body did not arrive in time; send it faster, or send less of it")]
pub struct BodyTimeout;

impl BodyTimeout {
    /// Whether `error`, or something it came from, is a body that was too slow.
    pub fn caused(error: &(dyn std::error::Error + 'static)) -> bool {
        let mut chain = std::iter::successors(Some(error), |error| error.source());
        chain.any(<dyn std::error::Error>::is::<BodyTimeout>)
    }
}

#[derive(Debug)]
struct TimedBody {
    body: Incoming,
    head_at: Instant,
    /// Made only when the reader has to wait: a body that came with its head never needs it.
    timer: Option<Pin<Box<Sleep>>>,
    watch: Arc<Watch>,
    finished: bool,
}

/// Puts a body under the watch's body timeout. The head has just arrived.
pub(super) fn timed(body: Incoming, watch: &Arc<Watch>) -> Body {
    if body.is_end_stream() {
        return Body::empty();
    }
    Body::new(TimedBody { body, head_at: Instant::now(), timer: None, watch: Arc::clone(watch), finished: false })
}

impl HttpBody for TimedBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = &mut *self;
        match Pin::new(&mut this.body).poll_frame(cx) {
            Poll::Ready(Some(Ok(frame))) => Poll::Ready(Some(Ok(frame))),
            Poll::Ready(Some(Err(error))) => Poll::Ready(Some(Err(error.into()))),
            Poll::Ready(None) => {
                this.finished = true;
                Poll::Ready(None)
            }
            Poll::Pending => {
                let body_timeout = this.watch.watcher().body_timeout;
                let left = || body_timeout.saturating_sub(this.head_at.elapsed());
                let timer = this.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep(left())));
                ready!(timer.as_mut().poll(cx));
                this.watch.watcher().timeouts.count(Timeout::Body);
                Poll::Ready(Some(Err(BodyTimeout.into())))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for TimedBody {
    fn drop(&mut self) {
        if !self.finished && !self.body.is_end_stream() {
            self.watch.body_left_unread();
        }
    }
}
