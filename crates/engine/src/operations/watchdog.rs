//! Looks after operations that nobody looks after: leases that were lost, work that takes too long, workers that are gone.
//! Asks for a `RECONCILE_STUCK_OPERATION`, which decides; several watchdogs ask for the same one.

use std::collections::BTreeSet;
use std::time::Duration;

use metrics::{counter, gauge};
use surehold_core::kernel::{TenantId, Timestamp};
use surehold_core::operations::commands::{EnqueueOperation, LeaveWork};
use surehold_core::operations::{Enqueued, OperationRefusal, reconciliation};
use tokio_util::sync::CancellationToken;
use tracing::{error, warn};

use super::context::Context;
use crate::{Failure, Fault, StuckOperation};

/// How long the row of a silent worker is kept for people to see.
const GONE_AFTER_SECS: i64 = 3_600;

pub(super) async fn watch_until(context: &Context, stop: &CancellationToken) {
    let mut measured = Measured::default();
    loop {
        let pause = context.config.watch_pause;
        let pause = pause + pause.mul_f64(f64::from(u8::try_from((context.config.dice)() % 100).unwrap_or(0)) / 400.0);
        if stop.run_until_cancelled(tokio::time::sleep(pause)).await.is_none() {
            return;
        }
        if let Err(fault) = look(context, &mut measured).await {
            warn!(%fault, "Cannot look after stuck operations: {fault}");
        }
    }
}

async fn look(context: &Context, measured: &mut Measured) -> Result<(), Fault> {
    let views = context.engine.views();
    let now = views.clock().await?;
    let silent_micros = i64::try_from(context.config.silent_after.as_micros()).unwrap_or(i64::MAX);
    let silent_since = Timestamp::from_micros(now.micros().saturating_sub(silent_micros));
    for stuck in views.lost_leases(now, silent_since).await? {
        reconcile(context, stuck).await;
    }
    for kind in context.engine.registry().kinds() {
        for stuck in views.overdue_operations(kind, now).await? {
            reconcile(context, stuck).await;
        }
    }
    for worker in views.silent_workers(now.plus_secs(-GONE_AFTER_SECS)).await? {
        let _ = context.engine.run(TenantId::DIRECTORY, LeaveWork { worker }).await;
    }
    measure(context, now, measured).await
}

async fn reconcile(context: &Context, stuck: StuckOperation) {
    let StuckOperation { tenant, key, last_token, reason } = stuck;
    counter!("surehold_operations_stuck_total", "type" => key.kind.to_string(), "reason" => format!("{reason:?}"))
        .increment(1);
    let Ok(operation) = reconciliation(&key, last_token, reason) else { return };
    match context.engine.run(tenant, EnqueueOperation(operation)).await {
        Ok(done) => match done.reply.enqueued {
            Enqueued::Enqueued => warn!(%tenant, ?reason, "Operation `{key}` is stuck and will be looked after"),
            Enqueued::Dead { error, .. } => {
                error!(%tenant, "Operation `{key}` is stuck, and looking after it failed: {error}. Redrive that first");
            }
            Enqueued::Joined | Enqueued::AlreadyDone { .. } | Enqueued::Conflict => {}
        },
        // Somebody noticed the same lease for another reason.
        Err(Failure::Refused(OperationRefusal::OperationConflict { .. })) => {}
        Err(failure) => warn!(%tenant, ?failure, "Nobody can be asked to look after operation `{key}`"),
    }
}

/// What was measured before and is not there any more is none.
type Measured = BTreeSet<(String, &'static str)>;

async fn measure(context: &Context, now: Timestamp, measured: &mut Measured) -> Result<(), Fault> {
    let mut gone = std::mem::take(measured);
    for depth in context.engine.views().operation_depths().await? {
        let (kind, state) = (depth.kind.to_string(), depth.state.as_str());
        let micros = now.micros().saturating_sub(depth.oldest_at.micros()).max(0);
        let oldest = Duration::from_micros(u64::try_from(micros).unwrap_or(0));
        show(&kind, state, i32::try_from(depth.operations).map_or(f64::MAX, f64::from), oldest);
        gone.remove(&(kind.clone(), state));
        measured.insert((kind, state));
    }
    for (kind, state) in gone {
        show(&kind, state, 0.0, Duration::ZERO);
    }
    Ok(())
}

fn show(kind: &str, state: &'static str, operations: f64, oldest: Duration) {
    gauge!("surehold_operations_depth", "type" => kind.to_owned(), "state" => state).set(operations);
    gauge!("surehold_operations_oldest_seconds", "type" => kind.to_owned(), "state" => state).set(oldest.as_secs_f64());
}
