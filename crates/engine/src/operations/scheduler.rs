//! Fires schedules in the background. Any number of nodes may do so at once: an instant is fired in its tenant's turn,
//! by whoever comes first, and the others find it done.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use surehold_core::kernel::{TenantId, Timestamp};
use surehold_core::operations::{FireSchedules, FiredSchedule, OperationType, ScheduleName};
use tracing::{info, warn};

use crate::engine::EngineRef;
use crate::module::Background;
use crate::{Engine, Fault};

/// Schedules of types that are not known here, and have been told of.
type Strangers = HashSet<(TenantId, ScheduleName)>;

pub(super) const BACKGROUND: Background =
    Background { name: "firing", start: |config, engine| Some(Box::pin(fire_forever(engine, config.schedule_pause?))) };

/// Ends with the engine, which it does not keep alive.
async fn fire_forever(engine: EngineRef, pause: Duration) {
    let mut strangers = Strangers::new();
    loop {
        let next = {
            let Some(engine) = engine.get() else { return };
            fire_due(&engine, &mut strangers).await
        };
        let wait = match next {
            Ok(next) => next.map_or(pause, |until_next| until_next.min(pause)),
            Err(fault) => {
                warn!(%fault, "Cannot look for schedules that are due: {fault}");
                pause
            }
        };
        tokio::time::sleep(wait).await;
    }
}

/// Fires what is due, of all tenants. Tells how long it is until the next instant.
async fn fire_due(engine: &Engine, strangers: &mut Strangers) -> Result<Option<Duration>, Fault> {
    let kinds: Arc<[&'static OperationType]> = engine.registry().schedulable_kinds().collect();
    let looked_at = engine.views().clock().await?;
    for tenant in engine.views().tenants_with_due_schedules(looked_at).await? {
        fire(engine, tenant, &kinds, strangers).await;
    }
    let Some(next_at) = engine.views().next_schedule_after(looked_at).await? else { return Ok(None) };
    let now = engine.views().clock().await?;
    Ok(Some(until(now, next_at)))
}

/// Nothing for what has come due meanwhile.
fn until(now: Timestamp, at: Timestamp) -> Duration {
    let micros = at.micros().saturating_sub(now.micros());
    Duration::from_micros(u64::try_from(micros).unwrap_or(0))
}

async fn fire(engine: &Engine, tenant: TenantId, kinds: &Arc<[&'static OperationType]>, strangers: &mut Strangers) {
    loop {
        match engine.run(tenant, FireSchedules { kinds: Arc::clone(kinds) }).await {
            Ok(done) => {
                done.reply.fired.iter().for_each(|fired| tell(tenant, fired));
                for name in done.reply.unknown {
                    if strangers.insert((tenant, name.clone())) {
                        warn!(%tenant, schedule = %name, "The schedule `{name}` is due, but its type is not known here");
                    }
                }
                // What is left because it is unknown would be left again.
                if !done.reply.more_left || done.reply.fired.is_empty() {
                    return;
                }
            }
            Err(failure) => {
                warn!(%tenant, ?failure, "Cannot fire schedules");
                return;
            }
        }
    }
}

fn tell(tenant: TenantId, fired: &FiredSchedule) {
    let FiredSchedule { name, planned_for, skipped, .. } = fired;
    info!(%tenant, schedule = %name, %planned_for, skipped, "Fired the schedule `{name}`, planned for {planned_for}");
}
