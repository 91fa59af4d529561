//! The rival: the least that an axum endpoint can do with the same request. It parses the same body and answers
//! as many bytes; it knows no key, keeps no metrics and stores nothing.

use axum::Router;
use axum::body::Bytes;
use axum::extract::Path;
use axum::http::{HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use uuid::Uuid;

/// The fields of the real request.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlaceHold {
    id: Uuid,
    lines: Vec<Line>,
    lifetime_secs: Option<i64>,
    owner: Option<String>,
    reference: Option<String>,
    metadata: Option<serde_json::Map<String, serde_json::Value>>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Line {
    resource: String,
    slot: String,
    quantity: i64,
}

/// The fields of the real answer.
#[derive(Debug, Serialize)]
struct Hold {
    id: Uuid,
    state: &'static str,
    lines: Vec<Line>,
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<serde_json::Map<String, serde_json::Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lifetime_secs: Option<i64>,
    placed_at: &'static str,
    expires_at: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<&'static str>,
    version: i64,
    pool_versions: Vec<i64>,
}

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Serves until the task is dropped.
pub async fn serve(listener: TcpListener) -> std::io::Result<()> {
    let router = Router::new()
        .route("/v1/{tenant}/holds", post(place))
        .route("/healthz", get(async || "ok"))
        .route("/readyz", get(async || "ok"));
    let listener = listener.tap_io(|stream| {
        // Without it, an answer waits; it still comes.
        let _ = stream.set_nodelay(true);
    });
    axum::serve(listener, router).await
}

async fn place(Path(tenant): Path<String>, body: Bytes) -> Response {
    match serde_json::from_slice::<PlaceHold>(&body) {
        Ok(asked) => answer(&tenant, asked),
        Err(error) => (StatusCode::BAD_REQUEST, error.to_string()).into_response(),
    }
}

fn answer(tenant: &str, asked: PlaceHold) -> Response {
    let PlaceHold { id, lines, lifetime_secs, owner, reference, metadata } = asked;
    let pool_versions = lines.iter().map(|_| 1_000_000).collect();
    let hold = Hold {
        id,
        state: "active",
        lines,
        owner,
        reference,
        metadata,
        lifetime_secs,
        placed_at: "2026-11-15T13:25:19.123456Z",
        expires_at: "2026-11-15T13:40:19.123456Z",
        ended_at: None,
        version: 1,
        pool_versions,
    };
    let location = format!("/v1/{tenant}/holds/{id}");
    match serde_json::to_vec(&hold) {
        Ok(body) => {
            let headers = [
                (header::CONTENT_TYPE, "application/json".to_owned()),
                (header::LOCATION, location),
                (REQUEST_ID, id.simple().to_string()),
            ];
            (StatusCode::CREATED, headers, body).into_response()
        }
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}
