//! Finds effect operations that are due and lets them go ahead, a few of each tenant at a time.

use std::collections::HashSet;
use std::sync::Arc;

use surehold_core::kernel::{TenantId, Timestamp};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::debug;

use super::agenda::Agenda;
use super::context::Context;
use super::effects::EffectRun;
use super::gate::{BLOCKED_ELSEWHERE, Entry};
use crate::{Fault, QueuePlace, Registered};

const PAGE: u16 = 200;
/// Of one tenant in one round; then it is the others' turn.
const TAKEN_PER_ROUND: usize = 16;
/// Operations that cannot go ahead are passed over, but not for ever.
const PASSED_OVER_MAX: usize = 2_000;

pub(super) async fn run_until(context: &Arc<Context>, stop: &CancellationToken, running: &TaskTracker) {
    let (engine, config) = (&context.engine, &context.config);
    let mut agenda = Agenda::new(engine, config);
    // Tenants with something due for which there was no room.
    let mut held_up: HashSet<TenantId> = HashSet::new();
    let mut rounds: usize = 0;
    if stop.run_until_cancelled(context.pulse.begun()).await.is_none() {
        return;
    }
    loop {
        let next = async {
            tokio::select! {
                biased;
                () = context.gate.freed(), if !held_up.is_empty() => None,
                next = agenda.next() => Some(next),
            }
        };
        let Some(next) = stop.run_until_cancelled(next).await else { return };
        let (now, mut tenants) = match next {
            Some(Ok(found)) => found,
            Some(Err(_)) => {
                stop.run_until_cancelled(tokio::time::sleep(config.poll_pause)).await;
                continue;
            }
            None => {
                for tenant in held_up.drain() {
                    agenda.add(tenant, Timestamp::from_micros(0));
                }
                continue;
            }
        };
        // Room is scarce when it matters: each time another tenant is the first to find some.
        rounds = rounds.wrapping_add(1);
        let first = rounds.checked_rem(tenants.len()).unwrap_or(0);
        tenants.rotate_left(first);
        for tenant in tenants {
            match dispatch(context, stop, running, tenant, now).await {
                Ok(Next { at, when_there_is_room }) => {
                    if let Some(at) = at {
                        agenda.add(tenant, at);
                    }
                    if when_there_is_room {
                        held_up.insert(tenant);
                    }
                }
                Err(fault) => debug!(%tenant, %fault, "Cannot look for operations"),
            }
        }
    }
}

/// When to look at a tenant again.
struct Next {
    at: Option<Timestamp>,
    when_there_is_room: bool,
}

async fn dispatch(
    context: &Arc<Context>,
    stop: &CancellationToken,
    running: &TaskTracker,
    tenant: TenantId,
    now: Timestamp,
) -> Result<Next, Fault> {
    let views = context.engine.views();
    let (mut taken, mut passed_over, mut full, mut blocked_elsewhere) = (0, 0, false, false);
    for priority in views.due_priorities(tenant, true, now).await? {
        let mut place = QueuePlace::START;
        loop {
            if context.gate.is_full() || passed_over >= PASSED_OVER_MAX {
                return Ok(Next { at: None, when_there_is_room: true });
            }
            let page = views.due_operations(tenant, true, priority, now, &place, PAGE).await?;
            let Some(behind) = QueuePlace::behind(&page) else { break };
            let is_last = page.len() < usize::from(PAGE);
            for run in page {
                let key = run.key;
                let Some(Registered::Effect(handler, provider)) = context.engine.registry().get(&key.kind) else {
                    continue;
                };
                match context.gate.enter(handler.kind(), tenant, &key) {
                    Entry::Inside => passed_over += 1,
                    Entry::Full => (passed_over, full) = (passed_over + 1, true),
                    Entry::Blocked { here } => {
                        passed_over += 1;
                        full |= here;
                        blocked_elsewhere |= !here;
                    }
                    Entry::Pass(pass) => {
                        let run = EffectRun {
                            context: Arc::clone(context),
                            tenant,
                            key,
                            handler: Arc::clone(handler),
                            provider: Arc::clone(provider),
                            pass,
                            stopping: stop.clone(),
                        };
                        running.spawn(run.carry_out());
                        taken += 1;
                    }
                }
                if taken >= TAKEN_PER_ROUND {
                    return Ok(Next { at: Some(now), when_there_is_room: false });
                }
            }
            if is_last {
                break;
            }
            place = behind;
        }
    }
    let mut at = views.next_operation_at(tenant, true, now).await?;
    if blocked_elsewhere {
        let pause_micros = i64::try_from(BLOCKED_ELSEWHERE.as_micros()).unwrap_or(i64::MAX);
        let again_at = Timestamp::from_micros(now.micros().saturating_add(pause_micros));
        at = Some(at.map_or(again_at, |at| at.min(again_at)));
    }
    Ok(Next { at, when_there_is_room: full })
}
