//! Bodies in and out, and the keys under which requests may be repeated.

use std::fmt::Display;

use axum::body::Body;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use surehold_engine::{Done, RequestKey};

use super::Api;
use crate::problem::{Code, Problem};
use crate::server::BodyTimeout;
use crate::strict::Strict;

pub(crate) const BODY_BYTES_MAX: usize = 256 << 10;

/// A JSON body of up to 256 KiB, unless the handler says otherwise.
pub(crate) struct Json<T, const BYTES_MAX: usize = BODY_BYTES_MAX>(pub(crate) T);

impl<T: DeserializeOwned, const BYTES_MAX: usize> FromRequest<Api> for Json<T, BYTES_MAX> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &Api) -> Result<Json<T, BYTES_MAX>, Problem> {
        let body = read_body(request, BYTES_MAX).await?;
        parse(&body).map(Json)
    }
}

/// The whole body, declared as JSON and not larger than allowed.
pub(crate) async fn read_body(request: Request, bytes_max: usize) -> Result<Bytes, Problem> {
    if !is_json(request.headers()) {
        return Err(Problem::new(Code::UnsupportedMediaType, "send the body with `Content-Type: application/json`"));
    }
    read_bytes(request, bytes_max).await
}

/// The whole body, whatever it is, if it is not larger than allowed.
pub(crate) async fn read_bytes(request: Request, bytes_max: usize) -> Result<Bytes, Problem> {
    let too_large = || Problem::new(Code::BodyTooLarge, format!("the body may have {bytes_max} bytes"));
    let declared = request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if declared.is_some_and(|bytes| bytes > bytes_max) {
        return Err(too_large());
    }
    let collected = Limited::new(request.into_body(), bytes_max).collect().await;
    collected.map(http_body_util::Collected::to_bytes).map_err(|error| {
        if error.is::<LengthLimitError>() {
            too_large()
        } else if BodyTimeout::caused(error.as_ref()) {
            Problem::new(Code::RequestTimeout, "the body took too long to arrive; send it at once")
        } else {
            Problem::new(Code::MalformedRequest, "the body ended before its time")
        }
    })
}

fn is_json(headers: &HeaderMap) -> bool {
    let declared = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media_type = declared.split(';').next().unwrap_or_default().trim();
    media_type.eq_ignore_ascii_case("application/json")
}

pub(crate) fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    // Checked once for the whole, which is quicker than string by string.
    let text = std::str::from_utf8(body).map_err(|error| Problem::new(Code::MalformedJson, error.to_string()))?;
    read(text).map_err(|error| {
        // Some shapes end the reading early and are reported as bad syntax, so the syntax is looked at by itself.
        let is_json = error.is_data() || serde_json::from_str::<IgnoredAny>(text).is_ok();
        let code = if is_json { Code::Invalid } else { Code::MalformedJson };
        Problem::new(code, error.to_string())
    })
}

fn read<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    let mut json = serde_json::Deserializer::from_str(text);
    let request = T::deserialize(Strict(&mut json))?;
    json.end()?;
    Ok(request)
}

/// The key under which the request may be repeated, if the caller gave one.
pub(crate) struct Idempotency(pub(crate) Option<HeaderValue>);

impl FromRequestParts<Api> for Idempotency {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Api) -> Result<Idempotency, Problem> {
        let mut values = parts.headers.get_all("idempotency-key").iter();
        match (values.next().cloned(), values.next()) {
            (key, None) => Ok(Idempotency(key)),
            (_, Some(_)) => Err(malformed("there is more than one")),
        }
    }
}

fn malformed(why: &str) -> Problem {
    let detail = format!("the Idempotency-Key cannot be used: {why}; a UUID is a good one");
    Problem::new(Code::IdempotencyKeyMalformed, detail)
}

impl Idempotency {
    /// The key and the canonical form of what is asked under it: path parameters and body, however they were spelled.
    pub(crate) fn key(&self, request: &impl Serialize) -> Result<Option<RequestKey>, Problem> {
        let Some(header) = &self.0 else { return Ok(None) };
        let text = header.to_str().map_err(|_| malformed("it has characters beyond ASCII"))?;
        let request = serde_json::to_vec(request).expect("requests are plain data");
        RequestKey::new(text, &request).map(Some).map_err(|invalid| malformed(&invalid.to_string()))
    }

    pub(crate) fn needed_key(&self, request: &impl Serialize, or: impl Display) -> Result<Option<RequestKey>, Problem> {
        let missing = || {
            let detail = format!("send an Idempotency-Key, so that the request can be repeated safely{or}");
            Problem::new(Code::IdempotencyKeyMissing, detail)
        };
        self.key(request)?.ok_or_else(missing).map(Some)
    }

    /// For requests that make something, and can be repeated too if the caller chose its id.
    pub(crate) fn key_unless(
        &self,
        has_id: bool,
        request: &impl Serialize,
        what: &str,
    ) -> Result<Option<RequestKey>, Problem> {
        let or = format_args!(", or give the {what} an id of your own (a UUIDv7)");
        if has_id { self.key(request) } else { self.needed_key(request, or) }
    }
}

/// For requests whose repeat could not be told from a second one.
pub(crate) struct IdempotencyNeeded(Idempotency);

impl FromRequestParts<Api> for IdempotencyNeeded {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<IdempotencyNeeded, Problem> {
        Idempotency::from_request_parts(parts, api).await.map(IdempotencyNeeded)
    }
}

impl IdempotencyNeeded {
    pub(crate) fn key(&self, request: &impl Serialize) -> Result<Option<RequestKey>, Problem> {
        self.0.needed_key(request, "")
    }
}

/// For requests whose answer is not kept.
pub(crate) struct IdempotencyRefused(Idempotency);

impl FromRequestParts<Api> for IdempotencyRefused {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<IdempotencyRefused, Problem> {
        Idempotency::from_request_parts(parts, api).await.map(IdempotencyRefused)
    }
}

impl IdempotencyRefused {
    /// Says why, to a caller who gave a key.
    pub(crate) fn check(&self, why: &str) -> Result<(), Problem> {
        if self.0.0.is_none() {
            return Ok(());
        }
        let detail = format!("this request takes no Idempotency-Key: {why}");
        Err(Problem::new(Code::IdempotencyKeyMalformed, detail))
    }
}

static APPLICATION_JSON: HeaderValue = HeaderValue::from_static("application/json");

pub(crate) fn json(status: StatusCode, body: &impl Serialize) -> Response {
    let bytes = serde_json::to_vec(body).expect("replies are plain data");
    json_bytes(status, bytes)
}

pub(crate) fn json_bytes(status: StatusCode, bytes: impl Into<Bytes>) -> Response {
    let mut response = Response::new(Body::from(bytes.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, APPLICATION_JSON.clone());
    response
}

/// What a handler gives back.
pub(crate) type Answer<T> = Result<Reply<T>, Problem>;

/// A reply, and whether it repeats an earlier one.
pub(crate) struct Reply<T> {
    pub(crate) status: StatusCode,
    pub(crate) body: T,
    pub(crate) replayed: bool,
    pub(crate) location: Option<String>,
}

impl<T> Reply<T> {
    pub(crate) fn ok<R: Into<T>>(done: Done<R>) -> Reply<T> {
        Reply { status: StatusCode::OK, body: done.reply.into(), replayed: done.replayed, location: None }
    }

    pub(crate) fn found(body: T) -> Reply<T> {
        Reply { status: StatusCode::OK, body, replayed: false, location: None }
    }

    /// The same, of something that was made by this request or by the same one before.
    pub(crate) fn created(self, location: String) -> Reply<T> {
        Reply { status: StatusCode::CREATED, location: Some(location), ..self }
    }
}

impl<T: Serialize> IntoResponse for Reply<T> {
    fn into_response(self) -> Response {
        let mut response = json(self.status, &self.body);
        if self.replayed {
            response.headers_mut().insert("idempotent-replayed", HeaderValue::from_static("true"));
        }
        if let Some(location) = self.location.and_then(|location| HeaderValue::try_from(location).ok()) {
            response.headers_mut().insert(axum::http::header::LOCATION, location);
        }
        response
    }
}
