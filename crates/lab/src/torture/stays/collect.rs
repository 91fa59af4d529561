//! Asks a healed server, and the provider's own books, what has become of the guests of the hotel.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use futures_util::stream::iter;
use futures_util::{StreamExt, TryStreamExt};
use uuid::Uuid;

use crate::torture::auditor::collect::client::Client;
use crate::torture::auditor::collect::{LOOK_PAUSE, LOOKS_AT_ONCE, collect_healed, now_micros};
use crate::torture::auditor::state::{CollectPlan, OperationSeen};
use crate::torture::stays::auditor::{PaymentSeen, REFUND, StaySeen, StaysState, is_finished, pages};
use crate::torture::stays::book::{GuestEntry, ReservationSeen};
use surehold_simulators::stripe::{Mischief, RandomStripeFaults, StripeSim};

const CONVERGENCE_MAX: Duration = Duration::from_mins(1);
const PROCESS: &str = "PROCESS_STRIPE_EVENT";
const KINDS: [&str; 4] = [PROCESS, "CREATE_CHECKOUT_SESSION", "EXPIRE_CHECKOUT_SESSION", REFUND];

/// Reads what is there, once everything has come to rest or had a minute for it.
pub async fn collect_stays(
    plan: &CollectPlan,
    history: &[GuestEntry],
    healed: Instant,
    stripe: &StripeSim,
) -> Result<StaysState> {
    let client = Client::new(plan)?;
    let until = healed + CONVERGENCE_MAX;
    stripe.set_mischief(Mischief::default());
    stripe.set_random_faults(&RandomStripeFaults::of_all(0, 0));
    stripe.release();
    let unfinished = come_to_rest(&client, history, until, stripe).await?;
    let hotel = collect_healed(plan, &[], healed).await?;
    let mut state = StaysState { hotel, unfinished, ..StaysState::default() };
    let holds: BTreeSet<Uuid> = history.iter().filter_map(|entry| entry.ask.hold()).collect();
    loop {
        let made = stripe.report().refunds.len();
        state.refunds = client.operations([REFUND].into_iter()).await?;
        state.cases = client.cases().await?;
        state.stays = read_stays(&client, &holds).await?;
        state.payments = payments(stripe);
        // A refund that waited was made meanwhile: it would be seen twice.
        if stripe.report().refunds.len() == made {
            return Ok(state);
        }
    }
}

/// What has not come to its end in time.
async fn come_to_rest(
    client: &Client,
    history: &[GuestEntry],
    until: Instant,
    stripe: &StripeSim,
) -> Result<Vec<String>> {
    let pages = pages(history);
    let mut unheard: BTreeSet<String> = payments(stripe).into_iter().map(|payment| payment.session).collect();
    loop {
        let now = now_micros()?;
        let mut open = Vec::new();
        for kind in KINDS {
            open.extend(client.open_operations(kind).await?);
        }
        let open = open.iter().filter(|operation| !is_finished(operation, now));
        let mut unfinished: Vec<String> = open.map(|one| format!("{} {}", one.kind, one.key)).collect();
        let refunds = client.operations([REFUND].into_iter()).await?;
        let cases = client.cases().await?;
        // What became a case was heard of, whatever follows from it.
        unheard.retain(|session| !cases.iter().any(|(_, key)| key == session));
        unheard = still_unheard(client, unheard, &pages, &refunds).await?;
        unfinished.extend(unheard.iter().map(|session| format!("the payment {session}")));
        let pending = stripe.report().deliveries_pending;
        if pending > 0 {
            unfinished.push(format!("{pending} webhooks"));
        }
        if unfinished.is_empty() || Instant::now() >= until {
            return Ok(unfinished);
        }
        tokio::time::sleep(LOOK_PAUSE).await;
    }
}

/// Payments that led to nothing yet. Those that were lost on their way are found in the provider's list.
async fn still_unheard(
    client: &Client,
    unheard: BTreeSet<String>,
    pages: &BTreeMap<String, Uuid>,
    refunds: &[OperationSeen],
) -> Result<BTreeSet<String>> {
    let mut still = BTreeSet::new();
    for session in unheard {
        let is_refunded = refunds.iter().any(|operation| operation.key.contains(&session));
        let reserved = match pages.get(&session) {
            Some(hold) if !is_refunded => reservation(client, *hold).await?.and_then(|found| found.payment),
            Some(_) | None => None,
        };
        if !is_refunded && reserved.is_none_or(|payment| payment.session != session) {
            still.insert(session);
        }
    }
    Ok(still)
}

fn payments(stripe: &StripeSim) -> Vec<PaymentSeen> {
    let report = stripe.report();
    let seen = report.succeeded().map(|line| PaymentSeen {
        session: line.session.clone(),
        reference: line.client_reference_id.clone(),
        received: line.amount_received,
        refunded: line.amount_refunded,
        refunds: line.refunds,
    });
    seen.collect()
}

async fn read_stays(client: &Client, holds: &BTreeSet<Uuid>) -> Result<BTreeMap<Uuid, Option<StaySeen>>> {
    let look = |hold: Uuid| async move {
        let Some(stay) = client.get(&format!("/stays/{hold}")).await? else { return Ok((hold, None)) };
        let state = stay["state"].as_str().context("a stay without a state")?.to_owned();
        Ok((hold, Some(StaySeen { state, reservation: reservation(client, hold).await? })))
    };
    iter(holds.iter().copied().map(look)).buffer_unordered(LOOKS_AT_ONCE).try_collect().await
}

async fn reservation(client: &Client, hold: Uuid) -> Result<Option<ReservationSeen>> {
    let found = client.get(&format!("/reservations/{hold}")).await?;
    found.map(serde_json::from_value).transpose().context("what was answered is no reservation")
}
