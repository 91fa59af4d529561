//! What is recorded of every request: an id, how long it took, how it ended. Nothing of what was said.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use metrics::{Counter, Histogram, counter, histogram};
use pin_project_lite::pin_project;
use tower::{Layer, Service};
use tracing::field::Empty;
use tracing::{Span, debug_span, error};
use uuid::Uuid;

use crate::problem::{Code, Problem};
use crate::routes::Route;

static REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const REQUEST_ID_BYTES_MAX: usize = 128;

/// Handles made once per route: looking a metric up by its labels costs more than counting.
struct RouteMetrics {
    duration: Histogram,
    /// By the first digit of the status.
    answers: [Counter; 6],
}

impl RouteMetrics {
    fn new(method: &'static str, route: &'static str) -> RouteMetrics {
        let answer = |class: &'static str| counter!("surehold_http_requests_total", "method" => method, "route" => route, "status" => class);
        RouteMetrics {
            duration: histogram!("surehold_http_request_seconds", "method" => method, "route" => route),
            answers: ["0xx", "1xx", "2xx", "3xx", "4xx", "5xx"].map(answer),
        }
    }
}

type Methods = Vec<(&'static str, Arc<RouteMetrics>)>;

#[derive(Clone)]
pub(crate) struct Observe {
    routes: Arc<HashMap<&'static str, Methods>>,
    other: Arc<RouteMetrics>,
    adopt_parent: fn(&Span, &str),
}

impl Observe {
    pub(crate) fn new(list: &[Route], adopt_parent: fn(&Span, &str)) -> Observe {
        let mut routes: HashMap<&'static str, Methods> = HashMap::new();
        for &Route { method, path } in list {
            let metrics = Arc::new(RouteMetrics::new(method, path));
            routes.entry(path).or_default().push((method, metrics));
        }
        Observe { routes: Arc::new(routes), other: Arc::new(RouteMetrics::new("other", "other")), adopt_parent }
    }
}

impl<S> Layer<S> for Observe {
    type Service = Observed<S>;

    fn layer(&self, inner: S) -> Observed<S> {
        Observed { inner, observe: self.clone() }
    }
}

#[derive(Clone)]
pub(crate) struct Observed<S> {
    inner: S,
    observe: Observe,
}

impl<S: Service<Request, Response = Response>> Service<Request> for Observed<S> {
    type Response = Response;
    type Error = S::Error;
    type Future = Observing<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request) -> Observing<S::Future> {
        let begun_at = Instant::now();
        let route = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str).unwrap_or_default();
        let methods = self.observe.routes.get(route).map(Vec::as_slice).unwrap_or_default();
        let metrics = methods.iter().find(|(method, _)| *method == request.method().as_str());
        let metrics = Arc::clone(metrics.map_or(&self.observe.other, |(_, metrics)| metrics));
        let request_id = request_id(&request);
        let span = request_span(&request, route, &request_id);
        if let Some(parent) = request.headers().get("traceparent").and_then(|value| value.to_str().ok()) {
            (self.observe.adopt_parent)(&span, parent);
        }
        let changes = !request.method().is_safe();
        let inner = span.in_scope(|| self.inner.call(request));
        Observing { inner, begun_at, metrics, request_id: Some(request_id), changes, span }
    }
}

/// A handler that panics may have had its effect before.
fn panicked(changes: bool) -> Problem {
    if changes {
        let detail = "the answer was lost because of a defect; ask again with the same id or key";
        Problem::new(Code::OutcomeUnknown, detail)
    } else {
        Problem::new(Code::Defect, "the request failed because of a defect; nothing was changed")
    }
}

/// The caller's, if it can be used; else one of ours.
fn request_id(request: &Request) -> HeaderValue {
    let given = request.headers().get(&REQUEST_ID);
    let usable = given
        .filter(|id| (1..=REQUEST_ID_BYTES_MAX).contains(&id.len()) && id.as_bytes().iter().all(u8::is_ascii_graphic));
    usable.cloned().unwrap_or_else(|| {
        let mut text = [0; uuid::fmt::Simple::LENGTH];
        let text = Uuid::now_v7().simple().encode_lower(&mut text);
        HeaderValue::from_str(text).expect("hexadecimal digits")
    })
}

fn request_span(request: &Request, route: &str, request_id: &HeaderValue) -> Span {
    debug_span!(
        target: "surehold::request",
        "request",
        otel.name = format!("{} {route}", request.method()),
        http.request.method = %request.method(),
        http.route = route,
        http.response.status_code = Empty,
        request.id = request_id.to_str().unwrap_or_default(),
    )
}

pin_project! {
    pub(crate) struct Observing<F> {
        #[pin]
        inner: F,
        begun_at: Instant,
        metrics: Arc<RouteMetrics>,
        request_id: Option<HeaderValue>,
        changes: bool,
        span: Span,
    }
}

impl<F: Future<Output = Result<Response, E>>, E> Future for Observing<F> {
    type Output = Result<Response, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<Response, E>> {
        let this = self.project();
        let entered = this.span.enter();
        // A handler that panics answers for itself alone; it is not polled again.
        let polled = catch_unwind(AssertUnwindSafe(|| this.inner.poll(cx)));
        let mut response = match polled {
            Ok(polled) => ready!(polled)?,
            Err(_panic) => {
                error!(defect = true, "A request panicked");
                panicked(*this.changes).into_response()
            }
        };
        drop(entered);
        let status = response.status();
        this.span.record("http.response.status_code", status.as_u16());
        this.metrics.duration.record(this.begun_at.elapsed());
        this.metrics.answers[usize::from(status.as_u16() / 100).min(5)].increment(1);
        if let Some(id) = this.request_id.take() {
            response.headers_mut().insert(REQUEST_ID.clone(), id);
        }
        Poll::Ready(Ok(response))
    }
}
