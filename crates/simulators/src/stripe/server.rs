//! HTTP: the API under `/v1`, the hosted page under `/pay`, and connections that end without a word.
//!
//! Every API request runs in a task of its own: a client that leaves cancels nothing.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Path, Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, LOCATION, RETRY_AFTER};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{any, get};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::answer::Answer;
use super::api::{ApiRequest, Reaction};
use super::config::API_VERSION;
use super::form::Params;
use super::objects::Method;
use super::page;
use super::payments::Impossible;
use super::shared::Shared;

const BODY_BYTES_MAX: usize = 256 << 10;

/// In place of an answer.
#[derive(Clone, Copy, Debug)]
enum Silence {
    Close,
    Reset,
}

#[derive(Debug, thiserror::Error)]
#[error("the connection ends without an answer")]
struct Silent;

type Answering = Pin<Box<dyn Future<Output = Result<Response, Silent>> + Send>>;

pub(super) async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let router = router(shared);
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        while connections.try_join_next().is_some() {}
        connections.spawn(serve(stream, router.clone()));
    }
}

fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/v1/{*path}", any(api))
        .route("/pay/{session}", get(show_page).post(use_page))
        .with_state(shared)
}

/// One connection. What the service does not answer ends it; a reset leaves nothing that could still arrive.
async fn serve(stream: TcpStream, router: Router) {
    // It only costs time when it fails.
    let _ = stream.set_nodelay(true);
    let resets = Arc::new(AtomicBool::new(false));
    let router = TowerToHyperService::new(router);
    let seen = Arc::clone(&resets);
    let service = service_fn(move |request: hyper::Request<Incoming>| -> Answering {
        let answering = router.call(request);
        let resets = Arc::clone(&seen);
        Box::pin(async move {
            let response: Response = match answering.await {
                Ok(response) => response,
                Err(never) => match never {},
            };
            match response.extensions().get() {
                None => Ok(response),
                Some(Silence::Close) => Err(Silent),
                Some(Silence::Reset) => {
                    resets.store(true, Ordering::Relaxed);
                    Err(Silent)
                }
            }
        })
    });
    let mut connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    // Clients leave as they like.
    let _ = poll_fn(|context| connection.poll_without_shutdown(context)).await;
    if resets.load(Ordering::Relaxed) {
        let _ = connection.into_parts().io.into_inner().set_zero_linger();
    }
}

async fn api(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let doing = tokio::spawn(async move {
        let (head, body) = request.into_parts();
        let Ok(body) = to_bytes(body, BODY_BYTES_MAX).await else {
            return StatusCode::PAYLOAD_TOO_LARGE.into_response();
        };
        let query = head.uri.query().unwrap_or_default();
        let text = if head.method == "GET" { query.into() } else { String::from_utf8_lossy(&body) };
        let header = |name: &str| text_of(&head.headers, name);
        let request = ApiRequest {
            method: head.method.as_str().to_owned(),
            path: head.uri.path().to_owned(),
            bearer: header(AUTHORIZATION.as_str()).and_then(|value| value.strip_prefix("Bearer ").map(str::to_owned)),
            idempotency_key: header("idempotency-key"),
            params: Params::parse(&text),
        };
        let version = header("stripe-version").unwrap_or_else(|| API_VERSION.to_owned());
        let (request_id, reaction) = shared.react(&request).await;
        match reaction {
            Reaction::Answer(answer) => respond(&answer, &request_id, &version, request.idempotency_key.as_deref()),
            Reaction::Close => silence(Silence::Close),
            Reaction::Reset => silence(Silence::Reset),
        }
    });
    doing.await.expect("answering does not panic")
}

fn text_of(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}

fn respond(answer: &Answer, request_id: &str, version: &str, key: Option<&str>) -> Response {
    let mut response = Response::builder()
        .status(answer.status)
        .header(CONTENT_TYPE, "application/json")
        .header("request-id", request_id)
        .header("stripe-version", version);
    if let Some(key) = key {
        response = response.header("idempotency-key", key);
    }
    if answer.replayed {
        response = response.header("idempotent-replayed", "true");
    }
    if let Some(secs) = answer.retry_after_secs {
        response = response.header(RETRY_AFTER, secs);
    }
    response.body(Body::from(answer.body.to_string())).expect("its headers came over HTTP or are our own")
}

fn silence(silence: Silence) -> Response {
    let mut response = Response::new(Body::empty());
    response.extensions_mut().insert(silence);
    response
}

async fn show_page(State(shared): State<Arc<Shared>>, Path(session): Path<String>) -> Response {
    page_of(&shared, &session, None)
}

/// A button of the page was pressed.
async fn use_page(State(shared): State<Arc<Shared>>, Path(session): Path<String>, body: String) -> Response {
    let params = Params::parse(&body);
    let button = params.text("method").ok().flatten().unwrap_or_default();
    if button == "back" {
        return match shared.with(|books| page::way_back(books, &session)) {
            Some(url) => see_other(&url),
            None => page_of(&shared, &session, None),
        };
    }
    if button == "decline" {
        let declined = shared.with(|books| books.decline(&session));
        return page_of(&shared, &session, declined.is_ok().then_some("Your card was declined."));
    }
    let Some(method) = Method::ALL.into_iter().find(|method| method.word() == button) else {
        return page_of(&shared, &session, Some("Choose how to pay."));
    };
    match shared.with(|books| books.pay(&session, method)) {
        Ok(url) => see_other(&url),
        Err(Impossible::MethodNotOffered { .. }) => page_of(&shared, &session, Some("This cannot be used here.")),
        // The page says what has become of it.
        Err(_) => page_of(&shared, &session, None),
    }
}

fn page_of(shared: &Shared, session: &str, notice: Option<&str>) -> Response {
    match shared.with(|books| page::render(books, session, notice)) {
        Some(html) => Html(html).into_response(),
        None => (StatusCode::NOT_FOUND, Html(page::nothing())).into_response(),
    }
}

fn see_other(url: &str) -> Response {
    let response = Response::builder().status(StatusCode::SEE_OTHER).header(LOCATION, url);
    response.body(Body::empty()).unwrap_or_else(|_| StatusCode::BAD_REQUEST.into_response())
}
