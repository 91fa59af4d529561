//! Tells webhook endpoints what happened: reads the journal behind each endpoint's cursor and asks for one delivery per
//! event. Several nodes may do it at once; the cursor lets one of them through. Who is called, and how, is not known here.
//!
//! Asking writes to the journal that is read. So a stretch without anything to tell is not written down at once: the
//! row that says so would be the next such stretch.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::json;
use surehold_core::kernel::{Event, TenantId, Timestamp};
use surehold_core::operations::OperationRefusal;
use surehold_core::operations::outbox::{
    EndpointId, EventCursor, FanOut, OUTBOX_MESSAGES_MAX, OutboxMessage, ReplayEvents, ReplayKey, SkipMissedEvents,
    WebhookEndpoint, offered,
};
use tokio::time::Instant;
use tracing::{debug, warn};

use super::views::EndpointPlace;
use crate::engine::EngineRef;
use crate::module::Background;
use crate::{Engine, Failure, Fault, JournalRow, RenderEvent};

const ROWS_PER_READ: u16 = 256;
const EVENTS_PER_READ: i64 = 1_000;
/// A stretch without anything to tell is written down when it is this long …
const SILENT_ROWS_MAX: i64 = 1_000;
/// … or this old, so that a restart does not find its rows let go of and take them for missed.
const SILENT_FOR_MAX: Duration = Duration::from_hours(1);

/// Then it is the next endpoint's turn: one that has much to catch up with does not keep the others waiting.
const DELIVERIES_PER_LOOK_ENOUGH: u64 = 10_000;

pub(super) const BACKGROUND: Background = Background {
    name: "fanning-out",
    start: |config, engine| Some(Box::pin(fan_out_forever(engine, config.outbox_pause?, config.render_event?))),
};

/// Ends with the engine, which it does not keep alive.
async fn fan_out_forever(engine: EngineRef, pause: Duration, render: RenderEvent) {
    let mut outbox = Outbox { render, silences: HashMap::new() };
    loop {
        tokio::time::sleep(pause).await;
        let Some(engine) = engine.get() else { return };
        if let Err(fault) = outbox.look(&engine).await {
            warn!(%fault, "Cannot look for events to tell: {fault}");
        }
    }
}

/// Read behind an endpoint's cursor and found empty, up to a row.
#[derive(Clone, Copy, Debug)]
struct Silence {
    cursor: EventCursor,
    until_seq: i64,
    since: Instant,
    /// Whether events were passed over; rows without any need never be written down.
    passed_over: bool,
}

struct Outbox {
    render: RenderEvent,
    silences: HashMap<(TenantId, EndpointId), Silence>,
}

impl Outbox {
    /// Tells how many deliveries were asked for.
    async fn look(&mut self, engine: &Engine) -> Result<u64, Fault> {
        let places = engine.views().endpoint_places().await?;
        let mut deliveries = 0;
        let mut silences = HashMap::with_capacity(places.len());
        for place in places {
            let name = (place.tenant, place.endpoint.clone());
            let silence = self.silences.get(&name).copied().filter(|silence| silence.cursor == place.cursor);
            let read_seq = silence.map_or_else(|| read_to(place.cursor), |silence| silence.until_seq);
            let silence =
                if place.newest_seq > read_seq || silence.is_some_and(|silence| silence.is_due(place.newest_seq)) {
                    match tell(engine, &place, silence, self.render).await {
                        Ok((told, silence)) => {
                            deliveries += told;
                            silence
                        }
                        // One tenant's trouble is not everybody's.
                        Err(fault) => {
                            let EndpointPlace { tenant, endpoint, .. } = &place;
                            warn!(%tenant, %endpoint, %fault, "Cannot read events for a webhook endpoint: {fault}");
                            silence
                        }
                    }
                } else {
                    silence
                };
            silences.extend(silence.map(|silence| (name, silence)));
        }
        // Endpoints that are gone are forgotten.
        self.silences = silences;
        Ok(deliveries)
    }
}

impl Silence {
    fn is_due(&self, newest_seq: i64) -> bool {
        let rows = self.until_seq.min(newest_seq) - self.cursor.seq;
        rows >= SILENT_ROWS_MAX || (self.passed_over && self.since.elapsed() >= SILENT_FOR_MAX)
    }
}

/// Tells one endpoint what there is, up to a bound.
async fn tell(
    engine: &Engine,
    place: &EndpointPlace,
    silence: Option<Silence>,
    render: RenderEvent,
) -> Result<(u64, Option<Silence>), Fault> {
    let (tenant, id) = (place.tenant, &place.endpoint);
    let Some(endpoint) = engine.views().record::<WebhookEndpoint>(tenant, id).await? else { return Ok((0, None)) };
    let mut silence = silence.filter(|silence| silence.cursor == endpoint.cursor);
    let mut cursor = endpoint.cursor;
    let mut told = 0;
    loop {
        let mut stretch = Stretch::begin(cursor, silence);
        let rows = engine.views().journal_until(tenant, stretch.after_seq(), ROWS_PER_READ, EVENTS_PER_READ).await?;
        if let Some(first) = rows.first().filter(|first| first.seq != stretch.after_seq() + 1) {
            let to = EventCursor::row_end(first.seq - 1);
            let skip = SkipMissedEvents { endpoint: id.clone(), from: cursor, to };
            if !went_through(tenant, id, engine.run(tenant, skip).await.map(drop))? {
                return Ok((told, None));
            }
            warn!(%tenant, endpoint = %id, from = %cursor, %to, "Events were let go of before a webhook endpoint was told");
            (cursor, silence) = (to, None);
            continue;
        }
        let is_end = rows.is_empty();
        for row in &rows {
            if !stretch.take(row, &endpoint, render) {
                break;
            }
        }
        let rest = stretch.silence(silence);
        if stretch.messages.is_empty() && !rest.is_some_and(|rest| rest.is_due(i64::MAX)) {
            silence = rest;
            if is_end {
                return Ok((told, silence));
            }
            continue;
        }
        let Stretch { to, messages, .. } = stretch;
        let count = u64::try_from(messages.len()).unwrap_or(u64::MAX);
        let Ok(fan_out) = FanOut::new(id.clone(), cursor, to, messages) else {
            unreachable!("messages were taken in the order of the journal, and not too many");
        };
        if !went_through(tenant, id, engine.run(tenant, fan_out).await.map(drop))? {
            return Ok((told, None));
        }
        debug!(%tenant, endpoint = %id, count, "Asked for {count} deliveries");
        told += count;
        (cursor, silence) = (to, None);
        if told >= DELIVERIES_PER_LOOK_ENOUGH {
            return Ok((told, None));
        }
    }
}

/// False when somebody else was faster, or the endpoint is gone or disabled.
fn went_through(tenant: TenantId, id: &EndpointId, done: Result<(), Failure<OperationRefusal>>) -> Result<bool, Fault> {
    match done {
        Ok(()) => Ok(true),
        Err(Failure::Refused(OperationRefusal::Changed { .. } | OperationRefusal::EndpointNotFound { .. })) => {
            Ok(false)
        }
        Err(Failure::Fault(fault)) => Err(fault),
        Err(failure @ (Failure::Refused(_) | Failure::KeyReused | Failure::Defect)) => {
            warn!(%tenant, endpoint = %id, ?failure, "Cannot ask for deliveries");
            Ok(false)
        }
    }
}

/// What is read behind a cursor until there is enough for one command.
struct Stretch {
    from: EventCursor,
    to: EventCursor,
    messages: Vec<OutboxMessage>,
    passed_over: bool,
}

impl Stretch {
    fn begin(from: EventCursor, silence: Option<Silence>) -> Stretch {
        let to = silence.map_or(from, |silence| EventCursor::row_end(silence.until_seq));
        Stretch { from, to, messages: Vec::new(), passed_over: silence.is_some_and(|silence| silence.passed_over) }
    }

    fn after_seq(&self) -> i64 {
        read_to(self.to)
    }

    /// False when it is full.
    fn take(&mut self, row: &JournalRow, endpoint: &WebhookEndpoint, render: RenderEvent) -> bool {
        for (cursor, event) in events_of(row) {
            if cursor <= self.to {
                continue;
            }
            match message(endpoint, row.at, cursor, event, render) {
                Some(message) => self.messages.push(message),
                None => self.passed_over = true,
            }
            self.to = cursor;
            if self.messages.len() == OUTBOX_MESSAGES_MAX {
                break;
            }
        }
        if events_of(row).last().is_none_or(|(last, _)| last <= self.to) {
            self.to = EventCursor::row_end(row.seq);
        }
        self.messages.len() < OUTBOX_MESSAGES_MAX
    }

    fn silence(&self, before: Option<Silence>) -> Option<Silence> {
        let since = before.map_or_else(Instant::now, |silence| silence.since);
        let silence = Silence { cursor: self.from, until_seq: self.to.seq, since, passed_over: self.passed_over };
        (self.messages.is_empty() && self.to.is_row_end()).then_some(silence)
    }
}

/// The last row that need not be read again.
fn read_to(cursor: EventCursor) -> i64 {
    if cursor.is_row_end() { cursor.seq } else { cursor.seq - 1 }
}

fn events_of(row: &JournalRow) -> impl Iterator<Item = (EventCursor, &Event)> {
    (0_u32..).zip(&row.events).map(|(index, event)| (EventCursor { seq: row.seq, index }, event))
}

/// The message to an endpoint, if it wants the event.
fn message(
    endpoint: &WebhookEndpoint,
    at: Timestamp,
    cursor: EventCursor,
    event: &Event,
    render: RenderEvent,
) -> Option<OutboxMessage> {
    let offered = offered(event).filter(|offered| endpoint.wants(offered.name))?;
    let body = json!({
        "type": offered.name,
        "timestamp": at,
        "data": render(event),
        "cursor": cursor.to_string(),
    });
    Some(OutboxMessage { cursor, ordering: offered.ordering, body: body.to_string().into() })
}

/// What is to be told again.
#[derive(Clone, Debug)]
pub struct ReplayRequest {
    pub endpoint: EndpointId,
    /// The first event, and the last. A row that is no longer kept is passed over.
    pub from: EventCursor,
    pub to: EventCursor,
    /// Names the wish: repeated under the same key, it is the same wish.
    pub key: ReplayKey,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// Deliveries asked for; fewer than events where the wish was repeated.
    pub deliveries: u64,
    /// Whether all that was looked at was still kept.
    pub complete: bool,
    /// Where to go on, if there was too much for one request.
    pub next: Option<EventCursor>,
}

/// Enough for one request.
const REPLAY_DELIVERIES_ENOUGH: usize = 10_000;

impl Engine {
    /// Looks once for events that endpoints have not been told, on behalf of all tenants. Tells how many deliveries were
    /// asked for.
    pub async fn fan_out(&self, render: RenderEvent) -> Result<u64, Fault> {
        Outbox { render, silences: HashMap::new() }.look(self).await
    }

    /// Asks for deliveries again, piece by piece. Not atomic as a whole; safe to repeat.
    pub async fn replay_events(
        &self,
        tenant: TenantId,
        request: &ReplayRequest,
        render: RenderEvent,
    ) -> Result<Replayed, Failure<OperationRefusal>> {
        let id = &request.endpoint;
        let endpoint = self.views().record::<WebhookEndpoint>(tenant, id).await?;
        let not_found = || OperationRefusal::EndpointNotFound { endpoint: id.as_str().into() };
        let endpoint = endpoint.ok_or_else(|| Failure::Refused(not_found()))?;
        let mut replayed = Replayed { deliveries: 0, complete: true, next: None };
        let mut after_seq = request.from.seq.max(1) - 1;
        let mut wished_count = 0;
        while after_seq < request.to.seq {
            if wished_count >= REPLAY_DELIVERIES_ENOUGH {
                replayed.next = Some(EventCursor { seq: after_seq + 1, index: 0 });
                break;
            }
            let rows = self.views().journal_until(tenant, after_seq, ROWS_PER_READ, EVENTS_PER_READ).await?;
            let Some(last) = rows.last() else { break };
            replayed.complete &= rows.first().is_none_or(|first| first.seq == after_seq + 1);
            after_seq = last.seq;
            let events = rows.iter().flat_map(|row| events_of(row).map(|(cursor, event)| (row.at, cursor, event)));
            let requested = events.filter(|(_, cursor, _)| (request.from..=request.to).contains(cursor));
            let messages = requested.filter_map(|(at, cursor, event)| message(&endpoint, at, cursor, event, render));
            let messages: Vec<OutboxMessage> = messages.collect();
            wished_count += messages.len();
            for piece in messages.chunks(OUTBOX_MESSAGES_MAX) {
                let replay = ReplayEvents::new(id.clone(), &request.key, piece.to_vec());
                let replay = replay.map_err(|invalid| Failure::Refused(invalid.into()))?;
                replayed.deliveries += u64::from(self.run(tenant, replay).await?.reply.deliveries);
            }
        }
        Ok(replayed)
    }
}
