//! Carries out `DELIVER_WEBHOOK` operations: looks up where to and with which secrets, posts once, and tells what that
//! means for the operation. What the receiver wrote is not kept: its status is.

use bytes::Bytes;
use serde_json::json;
use smol_str::{SmolStr, format_smolstr};
use surehold_core::kernel::TenantId;
use surehold_core::operations::Payload;
use surehold_core::operations::commands::EffectCall;
use surehold_core::operations::outbox::{EndpointState, WebhookCall, WebhookEndpoint, WebhookRejection};
use surehold_engine::{BoxFuture, Fault, Provider, ProviderAnswer, Views};

use super::{Answer, Delivery, Secret, SendError, Sender};

/// The provider of webhook deliveries.
#[derive(Clone, Debug)]
pub struct Deliveries {
    sender: Sender,
    views: Views,
}

impl Deliveries {
    pub fn new(sender: Sender, views: Views) -> Deliveries {
        Deliveries { sender, views }
    }

    async fn deliver(&self, call: &EffectCall) -> ProviderAnswer {
        let Ok(order) = call.request.read::<WebhookCall>() else {
            return rejected("malformed", "the request of the delivery cannot be read", WebhookRejection::Unsendable);
        };
        match self.signers(call.tenant, &order).await {
            Ok(Some(signers)) => self.post(&order, &signers).await,
            Ok(None) => rejected("skipped", "the endpoint was removed or disabled", WebhookRejection::Skipped),
            Err(fault) => not_done("store", fault.to_string(), None),
        }
    }

    /// What the endpoint is now, if it is still to be told. A secret that was rotated a moment ago signs no longer than
    /// was promised, whenever the message was made.
    async fn signers(&self, tenant: TenantId, order: &WebhookCall) -> Result<Option<Signers>, Fault> {
        let Some(endpoint) = self.views.record::<WebhookEndpoint>(tenant, &order.endpoint).await? else {
            return Ok(None);
        };
        if endpoint.state != EndpointState::Enabled || endpoint.created_at != order.endpoint_created_at {
            return Ok(None);
        }
        let now = self.views.clock().await?;
        let secrets = endpoint.secrets(now).filter_map(|secret| Secret::from_bytes(secret.expose()).ok()).collect();
        Ok(Some(Signers { url: endpoint.url, secrets, now_secs: now.micros().div_euclid(1_000_000) }))
    }

    async fn post(&self, order: &WebhookCall, signers: &Signers) -> ProviderAnswer {
        let delivery = Delivery {
            url: &signers.url,
            id: &order.message_id,
            timestamp_secs: signers.now_secs,
            body: Bytes::copy_from_slice(order.body.as_bytes()),
            secrets: &signers.secrets,
        };
        match self.sender.post(&delivery).await {
            Ok(answer) => judge_answer(&answer),
            Err(error) => judge_error(&error),
        }
    }
}

struct Signers {
    url: SmolStr,
    secrets: Vec<Secret>,
    now_secs: i64,
}

impl Provider for Deliveries {
    /// Each endpoint by itself: one that is down holds up nobody else.
    fn account(&self, call: &EffectCall) -> SmolStr {
        let endpoint = call.request.read::<WebhookCall>().map(|order| order.endpoint.to_string());
        format_smolstr!("{}/{}", call.tenant, endpoint.unwrap_or_default())
    }

    fn call<'a>(&'a self, call: &'a EffectCall) -> BoxFuture<'a, ProviderAnswer> {
        Box::pin(self.deliver(call))
    }

    fn probe<'a>(&'a self, _: &'a EffectCall) -> BoxFuture<'a, ProviderAnswer> {
        // The type says that there is nobody to ask.
        Box::pin(async { ProviderAnswer::Undecidable { error: "a receiver cannot be asked".into() } })
    }
}

fn not_done(code: impl Into<SmolStr>, error: impl Into<SmolStr>, retry_after_secs: Option<u32>) -> ProviderAnswer {
    ProviderAnswer::NotDone { code: code.into(), error: error.into(), retry_after_secs }
}

fn rejected(code: &'static str, error: impl Into<SmolStr>, rejection: WebhookRejection) -> ProviderAnswer {
    ProviderAnswer::Rejected { code: code.into(), error: error.into(), response: Payload::of(&rejection) }
}

fn judge_answer(answer: &Answer) -> ProviderAnswer {
    let status = answer.status;
    if answer.is_delivered() {
        return ProviderAnswer::Done { provider_ref: None, response: Payload::of(&json!({ "status": status })) };
    }
    let error = format_smolstr!("the endpoint answered {status}");
    match status {
        410 => rejected("gone", error, WebhookRejection::Gone),
        // Only these two say that they mean it: too much, and not now.
        429 | 503 => {
            let asked = answer.retry_after_secs.map(|secs| u32::try_from(secs).unwrap_or(u32::MAX));
            not_done(format_smolstr!("status-{status}"), error, asked)
        }
        _ => not_done(format_smolstr!("status-{status}"), error, None),
    }
}

fn judge_error(error: &SendError) -> ProviderAnswer {
    let text = error.to_string();
    match error {
        SendError::NotAllowed(_) => rejected("address-not-allowed", text, WebhookRejection::Unsendable),
        SendError::Unsignable(_) => rejected("unsignable", text, WebhookRejection::Unsendable),
        SendError::TooLarge { .. } => rejected("message-too-large", text, WebhookRejection::Unsendable),
        SendError::Resolve { .. } => not_done("name-not-resolved", text, None),
        SendError::Connect { .. } => not_done("not-reached", text, None),
        SendError::Timeout => ProviderAnswer::Unanswered { code: "timeout".into(), error: text.into() },
        SendError::Broken { .. } => ProviderAnswer::Unanswered { code: "broken".into(), error: text.into() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::webhooks::{NotAllowed, SignError};

    fn code(told: &ProviderAnswer) -> String {
        match told {
            ProviderAnswer::Done { response, .. } => format!("done {}", response.as_str()),
            ProviderAnswer::Rejected { code, response, .. } => format!("rejected {code} {}", response.as_str()),
            ProviderAnswer::NotDone { code, retry_after_secs, .. } => format!("not done {code} {retry_after_secs:?}"),
            ProviderAnswer::Unanswered { code, .. } => format!("unanswered {code}"),
            ProviderAnswer::ErrorKept { .. } | ProviderAnswer::Absent | ProviderAnswer::Undecidable { .. } => {
                panic!("{told:?}")
            }
        }
    }

    #[test]
    fn answers() {
        let check = |status, retry_after_secs, expected: &str| {
            let answer = Answer { status, retry_after_secs, excerpt: "a stranger's text".to_owned() };
            let told = judge_answer(&answer);
            assert_eq!(code(&told), expected);
            assert!(!format!("{told:?}").contains("stranger"), "{told:?}");
        };
        check(200, None, r#"done {"status":200}"#);
        check(204, Some(3), r#"done {"status":204}"#);
        check(410, None, r#"rejected gone {"rejection":"gone"}"#);
        check(429, Some(7), "not done status-429 Some(7)");
        check(503, Some(u64::MAX), "not done status-503 Some(4294967295)");
        check(503, None, "not done status-503 None");
        check(500, Some(7), "not done status-500 None");
        check(400, None, "not done status-400 None");
        check(302, None, "not done status-302 None");
    }

    #[test]
    fn errors() {
        let check = |error: SendError, expected: &str| {
            let told = judge_error(&error);
            assert_eq!(code(&told), expected);
            assert_eq!(matches!(told, ProviderAnswer::Unanswered { .. }), error.may_have_arrived(), "{error:?}");
        };
        let unsendable = r#"{"rejection":"unsendable"}"#;
        check(NotAllowed::Scheme.into(), &format!("rejected address-not-allowed {unsendable}"));
        check(SignError::NoSecret.into(), &format!("rejected unsignable {unsendable}"));
        check(SendError::TooLarge { bytes: 2, bytes_max: 1 }, &format!("rejected message-too-large {unsendable}"));
        check(SendError::Timeout, "unanswered timeout");
    }
}
