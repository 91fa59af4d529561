//! The codes of what goes wrong before a command decides, or outside of it. Modules declare those of their refusals
//! themselves. A code never changes its meaning or its status.

use axum::http::StatusCode;
use surehold_core::kernel::RefusalSpec;
#[cfg(test)]
use surehold_core::kernel::{FieldSpec, Sent};
#[cfg(test)]
use surehold_core::stock::BarcodeText;

use super::ProblemType;
#[cfg(test)]
use crate::wire::described::Cursor;

macro_rules! codes {
    ($($variant:ident = $type:tt $({ $($field:ident: $of:ty),+ })?;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Code { $($variant),* }

        impl Code {
            pub(super) const ALL: &'static [Code] = &[$(Code::$variant),*];

            pub fn problem_type(self) -> ProblemType {
                match self { $(Code::$variant => problem_type!($type)),* }
            }

            /// What a problem with this code has besides the members that every problem has.
            #[cfg(test)]
            pub(super) fn fields(self) -> &'static [FieldSpec] {
                match self { $(Code::$variant => {
                    &[$($(FieldSpec { name: stringify!($field), about: "", shape: <$of as Sent>::SHAPE }),+)?]
                })* }
            }
        }
    };
}

macro_rules! problem_type {
    (($code:literal, $status:ident, $title:literal)) => {
        ProblemType {
            code: $code,
            status: StatusCode::$status,
            title: $title,
            page: include_str!(concat!("../../../../docs/problems/", $code, ".md")),
        }
    };
    // Modules refuse with the same code.
    (($shared:ident)) => {
        ProblemType::from(&RefusalSpec::$shared)
    };
}

codes! {
    MalformedJson = ("malformed-json", BAD_REQUEST, "The body is not JSON");
    MalformedRequest = ("malformed-request", BAD_REQUEST, "The request cannot be read");
    IdempotencyKeyMissing = ("idempotency-key-missing", BAD_REQUEST, "An idempotency key is needed");
    IdempotencyKeyMalformed = ("idempotency-key-malformed", BAD_REQUEST, "The idempotency key cannot be used");
    TaskIdMissing = ("task-id-missing", BAD_REQUEST, "The task has no id");
    Unauthenticated = ("unauthenticated", UNAUTHORIZED, "A valid key is needed");
    SignatureInvalid = ("signature-invalid", UNAUTHORIZED, "The signature cannot be believed");
    ScopeMissing = ("scope-missing", FORBIDDEN, "The key may not do this");
    NotFound = (NOT_FOUND);
    MethodNotAllowed = ("method-not-allowed", METHOD_NOT_ALLOWED, "The address has no such method");
    RequestTimeout = ("request-timeout", REQUEST_TIMEOUT, "The body took too long to arrive");
    BodyTooLarge = ("body-too-large", PAYLOAD_TOO_LARGE, "The body is too large");
    UnsupportedMediaType = ("unsupported-media-type", UNSUPPORTED_MEDIA_TYPE, "The body is not declared as JSON");
    Invalid = (INVALID);
    IdempotencyKeyReused = ("idempotency-key-reused", UNPROCESSABLE_ENTITY, "The key was used for another request");
    RangeTooWide = ("range-too-wide", UNPROCESSABLE_ENTITY, "The range holds too much for one answer");
    AddressNotAllowed = ("address-not-allowed", UNPROCESSABLE_ENTITY, "The address may not be called");
    TooManyRequests = ("too-many-requests", TOO_MANY_REQUESTS, "Too many requests");
    TooManyStreams = ("too-many-streams", TOO_MANY_REQUESTS, "Too many open event streams");
    TaskNotFound = ("task-not-found", NOT_FOUND, "There is no such task");
    BarcodeNotFound = ("barcode-not-found", NOT_FOUND, "There is no such barcode") { barcodes: Vec<BarcodeText> };
    CursorGone = ("cursor-gone", GONE, "The cursor is outside of what is kept") { cursor: Cursor };
    Defect = (DEFECT);
    Corrupt = ("corrupt", INTERNAL_SERVER_ERROR, "Something stored cannot be read");
    Busy = ("busy", SERVICE_UNAVAILABLE, "Too much is waiting");
    NotExecuted = ("not-executed", SERVICE_UNAVAILABLE, "The deadline passed before the work began");
    Unavailable = ("unavailable", SERVICE_UNAVAILABLE, "The store cannot be reached");
    Stopping = ("stopping", SERVICE_UNAVAILABLE, "The server is stopping");
    OutcomeUnknown = ("outcome-unknown", GATEWAY_TIMEOUT, "The outcome is not known yet");
}
