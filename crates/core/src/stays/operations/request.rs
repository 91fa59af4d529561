//! What is asked of a payment provider, and what it answers: in our words, so that the handlers here and the adapter
//! that makes the calls agree on one form.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use smol_str::{SmolStr, format_smolstr};

use crate::kernel::{Currency, HoldId, TenantId, Timestamp};
use crate::operations::OperationKey;

/// The request of an effect, as the adapter reads it. It is frozen in a record: a field that is added must be optional.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case")]
pub enum PaymentRequest {
    CreateSession(NewSession),
    ExpireSession(SessionExpiry),
    Refund(NewRefund),
}

impl PaymentRequest {
    pub fn account(&self) -> &SmolStr {
        match self {
            PaymentRequest::CreateSession(session) => &session.account,
            PaymentRequest::ExpireSession(expiry) => &expiry.account,
            PaymentRequest::Refund(refund) => &refund.account,
        }
    }
}

/// A page on which a payer pays once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewSession {
    pub account: SmolStr,
    /// Before the first request for it: a session that was made is not looked for among older ones.
    pub asked_at: Timestamp,
    pub currency: Currency,
    pub items: Vec<CheckoutItem>,
    pub expires_at: Timestamp,
    pub success_url: SmolStr,
    pub cancel_url: SmolStr,
    /// The hold that is paid for.
    pub reference: HoldId,
    pub metadata: BTreeMap<SmolStr, SmolStr>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckoutItem {
    pub name: SmolStr,
    pub quantity: i64,
    /// Of one.
    pub amount: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionExpiry {
    pub account: SmolStr,
    pub session: SmolStr,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewRefund {
    pub account: SmolStr,
    pub session: SmolStr,
    /// As far as it is known; else the session has to be asked for it.
    pub payment_intent: Option<SmolStr>,
    pub amount: i64,
    pub currency: Currency,
    pub metadata: BTreeMap<SmolStr, SmolStr>,
}

/// The answer to [`PaymentRequest::CreateSession`]. The other answers are not looked into.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionCreated {
    pub session: SmolStr,
    /// `None` if the session had ended when it was found again.
    #[serde(default)]
    pub url: Option<SmolStr>,
    #[serde(default)]
    pub payment_intent: Option<SmolStr>,
}

/// The name among the metadata that all have that were made by us.
pub const MARK: &str = "operation";

/// By these the provider's books can be searched by people, and by the adapter after an answer was lost: together they
/// are of one request only, also where tenants share an account.
pub(super) fn metadata(tenant: TenantId, hold: HoldId, operation: &OperationKey) -> BTreeMap<SmolStr, SmolStr> {
    BTreeMap::from([
        (SmolStr::new_static("tenant"), format_smolstr!("{tenant}")),
        (SmolStr::new_static("hold"), format_smolstr!("{hold}")),
        (SmolStr::new_static(MARK), format_smolstr!("{operation}")),
    ])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// These are in records: what was written must stay readable.
    #[test]
    fn frozen_requests() {
        let check = |request: PaymentRequest, expected: serde_json::Value| {
            assert_eq!(serde_json::to_value(&request).unwrap(), expected);
            assert_eq!(serde_json::from_value::<PaymentRequest>(expected).unwrap(), request);
        };
        let at = |secs: i64| Timestamp::from_micros(0).plus_secs(secs);
        let hold = HoldId::parse("019a8d1e-6f00-7000-8000-000000000001").unwrap();
        let currency = Currency::parse("BRL").unwrap();
        let metadata = BTreeMap::from([("hold".into(), "1".into())]);
        let session = NewSession {
            account: "main".into(),
            asked_at: at(1_700_000_000),
            currency,
            items: vec![CheckoutItem { name: "A night".into(), quantity: 2, amount: 9_000 }],
            expires_at: at(1_700_003_600),
            success_url: "https://x.pt/ok".into(),
            cancel_url: "https://x.pt/no".into(),
            reference: hold,
            metadata: metadata.clone(),
        };
        check(
            PaymentRequest::CreateSession(session),
            json!({
                "request": "create_session", "account": "main", "asked_at": at(1_700_000_000), "currency": "BRL",
                "items": [{"name": "A night", "quantity": 2, "amount": 9_000}], "expires_at": at(1_700_003_600),
                "success_url": "https://x.pt/ok", "cancel_url": "https://x.pt/no", "reference": hold,
                "metadata": {"hold": "1"},
            }),
        );
        check(
            PaymentRequest::ExpireSession(SessionExpiry { account: "main".into(), session: "cs_1".into() }),
            json!({"request": "expire_session", "account": "main", "session": "cs_1"}),
        );
        let (account, session) = ("main".into(), "cs_1".into());
        let refund = NewRefund { account, session, payment_intent: None, amount: 400, currency, metadata };
        check(
            PaymentRequest::Refund(refund),
            json!({
                "request": "refund", "account": "main", "session": "cs_1", "payment_intent": null, "amount": 400,
                "currency": "BRL", "metadata": {"hold": "1"},
            }),
        );
    }

    #[test]
    fn metadata_are_of_one_request_only() {
        let hold = |number: u128| HoldId::new(uuid::Uuid::from_u128(0x7000_8000_0000_0000_0000 | number)).unwrap();
        let key = |number: u32| super::super::create_session::checkout_key(hold(1), number);
        let ours = metadata(TenantId(1), hold(1), &key(1));
        for others in [
            metadata(TenantId(-1), hold(1), &key(1)),
            metadata(TenantId(1), hold(2), &key(1)),
            metadata(TenantId(1), hold(1), &key(2)),
        ] {
            assert_ne!(ours, others);
        }
    }
}
