//! One message to one endpoint, as an operation.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::kernel::{Facts, Halt, Invalid, Timestamp};
use crate::operations::{Correlation, Enqueued, NewOperation, Operation, OperationKey, Payload, enqueue};

use super::endpoint::message_id;
use super::{DELIVER_WEBHOOK, EndpointId, EventCursor, TailKey, WebhookEndpoint, WebhookTail};

/// What deliveries are found by.
pub const ENDPOINT_CORRELATION: &str = "webhookEndpoint";

const REPLAY_BYTES_MAX: usize = 100;

/// An event, rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutboxMessage {
    pub cursor: EventCursor,
    /// See [`super::Offered::ordering`].
    pub ordering: SmolStr,
    /// JSON, exactly as it is sent.
    pub body: SmolStr,
}

/// Names a wish to have events told again. The same wish repeated is one wish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayKey(SmolStr);

impl ReplayKey {
    pub fn new(text: &str) -> Result<ReplayKey, Invalid> {
        let what = || "the replay key".to_owned();
        if text.is_empty() {
            return Err(Invalid::NameEmpty { what: what() });
        }
        if text.len() > REPLAY_BYTES_MAX {
            return Err(Invalid::NameTooLong { what: what(), bytes: text.len(), bytes_max: REPLAY_BYTES_MAX });
        }
        if text.trim() != text || text.chars().any(char::is_control) {
            return Err(Invalid::NameMalformed { what: what() });
        }
        Ok(ReplayKey(text.into()))
    }
}

/// What a delivery operation is given.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct DeliveryOrder {
    pub(super) endpoint: EndpointId,
    /// The endpoint of this name that was meant.
    pub(super) endpoint_created_at: Timestamp,
    pub(super) ordering: SmolStr,
    pub(super) message_id: SmolStr,
    pub(super) body: SmolStr,
}

/// The first delivery has the number 1; the others bear the name of their replay.
pub fn delivery_key(
    endpoint: &EndpointId,
    cursor: EventCursor,
    replay: Option<&ReplayKey>,
) -> Result<OperationKey, Invalid> {
    let delivery_no = replay.map_or_else(|| "1".to_owned(), |replay| format!("replay-{}", replay.0));
    DELIVER_WEBHOOK.key(&[endpoint.as_str(), &cursor.sortable(), &delivery_no])
}

pub(super) fn tail_key(endpoint: &EndpointId, message: &OutboxMessage) -> TailKey {
    TailKey { endpoint: endpoint.clone(), ordering: message.ordering.clone() }
}

/// Halts unless everything is loaded that the chains of these messages begin with, asking for all of it at once.
pub(super) fn require_tails(facts: &mut Facts, endpoint: &EndpointId, messages: &[OutboxMessage]) -> Result<(), Halt> {
    let tails: Vec<TailKey> = messages.iter().map(|message| tail_key(endpoint, message)).collect();
    facts.require::<WebhookTail>(&tails)?;
    let mut last = Vec::new();
    for tail in &tails {
        last.extend(facts.get::<WebhookTail>(tail)?.map(WebhookTail::operation));
    }
    facts.require::<Operation>(&last)
}

/// Asks for the delivery, behind the one before it. Tells whether it is new.
pub(super) fn enqueue_delivery(
    facts: &mut Facts,
    endpoint: &WebhookEndpoint,
    message: &OutboxMessage,
    key: &OperationKey,
) -> Result<bool, Halt> {
    let order = DeliveryOrder {
        endpoint: endpoint.id.clone(),
        endpoint_created_at: endpoint.created_at,
        ordering: message.ordering.clone(),
        message_id: message_id(facts.tenant(), &endpoint.id, message.cursor, &message.body),
        body: message.body.clone(),
    };
    let correlation = Correlation { kind: ENDPOINT_CORRELATION.into(), value: endpoint.id.as_str().into() };
    let tail_key = tail_key(&endpoint.id, message);
    let after = facts.get::<WebhookTail>(&tail_key)?.map(WebhookTail::operation);
    let new = NewOperation {
        correlations: vec![correlation],
        after,
        ..NewOperation::new(&DELIVER_WEBHOOK, key.clone(), Payload::of(&order))
    };
    match enqueue(facts, &new)? {
        Enqueued::Enqueued => {}
        // An earlier endpoint of the same name, or the same replay once more.
        Enqueued::Joined | Enqueued::AlreadyDone { .. } | Enqueued::Dead { .. } | Enqueued::Conflict => {
            return Ok(false);
        }
    }
    let delivery = key.key.clone();
    match facts.get_mut::<WebhookTail>(&tail_key)? {
        Some(tail) => tail.delivery = delivery,
        None => drop(facts.insert(WebhookTail { key: tail_key, delivery, version: 0 })),
    }
    Ok(true)
}
