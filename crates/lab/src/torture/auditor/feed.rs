//! Events as they come over the wire, and whether the feed keeps its own promises: in order, and complete.

use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

use super::findings::{Verdict, count_of};
use super::instant;
use super::state::FinalState;
use crate::torture::history::{EventSeen, Units};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event {
    /// The journal's row, and the place in it.
    pub(crate) seq: i64,
    pub(crate) place: u64,
    pub(crate) at: i64,
    pub(crate) what: What,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
pub(crate) struct Operation {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) key: String,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum What {
    PoolChanged {
        pool: String,
        version: i64,
        total: i64,
        overbook: i64,
        granted: i64,
        closed: bool,
    },
    PoolOversold {
        pool: String,
        oversold: i64,
    },
    Placed {
        hold: Uuid,
        versions: Vec<i64>,
    },
    Extended {
        hold: Uuid,
        expires_at: i64,
    },
    Cancelled {
        hold: Uuid,
        versions: Vec<i64>,
    },
    Expired {
        hold: Uuid,
        versions: Vec<i64>,
    },
    Converted {
        hold: Uuid,
        consume: bool,
        kept: Units,
        versions: Vec<i64>,
    },
    GivenBack {
        hold: Uuid,
        lines: Units,
        versions: Vec<i64>,
    },
    Moved {
        hold: Uuid,
        from: Units,
        to: Units,
        pools: Vec<String>,
        versions: Vec<i64>,
    },
    Succeeded {
        operation: Operation,
    },
    Died {
        operation: Operation,
    },
    Redriven,
    Received {
        external_id: String,
        operation: Operation,
    },
    /// Nothing that the auditor has an opinion on.
    Other,
}

impl What {
    pub(crate) fn hold(&self) -> Option<Uuid> {
        match self {
            What::Placed { hold, .. }
            | What::Extended { hold, .. }
            | What::Cancelled { hold, .. }
            | What::Expired { hold, .. }
            | What::Converted { hold, .. }
            | What::GivenBack { hold, .. }
            | What::Moved { hold, .. } => Some(*hold),
            What::PoolChanged { .. }
            | What::PoolOversold { .. }
            | What::Succeeded { .. }
            | What::Died { .. }
            | What::Redriven
            | What::Received { .. }
            | What::Other => None,
        }
    }
}

#[derive(Deserialize)]
struct PoolName {
    resource: String,
    #[serde(default)]
    slot: String,
}

impl PoolName {
    fn joined(self) -> String {
        pool_name(&self.resource, &self.slot)
    }
}

/// As histories write it.
pub(crate) fn pool_name(resource: &str, slot: &str) -> String {
    if slot.is_empty() { resource.to_owned() } else { format!("{resource}@{slot}") }
}

#[derive(Deserialize)]
pub(crate) struct Line {
    resource: String,
    #[serde(default)]
    slot: String,
    quantity: i64,
}

pub(crate) fn units(lines: Vec<Line>) -> Units {
    lines.into_iter().map(|line| (pool_name(&line.resource, &line.slot), line.quantity)).collect()
}

/// What goes over the wire.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Body {
    PoolChanged {
        pool: PoolName,
        version: i64,
        total: i64,
        overbook: i64,
        granted: i64,
        closed: bool,
    },
    PoolOversold {
        pool: PoolName,
        oversold: i64,
    },
    HoldPlaced {
        hold: Uuid,
        versions: Vec<i64>,
    },
    HoldExtended {
        hold: Uuid,
        expires_at: String,
    },
    HoldCancelled {
        hold: Uuid,
        versions: Vec<i64>,
    },
    HoldExpired {
        hold: Uuid,
        versions: Vec<i64>,
    },
    HoldConverted {
        hold: Uuid,
        mode: String,
        kept: Vec<Line>,
        versions: Vec<i64>,
    },
    BookedGivenBack {
        hold: Uuid,
        lines: Vec<Line>,
        versions: Vec<i64>,
    },
    BookedMoved {
        hold: Uuid,
        from: Vec<Line>,
        to: Vec<Line>,
        pools: Vec<PoolName>,
        versions: Vec<i64>,
    },
    OperationSucceeded {
        operation: Operation,
    },
    OperationDied {
        operation: Operation,
    },
    OperationRedriven {},
    InboxReceived {
        external_id: String,
        operation: Operation,
    },
    #[serde(other)]
    Other,
}

fn what(body: &Value) -> Option<What> {
    Some(match Body::deserialize(body).ok()? {
        Body::PoolChanged { pool, version, total, overbook, granted, closed } => {
            What::PoolChanged { pool: pool.joined(), version, total, overbook, granted, closed }
        }
        Body::PoolOversold { pool, oversold } => What::PoolOversold { pool: pool.joined(), oversold },
        Body::HoldPlaced { hold, versions } => What::Placed { hold, versions },
        Body::HoldExtended { hold, expires_at } => What::Extended { hold, expires_at: instant::parse(&expires_at)? },
        Body::HoldCancelled { hold, versions } => What::Cancelled { hold, versions },
        Body::HoldExpired { hold, versions } => What::Expired { hold, versions },
        Body::HoldConverted { hold, mode, kept, versions } => {
            What::Converted { hold, consume: mode == "consume", kept: units(kept), versions }
        }
        Body::BookedGivenBack { hold, lines, versions } => What::GivenBack { hold, lines: units(lines), versions },
        Body::BookedMoved { hold, from, to, pools, versions } => {
            let pools = pools.into_iter().map(PoolName::joined).collect();
            What::Moved { hold, from: units(from), to: units(to), pools, versions }
        }
        Body::OperationSucceeded { operation } => What::Succeeded { operation },
        Body::OperationDied { operation } => What::Died { operation },
        Body::OperationRedriven {} => What::Redriven,
        Body::InboxReceived { external_id, operation } => What::Received { external_id, operation },
        Body::Other => What::Other,
    })
}

/// Row and place.
pub(crate) fn cursor(text: &str) -> Option<(i64, u64)> {
    let (seq, place) = text.split_once('-')?;
    Some((seq.parse().ok()?, place.parse().ok()?))
}

fn decode(seen: &EventSeen) -> Option<Event> {
    let (seq, place) = cursor(&seen.cursor)?;
    Some(Event { seq, place, at: seen.at, what: what(&seen.body)? })
}

/// Decodes the whole feed. What cannot be read is a violation, and left out.
pub(crate) fn decoded(last: &FinalState, verdict: &mut Verdict) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::with_capacity(last.events.len());
    for seen in &last.events {
        let Some(event) = decode(seen) else {
            verdict.add("feed", || format!("event {} cannot be read: {}", seen.cursor, seen.body));
            continue;
        };
        check_order(events.last(), &event, verdict);
        events.push(event);
    }
    verdict.checked.events = count_of(events.len());
    events
}

/// Rows that tell no event are silent (a lease taken, an operation that waits), so a step of several rows is none of
/// our business; what is missing from a row, or a row that is told twice, is.
fn check_order(before: Option<&Event>, event: &Event, verdict: &mut Verdict) {
    let (seq, place) = before.map_or((0, 0), |before| (before.seq, before.place));
    let next_in_row = before.is_some() && event.seq == seq && event.place == place + 1;
    let next_row = event.seq > seq && event.place == 0;
    if !next_in_row && !next_row {
        verdict.add("feed", || format!("event {}-{} follows {seq}-{place}", event.seq, event.place));
    }
    if next_row {
        verdict.checked.rows_silent += u64::try_from(event.seq - seq - 1).expect("it is higher");
    }
    if before.is_some_and(|before| event.at < before.at || (event.seq == before.seq && event.at != before.at)) {
        verdict.add("feed", || format!("the clock goes back at event {}-{}", event.seq, event.place));
    }
}
