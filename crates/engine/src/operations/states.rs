//! Runs what is due of the state operations: page by page, each page in one transaction with everybody else's commands.

use std::collections::HashMap;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use metrics::{counter, histogram};
use surehold_core::kernel::{JsonList, TenantId, Timestamp};
use surehold_core::operations::commands::{FailOperation, RunStateOperation, StateRun};
use surehold_core::operations::{
    Correlation, Operation, OperationKey, OperationRefusal, OperationRun, OperationType, Priority, Trouble,
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::{debug, warn};

use super::Boundary;
use super::agenda::Agenda;
use super::context::{Context, background, note_failure};
use super::views::EVER;
use crate::{Failure, Fault, QueuePlace, Registered};

const PAGE: u16 = 2_000;
/// Then it is other tenants' turn.
const PAGES_PER_ROUND: usize = 8;
const TENANTS_AT_ONCE: usize = 8;

pub(super) async fn run_until(context: &Context, stop: &CancellationToken) {
    let (engine, config) = (&context.engine, &context.config);
    let mut agenda = Agenda::new(engine, config);
    let mut floors: HashMap<TenantId, Floors> = HashMap::new();
    while let Some(next) = stop.run_until_cancelled(agenda.next()).await {
        let Ok((now, tenants)) = next else {
            stop.run_until_cancelled(tokio::time::sleep(config.poll_pause)).await;
            continue;
        };
        floors.retain(|_, floors| floors.since.elapsed() < FLOORS_FOR);
        let drained = stream::iter(tenants).map(|tenant| {
            let mut floors = floors.remove(&tenant).unwrap_or_default();
            async move { (tenant, drain(context, stop, tenant, now, &mut floors).await, floors) }
        });
        let drained: Vec<_> = drained.buffer_unordered(TENANTS_AT_ONCE).collect().await;
        for (tenant, again, seen) in drained {
            match again {
                Ok(at) => {
                    floors.insert(tenant, seen);
                    if let Some(at) = at {
                        agenda.add(tenant, at);
                    }
                }
                Err(fault) => debug!(%tenant, %fault, "Cannot look for operations"),
            }
        }
    }
}

/// Up to where a tenant's queues were worked through. Without it, every look would go past all that was done since the
/// database last cleaned up. What is asked for later is due later, give or take a transaction; whatever is missed is
/// found when the floors are let go of.
struct Floors {
    by_priority: [Timestamp; Priority::ALL.len()],
    since: Instant,
}

const FLOORS_FOR: Duration = Duration::from_secs(20);
/// Longer than a transaction can take.
const FLOOR_MARGIN_SECS: i64 = 60;

impl Default for Floors {
    fn default() -> Floors {
        Floors { by_priority: [EVER; Priority::ALL.len()], since: Instant::now() }
    }
}

/// Runs what is due. Returns when there will be more.
async fn drain(
    context: &Context,
    stop: &CancellationToken,
    tenant: TenantId,
    now: Timestamp,
    floors: &mut Floors,
) -> Result<Option<Timestamp>, Fault> {
    let views = context.engine.views();
    let by_priority = floors.by_priority;
    let (soon, margin) = (now.plus_secs(1), now.plus_secs(-FLOOR_MARGIN_SECS));
    let first = async |priority: Priority, floor: Timestamp| {
        views.due_operations(tenant, false, priority, now, &QueuePlace::at(floor), PAGE).await
    };
    let [urgent, normal, bulk] = Priority::ALL;
    let first =
        tokio::try_join!(first(urgent, by_priority[0]), first(normal, by_priority[1]), first(bulk, by_priority[2]),)?;
    let (mut pages, mut any_left) = (0, false);
    for ((priority, mut page), floor) in
        Priority::ALL.into_iter().zip([first.0, first.1, first.2]).zip(&mut floors.by_priority)
    {
        let mut all_done = true;
        while let Some(place) = QueuePlace::behind(&page) {
            if stop.is_cancelled() {
                return Ok(None);
            }
            let more = page.len() == usize::from(PAGE);
            let last = pages + 1 >= PAGES_PER_ROUND;
            // The next page is read while this one is carried out.
            let next = async {
                if more && !last {
                    views.due_operations(tenant, false, priority, now, &place, PAGE).await
                } else {
                    Ok(Vec::new())
                }
            };
            let (ran, next) = tokio::join!(run_page(context, tenant, page), next);
            all_done &= ran.all_done;
            // Pages of types that only others know are passed over.
            pages += usize::from(ran.any_known);
            if last && ran.any_known {
                *floor = if all_done { place.run_at.min(margin) } else { EVER };
                return Ok(Some(if ran.any_done { now } else { soon }));
            }
            page = if last && more {
                views.due_operations(tenant, false, priority, now, &place, PAGE).await?
            } else {
                next?
            };
        }
        any_left |= !all_done;
        *floor = if all_done { margin.max(*floor) } else { EVER };
    }
    let next = views.next_operation_at(tenant, false, now).await?;
    // What is due and could not be done now may be possible soon.
    Ok(if any_left { Some(next.map_or(soon, |next| next.min(soon))) } else { next })
}

/// What came of a page.
struct PageRun {
    any_known: bool,
    any_done: bool,
    all_done: bool,
}

async fn run_page(context: &Context, tenant: TenantId, page: Vec<OperationRun>) -> PageRun {
    (context.config.on_boundary)(Boundary::StateFound);
    let (begun, due) = (Instant::now(), page.len());
    let commands: Vec<RunStateOperation> = page.into_iter().filter_map(|run| command(context, run)).collect();
    let tried: Vec<(OperationKey, &'static OperationType)> =
        commands.iter().map(|command| (command.key.clone(), command.handler.kind())).collect();
    let any_known = !commands.is_empty();
    let outcomes = context.engine.run_all_with(tenant, commands, &background()).await;
    let mut done: HashMap<&'static str, u64> = HashMap::new();
    let mut failed = Vec::new();
    for ((key, kind), outcome) in tried.into_iter().zip(outcomes) {
        match outcome {
            Ok(ran) => match ran.reply {
                StateRun::Done => *done.entry(kind.name).or_default() += 1,
                StateRun::NotNow(_) => {}
            },
            Err(failure) => failed.extend(trouble_of(failure).map(|trouble| failure_of(context, kind, key, trouble))),
        }
    }
    let done_count: u64 = done.values().sum();
    for (kind, count) in done {
        context.count_succeeded(kind, count);
        // They are done together, so one time stands for all of a page.
        histogram!("surehold_operation_seconds", "type" => kind).record(begun.elapsed().as_secs_f64());
    }
    if !failed.is_empty() {
        settle(context, tenant, failed).await;
    }
    (context.config.on_boundary)(Boundary::StateDone);
    PageRun { any_known, any_done: done_count > 0, all_done: u64::try_from(due) == Ok(done_count) }
}

fn command(context: &Context, run: OperationRun) -> Option<RunStateOperation> {
    match context.engine.registry().get(&run.key.kind) {
        Some(Registered::State(handler)) => {
            Some(RunStateOperation { key: run.key.clone(), handler: handler.clone(), found: Some(run) })
        }
        // A type that this worker does not know is somebody else's.
        Some(Registered::Effect(..)) | None => None,
    }
}

/// What went wrong with the operation itself; nothing if it was the store.
pub(super) fn trouble_of(failure: Failure<OperationRefusal>) -> Option<Trouble> {
    match failure {
        Failure::Refused(OperationRefusal::Trouble(trouble)) => Some(trouble),
        Failure::Refused(refusal) => Some(Trouble::retry("refused", refusal.to_string())),
        Failure::Defect => Some(Trouble::retry("defect", "the operation's handler failed; the log says where")),
        Failure::KeyReused | Failure::Fault(_) => None,
    }
}

fn failure_of(context: &Context, kind: &'static OperationType, key: OperationKey, trouble: Trouble) -> FailOperation {
    FailOperation { key, kind, trouble, dice: (context.config.dice)() }
}

/// What the operation has to do with, and which attempt this was. For the log, so an unknown is no trouble.
async fn about(context: &Context, tenant: TenantId, key: &OperationKey) -> (JsonList<Correlation>, u32) {
    let views = context.engine.views();
    let operation = views.record::<Operation>(tenant, key).await.ok().flatten();
    let run = views.record::<OperationRun>(tenant, key).await.ok().flatten();
    (operation.map(|operation| operation.correlations).unwrap_or_default(), run.map_or(0, |run| run.attempts + 1))
}

/// Says of operations that got no lease that they failed.
pub(super) async fn settle(context: &Context, tenant: TenantId, failed: Vec<FailOperation>) {
    for FailOperation { key, kind, trouble, .. } in &failed {
        let outcome = match trouble {
            Trouble::Retry { .. } => "failed",
            Trouble::Permanent { .. } => "refused",
            Trouble::Wait { .. } => "snoozed",
        };
        counter!("surehold_operations_total", "type" => kind.name, "outcome" => outcome).increment(1);
        match trouble {
            Trouble::Wait { on, .. } => debug!(%tenant, %key, "Operation `{key}` is waiting on: {on}"),
            Trouble::Retry { code, error, .. } | Trouble::Permanent { code, error } => {
                let (correlations, attempt) = about(context, tenant, key).await;
                note_failure(kind, key, &correlations, attempt, (code, error));
            }
        }
    }
    for outcome in context.engine.run_all_with(tenant, failed, &background()).await {
        if let Err(failure) = outcome {
            warn!(%tenant, ?failure, "Cannot write down that an operation failed");
        }
    }
}
