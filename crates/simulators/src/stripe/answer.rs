//! What Stripe says to a request, and its errors in their documented shape.

use serde_json::{Value, json};

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Value,
    pub(super) replayed: bool,
    pub(super) retry_after_secs: Option<u32>,
}

/// A refusal. Whether it is kept under the idempotency key depends on how far the request came.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ApiError {
    status: u16,
    kind: &'static str,
    code: Option<&'static str>,
    param: Option<String>,
    message: String,
    /// The endpoint had begun: what it said is said again.
    pub(super) kept: bool,
}

impl Answer {
    pub(super) fn ok(body: Value) -> Answer {
        Answer { status: 200, body, replayed: false, retry_after_secs: None }
    }

    pub(super) fn again(self) -> Answer {
        Answer { replayed: true, ..self }
    }

    pub(super) fn busy(retry_after_secs: u32) -> Answer {
        let message = "Request rate limit exceeded. Retry with exponential backoff.";
        let error = ApiError::new(429, "invalid_request_error", message).code("rate_limit");
        Answer { retry_after_secs: Some(retry_after_secs), ..Answer::from(error) }
    }

    pub(super) fn broken() -> Answer {
        let message = "An unknown error occurred. Look up the state before you try with another key.";
        Answer::from(ApiError::new(500, "api_error", message))
    }
}

impl From<ApiError> for Answer {
    fn from(error: ApiError) -> Answer {
        let ApiError { status, kind, code, param, message, kept: _ } = error;
        let mut body = json!({ "type": kind, "message": message });
        if let Some(code) = code {
            body["code"] = code.into();
            body["doc_url"] = format!("https://stripe.com/docs/error-codes/{}", code.replace('_', "-")).into();
        }
        if let Some(param) = param {
            body["param"] = param.into();
        }
        Answer { status, body: json!({ "error": body }), replayed: false, retry_after_secs: None }
    }
}

impl From<Result<Value, ApiError>> for Answer {
    fn from(result: Result<Value, ApiError>) -> Answer {
        result.map_or_else(Answer::from, Answer::ok)
    }
}

impl ApiError {
    fn new(status: u16, kind: &'static str, message: impl Into<String>) -> ApiError {
        ApiError { status, kind, code: None, param: None, message: message.into(), kept: false }
    }

    fn code(self, code: &'static str) -> ApiError {
        ApiError { code: Some(code), ..self }
    }

    pub(super) fn param(self, param: impl Into<String>) -> ApiError {
        ApiError { param: Some(param.into()), ..self }
    }

    pub(super) fn message(&self) -> &str {
        &self.message
    }

    /// The parameters are wrong in themselves; nothing had begun.
    pub(super) fn invalid(code: Option<&'static str>, param: &str, message: impl Into<String>) -> ApiError {
        let error = ApiError::new(400, "invalid_request_error", message).param(param);
        ApiError { code, ..error }
    }

    /// The endpoint looked at its objects and refuses.
    pub(super) fn refused(code: Option<&'static str>, message: impl Into<String>) -> ApiError {
        let error = ApiError::new(400, "invalid_request_error", message);
        ApiError { code, kept: true, ..error }
    }

    pub(super) fn missing_param(name: &str) -> ApiError {
        ApiError::invalid(Some("parameter_missing"), name, format!("Missing required param: {name}."))
    }

    /// Of the object that the address names.
    pub(super) fn no_such(object: &str, param: &str, id: &str) -> ApiError {
        ApiError::new(404, "invalid_request_error", format!("No such {object}: '{id}'"))
            .code("resource_missing")
            .param(param)
    }

    /// Of an object that a parameter names.
    pub(super) fn no_such_in(object: &str, param: &str, id: &str) -> ApiError {
        ApiError { status: 400, ..ApiError::no_such(object, param, id) }
    }

    pub(super) fn no_route(method: &str, path: &str) -> ApiError {
        ApiError::new(404, "invalid_request_error", format!("Unrecognized request URL ({method}: {path})."))
    }

    pub(super) fn no_key() -> ApiError {
        let message = "You did not provide an API key. Use `Authorization: Bearer YOUR_SECRET_KEY`.";
        ApiError::new(401, "invalid_request_error", message)
    }

    pub(super) fn wrong_key(key: &str) -> ApiError {
        let seen: String = key.chars().take(8).collect();
        ApiError::new(401, "invalid_request_error", format!("Invalid API Key provided: {seen}****"))
    }

    pub(super) fn key_too_long() -> ApiError {
        let message = "Idempotency keys have 1 to 255 characters.";
        ApiError::new(400, "invalid_request_error", message).param("Idempotency-Key")
    }

    pub(super) fn other_params(key: &str) -> ApiError {
        let message = format!(
            "Keys for idempotent requests can only be used with the same parameters they were first used with. Try \
             using a key other than '{key}' if you meant to execute a different request."
        );
        ApiError::new(400, "idempotency_error", message)
    }

    pub(super) fn other_endpoint(key: &str, path: &str) -> ApiError {
        let message = format!(
            "Keys for idempotent requests can only be used for the same endpoint they were first used for ('{path}'). \
             Try using a key other than '{key}' if you meant to execute a different request."
        );
        ApiError::new(400, "idempotency_error", message)
    }

    pub(super) fn key_in_use(key: &str) -> ApiError {
        let message = format!("There is currently another in-progress request using this Idempotent Key: {key}.");
        ApiError::new(409, "idempotency_error", message).code("idempotency_key_in_use")
    }
}
