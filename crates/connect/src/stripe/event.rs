//! Events as Stripe sends and lists them. Pure: any bytes are read or refused.
//!
//! Events come more than once and in any order, so what one says of its object may be old by the time it is read.

use serde::Deserialize;
use serde_json::Value;
use smol_str::SmolStr;
use thiserror::Error;

use super::objects::{Charge, CheckoutSession, Dispute, Refund};

/// An event whose object has been understood, as far as its kind is treated here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub id: SmolStr,
    /// Stripe's name of the kind, such as `charge.refunded`.
    pub kind: SmolStr,
    /// In seconds since 1970.
    pub created: i64,
    pub livemode: bool,
    /// Of a connected account; none if it is the endpoint's own.
    pub account: Option<SmolStr>,
    pub subject: Subject,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    CheckoutCompleted(Box<CheckoutSession>),
    CheckoutPaymentSucceeded(Box<CheckoutSession>),
    CheckoutPaymentFailed(Box<CheckoutSession>),
    CheckoutExpired(Box<CheckoutSession>),
    ChargeRefunded(Box<Charge>),
    RefundUpdated(Box<Refund>),
    RefundFailed(Box<Refund>),
    DisputeCreated(Box<Dispute>),
    DisputeUpdated(Box<Dispute>),
    DisputeClosed(Box<Dispute>),
    DisputeFundsWithdrawn(Box<Dispute>),
    DisputeFundsReinstated(Box<Dispute>),
    /// Not treated here; nothing was read but that it is an event.
    Other,
}

/// The kinds that are treated: what to ask for when an endpoint is set up and when events are listed.
pub const KINDS: [&str; 13] = [
    "checkout.session.completed",
    "checkout.session.async_payment_succeeded",
    "checkout.session.async_payment_failed",
    "checkout.session.expired",
    "charge.refunded",
    "charge.refund.updated",
    "refund.updated",
    "refund.failed",
    "charge.dispute.created",
    "charge.dispute.updated",
    "charge.dispute.closed",
    "charge.dispute.funds_withdrawn",
    "charge.dispute.funds_reinstated",
];

#[derive(Debug, Error)]
pub enum EventUnreadable {
    #[error("this is not an event")]
    Envelope { source: serde_json::Error },
    #[error("the object of event {id}, of the kind `{kind}`, cannot be read")]
    Object { id: SmolStr, kind: SmolStr, source: serde_json::Error },
}

/// An event of a list, whole as Stripe told it: one that cannot be understood must not hide the others.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct ListedEvent(Value);

impl ListedEvent {
    pub fn id(&self) -> Option<&str> {
        self.0.get("id").and_then(Value::as_str)
    }

    /// In seconds since 1970.
    pub fn created(&self) -> Option<i64> {
        self.0.get("created").and_then(Value::as_i64)
    }

    /// What a webhook would have brought, but for blanks.
    pub fn body(&self) -> Vec<u8> {
        self.0.to_string().into_bytes()
    }
}

/// An event whose object has not been looked at.
#[derive(Deserialize)]
struct RawEvent {
    id: SmolStr,
    #[serde(rename = "type")]
    kind: SmolStr,
    created: i64,
    #[serde(default)]
    livemode: bool,
    account: Option<SmolStr>,
    data: RawData,
}

#[derive(Deserialize)]
struct RawData {
    object: Value,
}

impl Event {
    /// Reads the body of a webhook, whose signature has been verified before.
    pub fn read(body: &[u8]) -> Result<Event, EventUnreadable> {
        let raw: RawEvent = serde_json::from_slice(body).map_err(|source| EventUnreadable::Envelope { source })?;
        raw.understand()
    }
}

impl RawEvent {
    fn understand(self) -> Result<Event, EventUnreadable> {
        let RawEvent { id, kind, created, livemode, account, data } = self;
        match subject(&kind, data.object) {
            Ok(subject) => Ok(Event { id, kind, created, livemode, account, subject }),
            Err(source) => Err(EventUnreadable::Object { id, kind, source }),
        }
    }
}

fn subject(kind: &str, object: Value) -> Result<Subject, serde_json::Error> {
    use serde_json::from_value as read;
    Ok(match kind {
        "checkout.session.completed" => Subject::CheckoutCompleted(read(object)?),
        "checkout.session.async_payment_succeeded" => Subject::CheckoutPaymentSucceeded(read(object)?),
        "checkout.session.async_payment_failed" => Subject::CheckoutPaymentFailed(read(object)?),
        "checkout.session.expired" => Subject::CheckoutExpired(read(object)?),
        "charge.refunded" => Subject::ChargeRefunded(read(object)?),
        // The older name speaks of the same thing; which of them is sent depends on the endpoint's version.
        "refund.updated" | "charge.refund.updated" => Subject::RefundUpdated(read(object)?),
        "refund.failed" => Subject::RefundFailed(read(object)?),
        "charge.dispute.created" => Subject::DisputeCreated(read(object)?),
        "charge.dispute.updated" => Subject::DisputeUpdated(read(object)?),
        "charge.dispute.closed" => Subject::DisputeClosed(read(object)?),
        "charge.dispute.funds_withdrawn" => Subject::DisputeFundsWithdrawn(read(object)?),
        "charge.dispute.funds_reinstated" => Subject::DisputeFundsReinstated(read(object)?),
        _ => Subject::Other,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event(kind: &str, object: &Value) -> Vec<u8> {
        let event = json!({
            "id": "evt_1", "object": "event", "api_version": "2024-06-20", "created": 1_700_000_000,
            "type": kind, "livemode": true, "pending_webhooks": 1, "data": {"object": object},
        });
        event.to_string().into_bytes()
    }

    fn shown(read: &Result<Event, EventUnreadable>) -> String {
        match read {
            Ok(event) => format!("{:?}", event.subject).split('(').next().unwrap_or_default().to_owned(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn kinds() {
        let session = json!({"id": "cs_1", "status": "complete", "payment_status": "unpaid"});
        let charge = json!({"id": "ch_1", "amount": 2, "amount_refunded": 1, "currency": "eur", "refunded": false});
        let refund = json!({"id": "re_1", "amount": 1, "currency": "eur", "status": "failed"});
        let dispute = json!({"id": "dp_1", "amount": 1, "currency": "eur", "status": "a_new_word"});
        let rows = [
            (&session, "CheckoutCompleted"),
            (&session, "CheckoutPaymentSucceeded"),
            (&session, "CheckoutPaymentFailed"),
            (&session, "CheckoutExpired"),
            (&charge, "ChargeRefunded"),
            (&refund, "RefundUpdated"),
            (&refund, "RefundUpdated"),
            (&refund, "RefundFailed"),
            (&dispute, "DisputeCreated"),
            (&dispute, "DisputeUpdated"),
            (&dispute, "DisputeClosed"),
            (&dispute, "DisputeFundsWithdrawn"),
            (&dispute, "DisputeFundsReinstated"),
        ];
        for (kind, (object, expected)) in KINDS.into_iter().zip(rows) {
            assert_eq!(shown(&Event::read(&event(kind, object))), expected, "{kind}");
            let unreadable = format!("the object of event evt_1, of the kind `{kind}`, cannot be read");
            assert_eq!(shown(&Event::read(&event(kind, &json!({})))), unreadable);
        }
        for kind in ["customer.created", "checkout.session", "", "é"] {
            assert_eq!(shown(&Event::read(&event(kind, &json!({})))), "Other", "{kind}");
        }
    }

    #[test]
    fn the_envelope() {
        let read = Event::read(&event("customer.created", &Value::Null)).unwrap();
        let expected = Event {
            id: "evt_1".into(),
            kind: "customer.created".into(),
            created: 1_700_000_000,
            livemode: true,
            account: None,
            subject: Subject::Other,
        };
        assert_eq!(read, expected);
    }

    #[test]
    fn what_is_no_event() {
        let deep = "[".repeat(100_000);
        let nested = format!(r#"{{"id":"e","type":"t","created":1,"data":{{"object":{deep}"#);
        let rows: [&[u8]; 8] = [
            b"",
            b"null",
            b"[]",
            b"{}",
            b"\xff\xfe",
            br#"{"id":"evt_1","type":"x","created":"now","data":{"object":{}}}"#,
            br#"{"id":"evt_1","type":"x","created":1,"data":null}"#,
            nested.as_bytes(),
        ];
        for bytes in rows {
            assert_eq!(shown(&Event::read(bytes)), "this is not an event", "{}", bytes.len());
        }
    }
}
