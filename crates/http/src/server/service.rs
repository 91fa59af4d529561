//! The router, as hyper calls it for one connection: every request knows its peer, bodies are timed, and the watch
//! knows from head to last byte of the answer that something is in flight.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::Router;
use axum::body::Body;
use axum::routing::future::RouteFuture;
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use hyper::{Request, Response, Version};

use super::watch::Watch;
use super::{Peer, body};

#[derive(Debug, Clone)]
pub(super) struct Answering {
    pub(super) router: Router,
    pub(super) watch: Arc<Watch>,
    pub(super) peer: Peer,
}

impl hyper::service::Service<Request<Incoming>> for Answering {
    type Response = Response<Answer>;
    type Error = Infallible;
    type Future = Asked;

    fn call(&self, request: Request<Incoming>) -> Asked {
        let http2 = request.version() == Version::HTTP_2;
        let in_flight = InFlight::new(&self.watch);
        let mut request = request.map(|body| body::timed(body, &self.watch));
        request.extensions_mut().insert(self.peer);
        // A router is always ready, and cloning it copies one pointer.
        let route = tower::Service::call(&mut self.router.clone(), request);
        Asked { route, asked: Some((in_flight, http2)) }
    }
}

/// A request under way.
pub(super) struct Asked {
    route: RouteFuture<Infallible>,
    asked: Option<(InFlight, bool)>,
}

impl Future for Asked {
    type Output = Result<Response<Answer>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let response = ready!(Pin::new(&mut self.route).poll(cx))?;
        let (in_flight, http2) = self.asked.take().expect("a finished future is not polled again");
        Poll::Ready(Ok(response.map(|body| {
            let mut answer = Answer { body, in_flight, http2, waiting: false };
            answer.wait();
            answer
        })))
    }
}

/// A response body that is in flight until it is dropped.
#[derive(Debug)]
pub(super) struct Answer {
    body: Body,
    in_flight: InFlight,
    http2: bool,
    /// HTTP/2 only: the next move is the client's, which has to grant a window.
    waiting: bool,
}

impl Answer {
    fn wait(&mut self) {
        if self.http2 && !self.waiting {
            self.waiting = true;
            self.in_flight.0.answer_waits();
        }
    }

    fn wait_no_more(&mut self) {
        if self.waiting {
            self.waiting = false;
            self.in_flight.0.answer_waits_no_more();
        }
    }
}

impl HttpBody for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        // hyper asks for the next part only when the client has taken enough; so a wait for our own handler is not
        // the client's fault, and everything between two questions is.
        self.wait_no_more();
        if polled.is_ready() {
            self.wait();
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.wait_no_more();
    }
}

/// Counts a request for as long as it exists, also when its handler panics or is given up.
#[derive(Debug)]
struct InFlight(Arc<Watch>);

impl InFlight {
    fn new(watch: &Arc<Watch>) -> InFlight {
        watch.request_begins();
        InFlight(Arc::clone(watch))
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.request_ends();
    }
}
