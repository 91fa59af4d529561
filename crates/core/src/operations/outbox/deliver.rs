//! `DELIVER_WEBHOOK`: one message to one endpoint.

use serde::{Deserialize, Serialize};
use serde_json::json;
use smol_str::SmolStr;

use crate::kernel::{Facts, Halt, Stop, Timestamp};
use crate::operations::cases::{NewCase, open_case};
use crate::operations::{
    AfterRejection, Correlation, Effect, EffectHandler, FOR_EVER, Mode, Nature, Operation, OperationType,
    OperationsEvent, Payload, Priority, RetryPolicy, Step, Trouble,
};

use super::message::DeliveryOrder;
use super::{ENDPOINT_CORRELATION, EndpointId, EndpointState, TailKey, WebhookEndpoint, WebhookTail};

const MINUTE: u32 = 60;
const HOUR: u32 = 60 * MINUTE;
const DAY: u32 = 24 * HOUR;

pub static DELIVER_WEBHOOK: OperationType = OperationType {
    name: "DELIVER_WEBHOOK",
    key: &["endpointId", "eventCursor", "deliveryNo"],
    mode: Mode::Once,
    priority: Priority::Bulk,
    // A receiver that is down over a weekend misses nothing.
    retry: RetryPolicy::schedule(
        &[5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
        20,
    ),
    deadline_secs: 90,
    // Longer than all its pauses: one that waits behind another may still be in order.
    stuck_after_secs: 8 * DAY,
    recheck_secs: MINUTE,
    running_max: 256,
    nature: Nature::Effect {
        provider: "webhooks",
        // By the Standard Webhooks specification a receiver tells a repeat by its message id. A message whose arrival is
        // in doubt is therefore sent again, the same bytes under the same id, for as long as there are attempts; there
        // is nobody to ask whether it arrived.
        window_secs: Some(FOR_EVER),
        probe: false,
        calls_max: 64,
    },
};

/// What is frozen before a message is sent. Where to and with which secrets is looked up when it is sent: an address that
/// was corrected counts for what is under way, and secrets are not copied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebhookCall {
    pub endpoint: EndpointId,
    pub endpoint_created_at: Timestamp,
    pub message_id: SmolStr,
    /// JSON, exactly as it is sent.
    pub body: SmolStr,
}

/// Why a message was refused for good, as the provider writes it into its response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "rejection", rename_all = "snake_case")]
pub enum WebhookRejection {
    /// The receiver answered 410: it wants no more.
    Gone,
    /// The endpoint was removed or disabled after the message was on its way.
    Skipped,
    /// It cannot be sent: the address may not be called, or the message cannot be signed.
    Unsendable,
}

const CASE_ENDPOINT_GONE: &str = "webhook-endpoint-gone";

#[derive(Clone, Copy, Debug)]
pub struct DeliverWebhook;

impl EffectHandler for DeliverWebhook {
    fn kind(&self) -> &'static OperationType {
        &DELIVER_WEBHOOK
    }

    fn next(&self, operation: &Operation, confirmed: &[Effect], facts: &mut Facts) -> Result<Step, Stop<Trouble>> {
        let order = order_of(operation)?;
        if let Some(sent) = confirmed.first() {
            drop_tail(facts, operation, &order)?;
            let result = sent.response.clone().unwrap_or_else(Payload::null);
            return Ok(Step::Done { result });
        }
        if !is_wanted(facts, &order)? {
            drop_tail(facts, operation, &order)?;
            return Ok(Step::Done { result: skipped() });
        }
        let DeliveryOrder { endpoint, endpoint_created_at, message_id, body, .. } = order;
        Ok(Step::Call { request: Payload::of(&WebhookCall { endpoint, endpoint_created_at, message_id, body }) })
    }

    fn rejected(
        &self,
        operation: &Operation,
        effect: &Effect,
        facts: &mut Facts,
    ) -> Result<AfterRejection, Stop<Trouble>> {
        let order = order_of(operation)?;
        drop_tail(facts, operation, &order)?;
        let response = effect.response.as_ref().and_then(|response| response.read().ok());
        match response {
            Some(WebhookRejection::Gone) => {
                disable(facts, &order)?;
                Ok(AfterRejection::Done { result: Payload::of(&json!({ "status": 410 })) })
            }
            Some(WebhookRejection::Skipped) => Ok(AfterRejection::Done { result: skipped() }),
            Some(WebhookRejection::Unsendable) | None => Ok(AfterRejection::Die),
        }
    }
}

fn order_of(operation: &Operation) -> Result<DeliveryOrder, Trouble> {
    operation.payload.read().map_err(|error| Trouble::permanent("malformed", error.to_string()))
}

fn skipped() -> Payload {
    Payload::of(&json!({ "skipped": true }))
}

fn is_wanted(facts: &mut Facts, order: &DeliveryOrder) -> Result<bool, Halt> {
    let endpoint = facts.get::<WebhookEndpoint>(&order.endpoint)?;
    Ok(endpoint.is_some_and(|endpoint| {
        endpoint.state == EndpointState::Enabled && endpoint.created_at == order.endpoint_created_at
    }))
}

/// Nothing has to wait for a delivery that has ended.
fn drop_tail(facts: &mut Facts, operation: &Operation, order: &DeliveryOrder) -> Result<(), Halt> {
    let key = TailKey { endpoint: order.endpoint.clone(), ordering: order.ordering.clone() };
    let own = facts.get::<WebhookTail>(&key)?.is_some_and(|tail| tail.delivery == operation.key.key);
    if own {
        facts.remove::<WebhookTail>(&key);
    }
    Ok(())
}

fn disable(facts: &mut Facts, order: &DeliveryOrder) -> Result<(), Halt> {
    if !is_wanted(facts, order)? {
        return Ok(());
    }
    let now = facts.now();
    let id = &order.endpoint;
    let endpoint = facts.get_mut::<WebhookEndpoint>(id)?.expect("just read");
    endpoint.state = EndpointState::Disabled;
    endpoint.disabled_reason = Some("it answered 410 Gone".into());
    endpoint.disabled_at = Some(now);
    facts.emit(&OperationsEvent::EndpointDisabled { endpoint: id.as_str().into() }.into());
    let summary = format!(
        "The webhook endpoint {id} answered 410 Gone and is told nothing any more. Enable it when it is back, or remove it"
    );
    let correlation = Correlation { kind: ENDPOINT_CORRELATION.into(), value: id.as_str().into() };
    let correlations = vec![correlation].into();
    open_case(facts, NewCase { kind: CASE_ENDPOINT_GONE, key: id.to_string(), summary, correlations })
}

/// Somebody saw to it.
pub(super) fn gone_case(id: &EndpointId) -> crate::operations::CaseKey {
    crate::operations::CaseKey { kind: CASE_ENDPOINT_GONE.into(), key: id.as_str().into() }
}
