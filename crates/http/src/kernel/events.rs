//! The event feed: pages for those who come back, a stream for those who stay.

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use axum::http::HeaderMap;
use axum::http::header::ACCEPT;
use axum::response::sse::{self, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::future::ready;
use futures_util::stream::{once, unfold};
use futures_util::{Stream, StreamExt};
use surehold_core::kernel::TenantId;
use tracing::warn;

use crate::api::{Api, Caller, Query, Read, Reply, malformed, page_items};
use crate::describe;
use crate::keys::KeyRef;
use crate::problem::{Code, Problem};
use crate::wire::{Event, EventPage};

/// How often a stream looks for something new.
const POLL_PAUSE: Duration = Duration::from_millis(200);
/// How often a stream makes sure that its key is still good: a revocation counts within a second.
const KEY_CHECK_PAUSE: Duration = Duration::from_millis(200);
/// A row may hold the events of thousands of commands, so only a few are read at once.
const ROWS_PER_READ: u16 = 64;
/// Enough to stop at.
const EVENTS_PER_READ: i64 = 1_000;

#[describe::query]
pub(crate) struct ListEvents {
    /// A cursor: what follows it is listed. Left out: a list starts with the oldest event, a stream with the next one.
    after: Option<String>,
    /// Events per page; streams do not end.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    limit: Option<u16>,
}

/// Events since a cursor, or live
///
/// In commit order, without gaps. With `Accept: text/event-stream` it is a live stream (server-sent events) that goes
/// on after `Last-Event-ID`.
#[describe::path(get, "/v1/{tenant}/events", tag = "Events",
    params(("Last-Event-ID" = Option<String>, Header)),
    responses((status = 200, content((EventPage = "application/json"), (String = "text/event-stream")))))]
pub(super) async fn events(
    api: Api,
    caller: Caller<Read>,
    Query(query): Query<ListEvents>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let limit = page_items(query.limit)?;
    let given = headers.get("last-event-id").map(|id| id.to_str().unwrap_or("?")).or(query.after.as_deref());
    let given = given.map(Cursor::parse).transpose()?;
    let live = headers.get(ACCEPT).is_some_and(|accept| accept.as_bytes().starts_with(b"text/event-stream"));
    let start = start(&api, caller.tenant, given, live).await?;
    if live {
        return Ok(stream(&api, &caller, start)?.into_response());
    }
    let mut feed = Feed { api, tenant: caller.tenant, place: start, ready: VecDeque::new() };
    let limit = usize::from(limit);
    while feed.ready.len() <= limit && feed.read().await? {}
    let more = feed.ready.len() > limit;
    let events: Vec<Event> = feed.ready.into_iter().take(limit).collect();
    let next = events.last().map_or_else(|| start.cursor.to_string(), |event| event.cursor.clone());
    Ok(Reply::found(EventPage { events, next, more }).into_response())
}

/// The place of an event: the journal row and the index in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cursor {
    seq: i64,
    index: usize,
}

/// Behind every event of a row.
const ROW_END: usize = 999_999_999;

/// Before everything that is kept.
const START: Cursor = Cursor { seq: 0, index: 0 };

impl Cursor {
    pub(super) fn parse(text: &str) -> Result<Cursor, Problem> {
        let not_one = || malformed("the cursor is not one; it looks like 12-0 and comes from an event or a page");
        let (seq, index) = text.split_once('-').ok_or_else(not_one)?;
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if !digits(seq) || !digits(index) {
            return Err(not_one());
        }
        let index = index.parse().ok().filter(|index| *index <= ROW_END).ok_or_else(not_one)?;
        Ok(Cursor { seq: seq.parse().map_err(|_| not_one())?, index })
    }
}

impl std::fmt::Display for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-{}", self.seq, self.index)
    }
}

/// How far a reader is. A row that was read to its end need not be read again.
#[derive(Clone, Copy, Debug)]
struct FeedPosition {
    cursor: Cursor,
    row_done: bool,
}

/// Where to begin; 410 when events between there and the oldest kept are gone.
async fn start(api: &Api, tenant: TenantId, given: Option<Cursor>, live: bool) -> Result<FeedPosition, Problem> {
    let tail = api.views().journal_tail(tenant).await?;
    let before = |seq: i64| FeedPosition { cursor: Cursor { seq, index: 0 }, row_done: true };
    let oldest = before((tail.oldest_seq - 1).max(0));
    match given {
        None if live => Ok(before(tail.newest_seq)),
        // Before everything is the same as no cursor.
        None | Some(Cursor { seq: 0, .. }) => Ok(oldest),
        Some(cursor) if (tail.oldest_seq..=tail.newest_seq).contains(&cursor.seq) => {
            Ok(FeedPosition { cursor, row_done: false })
        }
        Some(cursor) => {
            let which = if cursor.seq > tail.newest_seq { "ahead of the journal" } else { "older than what is kept" };
            Err(gone(&format!("the cursor {cursor} is {which}")))
        }
    }
}

fn gone(what: &str) -> Problem {
    let detail = format!("{what}; read the state anew and go on from `cursor`");
    Problem::new(Code::CursorGone, detail).with("cursor", &START.to_string())
}

struct Feed {
    api: Api,
    tenant: TenantId,
    place: FeedPosition,
    ready: VecDeque<Event>,
}

impl Feed {
    /// Reads the next rows; false when there are none. What was let go of meanwhile is not skipped in silence.
    async fn read(&mut self) -> Result<bool, Problem> {
        let FeedPosition { cursor, row_done } = self.place;
        let after_seq = if row_done { cursor.seq } else { cursor.seq - 1 };
        let views = self.api.views();
        let rows = views.journal_until(self.tenant, after_seq, ROWS_PER_READ, EVENTS_PER_READ).await?;
        if rows.first().is_some_and(|row| row.seq != after_seq + 1) {
            return Err(gone("events behind the cursor are older than what is kept"));
        }
        for row in &rows {
            let skip = if row.seq == cursor.seq { cursor.index + 1 } else { 0 };
            for (index, event) in row.events.iter().enumerate().skip(skip) {
                let cursor = Cursor { seq: row.seq, index }.to_string();
                self.ready.push_back(Event { cursor, at: row.at, body: event.clone().into() });
            }
            self.place = FeedPosition { cursor: Cursor { seq: row.seq, index: 0 }, row_done: true };
        }
        Ok(!rows.is_empty())
    }

    /// Waits for the next event; `None` when the server stops, the key ends or events are gone: who comes back with
    /// the last cursor is told which.
    async fn next(&mut self, pass: &mut Pass) -> Option<Event> {
        let stop = self.api.stop().clone();
        loop {
            if stop.is_cancelled() || !pass.is_good(&self.api).await {
                return None;
            }
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            let idle = match self.read().await {
                Ok(found) => !found,
                Err(problem) if problem.is(Code::CursorGone) => return None,
                Err(problem) => {
                    let code = problem.code();
                    warn!(tenant = %self.tenant, code, "Cannot read events for a stream: {code}");
                    true
                }
            };
            if idle {
                stop.run_until_cancelled(tokio::time::sleep(POLL_PAUSE)).await?;
            }
        }
    }
}

/// What a stream was opened with.
struct Pass {
    key: Option<KeyRef>,
    checked_at: Instant,
}

impl Pass {
    async fn is_good(&mut self, api: &Api) -> bool {
        let Some(key) = self.key else { return true };
        if self.checked_at.elapsed() < KEY_CHECK_PAUSE {
            return true;
        }
        self.checked_at = Instant::now();
        // A store that cannot be asked has no events either.
        api.keys().still_opens(key).await.unwrap_or(true)
    }
}

/// The streams that are open, by the key that opened them.
#[derive(Clone, Default)]
pub(super) struct OpenStreams(Arc<Mutex<HashMap<Option<KeyRef>, usize>>>);

impl OpenStreams {
    fn lock(&self) -> MutexGuard<'_, HashMap<Option<KeyRef>, usize>> {
        self.0.lock().expect("nothing panics while holding it")
    }
}

/// One of the streams that may be open at once.
struct StreamSlot {
    open: OpenStreams,
    key: Option<KeyRef>,
}

impl StreamSlot {
    /// No key may have more than half of them, so that it cannot keep the others out.
    fn take(api: &Api, key: Option<KeyRef>) -> Result<StreamSlot, Problem> {
        let streams_max = api.config().event_streams_max;
        let open = api.state::<OpenStreams>();
        let mut streams = open.lock();
        let all: usize = streams.values().sum();
        let own = streams.entry(key).or_default();
        if all >= streams_max || *own >= streams_max.div_ceil(2) {
            let detail =
                format!("{all} streams are open on this node, {own} with this key; read pages, or try again later");
            return Err(Problem::new(Code::TooManyStreams, detail).retry_after(5));
        }
        *own += 1;
        Ok(StreamSlot { open: open.clone(), key })
    }
}

impl Drop for StreamSlot {
    fn drop(&mut self) {
        let mut streams = self.open.lock();
        if let Some(own) = streams.get_mut(&self.key) {
            *own -= 1;
            if *own == 0 {
                streams.remove(&self.key);
            }
        }
    }
}

fn stream(
    api: &Api,
    caller: &Caller<Read>,
    place: FeedPosition,
) -> Result<Sse<impl Stream<Item = Result<sse::Event, Infallible>> + use<>>, Problem> {
    let slot = StreamSlot::take(api, caller.key)?;
    // Who loses the connection before anything happened must know where to go on, or it misses what happens meanwhile.
    let index = if place.row_done { ROW_END } else { place.cursor.index };
    let begun = sse::Event::default().id(Cursor { index, ..place.cursor }.to_string());
    let feed = Feed { api: api.clone(), tenant: caller.tenant, place, ready: VecDeque::new() };
    let pass = Pass { key: caller.key, checked_at: Instant::now() };
    let events = unfold((feed, pass, slot), async |(mut feed, mut pass, slot)| {
        let event = feed.next(&mut pass).await?;
        let data = serde_json::to_string(&event).expect("events are plain data");
        Some((Ok(sse::Event::default().id(event.cursor).data(data)), (feed, pass, slot)))
    });
    let events = once(ready(Ok(begun))).chain(events);
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(Duration::from_secs(15))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors() {
        for good in ["0-0", "12-0", "9223372036854775807-3"] {
            assert_eq!(Cursor::parse(good).unwrap().to_string(), good);
        }
        for bad in ["", "12", "12-", "-1", "+1-0", "12-0-0", "a-b", "99999999999999999999-0", "1-18446744073709551615"]
        {
            assert!(Cursor::parse(bad).is_err(), "{bad}");
        }
    }
}
