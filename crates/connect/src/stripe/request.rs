//! What is asked of Stripe, as it is frozen in an effect, and what is kept of the answers. These are written into
//! records: a field that is added must be optional.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::objects::{CheckoutSession, Metadata, Refund};
use super::words::{PaymentStatus, RefundStatus, SessionStatus};

/// Under this name the operation is written into the metadata of what it makes, to be found again by it.
pub const OPERATION: &str = "operation";

/// The request of an effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case")]
pub enum StripeRequest {
    CreateSession(NewSession),
    ExpireSession(SessionExpiry),
    Refund(NewRefund),
}

impl StripeRequest {
    pub fn account(&self) -> &SmolStr {
        match self {
            StripeRequest::CreateSession(session) => &session.account,
            StripeRequest::ExpireSession(expiry) => &expiry.account,
            StripeRequest::Refund(refund) => &refund.account,
        }
    }
}

/// A page on which a payer pays once. Amounts are in the currency's smallest unit, times in seconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewSession {
    pub account: SmolStr,
    /// Different for everything that is ever asked of the account, by whichever tenant.
    pub operation: SmolStr,
    /// When the request was made: it is not looked for among older sessions.
    pub asked_at: i64,
    /// Three letters.
    pub currency: SmolStr,
    pub lines: Vec<Line>,
    pub success_url: SmolStr,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel_url: Option<SmolStr>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_reference_id: Option<SmolStr>,
    /// 30 minutes to 24 hours after Stripe gets the request.
    pub expires_at: i64,
    /// Written into the session and into its payment intent.
    #[serde(default)]
    pub metadata: Metadata,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    pub name: SmolStr,
    pub unit_amount: i64,
    pub quantity: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionExpiry {
    pub account: SmolStr,
    pub session: SmolStr,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewRefund {
    pub account: SmolStr,
    /// As in [`NewSession::operation`].
    pub operation: SmolStr,
    pub payment_intent: SmolStr,
    pub amount: i64,
    /// `duplicate`, `fraudulent` or `requested_by_customer`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<SmolStr>,
    #[serde(default)]
    pub metadata: Metadata,
}

/// The response that is kept of a session that was made or expired.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionAnswer {
    pub session: SmolStr,
    pub status: Option<SessionStatus>,
    pub payment_status: Option<PaymentStatus>,
    pub url: Option<SmolStr>,
    pub amount_total: Option<i64>,
    pub currency: Option<SmolStr>,
    pub expires_at: Option<i64>,
    pub payment_intent: Option<SmolStr>,
}

impl From<&CheckoutSession> for SessionAnswer {
    fn from(session: &CheckoutSession) -> SessionAnswer {
        SessionAnswer {
            session: session.id.clone(),
            status: session.status.clone(),
            payment_status: session.payment_status.clone(),
            url: session.url.clone(),
            amount_total: session.amount_total,
            currency: session.currency.clone(),
            expires_at: session.expires_at,
            payment_intent: session.payment_intent.clone(),
        }
    }
}

/// The response that is kept of a refund. That it was made is not that the money arrived: see its status.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefundAnswer {
    pub refund: SmolStr,
    pub status: Option<RefundStatus>,
    pub amount: i64,
    pub currency: SmolStr,
    pub payment_intent: Option<SmolStr>,
    pub charge: Option<SmolStr>,
    pub failure_reason: Option<SmolStr>,
}

impl From<&Refund> for RefundAnswer {
    fn from(refund: &Refund) -> RefundAnswer {
        RefundAnswer {
            refund: refund.id.clone(),
            status: refund.status.clone(),
            amount: refund.amount,
            currency: refund.currency.clone(),
            payment_intent: refund.payment_intent.clone(),
            charge: refund.charge.clone(),
            failure_reason: refund.failure_reason.clone(),
        }
    }
}

/// The response that is kept of a refusal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusalAnswer {
    /// Zero if nothing was sent.
    pub status: u16,
    #[serde(rename = "type")]
    pub kind: Option<SmolStr>,
    pub code: Option<SmolStr>,
    pub decline_code: Option<SmolStr>,
    pub param: Option<SmolStr>,
    pub request_id: Option<SmolStr>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// These are in records: what was written must stay readable.
    #[test]
    fn frozen_requests() {
        let check = |request: StripeRequest, expected: serde_json::Value| {
            assert_eq!(serde_json::to_value(&request).unwrap(), expected);
            assert_eq!(serde_json::from_value::<StripeRequest>(expected).unwrap(), request);
        };
        let session = NewSession {
            account: "main".into(),
            operation: "op-1".into(),
            asked_at: 1_700_000_000,
            currency: "eur".into(),
            lines: vec![Line { name: "A night".into(), unit_amount: 9_000, quantity: 2 }],
            success_url: "https://x.pt/ok".into(),
            cancel_url: None,
            client_reference_id: Some("hold-1".into()),
            expires_at: 1_700_003_600,
            metadata: Metadata::from([("hold".into(), "1".into())]),
        };
        check(
            StripeRequest::CreateSession(session),
            json!({
                "request": "create_session", "account": "main", "operation": "op-1", "asked_at": 1_700_000_000,
                "currency": "eur", "lines": [{"name": "A night", "unit_amount": 9_000, "quantity": 2}],
                "success_url": "https://x.pt/ok", "client_reference_id": "hold-1", "expires_at": 1_700_003_600,
                "metadata": {"hold": "1"},
            }),
        );
        check(
            StripeRequest::ExpireSession(SessionExpiry { account: "main".into(), session: "cs_1".into() }),
            json!({"request": "expire_session", "account": "main", "session": "cs_1"}),
        );
        let refund = NewRefund {
            account: "main".into(),
            operation: "op-2".into(),
            payment_intent: "pi_1".into(),
            amount: 400,
            reason: Some("requested_by_customer".into()),
            metadata: Metadata::new(),
        };
        check(
            StripeRequest::Refund(refund),
            json!({
                "request": "refund", "account": "main", "operation": "op-2", "payment_intent": "pi_1", "amount": 400,
                "reason": "requested_by_customer", "metadata": {},
            }),
        );
    }
}
