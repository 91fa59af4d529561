//! What Stripe's answers mean for an operation. By status, type and code, never by message. Pure.
//!
//! | answer | told | because |
//! |---|---|---|
//! | 401, 403 | not done | the key was refused, not the request: it works once the operator has mended the key |
//! | 429, `lock_timeout` | not done | turned away in front of the idempotency layer |
//! | 409 | unanswered | the first request under this key is still running: it may yet happen |
//! | `idempotency_error` | error kept | the key stands for another request, which may have happened |
//! | 424 | error kept | something behind Stripe failed, perhaps half-way, and Stripe repeats that for the key |
//! | other 4xx from Stripe | rejected | nothing happened, and the same request gets the same answer |
//! | 500 from Stripe, any 5xx that is replayed | error kept | it may have happened; Stripe repeats it for the key |
//! | other 5xx; 4xx without Stripe's words | unanswered | perhaps somebody on the way, who does not know what became of an earlier request |
//! | 2xx that cannot be read, 3xx | unanswered | – |
//! | no connection | not done | nothing was sent |
//! | no answer | unanswered | – |

use smol_str::{SmolStr, format_smolstr};
use surehold_core::operations::Payload;
use surehold_engine::ProviderAnswer;

use super::answers::{RefundAnswer, RefusalAnswer, SessionAnswer};
use super::client::{CallError, Refusal};
use super::objects::{CheckoutSession, Refund};
use super::words::SessionStatus;

pub(super) fn session_done(session: &CheckoutSession) -> ProviderAnswer {
    ProviderAnswer::Done {
        provider_ref: Some(session.id.clone()),
        response: Payload::of(&SessionAnswer::from(session)),
    }
}

pub(super) fn refund_done(refund: &Refund) -> ProviderAnswer {
    ProviderAnswer::Done { provider_ref: Some(refund.id.clone()), response: Payload::of(&RefundAnswer::from(refund)) }
}

/// Whether nobody can pay on it any more, as far as that is known.
pub(super) fn has_ended(session: &CheckoutSession) -> Option<bool> {
    match session.status.as_ref()? {
        SessionStatus::Expired | SessionStatus::Complete => Some(true),
        SessionStatus::Open => Some(false),
        SessionStatus::Other(_) => None,
    }
}

/// What a change that was not made means.
pub(super) fn told_by_error(error: &CallError) -> ProviderAnswer {
    match error {
        CallError::Refused(refusal) => told_by_refusal(refusal),
        CallError::Unsendable => rejected("unsendable", error.to_string(), &RefusalAnswer::default()),
        // It may be configured again.
        CallError::AccountUnknown { .. } => not_done("account-unknown", error.to_string(), None),
        CallError::Unreachable { .. } => not_done("unreachable", error.to_string(), None),
        CallError::Timeout => unanswered("timeout", error.to_string()),
        CallError::Broken { .. } => unanswered("broken", error.to_string()),
        CallError::Garbage { .. } => unanswered("garbage", error.to_string()),
    }
}

/// What a question without an answer means: never that nothing happened.
pub(super) fn told_by_unasked(error: &CallError) -> ProviderAnswer {
    match told_by_error(error) {
        ProviderAnswer::Rejected { code, error, .. } | ProviderAnswer::ErrorKept { code, error } => {
            ProviderAnswer::Unanswered { code, error }
        }
        told @ (ProviderAnswer::Done { .. }
        | ProviderAnswer::NotDone { .. }
        | ProviderAnswer::Unanswered { .. }
        | ProviderAnswer::Absent
        | ProviderAnswer::Undecidable { .. }) => told,
    }
}

/// What it means that a question was not answered which comes before the change itself: the change was not sent.
pub(super) fn told_by_unprepared(error: &CallError) -> ProviderAnswer {
    match told_by_error(error) {
        ProviderAnswer::Rejected { code, error, .. }
        | ProviderAnswer::ErrorKept { code, error }
        | ProviderAnswer::Unanswered { code, error } => not_done(code, error, None),
        told @ (ProviderAnswer::Done { .. }
        | ProviderAnswer::NotDone { .. }
        | ProviderAnswer::Absent
        | ProviderAnswer::Undecidable { .. }) => told,
    }
}

pub(super) fn told_by_refusal(refusal: &Refusal) -> ProviderAnswer {
    let (code, error) = (code(refusal), text(refusal));
    if code == "lock_timeout" {
        return not_done(code, error, refusal.retry_after_secs);
    }
    let is_from_stripe = refusal.error.is_some();
    match refusal.status {
        401 | 403 | 429 => not_done(code, error, refusal.retry_after_secs),
        500..600 if refusal.replayed => error_kept(refusal),
        424 | 500 if is_from_stripe => error_kept(refusal),
        409 => unanswered(code, error),
        400..500 if is_key_misused(refusal) => error_kept(refusal),
        400..500 if is_from_stripe => rejected(code, error, &answer(refusal)),
        _ => unanswered(code, error),
    }
}

/// The key was used before, for a request with other parameters.
pub(super) fn is_key_misused(refusal: &Refusal) -> bool {
    refusal.error.as_ref().is_some_and(|error| error.kind.as_deref() == Some("idempotency_error"))
}

pub(super) fn error_kept(refusal: &Refusal) -> ProviderAnswer {
    ProviderAnswer::ErrorKept { code: code(refusal), error: text(refusal) }
}

pub(super) fn unanswered(code: impl Into<SmolStr>, error: impl Into<SmolStr>) -> ProviderAnswer {
    ProviderAnswer::Unanswered { code: code.into(), error: error.into() }
}

pub(super) fn rejected(code: impl Into<SmolStr>, error: impl Into<SmolStr>, answer: &RefusalAnswer) -> ProviderAnswer {
    ProviderAnswer::Rejected { code: code.into(), error: error.into(), response: Payload::of(answer) }
}

pub(super) fn not_done(
    code: impl Into<SmolStr>,
    error: impl Into<SmolStr>,
    retry_after_secs: Option<u32>,
) -> ProviderAnswer {
    ProviderAnswer::NotDone { code: code.into(), error: error.into(), retry_after_secs }
}

/// The most exact word that there is.
fn code(refusal: &Refusal) -> SmolStr {
    let error = refusal.error.as_ref();
    let said = error.and_then(|error| error.code.clone().or_else(|| error.kind.clone()));
    said.unwrap_or_else(|| format_smolstr!("status-{}", refusal.status))
}

fn text(refusal: &Refusal) -> SmolStr {
    let message = refusal.error.as_ref().and_then(|error| error.message.as_deref());
    message.map_or_else(|| format_smolstr!("Stripe answered {}", refusal.status), SmolStr::new)
}

fn answer(refusal: &Refusal) -> RefusalAnswer {
    let error = refusal.error.clone().unwrap_or_default();
    RefusalAnswer {
        status: refusal.status,
        kind: error.kind,
        code: error.code,
        decline_code: error.decline_code,
        param: error.param,
        request_id: refusal.request_id.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stripe::objects::ErrorObject;

    fn refusal(status: u16, kind: &str, code: &str, replayed: bool) -> CallError {
        let some = |text: &str| (!text.is_empty()).then(|| SmolStr::new(text));
        let error = ErrorObject { kind: some(kind), code: some(code), ..ErrorObject::default() };
        let error = (!kind.is_empty()).then_some(error);
        let refusal = Refusal { status, error, retry_after_secs: Some(7), replayed, request_id: None };
        CallError::Refused(Box::new(refusal))
    }

    fn shown(told: &ProviderAnswer) -> String {
        match told {
            ProviderAnswer::Rejected { code, .. } => format!("rejected {code}"),
            ProviderAnswer::NotDone { code, retry_after_secs, .. } => format!("not done {code} {retry_after_secs:?}"),
            ProviderAnswer::Unanswered { code, .. } => format!("unanswered {code}"),
            ProviderAnswer::ErrorKept { code, .. } => format!("kept {code}"),
            ProviderAnswer::Done { .. } | ProviderAnswer::Absent | ProviderAnswer::Undecidable { .. } => {
                panic!("{told:?}")
            }
        }
    }

    #[test]
    fn refusals() {
        let check = |status: u16, kind: &str, code: &str, replayed: bool, changing: &str, asking: &str| {
            let error = refusal(status, kind, code, replayed);
            assert_eq!(shown(&told_by_error(&error)), changing, "{status} {kind} {code}");
            assert_eq!(shown(&told_by_unasked(&error)), asking, "{status} {kind} {code}");
        };
        let invalid = "invalid_request_error";
        let missing = "parameter_missing";
        check(400, invalid, missing, false, "rejected parameter_missing", "unanswered parameter_missing");
        check(400, invalid, "", true, "rejected invalid_request_error", "unanswered invalid_request_error");
        check(400, "", "", false, "unanswered status-400", "unanswered status-400");
        check(404, "", "", true, "unanswered status-404", "unanswered status-404");
        check(401, "", "", false, "not done status-401 Some(7)", "not done status-401 Some(7)");
        check(400, "idempotency_error", "", false, "kept idempotency_error", "unanswered idempotency_error");
        check(
            401,
            invalid,
            "",
            false,
            "not done invalid_request_error Some(7)",
            "not done invalid_request_error Some(7)",
        );
        check(402, "card_error", "card_declined", false, "rejected card_declined", "unanswered card_declined");
        check(
            403,
            invalid,
            "",
            false,
            "not done invalid_request_error Some(7)",
            "not done invalid_request_error Some(7)",
        );
        check(404, invalid, "resource_missing", false, "rejected resource_missing", "unanswered resource_missing");
        let in_use = "idempotency_key_in_use";
        check(409, invalid, in_use, false, "unanswered idempotency_key_in_use", "unanswered idempotency_key_in_use");
        check(
            409,
            "idempotency_error",
            in_use,
            false,
            "unanswered idempotency_key_in_use",
            "unanswered idempotency_key_in_use",
        );
        check(409, invalid, "lock_timeout", false, "not done lock_timeout Some(7)", "not done lock_timeout Some(7)");
        check(409, "", "", false, "unanswered status-409", "unanswered status-409");
        check(424, "", "", false, "unanswered status-424", "unanswered status-424");
        check(424, "api_error", "", false, "kept api_error", "unanswered api_error");
        check(429, invalid, "rate_limit", false, "not done rate_limit Some(7)", "not done rate_limit Some(7)");
        check(429, invalid, "lock_timeout", false, "not done lock_timeout Some(7)", "not done lock_timeout Some(7)");
        check(429, "", "", false, "not done status-429 Some(7)", "not done status-429 Some(7)");
        check(500, "api_error", "", false, "kept api_error", "unanswered api_error");
        check(500, "", "", false, "unanswered status-500", "unanswered status-500");
        check(500, "", "", true, "kept status-500", "unanswered status-500");
        check(502, "", "", false, "unanswered status-502", "unanswered status-502");
        check(503, "api_error", "", false, "unanswered api_error", "unanswered api_error");
        check(503, "api_error", "", true, "kept api_error", "unanswered api_error");
        check(504, "", "", false, "unanswered status-504", "unanswered status-504");
        check(302, "", "", false, "unanswered status-302", "unanswered status-302");
    }

    #[test]
    fn questions_before_a_change() {
        let check = |error: CallError, expected: &str| assert_eq!(shown(&told_by_unprepared(&error)), expected);
        check(CallError::Timeout, "not done timeout None");
        check(CallError::Garbage { status: 200 }, "not done garbage None");
        check(CallError::Unsendable, "not done unsendable None");
        check(refusal(404, "invalid_request_error", "resource_missing", false), "not done resource_missing None");
        check(refusal(500, "api_error", "", false), "not done api_error None");
        check(refusal(429, "invalid_request_error", "rate_limit", false), "not done rate_limit Some(7)");
    }

    #[test]
    fn other_errors() {
        let check = |error: CallError, changing: &str, asking: &str| {
            assert_eq!(shown(&told_by_error(&error)), changing);
            assert_eq!(shown(&told_by_unasked(&error)), asking);
        };
        check(CallError::Unsendable, "rejected unsendable", "unanswered unsendable");
        let unknown = CallError::AccountUnknown { account: "x".into() };
        check(unknown, "not done account-unknown None", "not done account-unknown None");
        check(CallError::Timeout, "unanswered timeout", "unanswered timeout");
        check(CallError::Garbage { status: 200 }, "unanswered garbage", "unanswered garbage");
    }
}
