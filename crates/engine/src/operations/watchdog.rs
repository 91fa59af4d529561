//! Looks after operations that nobody looks after: leases that were lost, work that takes too long, workers that are gone.
//! Asks for a `RECONCILE_STUCK_OPERATION`, which decides; several watchdogs ask for the same one.

use metrics::{counter, gauge};
use surehold_core::kernel::TenantId;
use surehold_core::kernel::Timestamp;
use surehold_core::operations::commands::{EnqueueOperation, LeaveWork};
use surehold_core::operations::reconciliation;
use tokio_util::sync::CancellationToken;
use tracing::warn;

use super::context::Context;
use crate::{Fault, StuckOperation};

/// How long the row of a silent worker is kept for people to see.
const GONE_AFTER_SECS: i64 = 3_600;

pub(super) async fn watch_until(context: &Context, stop: &CancellationToken) {
    loop {
        let pause = context.config.watch_pause;
        let pause = pause + pause.mul_f64(f64::from(u8::try_from(super::dice() % 100).unwrap_or(0)) / 400.0);
        if stop.run_until_cancelled(tokio::time::sleep(pause)).await.is_none() {
            return;
        }
        if let Err(fault) = look(context).await {
            warn!(%fault, "Cannot look after stuck operations: {fault}");
        }
    }
}

async fn look(context: &Context) -> Result<(), Fault> {
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
    measure(context, now).await
}

async fn reconcile(context: &Context, stuck: StuckOperation) {
    let StuckOperation { tenant, key, last_token, reason } = stuck;
    counter!("surehold_operations_stuck_total", "type" => key.kind.to_string(), "reason" => format!("{reason:?}"))
        .increment(1);
    let Ok(operation) = reconciliation(&key, last_token, reason) else { return };
    match context.engine.run(tenant, EnqueueOperation(operation)).await {
        Ok(done) if !done.replayed => warn!(%tenant, ?reason, "Operation `{key}` is stuck and will be looked after"),
        Ok(_) => {}
        Err(failure) => warn!(%tenant, ?failure, "Nobody can be asked to look after operation `{key}`"),
    }
}

async fn measure(context: &Context, now: Timestamp) -> Result<(), Fault> {
    for depth in context.engine.views().queue_depths().await? {
        let state = if depth.running { "running" } else { "waiting" };
        let count = i32::try_from(depth.count).map_or(f64::MAX, f64::from);
        gauge!("surehold_operations_depth", "type" => depth.kind.clone(), "state" => state).set(count);
        let micros = now.micros().saturating_sub(depth.oldest_at.micros()).max(0);
        let secs = std::time::Duration::from_micros(u64::try_from(micros).unwrap_or(0)).as_secs_f64();
        gauge!("surehold_operations_oldest_seconds", "type" => depth.kind, "state" => state).set(secs);
    }
    Ok(())
}
