//! Is it alive, may it get traffic, how is it doing.

use axum::extract::{FromRequestParts, Request};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use surehold_api::Health;
use surehold_engine::Fault;

use super::Api;
use super::body::{Answer, Reply};
use super::caller::Admin;
use crate::describe;
use crate::problem::{Code, Problem};

/// The process is alive
#[describe::path(get, "/healthz", tag = "Health", security(()))]
pub(super) async fn healthz() -> Reply<Health> {
    Reply::found(Health::OK)
}

/// The server can do its work: the store answers, and every lane takes commands
#[describe::path(get, "/readyz", tag = "Health", security(()))]
pub(super) async fn readyz(api: Api) -> Answer<Health> {
    if api.shared.stop.is_cancelled() {
        return Err(Fault::Stopping.into());
    }
    if !api.engine().is_serving() {
        return Err(Problem::new(Code::Unavailable, "a writing lane has ended; restart the server and read its log"));
    }
    api.views().ping().await?;
    Ok(Reply::found(Health::OK))
}

/// Metrics for Prometheus
///
/// Needs a key with the scope `admin`, unless the configuration opens it.
#[describe::path(get, "/metrics", tag = "Health",
    responses((status = 200, body = String, content_type = "text/plain")))]
pub(super) async fn metrics_text(api: Api, request: Request) -> Result<Response, Problem> {
    let (mut parts, _) = request.into_parts();
    if !api.shared.config.metrics_open {
        Admin::from_request_parts(&mut parts, &api).await?;
    }
    let Some(metrics) = &api.shared.metrics else {
        return Err(Problem::new(Code::NotFound, "this process keeps no metrics"));
    };
    Ok(([(CONTENT_TYPE, "text/plain; version=0.0.4")], metrics.render()).into_response())
}
