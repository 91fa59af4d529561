//! What the provider says to a request, and its bytes.

use std::fmt::Write;

use serde::Serialize;
use serde_json::json;

use super::fault::DeclineCode;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
    replayed: bool,
    pub(super) retry_after_secs: Option<u32>,
}

/// What the client meets on its connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reaction {
    Once(Answer),
    Twice(Answer),
    HangUp,
}

/// Not JSON, though it claims to be.
const GARBAGE: &[u8] = b"<html><body>OK</body>{\"id\":\"ch_";

impl Answer {
    fn new(status: u16, body: Vec<u8>) -> Answer {
        Answer { status, body, replayed: false, retry_after_secs: None }
    }

    pub(super) fn json(body: &impl Serialize) -> Answer {
        Answer::new(200, serde_json::to_vec(body).expect("our own types serialise"))
    }

    fn error(status: u16, kind: &str, code: &str, message: &str) -> Answer {
        let body = json!({ "error": { "type": kind, "code": code, "message": message } });
        Answer::new(status, body.to_string().into_bytes())
    }

    pub(super) fn invalid(code: &str, message: &str) -> Answer {
        Answer::error(400, "invalid_request_error", code, message)
    }

    pub(super) fn not_found(message: &str) -> Answer {
        Answer::error(404, "invalid_request_error", "resource_missing", message)
    }

    pub(super) fn other_body() -> Answer {
        let message = "this idempotency key came with another body before";
        Answer::error(400, "idempotency_error", "idempotency_error", message)
    }

    pub(super) fn in_flight() -> Answer {
        let message = "a request with this idempotency key is in flight; try again later";
        Answer::error(409, "idempotency_error", "idempotency_key_in_use", message)
    }

    pub(super) fn declined(decline: DeclineCode) -> Answer {
        let message = "the card was declined";
        let error = json!({
            "type": "card_error", "code": "card_declined", "decline_code": decline.word(), "message": message
        });
        Answer::new(402, json!({ "error": error }).to_string().into_bytes())
    }

    pub(super) fn busy(retry_after_secs: u32) -> Answer {
        let answer = Answer::error(429, "invalid_request_error", "rate_limit", "too many requests");
        Answer { retry_after_secs: Some(retry_after_secs), ..answer }
    }

    pub(super) fn broken() -> Answer {
        Answer::error(500, "api_error", "api_error", "something went wrong")
    }

    pub(super) fn unavailable() -> Answer {
        Answer::error(503, "api_error", "unavailable", "the service is not available")
    }

    pub(super) fn garbage() -> Answer {
        Answer::new(200, GARBAGE.to_vec())
    }

    pub(super) fn again(self) -> Answer {
        Answer { replayed: true, ..self }
    }

    pub(super) fn bytes(&self, closes: bool) -> Vec<u8> {
        let Answer { status, body, replayed, retry_after_secs } = self;
        let reason = reason(*status);
        let length = body.len();
        let mut head =
            format!("HTTP/1.1 {status} {reason}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n");
        if *replayed {
            head.push_str("Idempotent-Replayed: true\r\n");
        }
        if let Some(secs) = retry_after_secs {
            write!(head, "Retry-After: {secs}\r\n").expect("a string takes all");
        }
        if closes {
            head.push_str("Connection: close\r\n");
        }
        head.push_str("\r\n");
        let mut bytes = head.into_bytes();
        bytes.extend(body);
        bytes
    }
}

/// For people who read along; clients go by the number.
fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        402 => "Payment Required",
        404 => "Not Found",
        409 => "Conflict",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "Unknown",
    }
}
