//! Expires lapsed holds in the background. Correctness does not depend on it: a lapsed hold is dead for everybody
//! at once, swept or not. It keeps counters and screens fresh and says so in the journal.

use std::time::Duration;

use surehold_core::kernel::TenantId;
use surehold_core::kernel::commands::ExpireLapsedHolds;
use tracing::{debug, warn};

use crate::Engine;
use crate::engine::EngineRef;
use crate::module::Background;

pub(super) const BACKGROUND: Background =
    Background { name: "sweeping", start: |config, engine| Some(Box::pin(sweep_forever(engine, config.sweep_pause?))) };

/// Ends with the engine, which it does not keep alive.
async fn sweep_forever(engine: EngineRef, pause: Duration) {
    loop {
        tokio::time::sleep(pause).await;
        let Some(engine) = engine.get() else { return };
        match engine.views().tenants_with_lapsed_holds().await {
            Ok(tenants) => {
                for tenant in tenants {
                    sweep(&engine, tenant).await;
                }
            }
            Err(fault) => warn!(%fault, "Cannot look for lapsed holds: {fault}"),
        }
    }
}

async fn sweep(engine: &Engine, tenant: TenantId) {
    loop {
        match engine.run(tenant, ExpireLapsedHolds).await {
            Ok(done) => {
                debug!(%tenant, count = done.reply.count, "Expired {} lapsed holds", done.reply.count);
                if !done.reply.more_left {
                    return;
                }
            }
            Err(failure) => {
                warn!(%tenant, ?failure, "Cannot expire lapsed holds");
                return;
            }
        }
    }
}
