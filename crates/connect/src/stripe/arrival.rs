//! An event as the inbox keeps it, however it came: by webhook or out of the list. Pure.

use surehold_core::kernel::Invalid;
use surehold_core::operations::{ExternalId, NewOperation, OperationInvalid, SourceName};
use surehold_core::stays::operations::{
    PROCESS_STRIPE_EVENT, PaymentNews, PaymentObjects, PaymentTurn, process_stripe_event,
};

use super::event::{Event, EventUnreadable};
use super::news::news;

/// The word for Stripe in addresses and in the names of sources.
pub const SOURCE: &str = "stripe";

#[derive(Clone, Debug)]
pub struct Arrival {
    /// Ids are unique within an account.
    pub source: SourceName,
    pub external_id: ExternalId,
    pub operation: NewOperation,
}

/// Of bytes that are believed to come from this account. Refuses only what is no event at all: one that cannot be
/// understood is kept, and somebody is told.
pub fn arrival(account: &str, body: &[u8]) -> Result<Arrival, Invalid> {
    let (id, news) = match Event::read(body) {
        Ok(event) => {
            let news = news(&event);
            (event.id, news)
        }
        Err(EventUnreadable::Object { id, kind, .. }) => {
            (id, PaymentNews { about: PaymentObjects::default(), turn: PaymentTurn::NotUnderstood { kind } })
        }
        Err(error @ EventUnreadable::Envelope { .. }) => {
            let (kind, reason) = (PROCESS_STRIPE_EVENT.name.to_owned(), error.to_string());
            return Err(OperationInvalid::Payload { kind, reason }.into());
        }
    };
    Ok(Arrival {
        source: SourceName::new(&format!("{SOURCE}/{account}"))?,
        external_id: ExternalId::new(&id)?,
        operation: process_stripe_event(account, &id, &news)?,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn shown(kind: &str, object: &Value) -> String {
        let event = json!({"id": "evt_1", "type": kind, "created": 1, "data": {"object": object}});
        let Arrival { source, external_id, operation } = arrival("main", event.to_string().as_bytes()).unwrap();
        assert_eq!((source.as_str(), external_id.as_str()), ("stripe/main", "evt_1"));
        assert_eq!(operation.key.to_string(), "PROCESS_STRIPE_EVENT main:evt_1");
        operation.payload.as_str().to_owned()
    }

    #[test]
    fn whatever_is_an_event_is_kept() {
        let session = json!({
            "id": "cs_1", "payment_status": "paid", "amount_total": 7, "currency": "eur", "metadata": {"operation": "x"},
        });
        let paid = r#"{"about":{"session":"cs_1"},"turn":{"amount":7,"currency":"eur","turn":"paid"}}"#;
        assert_eq!(shown("checkout.session.completed", &session), paid);
        let unreadable = r#"{"about":{},"turn":{"kind":"checkout.session.completed","turn":"not_understood"}}"#;
        assert_eq!(shown("checkout.session.completed", &json!({})), unreadable);
        let other = r#"{"about":{},"turn":{"kind":"customer.created","turn":"of_no_concern"}}"#;
        assert_eq!(shown("customer.created", &json!({})), other);
    }

    #[test]
    fn what_is_no_event_is_refused() {
        for body in ["", "{}", r#"{"id":"","type":"x","created":1,"data":{"object":{}}}"#] {
            assert!(arrival("main", body.as_bytes()).is_err(), "{body}");
        }
    }
}
