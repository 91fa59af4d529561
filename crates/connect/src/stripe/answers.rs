//! What is kept of Stripe's answers. These are written into records: a field that is added must be optional.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::objects::{CheckoutSession, Refund};
use super::words::{PaymentStatus, RefundStatus, SessionStatus};

/// The response that is kept of a session that was made or expired. Of one that was made, the core reads it as
/// [`SessionCreated`](surehold_core::stays::operations::SessionCreated).
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
    use surehold_core::operations::Payload;
    use surehold_core::stays::operations::SessionCreated;

    use super::*;

    #[test]
    fn a_session_that_was_made_is_read_by_the_core() {
        let check = |payment_intent: Option<&str>| {
            let answer = SessionAnswer {
                session: "cs_1".into(),
                status: Some(SessionStatus::Open),
                payment_status: Some(PaymentStatus::Unpaid),
                url: Some("https://checkout/1".into()),
                amount_total: Some(100),
                currency: Some("eur".into()),
                expires_at: Some(1_700_003_600),
                payment_intent: payment_intent.map(SmolStr::new),
            };
            let created: SessionCreated = Payload::of(&answer).read().unwrap();
            let expected = SessionCreated {
                session: "cs_1".into(),
                url: Some("https://checkout/1".into()),
                payment_intent: payment_intent.map(SmolStr::new),
            };
            assert_eq!(created, expected);
        };
        check(None);
        check(Some("pi_1"));
    }
}
