//! From events to deliveries. The cursor moves in the transaction that asks for them: one delivery per event and
//! endpoint, however many nodes try.

use serde::{Deserialize, Serialize};
use smol_str::format_smolstr;

use crate::kernel::{Command, Facts, Invalid, Reads, Stop};
use crate::operations::cases::{NewCase, open_case};
use crate::operations::{Correlation, Operation, OperationInvalid, OperationKey, OperationRefusal};

use super::message::{enqueue_delivery, require_tails, tail_key};
use super::{
    ENDPOINT_CORRELATION, EndpointId, EndpointState, EventCursor, OutboxMessage, ReplayKey, WebhookEndpoint,
    WebhookTail, delivery_key,
};

/// In one command: each message may need its chain's end and the operation there, and nothing may load more than
/// [`crate::kernel::RECORDS_PER_COMMAND_MAX`].
pub const OUTBOX_MESSAGES_MAX: usize = 500;

fn check_count(messages: &[OutboxMessage]) -> Result<(), Invalid> {
    if messages.len() > OUTBOX_MESSAGES_MAX {
        let what = "messages".to_owned();
        return Err(Invalid::ItemCount { what, items: messages.len(), items_max: OUTBOX_MESSAGES_MAX });
    }
    Ok(())
}

fn name_reads(reads: &mut Reads<'_>, id: &EndpointId, messages: &[OutboxMessage], keys: &[OperationKey]) {
    reads.record::<WebhookEndpoint>(id);
    for message in messages {
        reads.record::<WebhookTail>(&tail_key(id, message));
    }
    for key in keys {
        reads.expect_absent::<Operation>(key);
    }
}

fn known(facts: &mut Facts, id: &EndpointId) -> Result<WebhookEndpoint, Stop<OperationRefusal>> {
    let endpoint = facts.get::<WebhookEndpoint>(id)?;
    Ok(endpoint.ok_or_else(|| OperationRefusal::EndpointNotFound { endpoint: id.as_str().into() })?.clone())
}

/// The endpoint, if it still stands where the caller saw it.
fn standing_at(facts: &mut Facts, id: &EndpointId, at: EventCursor) -> Result<WebhookEndpoint, Stop<OperationRefusal>> {
    let endpoint = known(facts, id)?;
    if endpoint.cursor != at || endpoint.state != EndpointState::Enabled {
        return Err(OperationRefusal::Changed { what: format_smolstr!("webhook endpoint {id}") }.into());
    }
    Ok(endpoint)
}

/// Asks for the deliveries of what happened behind `from` up to `to`, and says so in the cursor.
///
/// Refuses, in this order: no such endpoint; its cursor is elsewhere by now, or it is disabled.
#[derive(Clone, Debug)]
pub struct FanOut {
    endpoint: EndpointId,
    from: EventCursor,
    to: EventCursor,
    messages: Vec<OutboxMessage>,
    keys: Vec<OperationKey>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FannedOut {
    /// How many deliveries were asked for that had not been before.
    pub deliveries: u32,
}

impl FanOut {
    /// `messages` in the order of the events.
    pub fn new(
        endpoint: EndpointId,
        from: EventCursor,
        to: EventCursor,
        messages: Vec<OutboxMessage>,
    ) -> Result<FanOut, Invalid> {
        check_count(&messages)?;
        let ordered = messages.iter().map(|message| message.cursor).is_sorted_by(|one, next| one < next);
        let within = messages.iter().all(|message| from < message.cursor && message.cursor <= to);
        if !ordered || !within || to < from {
            return Err(OperationInvalid::OutboxRange.into());
        }
        let keys = messages.iter().map(|message| delivery_key(&endpoint, message.cursor, None));
        let keys = keys.collect::<Result<_, _>>()?;
        Ok(FanOut { endpoint, from, to, messages, keys })
    }
}

impl Command for FanOut {
    const NAME: &'static str = "fan_out";
    type Reply = FannedOut;
    type Refusal = OperationRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        name_reads(reads, &self.endpoint, &self.messages, &self.keys);
    }

    fn decide(&self, facts: &mut Facts) -> Result<FannedOut, Stop<OperationRefusal>> {
        let endpoint = standing_at(facts, &self.endpoint, self.from)?;
        let deliveries = enqueue_all(facts, &endpoint, &self.messages, &self.keys)?;
        facts.get_mut::<WebhookEndpoint>(&self.endpoint)?.expect("just read").cursor = self.to;
        Ok(FannedOut { deliveries })
    }
}

fn enqueue_all(
    facts: &mut Facts,
    endpoint: &WebhookEndpoint,
    messages: &[OutboxMessage],
    keys: &[OperationKey],
) -> Result<u32, Stop<OperationRefusal>> {
    require_tails(facts, &endpoint.id, messages)?;
    let mut deliveries = 0_u32;
    for (message, key) in messages.iter().zip(keys) {
        if enqueue_delivery(facts, endpoint, message, key)? {
            deliveries = deliveries.strict_add(1);
        }
    }
    Ok(deliveries)
}

/// Asks for deliveries again, of events that are still in the journal. The messages bear the ids that they had, so a
/// receiver that has one already can tell. Safe to repeat under the same key.
///
/// Refuses: no such endpoint.
#[derive(Clone, Debug)]
pub struct ReplayEvents {
    endpoint: EndpointId,
    messages: Vec<OutboxMessage>,
    keys: Vec<OperationKey>,
}

impl ReplayEvents {
    pub fn new(
        endpoint: EndpointId,
        replay: &ReplayKey,
        messages: Vec<OutboxMessage>,
    ) -> Result<ReplayEvents, Invalid> {
        check_count(&messages)?;
        let keys = messages.iter().map(|message| delivery_key(&endpoint, message.cursor, Some(replay)));
        let keys = keys.collect::<Result<_, _>>()?;
        Ok(ReplayEvents { endpoint, messages, keys })
    }
}

impl Command for ReplayEvents {
    const NAME: &'static str = "replay_events";
    type Reply = FannedOut;
    type Refusal = OperationRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        name_reads(reads, &self.endpoint, &self.messages, &self.keys);
    }

    fn decide(&self, facts: &mut Facts) -> Result<FannedOut, Stop<OperationRefusal>> {
        let endpoint = known(facts, &self.endpoint)?;
        let deliveries = enqueue_all(facts, &endpoint, &self.messages, &self.keys)?;
        if deliveries == 0 {
            facts.mark_replayed();
        }
        Ok(FannedOut { deliveries })
    }
}

const CASE_EVENTS_MISSED: &str = "webhook-events-missed";

/// The journal behind `from` is gone before the endpoint was told: it goes on at `to`, and somebody is told instead.
///
/// Refuses, in this order: no such endpoint; its cursor is elsewhere by now, or it is disabled.
#[derive(Clone, Debug)]
pub struct SkipMissedEvents {
    pub endpoint: EndpointId,
    pub from: EventCursor,
    pub to: EventCursor,
}

impl Command for SkipMissedEvents {
    const NAME: &'static str = "skip_missed_events";
    type Reply = ();
    type Refusal = OperationRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<WebhookEndpoint>(&self.endpoint);
    }

    fn decide(&self, facts: &mut Facts) -> Result<(), Stop<OperationRefusal>> {
        let id = standing_at(facts, &self.endpoint, self.from)?.id;
        let summary = format!(
            "Events behind {} were let go of before the webhook endpoint {id} was told of them. It goes on with what is \
             kept; its owner has to read the state anew",
            self.from
        );
        let correlation = Correlation { kind: ENDPOINT_CORRELATION.into(), value: id.as_str().into() };
        let correlations = vec![correlation].into();
        open_case(facts, NewCase { kind: CASE_EVENTS_MISSED, key: id.to_string(), summary, correlations })?;
        facts.get_mut::<WebhookEndpoint>(&self.endpoint)?.expect("just read").cursor = self.to;
        Ok(())
    }
}
