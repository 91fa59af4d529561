//! Stripe's objects, cut down to what is used here. Fields that are not known are passed over; fields that may be
//! missing or null in some version or state are optional.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use smol_str::SmolStr;

use super::words::{DisputeStatus, IntentStatus, PaymentStatus, RefundStatus, SessionStatus};

pub type Metadata = BTreeMap<SmolStr, SmolStr>;

/// Amounts are in the currency's smallest unit, times in seconds since 1970, as everywhere at Stripe.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct CheckoutSession {
    pub id: SmolStr,
    pub status: Option<SessionStatus>,
    pub payment_status: Option<PaymentStatus>,
    pub amount_total: Option<i64>,
    pub currency: Option<SmolStr>,
    pub expires_at: Option<i64>,
    /// Only while it is open.
    pub url: Option<SmolStr>,
    /// There from the moment that the payer begins to pay, or from the beginning, by version.
    #[serde(default, deserialize_with = "reference")]
    pub payment_intent: Option<SmolStr>,
    pub client_reference_id: Option<SmolStr>,
    #[serde(default, deserialize_with = "or_default")]
    pub metadata: Metadata,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Refund {
    pub id: SmolStr,
    pub amount: i64,
    pub currency: SmolStr,
    pub status: Option<RefundStatus>,
    #[serde(default, deserialize_with = "reference")]
    pub payment_intent: Option<SmolStr>,
    #[serde(default, deserialize_with = "reference")]
    pub charge: Option<SmolStr>,
    pub failure_reason: Option<SmolStr>,
    #[serde(default, deserialize_with = "or_default")]
    pub metadata: Metadata,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Charge {
    pub id: SmolStr,
    #[serde(default, deserialize_with = "reference")]
    pub payment_intent: Option<SmolStr>,
    pub amount: i64,
    pub amount_refunded: i64,
    pub currency: SmolStr,
    /// Wholly.
    pub refunded: bool,
    #[serde(default, deserialize_with = "or_default")]
    pub disputed: bool,
    /// Old versions list them here; newer ones have to be asked.
    pub refunds: Option<List<Refund>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Dispute {
    pub id: SmolStr,
    #[serde(default, deserialize_with = "reference")]
    pub charge: Option<SmolStr>,
    #[serde(default, deserialize_with = "reference")]
    pub payment_intent: Option<SmolStr>,
    pub amount: i64,
    pub currency: SmolStr,
    pub status: DisputeStatus,
    pub reason: Option<SmolStr>,
    /// False unless said: a disputed charge that is refunded is paid back twice.
    #[serde(default, deserialize_with = "or_default")]
    pub is_charge_refundable: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PaymentIntent {
    pub id: SmolStr,
    pub status: IntentStatus,
    pub amount: i64,
    #[serde(default, deserialize_with = "or_default")]
    pub amount_received: i64,
    #[serde(default, deserialize_with = "reference")]
    pub latest_charge: Option<SmolStr>,
    #[serde(default, deserialize_with = "or_default")]
    pub metadata: Metadata,
}

/// The newest first.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct List<T> {
    pub data: Vec<T>,
    #[serde(default)]
    pub has_more: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct ErrorBody {
    pub error: ErrorObject,
}

/// `message` is prose, for the operator; nothing is decided by it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct ErrorObject {
    #[serde(rename = "type")]
    pub kind: Option<SmolStr>,
    pub code: Option<SmolStr>,
    pub decline_code: Option<SmolStr>,
    pub message: Option<String>,
    pub param: Option<SmolStr>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Reference {
    Id(SmolStr),
    Expanded { id: SmolStr },
}

/// An id, or the object itself where it was asked for in full.
fn reference<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SmolStr>, D::Error> {
    let reference = Option::<Reference>::deserialize(deserializer)?;
    Ok(reference.map(|reference| match reference {
        Reference::Id(id) | Reference::Expanded { id } => id,
    }))
}

/// Null is nothing.
fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde::de::DeserializeOwned;
    use serde_json::{Value, json};

    use super::*;

    fn read<T: DeserializeOwned>(value: Value) -> T {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn references() {
        let check = |value: Value, expected: Option<&str>| {
            let refund = json!({"id": "re_1", "amount": 1, "currency": "eur", "payment_intent": value});
            assert_eq!(read::<Refund>(refund).payment_intent.as_deref(), expected);
        };
        check(json!("pi_1"), Some("pi_1"));
        check(json!({"id": "pi_1", "object": "payment_intent"}), Some("pi_1"));
        check(Value::Null, None);
        assert!(
            serde_json::from_value::<Refund>(json!({"id": "re_1", "amount": 1, "currency": "eur", "charge": 7}))
                .is_err()
        );
    }

    #[test]
    fn a_session_with_much_and_with_little() {
        let session: CheckoutSession = read(json!({
            "id": "cs_1", "object": "checkout.session", "status": "complete", "payment_status": "paid",
            "amount_total": 12_900, "currency": "eur", "expires_at": 1_700_003_600, "url": null,
            "payment_intent": "pi_1", "client_reference_id": "hold-1", "metadata": {"hold": "1"},
            "automatic_tax": {"enabled": false}, "shipping_options": [],
        }));
        assert_eq!(session.status, Some(SessionStatus::Complete));
        assert_eq!(session.payment_status, Some(PaymentStatus::Paid));
        assert_eq!(session.amount_total, Some(12_900));
        assert_eq!(session.metadata.get("hold").map(SmolStr::as_str), Some("1"));
        let session: CheckoutSession = read(json!({"id": "cs_1", "metadata": null, "status": "paused"}));
        assert_eq!(session.status, Some(SessionStatus::Other("paused".into())));
        assert_eq!(session.metadata, Metadata::new());
    }

    #[test]
    fn the_other_objects() {
        let charge: Charge = read(json!({
            "id": "ch_1", "payment_intent": "pi_1", "amount": 900, "amount_refunded": 400, "currency": "eur",
            "refunded": false, "disputed": true,
            "refunds": {"object": "list", "has_more": false, "data": [
                {"id": "re_1", "amount": 400, "currency": "eur", "status": "requires_action"},
            ]},
        }));
        assert_eq!(charge.refunds.unwrap().data[0].status, Some(RefundStatus::RequiresAction));
        let dispute: Dispute = read(json!({
            "id": "dp_1", "charge": "ch_1", "payment_intent": "pi_1", "amount": 900, "currency": "eur",
            "status": "warning_needs_response", "reason": "fraudulent",
        }));
        assert_eq!(dispute.status, DisputeStatus::WarningNeedsResponse);
        assert!(!dispute.is_charge_refundable);
        let intent: PaymentIntent = read(json!({
            "id": "pi_1", "status": "succeeded", "amount": 900, "amount_received": 900, "latest_charge": {"id": "ch_1"},
        }));
        assert_eq!((intent.status, intent.latest_charge.as_deref()), (IntentStatus::Succeeded, Some("ch_1")));
        let body: ErrorBody = read(json!({"error": {"type": "card_error", "code": "card_declined", "doc_url": "x"}}));
        assert_eq!(body.error.kind.as_deref(), Some("card_error"));
    }
}
