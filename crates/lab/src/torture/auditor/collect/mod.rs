//! Asks a healed server what has become of everything: over HTTP, as anybody could.
//!
//! It waits until nothing is unfinished, as long as `patience.rs` allows; then everything is read between two looks at
//! the feed that find the same end, so that what is judged was there at one moment.

pub(crate) mod client;
mod patience;
mod wire;

use std::collections::{BTreeSet, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use futures_util::StreamExt;
use futures_util::stream::iter;
use uuid::Uuid;

use super::state::{CollectPlan, FinalState, OperationSeen};
use super::tasks;
use crate::torture::history::{Ask, Entry, EventSeen};

use client::Client;
use patience::{Patience, Rest};

pub(crate) const LOOK_PAUSE: Duration = Duration::from_millis(500);
/// Holds are looked at one by one, so many at a time.
pub(crate) const LOOKS_AT_ONCE: usize = 32;
/// Something may happen at any moment (a hold expires); then everything is read again. With the pauses in between for
/// longer than a hold lives: by then nothing is left that can happen by itself.
const MOMENTS_MAX: usize = 100;

/// Reads the final state. Call it when everything is healed: the minute begins now.
pub async fn collect(plan: &CollectPlan, history: &[Entry]) -> Result<FinalState> {
    collect_healed(plan, history, Instant::now()).await
}

/// Reads the final state of what was healed a while ago: the minute began then.
pub async fn collect_healed(plan: &CollectPlan, history: &[Entry], healed: Instant) -> Result<FinalState> {
    let client = Client::new(plan)?;
    let live = plan.feed_path.as_deref().map(read_feed).transpose()?;
    let mut state = FinalState { live, ..FinalState::default() };
    let mut patience = Patience::since(healed);
    // Operations first: to read every hold may take longer than they have.
    wait_for_operations(&client, &mut state, &mut patience).await?;
    let mut stale: BTreeSet<Uuid> = history.iter().filter_map(|entry| hold_of(&entry.ask)).collect();
    state.torn = true;
    for _ in 0..MOMENTS_MAX {
        stale = read_at_rest(&client, stale, &mut state, &mut patience).await?;
        state.pools = client.pools().await?;
        let changed = read_events(&client, &mut state).await?;
        if changed.is_empty() {
            state.torn = false;
            break;
        }
        stale.extend(changed);
        tokio::time::sleep(LOOK_PAUSE).await;
    }
    // What was never still has not come to rest.
    state.settled &= !state.torn;
    client.add_contents(&mut state.operations).await?;
    Ok(state)
}

/// Reads on until nothing is unfinished, or something has been for too long: events, the holds that may have changed,
/// operations. Says which holds are to be read again.
async fn read_at_rest(
    client: &Client,
    mut stale: BTreeSet<Uuid>,
    state: &mut FinalState,
    patience: &mut Patience,
) -> Result<BTreeSet<Uuid>> {
    loop {
        stale.extend(read_events(client, state).await?);
        read_holds(client, &stale, state).await?;
        read_operations(client, state).await?;
        stale = unsettled_holds(state);
        let unfinished = unfinished_operations(state).into_iter().chain(stale.iter().map(Uuid::to_string));
        let rest = patience.look(unfinished.collect(), Instant::now());
        state.settled = rest == Rest::Settled;
        if rest != Rest::Still {
            return Ok(stale);
        }
        tokio::time::sleep(LOOK_PAUSE).await;
    }
}

async fn wait_for_operations(client: &Client, state: &mut FinalState, patience: &mut Patience) -> Result<()> {
    loop {
        read_operations(client, state).await?;
        match patience.look(unfinished_operations(state), Instant::now()) {
            Rest::Settled | Rest::Overdue => return Ok(()),
            Rest::Still => tokio::time::sleep(LOOK_PAUSE).await,
        }
    }
}

async fn read_operations(client: &Client, state: &mut FinalState) -> Result<()> {
    state.read_at = now_micros()?;
    state.operations = client.operations(tasks::kinds()).await?;
    Ok(())
}

pub(crate) fn now_micros() -> Result<i64> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).context("a clock before 1970")?;
    i64::try_from(now.as_micros()).context("a clock beyond all times")
}

fn read_feed(path: &Path) -> Result<Vec<EventSeen>> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let lines = BufReader::new(file).lines();
    let seen = lines.map(|line| serde_json::from_str(&line?).context("a line is no event"));
    seen.collect::<Result<_>>().with_context(|| format!("cannot read {}", path.display()))
}

fn hold_of(ask: &Ask) -> Option<Uuid> {
    match ask {
        Ask::Place { hold, .. }
        | Ask::Extend { hold, .. }
        | Ask::Convert { hold, .. }
        | Ask::Cancel { hold }
        | Ask::Move { hold, .. }
        | Ask::GiveBack { hold, .. }
        | Ask::ReadHold { hold }
        | Ask::ExpireTask { hold, .. } => Some(*hold),
        Ask::PutPool { .. } | Ask::Adjust { .. } | Ask::ReadPool { .. } | Ask::ChargeTask { .. } => None,
    }
}

/// Reads on to the end of the feed. Says whose state may have changed: the nil hold stands for what is none.
async fn read_events(client: &Client, state: &mut FinalState) -> Result<BTreeSet<Uuid>> {
    let mut changed = BTreeSet::new();
    loop {
        let after = state.events.last().map_or("0-0", |event| event.cursor.as_str());
        let (events, more) = client.events(after).await?;
        for event in &events {
            let hold = event.body["hold"].as_str().and_then(|hold| hold.parse().ok());
            changed.insert(hold.unwrap_or(Uuid::nil()));
        }
        state.events.extend(events);
        if !more {
            return Ok(changed);
        }
    }
}

async fn read_holds(client: &Client, ids: &BTreeSet<Uuid>, state: &mut FinalState) -> Result<()> {
    let wanted = ids.iter().copied().filter(|id| !id.is_nil());
    let mut found = iter(wanted.map(|id| async move { Ok::<_, anyhow::Error>((id, client.hold(id).await?)) }))
        .buffer_unordered(LOOKS_AT_ONCE);
    while let Some(one) = found.next().await {
        let (id, seen) = one?;
        state.holds.insert(id, seen);
    }
    Ok(())
}

/// Holds that are over and have not been told to be: everybody sees them as expired, swept or not.
fn unsettled_holds(state: &FinalState) -> BTreeSet<Uuid> {
    let swept: HashSet<&str> = state
        .events
        .iter()
        .filter(|event| event.body["type"] == "hold_expired")
        .filter_map(|event| event.body["hold"].as_str())
        .collect();
    let over = state.holds.iter().filter(|(id, seen)| {
        seen.as_ref().is_some_and(|seen| seen.state == "expired") && !swept.contains(id.to_string().as_str())
    });
    over.map(|(id, _)| *id).collect()
}

fn unfinished_operations(state: &FinalState) -> BTreeSet<String> {
    let rests = |operation: &OperationSeen| operation.has_ended() || tasks::may_wait(operation, state.read_at);
    let open = state.operations.iter().filter(|operation| !rests(operation));
    open.map(|operation| format!("{} {}", operation.kind, operation.key)).collect()
}
